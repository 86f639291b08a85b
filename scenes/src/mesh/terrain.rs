//! Bumpy ground.

use std::f64::consts::TAU;

use impinge_geometry::TriMesh;
use nalgebra::Point3;

use super::{Check, GeneratorError};
use crate::random::Random;

/// A bumpy square sheet around the origin, +z up, of `2 · cells²` triangles. It is open: close it
/// by extrusion to stand on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terrain {
    /// Half the edge length (m).
    pub half: f64,
    /// Height of the bumps, at most (m).
    pub relief: f64,
    /// By how much the edges stand higher than the middle (m): 0 for ground without a rim.
    pub rim: f64,
    /// Cells along an edge.
    pub cells: u32,
    /// Which hills.
    pub seed: u64,
}

impl Default for Terrain {
    fn default() -> Terrain {
        Terrain { half: 4.0, relief: 0.5, rim: 0.0, cells: 48, seed: 3 }
    }
}

impl Terrain {
    /// The mesh.
    ///
    /// # Errors
    /// [`GeneratorError`] for a size that is not positive a rim that is negative, or cells out of 1 to
    /// 4096.
    pub fn mesh(&self) -> Result<TriMesh, GeneratorError> {
        let check = Check("terrain");
        check.length("half", self.half)?;
        check.length("relief", self.relief)?;
        if !(0.0..1e12).contains(&self.rim) {
            return Err(check.fail("rim", self.rim, "it must be from 0 to 1e12 m"));
        }
        if !(1..=4096).contains(&self.cells) {
            return Err(check.fail("cells", f64::from(self.cells), "it must be from 1 to 4096"));
        }
        let mut random = Random::new(self.seed);
        let waves: Vec<[f64; 3]> = (1..=6)
            .map(|k| [random.sign() * f64::from(k), random.sign() * f64::from(7 - k), random.unit() * TAU])
            .collect();
        let side = self.cells + 1;
        let mut vertices = Vec::with_capacity((side * side) as usize);
        for j in 0..side {
            for i in 0..side {
                let [u, v] = [i, j].map(|k| f64::from(k) / f64::from(self.cells) - 0.5);
                let height: f64 =
                    waves.iter().map(|[a, b, phase]| libm::sin(2.5 * (a * u + b * v) + phase)).sum();
                let out = 2.0 * u.abs().max(v.abs());
                let z = self.relief * height / waves.len() as f64 + self.rim * out.powi(4);
                vertices.push(Point3::new(2.0 * u * self.half, 2.0 * v * self.half, z).cast::<f32>());
            }
        }
        let at = |i: u32, j: u32| j * side + i;
        let triangles = (0..self.cells)
            .flat_map(|j| (0..self.cells).map(move |i| (i, j)))
            .flat_map(|(i, j)| {
                let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                [[a, b, c], [a, c, d]]
            })
            .collect();
        TriMesh::new(vertices, triangles).map_err(|source| GeneratorError::Mesh { mesh: "terrain", source })
    }
}
