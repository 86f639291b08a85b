//! Exact triangle intersection, by edges and triangles: do two surfaces touch, how many of their triangles do, and along
//! which oriented segments do they cross?
//!
//! Everything is judged on the canonical geometry ([`PairFrame::place`]). *Touching* is a statement
//! about closed triangles as they stand; *segments* are those of the geometry after an infinitesimal
//! shift of B that breaks every tie the same way everywhere, so that the contours of
//! closed meshes always close; their points are computed on the geometry as it stands. Pairs that
//! touch without a segment, and coplanar pairs, are reported beside them.

mod crossing;
mod degenerate;
mod filter;
mod placed;
mod query;
mod shift;

#[cfg(test)]
mod attack;
#[cfg(test)]
mod tests;

use std::ops::Range;

use impinge_geometry::{PairFrame, Side, TriMesh};
use impinge_midphase::{ObbTree, PairJob, PairKind, Surface};
use nalgebra::Point3;

use crossing::{Crossing, End, Meeting};
use filter::{Filter, Verdicts, pairs};
use placed::{Face, PlacedSide};

pub use degenerate::{Coplanar, DegeneratePair, TouchKind};
pub use query::{LastHit, count_triangle_pairs, first_touch, surfaces_touch, triangle_pairs};
pub use shift::{Shift, sign};

/// Name of this pass, in spans and reports.
pub const INTERSECT: &str = "intersect";

/// Two surfaces with their trees, and where they stand.
#[derive(Clone, Copy, Debug)]
pub struct Surfaces<'a> {
    /// The meshes of A and B.
    pub meshes: [&'a TriMesh; 2],
    /// Their trees.
    pub trees: [&'a ObbTree; 2],
    /// Where they stand.
    pub frame: &'a PairFrame,
}

impl<'a> Surfaces<'a> {
    /// Two surfaces where they stand.
    pub fn new([a, b]: [&'a Surface; 2], frame: &'a PairFrame) -> Surfaces<'a> {
        Surfaces { meshes: [&a.mesh, &b.mesh], trees: [&a.tree, &b.tree], frame }
    }

    /// The surfaces of a job; `None` where it is not one between surfaces.
    pub fn of_job(job: &'a PairJob<'_>) -> Option<Surfaces<'a>> {
        match job.kind {
            PairKind::Surfaces(both) => Some(Surfaces::new(both, &job.frame)),
            PairKind::Convex | PairKind::MeshSolid { .. } => None,
        }
    }
}

/// Names the place where an edge of one side meets a triangle of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HitKey {
    /// The side of the edge.
    pub edge_side: Side,
    /// The edge, in [`TriMesh::edges`] of that side's mesh.
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
    /// order; none of virtual faces.
    pub degenerate: Vec<DegeneratePair>,
    /// Corners of coplanar overlaps (m, pair frame), that [`Coplanar::polygon`] refers to.
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

/// Buffers of an intersection, reused from pair to pair: nothing is allocated once it is warm.
#[derive(Clone, Debug, Default)]
pub struct IntersectScratch {
    filter: Filter,
    faces: [PlacedSide; 2],
    met: Vec<Met>,
    /// Sides of A's corners to B's plane, and of B's to A's, of those that met.
    sides: Vec<[[f64; 3]; 2]>,
}

/// Two faces that reach each other's plane.
#[derive(Clone, Copy, Debug)]
struct Met {
    /// The triangle of A and that of B.
    triangles: [u32; 2],
    /// Where their faces are kept.
    faces: [u32; 2],
    /// Where their sides are kept.
    sides: u32,
}

impl IntersectScratch {
    fn begin(&mut self, input: &Surfaces<'_>) {
        self.filter.begin(input.frame, input.trees);
        for (faces, tree) in self.faces.iter_mut().zip(input.trees) {
            faces.begin(tree);
        }
        self.met.clear();
        self.sides.clear();
    }

    /// Where the faces of a pair of leaves are, made ready in `f64`; nowhere for a leaf that does not
    /// exist.
    #[inline]
    fn ready(&mut self, input: &Surfaces<'_>, leaves: [u32; 2]) -> [Range<usize>; 2] {
        Side::BOTH.map(|side| {
            let k = side.index();
            self.faces[k].ready((input.meshes[k], input.trees[k]), input.frame, side, leaves[k])
        })
    }

    /// A face of each side, by where it is.
    #[inline]
    fn pair(&self, [a, b]: [usize; 2]) -> [&Face; 2] {
        [self.faces[0].face(a), self.faces[1].face(b)]
    }

