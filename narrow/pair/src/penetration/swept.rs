//! The two bodies of a pair as one is swept past the other.

use impinge_exact::intersect::Surfaces;
use impinge_exact::translation::{
    Clearance, ClearanceScratch, clearance, clearance_by_hits, is_common, is_reversed, line_bound_from,
    line_bounds, solid_clearance,
};
use impinge_exact::{MeshSolid, OffsetTest};
use impinge_geometry::{PairFrame, Primitive, Side};
use impinge_midphase::{PairKind, Part, Solid};
use nalgebra::{Matrix3, Point3, Vector3};

/// Two bodies that bound volumes, at least one of them by triangles.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Swept<'a> {
    Surfaces(Surfaces<'a>),
    Solid(MeshSolid<'a>),
}

impl<'a> Swept<'a> {
    /// Two parts that stand as `frame` says; `None` of convex solids, which have no triangles, and where one bounds no volume or is a half-space.
    pub fn of(parts: [&'a Part; 2], frame: &'a PairFrame) -> Option<Swept<'a>> {
        if !parts.into_iter().all(bounds_volume) {
            return None;
        }
        match PairKind::new(parts)? {
            PairKind::Convex | PairKind::MeshSolid { primitive: Primitive::HalfSpace, .. } => None,
            PairKind::Surfaces(both) => Some(Swept::Surfaces(Surfaces::new(both, frame))),
            PairKind::MeshSolid { mesh, surface, primitive } => {
                Some(Swept::Solid(MeshSolid { mesh, surface, primitive, frame }))
            }
        }
    }

    /// The body that comes first whichever of the two is called A.
    pub fn first(&self) -> Side {
        match self {
            Swept::Surfaces(both) if is_reversed(both) => Side::B,
            Swept::Surfaces(_) => Side::A,
            Swept::Solid(pair) => pair.mesh,
        }
    }

    /// The axes of a body, in columns.
    pub fn axes(&self, side: Side) -> &'a Matrix3<f64> {
        let frame = match self {
            Swept::Surfaces(both) => both.frame,
            Swept::Solid(pair) => pair.frame,
        };
        &frame.rotation[side.index()]
    }

    /// Whether B is not known to meet A once it is moved by a shift (m, pair frame). Of surfaces with virtual faces, and of solids, nothing
    /// is known so cheaply.
    pub fn may_be_free(&self, shift: &Vector3<f64>, test: &mut OffsetTest) -> bool {
        match self {
            Swept::Surfaces(both) if both.meshes.iter().all(|mesh| !mesh.has_virtual_faces()) => {
                test.is_free(both, shift)
            }
            _ => true,
        }
    }

    /// Whether a point (m, pair frame) is known to be inside both bodies.
    pub fn is_common(&self, p: &Point3<f64>) -> bool {
        matches!(self, Swept::Surfaces(both) if is_common(both, p))
    }

    /// [`ClearanceScratch::start_balls`] with these bodies.
    pub fn start_balls(&self, scratch: &mut ClearanceScratch) -> Option<f64> {
        match self {
            Swept::Surfaces(both) => scratch.start_balls(both),
            Swept::Solid(_) => None,
        }
    }

    /// How far B must move along a direction (unit) at least (m), and how far against it, by the line through a point inside
    /// both bodies.
    pub fn least(
        &self,
        p: &Point3<f64>,
        direction: &Vector3<f64>,
        scratch: &mut ClearanceScratch,
    ) -> [f64; 2] {
        match self {
            Swept::Surfaces(both) => line_bounds(both, p, direction, scratch),
            Swept::Solid(_) => [0.0; 2],
        }
    }

    /// How far B must move along a direction (unit) at least (m), by the line through any point, where it is known not to be free
    /// before `from` (m); what is `enough` (m) or more may be longer still.
    pub fn least_from(
        &self,
        p: &Point3<f64>,
        direction: &Vector3<f64>,
        [from, enough]: [f64; 2],
        scratch: &mut ClearanceScratch,
    ) -> f64 {
        match self {
            Swept::Surfaces(both) => line_bound_from(both, p, direction, [from, enough], scratch),
            Swept::Solid(_) => from,
        }
    }

    /// The first free shift of B along a direction (unit), if it is shorter than `bound` (m).
    pub fn clearance(
        &self,
        direction: &Vector3<f64>,
        bound: f64,
        scratch: &mut ClearanceScratch,
    ) -> Option<Clearance> {
        self.shift(direction, 0.0, bound, scratch).filter(|found| found.length < bound)
    }

    /// As [`Swept::shift`], where B is likely to be free soon after `from`; `last`: triangles that it may pass last.
    pub fn shift_nearby(
        &self,
        direction: &Vector3<f64>,
        [from, bound]: [f64; 2],
        last: &[[u32; 2]],
        (scratch, test): (&mut ClearanceScratch, &mut OffsetTest),
    ) -> Option<Clearance> {
        let near = self.shift_by_hits(direction, [from, bound], last, test);
        near.or_else(|| self.shift(direction, from, bound, scratch))
    }

    /// As [`Swept::shift_nearby`], where few places hold B; `None` where they do not say enough.
    pub fn shift_by_hits(
        &self,
        direction: &Vector3<f64>,
        range: [f64; 2],
        last: &[[u32; 2]],
        test: &mut OffsetTest,
    ) -> Option<Clearance> {
        match self {
            Swept::Surfaces(both) => clearance_by_hits(both, direction, range, last, test),
            Swept::Solid(_) => None,
        }
    }

    /// How far B is known not to be free along a direction (unit): the first free shift, or `bound` (m) or more. Nothing where
    /// a half-space is in the way. It is known not to be before `from` (m).
    pub fn shift(
        &self,
        direction: &Vector3<f64>,
        from: f64,
        bound: f64,
        scratch: &mut ClearanceScratch,
    ) -> Option<Clearance> {
        match self {
            Swept::Surfaces(both) => Some(clearance(both, direction, from, bound, scratch)),
            Swept::Solid(pair) => solid_clearance(pair, direction, from, bound, scratch),
        }
    }
}

/// Whether a part bounds a volume.
pub(crate) fn bounds_volume(part: &Part) -> bool {
    match part.solid {
        Solid::Mesh => part.surface.as_ref().is_some_and(|s| s.faces().is_closed()),
        Solid::Primitive(_) | Solid::Hull => true,
    }
}
