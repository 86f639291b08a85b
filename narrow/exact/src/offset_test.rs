//! Offset collision test: would B be free of A if it stood elsewhere? The exact answer, for the price of a descent.

use impinge_geometry::{Containment, PairFrame, Side};
use nalgebra::Vector3;

use crate::containment::{ContainmentScratch, containment};
use crate::intersect::{IntersectScratch, Intersections, LastHit, Surfaces, surfaces_touch};

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
}
