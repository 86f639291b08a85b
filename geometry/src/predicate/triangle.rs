//! Closed segments and triangles that touch, exactly. Zero counts as touching.
//!
//! Two closed triangles that do not lie in one plane meet exactly where an edge of one meets the
//! other; those that do are judged in a projection (Guigue and Devillers, "Fast and Robust
//! Triangle-Triangle Overlap Test Using Orientation Predicates", 2003, ask the same questions).

use nalgebra::Point3;

use super::{is_degenerate, orient2d, orient3d};

type P = Point3<f64>;

/// Whether two closed triangles share a point. Exact; triangles without area are taken as the
/// segments or points that they are.
pub fn triangles_touch(s: &[P; 3], t: &[P; 3]) -> bool {
    if boxes_apart(s, t) {
        return false;
    }
    let above_s = t.map(|p| orient3d(&s[0], &s[1], &s[2], &p));
    if one_sided(&above_s) {
        return false;
    }
    let above_t = s.map(|p| orient3d(&t[0], &t[1], &t[2], &p));
    if one_sided(&above_t) {
        return false;
    }
    if above_s == [0.0; 3] {
        return match (projection(s), projection(t)) {
            (Some(axis), _) if above_t == [0.0; 3] => coplanar_touch(axis, s, t),
            // A triangle without area has no plane; its edges are all there is of it.
            (None, Some(_)) => edges(s).any(|e| segment_touches_triangle(e, t)),
            (None, None) => segments_touch(longest(s), longest(t)),
            (Some(_), _) => edges(t).any(|e| segment_touches_triangle(e, s)),
        };
    }
    if above_t == [0.0; 3] {
        return edges(t).any(|e| crosses(e, s, ends(&above_s, e, t)));
    }
    edges(s).any(|e| crosses(e, t, ends(&above_t, e, s)))
        || edges(t).any(|e| crosses(e, s, ends(&above_s, e, t)))
}

/// Whether a closed segment and a closed triangle share a point. Exact; a triangle without area is
/// taken as the segment that it is.
pub fn segment_touches_triangle(segment: [&P; 2], t: &[P; 3]) -> bool {
    let signs = segment.map(|p| orient3d(&t[0], &t[1], &t[2], p));
    if signs == [0.0; 2] && is_degenerate(t) {
        return segments_touch(segment, longest(t));
    }
    crosses(segment, t, signs)
}

/// Whether a point of the triangle's plane lies in the closed triangle. Exact; the triangle must
/// have an area and the point must lie in its plane.
pub fn point_in_triangle(p: &P, t: &[P; 3]) -> bool {
    projection(t).is_some_and(|axis| t.contains(p) || inside(axis, p, t))
}

/// Whether two closed segments in space share a point (exact).
pub fn segments_touch([p, q]: [&P; 2], [r, s]: [&P; 2]) -> bool {
    if p == r || p == s || q == r || q == s {
        return true;
    }
    // They touch exactly if they are coplanar and touch in every axis projection; where they span
    // a plane, one projection is enough.
    if orient3d(p, q, r, s) != 0.0 {
        return false;
    }
    let quad = [p, q, r, s];
    let spans =
        |axis: usize| (0..4).any(|k| orient2d(axis, quad[k], quad[(k + 1) % 4], quad[(k + 2) % 4]) != 0.0);
    match (0..3).find(|&axis| spans(axis)) {
        Some(axis) => segments_touch_projected(axis, [p, q], [r, s]),
        None => (0..3).all(|k| p[k].min(q[k]) <= r[k].max(s[k]) && r[k].min(s[k]) <= p[k].max(q[k])),
    }
}

/// Whether a line along an edge parts two triangles in the projection along an axis (`axis` 0 keeps y
/// and z): then they are apart, strictly, as they stand and after any small enough shift. A filter: `false`
/// says nothing.
pub fn apart_in_projection(axis: usize, s: &[P; 3], t: &[P; 3]) -> bool {
    let flat = |p: &P| [p[(axis + 1) % 3], p[(axis + 2) % 3]];
    let (s, t) = ([flat(&s[0]), flat(&s[1]), flat(&s[2])], [flat(&t[0]), flat(&t[1]), flat(&t[2])]);
    an_edge_parts(&s, &t) || an_edge_parts(&t, &s)
}

#[inline]
fn an_edge_parts(own: &[[f64; 2]; 3], other: &[[f64; 2]; 3]) -> bool {
    for k in 0..3 {
        let (p, q, inner) = (&own[k], &own[(k + 1) % 3], &own[(k + 2) % 3]);
        let inside = certain_turn(p, q, inner);
        let [a, b, c] =
            [certain_turn(p, q, &other[0]), certain_turn(p, q, &other[1]), certain_turn(p, q, &other[2])];
        if (inside > 0.0 && a < 0.0 && b < 0.0 && c < 0.0) || (inside < 0.0 && a > 0.0 && b > 0.0 && c > 0.0)
        {
            return true;
        }
    }
    false
}

