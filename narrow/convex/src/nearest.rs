//! Nearest points of points, segments and triangles, in `f64`.

use nalgebra::{Point3, Vector3};

/// The point of a segment nearest to `p`.
pub fn nearest_on_segment(a: &Point3<f64>, b: &Point3<f64>, p: &Point3<f64>) -> Point3<f64> {
    let ab = b - a;
    let length2 = ab.norm_squared();
    if length2 <= 0.0 {
        return *a;
    }
    let t = (p - a).dot(&ab) / length2;
    if t <= 0.0 {
        *a
    } else if t >= 1.0 {
        *b
    } else {
        a + ab * t
    }
}

/// The nearest points of two segments. Every candidate is a true pair of points, so that nearly
/// parallel segments cost accuracy in the position along them, never in the distance.
pub fn nearest_of_segments(p: &[Point3<f64>; 2], q: &[Point3<f64>; 2]) -> (Point3<f64>, Point3<f64>) {
    let mut best = (p[0], nearest_on_segment(&q[0], &q[1], &p[0]));
    let mut least = (best.1 - best.0).norm_squared();
    let mut offer = |x: Point3<f64>, y: Point3<f64>| {
        let d = (y - x).norm_squared();
        if d < least {
            (least, best) = (d, (x, y));
        }
    };
    offer(p[1], nearest_on_segment(&q[0], &q[1], &p[1]));
    offer(nearest_on_segment(&p[0], &p[1], &q[0]), q[0]);
    offer(nearest_on_segment(&p[0], &p[1], &q[1]), q[1]);
    let (u, v, w) = (p[1] - p[0], q[1] - q[0], p[0] - q[0]);
    let (a, b, c, d, e) = (u.dot(&u), u.dot(&v), v.dot(&v), u.dot(&w), v.dot(&w));
    let determinant = a * c - b * b;
    if determinant > 0.0 {
        let s = ((b * e - c * d) / determinant).clamp(0.0, 1.0);
        let y = nearest_on_segment(&q[0], &q[1], &(p[0] + u * s));
        offer(nearest_on_segment(&p[0], &p[1], &y), y);
    }
    best
}

/// The point of a triangle nearest to `p`. A needle thinner than 1e-10 of its length is its edges.
pub fn nearest_on_triangle(t: &[Point3<f64>; 3], p: &Point3<f64>) -> Point3<f64> {
    let mut best = t[0];
    let mut least = f64::INFINITY;
    for k in 0..3 {
        let q = nearest_on_segment(&t[k], &t[(k + 1) % 3], p);
        let d = (p - q).norm_squared();
        if d < least {
            (best, least) = (q, d);
        }
    }
    if let Some(n) = unit_normal(t) {
        let height = (p - t[0]).dot(&n);
        let foot = p - n * height;
        if height * height < least && over_triangle(t, &n, &foot) {
            best = foot;
        }
    }
    best
}

/// Unit right-hand normal; `None` for a needle thinner than 1e-10 of its longest edge.
pub fn unit_normal(t: &[Point3<f64>; 3]) -> Option<Vector3<f64>> {
    let (u, v) = (t[1] - t[0], t[2] - t[0]);
    let n = u.cross(&v);
    let longest2 = u.norm_squared().max(v.norm_squared()).max((t[2] - t[1]).norm_squared());
    let length = n.norm();
    (length > 1e-10 * longest2).then(|| n / length)
}

/// Whether `p`, a point of the triangle's plane, lies in the triangle; borders count.
pub fn over_triangle(t: &[Point3<f64>; 3], n: &Vector3<f64>, p: &Point3<f64>) -> bool {
    (0..3).all(|k| n.dot(&(t[(k + 1) % 3] - t[k]).cross(&(p - t[k]))) >= 0.0)
}
