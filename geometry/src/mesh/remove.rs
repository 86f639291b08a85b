//! Triangles that are taken out of a mesh.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use super::components::{Components, Shells};
use super::edges::EdgeTable;
use super::edited_bounds::MovedVertex;
use super::orientation::shells;
use super::removal::is_gone;
use super::vertex_faces::VertexFaces;
use super::{Connectivity, NO_FACE, Topology, TriMesh};
use crate::MeshError;

/// So many triangles are looked at, to see whether those beside one that was taken out hang together, before all are.
const NEAR_BY: usize = 256;

impl TriMesh {
    /// Takes triangles out, by their index: the mesh then answers as one that was made without them. The others keep their index, as do vertices
    /// and edges; in [`TriMesh::triangles`] those taken out name one vertex three times. A closed mesh is a soup until all of a
    /// shell is gone. Gives how many were taken out; those that were so before are passed over.
    ///
    /// Costs in proportion to what is taken out where the triangles beside it still hang together near by, and no vertex goes that has made the
    /// mesh's bounds what they are; else it takes a pass over all triangles, as the first call does.
    ///
    /// # Errors
    /// [`MeshError::NoSuchTriangle`], [`MeshError::VirtualFaces`] for a mesh that is closed by virtual faces, and [`MeshError::NothingLeft`].
    /// The mesh is then as it was.
    pub fn remove_triangles(&mut self, triangles: &[u32]) -> Result<u32, MeshError> {
        self.check_removal(triangles)?;
        let TriMesh { vertices, connectivity, .. } = self;
        let own = Arc::make_mut(connectivity);
        if own.removal.count == 0 {
            own.removal.was_closed = own.table.topology == Topology::Closed;
        }
        own.around.get_or_init(|| VertexFaces::new(vertices.len(), &own.triangles));
        let before = own.removal.count;
        let (mut together, mut loose) = (true, Vec::new());
        for &triangle in triangles {
            let corners = own.triangles[triangle as usize];
            if is_gone(&corners) {
                continue;
            }
            own.take_out(triangle);
            let alone = corners.into_iter().filter(|&v| own.triangles_of(v).is_empty());
            loose.extend(alone.map(|vertex| MovedVertex {
                vertex,
                from: vertices[vertex as usize],
                to: None,
            }));
            together = together && own.hangs_together_without(triangle, corners);
        }
        if own.removal.count > before {
            let closed = own.removal.was_closed && own.removal.open_edges == 0;
            own.table.topology = if closed { Topology::Closed } else { Topology::Soup };
            own.loose |= !loose.is_empty();
            if !together {
                own.components = Components::new(vertices.len(), &own.triangles);
                own.shells = Shells::of_some(shells(&own.table), |t| !is_gone(&own.triangles[t as usize]));
            }
            self.update_bounds(&loose);
            self.shells_overlap.take();
        }
        Ok(self.connectivity.removal.count - before)
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

impl Connectivity {
    /// Takes a triangle out of all lists of what is beside what.
    fn take_out(&mut self, triangle: u32) {
        let corners = self.triangles[triangle as usize];
        let opened = self.table.take_out(triangle, &self.triangles);
        self.removal.open_edges = self.removal.open_edges.wrapping_add(opened);
        self.removal.count += 1;
        self.triangles[triangle as usize] = [corners[0]; 3];
        for vertex in corners {
            if let Some(around) = self.around.get_mut() {
                around.take_out(vertex, triangle);
            }
            let first = self.triangles_of(vertex).first().copied().unwrap_or(NO_FACE);
            if let Some(owners) = self.owners.get_mut() {
                owners[vertex as usize] = first;
            }
        }
    }

    /// The triangles of a vertex, in rising order; none where they were not asked for yet.
    fn triangles_of(&self, vertex: u32) -> &[u32] {
        self.around.get().map_or(&[], |around| around.of(vertex))
    }

    /// Whether shells and components are known to be what they were before a triangle of these corners was taken out, but for what they are named by,
    /// which is brought up to date: whether all triangles at its corners hang together over edges near by.
    fn hangs_together_without(&mut self, triangle: u32, corners: [u32; 3]) -> bool {
        let mut beside: BTreeSet<u32> =
            corners.into_iter().flat_map(|v| self.triangles_of(v)).copied().collect();
        let Some(first) = beside.pop_first() else { return false };
        let (mut seen, mut queue) = (BTreeSet::from([first]), VecDeque::from([first]));
        while !beside.is_empty() {
            let Some(next) = queue.pop_front() else { return false };
            for edge in self.table.of_triangle[next as usize] {
                for face in self.table.faces_of(edge) {
                    if seen.insert(face) {
                        beside.remove(&face);
                        queue.push_back(face);
                    }
                }
            }
            if seen.len() > NEAR_BY {
                return false;
            }
        }
        self.rename(triangle, corners)
    }

    /// Has the shell and the component be named by another triangle and vertex where they were by what was taken out; whether their order is known.
    fn rename(&mut self, triangle: u32, corners: [u32; 3]) -> bool {
        if self.shells.list.contains(&triangle) {
            let next =
                (triangle + 1..self.triangles.len() as u32).find(|&t| !is_gone(&self.triangles[t as usize]));
            match (&mut self.shells.list[..], next) {
                ([only], Some(next)) => *only = next,
                _ => return false,
            }
        }
        let named = |own: &Connectivity| {
            corners.into_iter().find(|&v| own.triangles_of(v).is_empty() && own.components.list.contains(&v))
        };
        while let Some(vertex) = named(self) {
            let next = (vertex + 1..).map_while(|v| self.around.get()?.get(v).map(|own| (v, own)));
            let next = next.into_iter().find(|(_, own)| !own.is_empty()).map(|(v, _)| v);
            match (&mut self.components.list[..], next) {
                ([only], Some(next)) => *only = next,
                _ => return false,
            }
        }
        true
    }
}

impl EdgeTable {
    /// The faces of an edge that are there, in rising order.
    fn faces_of(&self, edge: u32) -> impl Iterator<Item = u32> + '_ {
        let [from, to] = [0, 1].map(|k| self.starts[edge as usize + k] as usize);
        self.faces[from..to].iter().copied().take_while(|&face| face != NO_FACE)
    }

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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::fixtures::{ball, box_arrays, joined, sheet, torus};
    use nalgebra::{Point3, Vector3};

    /// Numbers below `n`, one after the other.
    fn below(seed: &mut u64, n: usize) -> usize {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 33) as usize % n
    }

