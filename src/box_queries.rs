//! Questions about the colliders' boxes: what may be in a box or a sphere, what may a ray or a moving box
//! meet. They are what an exact question begins with.

use impinge_broadphase::{BroadPhaseError, Filter, Queries, Ray, Touch};
use impinge_geometry::{Aabb, ColliderId};

use crate::slots::Slots;
use crate::world::{HeldCollider, id_at};
use crate::{World, WorldError};

/// Answers about the boxes of a world's colliders where they stand now; see [`World::box_queries`].
///
/// Boxes are grown by half the contact margin and by [`WorldBuilder::fat_boxes`](crate::WorldBuilder::fat_boxes).
/// Each question takes the filter of the one who asks: only colliders that it allows are found, and none
/// that is parked. The answers are the same to the last bit for any number of threads, and may be asked
/// for from many threads at once.
#[derive(Clone, Copy, Debug)]
pub struct BoxQueries<'w> {
    queries: Queries<'w>,
    colliders: &'w Slots<HeldCollider>,
}

/// A box met on the way of a ray or of a moving box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxTouch {
    /// Whose box it is.
    pub collider: ColliderId,
    /// When it is first touched: t of a ray, or the part of the way of a moving box; 0 where they overlap
    /// at the start.
    pub time: f64,
}

impl World {
    /// Makes ready for questions about boxes. Costs a pass over the colliders where most of them moved
    /// since the last time, and nothing where few or none did.
    ///
    /// ```
    /// use impinge::prelude::*;
    /// use impinge::{Filter, Ray};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut world = World::builder().backend(Backend::Cpu).build()?;
    /// let ball = world.add_shape(Shape::sphere(0.5)?)?;
    /// let near = world.add_collider(Collider::new(ball).position([2.0, 0.0, 0.0]))?;
    /// let far = world.add_collider(Collider::new(ball).position([5.0, 0.0, 0.0]).groups(2))?;
    ///
    /// let boxes = world.box_queries();
    /// let anyone = Filter::default();
    /// assert_eq!(boxes.in_sphere([1.0, 0.0, 0.0], 0.6, &anyone)?, [near]);
    /// let ray = Ray { origin: [0.0; 3], direction: [1.0, 0.0, 0.0], length: f32::INFINITY };
    /// let first = boxes.first_on_ray(&ray, &Filter { mask: 2, ..anyone })?.ok_or("nothing there")?;
    /// assert_eq!(first.collider, far);
    /// assert!((first.time - 4.5).abs() < 1e-6);
    /// # Ok(())
    /// # }
    /// ```
    pub fn box_queries(&mut self) -> BoxQueries<'_> {
        self.move_boxes();
        let (pool, broadphase) = (&self.pool, &mut self.broadphase);
        pool.install(|| broadphase.update());
        BoxQueries { queries: pool.install(|| broadphase.queries()), colliders: &self.colliders }
    }

    /// Says where a collider is going (m per step): where boxes are fat, the greater part of its box's
    /// margin will lie on that side, and not on the side to which it went before. A motion of zero takes
    /// that back. The contacts do not depend on it.
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`], or a motion that is not finite as `f32`.
    pub fn set_motion(&mut self, id: ColliderId, motion: [f64; 3]) -> Result<(), WorldError> {
        if self.colliders.get(id.index, id.generation).is_none() {
            return Err(WorldError::UnknownCollider { id });
        }
        Ok(self.broadphase.set_motion(id.index, motion.map(|x| x as f32))?)
    }
}

impl BoxQueries<'_> {
    /// The colliders whose boxes share a point with a box (m), in the order of their slots.
    ///
    /// # Errors
    /// A box with NaN or a minimum above its maximum.
    pub fn in_box(&self, aabb: &Aabb, asker: &Filter) -> Result<Vec<ColliderId>, WorldError> {
        self.named(self.queries.in_box(aabb, asker))
    }

    /// The colliders whose boxes come as near to a point as `radius` (m), in the order of their slots.
    ///
    /// # Errors
    /// A centre that is not finite, or a radius that is NaN or negative.
    pub fn in_sphere(
        &self,
        center: [f32; 3],
        radius: f32,
        asker: &Filter,
    ) -> Result<Vec<ColliderId>, WorldError> {
        self.named(self.queries.in_sphere(center, radius, asker))
    }

    /// The first collider whose box a ray meets; of several at the same time, that of the lowest slot.
    ///
    /// # Errors
    /// An origin or direction that is not finite, or a length that is NaN or negative.
    pub fn first_on_ray(&self, ray: &Ray, asker: &Filter) -> Result<Option<BoxTouch>, WorldError> {
        Ok(self.queries.first_on_ray(ray, asker)?.map(|touch| self.touch(touch)))
    }

    /// All colliders whose boxes a ray meets, by time, then slot.
    ///
    /// # Errors
    /// An origin or direction that is not finite, or a length that is NaN or negative.
    pub fn all_on_ray(&self, ray: &Ray, asker: &Filter) -> Result<Vec<BoxTouch>, WorldError> {
        Ok(self.queries.all_on_ray(ray, asker)?.into_iter().map(|touch| self.touch(touch)).collect())
    }

    /// The first collider whose box is touched by a box that moves by `way` (m); of several at the same
    /// time, that of the lowest slot.
    ///
    /// # Errors
    /// A box that is not finite or has a minimum above its maximum, or a way that is not finite.
    pub fn first_on_way(
        &self,
        aabb: &Aabb,
        way: [f32; 3],
        asker: &Filter,
    ) -> Result<Option<BoxTouch>, WorldError> {
        Ok(self.queries.first_on_way(aabb, way, asker)?.map(|touch| self.touch(touch)))
    }

    /// All colliders whose boxes are touched by a box that moves by `way` (m), by time, then slot.
    ///
    /// # Errors
    /// A box that is not finite or has a minimum above its maximum, or a way that is not finite.
    pub fn all_on_way(
        &self,
        aabb: &Aabb,
        way: [f32; 3],
        asker: &Filter,
    ) -> Result<Vec<BoxTouch>, WorldError> {
        Ok(self.queries.all_on_way(aabb, way, asker)?.into_iter().map(|touch| self.touch(touch)).collect())
    }

    fn named(&self, slots: Result<Vec<u32>, BroadPhaseError>) -> Result<Vec<ColliderId>, WorldError> {
        Ok(slots?.into_iter().map(|slot| id_at(self.colliders, slot)).collect())
    }

    fn touch(&self, touch: Touch) -> BoxTouch {
        BoxTouch { collider: id_at(self.colliders, touch.slot), time: touch.time }
    }
}
