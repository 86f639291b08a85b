//! A mesh as its file writes it, before it is rounded to `f32`.

use nalgebra::Point3;

use super::decimals::Decimals;
use super::polygon::triangulate;
use crate::mesh::{Arrays, RepairSettings};
use crate::{MeshError, TriMesh};

/// The arrays of a file, in the numbers that it writes.
#[derive(Clone, Debug, Default)]
pub(super) struct FileMesh {
    /// (m).
    pub vertices: Vec<Point3<f64>>,
    pub triangles: Vec<[u32; 3]>,
    /// Of the coordinates; of binary files without any.
    pub decimals: Decimals,
}

impl FileMesh {
    /// Adds a polygon as triangles.
    pub(super) fn push_polygon(&mut self, corners: &[u32]) {
        triangulate(&self.vertices, corners, &mut self.triangles);
    }

    /// Makes a mesh of it, repaired within the bounds of `settings` and of its decimals.
    pub(super) fn repaired(self, settings: &RepairSettings) -> Result<TriMesh, MeshError> {
        let settings = settings.or_decimal(self.decimals.step());
        let (vertices, triangles) = self.rounded();
        TriMesh::repaired(vertices, triangles, &settings)
    }

    /// Returns the vertices rounded to `f32`, and the triangles.
    pub(super) fn rounded(self) -> Arrays {
        (self.vertices.iter().map(|p| p.cast()).collect(), self.triangles)
    }
}
