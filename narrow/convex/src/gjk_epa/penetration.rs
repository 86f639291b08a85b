//! The least translation that parts two convex solids whose cores overlap, or nearly do.
//!
//! An expanding polytope inside the difference A − B (van den Bergen, "Proximity queries and
//! penetration depth computation on 3D game objects", 2001), with one change: faces carry signed
//! distances and the polytope need not hold the origin, so that bodies that barely touch, or barely do
//! not, need no case of their own. Every direction tried is a true separating translation, so the best one tried
//! is an upper bound; the nearest face is a lower one, and the search ends where they meet.
//!
//! It always ends: after [`MAX_ROUNDS`] rounds, each of which adds one vertex and at most doubles as many
//! faces as there are vertices ([`expand`] takes a face away in each of its steps), or earlier where
//! rounding leaves no sound surface. Where the bounds have not met by then, the best direction is led
//! downhill ([`descend`]). Whatever the end, the answer's depth is that of a direction that was tried: a
//! true separating translation, or, where it is negative, a proof that the solids are apart.

use nalgebra::{Point3, Vector3};

use super::descent::descend;
use super::distance::{Vertex, distance};
use crate::contact::{Contact, perpendicular, size};
use crate::support::Placed;

/// Bounds closer than this part of the solids' size are one.
const TOLERANCE: f64 = 1e-10;
/// Nor need a depth be known better than to this part of itself.
const RELATIVE: f64 = 1e-7;
/// How far solids are moved apart to find the points that lie opposite each other, as a part of their size: far enough
/// that rounding does not turn the line between those, near enough that a direction slightly off does not lead them aside.
const APART: f64 = 1e-3;
/// Rounded solids approach the answer without reaching it.
const MAX_ROUNDS: usize = 160;

struct PolytopeFace {
    corners: [usize; 3],
    normal: Vector3<f64>,
    /// Signed distance of the origin behind the face's plane; +∞ for a face without area.
    distance: f64,
}

struct Best {
    depth: f64,
    normal: Vector3<f64>,
    on_a: Point3<f64>,
    on_b: Point3<f64>,
}

/// The contact of two solids whose cores overlap or nearly do; `known` is a direction to try first.
pub(crate) fn contact(a: &Placed, b: &Placed, known: Option<Vector3<f64>>) -> Contact {
    let size = size(a, b);
    let (mut vertices, flat) = first_tetrahedron(a, b);
    let mut best: Option<Best> = None;
    if let Some(normal) = known {
        try_direction(a, b, normal, &mut best);
    }
    let (mut met, mut witnessed) = (false, false);
    if let Some(normal) = flat {
        for n in [normal, -normal] {
            try_direction(a, b, n, &mut best);
        }
    } else {
        let mut faces: Vec<PolytopeFace> = [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]]
            .into_iter()
            .map(|corners| face(&vertices, corners))
            .collect();
        for _ in 0..MAX_ROUNDS {
            let nearest = faces
                .iter()
                .enumerate()
                .fold(0, |k, (i, f)| if f.distance < faces[k].distance { i } else { k });
            let (normal, lower) = (faces[nearest].normal, faces[nearest].distance);
            if !lower.is_finite() {
                break;
            }
            let vertex = try_direction(a, b, normal, &mut best);
            let upper = vertex.w.dot(&normal);
            if upper - lower <= TOLERANCE * size + RELATIVE * upper.abs() {
                if let Some(best) = &mut best
                    && best.normal == normal
                    && let Some(points) = witness(&vertices, &faces[nearest])
                {
                    (best.on_a, best.on_b) = points;
                    witnessed = true;
                }
                met = true;
                break;
            }
            let known = vertices.iter().any(|v| v.w == vertex.w);
            vertices.push(vertex);
            if known || !expand(&vertices, &mut faces, nearest, 1e-14 * size) {
                break;
            }
        }
    }
    if !met && let Some(start) = best.as_ref().map(|b| b.normal) {
        try_direction(a, b, descend(a, b, start), &mut best);
    }
    let mut best = best.unwrap_or_else(|| {
        let v = Vertex::farthest(a, b, &Vector3::z());
        Best { depth: v.w.z, normal: Vector3::z(), on_a: v.a, on_b: v.b }
    });
    if !witnessed && let Some((on_a, on_b)) = opposite_points(a, b, &best, size) {
        (best.on_a, best.on_b) = (on_a, on_b);
    }
    Contact {
        normal: best.normal,
        depth: best.depth + a.radius() + b.radius(),
        on_a: best.on_a + best.normal * a.radius(),
        on_b: best.on_b - best.normal * b.radius(),
    }
}

fn try_direction(a: &Placed, b: &Placed, normal: Vector3<f64>, best: &mut Option<Best>) -> Vertex {
    let vertex = Vertex::farthest(a, b, &normal);
    let depth = vertex.w.dot(&normal);
    if best.as_ref().is_none_or(|b| depth < b.depth) {
        *best = Some(Best { depth, normal, on_a: vertex.a, on_b: vertex.b });
    }
    vertex
}

