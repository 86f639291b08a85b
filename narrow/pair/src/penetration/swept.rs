//! The two bodies of a pair as one is swept past the other.

use impinge_exact::MeshSolid;
use impinge_exact::intersect::Surfaces;
use impinge_exact::translation::{Clearance, ClearanceScratch, clearance, solid_clearance};
use nalgebra::Vector3;

/// Two bodies that bound volumes, at least one of them by triangles.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Swept<'a> {
    Surfaces(Surfaces<'a>),
    Solid(MeshSolid<'a>),
}

impl Swept<'_> {
    /// The first free shift of B along a direction (unit), if it is shorter than `bound` (m).
    pub fn clearance(
        &self,
        direction: &Vector3<f64>,
        bound: f64,
        scratch: &mut ClearanceScratch,
    ) -> Option<Clearance> {
        self.shift(direction, bound, scratch).filter(|found| found.length < bound)
    }

    /// How far B is known not to be free along a direction (unit): the first free shift, or `bound` (m) or more. Nothing where
    /// a half-space is in the way.
    pub fn shift(
        &self,
        direction: &Vector3<f64>,
        bound: f64,
        scratch: &mut ClearanceScratch,
    ) -> Option<Clearance> {
        match self {
            Swept::Surfaces(both) => Some(clearance(both, direction, 0.0, bound, scratch)),
            Swept::Solid(pair) => solid_clearance(pair, direction, 0.0, bound, scratch),
        }
    }
}
