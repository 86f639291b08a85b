//! Triangle meshes: vertices, sound triangles, unique edges, and what is wrong with them.

mod caps;
mod components;
mod defect;
mod deform;
mod edges;
mod edited_bounds;
mod one_sided;
mod orientation;
mod parts;
mod removal;
mod remove;
mod repair;
mod shell_overlap;
#[cfg(feature = "serde")]
mod snapshot;
mod sound;
mod topology;
mod transform;
mod vertex_faces;
mod weld;
mod winding;

use std::sync::{Arc, OnceLock};

use nalgebra::Point3;

pub use defect::{Defect, MeshReport};
pub use edges::{Edge, NO_FACE};
pub use repair::{Hole, Repair, RepairSettings, Repairs};
#[cfg(feature = "serde")]
pub(crate) use snapshot::MeshData;
pub use topology::Topology;

use self::components::{Components, Shells};
use self::edges::EdgeTable;
use self::removal::{Removal, is_gone};
use self::vertex_faces::VertexFaces;
use crate::volume::SphereTrace;
use crate::{Aabb, BoundingSphere, MeshError};

/// Vertices (m) and triangles, three vertex indices each.
pub(crate) type Arrays = (Vec<Point3<f32>>, Vec<[u32; 3]>);

/// An indexed triangle mesh (m), counter-clockwise seen from outside.
///
/// Only sound triangles are kept: degenerate ones (no area, judged exactly) and repeats of another
/// triangle are passed over and reported. Where that would tear a closed surface open, the faces
/// beside the degenerate ones are cut in two instead. A closed mesh whose faces point inward is turned, and so is
/// each of its shells (what hangs together over edges) that points inward without lying inside
/// others, where it would be a cavity; that is reported too. See [`TriMesh::report`].
#[derive(Clone, Debug)]
pub struct TriMesh {
    vertices: Vec<Point3<f32>>,
    aabb: Aabb,
    sphere: BoundingSphere,
    connectivity: Arc<Connectivity>,
    /// Once it was asked for.
    shells_overlap: OnceLock<bool>,
    /// How the sphere was found; from the first edit on.
    trace: Option<Arc<SphereTrace>>,
}

/// All that does not depend on where the vertices are once the mesh is made; shared by the shapes
/// that a deforming mesh takes on.
#[derive(Clone, Debug)]
struct Connectivity {
    triangles: Vec<[u32; 3]>,
    /// Whether some vertex belongs to no triangle.
    loose: bool,
    source: Vec<u32>,
    table: EdgeTable,
    components: Components,
    shells: Shells,
    /// Of each vertex the first triangle that has it; found when first asked for.
    owners: OnceLock<Vec<u32>>,
    /// Of each vertex its triangles; found when first asked for.
    around: OnceLock<VertexFaces>,
    first_virtual: u32,
    report: MeshReport,
    repairs: Repairs,
    removal: Removal,
}

impl Connectivity {
    /// Turns every triangle round.
    fn turn(&mut self) {
        for (triangle, corners) in self.triangles.iter_mut().enumerate() {
            corners.swap(1, 2);
            self.table.turn(triangle);
        }
    }
}

impl TriMesh {
    /// A mesh from `vertices` (m) and `triangles`, three vertex indices each.
    ///
    /// ```
    /// use impinge_geometry::TriMesh;
    /// use nalgebra::Point3;
    ///
    /// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let tetrahedron = TriMesh::new(
    ///     corners.map(Point3::from).to_vec(),
    ///     vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
    /// )?;
    /// assert!(tetrahedron.is_closed() && tetrahedron.report().defects.is_empty());
    /// let mass = tetrahedron.mass_properties()?;
    /// assert!((mass.volume - 1.0 / 6.0).abs() < 1e-15);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`MeshError`] for a coordinate that is not finite or beyond [`FARTHEST`](crate::FARTHEST), an index out of range, or a mesh of which
    /// no sound triangle is left. Everything else is reported by [`TriMesh::report`].
    pub fn new(vertices: Vec<Point3<f32>>, triangles: Vec<[u32; 3]>) -> Result<TriMesh, MeshError> {
        topology::build(vertices, &triangles, triangles.len())
    }

    /// A mesh whose triangles from index `real` on are virtual faces.
    pub(crate) fn with_virtual_from(
        vertices: Vec<Point3<f32>>,
        triangles: &[[u32; 3]],
        real: usize,
    ) -> Result<TriMesh, MeshError> {
        topology::build(vertices, triangles, real)
    }