/// Four vertices of the difference that span a volume, faces seen counter-clockwise from outside; or
/// the normal of its plane where it spans none.
fn first_tetrahedron(a: &Placed, b: &Placed) -> (Vec<Vertex>, Option<Vector3<f64>>) {
    let pair = |d: Vector3<f64>| [Vertex::farthest(a, b, &d), Vertex::farthest(a, b, &-d)];
    let [mut p, mut q] = pair(Vector3::x());
    for axis in [Vector3::y(), Vector3::z()] {
        let [r, s] = pair(axis);
        if (r.w - s.w).norm_squared() > (p.w - q.w).norm_squared() {
            (p, q) = (r, s);
        }
    }
    let along = (q.w - p.w).normalize();
    let across = perpendicular(along).normalize();
    let sideways = |v: &Vertex| {
        let d = v.w - p.w;
        (d - along * d.dot(&along)).norm()
    };
    let mut r = p;
    for v in pair(across).into_iter().chain(pair(along.cross(&across))) {
        if sideways(&v) > sideways(&r) {
            r = v;
        }
    }
    let normal = (q.w - p.w).cross(&(r.w - p.w));
    let Some(unit) = normal.try_normalize(1e-300) else { return (Vec::new(), Some(across)) };
    let [up, down] = pair(unit);
    let (rise, fall) = ((up.w - p.w).dot(&unit), (p.w - down.w).dot(&unit));
    if rise.max(fall) <= 1e-14 * (q.w - p.w).norm() {
        return (Vec::new(), Some(unit));
    }
    // The first face must turn its back to the fourth vertex.
    let vertices = if rise >= fall { vec![p, r, q, up] } else { vec![p, q, r, down] };
    (vertices, None)
}

fn face(vertices: &[Vertex], corners: [usize; 3]) -> PolytopeFace {
    let [p, q, r] = corners.map(|k| vertices[k].w);
    let (u, v) = (q - p, r - p);
    let cross = u.cross(&v);
    let length = cross.norm();
    let longest2 = u.norm_squared().max(v.norm_squared()).max((r - q).norm_squared());
    if length <= 1e-14 * longest2 || longest2 <= 0.0 {
        return PolytopeFace { corners, normal: Vector3::zeros(), distance: f64::INFINITY };
    }
    let normal = cross / length;
    let distance = (normal.dot(&p) + normal.dot(&q) + normal.dot(&r)) / 3.0;
    PolytopeFace { corners, normal, distance }
}

/// Adds the last vertex: the faces it sees, all joined to the seed by edges, make way for a fan around
/// it. Rounding may leave the new polytope without a sound surface; then `false`.
fn expand(vertices: &[Vertex], faces: &mut Vec<PolytopeFace>, seed: usize, slack: f64) -> bool {
    let new = vertices.len() - 1;
    let w = vertices[new].w;
    let first = faces.swap_remove(seed);
    let mut seen: Vec<[usize; 2]> = edges(&first).to_vec();
    loop {
        let joined = faces.iter().position(|f| {
            f.distance.is_finite()
                && f.normal.dot(&w) - f.distance > slack
                && edges(f).iter().any(|&[p, q]| seen.contains(&[q, p]))
        });
        let Some(index) = joined else { break };
        for [p, q] in edges(&faces.swap_remove(index)) {
            match seen.iter().position(|e| *e == [q, p]) {
                Some(met) => drop(seen.swap_remove(met)),
                None => seen.push([p, q]),
            }
        }
    }
    faces.extend(seen.iter().map(|&[p, q]| face(vertices, [p, q, new])));
    // A closed surface of triangles has twice as many faces as vertices, less four.
    faces.len() <= 2 * vertices.len()
}

fn edges(face: &PolytopeFace) -> [[usize; 2]; 3] {
    let [p, q, r] = face.corners;
    [[p, q], [q, r], [r, p]]
}

/// The points of A and B that the foot of the origin on a face came from; `None` where it is beside the face, as of one of
/// several in a plane.
fn witness(vertices: &[Vertex], face: &PolytopeFace) -> Option<(Point3<f64>, Point3<f64>)> {
    let corners = face.corners.map(|k| vertices[k]);
    let foot = face.normal * face.distance;
    let part = |i: usize, j: usize| face.normal.dot(&(corners[i].w - foot).cross(&(corners[j].w - foot)));
    let weights = [part(1, 2), part(2, 0), part(0, 1)];
    let sum = weights[0] + weights[1] + weights[2];
    if !weights.iter().all(|weight| *weight >= 0.0) || sum <= 0.0 {
        return None;
    }
    let blend = |point: fn(&Vertex) -> Point3<f64>| {
        let p = (0..3).fold(Vector3::zeros(), |s, k| s + point(&corners[k]).coords * (weights[k] / sum));
        Point3::from(p)
    };
    Some((blend(|v| v.a), blend(|v| v.b)))
}

/// The points of both cores that lie opposite each other along the best direction. The support points that gave the
/// depth need not: they may be any corners of the two features that meet there.
///
/// Once B has been moved along the normal by the depth and some way beyond, what is nearest is what is opposite: the
/// least translation is the nearest point of the difference's surface to every point outward from it along its normal.
fn opposite_points(a: &Placed, b: &Placed, best: &Best, size: f64) -> Option<(Point3<f64>, Point3<f64>)> {
    let shift = best.normal * (best.depth + APART * size);
    let moved = Placed { offset: b.offset + shift, ..b.clone() };
    let gap = distance(a, &moved)?;
    Some((gap.on_a - gap.normal * a.radius(), gap.on_b + gap.normal * b.radius() - shift))
}
