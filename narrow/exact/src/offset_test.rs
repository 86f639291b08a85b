//! Offset collision test: would B be free of A if it stood elsewhere? The exact answer, for the price of a descent.

use impinge_geometry::{Containment, PairFrame, Side};
use nalgebra::Vector3;

use crate::containment::{ContainmentScratch, containment};
use crate::intersect::{IntersectScratch, Intersections, LastHit, Surfaces, surfaces_touch};

/// A length is first taken to be no shorter than this part of what is expected; then of that, and so on.
const STEP_BACK: f64 = 0.96;

/// Steps back, at most.
const STEPS: u32 = 6;

/// Asks of two surfaces without virtual faces whether they are apart when B is moved, and keeps what that takes.
#[derive(Debug, Default)]
pub struct OffsetTest {
    intersect: IntersectScratch,
    /// Nothing crosses where bodies that do not touch are asked about.
    none: Intersections,
    containment: ContainmentScratch,
    /// Where the bodies met when last asked.
    last: LastHit,
}

/// How two bodies meet that are asked about elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hindrance {
    None,
    /// Two of their triangles, of A and of B, share a point.
    Touch([u32; 2]),
    /// One lies in the other.
    Inside,
}

impl OffsetTest {
    /// What hinders a translation beyond this multiple of its length is a sliver, not the overlap itself.
    pub const SLIVER: f64 = 1.06;

    /// How narrowly a length is bracketed in the end (part of it).
    pub const RESOLUTION: f64 = 0.002;

    /// Begins a pair.
    pub fn begin(&mut self) {
        self.last = LastHit::default();
    }

    /// Whether B, moved by `shift` (m, pair frame), neither touches A nor lies in it, nor A in it.
    pub fn is_free(&mut self, surfaces: &Surfaces<'_>, shift: &Vector3<f64>) -> bool {
        self.hindrance(surfaces, shift) == Hindrance::None
    }

    /// How B, moved by `shift` (m, pair frame), meets A.
    pub(crate) fn hindrance(&mut self, surfaces: &Surfaces<'_>, shift: &Vector3<f64>) -> Hindrance {
        let mut frame: PairFrame = *surfaces.frame;
        frame.offset[Side::B.index()] += shift;
        let input = Surfaces { frame: &frame, ..*surfaces };
        if let Some(triangles) = surfaces_touch(&input, &mut self.last, &mut self.intersect) {
            return Hindrance::Touch(triangles);
        }
        match containment(&input, &self.none, &mut self.containment) {
            Containment::None => Hindrance::None,
            _ => Hindrance::Inside,
        }
    }

    /// How far B has to move along a direction until it is free, where that is about as far as `expected`
    /// (m), or little more.
    pub fn length(&mut self, surfaces: &Surfaces<'_>, normal: &Vector3<f64>, expected: f64) -> Option<f64> {
        let [short, long] =
            [1.0 - Self::RESOLUTION, 1.0 + Self::RESOLUTION].map(|part| normal * (part * expected));
        if self.is_free(surfaces, &long) && !self.is_free(surfaces, &short) {
            return Some(expected);
        }
        self.bracket(surfaces, normal, [STEP_BACK * expected, Self::SLIVER * expected])
    }

    /// How far B has to move along a direction until it is free, where that is `bound` (m) or less.
    pub fn length_within(
        &mut self,
        surfaces: &Surfaces<'_>,
        normal: &Vector3<f64>,
        bound: f64,
    ) -> Option<f64> {
        self.bracket(surfaces, normal, [STEP_BACK * bound, bound])
    }

    /// The least length between `low`, or what is shorter, and `high` at which B is free (m).
    fn bracket(&mut self, surfaces: &Surfaces<'_>, normal: &Vector3<f64>, ends: [f64; 2]) -> Option<f64> {
        let mut free = |length: f64| self.is_free(surfaces, &(normal * length));
        let [mut low, mut high] = ends;
        if !free(high) {
            return None;
        }
        for _ in 0..STEPS {
            if !free(low) {
                break;
            }
            (low, high) = (STEP_BACK * low, low);
        }
        while high - low > Self::RESOLUTION * high {
            let middle = 0.5 * (low + high);
            if free(middle) { high = middle } else { low = middle }
        }
        Some(high)
    }
}
