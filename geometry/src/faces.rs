//! The triangles of a surface, whatever holds them.

use std::ops::Deref;
use std::sync::Arc;

use nalgebra::Point3;

use crate::height_field::FewFaces;
use crate::mesh::Edge;
use crate::{Aabb, HeightField, LevelSet, TriMesh};

/// The triangles of a surface, shared.
#[derive(Clone, Debug)]
pub enum Faces {
    /// Stored, with all that they have in common.
    Mesh(Arc<TriMesh>),
    /// Computed from the samples of a height field.
    Field(Arc<HeightField>),
    /// Computed from the samples of a level set.
    Levels(Arc<LevelSet>),
}

impl Faces {
    /// What all questions are put to.
    #[inline]
    pub fn get(&self) -> FacesRef<'_> {
        match self {
            Faces::Mesh(mesh) => FacesRef::Mesh(mesh),
            Faces::Field(field) => FacesRef::Field(field),
            Faces::Levels(levels) => FacesRef::Levels(levels),
        }
    }

    /// The mesh that holds the triangles, where one does.
    #[inline]
    pub fn mesh(&self) -> Option<&Arc<TriMesh>> {
        match self {
            Faces::Mesh(mesh) => Some(mesh),
            Faces::Field(_) | Faces::Levels(_) => None,
        }
    }

    /// As [`Faces::mesh`], to be changed.
    #[inline]
    pub fn mesh_mut(&mut self) -> Option<&mut Arc<TriMesh>> {
        match self {
            Faces::Mesh(mesh) => Some(mesh),
            Faces::Field(_) | Faces::Levels(_) => None,
        }
    }
}

