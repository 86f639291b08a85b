//! The distance of two parts: their kind is matched here.

use impinge_geometry::PairFrame;
use impinge_midphase::{PairKind, Part};

use super::answer::{DistanceMemory, DistanceScratch, Proximity};
use super::{convex, mesh_solid, surfaces};
use crate::MeshSolid;

/// The distance of two parts that stand as `frame` says, if it is not greater than `bound` (m, which may
/// be infinite); `None` where it is.
pub fn distance(
    parts: [&Part; 2],
    frame: &PairFrame,
    bound: f64,
    memory: &mut DistanceMemory,
    scratch: &mut DistanceScratch,
) -> Option<Proximity> {
    let found = match PairKind::with_features(parts)? {
        PairKind::Surfaces(both) => surfaces::distance(both, frame, bound, memory, scratch),
        PairKind::MeshSolid { mesh, surface, primitive } => {
            let pair = MeshSolid { mesh, surface, primitive, frame };
            mesh_solid::surface_distance(pair, bound, memory, scratch)
        }
        PairKind::Convex => convex::between_solids(parts, frame, bound),
    };
    if let Some(Proximity::Apart(separation)) = &found
        && let [Some(a), Some(b)] = separation.triangles
    {
        memory.triangles = Some([a, b]);
    }
    found
}
