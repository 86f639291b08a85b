//! The filter of the triangle intersection: which triangle pairs of candidate leaves certainly cross, certainly miss, or
//! are the CPU's to decide. From jobs to units of work, and from records to answers.

pub mod layout;
pub mod passes;

mod answer;
mod dispatch;

use impinge_geometry::{PairFrame, Side};
use impinge_midphase::{PairJob, Surface};
use nalgebra::{Matrix3, Point3, Vector3};

use crate::meshes::MeshPlace;
use layout::{IntersectRecord, IntersectUnit, RECORD_WORDS, UNIT_LEAF_PAIRS};

/// Greatest relative error of one operation in a shader: WGSL lets it round either way.
pub(crate) const UNIT_ERROR: f64 = 1.0 / (1u64 << 23) as f64;

/// Coordinates that are less certain than this part of the pair's size settle nothing.
const COARSEST: f64 = 1.0 / 64.0;

/// Lengths beyond these powers of two (m) are not scaled to unit size: `f32` has no room for them.
const EXPONENTS: std::ops::RangeInclusive<i32> = -100..=100;

/// Where the work of a job stands in the step: its units, and its leaf pairs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntersectTicket {
    /// Units, first and one past the last.
    pub(crate) units: std::ops::Range<u32>,
    /// Which step, and which part of it.
    pub(crate) sequence: u32,
    /// See `sequence`.
    pub(crate) part: u32,
    /// Leaf pairs.
    pub(crate) leaf_pairs: u32,
    /// Which patches of the step stand for its surfaces, where these are height fields or level sets.
    pub(crate) patches: [Option<u32>; 2],
}

/// Why a job is left to the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// More units, leaf pairs or mesh words than [`Capacities`](crate::Capacities) allow.
    WorkList,
    /// The bodies' size, or how far apart their origins are, leaves nothing certain in `f32`.
    CoordinateRange,
}

/// What was found for one job, over all its units: sums over the certain hits (m, A's frame).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct IntersectAnswer {
    /// Triangle pairs that certainly cross.
    pub hits: u64,
    /// Triangle pairs of which nothing is certain: the CPU settles them.
    pub uncertain: u64,
    /// Triangle pairs looked at.
    pub tests: u64,
    /// Σ ½ r × dr over the segments, along n_A × n_B (m²): where `uncertain` is zero and the contours
    /// close, the gradient of the intersection volume.
    pub area: Vector3<f64>,
    /// Σ dr (m): zero where the contours close.
    pub drift: Vector3<f64>,
    /// Box of the segments (m); the first is greater than the second where there are none.
    pub bounds: [Vector3<f64>; 2],
}

/// Where a pair stands, as a unit has it.
pub(crate) struct Placement {
    unit: IntersectUnit,
}

impl Placement {
    /// The relative pose, composed in `f64` and rounded once, and a bound of its error; `reach`: the greatest coordinate of each body along
    /// each axis, either way (m).
    ///
    /// A's points stand where they are and B's at R_Aᵀ(R_B·y + 2h). The geometry that is judged stands
    /// at R_A·x − h and R_B·y + h, each rounded in `f64`; multiplied by R_A's inverse and shifted, which
    /// changes no sign, it differs from that by some units of 2⁻⁵³ of the coordinates. In the shader a
    /// product takes a rounded coefficient, its own rounding and up to three sums: 5 u (Σ|R||y| + |t|).
    pub fn new(
        job: &PairJob<'_>,
        reach: [Vector3<f64>; 2],
        places: [MeshPlace; 2],
    ) -> Result<Placement, Overflow> {
        let middle = nalgebra::center(&job.interest[0], &job.interest[1]);
        Placement::about(&job.frame, &middle, reach, places)
    }

    /// The same of a pair whose segments are measured from `middle` (m, pair frame).
    pub fn about(
        frame: &PairFrame,
        middle: &Point3<f64>,
        reach: [Vector3<f64>; 2],
        places: [MeshPlace; 2],
    ) -> Result<Placement, Overflow> {
        let [ra, rb] = &frame.rotation;
        let rotation: Matrix3<f64> = ra.transpose() * rb;
        let shift = ra.tr_mul(&(frame.offset[1] - frame.offset[0]));
        let [own_a, own_b] = reach;
        let reach_b = rotation.abs() * own_b + shift.abs();
        let reach = own_a.amax().max(reach_b.amax()).max(frame.offset[0].amax());
        if !(reach > 0.0 && reach.is_finite()) {
            return Err(Overflow::CoordinateRange);
        }
        let exponent = -(reach.log2().floor() as i32);
        if !EXPONENTS.contains(&exponent) {
            return Err(Overflow::CoordinateRange);
        }
        let scale = 2f64.powi(exponent);
        let delta = (5.0 * UNIT_ERROR * 1.001 * reach_b.amax() + 64.0 * f64::EPSILON * reach) * scale
            + 4.0 * f64::from(f32::MIN_POSITIVE);
        let origin = frame.to_local(Side::A, middle).coords * scale;
        if delta > COARSEST || origin.amax() > 8.0 {
            return Err(Overflow::CoordinateRange);
        }
        let row = |k: usize| {
            let (r, t) = (rotation.row(k) * scale, shift[k] * scale);
            [r[0] as f32, r[1] as f32, r[2] as f32, t as f32]
        };
        let [a, b] = places;
        Ok(Placement {
            unit: IntersectUnit {
                to_a: [row(0), row(1), row(2)],
                origin: [origin.x as f32, origin.y as f32, origin.z as f32],
                scale: scale as f32,
                // Rounded up.
                delta: (delta as f32) * (1.0 + f32::EPSILON),
                vertices_a: a.vertices,
                starts_a: a.starts,
                corners_a: a.corners,
                vertices_b: b.vertices,
                starts_b: b.starts,
                corners_b: b.corners,
                ..IntersectUnit::default()
            },
        })
    }

