//! The parts of shapes prepared for the mid and narrow phase: one per simple shape.

use std::sync::Arc;

use impinge_geometry::{
    Aabb, BoundingSphere, Faces, FacesRef, HeightField, LevelSet, MeshError, Primitive, Shape, SimdLevel,
    TriMesh,
};
use nalgebra::{Isometry3, Point3};

use crate::deformation::Deformation;
use crate::obb_tree::{OrientedBox, PlacedBox};
use crate::{ObbTree, TreeCache};

/// What fills a part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solid {
    /// A primitive; a cuboid also has a [`Surface`].
    Primitive(Primitive),
    /// The convex inside of its surface.
    Hull,
    /// The inside of its surface where that is closed; nothing where it is a soup. The ground of a height field, and the
    /// inside of a level set.
    Mesh,
}

impl Solid {
    /// Whether the solid is known to be convex (all but meshes).
    pub fn is_convex(&self) -> bool {
        !matches!(self, Solid::Mesh)
    }
}

/// A surface of triangles with its tree.
#[derive(Clone, Debug)]
pub struct Surface {
    /// The triangles.
    pub faces: Faces,
    /// The tree over them.
    pub tree: Arc<ObbTree>,
}

impl Surface {
    /// The surface of a mesh with its tree.
    pub fn of_mesh(mesh: Arc<TriMesh>, tree: Arc<ObbTree>) -> Surface {
        Surface { faces: Faces::Mesh(mesh), tree }
    }

    /// The surface of a height field, searched with these instructions.
    pub fn of_field(field: Arc<HeightField>, simd: SimdLevel) -> Surface {
        let mut tree = ObbTree::of_field(Arc::clone(&field));
        tree.set_simd(simd);
        Surface { faces: Faces::Field(field), tree: Arc::new(tree) }
    }

    /// The surface of a level set, searched with these instructions.
    pub fn of_levels(levels: Arc<LevelSet>, simd: SimdLevel) -> Surface {
        let mut tree = ObbTree::of_levels(Arc::clone(&levels));
        tree.set_simd(simd);
        Surface { faces: Faces::Levels(levels), tree: Arc::new(tree) }
    }

    /// The triangles.
    #[inline]
    pub fn faces(&self) -> FacesRef<'_> {
        self.faces.get()
    }

    /// The mesh that holds the triangles, where one does.
    #[inline]
    pub fn mesh(&self) -> Option<&Arc<TriMesh>> {
        self.faces.mesh()
    }

    /// A surface and a tree over it.
    pub fn new(mesh: Arc<TriMesh>) -> Surface {
        let tree = Arc::new(ObbTree::build(&mesh));
        Surface::of_mesh(mesh, tree)
    }

    /// Has its vertices stand elsewhere (m): as [`PreparedShape::set_vertices`](crate::PreparedShape::set_vertices).
    ///
    /// # Errors
    /// [`MeshError`] for another number of vertices than it has (height fields and level sets have none of their own), and coordinates that are not finite or too
    /// large; nothing has changed then.
    pub fn set_vertices(&mut self, vertices: &[Point3<f32>]) -> Result<Deformation, MeshError> {
        self.own_mesh(vertices)?.check_vertices(vertices)?;
        match self.check_vertices_from(0, vertices)? {
            Some(still) => Ok(still),
            None => Ok(self.put(0, vertices)),
        }
    }

    /// The mesh that is to take vertices.
    fn own_mesh(&self, vertices: &[Point3<f32>]) -> Result<&Arc<TriMesh>, MeshError> {
        self.mesh().ok_or(MeshError::VertexCount { given: vertices.len(), expected: 0 })
    }

    /// Whether vertices can stand elsewhere; what that does where they stand there already.
    pub(crate) fn check_vertices_from(
        &self,
        first: usize,
        vertices: &[Point3<f32>],
    ) -> Result<Option<Deformation>, MeshError> {
        let mesh = self.own_mesh(vertices)?;
        mesh.check_vertices_from(first, vertices)?;
        let still = mesh.vertices()[first..].starts_with(vertices);
        Ok(still.then_some(Deformation { moved: 0.0, rebuilt: false }))
    }

    /// Puts some vertices that were checked in their places, and brings the tree's boxes above them up to date.
    pub(crate) fn put_some(&mut self, edits: &[(u32, Point3<f32>)]) -> Deformation {
        let Some(mesh) = self.faces.mesh_mut() else { return Deformation { moved: 0.0, rebuilt: false } };
        let mesh = Arc::make_mut(mesh);
        let moved = mesh.edit_vertices(edits).unwrap_or(0.0);
        let touched = |(vertex, _): &(u32, Point3<f32>)| mesh.triangles_around(*vertex).iter().copied();
        let mut triangles: Vec<u32> = edits.iter().flat_map(touched).collect();
        triangles.sort_unstable();
        triangles.dedup();
        let tree = Arc::make_mut(&mut self.tree);
        let fits = tree.refit_some(mesh, &triangles).is_ok() && !tree.wants_rebuild();
        Deformation { moved, rebuilt: rebuild_unless(fits, tree, mesh) }
    }

    /// Takes triangles out that were checked.
    pub(crate) fn take_out(&mut self, triangles: &[u32]) -> u32 {
        let Some(mesh) = self.faces.mesh_mut() else { return 0 };
        let mesh = Arc::make_mut(mesh);
        let gone: Vec<u32> = triangles.iter().copied().filter(|&t| mesh.has_triangle(t)).collect();
        let count = mesh.remove_triangles(triangles).unwrap_or(0);
        if count > 0 {
            Arc::make_mut(&mut self.tree).take_out(mesh, &gone);
        }
        count
    }

    /// Puts vertices that were checked in their places, and fits the tree to them.
    pub(crate) fn put(&mut self, first: usize, vertices: &[Point3<f32>]) -> Deformation {
        let Some(mesh) = self.faces.mesh_mut() else { return Deformation { moved: 0.0, rebuilt: false } };
        let mesh = Arc::make_mut(mesh);
        let moved = mesh.set_vertices_from(first, vertices).unwrap_or(0.0);
        let tree = Arc::make_mut(&mut self.tree);
        // It is over the triangles of this very mesh.
        let fits = tree.refit(mesh).is_ok_and(|degradation| !tree.is_worn_out(degradation));
        Deformation { moved, rebuilt: rebuild_unless(fits, tree, mesh) }
    }
}

