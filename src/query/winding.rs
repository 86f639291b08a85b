//! Containment in surfaces with gaps.

use impinge_convex::inside;
use impinge_exact::intersect::{self, IntersectScratch, LastHit, Surfaces};
use impinge_geometry::{Containment, Primitive, Side};
use impinge_midphase::{CandidateBatch, PairKind, Part, Solid};
use impinge_pair::{NarrowMemory, NarrowScratch, PairResult};
use nalgebra::{Isometry3, Point3};

use super::subshapes::{PlacedSubshapes, Poses};
use super::{PairQuery, PreparedShape, QueryError};

/// The part of a solid angle from which on a place counts as inside.
const INSIDE: f64 = 0.5;

impl PairQuery {
    /// Whether one of the bodies, or one of its components, is wholly inside the other with A at `a` and B at `b` (m), even if
    /// the other's surface has gaps: where it winds round the component's first vertex (a round primitive's centre) by more
    /// than a half ([`TriMesh::winding_number`](crate::TriMesh::winding_number)). Of closed bodies that is containment as
    /// [`PairQuery::at`] tells it. [`Containment::None`] where the surfaces cross, and of a surface with gaps in a round primitive,
    /// which touch. Takes time by the triangles of the outer surface for each component of the inner one.
    ///
    /// # Errors
    /// [`QueryError::Pose`] for a pose that is not finite.
    pub fn containment_by_winding(
        &self,
        a: &Isometry3<f64>,
        b: &Isometry3<f64>,
    ) -> Result<Containment, QueryError> {
        if self.shapes.iter().all(PreparedShape::is_solid) {
            return self.contained_subshape(a, b);
        }
        let poses = Poses::new(a, b)?;
        let (mut narrow, mut exact) = (NarrowScratch::default(), IntersectScratch::default());
        for pair in poses.pairs(self.shapes()) {
            let crossing = match PairKind::new(pair.parts) {
                Some(PairKind::Surfaces(both)) => {
                    let surfaces = Surfaces::new(both, &pair.frame);
                    intersect::surfaces_touch(&surfaces, &mut LastHit::default(), &mut exact).is_some()
                }
                _ => impinge_pair::parts_touch(pair.parts, &pair.frame, &mut LastHit::default(), &mut narrow),
            };
            let inner = Side::BOTH.into_iter().find(|&inner| !crossing && holds(&pair, inner));
            if let Some(inner) = inner {
                return Ok(if inner == Side::A { Containment::AInB } else { Containment::BInA });
            }
        }
        Ok(Containment::None)
    }

    /// Which of two closed bodies has a subshape inside one of the other's.
    fn contained_subshape(&self, a: &Isometry3<f64>, b: &Isometry3<f64>) -> Result<Containment, QueryError> {
        let poses = Poses::new(a, b)?;
        let mut batch = CandidateBatch::default();
        self.find(0, &poses, &mut batch);
        let (mut scratch, mut result) = (NarrowScratch::default(), PairResult::default());
        for job in &batch.jobs {
            let memory = &mut NarrowMemory::default();
            impinge_pair::run(job, &batch, &self.narrow, memory, &mut scratch, &mut result);
            if result.containment != Containment::None {
                return Ok(result.containment);
            }
        }
        Ok(Containment::None)
    }
}

/// Whether the other side's part holds a component of this one's.
fn holds(pair: &PlacedSubshapes<'_>, inner: Side) -> bool {
    let own = pair.parts[inner.index()];
    let outer = inner.other();
    let is_in = |place: &Point3<f64>| {
        let at = pair.frame.to_local(outer, &pair.frame.place_f64(inner, place));
        part_holds(pair.parts[outer.index()], &at)
    };
    match &own.surface {
        Some(surface) => {
            let faces = surface.faces();
            faces.components().iter().any(|&v| is_in(&faces.vertex(v).cast()))
        }
        None => !matches!(own.solid, Solid::Primitive(Primitive::HalfSpace)) && is_in(&Point3::origin()),
    }
}

/// Whether a place (m, the part's frame) is inside a part.
fn part_holds(part: &Part, at: &Point3<f64>) -> bool {
    match (&part.solid, &part.surface) {
        (Solid::Primitive(primitive), _) => inside(primitive, at),
        (_, Some(surface)) => surface.faces().winding_number(at) > INSIDE,
        (_, None) => false,
    }
}
