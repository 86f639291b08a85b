//! The triangles of a surface, whatever holds them.

use std::ops::Deref;
use std::sync::Arc;

use nalgebra::Point3;

use crate::mesh::Edge;
use crate::{Aabb, TriMesh};

/// The triangles of a surface, shared.
#[derive(Clone, Debug)]
pub enum Faces {
    /// Stored, with all that they have in common.
    Mesh(Arc<TriMesh>),
}

impl Faces {
    /// What all questions are put to.
    #[inline]
    pub fn get(&self) -> FacesRef<'_> {
        match self {
            Faces::Mesh(mesh) => FacesRef::Mesh(mesh),
        }
    }

    /// The mesh that holds the triangles, where one does.
    #[inline]
    pub fn mesh(&self) -> Option<&Arc<TriMesh>> {
        match self {
            Faces::Mesh(mesh) => Some(mesh),
        }
    }

    /// As [`Faces::mesh`], to be changed.
    #[inline]
    pub fn mesh_mut(&mut self) -> Option<&mut Arc<TriMesh>> {
        match self {
            Faces::Mesh(mesh) => Some(mesh),
        }
    }
}

/// The triangles of a surface: vertices, triangles and edges have numbers from 0 on. Where triangles are computed, not every number below
/// [`FacesRef::triangle_bound`] is one of a triangle; only those that a tree, an edge or [`FacesRef::triangles`] names may be asked about.
#[derive(Clone, Copy, Debug)]
pub enum FacesRef<'f> {
    /// A mesh.
    Mesh(&'f TriMesh),
}

impl<'f> From<&'f TriMesh> for FacesRef<'f> {
    fn from(mesh: &'f TriMesh) -> FacesRef<'f> {
        FacesRef::Mesh(mesh)
    }
}

impl<'f> From<&'f Arc<TriMesh>> for FacesRef<'f> {
    fn from(mesh: &'f Arc<TriMesh>) -> FacesRef<'f> {
        FacesRef::Mesh(mesh)
    }
}

impl<'f> From<&'f Faces> for FacesRef<'f> {
    fn from(faces: &'f Faces) -> FacesRef<'f> {
        faces.get()
    }
}

/// The faces of an edge, in rising order.
#[derive(Clone, Copy, Debug)]
pub struct EdgeFaces<'f> {
    stored: &'f [u32],
}

impl Deref for EdgeFaces<'_> {
    type Target = [u32];

    #[inline]
    fn deref(&self) -> &[u32] {
        self.stored
    }
}

impl<'f> FacesRef<'f> {
    /// A vertex (m).
    #[inline]
    pub fn vertex(self, vertex: u32) -> Point3<f32> {
        match self {
            FacesRef::Mesh(mesh) => mesh.vertices()[vertex as usize],
        }
    }

    /// The vertices of a triangle, counter-clockwise seen from outside.
    #[inline]
    pub fn vertices_of(self, triangle: u32) -> [u32; 3] {
        match self {
            FacesRef::Mesh(mesh) => mesh.triangles()[triangle as usize],
        }
    }

    /// The corners of a triangle (m).
    #[inline]
    pub fn corners(self, triangle: u32) -> [Point3<f32>; 3] {
        match self {
            FacesRef::Mesh(mesh) => mesh.corners(triangle),
        }
    }

    /// The edges of a triangle: edge `k` joins corner `k` and corner `(k + 1) % 3`.
    #[inline]
    pub fn edges_of(self, triangle: u32) -> [u32; 3] {
        match self {
            FacesRef::Mesh(mesh) => mesh.triangle_edges()[triangle as usize],
        }
    }

    /// An edge.
    #[inline]
    pub fn edge(self, edge: u32) -> Edge {
        match self {
            FacesRef::Mesh(mesh) => mesh.edges()[edge as usize],
        }
    }