    /// As [`TriMesh::new`], after vertices at equal places (−0 equals 0) have become one. For arrays
    /// that repeat vertices, as those for drawing do. Triangles keep their indices.
    ///
    /// # Errors
    /// As [`TriMesh::new`].
    pub fn welded(vertices: Vec<Point3<f32>>, triangles: Vec<[u32; 3]>) -> Result<TriMesh, MeshError> {
        sound::check(&vertices, &triangles)?;
        let (vertices, triangles) = weld::weld((vertices, triangles));
        TriMesh::new(vertices, triangles)
    }

    /// The same mesh with its vertices elsewhere (m): a deforming body. Triangles, edges, topology
    /// and report stay as they are, whatever the new places make of them: a triangle may lose its
    /// area, and a surface turned inside out is not turned back.
    ///
    /// # Errors
    /// [`MeshError::VertexCount`] unless there are as many vertices as before, and
    /// [`MeshError::VertexNotFinite`] or [`MeshError::VertexTooFar`].
    pub fn with_vertices(&self, vertices: Vec<Point3<f32>>) -> Result<TriMesh, MeshError> {
        self.check_vertices(&vertices)?;
        let (aabb, sphere) = topology::bounds(&vertices, &self.connectivity);
        let connectivity = Arc::clone(&self.connectivity);
        Ok(TriMesh { vertices, aabb, sphere, connectivity, shells_overlap: OnceLock::new(), trace: None })
    }

    /// Whether the mesh's vertices can stand at these places (m).
    ///
    /// # Errors
    /// As [`TriMesh::with_vertices`].
    pub fn check_vertices(&self, places: &[Point3<f32>]) -> Result<(), MeshError> {
        let (given, expected) = (places.len(), self.vertices.len());
        if given != expected {
            return Err(MeshError::VertexCount { given, expected });
        }
        sound::check_coordinates(places)
    }

    /// Vertices (m). Some may belong to no triangle.
    pub fn vertices(&self) -> &[Point3<f32>] {
        &self.vertices
    }

