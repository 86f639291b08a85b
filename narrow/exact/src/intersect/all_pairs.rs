//! Everything about two surfaces: which triangles touch, and the segments along which they cross.

use impinge_geometry::Side;
use nalgebra::Point3;

use super::crossing::{Crossing, End, Meeting};
use super::intersections::{HitKey, Intersections, Segment};
use super::placed::Face;
use super::scratch::IntersectScratch;
use super::shift::Shift;
use super::surfaces::Surfaces;
use super::{crossing, degenerate};

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
