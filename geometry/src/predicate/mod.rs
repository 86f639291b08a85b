//! Exact geometric predicates on `f64` points, behind fast filters.
//!
//! The signs are exact as long as every coordinate is zero or between 2⁻²⁸⁰ and 2²⁸⁰ in magnitude
//! (5e-85 to 2e84): beyond that the products of three differences, or their rounding errors, can
//! leave the range of `f64`. Canonical geometry made of `f32` shapes and ordinary poses is far
//! inside.

mod expansion;
mod filter;
mod plane;
mod triangle;

#[cfg(test)]
mod tests;

use nalgebra::{Point3, Vector3};
use robust::{Coord, Coord3D};

pub use expansion::cross_sign;
pub use filter::{FilteredSign, LocalFilter, orient3d_filtered};
pub use plane::Plane;
pub use triangle::{point_in_triangle, segment_touches_triangle, segments_touch, triangles_touch};

/// Sign of the volume of the tetrahedron `a b c d`: positive when `d` lies on the side of the plane
/// `a b c` from which that triangle is seen clockwise (against its right-hand normal).
///
/// Exact: the sign is right for any input in the module's range; the magnitude is approximate.
/// Source: Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric
/// Predicates", 1997.
#[inline]
pub fn orient3d(a: &Point3<f64>, b: &Point3<f64>, c: &Point3<f64>, d: &Point3<f64>) -> f64 {
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
