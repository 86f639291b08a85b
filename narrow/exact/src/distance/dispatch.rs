//! The distance of two parts: their kind is matched here.

use impinge_convex::{ConvexContact, convex_contact};
use impinge_geometry::{Containment, PairFrame};
use impinge_midphase::{PairKind, Part};

use super::answer::{DistanceMemory, DistanceScratch, Proximity};
use super::{convex, mesh_solid, surfaces};
use crate::MeshSolid;
use crate::intersect::{LastHit, Surfaces, surfaces_touch};

/// The distance of two parts that stand as `frame` says, if it is not greater than `bound` (m, which may
/// be infinite); `None` where it is.
pub fn distance(
    parts: [&Part; 2],
    frame: &PairFrame,
    bound: f64,
    memory: &mut DistanceMemory,
    scratch: &mut DistanceScratch,
) -> Option<Proximity> {
    let kind = PairKind::with_features(parts)?;
    let found = match PairKind::new(parts)? {
        PairKind::Convex => convex_solids(parts, kind, frame, bound, memory, scratch),
        PairKind::Surfaces(both) => surfaces::distance(both, frame, bound, memory, scratch),
        PairKind::MeshSolid { mesh, surface, primitive } => {
            let pair = MeshSolid { mesh, surface, primitive, frame };
            mesh_solid::surface_distance(pair, bound, memory, scratch)
        }
    };
    if let Some(Proximity::Apart(separation)) = &found
        && let [Some(a), Some(b)] = separation.triangles
    {
        memory.triangles = Some([a, b]);
    }
    found
}

/// The distance of convex solids, whether they touch being told of them as such; `kind` has the surfaces of those
/// that have any.
fn convex_solids(
    parts: [&Part; 2],
    kind: PairKind<'_>,
    frame: &PairFrame,
    bound: f64,
    memory: &mut DistanceMemory,
    scratch: &mut DistanceScratch,
) -> Option<Proximity> {
    let ConvexContact { touching, containment, .. } = convex_contact(parts, frame, 0.0);
    if touching {
        let triangles = match kind {
            PairKind::Surfaces(both) if containment == Containment::None => {
                let last = &mut LastHit::default();
                surfaces_touch(&Surfaces::new(both, frame), last, &mut scratch.touch.intersect)
            }
            _ => None,
        };
        return Some(Proximity::Touching { containment, triangles });
    }
    let found = match kind {
        PairKind::Surfaces(both) => surfaces::distance_apart(both, frame, bound, memory, scratch),
        PairKind::MeshSolid { mesh, surface, primitive } => {
            let pair = MeshSolid { mesh, surface, primitive, frame };
            mesh_solid::distance_apart(pair, bound, memory, scratch)
        }
        PairKind::Convex => convex::distance_apart(parts, frame, bound),
    };
    found.map(Proximity::Apart)
}
