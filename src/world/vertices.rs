//! Meshes that deform.

use std::collections::BTreeSet;
use std::sync::Arc;

use impinge_geometry::{Aabb, Shape, ShapeId, TriMesh};
use impinge_midphase::{DeformError, Deformation, PreparedShape};
use nalgebra::Point3;

use super::World;
use super::step::StepState;
use crate::WorldError;

impl World {
    /// Has the vertices of a mesh stand elsewhere (m, the colliders' frame): a body that deforms. All colliders that place the
    /// shape change with it; their names, pairs, impulses and what their pairs remember stay, as do triangles and topology, whatever the new
    /// places make of them ([`TriMesh::with_vertices`](impinge_geometry::TriMesh::with_vertices)). It is a jump, as
    /// [`World::set_pose`] is: the next step finds the contacts of the places given last, and solvers see no velocity
    /// of the change, but its pairs are [`World::edited_pairs`] of the next step.
    ///
    /// The mesh's own vertices are meant, as [`World::shape`] gives them: those that a repair or virtual faces have added come last.
    /// Costs a copy, the bounds and a fit of the tree's boxes. Where the fits have left the tree worse to search than it was when it was built, boxes get
    /// new axes, an eighth of them in a call; where that does not help, it is built again ([`Deformation::rebuilt`]). Nothing is allocated
    /// while the world alone holds the mesh and the tree is kept, from the second call on. (On a GPU the vertices are sent again with the next step, and the mesh gets a new
    /// address.)
    ///
    /// ```
    /// use impinge::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut world = World::builder().backend(Backend::Cpu).build()?;
    /// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Point3::from);
    /// let wedge = TriMesh::new(corners.to_vec(), vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
    /// let wedge = world.add_shape(wedge)?;
    /// let ball = world.add_shape(Shape::sphere(0.5)?)?;
    /// world.add_collider(Collider::new(wedge))?;
    /// world.add_collider(Collider::new(ball).position([0.1, 0.1, 1.75]))?;
    /// assert_eq!(world.step().counts.touching, 0);
    ///
    /// // Its tip is pulled up into the ball.
    /// world.set_vertices_from(wedge, 3, &[Point3::new(0.0, 0.0, 1.5)])?;
    /// assert_eq!(world.step().counts.touching, 1);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`WorldError::UnknownShape`], or [`WorldError::Deform`] for a shape that is no mesh, another number of vertices than it has, and
    /// coordinates that are not finite or too large. Nothing has changed then.
    pub fn set_vertices(
        &mut self,
        shape: ShapeId,
        vertices: &[Point3<f32>],
    ) -> Result<Deformation, WorldError> {
        self.deform(shape, |prepared| prepared.set_vertices(vertices), |deformation| deformation.moved)
    }

    /// As [`World::set_vertices`], of the vertices from index `first` on; the others stay where they are.
    ///
    /// # Errors
    /// As there, and where the mesh has no such vertices. Coordinates are counted from `first`.
    pub fn set_vertices_from(
        &mut self,
        shape: ShapeId,
        first: usize,
        vertices: &[Point3<f32>],
    ) -> Result<Deformation, WorldError> {
        self.deform(
            shape,
            |prepared| prepared.set_vertices_from(first, vertices),
            |deformation| deformation.moved,
        )
    }

    /// Has some vertices of a mesh stand elsewhere (m, the colliders' frame), each given by its index; the others stay where they are. As
    /// [`World::set_vertices`], but in proportion to what moves: what a terrain needs of which a wheel presses a few vertices down. All vertices are looked
    /// at only in the first call, and where the mesh's bounds change. Pairs whose boxes it does not reach keep their answers; those that it reaches are [`World::edited_pairs`] of
    /// the next step.
    ///
    /// # Errors
    /// As there, and where the mesh has no such vertex.
    pub fn edit_vertices(
        &mut self,
        shape: ShapeId,
        edits: &[(u32, Point3<f32>)],
    ) -> Result<Deformation, WorldError> {
        let edit = |prepared: &mut PreparedShape| {
            let around = |prepared: &PreparedShape| {
                own_triangles(prepared, |mesh| {
                    edits.iter().flat_map(|(v, _)| mesh.triangles_around(*v)).copied().collect()
                })
            };
            // Checked before the region is asked for, which names vertices.
            prepared.check_edits(edits)?;
            let before = around(prepared);
            let deformation = prepared.edit_vertices(edits)?;
            let region = if deformation.moved > 0.0 { before.merged(&around(prepared)) } else { Aabb::EMPTY };
            Ok((deformation, region))
        };
        self.edit(shape, edit, |(_, region)| *region).map(|(deformation, _)| deformation)
    }

