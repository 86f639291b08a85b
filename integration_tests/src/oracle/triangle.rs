//! Two closed triangles, judged from first principles by [`robust`] alone.
//!
//! Two convex sets in space share a point if and only if no plane separates them strictly. For
//! triangles that do not lie in one plane, it is enough to look for an edge of one that meets the
//! other; each such question is asked here in its plainest form, all six of them, with none of the
//! shortcuts of the code under test.

use nalgebra::Point3;
use robust::{Coord, Coord3D};

type P = Point3<f64>;

fn sign3(a: &P, b: &P, c: &P, d: &P) -> i32 {
    let at = |p: &P| Coord3D { x: p.x, y: p.y, z: p.z };
    sign(robust::orient3d(at(a), at(b), at(c), at(d)))
}

fn sign(x: f64) -> i32 {
    i32::from(x > 0.0) - i32::from(x < 0.0)
}

/// Whether two closed triangles, each with an area, share a point. Exact.
pub fn triangles_touch(s: &[P; 3], t: &[P; 3]) -> bool {
    let edges = |t: &[P; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    edges(s).iter().any(|e| segment_meets(e, t)) || edges(t).iter().any(|e| segment_meets(e, s))
}

fn segment_meets([p, q]: &[P; 2], t: &[P; 3]) -> bool {
    let [a, b, c] = t;
    match (sign3(a, b, c, p), sign3(a, b, c, q)) {
        (0, 0) => meets_in_plane(p, q, t),
        (sp, sq) if sp == sq => false,
        _ => {
            let turns = [sign3(p, q, a, b), sign3(p, q, b, c), sign3(p, q, c, a)];
            turns.iter().all(|&s| s >= 0) || turns.iter().all(|&s| s <= 0)
        }
    }
}

/// A segment in the triangle's plane: in every projection that keeps the triangle's area the answer
/// is the same, and each of them is asked.
fn meets_in_plane(p: &P, q: &P, t: &[P; 3]) -> bool {
    let answers: Vec<bool> = (0..3)
        .filter_map(|drop| {
            let flat = |v: &P| Coord { x: v[(drop + 1) % 3], y: v[(drop + 2) % 3] };
            let t = [flat(&t[0]), flat(&t[1]), flat(&t[2])];
            let turn = sign(robust::orient2d(t[0], t[1], t[2]));
            (turn != 0).then(|| meets_projected([flat(p), flat(q)], t, turn))
        })
        .collect();
    assert!(answers.windows(2).all(|w| w[0] == w[1]), "projections disagree: {p} {q} {t:?}");
    answers.first().copied().unwrap_or(false)
}

/// Separating lines: the edges of the Minkowski difference of triangle and segment are parallel to
/// an edge of the triangle or to the segment, so no other line has to be tried.
fn meets_projected([p, q]: [Coord<f64>; 2], t: [Coord<f64>; 3], turn: i32) -> bool {
    let side = |a: Coord<f64>, b: Coord<f64>, c: Coord<f64>| sign(robust::orient2d(a, b, c));
    let beyond = |k: usize| {
        let (a, b) = (t[k], t[(k + 1) % 3]);
        side(a, b, p) == -turn && side(a, b, q) == -turn
    };
    let beside = t.map(|c| side(p, q, c));
    !((0..3).any(beyond) || beside == [1; 3] || beside == [-1; 3])
}
