//! The field as a mesh: the same triangles, stored.

use super::HeightField;
use crate::{MeshError, TriMesh};

/// A height field as a mesh.
#[derive(Clone, Debug)]
pub struct FieldMesh {
    /// The mesh, closed by virtual faces.
    pub mesh: TriMesh,
    /// For each of its triangles the number that it has in the field.
    pub triangles: Vec<u32>,
}

impl HeightField {
    /// The numbers of all triangles, in rising order: those of the terrain, of the bottom, and of the walls.
    pub fn triangles(&self) -> impl Iterator<Item = u32> + '_ {
        let below = self.first_virtual();
        self.terrain().chain(self.terrain().map(move |t| below + t)).chain(self.walls())
    }

    /// Those of the terrain.
    pub fn terrain(&self) -> impl Iterator<Item = u32> + '_ {
        let [columns, rows] = self.size.map(|n| n - 1);
        (0..rows).flat_map(move |j| (0..columns).map(move |i| [i, j])).flat_map(move |at| {
            (0..2).filter(move |&k| self.exists(at, k)).map(move |k| 2 * self.vertex_at(at) + k)
        })
    }

    /// How many there are of the terrain.
    pub fn terrain_count(&self) -> usize {
        if self.gaps {
            return self.terrain().count();
        }
        self.size.iter().map(|&n| (n - 1) as usize).product::<usize>() * 2
    }

    fn walls(&self) -> impl Iterator<Item = u32> + '_ {
        let first = 2 * self.first_virtual();
        let [columns, rows] = self.size;
        (0..rows)
            .flat_map(move |j| (0..columns.div_ceil(4)).map(move |block| [block, j]))
            .filter(|&[block, j]| self.has_walls(0, [block, j / 4]))
            .flat_map(move |[block, j]| (4 * block..(4 * block + 4).min(columns)).map(move |i| [i, j]))
            .flat_map(move |at| (0..3).map(move |d| 3 * self.vertex_at(at) + d))
            .filter(|&edge| self.wall(edge).is_some())
            .flat_map(move |edge| [first + 2 * edge, first + 2 * edge + 1])
    }

    /// The field as a mesh, vertices and triangles in the order of their numbers. It takes some 600 bytes for each sample.
    ///
    /// # Errors
    /// As [`TriMesh::new`].
    pub fn to_mesh(&self) -> Result<FieldMesh, MeshError> {
        let triangles: Vec<u32> = self.triangles().collect();
        let mut number = vec![u32::MAX; self.vertex_bound() as usize];
        for &t in &triangles {
            self.vertices_of(t).iter().for_each(|&v| number[v as usize] = 0);
        }
        let mut vertices = Vec::new();
        for (v, number) in (0..).zip(&mut number).filter(|(_, number)| **number == 0) {
            *number = vertices.len() as u32;
            vertices.push(self.vertex(v));
        }
        let corners: Vec<[u32; 3]> =
            triangles.iter().map(|&t| self.vertices_of(t).map(|v| number[v as usize])).collect();
        let real = triangles.partition_point(|&t| t < self.first_virtual());
        let mesh = TriMesh::with_virtual_from(vertices, &corners, real)?;
        let triangles = mesh.source_triangles().iter().map(|&source| triangles[source as usize]).collect();
        Ok(FieldMesh { mesh, triangles })
    }
}