    /// Takes triangles out of a mesh, by their index; gives how many. The others keep theirs, and the mesh answers as one that was made
    /// without them ([`TriMesh::remove_triangles`](impinge_geometry::TriMesh::remove_triangles)): a closed one has no inside any more. All colliders that
    /// place the shape change with it; their names, pairs, impulses and what their pairs remember stay. Pairs that it reaches are
    /// [`World::edited_pairs`] of the next step.
    ///
    /// ```
    /// use impinge::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut world = World::builder().backend(Backend::Cpu).build()?;
    /// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]].map(Point3::from);
    /// let floor = world.add_shape(TriMesh::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]])?)?;
    /// let ball = world.add_shape(Shape::sphere(0.1)?)?;
    /// world.add_collider(Collider::new(floor).fixed(true))?;
    /// world.add_collider(Collider::new(ball).position([0.25, 0.75, 0.0]))?;
    /// assert_eq!(world.step().counts.touching, 1);
    ///
    /// // The half under the ball is dug away.
    /// assert_eq!(world.remove_triangles(floor, &[1])?, 1);
    /// assert_eq!(world.step().counts.touching, 0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`WorldError::UnknownShape`], or [`WorldError::Deform`] for a shape that is no mesh or one closed by virtual faces, for a triangle that it
    /// does not have, and where none would be left. Nothing has changed then.
    pub fn remove_triangles(&mut self, shape: ShapeId, triangles: &[u32]) -> Result<u32, WorldError> {
        let remove = |prepared: &mut PreparedShape| {
            let whole = prepared.shape().aabb();
            let was_solid = prepared.parts().iter().all(|part| part.is_solid());
            let gone = own_triangles(prepared, |mesh| {
                triangles.iter().copied().filter(|&t| mesh.has_triangle(t)).collect()
            });
            let count = prepared.remove_triangles(triangles)?;
            // Where there is an inside no longer, or again, bodies far from its surface are reached.
            let same = prepared.parts().iter().all(|part| part.is_solid()) == was_solid;
            Ok((count, if same { gone } else { whole }))
        };
        self.edit(shape, remove, |(_, region)| *region).map(|(count, _)| count)
    }

    /// Changes a shape where it is held; `moved` tells by how much at most (m).
    pub(super) fn deform<T: Send>(
        &mut self,
        id: ShapeId,
        change: impl FnOnce(&mut PreparedShape) -> Result<T, DeformError> + Send,
        moved: impl FnOnce(&T) -> f64,
    ) -> Result<T, WorldError> {
        self.change_shape(id, change, |changed, state, slots| {
            let moved = moved(changed);
            for &slot in slots {
                if let Some(collider) = state.colliders.at_mut(slot) {
                    collider.travel += moved;
                    collider.deformed |= moved > 0.0 && collider.prepared.particles().is_none();
                }
                if moved > 0.0 {
                    state.mark(slot);
                }
            }
        })
    }

    /// Changes a part of a shape where it is held; `region` tells the box beyond which nothing has changed (m, the shape's frame).
    pub(super) fn edit<T: Send>(
        &mut self,
        id: ShapeId,
        change: impl FnOnce(&mut PreparedShape) -> Result<T, DeformError> + Send,
        region: impl FnOnce(&T) -> Aabb,
    ) -> Result<T, WorldError> {
        self.change_shape(id, change, |changed, state, slots| {
            let region = region(changed);
            if region.is_valid() {
                slots.iter().for_each(|&slot| state.mark_edit(slot, &region));
            }
        })
    }

    /// Changes a shape where it is held; `mark` has its colliders, by their slots, seen to in the next step.
    fn change_shape<T: Send>(
        &mut self,
        id: ShapeId,
        change: impl FnOnce(&mut PreparedShape) -> Result<T, DeformError> + Send,
        mark: impl FnOnce(&T, &mut StepState, &BTreeSet<u32>),
    ) -> Result<T, WorldError> {
        let World { pool, shapes, state, vacant, .. } = self;
        let held = shapes.get_mut(id.index, id.generation).ok_or(WorldError::UnknownShape { id })?;
        let state = &mut **state;
        // The world's colliders let go, so that what nothing else holds changes in place.
        for &slot in &held.colliders {
            if let Some(collider) = state.colliders.at_mut(slot) {
                collider.prepared = Arc::clone(vacant);
            }
        }
        let changed = pool.install(|| change(Arc::make_mut(&mut held.prepared)));
        for &slot in &held.colliders {
            if let Some(collider) = state.colliders.at_mut(slot) {
                collider.prepared = Arc::clone(&held.prepared);
                collider.forget_own_pairs();
            }
        }
        if let Ok(changed) = &changed {
            mark(changed, state, &held.colliders);
        }
        changed.map_err(|error| WorldError::Deform { id, error })
    }
}

/// The box of some triangles of the mesh that a shape is (m, its frame); empty for other shapes.
fn own_triangles(prepared: &PreparedShape, triangles: impl FnOnce(&TriMesh) -> Vec<u32>) -> Aabb {
    let Shape::Mesh(mesh) = prepared.shape() else { return Aabb::EMPTY };
    let corners: Vec<Point3<f32>> = triangles(mesh).into_iter().flat_map(|t| mesh.corners(t)).collect();
    Aabb::of_points(&corners)
}
