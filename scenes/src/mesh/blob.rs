//! Balls, smooth and bumpy.

use std::collections::BTreeMap;

use impinge_geometry::TriMesh;
use nalgebra::{Point3, Vector3};

use super::{Check, GeneratorError};
use crate::random::Random;

/// A ball with bumps, of `20 · 4^subdivisions` triangles: an icosahedron subdivided and pushed
/// outward around random directions. Without bumps it is an icosphere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blob {
    /// Radius of the ball (m).
    pub radius: f64,
    /// Height of the bumps (m); zero for a ball.
    pub bump: f64,
    /// Number of bumps.
    pub bumps: u32,
    /// Width of a bump (rad).
    pub width: f64,
    /// How often every triangle is split in four, up to 8.
    pub subdivisions: u32,
    /// Where the bumps are.
    pub seed: u64,
}

impl Default for Blob {
    fn default() -> Blob {
        Blob { radius: 0.24, bump: 0.15, bumps: 9, width: 0.42, subdivisions: 3, seed: 7 }
    }
}

impl Blob {
    /// The mesh.
    ///
    /// # Errors
    /// [`GeneratorError`] unless radius and width are positive, the bumps' height is not negative,
    /// there are at most 1000 of them, and at most 8 subdivisions.
    pub fn mesh(&self) -> Result<TriMesh, GeneratorError> {
        let check = Check("blob");
        check.length("radius", self.radius)?;
        check.length("width", self.width)?;
        if self.bump != 0.0 {
            check.length("bump", self.bump)?;
        }
        if self.bumps > 1000 {
            return Err(check.fail("bumps", f64::from(self.bumps), "at most 1000 are possible"));
        }
        if self.subdivisions > 8 {
            return Err(check.fail("subdivisions", f64::from(self.subdivisions), "at most 8 are possible"));
        }
        let (directions, triangles) = icosphere(self.subdivisions);
        let mut random = Random::new(self.seed);
        let centers: Vec<Vector3<f64>> = (0..self.bumps).map(|_| random.direction()).collect();
        let vertices = directions
            .iter()
            .map(|d| Point3::from(d * (self.radius + self.bump * self.lift(d, &centers))).cast::<f32>())
            .collect();
        TriMesh::new(vertices, triangles).map_err(|source| GeneratorError::Mesh { mesh: "blob", source })
    }

    /// The highest of the bumps at a direction, from 0 to 1.
    fn lift(&self, direction: &Vector3<f64>, centers: &[Vector3<f64>]) -> f64 {
        centers.iter().fold(0.0, |lift, center| {
            let angle = libm::acos(direction.dot(center).clamp(-1.0, 1.0));
            let share = angle / self.width;
            lift.max(libm::exp(-2.0 * share * share))
        })
    }
}

/// Directions and faces of a subdivided icosahedron.
fn icosphere(subdivisions: u32) -> (Vec<Vector3<f64>>, Vec<[u32; 3]>) {
    let golden = 0.5 * (1.0 + 5.0f64.sqrt());
    let mut points: Vec<Vector3<f64>> = Vec::new();
    for (s, t) in [(-1.0, golden), (1.0, golden), (-1.0, -golden), (1.0, -golden)] {
        points.push(Vector3::new(s, t, 0.0).normalize());
    }
    for (s, t) in [(-1.0, golden), (1.0, golden), (-1.0, -golden), (1.0, -golden)] {
        points.push(Vector3::new(0.0, s, t).normalize());
    }
    for (s, t) in [(golden, -1.0), (golden, 1.0), (-golden, -1.0), (-golden, 1.0)] {
        points.push(Vector3::new(s, 0.0, t).normalize());
    }
    #[rustfmt::skip]
    let mut faces: Vec<[u32; 3]> = vec![
        [0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11],
        [1, 5, 9], [5, 11, 4], [11, 10, 2], [10, 7, 6], [7, 1, 8],
        [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8], [3, 8, 9],
        [4, 9, 5], [2, 4, 11], [6, 2, 10], [8, 6, 7], [9, 8, 1],
    ];
    for _ in 0..subdivisions {
        let mut middles = BTreeMap::new();
        let mut middle = |p: u32, q: u32| {
            *middles.entry((p.min(q), p.max(q))).or_insert_with(|| {
                points.push((points[p as usize] + points[q as usize]).normalize());
                points.len() as u32 - 1
            })
        };
        let mut finer = Vec::with_capacity(4 * faces.len());
        for [a, b, c] in faces {
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            finer.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
        }
        faces = finer;
    }
    (points, faces)
}
