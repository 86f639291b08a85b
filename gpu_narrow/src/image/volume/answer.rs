//! From the sums of a view to a volume and its centroid.

use impinge_image_space::fixed_map::FixedMap;
use impinge_image_space::view::SUB_BITS;
use impinge_pair::mended;
use nalgebra::{Point3, Vector3};

use super::VolumeTicket;
use crate::engine::Engine;
use crate::image::layout::{
    LatticeMap, OVER_INTERVALS, TILE_PIXELS, TILE_RECORD_WORDS, TILE_SIDE, TileRecord, TileUnit, ViewPair,
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

/// A view as the device has laid it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaidView {
    /// Pixels per side.
    pub side: u32,
    /// From A's quanta and from B's to its lattice.
    pub maps: [FixedMap; 2],
    /// The last depth that is seen (steps).
    pub far: i64,
    /// Triangles that it may show.
    pub shown: u32,
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
        let pair = self.volume_pair(ticket)?;
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

impl Engine {
    /// The view of a pair of the step that was finished last, as the device has laid it; `None` where it has laid
    /// none.
    pub fn volume_view(&self, ticket: &VolumeTicket) -> Option<LaidView> {
        let pair = self.volume_pair(ticket)?;
        let maps = [pair.maps[0].fixed(), pair.maps[1].fixed()];
        Some(LaidView { side: pair.side, maps, far: pair.maps[0].far.into(), shown: pair.shown })
    }

    /// The records of its tiles; `None` where it has laid no view.
    pub fn volume_records(&self, ticket: &VolumeTicket) -> Option<Vec<TileRecord>> {
        let _ = self.volume_pair(ticket)?;
        (ticket.tiles[0]..ticket.tiles[1])
            .map(|tile| record(&self.step.volumes.answers, tile as usize))
            .collect()
    }

    fn volume_pair(&self, ticket: &VolumeTicket) -> Option<&ViewPair> {
        let pair = self.step.volumes.seen.get(ticket.pair as usize)?;
        let own = ticket.sequence == self.step.sequence && pair.sequence == ticket.sequence;
        (own && pair.status == 0).then_some(pair)
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

/// A body's frame and a view's lattice.
struct Lattice {
    /// Unit axes (the body's frame), and what a metre is worth along them.
    axes: [Vector3<f64>; 3],
    worth: [f64; 3],
    /// A place of the body's frame (m), and where it is on the lattice.
    origin: Point3<f64>,
    at: [f64; 3],
}

impl Lattice {
    fn new(map: &LatticeMap) -> Lattice {
        let (quanta, map) = (map.quanta.map(|e| 2f64.powi(e)), map.fixed());
        let unit = map.shift.map(|shift| 2f64.powi(-(shift as i32)));
        let rows =
            [0, 1, 2].map(|k| Vector3::from_fn(|j, _| f64::from(map.rows[k][j]) * unit[k] / quanta[j]));
        let worth = rows.map(|row| row.norm());
        Lattice {
            axes: [0, 1, 2].map(|k| rows[k] / worth[k]),
            worth,
            origin: Point3::from([0, 1, 2].map(|j| f64::from(map.origin[j]) * quanta[j])),
            // A start is half a unit more, for the rounding.
            at: [0, 1, 2].map(|k| map.start[k] as f64 * unit[k] - 0.5),
        }
    }

    /// A place of the lattice in the body's frame (m).
    fn place(&self, at: [f64; 3]) -> Point3<f64> {
        let along = |k: usize| self.axes[k] * ((at[k] - self.at[k]) / self.worth[k]);
        self.origin + along(0) + along(1) + along(2)
    }
}

/// What sums in a pair's view mean in metres.
fn answer(pair: &ViewPair, sums: &Sums) -> Option<VolumeAnswer> {
    if sums.length == 0 {
        return None;
    }
    let lattice = Lattice::new(&pair.maps[0]);
    let scale = f64::from(pair.scale);
    // A pixel's sides and a step (m).
    let sub_pixels = f64::from(1u32 << SUB_BITS);
    let pixel = [sub_pixels / lattice.worth[0], sub_pixels / lattice.worth[1]];
    let step = 1.0 / lattice.worth[2];
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
    let at = [sub_pixels * (mean[0] - 0.5), sub_pixels * (mean[1] - 0.5), mean[2]];
    Some(VolumeAnswer {
        volume: mended(volume, fullness, ratio),
        gradient,
        centroid: lattice.place(at),
        thickness,
    })
}