    /// Collects the pairs of a pair of leaves that reach each other's plane.
    fn gather(&mut self, input: &Surfaces<'_>, leaves: [u32; 2], found: Verdicts) {
        let [of_a, of_b] = self.ready(input, leaves);
        for [i, j] in pairs(found.cross | found.uncertain) {
            let at = [of_a.start + i, of_b.start + j];
            let [a, b] = self.pair(at);
            if found.uncertain >> (4 * i + j) & 1 == 1 && a.boxes_apart(b) {
                continue;
            }
            if let Some(sides) = crossing::sides(a, b) {
                let (triangles, faces) = ([a.triangle, b.triangle], at.map(|x| x as u32));
                self.met.push(Met { triangles, faces, sides: self.sides.len() as u32 });
                self.sides.push(sides);
            }
        }
    }
}

/// Everything about two surfaces: all that cross or touch among the triangles of the given pairs of
/// leaves (each pair once). What was in `out` before is lost.
pub fn intersect_surfaces(
    input: &Surfaces<'_>,
    leaf_pairs: &[[u32; 2]],
    scratch: &mut IntersectScratch,
    out: &mut Intersections,
) {
    let span = tracing::debug_span!(
        INTERSECT,
        leaf_pairs = leaf_pairs.len(),
        triangle_pairs = tracing::field::Empty,
        segments = tracing::field::Empty,
        degenerate = tracing::field::Empty,
    );
    let _entered = span.enter();
    out.clear();
    scratch.begin(input);
    let (shift, level) = (Shift::new(input.frame), input.trees[0].simd());
    for &leaves in leaf_pairs {
        let found = scratch.filter.judge(level, input.trees, leaves);
        out.counts.triangle_tests += u64::from(found.tested);
        out.counts.uncertain += u64::from(found.uncertain.count_ones());
        if found.cross | found.uncertain != 0 {
            scratch.gather(input, leaves, found);
        }
    }
    scratch.met.sort_unstable_by_key(|met| met.triangles);
    for met in &scratch.met {
        let faces = scratch.pair(met.faces.map(|x| x as usize));
        if let Some(meeting) = crossing::meet(faces, scratch.sides[met.sides as usize], &shift) {
            record(input, faces, &meeting, &shift, out);
        }
    }
    out.touching = out.triangle_pairs > 0;
    span.record("triangle_pairs", out.triangle_pairs);
    span.record("segments", out.segments.len());
    span.record("degenerate", out.degenerate.len());
}

fn record(
    input: &Surfaces<'_>,
    faces: [&Face; 2],
    meeting: &Meeting,
    shift: &Shift,
    out: &mut Intersections,
) {
    let virtual_face = faces[0].virtual_face || faces[1].virtual_face;
    let real = meeting.touching && !virtual_face;
    out.triangle_pairs += u64::from(real);
    out.counts.degenerate += u64::from(meeting.degenerate);
    let mut point_only = true;
    if let Some(Crossing { start, end }) = meeting.crossing {
        let (from, to) = (hit(input, faces, &meeting.sides, start), hit(input, faces, &meeting.sides, end));
        let points = [from.1, to.1];
        point_only = points[0] == points[1];
        let (ends, triangles) = ([from.0, to.0], [faces[0].triangle, faces[1].triangle]);
        out.segments.push(Segment { ends, points, triangles, virtual_face });
    }
    let coplanar = meeting.sides[1] == [0.0; 3];
    if real && meeting.degenerate && (coplanar || point_only) {
        let pair = degenerate::describe(faces, &meeting.sides, shift, &mut out.polygons);
        out.degenerate.push(pair);
    }
}

/// The key and the point of one end. The point depends only on the edge, its lower vertex first, and
/// on the triangle: whoever shares the key computes the same bits.
fn hit(input: &Surfaces<'_>, faces: [&Face; 2], sides: &[[f64; 3]; 2], end: End) -> (HitKey, Point3<f64>) {
    let (side, k) = match end {
        End::OfA(k) => (Side::A, k),
        End::OfB(k) => (Side::B, k),
    };
    let (own, other) = (side.index(), side.other().index());
    let face = faces[own];
    let edge = input.meshes[own].triangle_edges()[face.triangle as usize][k];
    let next = (k + 1) % 3;
    let (i, j) = if face.vertices[k] < face.vertices[next] { (k, next) } else { (next, k) };
    let (p, q) = (face.corners()[i], face.corners()[j]);
    let (from, to) = (sides[own][i], sides[own][j]);
    let t = if from == to { 0.5 } else { from / (from - to) };
    let key = HitKey { edge_side: side, edge, triangle: faces[other].triangle };
    (key, p + (q - p) * t)
}