    /// All faces of an edge, in rising order.
    #[inline]
    pub fn edge_faces(self, edge: u32) -> EdgeFaces<'f> {
        match self {
            FacesRef::Mesh(mesh) => EdgeFaces { stored: mesh.edge_faces(edge) },
        }
    }

    /// Every triangle has a number below this.
    #[inline]
    pub fn triangle_bound(self) -> u32 {
        match self {
            FacesRef::Mesh(mesh) => mesh.triangles().len() as u32,
        }
    }

    /// Every edge has a number below this.
    #[inline]
    pub fn edge_bound(self) -> u32 {
        match self {
            FacesRef::Mesh(mesh) => mesh.edges().len() as u32,
        }
    }

    /// Every vertex has a number below this.
    #[inline]
    pub fn vertex_bound(self) -> u32 {
        match self {
            FacesRef::Mesh(mesh) => mesh.vertices().len() as u32,
        }
    }

    /// Whether there is a triangle of this number.
    #[inline]
    pub fn has_triangle(self, triangle: u32) -> bool {
        match self {
            FacesRef::Mesh(mesh) => (triangle as usize) < mesh.triangles().len(),
        }
    }

    /// Whether there is a vertex of this number.
    #[inline]
    pub fn has_vertex(self, vertex: u32) -> bool {
        match self {
            FacesRef::Mesh(mesh) => (vertex as usize) < mesh.vertices().len(),
        }
    }

    /// The numbers of all triangles, in rising order.
    #[inline]
    pub fn triangles(self) -> impl Iterator<Item = u32> + 'f {
        0..self.triangle_bound()
    }

    /// Whether a triangle is a virtual face, which only bounds volume: it never counts as touching.
    #[inline]
    pub fn is_virtual(self, triangle: u32) -> bool {
        match self {
            FacesRef::Mesh(mesh) => mesh.is_virtual(triangle),
        }
    }

    /// Whether there are virtual faces.
    #[inline]
    pub fn has_virtual_faces(self) -> bool {
        match self {
            FacesRef::Mesh(mesh) => mesh.has_virtual_faces(),
        }
    }

    /// Whether virtual faces close holes that the surface was given with.
    #[inline]
    pub fn has_closed_holes(self) -> bool {
        match self {
            FacesRef::Mesh(mesh) => mesh.has_closed_holes(),
        }
    }

    /// Whether the surface bounds a volume.
    #[inline]
    pub fn is_closed(self) -> bool {
        match self {
            FacesRef::Mesh(mesh) => mesh.is_closed(),
        }
    }

    /// Whether no edge has more than two faces.
    #[inline]
    pub fn is_manifold(self) -> bool {
        match self {
            FacesRef::Mesh(mesh) => 2 * mesh.edges().len() >= 3 * mesh.triangles().len(),
        }
    }

    /// One vertex of every connected component (connected by shared vertices), in rising order.
    #[inline]
    pub fn components(self) -> &'f [u32] {
        match self {
            FacesRef::Mesh(mesh) => mesh.components(),
        }
    }

    /// The component of a triangle, as [`FacesRef::components`] names it.
    #[inline]
    pub fn component_of(self, triangle: u32) -> u32 {
        match self {
            FacesRef::Mesh(mesh) => mesh.component_of(triangle),
        }
    }

    /// The first triangle of every shell, which is what hangs together over edges, in rising order.
    #[inline]
    pub fn shells(self) -> &'f [u32] {
        match self {
            FacesRef::Mesh(mesh) => mesh.shells(),
        }
    }

    /// The shell of a triangle, by its place in [`FacesRef::shells`].
    #[inline]
    pub fn shell_of(self, triangle: u32) -> u32 {
        match self {
            FacesRef::Mesh(mesh) => mesh.shell_of(triangle),
        }
    }

    /// How often the surface winds round a place (m), as [`TriMesh::winding_number`].
    pub fn winding_number(self, at: &Point3<f64>) -> f64 {
        match self {
            FacesRef::Mesh(mesh) => mesh.winding_number(at),
        }
    }

    /// Box of all triangles (m).
    #[inline]
    pub fn aabb(self) -> Aabb {
        match self {
            FacesRef::Mesh(mesh) => mesh.aabb(),
        }
    }
}
