//! The point of a triangle that is nearest to a point.

use impinge_convex::nearest_on_triangle;
use nalgebra::Point3;

/// As [`nearest_on_triangle`], sooner where the point is over the inside of a triangle that is no needle.
#[inline]
pub(super) fn nearest(t: &[Point3<f64>; 3], p: &Point3<f64>) -> Point3<f64> {
    let (u, v, w) = (t[1] - t[0], t[2] - t[0], p - t[0]);
    let n = u.cross(&v);
    let n2 = n.norm_squared();
    // Twice the areas of the triangles that the foot has with the edges at the first corner, times the whole's.
    let (b, c) = (w.cross(&v).dot(&n), u.cross(&w).dot(&n));
    let longest2 = u.norm_squared().max(v.norm_squared());
    if b > 0.0 && c > 0.0 && b + c < n2 && n2 > 1e-12 * longest2 * longest2 {
        return p - n * (w.dot(&n) / n2);
    }
    nearest_on_triangle(t, p)
}
