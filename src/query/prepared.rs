//! Shapes made ready once, for any number of queries and worlds.

use std::sync::Arc;

use impinge_geometry::{Aabb, Shape, SimdLevel};
use impinge_midphase::{DeformError, Deformation, PreparedShape as Prepared, TreeCache};
use nalgebra::{Isometry3, Point3};

use crate::config::claim_thread;

/// A shape with its trees, built once and shared: clones are the same shape. Pairs of prepared shapes
/// ([`PairQuery::between`](crate::PairQuery::between)) and worlds
/// ([`World::add_prepared`](crate::World::add_prepared)) build nothing.
///
/// ```
/// use impinge::prelude::*;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let [ball, cube] = [Shape::sphere(0.5)?, Shape::cuboid([0.5; 3])?].map(|shape| PreparedShape::new(&shape));
/// let apart = Isometry3::translation(1.25, 0.0, 0.0);
/// for (a, b, distance) in [(&ball, &cube, 0.25), (&cube, &cube, 0.25), (&ball, &ball, 0.25)] {
///     let found = PairQuery::between(a, b).distance(&Isometry3::identity(), &apart)?;
///     assert_eq!(found.distance(), distance);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct PreparedShape(Arc<Prepared>);

impl PreparedShape {
    /// Builds the trees of a shape, for the best vector instructions that the processor has.
    pub fn new(shape: &Shape) -> PreparedShape {
        PreparedShape::with_simd(shape, SimdLevel::detect())
    }

    /// As [`PreparedShape::new`], for these vector instructions; no answer depends on them.
    pub fn with_simd(shape: &Shape, simd: SimdLevel) -> PreparedShape {
        PreparedShape::with_trees(shape, &mut TreeCache::with_simd(simd))
    }

    /// Shapes of one mesh share its tree where they share the cache.
    pub(super) fn with_trees(shape: &Shape, trees: &mut TreeCache) -> PreparedShape {
        claim_thread();
        PreparedShape(Arc::new(Prepared::with_trees(shape, trees)))
    }

    /// The shape that was prepared.
    pub fn shape(&self) -> &Shape {
        self.0.shape()
    }

    /// Has the vertices of the mesh that the shape is stand elsewhere (m), for the questions asked from now on; other holders of the prepared
    /// shape keep it as it was. As [`World::set_vertices`](crate::World::set_vertices).
    ///
    /// # Errors
    /// [`DeformError`] for a shape that is no mesh, another number of vertices than it has, and coordinates that are not finite or too
    /// large; nothing has changed then.
    pub fn set_vertices(&mut self, vertices: &[Point3<f32>]) -> Result<Deformation, DeformError> {
        Arc::make_mut(&mut self.0).set_vertices(vertices)
    }

    /// Has some vertices of the mesh that the shape is stand elsewhere (m), each given by its index, as [`PreparedShape::set_vertices`] does with
    /// all: in proportion to what moves. As [`World::edit_vertices`](crate::World::edit_vertices).
    ///
    /// # Errors
    /// As there, and where the mesh has no such vertex.
    pub fn edit_vertices(&mut self, edits: &[(u32, Point3<f32>)]) -> Result<Deformation, DeformError> {
        Arc::make_mut(&mut self.0).edit_vertices(edits)
    }

    /// Takes triangles out of the mesh that the shape is, for the questions asked from now on; gives how many. As
    /// [`World::remove_triangles`](crate::World::remove_triangles).
    ///
    /// # Errors
    /// As there.
    pub fn remove_triangles(&mut self, triangles: &[u32]) -> Result<u32, DeformError> {
        Arc::make_mut(&mut self.0).remove_triangles(triangles)
    }

    /// Box of the shape standing at `pose` (world, m).
    pub fn aabb_at(&self, pose: &Isometry3<f64>) -> Aabb {
        self.0.aabb_at(pose)
    }

    /// Whether all of it has an inside: whether none of its meshes is open.
    pub fn is_solid(&self) -> bool {
        self.0.parts().iter().all(|part| part.is_solid())
    }

    /// Whether both are one prepared shape.
    pub fn is_same(&self, other: &PreparedShape) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// What the stages see of it.
    pub(crate) fn stages(&self) -> &Arc<Prepared> {
        &self.0
    }
}