/// The sign of the turn from p over q to r; zero where rounding may have changed it.
#[inline]
fn certain_turn(p: &[f64; 2], q: &[f64; 2], r: &[f64; 2]) -> f64 {
    let (left, right) = ((q[0] - p[0]) * (r[1] - p[1]), (q[1] - p[1]) * (r[0] - p[0]));
    let det = left - right;
    // Two differences, a product and a difference make four roundings; five has room for the
    // bound's own. The constant covers underflow.
    let bound = 5.0 * (f64::EPSILON / 2.0) * (left.abs() + right.abs()) + 1e-290;
    if det.abs() > bound { det } else { 0.0 }
}

/// The first axis along which the triangle can be projected without losing its area.
pub(crate) fn projection(t: &[P; 3]) -> Option<usize> {
    (0..3).find(|&axis| orient2d(axis, &t[0], &t[1], &t[2]) != 0.0)
}

fn one_sided(signs: &[f64; 3]) -> bool {
    signs.iter().all(|&s| s > 0.0) || signs.iter().all(|&s| s < 0.0)
}

fn boxes_apart(s: &[P; 3], t: &[P; 3]) -> bool {
    (0..3).any(|k| {
        let (low, high) =
            (|v: &[P; 3]| v[0][k].min(v[1][k]).min(v[2][k]), |v: &[P; 3]| v[0][k].max(v[1][k]).max(v[2][k]));
        high(s) < low(t) || high(t) < low(s)
    })
}

fn edges(t: &[P; 3]) -> impl Iterator<Item = [&P; 2]> {
    (0..3).map(|k| [&t[k], &t[(k + 1) % 3]])
}

/// The signs that belong to the two corners of an edge of `t`.
fn ends(signs: &[f64; 3], edge: [&P; 2], t: &[P; 3]) -> [f64; 2] {
    edge.map(|p| (0..3).find(|&k| std::ptr::eq(p, &t[k])).map_or(0.0, |k| signs[k]))
}

/// Whether a segment whose ends lie on known sides of the plane of `t` meets it.
fn crosses([p, q]: [&P; 2], t: &[P; 3], [sp, sq]: [f64; 2]) -> bool {
    if (sp > 0.0 && sq > 0.0) || (sp < 0.0 && sq < 0.0) {
        return false;
    }
    if sp == 0.0 && sq == 0.0 {
        return projection(t).is_some_and(|axis| {
            inside(axis, p, t)
                || inside(axis, q, t)
                || edges(t).any(|e| segments_touch_projected(axis, [p, q], e))
        });
    }
    let mut seen = [false; 2];
    for [a, b] in edges(t) {
        let sign = orient3d(p, q, a, b);
        seen[0] |= sign > 0.0;
        seen[1] |= sign < 0.0;
    }
    !(seen[0] && seen[1])
}

fn inside(axis: usize, p: &P, t: &[P; 3]) -> bool {
    let mut seen = [false; 2];
    for [a, b] in edges(t) {
        let sign = orient2d(axis, a, b, p);
        seen[0] |= sign > 0.0;
        seen[1] |= sign < 0.0;
    }
    !(seen[0] && seen[1])
}

/// `s` has an area in the projection and `t` lies in its plane.
fn coplanar_touch(axis: usize, s: &[P; 3], t: &[P; 3]) -> bool {
    inside(axis, &t[0], s)
        || (orient2d(axis, &t[0], &t[1], &t[2]) != 0.0 && inside(axis, &s[0], t))
        || edges(s).any(|e| edges(t).any(|f| segments_touch_projected(axis, e, f)))
}

fn segments_touch_projected(axis: usize, [p, q]: [&P; 2], [r, s]: [&P; 2]) -> bool {
    let (o1, o2) = (orient2d(axis, p, q, r), orient2d(axis, p, q, s));
    let (o3, o4) = (orient2d(axis, r, s, p), orient2d(axis, r, s, q));
    if o1 == 0.0 && o2 == 0.0 && o3 == 0.0 && o4 == 0.0 {
        return [(axis + 1) % 3, (axis + 2) % 3]
            .into_iter()
            .all(|k| p[k].min(q[k]) <= r[k].max(s[k]) && r[k].min(s[k]) <= p[k].max(q[k]));
    }
    let apart = |x: f64, y: f64| (x > 0.0 && y > 0.0) || (x < 0.0 && y < 0.0);
    !apart(o1, o2) && !apart(o3, o4)
}

/// The longest edge: of a triangle without area it is all there is.
fn longest(t: &[P; 3]) -> [&P; 2] {
    // Collinear corners are ordered along any axis on which they differ: exact, unlike lengths.
    let axis = (0..3).find(|&k| t[0][k] != t[1][k] || t[0][k] != t[2][k]).unwrap_or(0);
    let (mut low, mut high) = (&t[0], &t[0]);
    for p in &t[1..] {
        if p[axis] < low[axis] {
            low = p;
        }
        if p[axis] > high[axis] {
            high = p;
        }
    }
    [low, high]
}
