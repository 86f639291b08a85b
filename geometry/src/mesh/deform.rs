//! Vertices that move while triangles, edges and topology stay.

use nalgebra::Point3;

use super::{TriMesh, sound, topology};
use crate::MeshError;

impl TriMesh {
    /// As [`TriMesh::with_vertices`], in place: nothing is allocated where every vertex belongs to a triangle. Gives a
    /// bound of how far any vertex has moved (m).
    ///
    /// # Errors
    /// As there; the mesh is then as it was.
    pub fn set_vertices(&mut self, vertices: &[Point3<f32>]) -> Result<f64, MeshError> {
        self.check_vertices(vertices)?;
        Ok(self.put(0, vertices))
    }

    /// As [`TriMesh::set_vertices`], of the vertices from index `first` on; the others stay where they are.
    ///
    /// # Errors
    /// [`MeshError::VertexRange`] where the mesh has no such vertices, [`MeshError::VertexNotFinite`] or
    /// [`MeshError::VertexTooFar`], which count from `first`. The mesh is then as it was.
    pub fn set_vertices_from(&mut self, first: usize, vertices: &[Point3<f32>]) -> Result<f64, MeshError> {
        self.check_vertices_from(first, vertices)?;
        Ok(self.put(first, vertices))
    }

    /// Whether the vertices from index `first` on can stand at these places (m).
    ///
    /// # Errors
    /// As [`TriMesh::set_vertices_from`].
    pub fn check_vertices_from(&self, first: usize, places: &[Point3<f32>]) -> Result<(), MeshError> {
        let (given, expected) = (places.len(), self.vertices.len());
        if first.checked_add(given).is_none_or(|end| end > expected) {
            return Err(MeshError::VertexRange { first, given, expected });
        }
        sound::check_coordinates(places)
    }

    /// Puts vertices that were checked in their places.
    fn put(&mut self, first: usize, vertices: &[Point3<f32>]) -> f64 {
        let mut farthest = 0.0f64;
        for (own, to) in self.vertices[first..].iter_mut().zip(vertices) {
            farthest = farthest.max((to.cast::<f64>() - own.cast::<f64>()).norm_squared());
            *own = *to;
        }
        (self.aabb, self.sphere) = topology::bounds(&self.vertices, &self.connectivity);
        self.shells_overlap.take();
        // Upward of what the root and the differences are rounded by.
        farthest.sqrt() * (1.0 + 1e-12)
    }
}
