//! Distance of two triangles in `f64`, by all pairs of features.

use nalgebra::Point3;

use crate::input::Corners;

type P = Point3<f64>;

/// Distance of two triangles that do not touch (m), right within rounding.
pub fn triangle_distance(s: &Corners, t: &Corners) -> f64 {
    let edges = |t: &Corners| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    let mut best = f64::INFINITY;
    for e in edges(s) {
        for f in edges(t) {
            best = best.min(segments(e, f));
        }
    }
    for p in s {
        best = best.min(point_triangle(p, t));
    }
    for p in t {
        best = best.min(point_triangle(p, s));
    }
    best
}

fn point_segment(p: &P, [a, b]: [P; 2]) -> f64 {
    let d = b - a;
    let s = ((p - a).dot(&d) / d.norm_squared()).clamp(0.0, 1.0);
    (p - (a + d * s)).norm()
}

fn segments([a, b]: [P; 2], [c, d]: [P; 2]) -> f64 {
    let ends = point_segment(&a, [c, d])
        .min(point_segment(&b, [c, d]))
        .min(point_segment(&c, [a, b]))
        .min(point_segment(&d, [a, b]));
    // Inside both, where the common perpendicular has its feet there.
    let (u, v, w) = (b - a, d - c, c - a);
    let n = u.cross(&v);
    let size = n.norm_squared();
    if size <= 1e-20 * u.norm_squared() * v.norm_squared() {
        return ends;
    }
    let (s, t) = (w.cross(&v).dot(&n) / size, w.cross(&u).dot(&n) / size);
    let inside = (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t);
    if inside { ends.min((a + u * s - (c + v * t)).norm()) } else { ends }
}

fn point_triangle(p: &P, t: &Corners) -> f64 {
    let n = (t[1] - t[0]).cross(&(t[2] - t[0]));
    let above = (0..3).all(|k| n.dot(&(t[(k + 1) % 3] - t[k]).cross(&(p - t[k]))) >= 0.0);
    let edges = (0..3).map(|k| point_segment(p, [t[k], t[(k + 1) % 3]])).fold(f64::INFINITY, f64::min);
    if above { edges.min((p - t[0]).dot(&n).abs() / n.norm()) } else { edges }
}

#[test]
fn distances_of_three_cases_that_are_plain_to_see() {
    let t = |p: [[f64; 3]; 3]| p.map(P::from);
    let flat = t([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    // A corner above the face, an edge crossing an edge at a height, a corner beside a corner.
    let above = t([[0.2, 0.2, 0.5], [0.2, 0.2, 2.0], [1.0, 1.0, 2.0]]);
    let across = t([[0.5, -1.0, 0.25], [0.5, 1.0, 0.25], [0.5, 0.0, 3.0]]);
    let beside = t([[4.0, 0.0, 4.0], [5.0, 0.0, 4.0], [4.0, 0.0, 5.0]]);
    for (other, distance) in [(above, 0.5), (across, 0.25), (beside, 5.0)] {
        assert!((triangle_distance(&flat, &other) - distance).abs() < 1e-12);
        assert!((triangle_distance(&other, &flat) - distance).abs() < 1e-12);
    }
}