    /// The mesh answers as the one made of what is left.
    fn check(mesh: &TriMesh, context: &str) {
        let left: Vec<u32> = (0..mesh.triangles().len() as u32).filter(|&t| mesh.has_triangle(t)).collect();
        let triangles = left.iter().map(|&t| mesh.triangles()[t as usize]).collect();
        let made = TriMesh::new(mesh.vertices().to_vec(), triangles).unwrap();
        assert_eq!((mesh.aabb(), mesh.bounding_sphere()), (made.aabb(), made.bounding_sphere()), "{context}");
        assert_eq!((mesh.components(), mesh.is_closed()), (made.components(), made.is_closed()), "{context}");
        let named: Vec<u32> = made.shells().iter().map(|&t| left[t as usize]).collect();
        assert_eq!(mesh.shells(), named, "{context}");
        let owners: Vec<u32> =
            made.vertex_owners().iter().map(|&t| left.get(t as usize).copied().unwrap_or(NO_FACE)).collect();
        assert_eq!(mesh.vertex_owners(), owners, "{context}");
        let names: BTreeMap<u32, u32> = left.iter().copied().zip(0..).collect();
        for (&own, t) in left.iter().zip(0..) {
            assert_eq!(mesh.shell_of(own), made.shell_of(t), "{context}: {own}");
            assert_eq!(mesh.component_of(own), made.component_of(t), "{context}: {own}");
        }
        for v in 0..mesh.vertices().len() as u32 {
            let own: Vec<u32> = mesh.triangles_around(v).iter().map(|t| names[t]).collect();
            assert_eq!(own, made.triangles_around(v), "{context}: {v}");
        }
    }

    #[test]
    fn a_mesh_with_triangles_taken_out_is_the_mesh_made_of_those_left() {
        let two = joined(box_arrays([0.0; 3], [1.0; 3]), box_arrays([2.0; 3], [3.0; 3]));
        let (vertices, triangles) = sheet(9, |x, y| (3.0 * x).sin() * y);
        let subjects = [
            ball(2),
            torus(1.0, 0.4, 9, 7),
            TriMesh::new(vertices, triangles).unwrap(),
            TriMesh::new(two.0, two.1).unwrap(),
        ];
        let mut seed = 5;
        for (n, subject) in subjects.iter().enumerate() {
            for pass in 0..6 {
                let mut mesh = subject.clone();
                let count = mesh.triangles().len();
                if pass % 2 == 0 {
                    // Known before or not.
                    mesh.vertex_owners();
                }
                for step in 0..40 {
                    let many = [1, 1, 7][step % 3];
                    let first = below(&mut seed, count);
                    // One by one from anywhere, or those of neighbouring numbers.
                    let gone: Vec<u32> = (0..many)
                        .map(|k| if pass < 3 { below(&mut seed, count) } else { (first + k) % count } as u32)
                        .collect();
                    if mesh.remove_triangles(&gone).is_err() {
                        break;
                    }
                    let vertex = below(&mut seed, mesh.vertices().len()) as u32;
                    let by = Vector3::from_fn(|_, _| 1e-4 * below(&mut seed, 1000) as f32);
                    let to = mesh.vertices()[vertex as usize] + by;
                    mesh.edit_vertices(&[(vertex, to)]).unwrap();
                    check(&mesh, &format!("{n} {pass} {step}"));
                }
            }
        }
    }

    #[test]
    fn a_strip_taken_out_parts_a_sheet() {
        let (vertices, triangles) = sheet(8, |_, _| 0.0);
        let mut mesh = TriMesh::new(vertices, triangles).unwrap();
        let middle = |t: &u32| -> Point3<f32> {
            let [a, b, c] = mesh.corners(*t);
            Point3::from((a.coords + b.coords + c.coords) / 3.0)
        };
        let [low, high] = [mesh.aabb().min[0], mesh.aabb().max[0]];
        let strip: Vec<u32> = (0..mesh.triangles().len() as u32)
            .filter(|t| (middle(t).x - 0.5 * (low + high)).abs() < 0.2 * (high - low))
            .collect();
        mesh.remove_triangles(&strip).unwrap();
        assert_eq!((mesh.shells().len(), mesh.components().len()), (2, 2));
        check(&mesh, "a strip");
    }
}
