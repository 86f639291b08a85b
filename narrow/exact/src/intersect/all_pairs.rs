//! Everything about two surfaces: which triangles touch, and the segments along which they cross.

use impinge_geometry::{Side, TriMesh};
use nalgebra::Point3;

use super::crossing::{Crossing, End, Meeting};
use super::degenerate::{DegeneratePair, TouchKind};
use super::filter::{Verdicts, pairs};
use super::intersections::{HitKey, Intersections, Segment};
use super::placed::Face;
use super::scratch::{IntersectScratch, Met};
use super::shift::Shift;
use super::surfaces::Surfaces;
use super::{crossing, degenerate};
use crate::radix;

/// Name of this pass, in spans and reports.
pub const INTERSECT: &str = "intersect";

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
    record_met(input, scratch, &shift, out);
    out.touching = out.triangle_pairs > 0;
    span.record("triangle_pairs", out.triangle_pairs);
    span.record("segments", out.segments.len());
    span.record("degenerate", out.degenerate.len());
}

/// What a surface has in common with itself among pairs of triangles of pairs of leaves (each pair once; bit `4i + j` for triangles `i` and
/// `j`), all of it twice: once for each of two triangles as A's. What was in `out` before is lost.
pub(super) fn intersect_own(
    input: &Surfaces<'_>,
    mesh: &TriMesh,
    leaf_pairs: &[([u32; 2], u32)],
    scratch: &mut IntersectScratch,
    out: &mut Intersections,
) {
    out.clear();
    scratch.begin(input);
    scratch.own_filter.begin(input.trees[0]);
    let shift = Shift::new(input.frame);
    for &(leaves, asked) in leaf_pairs {
        let triangles = leaves.map(|leaf| input.trees[0].leaf_triangles(leaf));
        for at in pairs(asked) {
            if scratch.own_filter.is_full() {
                gather_own(input, scratch);
            }
            let vertices = [0, 1].map(|k| mesh.triangles()[triangles[k][at[k]] as usize]);
            scratch.own_filter.put(leaves, at, mesh.vertices(), vertices);
        }
    }
    gather_own(input, scratch);
    record_met(input, scratch, &shift, out);
    out.touching = out.triangle_pairs > 0;
}

/// Collects those of the pairs put in the filter of a surface and itself that reach each other's plane, each from both sides.
fn gather_own(input: &Surfaces<'_>, scratch: &mut IntersectScratch) {
    for (bit, cross) in scratch.own_filter.judge(input.trees[0].simd()).open() {
        let pair = scratch.own_filter.pair(bit);
        let ([a, b], [i, j]) = (pair.leaves, pair.places());
        for (leaves, at) in [([a, b], 4 * i + j), ([b, a], 4 * j + i)] {
            let [cross, uncertain] = [u32::from(cross) << at, u32::from(!cross) << at];
            scratch.gather(input, leaves, Verdicts { cross, uncertain, tested: 0 });
        }
    }
    scratch.own_filter.clear();
}

/// Takes down what the pairs of triangles that were gathered have in common.
fn record_met(input: &Surfaces<'_>, scratch: &mut IntersectScratch, shift: &Shift, out: &mut Intersections) {
    radix::sort_by_number(&mut scratch.met, &mut scratch.room, |met| u64::from(met.triangles[0]));
    let of_each = scratch.met.chunk_by_mut(|p, q| p.triangles[0] == q.triangles[0]);
    of_each.for_each(|of_one| of_one.sort_unstable_by_key(|met| met.triangles[1]));
    for (nth, of_one) in scratch.met.chunk_by(|p, q| p.triangles[0] == q.triangles[0]).enumerate() {
        let mut at_corners = AtCorners::of(nth);
        let shared = shared_faces(scratch, of_one, shift, out);
        let mut coplanar = shared.pairs.into_iter();
        for met in of_one {
            let faces = scratch.pair(met.faces.map(|x| x as usize));
            let sides = scratch.sides[met.sides as usize];
            let described = if sides[1] == [0.0; 3] { coplanar.next().flatten() } else { None };
            if let Some(meeting) = crossing::meet(faces, sides, shift) {
                let known = (described, &shared.boxes[..], &mut at_corners);
                record(input, faces, &meeting, shift, known, out);
            }
        }
    }
}

