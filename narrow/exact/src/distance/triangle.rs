//! The nearest points of two triangles, in `f64`.

use nalgebra::{Point3, Vector3};

/// Where in a triangle a point lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// At corner `k`.
    Corner(usize),
    /// Inside edge `k`, from corner `k` to corner `(k + 1) % 3`.
    Edge(usize),
    /// Inside the triangle.
    Inside,
}

/// The nearest points of two triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriangleGap {
    /// Their squared distance (m²).
    pub squared: f64,
    /// The points (m).
    pub points: [Point3<f64>; 2],
    /// Where in its triangle each lies.
    pub spots: [Spot; 2],
}

/// The part of a segment at which a point nearest to something lies.
fn end_or_inside(t: f64, edge: usize) -> Spot {
    if t <= 0.0 {
        Spot::Corner(edge)
    } else if t >= 1.0 {
        Spot::Corner((edge + 1) % 3)
    } else {
        Spot::Edge(edge)
    }
}

/// The nearest points of two triangles that do not cross. (Of triangles that do, the nearest points of
/// their edges to the other's edges, or of corners to the other: a positive distance.) Every candidate
/// is a true pair of points, so that a needle costs accuracy in the place, not in the distance.
pub fn triangle_gap(a: &[Point3<f64>; 3], b: &[Point3<f64>; 3]) -> TriangleGap {
    let mut best = TriangleGap {
        squared: f64::INFINITY,
        points: [a[0], b[0]],
        spots: [Spot::Corner(0), Spot::Corner(0)],
    };
    let (na, nb) = (normal(a), normal(b));
    for k in 0..3 {
        let (q, spot) = on_triangle(b, &nb, &a[k]);
        best.offer([a[k], q], [Spot::Corner(k), spot]);
        let (p, spot) = on_triangle(a, &na, &b[k]);
        best.offer([p, b[k]], [spot, Spot::Corner(k)]);
    }
    for i in 0..3 {
        for j in 0..3 {
            if let Some(points) = between_edges([&a[i], &a[(i + 1) % 3]], [&b[j], &b[(j + 1) % 3]]) {
                best.offer(points, [Spot::Edge(i), Spot::Edge(j)]);
            }
        }
    }
    best
}

impl TriangleGap {
    fn offer(&mut self, points: [Point3<f64>; 2], spots: [Spot; 2]) {
        let squared = (points[1] - points[0]).norm_squared();
        if squared < self.squared {
            *self = TriangleGap { squared, points, spots };
        }
    }

    /// Whether a plane across the line of the points proves that the triangles are as far apart as these
    /// (up to a part of 1e-9). It does, unless the triangles cross, or rounding has spoilt the points.
    pub fn is_proved(&self, a: &[Point3<f64>; 3], b: &[Point3<f64>; 3]) -> bool {
        let w = self.points[1] - self.points[0];
        let low = b.iter().map(|p| (p - self.points[0]).dot(&w)).fold(f64::INFINITY, f64::min);
        let high = a.iter().map(|p| (p - self.points[0]).dot(&w)).fold(f64::NEG_INFINITY, f64::max);
        self.squared > 0.0 && low - high >= self.squared * (1.0 - 1e-9)
    }
}

fn normal(t: &[Point3<f64>; 3]) -> Vector3<f64> {
    (t[1] - t[0]).cross(&(t[2] - t[0]))
}

/// The point of a triangle nearest to `p`; `n` is its normal, of any length.
fn on_triangle(t: &[Point3<f64>; 3], n: &Vector3<f64>, p: &Point3<f64>) -> (Point3<f64>, Spot) {
    let mut inside = true;
    let mut best = (t[0], Spot::Corner(0));
    let mut least = f64::INFINITY;
    for k in 0..3 {
        let (from, to) = (&t[k], &t[(k + 1) % 3]);
        let (along, to_p) = (to - from, p - from);
        if n.dot(&along.cross(&to_p)) > 0.0 {
            continue;
        }
        // Beyond this edge, or on it.
        inside = false;
        let s = (to_p.dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
        let q = match end_or_inside(s, k) {
            Spot::Corner(c) => t[c],
            _ => from + along * s,
        };
        let d = (p - q).norm_squared();
        // Not a number where the edge has no length: the others serve.
        if d < least {
            (best, least) = ((q, end_or_inside(s, k)), d);
        }
    }
    if inside {
        let n2 = n.norm_squared();
        let foot = p - n * (n.dot(&(p - t[0])) / n2);
        if foot.iter().all(|x| x.is_finite()) {
            return (foot, Spot::Inside);
        }
    }
    best
}

/// The nearest points of two segments where both lie inside them.
fn between_edges(p: [&Point3<f64>; 2], q: [&Point3<f64>; 2]) -> Option<[Point3<f64>; 2]> {
    let (u, v, w) = (p[1] - p[0], q[1] - q[0], p[0] - q[0]);
    let (a, b, c, d, e) = (u.dot(&u), u.dot(&v), v.dot(&v), u.dot(&w), v.dot(&w));
    let determinant = a * c - b * b;
    let (s, t) = (b * e - c * d, a * e - b * d);
    // Strictly inside: on an end, a corner's nearest point is as near.
    (s > 0.0 && t > 0.0 && s < determinant && t < determinant)
        .then(|| [p[0] + u * (s / determinant), q[0] + v * (t / determinant)])
}

/// The nearest points of two segments, given that they lie inside; their ends' order does not matter
/// to the last bit.
pub(super) fn between_lines(p: [Point3<f64>; 2], q: [Point3<f64>; 2]) -> Option<[Point3<f64>; 2]> {
    between_edges([&p[0], &p[1]], [&q[0], &q[1]])
}

/// The point inside a segment nearest to `p`.
pub(super) fn inside_segment(s: [Point3<f64>; 2], p: &Point3<f64>) -> Point3<f64> {
    let along = s[1] - s[0];
    s[0] + along * ((p - s[0]).dot(&along) / along.norm_squared())
}
