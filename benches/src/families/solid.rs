//! Closed surfaces in double precision, before they are rounded to meshes.

use std::collections::HashMap;

use anyhow::Context;
use impinge_geometry::TriMesh;
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Point3};

/// A closed surface.
#[derive(Clone, Debug, Default)]
pub struct Solid {
    pub vertices: Vec<Point3<f64>>,
    /// Counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl Solid {
    /// Returns the surface of a mesh, multiplied by `scale`.
    pub fn of(mesh: &TriMesh, scale: f64) -> Solid {
        let vertices = mesh.vertices().iter().map(|p| p.cast::<f64>() * scale).collect();
        Solid { vertices, triangles: mesh.triangles().to_vec() }
    }

    /// Adds a quadrilateral, counter-clockwise seen from outside.
    pub fn quad(&mut self, [a, b, c, d]: [u32; 4]) {
        self.triangles.extend([[a, b, c], [a, c, d]]);
    }

    /// Adds the components of another surface.
    pub fn join(&mut self, other: &Solid) {
        let first = self.vertices.len() as u32;
        self.vertices.extend_from_slice(&other.vertices);
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|v| v + first)));
    }

    /// Returns the surface at a pose.
    pub fn moved(&self, pose: &Isometry3<f64>) -> Solid {
        let vertices = self.vertices.iter().map(|p| pose * p).collect();
        Solid { vertices, triangles: self.triangles.clone() }
    }

    /// Cuts every triangle into four.
    pub fn refined(&self) -> Solid {
        let mut vertices = self.vertices.clone();
        let mut middles: HashMap<[u32; 2], u32> = HashMap::new();
        let mut triangles = Vec::with_capacity(4 * self.triangles.len());
        for t in &self.triangles {
            let m = [0, 1, 2].map(|k| {
                let (a, b) = (t[k], t[(k + 1) % 3]);
                *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                    let [p, q] = [a, b].map(|v| vertices[v as usize].coords);
                    vertices.push(Point3::from(0.5 * (p + q)));
                    vertices.len() as u32 - 1
                })
            });
            let [a, b, c] = *t;
            triangles.extend([[a, m[0], m[2]], [m[0], b, m[1]], [m[2], m[1], c], m]);
        }
        Solid { vertices, triangles }
    }

    /// Cuts triangles into four, none to three times, and stops before there are `most`.
    pub fn refined_by_chance(self, random: &mut Random, most: usize) -> Solid {
        let times = random.index(4);
        let mut solid = self;
        for _ in 0..times {
            if 4 * solid.triangles.len() <= most {
                solid = solid.refined();
            }
        }
        solid
    }

    /// Changes the order of vertices, triangles and corners.
    pub fn shuffled(&self, random: &mut Random) -> Solid {
        let order = permutation(self.vertices.len(), random);
        let mut vertices = self.vertices.clone();
        for (from, &to) in order.iter().enumerate() {
            vertices[to] = self.vertices[from];
        }
        let mut triangles = self.triangles.clone();
        for (from, to) in permutation(self.triangles.len(), random).into_iter().enumerate() {
            let mut corners = self.triangles[from].map(|v| order[v as usize] as u32);
            corners.rotate_left(random.index(3));
            triangles[to] = corners;
        }
        Solid { vertices, triangles }
    }

    /// Rounds the surface, multiplied by `scale`, to a mesh.
    ///
    /// # Errors
    /// Fails for a surface that is not closed after it is rounded.
    pub fn mesh(&self, scale: f64) -> anyhow::Result<TriMesh> {
        let vertices = self.vertices.iter().map(|p| (p * scale).cast::<f32>()).collect();
        let mesh = TriMesh::new(vertices, self.triangles.clone()).context("a surface is no mesh")?;
        anyhow::ensure!(mesh.is_closed(), "a surface is not closed: {:?}", mesh.report());
        Ok(mesh)
    }

    /// Returns the corners of every triangle.
    pub fn corners(&self) -> Vec<[Point3<f64>; 3]> {
        self.triangles.iter().map(|t| t.map(|v| self.vertices[v as usize])).collect()
    }
}

/// Returns the places of `count` things in a random order.
fn permutation(count: usize, random: &mut Random) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for k in (1..count).rev() {
        order.swap(k, random.index(k + 1));
    }
    order
}
