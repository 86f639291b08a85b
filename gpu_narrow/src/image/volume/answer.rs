//! From the sums of a view to a volume and its centroid.

use impinge_pair::mended;
use nalgebra::{Point3, Vector3};

use super::VolumeTicket;
use crate::engine::Engine;
use crate::image::layout::{
    OVER_INTERVALS, TILE_PIXELS, TILE_RECORD_WORDS, TILE_SIDE, TileRecord, TileUnit, ViewPair,
};

/// Intervals and contours that say of the area of an overlap what differs by more than this factor are not of
/// the same.
const SAME: std::ops::RangeInclusive<f64> = 0.75..=1.5;

/// An overlap that is thinner than this many times the error of a coordinate is the CPU's.
const THICK: f64 = 64.0;

/// What a pair has in common, as the device saw it (m, A's frame).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VolumeAnswer {
    /// Volume (m³).
    pub volume: f64,
    /// Area vector of A's surface inside B (m²).
    pub gradient: Vector3<f64>,
    /// Centroid (m).
    pub centroid: Point3<f64>,
    /// The longest interval along the gradient that lies in both bodies (m).
    pub thickness: f64,
}

/// Sums over the tiles of a view.
#[derive(Default)]
struct Sums {
    overlaps: u64,
    length: u64,
    moment: [f64; 3],
    gradient: i64,
    longest: u32,
}

impl Engine {
    /// The intersection volume of a pair of the step that was finished last. `None` where it is the CPU's to say:
    /// nothing crosses for certain, the contours do not close or have no normal of their own, something has
    /// overflowed, the view does not show what the contours say, or the ticket is of another step.
    pub fn volume(&self, ticket: &VolumeTicket) -> Option<VolumeAnswer> {
        let own = &self.step.volumes;
        let pair = own.seen.get(ticket.pair as usize).filter(|_| ticket.sequence == self.step.sequence)?;
        if pair.status != 0 || pair.sequence != ticket.sequence {
            return None;
        }
        let mut sums = Sums::default();
        for tile in ticket.tiles[0]..ticket.tiles[1] {
            let record = record(&own.answers, tile as usize)?;
            if on_border(&own.units[tile as usize], &record) {
                return None;
            }
            if record.status & !OVER_INTERVALS != 0 || record.cut > 0 || record.sequence != ticket.sequence {
                return None;
            }
            sums.add(&record);
        }
        answer(pair, &sums)
    }
}

/// Whether there is an interval in a pixel on the border of the view: what is wider than its contours goes on beside it.
fn on_border(unit: &TileUnit, record: &TileRecord) -> bool {
    (0..TILE_PIXELS).filter(|l| record.pixels[(l / 32) as usize] >> (l % 32) & 1 == 1).any(|lane| {
        let at = [unit.origin[0] + lane % TILE_SIDE, unit.origin[1] + lane / TILE_SIDE];
        at.iter().any(|&x| x == 0 || x == unit.side - 1)
    })
}

fn record(answers: &[u32], tile: usize) -> Option<TileRecord> {
    let words = TILE_RECORD_WORDS as usize;
    let own = answers.get(tile * words..(tile + 1) * words)?;
    Some(bytemuck::pod_read_unaligned(bytemuck::cast_slice(own)))
}

impl Sums {
    fn add(&mut self, record: &TileRecord) {
        let long = |words: [u32; 2]| u64::from(words[0]) | u64::from(words[1]) << 32;
        let [low, middle, high] = record.moment_z;
        let deep = i128::from(long([low, middle])) + (i128::from(high as i32) << 64);
        self.overlaps += u64::from(record.overlaps);
        self.length += long(record.length);
        self.moment[0] += long(record.moment_i) as f64;
        self.moment[1] += long(record.moment_j) as f64;
        self.moment[2] += deep as f64;
        self.gradient += i64::from(record.gradient);
        self.longest = self.longest.max(record.longest);
    }
}

/// What sums in a pair's view mean in metres.
fn answer(pair: &ViewPair, sums: &Sums) -> Option<VolumeAnswer> {
    if sums.length == 0 {
        return None;
    }
    let rows = [pair.right, pair.up, pair.depth].map(|row| row.map(f64::from));
    let worth = rows.map(|[x, y, z, _]| Vector3::new(x, y, z).norm());
    let axes = [0, 1, 2].map(|k| Vector3::new(rows[k][0], rows[k][1], rows[k][2]) / worth[k]);
    let scale = f64::from(pair.scale);
    // A pixel's sides and a step (m).
    let pixel = [256.0 / worth[0] / scale, 256.0 / worth[1] / scale];
    let step = 1.0 / worth[2] / scale;
    let pixel_area = pixel[0] * pixel[1];
    let gradient = Vector3::from(pair.area).cast::<f64>() / (scale * scale);
    let seen = 0.5 * sums.gradient as f64 * pixel_area;
    let ratio = gradient.norm() / seen;
    if !SAME.contains(&ratio) {
        return None;
    }
    let thickness = f64::from(sums.longest) * step;
    if thickness * scale < THICK * f64::from(pair.delta) {
        return None;
    }
    let volume = sums.length as f64 * step * pixel_area;
    let fullness = volume / (thickness * pixel_area * sums.overlaps as f64);
    // Places are counted twice, from the first pixel's corner; rows count from its centre.
    let mean = sums.moment.map(|m| m / (2.0 * sums.length as f64));
    let on_lattice = [256.0 * (mean[0] - 0.5), 256.0 * (mean[1] - 0.5), mean[2]];
    let at = |k: usize| axes[k] * ((on_lattice[k] - rows[k][3]) / (worth[k] * scale));
    Some(VolumeAnswer {
        volume: mended(volume, fullness, ratio),
        gradient,
        centroid: Point3::from(at(0) + at(1) + at(2)),
        thickness,
    })
}