    /// The unit, of no leaf pairs.
    pub fn unit(&self) -> IntersectUnit {
        self.unit
    }

    /// Appends units for `count` leaf pairs from `first` on, whose answers begin at word `answers`;
    /// gives the word after the last answer.
    pub fn units(&self, first: u32, count: u32, mut answers: u32, out: &mut Vec<IntersectUnit>) -> u32 {
        let mut from = 0;
        while from < count {
            let own = (count - from).min(UNIT_LEAF_PAIRS);
            out.push(IntersectUnit { first: first + from, count: own, answer: answers, ..self.unit });
            answers += answer_words(own);
            from += own;
        }
        answers
    }
}

/// How many units and words of answers `count` leaf pairs take.
pub(crate) fn units_and_words(count: u32) -> (u32, u32) {
    let (full, rest) = (count / UNIT_LEAF_PAIRS, count % UNIT_LEAF_PAIRS);
    let words = full * answer_words(UNIT_LEAF_PAIRS) + if rest > 0 { answer_words(rest) } else { 0 };
    (full + u32::from(rest > 0), words)
}

/// Words of the answer of a unit, to a multiple of four so that records stay aligned.
fn answer_words(leaf_pairs: u32) -> u32 {
    RECORD_WORDS + leaf_pairs.div_ceil(2).next_multiple_of(4)
}

/// The record of a unit and the masks of its leaf pairs, two to a word; `None` where the answers are too
/// short.
pub(crate) fn record<'a>(unit: &IntersectUnit, answers: &'a [u32]) -> Option<(IntersectRecord, &'a [u32])> {
    let own = answers.get(unit.answer as usize..)?.get(..answer_words(unit.count) as usize)?;
    let (record, masks) = own.split_at(RECORD_WORDS as usize);
    Some((bytemuck::pod_read_unaligned(bytemuck::cast_slice(record)), masks))
}

/// The mask of leaf pair `index` of a unit.
pub(crate) fn mask(masks: &[u32], index: usize) -> u16 {
    (masks[index / 2] >> (16 * (index % 2))) as u16
}

impl IntersectAnswer {
    pub(crate) fn none() -> IntersectAnswer {
        let far = Vector3::repeat(f64::INFINITY);
        IntersectAnswer { bounds: [far, -far], ..IntersectAnswer::default() }
    }

    /// Adds what one unit found.
    pub(crate) fn add(&mut self, unit: &IntersectUnit, record: &IntersectRecord) {
        let to_metres = 1.0 / f64::from(unit.scale);
        let vector = |v: [f32; 3]| Vector3::from(v).cast::<f64>() * to_metres;
        self.hits += u64::from(record.hits);
        self.uncertain += u64::from(record.uncertain);
        self.tests += u64::from(record.tests);
        self.area += vector(record.area) * to_metres;
        self.drift += vector(record.drift);
        if record.hits > 0 {
            let origin = vector(unit.origin);
            self.bounds[0] = self.bounds[0].inf(&(vector(record.low) + origin));
            self.bounds[1] = self.bounds[1].sup(&(vector(record.high) + origin));
        }
    }
}

/// The greatest coordinate of a mesh along each axis, either way (m).
pub(crate) fn farthest(surface: &Surface) -> Vector3<f64> {
    let aabb = surface.faces().aabb();
    Vector3::from_fn(|k, _| f64::from(aabb.min[k].abs().max(aabb.max[k].abs())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_cover_every_leaf_pair_once_and_their_answers_do_not_overlap() {
        let placement = Placement { unit: IntersectUnit::default() };
        for count in [1, 2, 255, 256, 257, 1000] {
            let mut units = Vec::new();
            let end = placement.units(10, count, 40, &mut units);
            assert_eq!((units.len() as u32, end - 40), units_and_words(count));
            let (mut next, mut word) = (10, 40);
            for unit in &units {
                assert_eq!((unit.first, unit.answer), (next, word));
                next += unit.count;
                word += answer_words(unit.count);
            }
            assert_eq!((next, word), (10 + count, end));
        }
    }
}
