//! How deep points and faces are in a convex body: by its planes, in `f64`, sharing nothing with the tests that move them.

use impinge::TriMesh;
use nalgebra::{Point3, Vector3};

/// Halvings of the depth of a face.
const HALVINGS: u32 = 30;

/// A convex body by the planes of its faces.
pub struct ConvexPart {
    /// Outward normals (unit) and how far along them the planes are (m).
    planes: Vec<(Vector3<f64>, f64)>,
}

impl ConvexPart {
    /// A body by its surface, which has to be closed and convex.
    pub fn new(mesh: &TriMesh) -> ConvexPart {
        let plane = |t: u32| {
            let [a, b, c] = mesh.corners(t).map(|p| p.cast::<f64>());
            let normal = (b - a).cross(&(c - a)).try_normalize(0.0)?;
            Some((normal, normal.dot(&a.coords)))
        };
        ConvexPart { planes: (0..mesh.triangles().len() as u32).filter_map(plane).collect() }
    }

    /// How deep a point (m, in the body's frame) is; 0 outside.
    pub fn depth(&self, p: &Point3<f64>) -> f64 {
        let depths = self.planes.iter().map(|(normal, offset)| offset - normal.dot(&p.coords));
        depths.fold(f64::INFINITY, f64::min).max(0.0)
    }

    /// How deep the deepest point of a triangle is (m); 0 where it is outside. The triangle is clipped by all planes, moved
    /// into the body by a depth, and that depth is halved in on.
    pub fn face_depth(&self, corners: &[Point3<f64>; 3]) -> f64 {
        let beyond =
            |(normal, offset): &(Vector3<f64>, f64)| corners.iter().all(|p| normal.dot(&p.coords) >= *offset);
        if self.planes.iter().any(beyond) || !self.reaches(corners, 0.0) {
            return 0.0;
        }
        let (mut least, mut most) = (0.0, 0.0f64);
        for (normal, offset) in &self.planes {
            let far =
                corners.iter().map(|p| offset - normal.dot(&p.coords)).fold(f64::NEG_INFINITY, f64::max);
            most = if most == 0.0 { far } else { most.min(far) };
        }
        for _ in 0..HALVINGS {
            let middle = 0.5 * (least + most);
            if self.reaches(corners, middle) { least = middle } else { most = middle }
        }
        most
    }

    /// Whether a point of the triangle is as deep as that (m), or deeper (Sutherland, Hodgman, "Reentrant polygon
    /// clipping", 1974).
    fn reaches(&self, corners: &[Point3<f64>; 3], depth: f64) -> bool {
        let mut left = corners.to_vec();
        let mut next = Vec::with_capacity(8);
        for (normal, offset) in &self.planes {
            next.clear();
            for (k, p) in left.iter().enumerate() {
                let q = &left[(k + 1) % left.len()];
                let [s, t] = [p, q].map(|p| offset - depth - normal.dot(&p.coords));
                if s > 0.0 {
                    next.push(*p);
                }
                if (s > 0.0) != (t > 0.0) {
                    next.push(p + (q - p) * (s / (s - t)));
                }
            }
            std::mem::swap(&mut left, &mut next);
            if left.is_empty() {
                return false;
            }
        }
        true
    }
}

/// From a point to a triangle (m): to its plane where the point is over it, else to its edges.
pub fn distance_to_face(p: &Point3<f64>, corners: &[Point3<f64>; 3]) -> f64 {
    let [a, b, c] = corners;
    let normal = (b - a).cross(&(c - a));
    let over = (0..3).all(|k| {
        let edge = corners[(k + 1) % 3] - corners[k];
        normal.cross(&edge).dot(&(p - corners[k])) >= 0.0
    });
    if over && normal.norm() > 0.0 {
        return (normal.dot(&(p - a)) / normal.norm()).abs();
    }
    let to_edge = |k: usize| {
        let (from, edge) = (corners[k], corners[(k + 1) % 3] - corners[k]);
        let share = ((p - from).dot(&edge) / edge.norm_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        (from + edge * share - p).norm()
    };
    (0..3).map(to_edge).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_in_a_cube_are_those_by_hand() {
        let cube =
            ConvexPart::new(&impinge::geometry::Primitive::Cuboid { half: [1.0; 3] }.surface().unwrap());
        assert_eq!(cube.depth(&Point3::new(0.25, 0.0, -0.1)), 0.75);
        assert_eq!(cube.depth(&Point3::new(1.25, 0.0, 0.0)), 0.0);
        let face = |z: f64, half: f64| {
            [Point3::new(-half, -half, z), Point3::new(half, -half, z), Point3::new(0.0, half, z)]
        };
        // A large face through the cube, whose corners are all outside.
        assert!((cube.face_depth(&face(0.4, 20.0)) - 0.6).abs() < 1e-6);
        assert!((cube.face_depth(&face(-0.9, 0.2)) - 0.1).abs() < 1e-6);
        assert_eq!(cube.face_depth(&face(1.1, 20.0)), 0.0);
        // Past an edge of the cube: its box meets the cube's, the face does not.
        let past = [Point3::new(2.2, 0.0, 0.0), Point3::new(0.0, 2.2, 0.0), Point3::new(2.2, 2.2, 0.1)];
        assert_eq!(cube.face_depth(&past), 0.0);
    }

    #[test]
    fn distances_to_a_triangle_are_those_by_hand() {
        let face = [Point3::origin(), Point3::new(2.0, 0.0, 0.0), Point3::new(0.0, 2.0, 0.0)];
        for (p, wanted) in [
            ([0.5, 0.5, -0.3], 0.3),
            ([1.0, -0.4, 0.3], 0.5),
            ([2.3, 0.0, 0.4], 0.5),
            ([2.0, 2.0, 0.0], std::f64::consts::SQRT_2),
        ] {
            assert!((distance_to_face(&Point3::from(p), &face) - wanted).abs() < 1e-12, "{p:?}");
        }
    }
}
