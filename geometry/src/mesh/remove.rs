//! Triangles that are taken out of a mesh.

use std::sync::Arc;

use super::components::{Components, Shells};
use super::edges::EdgeTable;
use super::orientation::shells;
use super::removal::is_gone;
use super::{NO_FACE, Topology, TriMesh, topology};
use crate::MeshError;

impl TriMesh {
    /// Takes triangles out, by their index: the mesh then answers as one that was made without them. The others keep their index, as do vertices
    /// and edges; in [`TriMesh::triangles`] those taken out name one vertex three times. A closed mesh is a soup until all of a
    /// shell is gone. Gives how many were taken out; those that were so before are passed over.
    ///
    /// The edges around them cost in proportion; what hangs together is found afresh, in a pass over all triangles.
    ///
    /// # Errors
    /// [`MeshError::NoSuchTriangle`], [`MeshError::VirtualFaces`] for a mesh that is closed by virtual faces, and [`MeshError::NothingLeft`].
    /// The mesh is then as it was.
    pub fn remove_triangles(&mut self, triangles: &[u32]) -> Result<u32, MeshError> {
        self.check_removal(triangles)?;
        let own = Arc::make_mut(&mut self.connectivity);
        if own.removal.count == 0 {
            own.removal.was_closed = own.table.topology == Topology::Closed;
        }
        let before = own.removal.count;
        for &triangle in triangles {
            let [first, ..] = own.triangles[triangle as usize];
            if is_gone(&own.triangles[triangle as usize]) {
                continue;
            }
            let opened = own.table.take_out(triangle, &own.triangles);
            own.removal.open_edges = own.removal.open_edges.wrapping_add(opened);
            own.triangles[triangle as usize] = [first; 3];
            own.removal.count += 1;
        }
        if own.removal.count > before {
            let closed = own.removal.was_closed && own.removal.open_edges == 0;
            own.table.topology = if closed { Topology::Closed } else { Topology::Soup };
            own.components = Components::new(self.vertices.len(), &own.triangles);
            own.shells = Shells::of_some(shells(&own.table), |t| !is_gone(&own.triangles[t as usize]));
            own.owners.take();
            own.around.take();
            own.loose = true;
            (self.aabb, self.sphere) = topology::bounds(&self.vertices, own);
            self.shells_overlap.take();
        }
        Ok(own.removal.count - before)
    }

    /// Whether triangles can be taken out.
    ///
    /// # Errors
    /// As [`TriMesh::remove_triangles`].
    pub fn check_removal(&self, triangles: &[u32]) -> Result<(), MeshError> {
        let count = self.triangles().len();
        if let Some(&triangle) = triangles.iter().find(|&&t| t as usize >= count) {
            return Err(MeshError::NoSuchTriangle { triangle, count });
        }
        if self.has_virtual_faces() {
            return Err(MeshError::VirtualFaces);
        }
        let left = count - self.removed_triangles() as usize;
        if triangles.len() >= left {
            let mut all: Vec<u32> = triangles.iter().copied().filter(|&t| self.has_triangle(t)).collect();
            all.sort_unstable();
            all.dedup();
            if all.len() == left {
                return Err(MeshError::NothingLeft { triangles: left });
            }
        }
        Ok(())
    }

    /// Whether there is a triangle of this index that was not taken out.
    #[inline]
    pub fn has_triangle(&self, triangle: u32) -> bool {
        self.triangles().get(triangle as usize).is_some_and(|corners| !is_gone(corners))
    }

    /// How many triangles were taken out ([`TriMesh::remove_triangles`]).
    #[inline]
    pub fn removed_triangles(&self) -> u32 {
        self.connectivity.removal.count
    }
}

impl EdgeTable {
    /// Takes a triangle from its edges; gives how many more of them are open than before, wrapping.
    fn take_out(&mut self, triangle: u32, triangles: &[[u32; 3]]) -> u32 {
        let mut change = 0u32;
        for edge in self.of_triangle[triangle as usize] {
            let [from, to] = [0, 1].map(|k| self.starts[edge as usize + k] as usize);
            change = change.wrapping_sub(u32::from(self.is_open(edge, triangles)));
            let faces = &mut self.faces[from..to];
            if let Some(at) = faces.iter().position(|&face| face == triangle) {
                faces[at..].rotate_left(1);
                faces[to - from - 1] = NO_FACE;
            }
            let place = |k: usize| faces.get(k).copied().unwrap_or(NO_FACE);
            self.edges[edge as usize].faces = [place(0), place(1)];
            change = change.wrapping_add(u32::from(self.is_open(edge, triangles)));
        }
        change
    }

    /// Whether faces do not run along an edge as often forward as backward.
    fn is_open(&self, edge: u32, triangles: &[[u32; 3]]) -> bool {
        let [from, to] = [0, 1].map(|k| self.starts[edge as usize + k] as usize);
        let first = self.edges[edge as usize].vertices[0];
        let runs_forward = |face: u32| {
            (0..3).any(|k| self.of_triangle[face as usize][k] == edge && triangles[face as usize][k] == first)
        };
        let faces = self.faces[from..to].iter().filter(|&&face| face != NO_FACE);
        faces.map(|&face| if runs_forward(face) { 1 } else { -1 }).sum::<i32>() != 0
    }
}
