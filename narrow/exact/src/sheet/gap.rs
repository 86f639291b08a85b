//! The nearest places of a vertex and a triangle, and of two edges.

use nalgebra::{Point3, Vector3};

use crate::distance::Spot;

/// The nearest place of a triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Foot {
    pub spot: Spot,
    /// What each corner weighs.
    pub weights: [f64; 3],
    pub at: Point3<f64>,
    pub squared: f64,
}

/// The place of a triangle nearest to `p`, if its plane is nearer than the square root of `limit` (m²). `normal` is that of the triangle,
/// of any length.
pub(super) fn foot(t: &[Point3<f64>; 3], normal: &Vector3<f64>, p: &Point3<f64>, limit: f64) -> Option<Foot> {
    let (n2, height) = (normal.norm_squared(), normal.dot(&(p - t[0])));
    // A triangle without area has no plane, and is its edges.
    if height * height > limit * n2 * (1.0 + 1e-9) && n2 > 0.0 {
        return None;
    }
    let mut best: Option<Foot> = None;
    for k in 0..3 {
        let (from, to) = (&t[k], &t[(k + 1) % 3]);
        let (along, beside) = (to - from, p - from);
        if n2 > 0.0 && normal.dot(&along.cross(&beside)) > 0.0 {
            continue;
        }
        let share = (beside.dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
        let found = on_edge(t, k, if share.is_nan() { 0.0 } else { share }, p);
        if best.is_none_or(|best| found.squared < best.squared) {
            best = Some(found);
        }
    }
    let found = best.unwrap_or_else(|| {
        let at = p - normal * (height / n2);
        let over =
            |k: usize| normal.dot(&(t[(k + 2) % 3] - t[(k + 1) % 3]).cross(&(at - t[(k + 1) % 3]))) / n2;
        let first = [over(0).clamp(0.0, 1.0), over(1).clamp(0.0, 1.0)];
        let weights = [first[0], first[1], (1.0 - first[0] - first[1]).max(0.0)];
        Foot { spot: Spot::Inside, weights, at, squared: (p - at).norm_squared() }
    });
    (found.squared < limit).then_some(found)
}

/// A place on an edge of a triangle, as near to `p` as it is.
fn on_edge(t: &[Point3<f64>; 3], k: usize, share: f64, p: &Point3<f64>) -> Foot {
    let next = (k + 1) % 3;
    let mut weights = [0.0; 3];
    let (spot, at) = if share <= 0.0 {
        weights[k] = 1.0;
        (Spot::Corner(k), t[k])
    } else if share >= 1.0 {
        weights[next] = 1.0;
        (Spot::Corner(next), t[next])
    } else {
        (weights[k], weights[next]) = (1.0 - share, share);
        (Spot::Edge(k), t[k] + (t[next] - t[k]) * share)
    };
    Foot { spot, weights, at, squared: (p - at).norm_squared() }
}

/// The nearest places of two edges that lie inside both: how far along each, and the points; if nearer than the square root of `limit`
/// (m²).
pub(super) fn between_edges(
    [p, q]: [&Point3<f64>; 2],
    [r, s]: [&Point3<f64>; 2],
    limit: f64,
) -> Option<([f64; 2], [Point3<f64>; 2])> {
    let (u, v, w) = (q - p, s - r, p - r);
    let (a, b, c, d, e) = (u.dot(&u), u.dot(&v), v.dot(&v), u.dot(&w), v.dot(&w));
    let determinant = a * c - b * b;
    let (x, y) = (b * e - c * d, a * e - b * d);
    if !(x > 0.0 && y > 0.0 && x < determinant && y < determinant) {
        return None;
    }
    let shares = [x / determinant, y / determinant];
    let points = [p + u * shares[0], r + v * shares[1]];
    ((points[1] - points[0]).norm_squared() < limit).then_some((shares, points))
}
