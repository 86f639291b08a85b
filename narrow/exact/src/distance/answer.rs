//! What a search for a distance finds, remembers and costs.

use impinge_geometry::Containment;
use impinge_midphase::obb_tree::{NearestCounts, NearestScratch};
use nalgebra::{Point3, Vector3};

use crate::touch::TouchScratch;

/// The feature of a part that a point lies on.
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
    /// The features that they lie on.
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
/// distance does not depend on it, beyond the rounding of the points that it is measured between.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DistanceMemory {
    pub(super) triangles: Option<[u32; 2]>,
}

impl DistanceMemory {
    /// Begins a search with two triangles.
    pub(crate) fn of(triangles: [u32; 2]) -> DistanceMemory {
        DistanceMemory { triangles: Some(triangles) }
    }
}

/// Whether a search may find that the parts touch, or it was ruled out before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Contact {
    Possible,
    RuledOut,
}

/// Counts of a search.
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
    pub(super) search: NearestScratch,
    pub(super) touch: TouchScratch,
    /// Counts of all searches since it was made.
    pub counts: DistanceCounts,
}