    /// Sound triangles, three vertex indices each, counter-clockwise seen from outside. One that was taken out
    /// ([`TriMesh::remove_triangles`]) names a vertex three times.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.connectivity.triangles
    }

    /// For each triangle its index in the array the mesh was made from; for the virtual faces that close
    /// holes the length of that array.
    pub fn source_triangles(&self) -> &[u32] {
        &self.connectivity.source
    }

    /// The corners of a triangle (m).
    #[inline]
    pub fn corners(&self, triangle: u32) -> [Point3<f32>; 3] {
        let [a, b, c] = self.connectivity.triangles[triangle as usize];
        let vertices = &self.vertices[..];
        [vertices[a as usize], vertices[b as usize], vertices[c as usize]]
    }

    /// Unique undirected edges.
    pub fn edges(&self) -> &[Edge] {
        &self.connectivity.table.edges
    }

    /// All faces of an edge, in rising order: two of them where the surface is a closed manifold.
    #[inline]
    pub fn edge_faces(&self, edge: u32) -> &[u32] {
        let [from, to] = [0, 1].map(|k| self.connectivity.table.starts[edge as usize + k] as usize);
        let faces = &self.connectivity.table.faces[from..to];
        if self.connectivity.removal.count == 0 {
            return faces;
        }
        &faces[..faces.partition_point(|&face| face != NO_FACE)]
    }

    /// For each triangle its three edges: edge `k` joins corner `k` and corner `(k + 1) % 3`.
    pub fn triangle_edges(&self) -> &[[u32; 3]] {
        &self.connectivity.table.of_triangle
    }

    /// For each vertex the first triangle that has it, which owns it as `Edge::faces[0]` owns an edge; [`NO_FACE`] where
    /// no triangle has it. Found at the first call, for all shapes that a deforming mesh takes on.
    pub fn vertex_owners(&self) -> &[u32] {
        self.connectivity.owners.get_or_init(|| {
            let mut owners = vec![NO_FACE; self.vertices.len()];
            let triangles = (0..).zip(self.triangles()).filter(|(_, corners)| !is_gone(corners));
            for (triangle, corners) in triangles {
                for &v in corners {
                    owners[v as usize] = owners[v as usize].min(triangle);
                }
            }
            owners
        })
    }

    /// The edge between two vertices, if they have one.
    pub fn edge_between(&self, v: u32, w: u32) -> Option<u32> {
        let wanted = [v.min(w), v.max(w)];
        // They stand in the order of their vertices.
        self.edges().binary_search_by(|edge| edge.vertices.cmp(&wanted)).ok().map(|edge| edge as u32)
    }

    /// One vertex of every connected component (connected by shared vertices), in rising order.
    pub fn components(&self) -> &[u32] {
        &self.connectivity.components.list
    }

    /// The component of a triangle, as [`TriMesh::components`] names it.
    #[inline]
    pub fn component_of(&self, triangle: u32) -> u32 {
        self.connectivity.components.of(triangle)
    }

    /// The first triangle of every shell, which is what hangs together over edges, in rising order. Shells that share
    /// a vertex alone are of one component.
    pub fn shells(&self) -> &[u32] {
        &self.connectivity.shells.list
    }

    /// The shell of a triangle, by its place in [`TriMesh::shells`].
    #[inline]
    pub fn shell_of(&self, triangle: u32) -> u32 {
        self.connectivity.shells.of(triangle)
    }

    /// Whether shells of a closed mesh overlap each other, so that some places are inside more than once (parts of a drawing that
    /// were pushed into each other). Such places count once for all answers. Searched when it is first asked for, of a mesh of
    /// several shells whose boxes overlap; copies of one shell in one place are not found.
    pub fn shells_overlap(&self) -> bool {
        self.is_closed()
            && self.shells().len() > 1
            && *self.shells_overlap.get_or_init(|| {
                let triangles = (0..self.triangles().len() as u32).filter(|&t| self.has_triangle(t));
                let corners = triangles.map(|t| (self.shell_of(t), self.corners(t)));
                shell_overlap::shells_overlap(self.shells().len(), corners)
            })
    }

    /// Whether the surface bounds a volume.
    pub fn topology(&self) -> Topology {
        self.connectivity.table.topology
    }

    /// Whether the surface bounds a volume: [`Topology::Closed`].
    pub fn is_closed(&self) -> bool {
        self.connectivity.table.topology == Topology::Closed
    }

    /// Whether a triangle is a virtual face, which only bounds volume: it never counts as touching.
    /// [`TriMesh::one_sided`] makes them, and [`TriMesh::repaired`] over holes. Nor does a triangle that was taken out.
    #[inline]
    pub fn is_virtual(&self, triangle: u32) -> bool {
        triangle >= self.connectivity.first_virtual
            || (self.connectivity.removal.count > 0 && !self.has_triangle(triangle))
    }

    /// Whether there are virtual faces, see [`TriMesh::is_virtual`].
    #[inline]
    pub fn has_virtual_faces(&self) -> bool {
        (self.connectivity.first_virtual as usize) < self.connectivity.triangles.len()
    }

    /// Whether virtual faces close holes that the surface was given with. There are such faces only where
    /// the mesh could be closed by them.
    pub fn has_closed_holes(&self) -> bool {
        self.is_closed() && !self.connectivity.repairs.holes.is_empty()
    }

    /// What [`TriMesh::repaired`] or [`TriMesh::load`] did to close the surface; empty where nothing was
    /// needed, or asked for.
    pub fn repairs(&self) -> &Repairs {
        &self.connectivity.repairs
    }

    /// What was found, and what was done about it, when the mesh was made.
    pub fn report(&self) -> &MeshReport {
        &self.connectivity.report
    }

    /// Takes note of repairs. For a mesh that has just been made and is not shared.
    fn set_repairs(&mut self, repairs: Repairs) {
        if let Some(own) = Arc::get_mut(&mut self.connectivity) {
            own.repairs = repairs;
        }
    }

    /// Takes note that the decimals of a text closed the surface. For a mesh that has just been
    /// made and is not shared.
    fn name_decimal(&mut self, step: Option<f64>) {
        if let Some(own) = Arc::get_mut(&mut self.connectivity) {
            own.repairs.decimal = step;
        }
    }

    /// Takes note of the rounding (m) of a file's coordinates. For a mesh that has just been made
    /// and is not shared.
    #[cfg_attr(not(feature = "off"), expect(dead_code, reason = "meshes come from files"))]
    pub(crate) fn note_rounding(&mut self, rounding: f64) {
        if let Some(own) = Arc::get_mut(&mut self.connectivity) {
            own.repairs.rounding = rounding;
        }
    }

    /// Names triangles by `sources` of those that the mesh was made from, in reports, too. For a mesh that
    /// has just been made and is not shared.
    fn rename_sources(&mut self, sources: &[u32]) {
        if let Some(own) = Arc::get_mut(&mut self.connectivity) {
            own.source.iter_mut().for_each(|source| *source = sources[*source as usize]);
            own.report.defects.iter_mut().for_each(|defect| defect.rename_triangles(sources));
        }
    }

    /// Box of the vertices that triangles use (m).
    pub fn aabb(&self) -> Aabb {
        self.aabb
    }

    /// Sphere around the vertices that triangles use (m).
    pub fn bounding_sphere(&self) -> BoundingSphere {
        self.sphere
    }
}

#[cfg(test)]
mod tests;
