//! What the intersection of two surfaces consists of.

use impinge_geometry::Side;
use nalgebra::Point3;

use super::degenerate::{DegeneratePair, TouchKind};

/// Names the place where an edge of one side meets a triangle of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HitKey {
    /// The side of the edge.
    pub edge_side: Side,
    /// The edge, in [`TriMesh::edges`](impinge_geometry::TriMesh::edges) of that side's mesh.
    pub edge: u32,
    /// The triangle of the other side.
    pub triangle: u32,
}

/// The segment along which two triangles cross, oriented along n_A × n_B (outward normals): A's
/// part inside B lies to its left, seen from outside A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// Where it starts and ends. A place has the same key and, to the last bit, the same point in
    /// every segment that holds it.
    pub ends: [HitKey; 2],
    /// The same places (m, pair frame).
    pub points: [Point3<f64>; 2],
    /// The triangle of A and that of B.
    pub triangles: [u32; 2],
    /// Whether one of them is a virtual face: then it does not count as touching.
    pub virtual_face: bool,
}

/// Counts of an intersection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IntersectCounts {
    /// Triangle pairs looked at.
    pub triangle_tests: u64,
    /// Those of them on which the filter could not decide.
    pub uncertain: u64,
    /// Pairs that met with some sign at zero.
    pub degenerate: u64,
}

/// The intersection of two surfaces.
#[derive(Clone, Debug, Default)]
pub struct Intersections {
    /// Whether the surfaces share a point (virtual faces left out).
    pub touching: bool,
    /// Triangle pairs that share a point (virtual faces left out).
    pub triangle_pairs: u64,
    /// Where the surfaces cross, by triangles of A, then of B. Segments of virtual faces are among
    /// them, marked, so that contours of closed meshes close.
    pub segments: Vec<Segment>,
    /// Touching pairs that have no segment or one without length, and coplanar pairs, in the same
    /// order; none of virtual faces, and none whose corners meet at the border of an area that the same triangle of A
    /// shares with another face of B. Of the pairs that touch with a corner of both, one triangle of A keeps 16 at each corner
    /// and one in 64 of the rest.
    pub degenerate: Vec<DegeneratePair>,
    /// Corners of coplanar overlaps (m, pair frame), that [`Coplanar::polygon`](super::Coplanar::polygon) refers to.
    pub polygons: Vec<Point3<f64>>,
    /// Counts.
    pub counts: IntersectCounts,
}

impl Intersections {
    /// Empties it and keeps its memory.
    pub fn clear(&mut self) {
        self.touching = false;
        self.triangle_pairs = 0;
        self.segments.clear();
        self.degenerate.clear();
        self.polygons.clear();
        self.counts = IntersectCounts::default();
    }

    /// Whether some faces meet in one plane with an area: G is then one-sided, see
    /// [`DegeneratePair::correction`].
    pub fn has_coplanar(&self) -> bool {
        self.degenerate.iter().any(|d| matches!(&d.kind, TouchKind::Coplanar(c) if c.area > 0.0))
    }
}
