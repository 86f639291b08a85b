//! Vertices that move while triangles, edges and topology stay.

use nalgebra::Point3;

use super::edited_bounds::MovedVertex;
use super::vertex_faces::VertexFaces;
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

    /// Has some vertices stand elsewhere (m), each given by its index; the others stay where they are. Gives a bound of how far any vertex has
    /// moved (m). Where a vertex is given twice, its last place counts. Costs in proportion to those that move, but where they have made
    /// the mesh's bounds what they are or leave them: then all vertices are looked at.
    ///
    /// # Errors
    /// As [`TriMesh::check_edits`]; the mesh is then as it was.
    pub fn edit_vertices(&mut self, edits: &[(u32, Point3<f32>)]) -> Result<f64, MeshError> {
        self.check_edits(edits)?;
        let mut farthest = 0.0f64;
        let mut in_order: Vec<&(u32, Point3<f32>)> = edits.iter().collect();
        in_order.sort_by_key(|(vertex, _)| *vertex);
        let last = in_order.chunk_by(|p, q| p.0 == q.0).filter_map(|same| same.last());
        let mut moved = Vec::with_capacity(edits.len());
        for (vertex, to) in last {
            let from = std::mem::replace(&mut self.vertices[*vertex as usize], *to);
            farthest = farthest.max((to.cast::<f64>() - from.cast::<f64>()).norm_squared());
            if !self.triangles_around(*vertex).is_empty() {
                moved.push(MovedVertex { vertex: *vertex, from, to: Some(*to) });
            }
        }
        self.update_bounds(&moved);
        self.shells_overlap.take();
        Ok(rounded_up(farthest))
    }

    /// Whether vertices can stand at these places (m).
    ///
    /// # Errors
    /// [`MeshError::VertexRange`] where the mesh has no such vertex, [`MeshError::VertexNotFinite`] or [`MeshError::VertexTooFar`] with
    /// the place in the given list.
    pub fn check_edits(&self, edits: &[(u32, Point3<f32>)]) -> Result<(), MeshError> {
        let expected = self.vertices.len();
        if let Some((first, _)) = edits.iter().find(|(vertex, _)| *vertex as usize >= expected) {
            return Err(MeshError::VertexRange { first: *first as usize, given: 1, expected });
        }
        let places: Vec<Point3<f32>> = edits.iter().map(|(_, to)| *to).collect();
        sound::check_coordinates(&places)
    }

    /// The triangles of a vertex, in rising order. Found at the first call, for all shapes that a deforming mesh takes on.
    ///
    /// # Panics
    /// For a vertex that the mesh does not have.
    pub fn triangles_around(&self, vertex: u32) -> &[u32] {
        let all = self
            .connectivity
            .around
            .get_or_init(|| VertexFaces::new(self.vertices.len(), &self.connectivity.triangles));
        all.of(vertex)
    }

    /// Puts vertices that were checked in their places.
    fn put(&mut self, first: usize, vertices: &[Point3<f32>]) -> f64 {
        let mut farthest = 0.0f64;
        for (own, to) in self.vertices[first..].iter_mut().zip(vertices) {
            farthest = farthest.max((to.cast::<f64>() - own.cast::<f64>()).norm_squared());
            *own = *to;
        }
        self.settle(farthest)
    }

    /// Brings what depends on vertices up to date; from the square of how far one has moved the bound (m).
    fn settle(&mut self, farthest: f64) -> f64 {
        (self.aabb, self.sphere) = topology::bounds(&self.vertices, &self.connectivity);
        self.shells_overlap.take();
        self.trace = None;
        rounded_up(farthest)
    }
}

/// The root of a square (m), upward of what it and the differences are rounded by.
fn rounded_up(square: f64) -> f64 {
    square.sqrt() * (1.0 + 1e-12)
}
