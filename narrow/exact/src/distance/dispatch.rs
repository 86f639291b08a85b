//! The distance of two parts: their kind is matched here.

use impinge_convex::{ConvexContact, convex_contact};
use impinge_geometry::{Containment, PairFrame};
use impinge_midphase::{PairKind, Part};

use super::answer::{DistanceMemory, DistanceScratch, Proximity, Separation};
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
    let found = match PairKind::new(parts)? {
        PairKind::Convex => convex_solids(parts, frame, bound, memory, scratch),
        PairKind::Surfaces(both) => surfaces::distance(both, frame, bound, memory, scratch),
        PairKind::MeshSolid { mesh, surface, primitive } => {
            let pair = MeshSolid { mesh, surface, primitive, frame };
            mesh_solid::surface_distance(pair, bound, memory, scratch)
        }
    };
    if let Some(Proximity::Apart(separation)) = &found {
        remember(separation, memory);
    }
    found
}

/// As [`distance`], of parts that are known to be apart: whether they touch is not asked again.
pub fn distance_apart(
    parts: [&Part; 2],
    frame: &PairFrame,
    bound: f64,
    memory: &mut DistanceMemory,
    scratch: &mut DistanceScratch,
) -> Option<Separation> {
    let found = match PairKind::with_features(parts)? {
        PairKind::Surfaces(both) => surfaces::distance_apart(both, frame, bound, memory, scratch),
        PairKind::MeshSolid { mesh, surface, primitive } => {
            let pair = MeshSolid { mesh, surface, primitive, frame };
            mesh_solid::distance_apart(pair, bound, memory, scratch)
        }
        PairKind::Convex => convex::distance_apart(parts, frame, bound),
    };
    found.inspect(|separation| remember(separation, memory))
}

/// Where the next search begins.
fn remember(separation: &Separation, memory: &mut DistanceMemory) {
    if let [Some(a), Some(b)] = separation.triangles {
        memory.triangles = Some([a, b]);
    }
}

/// The distance of convex solids; whether they touch is decided by their contact.
fn convex_solids(
    parts: [&Part; 2],
    frame: &PairFrame,
    bound: f64,
    memory: &mut DistanceMemory,
    scratch: &mut DistanceScratch,
) -> Option<Proximity> {
    let ConvexContact { touching, containment, .. } = convex_contact(parts, frame, 0.0);
    if !touching {
        return distance_apart(parts, frame, bound, memory, scratch).map(Proximity::Apart);
    }
    let triangles = match PairKind::with_features(parts)? {
        PairKind::Surfaces(both) if containment == Containment::None => {
            let last = &mut LastHit::default();
            surfaces_touch(&Surfaces::new(both, frame), last, &mut scratch.touch.intersect)
        }
        _ => None,
    };
    Some(Proximity::Touching { containment, triangles })
}