fn record(
    input: &Surfaces<'_>,
    faces: [&Face; 2],
    meeting: &Meeting,
    shift: &Shift,
    (described, shared, at_corners): (Option<DegeneratePair>, &[[Point3<f64>; 2]], &mut AtCorners),
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
        if let Some(pair) = described {
            let area = matches!(&pair.kind, TouchKind::Coplanar(face) if face.area > 0.0);
            if area || !is_border(faces, shared) {
                out.degenerate.push(pair);
            }
        } else if !is_border(faces, shared) && (coplanar || at_corners.keeps(faces)) {
            out.degenerate.push(degenerate::describe(faces, &meeting.sides, shift, &mut out.polygons));
        }
    }
}

/// How many triangles of B touch each corner of one of A's with a corner of theirs.
///
/// Where two fans of thousands of triangles meet tip to tip all pairs touch, and all in one place: a few of each say as
/// much.
struct AtCorners {
    /// Which triangle of A it is, among those that meet any.
    nth: usize,
    met: [usize; 3],
}

/// Touching pairs of a triangle at one corner that are all kept, and of how many more one is.
const KEPT_AT_CORNER: usize = 16;
const OF_MORE_AT_CORNER: usize = 64;

impl AtCorners {
    fn of(nth: usize) -> Self {
        Self { nth, met: [0; 3] }
    }

    /// Whether a pair that touches is kept. Other triangles of A keep others of B.
    fn keeps(&mut self, faces: [&Face; 2]) -> bool {
        let [a, b] = faces.map(|face| face.corners());
        let Some(corner) = (0..3).find(|&k| b.contains(&a[k])) else { return true };
        let before = self.met[corner];
        self.met[corner] += 1;
        before < KEPT_AT_CORNER || (before + self.nth).is_multiple_of(OF_MORE_AT_CORNER)
    }
}

/// What one triangle of A shares with triangles in its plane.
#[derive(Default)]
struct SharedFaces {
    /// For each pair in one plane, in order, what there is to say of it; nothing of virtual faces, and of those that are
    /// apart.
    pairs: Vec<Option<DegeneratePair>>,
    /// Boxes of the areas that it shares, at most [`SHARED_BOXES`].
    boxes: Vec<[Point3<f64>; 2]>,
}

/// Areas of one triangle that touching corners are looked up in, at most.
const SHARED_BOXES: usize = 16;

fn shared_faces(
    scratch: &IntersectScratch,
    of_one: &[Met],
    shift: &Shift,
    out: &mut Intersections,
) -> SharedFaces {
    let mut found = SharedFaces::default();
    for met in of_one {
        let sides = scratch.sides[met.sides as usize];
        if sides[1] != [0.0; 3] {
            continue;
        }
        let faces = scratch.pair(met.faces.map(|x| x as usize));
        let real = !faces[0].virtual_face && !faces[1].virtual_face;
        let touching =
            real && crossing::meet(faces, sides, shift).is_some_and(|m| m.touching && m.degenerate);
        let pair = touching.then(|| degenerate::describe(faces, &sides, shift, &mut out.polygons));
        if let Some(TouchKind::Coplanar(face)) = pair.as_ref().map(|pair| &pair.kind)
            && let [first, rest @ ..] = &out.polygons[face.polygon.start as usize..face.polygon.end as usize]
            && found.boxes.len() < SHARED_BOXES
        {
            let grow = |[low, high]: [Point3<f64>; 2], p: &Point3<f64>| [low.inf(p), high.sup(p)];
            found.boxes.push(rest.iter().fold([*first; 2], grow));
        }
        found.pairs.push(pair);
    }
    found
}

/// Whether two faces that touch have a corner in common at the border of an area that A's shares with another face of B:
/// it says no more than that area. Where copies of one mesh lie in each other, most touching pairs are such.
fn is_border(faces: [&Face; 2], shared: &[[Point3<f64>; 2]]) -> bool {
    let [a, b] = faces.map(|face| face.corners());
    let within =
        |p: &Point3<f64>| shared.iter().any(|[low, high]| (0..3).all(|k| low[k] <= p[k] && p[k] <= high[k]));
    !shared.is_empty() && a.iter().any(|p| b.contains(p) && within(p))
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
    let edge = input.meshes[own].edges_of(face.triangle)[k];
    let next = (k + 1) % 3;
    let (i, j) = if face.vertices[k] < face.vertices[next] { (k, next) } else { (next, k) };
    let (p, q) = (face.corners()[i], face.corners()[j]);
    let (from, to) = (sides[own][i], sides[own][j]);
    let t = if from == to { 0.5 } else { from / (from - to) };
    let key = HitKey { edge_side: side, edge, triangle: faces[other].triangle };
    (key, p + (q - p) * t)
}
