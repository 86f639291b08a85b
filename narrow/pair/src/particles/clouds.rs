//! Particles among themselves, and those of one cloud against those of another.

use impinge_geometry::SimdLevel;
use impinge_geometry::simd::{self, F32Lanes, Kernel, Simd};
use impinge_geometry::volume::round_up;
use nalgebra::{Point3, Vector3};

use super::contact::{Depths, PointContact, PointFeature};
use super::grid::{LANES, Level};
use super::placement::Placement;
use super::{CHUNK, Chunk, ParticleScratch, PlacedCloud, PointRange};

/// Appends the contacts of particles with each other: each pair once, with the lower number as the particle and the other one as the feature. In an
/// order that depends on where they stand, and on nothing else. Needs the grid of the index. Runs on the current pool.
pub fn themselves(
    cloud: PlacedCloud<'_>,
    range: &PointRange,
    simd: SimdLevel,
    scratch: &mut ParticleScratch,
    out: &mut Vec<PointContact>,
) {
    let depths = Depths::new(range);
    let place = Placement::new(cloud.pose, cloud.pose, 0);
    let levels = cloud.index.levels();
    let task = OwnTask { place: &place, depths: &depths, simd };
    for (k, level) in levels.iter().enumerate() {
        scratch.share(level.keys(), out, |index, keys, Chunk { found, near, ranges, .. }| {
            let first = index * CHUNK;
            if depths.margin > level.cell() - 2.0 * level.greatest() {
                // Cells are too small for what is to be seen.
                task.around(level, [first, first + keys.len()], &levels[k..=k], near, ranges, found);
            } else {
                let pairs = OwnPairs {
                    level,
                    first,
                    last: first + keys.len(),
                    margin: round_up(depths.margin),
                    out: near,
                };
                pairs.out.clear();
                simd::run(simd, pairs);
                for &[i, j] in &*near {
                    found.extend(task.pair([(level, i as usize), (level, j as usize)]));
                }
            }
            task.around(level, [first, first + keys.len()], &levels[..k], near, ranges, found);
        });
    }
}

/// Appends the contacts of the particles of one cloud with those of another: the first one's is the particle, the other's the feature. In the order
/// of the first one's. Needs the grid of the second one's index. Runs on the current pool.
pub fn between(
    [a, b]: [PlacedCloud<'_>; 2],
    range: &PointRange,
    scratch: &mut ParticleScratch,
    out: &mut Vec<PointContact>,
) {
    let depths = Depths::new(range);
    let place = Placement::new(a.pose, b.pose, 0);
    let centers = a.particles.centers();
    scratch.share(centers, out, |index, own, Chunk { found, ranges, .. }| {
        for (particle, center) in ((index * CHUNK) as u32..).zip(own) {
            let p = place.local(center);
            let radius = f64::from(a.particles.radius(particle));
            let from = found.len();
            for level in b.index.levels() {
                let reach = radius + level.greatest() + depths.margin;
                ranges.clear();
                level.around(&p.into(), reach, |start, end| ranges.push([start, end]));
                for place_in in ranges.iter().flat_map(|&[start, end]| start..end) {
                    let other = level.number(place_in);
                    found.extend(ball_contact(
                        (particle, radius, p),
                        (
                            other,
                            f64::from(b.particles.radius(other)),
                            b.particles.centers()[other as usize].cast(),
                        ),
                        &place,
                        &depths,
                    ));
                }
            }
            found[from..].sort_unstable_by_key(|contact| contact.feature);
        }
    });
}

/// The contact of two balls (number, radius and centre, in the second one's frame).
#[inline(always)]
fn ball_contact(
    (particle, radius, p): (u32, f64, Point3<f64>),
    (other, other_radius, q): (u32, f64, Point3<f64>),
    place: &Placement,
    depths: &Depths,
) -> Option<PointContact> {
    let away = p - q;
    let reach = radius + other_radius + depths.margin;
    let squared = away.norm_squared();
    if squared > reach * reach * (1.0 + 1e-12) {
        return None;
    }
    let length = squared.sqrt();
    // Every direction is as good for balls about one point; the squares of very small distances are none.
    let normal =
        if length > 0.0 { away / length } else { away.try_normalize(0.0).unwrap_or_else(Vector3::z) };
    let feature = PointFeature::Particle(other);
    depths.contact((particle, radius), feature, (&p, &normal, length - other_radius), place)
}

/// What all pairs of a cloud have in common.
struct OwnTask<'a> {
    place: &'a Placement,
    depths: &'a Depths,
    simd: SimdLevel,
}