/// Builds a tree again that does not fit well enough; whether it did.
fn rebuild_unless(fits: bool, tree: &mut ObbTree, mesh: &TriMesh) -> bool {
    if !fits {
        let simd = tree.simd();
        *tree = ObbTree::build(mesh);
        tree.set_simd(simd);
    }
    !fits
}

/// A simple shape (a child of a composite, or the whole shape) made ready for queries.
#[derive(Clone, Debug)]
pub struct Part {
    /// Pose in the collider's frame.
    pub pose: Isometry3<f64>,
    /// What fills it.
    pub solid: Solid,
    /// Box in the part's own frame (m); infinite for a half-space.
    pub aabb: Aabb,
    /// Bounding sphere in the part's own frame (m); of infinite radius for a half-space.
    pub sphere: BoundingSphere,
    /// Triangles: of meshes, hulls and cuboids.
    pub surface: Option<Surface>,
}

impl Part {
    /// The part made of a simple shape that stands at `pose` in the collider's frame.
    pub(crate) fn simple(pose: Isometry3<f64>, shape: &Shape, trees: &mut TreeCache) -> Option<Part> {
        if let Shape::Field(field) = shape {
            return Some(Part::of_field(pose, field, trees.simd()));
        }
        if let Shape::Levels(levels) = shape {
            return Some(Part::of_levels(pose, levels, trees.simd()));
        }
        let (solid, mesh) = match shape {
            Shape::Primitive(primitive) => (Solid::Primitive(*primitive), primitive.surface().map(Arc::new)),
            Shape::Hull(hull) => (Solid::Hull, Some(hull.mesh().clone())),
            Shape::Mesh(mesh) => (Solid::Mesh, Some(mesh.clone())),
            _ => return None,
        };
        let surface = mesh.map(|mesh| Surface::of_mesh(Arc::clone(&mesh), trees.tree(&mesh)));
        Some(Part { pose, solid, aabb: shape.aabb(), sphere: shape.bounding_sphere(), surface })
    }

    /// The part made of a height field.
    fn of_field(pose: Isometry3<f64>, field: &Arc<HeightField>, simd: SimdLevel) -> Part {
        let surface = Surface::of_field(Arc::clone(field), simd);
        let (aabb, sphere) = (field.aabb(), field.bounding_sphere());
        Part { pose, solid: Solid::Mesh, aabb, sphere, surface: Some(surface) }
    }

    /// The part made of a level set.
    fn of_levels(pose: Isometry3<f64>, levels: &Arc<LevelSet>, simd: SimdLevel) -> Part {
        let surface = Surface::of_levels(Arc::clone(levels), simd);
        let (aabb, sphere) = (levels.aabb(), levels.bounding_sphere());
        Part { pose, solid: Solid::Mesh, aabb, sphere, surface: Some(surface) }
    }

    /// The box of a part that is no half-space, in its own frame: of its tree where it has one.
    pub(crate) fn oriented_box(&self) -> OrientedBox {
        match &self.surface {
            Some(surface) => surface.tree.root_box(),
            None => OrientedBox::from_aabb(&self.aabb),
        }
    }

    /// The same in the collider's frame; `None` of a half-space.
    pub(crate) fn placed_box(&self) -> Option<PlacedBox> {
        let bounded = self.sphere.radius.is_finite();
        bounded.then(|| PlacedBox::new(&self.oriented_box(), &self.pose))
    }

    /// Whether the part has an inside: everything but a mesh that is a soup.
    pub fn is_solid(&self) -> bool {
        match (&self.solid, &self.surface) {
            (Solid::Mesh, Some(surface)) => surface.faces().is_closed(),
            (Solid::Mesh, None) => false,
            (Solid::Primitive(_) | Solid::Hull, _) => true,
        }
    }
}
