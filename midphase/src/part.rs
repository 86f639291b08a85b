//! Shapes prepared for the mid and narrow phase: one part per simple shape.

use std::sync::Arc;

use impinge_geometry::volume::round_up;
use impinge_geometry::{
    Aabb, BoundingSphere, Faces, FacesRef, FieldEdit, HeightField, HeightFieldError, LevelEdit, LevelSet,
    LevelSetError, MeshError, Particles, ParticlesError, Primitive, Shape, SimdLevel, TriMesh,
};
use nalgebra::{Isometry3, Point3};

use crate::obb_tree::{OrientedBox, PlacedBox};
use crate::part_tree::PartTree;
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

    /// Has its vertices stand elsewhere (m): as [`PreparedShape::set_vertices`].
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
    fn check_vertices_from(
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
    fn put_some(&mut self, edits: &[(u32, Point3<f32>)]) -> Deformation {
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
    fn take_out(&mut self, triangles: &[u32]) -> u32 {
        let Some(mesh) = self.faces.mesh_mut() else { return 0 };
        let mesh = Arc::make_mut(mesh);
        let count = mesh.remove_triangles(triangles).unwrap_or(0);
        if count > 0 {
            Arc::make_mut(&mut self.tree).remove_missing(mesh);
        }
        count
    }

    /// Puts vertices that were checked in their places, and fits the tree to them.
    fn put(&mut self, first: usize, vertices: &[Point3<f32>]) -> Deformation {
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
    fn simple(pose: Isometry3<f64>, shape: &Shape, trees: &mut TreeCache) -> Option<Part> {
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
    fn placed_box(&self) -> Option<PlacedBox> {
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

/// What new places have done to a shape ([`PreparedShape::set_vertices`]).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Deformation {
    /// No vertex has moved farther (m).
    pub moved: f64,
    /// Whether the tree was built again.
    pub rebuilt: bool,
}

/// Vertices that a shape cannot take.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DeformError {
    /// The shape is none that has vertices of its own.
    #[error(
        "the shape is no mesh; only a shape made of one `TriMesh` can deform, no primitive, hull or composite"
    )]
    NotAMesh,
    /// The shape is none that has a size.
    #[error(
        "the shape is no primitive; only a shape made of one `Primitive` is resized, others are replaced"
    )]
    NotAPrimitive,
    /// The mesh cannot take them.
    #[error(transparent)]
    Vertices(#[from] MeshError),
    /// The shape is none that has heights.
    #[error("the shape is no height field; only a shape made of one `HeightField` has heights")]
    NotAField,
    /// The height field cannot take them.
    #[error(transparent)]
    Heights(#[from] HeightFieldError),
    /// The shape is none that has levels.
    #[error("the shape is no level set; only a shape made of one `LevelSet` has values")]
    NotLevels,
    /// The level set cannot take them.
    #[error(transparent)]
    Levels(#[from] LevelSetError),
    /// The shape is none that has particles.
    #[error("the shape is none of particles; only a shape made of `Particles` has centres")]
    NotParticles,
    /// The particles cannot be put there.
    #[error(transparent)]
    Centers(#[from] ParticlesError),
}

/// A shape made ready for queries, shared by all colliders that place it. Particles have no parts.
#[derive(Clone, Debug)]
pub struct PreparedShape {
    parts: Vec<Part>,
    tree: PartTree,
    sphere: BoundingSphere,
    shape: Shape,
}

impl PreparedShape {
    /// Prepares a shape: builds a tree for every mesh, hull and cuboid in it, one for all children
    /// that share a mesh.
    pub fn new(shape: &Shape) -> PreparedShape {
        PreparedShape::with_trees(shape, &mut TreeCache::default())
    }

    /// As [`PreparedShape::new`], with the trees of meshes that other shapes have already.
    pub fn with_trees(shape: &Shape, trees: &mut TreeCache) -> PreparedShape {
        let identity = Isometry3::identity();
        let parts: Vec<Part> = match shape {
            Shape::Composite(composite) => {
                composite.children().iter().filter_map(|(pose, s)| Part::simple(*pose, s, trees)).collect()
            }
            simple => Part::simple(identity, simple, trees).into_iter().collect(),
        };
        let boxes = parts.iter().map(Part::placed_box);
        let tree = PartTree::new(boxes, trees.simd());
        let sphere = match shape {
            Shape::Particles(particles) => particles.bounding_sphere(),
            _ => sphere(&parts),
        };
        PreparedShape { tree, sphere, parts, shape: shape.clone() }
    }

    /// The parts, in the order of a composite's children.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Has the vertices of the mesh that the shape is stand elsewhere (m): [`PreparedShape::set_vertices_from`] of all.
    ///
    /// # Errors
    /// As there, and [`MeshError::VertexCount`] unless there are as many as before.
    pub fn set_vertices(&mut self, vertices: &[Point3<f32>]) -> Result<Deformation, DeformError> {
        if let Shape::Mesh(mesh) = &self.shape
            && mesh.vertices().len() != vertices.len()
        {
            let (given, expected) = (vertices.len(), mesh.vertices().len());
            return Err(MeshError::VertexCount { given, expected }.into());
        }
        self.set_vertices_from(0, vertices)
    }

    /// Has the vertices of the mesh that the shape is from index `first` on stand elsewhere (m). Triangles and topology
    /// stay; the tree is fitted to the new places ([`ObbTree::refit`]), and built again where that has left it too costly to search
    /// ([`ObbTree::is_worn_out`]). What others hold of the mesh and tree stays as it was; where
    /// nothing else holds them, they change in place. The result is the same for any number of threads.
    ///
    /// # Errors
    /// [`DeformError::NotAMesh`], or [`DeformError::Vertices`]; the shape is then as it was.
    pub fn set_vertices_from(
        &mut self,
        first: usize,
        vertices: &[Point3<f32>],
    ) -> Result<Deformation, DeformError> {
        match self.own_surface()?.check_vertices_from(first, vertices)? {
            Some(still) => Ok(still),
            None => self.change_surface(|surface| surface.put(first, vertices)),
        }
    }

    /// Has some vertices of the mesh that the shape is stand elsewhere (m), each given by its index: as [`PreparedShape::set_vertices_from`],
    /// but that the tree's boxes above other triangles are left as they are, so that it costs in proportion to what moves, besides the bounds of
    /// the mesh. Boxes above many triangles only grow.
    ///
    /// # Errors
    /// As there, and as [`TriMesh::check_edits`].
    pub fn edit_vertices(&mut self, edits: &[(u32, Point3<f32>)]) -> Result<Deformation, DeformError> {
        self.check_edits(edits)?;
        let mesh = self.own_surface()?.mesh().ok_or(DeformError::NotAMesh)?;
        if edits.iter().all(|(vertex, to)| mesh.vertices()[*vertex as usize] == *to) {
            return Ok(Deformation { moved: 0.0, rebuilt: false });
        }
        self.change_surface(|surface| surface.put_some(edits))
    }

    /// Whether vertices of the mesh that the shape is can stand at these places (m).
    ///
    /// # Errors
    /// [`DeformError::NotAMesh`], or as [`TriMesh::check_edits`].
    pub fn check_edits(&self, edits: &[(u32, Point3<f32>)]) -> Result<(), DeformError> {
        Ok(self.own_surface()?.mesh().ok_or(DeformError::NotAMesh)?.check_edits(edits)?)
    }

    /// Takes triangles out of the mesh that the shape is ([`TriMesh::remove_triangles`]); gives how many. What others hold of it stays as it was;
    /// where nothing else holds it, it changes in place.
    ///
    /// # Errors
    /// [`DeformError::NotAMesh`], or [`DeformError::Vertices`]; the shape is then as it was.
    pub fn remove_triangles(&mut self, triangles: &[u32]) -> Result<u32, DeformError> {
        self.own_surface()?.mesh().ok_or(DeformError::NotAMesh)?.check_removal(triangles)?;
        self.change_surface(|surface| surface.take_out(triangles))
    }

    /// The surface of the mesh that the shape is.
    fn own_surface(&self) -> Result<&Surface, DeformError> {
        match (&self.shape, &self.parts[..]) {
            (Shape::Mesh(_), [Part { surface: Some(surface), .. }]) => Ok(surface),
            _ => Err(DeformError::NotAMesh),
        }
    }

    /// Changes the surface of the mesh that the shape is, and what follows from it.
    fn change_surface<T>(&mut self, change: impl FnOnce(&mut Surface) -> T) -> Result<T, DeformError> {
        let [Part { surface: Some(surface), aabb, sphere, .. }] = &mut self.parts[..] else {
            return Err(DeformError::NotAMesh);
        };
        // The shape gives its hold of the mesh up, so that the part's is the only one.
        self.shape = Shape::half_space();
        let changed = change(surface);
        let Some(mesh) = surface.mesh() else { return Err(DeformError::NotAMesh) };
        (*aabb, *sphere) = (mesh.aabb(), mesh.bounding_sphere());
        self.sphere = *sphere;
        self.shape = Shape::Mesh(Arc::clone(mesh));
        self.tree.set_only(self.parts[0].placed_box());
        Ok(changed)
    }

    /// Changes the height field that the shape is. What others hold of it stays as it was; where nothing else holds it,
    /// it changes in place.
    ///
    /// # Errors
    /// [`DeformError::NotAField`], or [`DeformError::Heights`]; the shape is then as it was.
    pub fn edit_field(
        &mut self,
        edit: impl FnOnce(&mut HeightField) -> Result<FieldEdit, HeightFieldError>,
    ) -> Result<FieldEdit, DeformError> {
        let (Shape::Field(_), [Part { surface: Some(surface), aabb, sphere, .. }]) =
            (&self.shape, &mut self.parts[..])
        else {
            return Err(DeformError::NotAField);
        };
        let Faces::Field(field) = &mut surface.faces else { return Err(DeformError::NotAField) };
        // The shape and the tree give their holds of the field up.
        self.shape = Shape::half_space();
        let simd = surface.tree.simd();
        surface.tree = Arc::new(ObbTree::default());
        let edited = edit(Arc::make_mut(field));
        let field = Arc::clone(field);
        self.shape = Shape::Field(Arc::clone(&field));
        (*aabb, *sphere) = (field.aabb(), field.bounding_sphere());
        *surface = Surface::of_field(field, simd);
        self.sphere = *sphere;
        self.tree.set_only(self.parts[0].placed_box());
        Ok(edited?)
    }

    /// Changes the level set that the shape is. What others hold of it stays as it was; where nothing else holds it, it changes in place.
    ///
    /// # Errors
    /// [`DeformError::NotLevels`], or [`DeformError::Levels`]; the shape is then as it was.
    pub fn edit_levels(
        &mut self,
        edit: impl FnOnce(&mut LevelSet) -> Result<LevelEdit, LevelSetError>,
    ) -> Result<LevelEdit, DeformError> {
        let (Shape::Levels(_), [Part { surface: Some(surface), aabb, sphere, .. }]) =
            (&self.shape, &mut self.parts[..])
        else {
            return Err(DeformError::NotLevels);
        };
        let Faces::Levels(levels) = &mut surface.faces else { return Err(DeformError::NotLevels) };
        // The shape and the tree give their holds of it up.
        self.shape = Shape::half_space();
        let simd = surface.tree.simd();
        surface.tree = Arc::new(ObbTree::default());
        let edited = edit(Arc::make_mut(levels));
        let levels = Arc::clone(levels);
        self.shape = Shape::Levels(Arc::clone(&levels));
        (*aabb, *sphere) = (levels.aabb(), levels.bounding_sphere());
        *surface = Surface::of_levels(levels, simd);
        self.sphere = *sphere;
        self.tree.set_only(self.parts[0].placed_box());
        Ok(edited?)
    }

    /// Puts particles of the shape from index `first` on elsewhere (m), and gives how far one has moved at most (m). What others hold of them
    /// stays where it was; where nothing else holds them, they move in place.
    ///
    /// # Errors
    /// [`DeformError::NotParticles`], or [`DeformError::Centers`]; the shape is then as it was.
    pub fn set_centers(&mut self, first: usize, centers: &[Point3<f32>]) -> Result<f64, DeformError> {
        let Shape::Particles(particles) = &mut self.shape else { return Err(DeformError::NotParticles) };
        let particles = Arc::make_mut(particles);
        let moved = particles.set_centers(first, centers)?;
        self.sphere = particles.bounding_sphere();
        Ok(moved)
    }

    /// The particles that the shape is.
    pub fn particles(&self) -> Option<&Particles> {
        match &self.shape {
            Shape::Particles(particles) => Some(particles),
            _ => None,
        }
    }

    pub(crate) fn part_tree(&self) -> &PartTree {
        &self.tree
    }

    /// The shape that was prepared.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// A sphere that holds the shape (its own frame, m); infinite where the shape is.
    pub fn sphere(&self) -> &BoundingSphere {
        &self.sphere
    }

    /// Box of the shape standing at `pose` (world, m).
    pub fn aabb_at(&self, pose: &Isometry3<f64>) -> Aabb {
        self.shape.aabb_at(pose)
    }
}

/// A sphere that holds the spheres of some parts, about the middle of their centres' box.
fn sphere(parts: &[Part]) -> BoundingSphere {
    if let [only] = parts
        && only.pose == Isometry3::identity()
    {
        return only.sphere;
    }
    let center = |part: &Part| part.pose * part.sphere.center.cast::<f64>();
    let first = parts.first().map_or_else(Point3::origin, center);
    let [low, high] = parts.iter().map(center).fold([first; 2], |[low, high], p| [low.inf(&p), high.sup(&p)]);
    let middle: Point3<f32> = nalgebra::center(&low, &high).cast();
    let reach = |part: &Part| (center(part) - middle.cast::<f64>()).norm() + f64::from(part.sphere.radius);
    let radius = parts.iter().map(reach).fold(0.0, f64::max);
    BoundingSphere { center: middle, radius: round_up(radius * (1.0 + 1e-12)) }
}
