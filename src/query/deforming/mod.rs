//! Meshes that deform: when do they meet others, and themselves, while every vertex moves on a line?

mod features;
mod meeting;

use std::sync::Arc;

use impinge_exact::motion::{DeformingSurface, FLAT_TRIANGLES, FeatureSurface, Representatives, is_flat};
use impinge_geometry::{MeshError, SimdLevel, TriMesh};
use impinge_midphase::obb_tree::DeformingTree;
use nalgebra::Point3;

pub use features::{edge_edge, vertex_face};

/// A mesh whose vertices move on lines, from time 0 to 1: a cloth, a soft body, skin. Its tree is built once and fitted to every
/// motion.
///
/// | question | answer |
/// |---|---|
/// | [`DeformingMesh::sweep`] | when it first meets another, which deforms, too |
/// | [`DeformingMesh::sweep_shape`] | when it first meets a shape that moves as a rigid body |
/// | [`DeformingMesh::self_contact`] | when it first meets itself |
/// | [`DeformingMesh::self_contacts`], [`DeformingMesh::contacts`] | all vertices, edges and faces that come near each other |
///
/// ```
/// use impinge::query::{FeatureClearance, DeformingMesh, QueryScratch};
/// use impinge::prelude::*;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // Two triangles, hinged along the y axis, are shut like a book.
/// let corners = [[0.0, -1.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.5], [-1.0, 0.0, 0.5]].map(Point3::from);
/// let mesh = TriMesh::new(corners.to_vec(), vec![[0, 2, 1], [0, 1, 3]])?;
/// let mut book = DeformingMesh::new(mesh);
/// let shut = [[0.0, -1.0, 0.0], [0.0, 1.0, 0.0], [-0.5, 0.0, 0.5], [0.5, 0.0, 0.5]].map(Point3::from);
/// book.move_to(&shut)?;
/// let clearance = FeatureClearance { separation: 0.0, gap: 1e-6 };
/// let contact = book.self_contact(&clearance, &mut QueryScratch::default())?.ok_or("it meets itself")?;
/// // Both leaves are upright when their outer corners meet.
/// assert!((contact.time - 2.0 / 3.0).abs() < 1e-5);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct DeformingMesh {
    mesh: Arc<TriMesh>,
    from: Vec<Point3<f32>>,
    to: Vec<Point3<f32>>,
    tree: DeformingTree,
    features: Representatives,
    /// Whether flat regions are looked for.
    cull: bool,
}

impl DeformingMesh {
    /// A mesh that stands still.
    pub fn new(mesh: impl Into<Arc<TriMesh>>) -> DeformingMesh {
        let mesh = mesh.into();
        let (from, to) = (mesh.vertices().to_vec(), mesh.vertices().to_vec());
        let (tree, features) = (DeformingTree::build(&mesh), Representatives::new(&mesh));
        let mut deforming = DeformingMesh { mesh, from, to, tree, features, cull: true };
        deforming.fit();
        deforming
    }

    /// Begins a motion where the last one ended.
    ///
    /// # Errors
    /// [`MeshError`] for another number of places than the mesh has vertices, or coordinates that are not finite or too large; nothing
    /// has changed then.
    pub fn move_to(&mut self, to: &[Point3<f32>]) -> Result<(), MeshError> {
        self.mesh.check_vertices(to)?;
        std::mem::swap(&mut self.from, &mut self.to);
        self.to.copy_from_slice(to);
        self.fit();
        Ok(())
    }

    /// Sets where the vertices begin and end (m).
    ///
    /// # Errors
    /// As [`DeformingMesh::move_to`].
    pub fn set_motion(&mut self, from: &[Point3<f32>], to: &[Point3<f32>]) -> Result<(), MeshError> {
        self.mesh.check_vertices(from)?;
        self.mesh.check_vertices(to)?;
        self.from.copy_from_slice(from);
        self.to.copy_from_slice(to);
        self.fit();
        Ok(())
    }

    fn fit(&mut self) {
        // It has the triangles that the tree was built over.
        let _ = self.tree.fit(&self.mesh, &self.from, &self.to);
        if self.cull {
            let DeformingMesh { mesh, from, to, tree, .. } = self;
            // The tree is not asked about by what says whether a region is flat.
            let still = DeformingTree::default();
            let surface = DeformingSurface { mesh, from, to, tree: &still };
            tree.mark_flat(FLAT_TRIANGLES, &mut |triangles| is_flat(&surface, triangles));
        }
    }

    /// Sets whether regions that are flat enough not to touch themselves are found with each motion and passed over where no separation is asked
    /// for (default: they are). No contact is lost by it; features in such a region that come within the gap without touching may be.
    pub fn set_culling(&mut self, cull: bool) {
        self.cull = cull;
        self.fit();
    }

    /// The triangles, edges and topology; its vertices are those that it was made with.
    pub fn mesh(&self) -> &Arc<TriMesh> {
        &self.mesh
    }

    /// Where the vertices begin (m).
    pub fn from(&self) -> &[Point3<f32>] {
        &self.from
    }

    /// Where the vertices end (m).
    pub fn to(&self) -> &[Point3<f32>] {
        &self.to
    }

    /// What a query is expected to cost, relative to what it cost when the tree was built: where it is more than
    /// half as much again, [`DeformingMesh::rebuild`] pays within a few queries.
    pub fn degradation(&self) -> f64 {
        self.tree.degradation()
    }

    /// Builds the tree again, over the places at the end of the motion.
    ///
    /// # Errors
    /// None that [`DeformingMesh::move_to`] has let through.
    pub fn rebuild(&mut self) -> Result<(), MeshError> {
        self.tree = DeformingTree::build(&self.mesh.with_vertices(self.to.clone())?);
        self.fit();
        Ok(())
    }

    /// Sets the vector instructions that the tree is searched with; no answer depends on them.
    pub fn set_simd(&mut self, level: SimdLevel) {
        self.tree.set_simd(level);
    }

    fn surface(&self) -> DeformingSurface<'_> {
        DeformingSurface { mesh: &self.mesh, from: &self.from, to: &self.to, tree: &self.tree }
    }

    fn featured(&self) -> FeatureSurface<'_> {
        FeatureSurface { surface: self.surface(), features: &self.features }
    }

    /// The gap that is left at a meeting unless another is asked for (m): 1e-4 of half the diagonal of the box of its first places.
    fn default_gap(&self) -> f64 {
        let places = || self.from.iter().map(|p| p.coords.cast::<f64>());
        let low = places().reduce(|p, q| p.inf(&q)).unwrap_or_default();
        let high = places().reduce(|p, q| p.sup(&q)).unwrap_or_default();
        (0.5e-4 * (high - low).norm()).max(f64::MIN_POSITIVE)
    }
}
