//! Exact geometric predicates on `f64` points, behind fast filters.
//!
//! The signs are exact as long as every coordinate, and every component of a direction, is a multiple of 2⁻³⁵⁸
//! (1.7e-108) of a magnitude up to 2²⁸⁰ (2e84): beyond that the products of three such numbers, or their rounding
//! errors, can leave the range of `f64`. Canonical coordinates always are
//! ([`PairFrame::place`](crate::PairFrame::place)).

mod along;
mod expansion;
mod passage;
mod plane;
mod triangle;
mod upward;

#[cfg(test)]
mod tests;

use nalgebra::{Point3, Vector3};
use robust::{Coord, Coord3D};

pub use along::{cross_along, orient_along};
pub use expansion::cross_sign;
pub use passage::passage_time;
pub use plane::Plane;
pub use triangle::{
    apart_in_projection, point_in_triangle, segment_touches_triangle, segments_touch, triangles_touch,
};
pub(crate) use upward::crossings_above;

/// Sign of the volume of the tetrahedron `a b c d`: positive when `d` lies on the side of the plane
/// `a b c` from which that triangle is seen clockwise (against its right-hand normal).
///
/// Exact: the sign is right for any input in the module's range; the magnitude is approximate.
/// Source: Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric
/// Predicates", 1997.
#[inline]
pub fn orient3d(a: &Point3<f64>, b: &Point3<f64>, c: &Point3<f64>, d: &Point3<f64>) -> f64 {
    let (p, q, r) = (a - d, b - d, c - d);
    let (qr, rq) = (q.x * r.y, r.x * q.y);
    let (rp, pr) = (r.x * p.y, p.x * r.y);
    let (pq, qp) = (p.x * q.y, q.x * p.y);
    let det = p.z * (qr - rq) + q.z * (rp - pr) + r.z * (pq - qp);
    let size = (qr.abs() + rq.abs()) * p.z.abs()
        + (rp.abs() + pr.abs()) * q.z.abs()
        + (pq.abs() + qp.abs()) * r.z.abs();
    // Eight roundings of each product of three, see [`Plane::side_filtered`].
    if det.abs() > 10.0 * (f64::EPSILON / 2.0) * size + 1e-200 { det } else { orient3d_exact(a, b, c, d) }
}

/// [`orient3d`] for points that are nearly in one plane.
#[cold]
#[inline(never)]
fn orient3d_exact(a: &Point3<f64>, b: &Point3<f64>, c: &Point3<f64>, d: &Point3<f64>) -> f64 {
    // Cheap to see, and common where bodies meet feature on feature.
    let level = (0..3).any(|k| a[k] == d[k] && b[k] == d[k] && c[k] == d[k]);
    if level || a == d || b == d || c == d || a == b || a == c || b == c {
        return 0.0;
    }
    let det = expansion::orient3d_doubled(a, b, c, d);
    if det != 0.0 {
        return det;
    }
    let coord = |p: &Point3<f64>| Coord3D { x: p.x, y: p.y, z: p.z };
    robust::orient3d(coord(a), coord(b), coord(c), coord(d))
}

/// Twice the signed area of `a b c` projected along an axis, onto the next two axes in cyclic order
/// (`axis` 0 keeps y and z): the component of (b − a) × (c − a) along that axis. The sign is exact.
#[inline]
pub fn orient2d(axis: usize, a: &Point3<f64>, b: &Point3<f64>, c: &Point3<f64>) -> f64 {
    let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
    let coord = |p: &Point3<f64>| Coord { x: p[i], y: p[j] };
    robust::orient2d(coord(a), coord(b), coord(c))
}

/// Whether three points lie on one line (exact).
pub fn is_degenerate(t: &[Point3<f64>; 3]) -> bool {
    (0..3).all(|axis| orient2d(axis, &t[0], &t[1], &t[2]) == 0.0)
}

/// The area vector ½ (b − a) × (c − a) of a triangle (m²), by its right-hand normal.
#[inline]
pub fn area_vector(t: &[Point3<f64>; 3]) -> Vector3<f64> {
    (t[1] - t[0]).cross(&(t[2] - t[0])) * 0.5
}
