//! How often a surface winds round a place, whether it is closed or not.
//!
//! A closed surface is seen from inside it under the solid angle 4π, and from outside under 0. One with gaps is seen under
//! something between, which tells inside from outside as long as most of the surface is there.
//!
//! Sources: Jacobson, Kavan, Sorkine-Hornung, "Robust Inside-Outside Segmentation using Generalized Winding Numbers",
//! 2013; Van Oosterom, Strackee, "The Solid Angle of a Plane Triangle", 1983.

use std::f64::consts::TAU;

use nalgebra::Point3;

use super::TriMesh;

impl TriMesh {
    /// The generalised winding number at a place (m, the mesh's frame): 1 inside a closed surface and 0 outside it, up to
    /// rounding, and between them for one with gaps; more than ½ is inside, for most purposes. Shells that overlap add up. Every
    /// triangle is summed up, virtual faces too.
    pub fn winding_number(&self, at: &Point3<f64>) -> f64 {
        let half_angles: f64 = (0..self.triangles().len() as u32)
            .map(|t| {
                let [a, b, c] = self.corners(t).map(|corner| corner.cast::<f64>() - at);
                let (x, y, z) = (a.norm(), b.norm(), c.norm());
                let along = x * y * z + a.dot(&b) * z + b.dot(&c) * x + c.dot(&a) * y;
                libm::atan2(a.dot(&b.cross(&c)), along)
            })
            .sum();
        half_angles / TAU
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{ball, box_arrays, joined, torus};

    #[test]
    fn closed_surfaces_wind_once_or_not_at_all() {
        let torus = torus(2.0, 0.6, 30, 16);
        for (at, expected) in
            [([2.0, 0.0, 0.0], 1.0), ([0.0; 3], 0.0), ([0.0, -2.2, 0.3], 1.0), ([5.0, 1.0, 0.0], 0.0)]
        {
            assert!((torus.winding_number(&Point3::from(at)) - expected).abs() < 1e-12);
        }
        let (vertices, triangles) = joined(box_arrays([0.0; 3], [2.0; 3]), box_arrays([1.0; 3], [3.0; 3]));
        let two = TriMesh::new(vertices, triangles).unwrap();
        for (at, expected) in [(0.5, 1.0), (1.5, 2.0), (2.5, 1.0), (3.5, 0.0)] {
            assert!((two.winding_number(&Point3::new(at, at, at)) - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn a_surface_with_gaps_still_has_an_inside() {
        let ball = ball(4);
        let kept: Vec<[u32; 3]> =
            ball.triangles().iter().enumerate().filter(|(t, _)| t % 5 != 0).map(|(_, t)| *t).collect();
        let soup = TriMesh::new(ball.vertices().to_vec(), kept).unwrap();
        assert!(!soup.is_closed());
        for k in 0..40 {
            let (s, c) = libm::sincos(f64::from(k));
            for (r, inside) in [(0.0, true), (0.5, true), (0.9, true), (1.2, false), (3.0, false)] {
                let at = Point3::new(r * s, r * c * 0.6, r * c * 0.8);
                assert_eq!(soup.winding_number(&at) > 0.5, inside, "{at}");
            }
        }
    }
}
