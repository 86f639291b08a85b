//! A surface stretched over a row of rings.

use std::f64::consts::TAU;

use impinge_geometry::TriMesh;
use nalgebra::{Point3, Vector3};

use super::GeneratorError;

/// A row of rings, each a closed polygon with the same number of corners, or a single point.
///
/// Seen along the direction in which the row advances, rings run clockwise, so that the surface
/// points outward: with ring axes `n`, `b` and advance `t`, `n × b = t`.
#[derive(Default)]
pub(super) struct Skin {
    vertices: Vec<Point3<f32>>,
    rings: Vec<Vec<u32>>,
}

impl Skin {
    /// Adds a ring of one point (a pole) or of many.
    pub(super) fn ring(&mut self, points: impl IntoIterator<Item = Point3<f64>>) {
        let first = self.vertices.len() as u32;
        self.vertices.extend(points.into_iter().map(|p| p.cast::<f32>()));
        self.rings.push((first..self.vertices.len() as u32).collect());
    }

    /// Adds a circle of `steps` points around `center` with axes `n` and `b`.
    pub(super) fn circle(
        &mut self,
        center: Point3<f64>,
        n: Vector3<f64>,
        b: Vector3<f64>,
        radius: f64,
        steps: u32,
    ) {
        self.ring((0..steps).map(|j| {
            let (sin, cos) = libm::sincos(TAU * f64::from(j) / f64::from(steps));
            center + (n * cos + b * sin) * radius
        }));
    }

    /// The mesh; `cyclic` joins the last ring to the first.
    pub(super) fn mesh(self, kind: &'static str, cyclic: bool) -> Result<TriMesh, GeneratorError> {
        let triangles = self.sides(cyclic);
        TriMesh::new(self.vertices, triangles).map_err(|source| GeneratorError::Mesh { mesh: kind, source })
    }

    /// The mesh with the first and the last ring, which must be flat and convex, filled by fans.
    pub(super) fn capped_mesh(self, kind: &'static str) -> Result<TriMesh, GeneratorError> {
        let mut triangles = self.sides(false);
        let fan = |ring: &[u32]| -> Vec<[u32; 3]> {
            (1..ring.len() - 1).map(|k| [ring[0], ring[k], ring[k + 1]]).collect()
        };
        if let [first, .., last] = self.rings.as_slice() {
            triangles.extend(fan(first).into_iter().map(|[a, b, c]| [a, c, b]));
            triangles.extend(fan(last));
        }
        TriMesh::new(self.vertices, triangles).map_err(|source| GeneratorError::Mesh { mesh: kind, source })
    }

    fn sides(&self, cyclic: bool) -> Vec<[u32; 3]> {
        let mut triangles = Vec::new();
        let count = self.rings.len();
        for k in 0..if cyclic { count } else { count - 1 } {
            let (from, to) = (&self.rings[k], &self.rings[(k + 1) % count]);
            let steps = from.len().max(to.len());
            let corner = |ring: &Vec<u32>, j: usize| ring[j % steps % ring.len()];
            for j in 0..steps {
                let (a, next_a) = (corner(from, j), corner(from, j + 1));
                let (b, next_b) = (corner(to, j), corner(to, j + 1));
                if from.len() > 1 {
                    triangles.push([a, next_a, b]);
                }
                if to.len() > 1 {
                    triangles.push([next_a, next_b, b]);
                }
            }
        }
        triangles
    }
}
