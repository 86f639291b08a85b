//! Shapes that others take the place of.

use std::sync::Arc;

use impinge_broadphase::BroadPhaseError;
use impinge_geometry::{Primitive, Shape, ShapeId};
use impinge_midphase::{DeformError, PreparedShape as Prepared, TreeCache};

use super::World;
use crate::{PreparedShape, WorldError};

impl World {
    /// Puts another shape in the place of one: all colliders that place it now place the new one, under the same name. Pairs go on: impulses are
    /// kept by contacts that are found again near where they were. (Only where particles or a half-space come or go do pairs start from
    /// nothing.) Ground that is loaded under a vehicle is a use of it. It is a jump, as [`World::set_pose`] is. Pairs that it reaches are
    /// [`World::edited_pairs`] of the next step.
    ///
    /// The trees of the new shape are built here; [`World::replace_prepared`] takes one that was made ready aside. Gives the old shape.
    ///
    /// ```
    /// use impinge::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut world = World::builder().backend(Backend::Cpu).build()?;
    /// let ground = world.add_shape(Shape::cuboid([4.0, 4.0, 0.5])?)?;
    /// let ball = world.add_shape(Shape::sphere(0.5)?)?;
    /// let under = world.add_collider(Collider::new(ground).fixed(true))?;
    /// world.add_collider(Collider::new(ball).position([0.0, 0.0, 1.25]))?;
    /// assert_eq!(world.step().counts.touching, 0);
    ///
    /// world.replace_shape(ground, Shape::cuboid([4.0, 4.0, 1.0])?)?;
    /// assert_eq!(world.step().counts.touching, 1);
    /// assert_eq!(world.shape_of(under)?, ground);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`WorldError::UnknownShape`], [`WorldError::Shape`] for a size that cannot be used, or [`WorldError::Boxes`] where the new shape has no box
    /// at the pose of a collider. Nothing has changed then.
    pub fn replace_shape(&mut self, shape: ShapeId, new: impl Into<Shape>) -> Result<Shape, WorldError> {
        self.held_shape(shape)?;
        let new = new.into();
        new.check()?;
        let mut trees = TreeCache::with_simd(self.state.config.boxes.simd);
        let prepared = Arc::new(self.pool.install(|| Prepared::with_trees(&new, &mut trees)));
        self.put_in_place(shape, prepared)
    }

    /// As [`World::replace_shape`], by a shape that was made ready before, on another thread perhaps: then it costs as much as moving the
    /// colliders.
    ///
    /// # Errors
    /// As there.
    pub fn replace_prepared(&mut self, shape: ShapeId, new: &PreparedShape) -> Result<Shape, WorldError> {
        self.held_shape(shape)?;
        let prepared = Arc::clone(new.stages());
        prepared.shape().check()?;
        self.put_in_place(shape, prepared)
    }

    /// Gives a primitive other sizes, or makes another primitive of it: [`World::replace_shape`] of a shape that is one.
    ///
    /// # Errors
    /// As there, and [`WorldError::Deform`] for a shape that is no primitive.
    pub fn resize(&mut self, shape: ShapeId, primitive: Primitive) -> Result<(), WorldError> {
        match self.held_shape(shape)?.prepared.shape() {
            Shape::Primitive(_) => self.replace_shape(shape, primitive).map(|_| ()),
            _ => Err(WorldError::Deform { id: shape, error: DeformError::NotAPrimitive }),
        }
    }

    fn put_in_place(&mut self, id: ShapeId, new: Arc<Prepared>) -> Result<Shape, WorldError> {
        let World { shapes, state, .. } = self;
        let held = shapes.get_mut(id.index, id.generation).ok_or(WorldError::UnknownShape { id })?;
        let state = &mut **state;
        let placing = |slot: u32| state.colliders.at(slot).map(|held| (slot, held.collider.pose));
        for (slot, pose) in held.colliders.iter().filter_map(|&slot| placing(slot)) {
            let aabb = new.aabb_at(&pose);
            if !aabb.is_valid() {
                return Err(WorldError::Boxes(BroadPhaseError::InvalidAabb { slot, aabb }));
            }
        }
        let old = std::mem::replace(&mut held.prepared, Arc::clone(&new));
        // Vertices on a device were those of the former.
        state.device_bodies.forget(id);
        let fresh = [&old, &new].iter().any(|shape| shape.particles().is_some())
            || [&old, &new].iter().any(|shape| shape.sphere().radius.is_infinite());
        // All of it counts as moved by its size: no answer of before stands.
        let moved = 2.0 * f64::from(old.sphere().radius.max(new.sphere().radius));
        let region = old.shape().aabb().merged(&new.shape().aabb());
        for &slot in &held.colliders {
            if let Some(collider) = state.colliders.at_mut(slot) {
                collider.prepared = Arc::clone(&new);
                collider.on_device = None;
                collider.forget_own_pairs();
                if fresh {
                    collider.revision = collider.revision.wrapping_add(1);
                } else {
                    collider.travel += moved;
                }
            }
            if let Some(collider) = state.colliders.at(slot) {
                state.clouds.set(slot, collider);
            }
            if fresh {
                state.mark(slot);
            } else {
                state.mark_edit(slot, &region);
            }
        }
        Ok(old.shape().clone())
    }
}
