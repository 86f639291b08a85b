//! The plane of a triangle, made ready for many points.

use nalgebra::{Point3, Vector3};

/// The plane through a triangle, with what is needed to judge many points against it at the price
/// of two dot products each; the exact predicate is asked only where those cannot tell.
#[derive(Clone, Copy, Debug)]
pub struct Plane {
    corners: [Point3<f64>; 3],
    normal: Vector3<f64>,
    /// Sums of the magnitudes of the products in each component of the normal.
    magnitude: Vector3<f64>,
}

impl Plane {
    /// The plane of a triangle.
    #[inline]
    pub fn new(corners: &[Point3<f64>; 3]) -> Plane {
        let (u, v) = (corners[1] - corners[0], corners[2] - corners[0]);
        let (p, q) = (u.abs(), v.abs());
        Plane {
            corners: *corners,
            normal: u.cross(&v),
            magnitude: Vector3::new(p.y * q.z + p.z * q.y, p.z * q.x + p.x * q.z, p.x * q.y + p.y * q.x),
        }
    }

    /// The triangle's corners (m).
    #[inline]
    pub fn corners(&self) -> &[Point3<f64>; 3] {
        &self.corners
    }

    /// Twice the area vector (m²), rounded.
    #[inline]
    pub fn normal(&self) -> &Vector3<f64> {
        &self.normal
    }

    /// Positive above the plane (where the normal points), negative below, zero on it: the sign is
    /// exact. About six times the volume (m³) of the tetrahedron that `d` spans with the triangle.
    #[inline]
    pub fn side(&self, d: &Point3<f64>) -> f64 {
        let det = self.side_filtered(d);
        if det != 0.0 { det } else { self.side_exact(d) }
    }

    /// As [`Plane::side`] where rounding cannot have turned the sign; zero where it can.
    #[inline]
    pub fn side_filtered(&self, d: &Point3<f64>) -> f64 {
        let w = d - self.corners[0];
        let det = self.normal.x * w.x + self.normal.y * w.y + self.normal.z * w.z;
        let (m, a) = (&self.magnitude, w.abs());
        // Each of the six terms takes three rounded differences, a product, a difference of
        // products, a product and two sums: 8 roundings, (1 + u)⁸ − 1 < 8.001 u with u = 2⁻⁵³; ten
        // leaves room for rounding the bound itself. The constant covers underflow.
        let bound = 10.0 * (f64::EPSILON / 2.0) * (m.x * a.x + m.y * a.y + m.z * a.z) + 1e-200;
        if det.abs() > bound { det } else { 0.0 }
    }

    /// [`Plane::side`] of three points.
    #[inline]
    pub fn sides(&self, [a, b, c]: &[Point3<f64>; 3]) -> [f64; 3] {
        [self.side(a), self.side(b), self.side(c)]
    }

    #[cold]
    #[inline(never)]
    fn side_exact(&self, d: &Point3<f64>) -> f64 {
        let [a, b, c] = &self.corners;
        -super::orient3d_exact(a, b, c, d)
    }
}
