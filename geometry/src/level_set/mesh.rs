//! The level set as a mesh: the same triangles, stored.

use std::collections::HashMap;

use super::LevelSet;
use crate::{MeshError, TriMesh};

/// A level set as a mesh.
#[derive(Clone, Debug)]
pub struct LevelMesh {
    /// The mesh.
    pub mesh: TriMesh,
    /// For each of its triangles the number that it has in the level set.
    pub triangles: Vec<u32>,
}

impl LevelSet {
    /// The level set as a mesh, vertices and triangles in the order of their numbers.
    ///
    /// # Errors
    /// As [`TriMesh::new`].
    pub fn to_mesh(&self) -> Result<LevelMesh, MeshError> {
        let triangles: Vec<u32> = self.triangles().collect();
        let mut used: Vec<u32> = triangles.iter().flat_map(|&t| self.vertices_of(t)).collect();
        used.sort_unstable();
        used.dedup();
        let number: HashMap<u32, u32> = used.iter().copied().zip(0..).collect();
        let corners = triangles.iter().map(|&t| self.vertices_of(t).map(|v| number[&v])).collect();
        let mesh = TriMesh::new(used.iter().map(|&v| self.vertex(v)).collect(), corners)?;
        let triangles = mesh.source_triangles().iter().map(|&source| triangles[source as usize]).collect();
        Ok(LevelMesh { mesh, triangles })
    }
}
