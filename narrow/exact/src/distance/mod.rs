//! How far apart are two parts, and where are they nearest?
//!
//! - Two surfaces of triangles: the trees are searched for the nearest pair of triangles. Eight pairs of
//!   triangles at once are judged in `f32` by a proof that they are *not* nearer than what is known (see
//!   `filter`); what cannot be ruled out is measured in `f64`. Boxes and hulls are surfaces here, so
//!   that every answer names its features.
//! - A surface and a round solid or a half-space: the tree is searched for the nearest triangle.
//! - Round solids and half-spaces among themselves: as convex solids.
//!
//! Whether surfaces touch is decided exactly, as everywhere. A body inside another touches it: the
//! distance of solids is asked for, not of their skins. Virtual faces (which only bound volume) count as
//! inside, never as surface.

mod filter;
mod round;
mod surfaces;
mod triangle;

#[cfg(test)]
mod tests;

use impinge_geometry::{Containment, PairFrame};
use impinge_midphase::obb_tree::{NearestCounts, NearestScratch};
use impinge_midphase::{PairKind, Part};
use nalgebra::{Point3, Vector3};

use crate::MeshSolid;
use crate::containment::ContainmentScratch;

pub use filter::{Judged, Leaf, judge};
pub use surfaces::separation;
pub use triangle::{Spot, TriangleGap, triangle_gap};

/// What of a part a point lies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// A vertex of its mesh.
    Vertex(u32),
    /// The inside of an edge, one of [`impinge_geometry::TriMesh::edges`].
    Edge(u32),
    /// The inside of a triangle.
    Face(u32),
    /// The surface of a round solid or a half-space, which has no parts to name.
    Smooth,
}

/// The nearest points of two parts that are apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation {
    /// Their distance (m), greater than 0.
    pub distance: f64,
    /// Unit, from the point of A to that of B.
    pub normal: Vector3<f64>,
    /// The point of A and that of B (m, pair frame).
    pub points: [Point3<f64>; 2],
    /// What they lie on.
    pub features: [Feature; 2],
    /// A triangle of each side that holds its point, where the side has triangles.
    pub triangles: [Option<u32>; 2],
}

/// How two parts stand to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Proximity {
    /// They share no point.
    Apart(Separation),
    /// Their surfaces share a point (exact for triangles), or one is inside the other.
    Touching {
        /// Whether one is wholly inside the other; [`Containment::None`] where surfaces meet, which
        /// ends the search.
        containment: Containment,
        /// A pair of triangles that touch, where both sides have triangles and their surfaces meet.
        triangles: Option<[u32; 2]>,
    },
}

/// Remembers the nearest triangles of a pair of parts, to begin the next search with. The answer's
/// distance does not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DistanceMemory {
    triangles: Option<[u32; 2]>,
}

/// What a search cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DistanceCounts {
    /// The descent's.
    pub search: NearestCounts,
    /// Rows of eight triangle pairs judged in `f32`.
    pub rows: u64,
    /// Triangle pairs measured in `f64`.
    pub measured: u64,
}

/// Buffers of a search.
#[derive(Debug, Default)]
pub struct DistanceScratch {
    search: NearestScratch,
    containment: ContainmentScratch,
    /// What the searches cost since it was made.
    pub counts: DistanceCounts,
}

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
            round::surface_distance(pair, bound, memory, scratch)
        }
        PairKind::Convex => round::between_solids(parts, frame, bound),
    };
    if let Some(Proximity::Apart(separation)) = &found
        && let [Some(a), Some(b)] = separation.triangles
    {
        memory.triangles = Some([a, b]);
    }
    found
}