/// The triangles of a surface: vertices, triangles and edges have numbers from 0 on. Where triangles are computed, not every number below
/// [`FacesRef::triangle_bound`] is one of a triangle; only those that a tree, an edge or [`FacesRef::triangles`] names may be asked about.
#[derive(Clone, Copy, Debug)]
pub enum FacesRef<'f> {
    /// A mesh.
    Mesh(&'f TriMesh),
    /// A height field.
    Field(&'f HeightField),
    /// A level set.
    Levels(&'f LevelSet),
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

impl<'f> From<&'f HeightField> for FacesRef<'f> {
    fn from(field: &'f HeightField) -> FacesRef<'f> {
        FacesRef::Field(field)
    }
}

impl<'f> From<&'f LevelSet> for FacesRef<'f> {
    fn from(levels: &'f LevelSet) -> FacesRef<'f> {
        FacesRef::Levels(levels)
    }
}

impl<'f> From<&'f Faces> for FacesRef<'f> {
    fn from(faces: &'f Faces) -> FacesRef<'f> {
        faces.get()
    }
}

/// The faces of an edge, in rising order.
#[derive(Clone, Copy, Debug)]
pub enum EdgeFaces<'f> {
    /// They are stored.
    Stored(&'f [u32]),
    /// They are computed.
    Made(FewFaces),
}

impl Deref for EdgeFaces<'_> {
    type Target = [u32];

    #[inline]
    fn deref(&self) -> &[u32] {
        match self {
            EdgeFaces::Stored(faces) => faces,
            EdgeFaces::Made(faces) => faces,
        }
    }
}

/// Arithmetic that a mesh's question has no use for: out of the way, so that what a mesh has stored is read in place.
#[inline(never)]
fn computed<T>(make: impl FnOnce() -> T) -> T {
    make()
}

impl<'f> FacesRef<'f> {
    /// A vertex (m).
    #[inline(always)]
    pub fn vertex(self, vertex: u32) -> Point3<f32> {
        match self {
            FacesRef::Mesh(mesh) => mesh.vertices()[vertex as usize],
            FacesRef::Field(field) => computed(|| field.vertex(vertex)),
            FacesRef::Levels(levels) => computed(|| levels.vertex(vertex)),
        }
    }

    /// The vertices of a triangle, counter-clockwise seen from outside.
    #[inline(always)]
    pub fn vertices_of(self, triangle: u32) -> [u32; 3] {
        match self {
            FacesRef::Mesh(mesh) => mesh.triangles()[triangle as usize],
            FacesRef::Field(field) => computed(|| field.vertices_of(triangle)),
            FacesRef::Levels(levels) => computed(|| levels.vertices_of(triangle)),
        }
    }

    /// The corners of a triangle (m).
    #[inline(always)]
    pub fn corners(self, triangle: u32) -> [Point3<f32>; 3] {
        match self {
            FacesRef::Mesh(mesh) => mesh.corners(triangle),
            FacesRef::Field(field) => computed(|| field.corners(triangle)),
            FacesRef::Levels(levels) => computed(|| levels.corners(triangle)),
        }
    }

    /// The edges of a triangle: edge `k` joins corner `k` and corner `(k + 1) % 3`.
    #[inline(always)]
    pub fn edges_of(self, triangle: u32) -> [u32; 3] {
        match self {
            FacesRef::Mesh(mesh) => mesh.triangle_edges()[triangle as usize],
            FacesRef::Field(field) => computed(|| field.edges_of(triangle)),
            FacesRef::Levels(levels) => computed(|| levels.edges_of(triangle)),
        }
    }

    /// An edge.
    #[inline(always)]
    pub fn edge(self, edge: u32) -> Edge {
        match self {
            FacesRef::Mesh(mesh) => mesh.edges()[edge as usize],
            FacesRef::Field(field) => computed(|| field.edge(edge)),
            FacesRef::Levels(levels) => computed(|| levels.edge(edge)),
        }
    }

    /// All faces of an edge, in rising order.
    #[inline]
    pub fn edge_faces(self, edge: u32) -> EdgeFaces<'f> {
        match self {
            FacesRef::Mesh(mesh) => EdgeFaces::Stored(mesh.edge_faces(edge)),
            FacesRef::Field(field) => EdgeFaces::Made(field.edge_faces(edge)),
            FacesRef::Levels(levels) => EdgeFaces::Made(levels.edge_faces(edge)),
        }
    }

    /// Every triangle has a number below this.
    #[inline]
    pub fn triangle_bound(self) -> u32 {
        match self {
            FacesRef::Mesh(mesh) => mesh.triangles().len() as u32,
            FacesRef::Field(field) => field.bound(),
            FacesRef::Levels(levels) => levels.triangle_bound(),
        }
    }

    /// Every edge has a number below this.
    #[inline]
    pub fn edge_bound(self) -> u32 {
        match self {
            FacesRef::Mesh(mesh) => mesh.edges().len() as u32,
            FacesRef::Field(field) => field.bound(),
            FacesRef::Levels(levels) => levels.edge_bound(),
        }
    }

    /// Every vertex has a number below this.
    #[inline]
    pub fn vertex_bound(self) -> u32 {
        match self {
            FacesRef::Mesh(mesh) => mesh.vertices().len() as u32,
            FacesRef::Field(field) => field.vertex_bound(),
            FacesRef::Levels(levels) => levels.vertex_bound(),
        }
    }

    /// Whether there is a triangle of this number.
    #[inline]
    pub fn has_triangle(self, triangle: u32) -> bool {
        match self {
            FacesRef::Mesh(mesh) => mesh.has_triangle(triangle),
            FacesRef::Field(field) => field.has_triangle(triangle),
            FacesRef::Levels(levels) => levels.has_triangle(triangle),
        }
    }

    /// Whether there is a vertex of this number.
    #[inline]
    pub fn has_vertex(self, vertex: u32) -> bool {
        match self {
            FacesRef::Mesh(mesh) => (vertex as usize) < mesh.vertices().len(),
            FacesRef::Field(field) => field.has_vertex(vertex),
            FacesRef::Levels(levels) => levels.has_vertex(vertex),
        }
    }

    /// The numbers of all triangles, in rising order.
    #[inline]
    pub fn triangles(self) -> impl Iterator<Item = u32> + 'f {
        let (stored, field, levels) = match self {
            FacesRef::Mesh(mesh) => (Some(mesh), None, None),
            FacesRef::Field(field) => (None, Some(field.triangles()), None),
            FacesRef::Levels(levels) => (None, None, Some(levels.triangles())),
        };
        let stored = stored.into_iter().flat_map(|mesh| {
            (0..mesh.triangles().len() as u32).filter(move |&triangle| mesh.has_triangle(triangle))
        });
        stored.chain(field.into_iter().flatten()).chain(levels.into_iter().flatten())
    }

    /// Whether triangles are computed: then numbers are spread wide, and only few of them may be gone through.
    #[inline]
    pub fn is_computed(self) -> bool {
        !matches!(self, FacesRef::Mesh(_))
    }

    /// Whether a triangle is a virtual face, which only bounds volume: it never counts as touching.
    #[inline]
    pub fn is_virtual(self, triangle: u32) -> bool {
        match self {
            FacesRef::Mesh(mesh) => mesh.is_virtual(triangle),
            FacesRef::Field(field) => triangle >= field.first_virtual(),
            FacesRef::Levels(_) => false,
        }
    }

    /// Whether there are virtual faces.
    #[inline]
    pub fn has_virtual_faces(self) -> bool {
        match self {
            FacesRef::Mesh(mesh) => mesh.has_virtual_faces(),
            FacesRef::Field(_) => true,
            FacesRef::Levels(_) => false,
        }
    }

    /// Whether virtual faces close holes that the surface was given with.
    #[inline]
    pub fn has_closed_holes(self) -> bool {
        match self {
            FacesRef::Mesh(mesh) => mesh.has_closed_holes(),
            FacesRef::Field(_) | FacesRef::Levels(_) => false,
        }
    }

    /// Whether the surface bounds a volume.
    #[inline]
    pub fn is_closed(self) -> bool {
        match self {
            FacesRef::Mesh(mesh) => mesh.is_closed(),
            FacesRef::Field(_) | FacesRef::Levels(_) => true,
        }
    }

    /// Whether no edge has more than two faces.
    #[inline]
    pub fn is_manifold(self) -> bool {
        match self {
            FacesRef::Mesh(mesh) => 2 * mesh.edges().len() >= 3 * mesh.triangles().len(),
            FacesRef::Field(field) => !field.has_gaps(),
            FacesRef::Levels(_) => true,
        }
    }

    /// One vertex of every connected component (connected by shared vertices), in rising order.
    #[inline]
    pub fn components(self) -> &'f [u32] {
        match self {
            FacesRef::Mesh(mesh) => mesh.components(),
            FacesRef::Field(field) => field.components(),
            FacesRef::Levels(levels) => levels.components(),
        }
    }

    /// The component of a triangle, as [`FacesRef::components`] names it.
    #[inline]
    pub fn component_of(self, triangle: u32) -> u32 {
        match self {
            FacesRef::Mesh(mesh) => mesh.component_of(triangle),
            FacesRef::Field(field) => field.components()[field.shell_of(triangle) as usize],
            FacesRef::Levels(levels) => levels.components()[levels.shell_of(triangle) as usize],
        }
    }

    /// The first triangle of every shell, which is what hangs together over edges, in rising order.
    #[inline]
    pub fn shells(self) -> &'f [u32] {
        match self {
            FacesRef::Mesh(mesh) => mesh.shells(),
            FacesRef::Field(field) => field.shells(),
            FacesRef::Levels(levels) => levels.shells(),
        }
    }

    /// The shell of a triangle, by its place in [`FacesRef::shells`].
    #[inline]
    pub fn shell_of(self, triangle: u32) -> u32 {
        match self {
            FacesRef::Mesh(mesh) => mesh.shell_of(triangle),
            FacesRef::Field(field) => field.shell_of(triangle),
            FacesRef::Levels(levels) => levels.shell_of(triangle),
        }
    }

    /// Whether some places are inside more than once, as [`TriMesh::shells_overlap`]. Nothing of a field lies above another part of it, and
    /// no shell of a level set crosses another.
    #[inline]
    pub fn shells_overlap(self) -> bool {
        match self {
            FacesRef::Mesh(mesh) => mesh.shells_overlap(),
            FacesRef::Field(_) | FacesRef::Levels(_) => false,
        }
    }

    /// How often the surface winds round a place (m), as [`TriMesh::winding_number`].
    pub fn winding_number(self, at: &Point3<f64>) -> f64 {
        match self {
            FacesRef::Mesh(mesh) => mesh.winding_number(at),
            FacesRef::Field(field) => f64::from(u8::from(field.holds(at))),
            FacesRef::Levels(levels) => f64::from(u8::from(levels.holds(at))),
        }
    }

    /// Box of all triangles (m).
    #[inline]
    pub fn aabb(self) -> Aabb {
        match self {
            FacesRef::Mesh(mesh) => mesh.aabb(),
            FacesRef::Field(field) => field.aabb(),
            FacesRef::Levels(levels) => levels.aabb(),
        }
    }
}