impl OwnTask<'_> {
    /// The contact of two particles at places of levels.
    #[inline(always)]
    fn pair(&self, [a, b]: [(&Level, usize); 2]) -> Option<PointContact> {
        let (a, b) = (ball_at(a), ball_at(b));
        let (a, b) = if a.0 < b.0 { (a, b) } else { (b, a) };
        ball_contact(a, b, self.place, self.depths)
    }

    /// The pairs of the particles at some places of a level with those of others, or of the level itself: then each pair once.
    fn around(
        &self,
        level: &Level,
        [first, last]: [usize; 2],
        others: &[Level],
        near: &mut Vec<[u32; 2]>,
        ranges: &mut Vec<[usize; 2]>,
        found: &mut Vec<PointContact>,
    ) {
        for other in others {
            let itself = std::ptr::eq(level, other);
            for i in first..last {
                let center = [0, 1, 2].map(|k| level.places[k][i]);
                let radius = f64::from(level.radii[i]);
                ranges.clear();
                let reach = radius + other.greatest() + self.depths.margin;
                other.around(&center.map(f64::from), reach, |start, end| ranges.push([start, end]));
                near.clear();
                let row = NearInRow {
                    level: other,
                    ranges,
                    center,
                    reach: round_up(radius + self.depths.margin),
                    place: i as u32,
                    out: near,
                };
                simd::run(self.simd, row);
                for &[_, j] in near.iter().filter(|[i, j]| !itself || i < j) {
                    found.extend(self.pair([(level, i), (other, j as usize)]));
                }
            }
        }
    }
}

/// Number, radius and centre of the particle at a place of a level.
#[inline(always)]
fn ball_at((level, place): (&Level, usize)) -> (u32, f64, Point3<f64>) {
    let center = [0, 1, 2].map(|k| f64::from(level.places[k][place]));
    (level.number(place), f64::from(level.radii[place]), center.into())
}

/// `32u`: more than rounding can make of a squared distance, as a part of it.
const SLACK: f32 = 1.0 + 32.0 / 16_777_216.0;

/// The places of a level that stand near those from `first` to `last`, in neighbouring cells; each pair once.
struct OwnPairs<'a> {
    level: &'a Level,
    first: usize,
    last: usize,
    margin: f32,
    out: &'a mut Vec<[u32; 2]>,
}

impl Kernel for OwnPairs<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let OwnPairs { level, first, last, margin, out } = self;
        let keys = level.keys();
        let [row, layer] = level.steps();
        // To the rows of the neighbours that come later.
        let ahead = [row, layer - row, layer, layer + row];
        let find = |key: u64| keys.partition_point(|&other| other < key);
        let mut ranges = [[0; 2]; 5];
        for (k, &by) in ahead.iter().enumerate() {
            let key = keys[first] + by;
            ranges[k] = [find(key - 1), find(key + 2)];
        }
        ranges[4] = [first, find(keys[first] + 2)];
        for i in first..last {
            let key = keys[i];
            for k in 0..4 {
                while ranges[k][0] < keys.len() && keys[ranges[k][0]] < key + ahead[k] - 1 {
                    ranges[k][0] += 1;
                }
                while ranges[k][1] < keys.len() && keys[ranges[k][1]] < key + ahead[k] + 2 {
                    ranges[k][1] += 1;
                }
            }
            while ranges[4][1] < keys.len() && keys[ranges[4][1]] < key + 2 {
                ranges[4][1] += 1;
            }
            ranges[4][0] = i + 1;
            let center = [level.places[0][i], level.places[1][i], level.places[2][i]];
            scan::<S>(level, &ranges, center, level.radii[i] + margin, i as u32, out);
        }
    }
}

/// One ball against ranges of places.
struct NearInRow<'a> {
    level: &'a Level,
    ranges: &'a [[usize; 2]],
    /// Centre (m, the level's frame).
    center: [f32; 3],
    /// Its radius and the margin (m).
    reach: f32,
    place: u32,
    out: &'a mut Vec<[u32; 2]>,
}

impl Kernel for NearInRow<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        scan::<S>(self.level, self.ranges, self.center, self.reach, self.place, self.out);
    }
}

/// Appends the places in some ranges that are within their radius and `reach` of a centre, or may be, each with `own` before it.
#[inline(always)]
fn scan<S: Simd>(
    level: &Level,
    ranges: &[[usize; 2]],
    center: [f32; 3],
    reach: f32,
    own: u32,
    out: &mut Vec<[u32; 2]>,
) {
    let x = S::F32x8::splat(center[0]);
    let y = S::F32x8::splat(center[1]);
    let z = S::F32x8::splat(center[2]);
    let reach = S::F32x8::splat(reach);
    let slack = S::F32x8::splat(SLACK);
    // No square that vanishes says that two are apart.
    let least = S::F32x8::splat(f32::MIN_POSITIVE);
    for &[start, end] in ranges {
        let mut at = start;
        while at < end {
            let dx = S::F32x8::load(&level.places[0][at..]).sub(x);
            let dy = S::F32x8::load(&level.places[1][at..]).sub(y);
            let dz = S::F32x8::load(&level.places[2][at..]).sub(z);
            let far = S::F32x8::load(&level.radii[at..]).add(reach);
            let squared = dx.mul(dx).add(dy.mul(dy)).add(dz.mul(dz));
            let mut near = squared.at_most(far.mul(far).mul(slack).max(least)).bits();
            if end - at < LANES {
                near &= (1 << (end - at)) - 1;
            }
            while near != 0 {
                out.push([own, at as u32 + near.trailing_zeros()]);
                near &= near - 1;
            }
            at += LANES;
        }
    }
}
