//! A shape's parts, and what changes them in place.

use std::sync::Arc;

use impinge_geometry::volume::round_up;
use impinge_geometry::{
    Aabb, BoundingSphere, Faces, FieldEdit, HeightField, HeightFieldError, LevelEdit, LevelSet,
    LevelSetError, MeshError, Particles, Shape,
};
use nalgebra::{Isometry3, Point3};

use crate::deformation::{DeformError, Deformation};
use crate::part::{Part, Surface};
use crate::part_tree::PartTree;
use crate::{ObbTree, TreeCache};

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
    /// but that the tree's boxes above other triangles are left as they are, so that it costs in proportion to what moves, where the bounds of
    /// the mesh do not change. Boxes above many triangles only grow.
    ///
    /// # Errors
    /// As there, and as [`TriMesh::check_edits`](impinge_geometry::TriMesh::check_edits).
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
    /// [`DeformError::NotAMesh`], or as [`TriMesh::check_edits`](impinge_geometry::TriMesh::check_edits).
    pub fn check_edits(&self, edits: &[(u32, Point3<f32>)]) -> Result<(), DeformError> {
        Ok(self.own_surface()?.mesh().ok_or(DeformError::NotAMesh)?.check_edits(edits)?)
    }

    /// Takes triangles out of the mesh that the shape is ([`TriMesh::remove_triangles`](impinge_geometry::TriMesh::remove_triangles)); gives how many. What others hold of it stays as it was;
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
