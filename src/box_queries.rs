//! Questions about the colliders' boxes: which overlap a box or a sphere, which a ray or a moving box hits.
//! Exact questions begin with them.

use impinge_broadphase::{Asker, BroadPhaseError, Filter, Queries, Ray, Touch};
use impinge_geometry::{Aabb, ColliderId};
use nalgebra::{Point3, Vector3};

use rayon::ThreadPool;

use crate::slots::Slots;
use crate::world::{HeldCollider, StepState, id_at};
use crate::{QueryFilter, World, WorldError};

/// Answers about the boxes of a world's colliders where they stand now; see [`World::box_queries`].
///
/// Boxes are grown by half the contact margin and by [`WorldBuilder::fat_boxes`](crate::WorldBuilder::fat_boxes).
/// Each question takes a filter: only colliders that it accepts are found, and none that is disabled. The answers
/// are the same to the last bit for any number of threads, and may be asked for from many threads at once.
#[derive(Clone, Copy, Debug)]
pub struct BoxQueries<'w> {
    queries: Queries<'w>,
    colliders: &'w Slots<HeldCollider>,
}

/// A box hit by a ray or by a moving box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxHit {
    /// The collider whose box it is.
    pub collider: ColliderId,
    /// When it is first hit: the ray's t, or the fraction of the moving box's translation (0 to 1); 0 where
    /// they overlap at the start.
    pub time: f64,
}

impl World {
    /// Prepares questions about boxes. Costs a pass over the colliders where most of them moved
    /// since the last time, and nothing where few or none did.
    ///
    /// ```
    /// use impinge::prelude::*;
    /// use impinge::{QueryFilter, Ray};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut world = World::builder().backend(Backend::Cpu).build()?;
    /// let ball = world.add_shape(Shape::sphere(0.5)?)?;
    /// let near = world.add_collider(Collider::new(ball).position([2.0, 0.0, 0.0]))?;
    /// let far = world.add_collider(Collider::new(ball).position([5.0, 0.0, 0.0]).groups(2))?;
    ///
    /// let boxes = world.box_queries();
    /// let all = QueryFilter::new();
    /// assert_eq!(boxes.intersect_sphere([1.0, 0.0, 0.0], 0.6, &all)?, [near]);
    /// let ray = Ray { origin: [0.0; 3], direction: [1.0, 0.0, 0.0], length: f32::INFINITY };
    /// let first = boxes.cast_ray(&ray, &all.mask(2))?.ok_or("nothing there")?;
    /// assert_eq!(first.collider, far);
    /// assert!((first.time - 4.5).abs() < 1e-6);
    /// # Ok(())
    /// # }
    /// ```
    pub fn box_queries(&mut self) -> BoxQueries<'_> {
        let World { pool, state, .. } = self;
        state.box_queries(pool)
    }

    /// Announces the motion of a collider (m per step): where boxes are fat, the greater part of its box's
    /// margin then lies ahead of it. A motion of zero takes that back. The contacts do not depend on it.
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`], or a motion that is not finite as `f32`.
    pub fn set_motion(&mut self, id: ColliderId, motion: [f64; 3]) -> Result<(), WorldError> {
        self.state.collider(id)?;
        Ok(self.state.broadphase.set_motion(id.index, motion.map(|x| x as f32))?)
    }
}

impl StepState {
    /// As [`World::box_queries`].
    pub fn box_queries(&mut self, pool: &ThreadPool) -> BoxQueries<'_> {
        self.move_boxes(pool);
        let StepState { broadphase, colliders, .. } = self;
        pool.install(|| broadphase.update());
        BoxQueries { queries: pool.install(|| broadphase.queries()), colliders }
    }
}

impl BoxQueries<'_> {
    /// A collider that was found.
    pub(crate) fn held(&self, id: ColliderId) -> Option<&HeldCollider> {
        self.colliders.get(id.index, id.generation)
    }

    /// The colliders whose boxes share a point with a box (m), in the order of their slots.
    ///
    /// # Errors
    /// A box with NaN or a minimum above its maximum.
    pub fn intersect_aabb(&self, aabb: &Aabb, filter: &QueryFilter) -> Result<Vec<ColliderId>, WorldError> {
        self.named(self.queries.in_box(aabb, &self.choice(filter)))
    }

    /// The colliders whose boxes come as near to a point as `radius` (m), in the order of their slots.
    ///
    /// # Errors
    /// A centre that is not finite, or a radius that is NaN or negative.
    pub fn intersect_sphere(
        &self,
        center: [f32; 3],
        radius: f32,
        filter: &QueryFilter,
    ) -> Result<Vec<ColliderId>, WorldError> {
        self.named(self.queries.in_sphere(center, radius, &self.choice(filter)))
    }

    /// The first collider whose box a ray hits; of several at the same time, that of the lowest slot.
    ///
    /// # Errors
    /// An origin or direction that is not finite, or a length that is NaN or negative.
    pub fn cast_ray(&self, ray: &Ray, filter: &QueryFilter) -> Result<Option<BoxHit>, WorldError> {
        Ok(self.queries.first_on_ray(ray, &self.choice(filter))?.map(|touch| self.hit(touch)))
    }

    /// All colliders whose boxes a ray hits, by time, then slot.
    ///
    /// # Errors
    /// An origin or direction that is not finite, or a length that is NaN or negative.
    pub fn cast_ray_all(&self, ray: &Ray, filter: &QueryFilter) -> Result<Vec<BoxHit>, WorldError> {
        Ok(self
            .queries
            .all_on_ray(ray, &self.choice(filter))?
            .into_iter()
            .map(|touch| self.hit(touch))
            .collect())
    }

    /// The colliders whose boxes the points `origin + t · direction` (m) meet for t from 0 to `length`, by time, then slot:
    /// in `f64`, and none is lost by rounding.
    pub(crate) fn on_line(
        &self,
        (origin, direction): (&Point3<f64>, &Vector3<f64>),
        length: f64,
        filter: &QueryFilter,
    ) -> Result<Vec<BoxHit>, WorldError> {
        let [origin, direction] = [origin.coords, *direction].map(<[f64; 3]>::from);
        let touches = self.queries.all_on_line(origin, direction, length, &self.choice(filter))?;
        Ok(touches.into_iter().map(|touch| self.hit(touch)).collect())
    }

    /// The first collider whose box is hit by a box that is translated by `translation` (m); of several at the same
    /// time, that of the lowest slot.
    ///
    /// # Errors
    /// A box that is not finite or has a minimum above its maximum, or a translation that is not finite.
    pub fn cast_aabb(
        &self,
        aabb: &Aabb,
        translation: [f32; 3],
        filter: &QueryFilter,
    ) -> Result<Option<BoxHit>, WorldError> {
        Ok(self.queries.first_on_way(aabb, translation, &self.choice(filter))?.map(|touch| self.hit(touch)))
    }

    /// All colliders whose boxes are hit by a box that is translated by `translation` (m), by time, then slot.
    ///
    /// # Errors
    /// A box that is not finite or has a minimum above its maximum, or a translation that is not finite.
    pub fn cast_aabb_all(
        &self,
        aabb: &Aabb,
        translation: [f32; 3],
        filter: &QueryFilter,
    ) -> Result<Vec<BoxHit>, WorldError> {
        Ok(self
            .queries
            .all_on_way(aabb, translation, &self.choice(filter))?
            .into_iter()
            .map(|touch| self.hit(touch))
            .collect())
    }

    fn choice<'q>(&'q self, filter: &'q QueryFilter) -> Choice<'q> {
        Choice { filter, colliders: self.colliders }
    }

    fn named(&self, slots: Result<Vec<u32>, BroadPhaseError>) -> Result<Vec<ColliderId>, WorldError> {
        Ok(slots?.into_iter().map(|slot| id_at(self.colliders, slot)).collect())
    }

    fn hit(&self, touch: Touch) -> BoxHit {
        BoxHit { collider: id_at(self.colliders, touch.slot), time: touch.time }
    }
}

/// A filter with the colliders that it chooses from.
#[derive(Clone, Copy, Debug)]
struct Choice<'q> {
    filter: &'q QueryFilter,
    colliders: &'q Slots<HeldCollider>,
}

impl Asker for Choice<'_> {
    /// `boxes` is the filter as the broad phase has it: none that is disabled is allowed by anything.
    fn accepts(&self, slot: u32, boxes: &Filter) -> bool {
        boxes.allows(&self.filter.of_boxes())
            && self
                .colliders
                .at(slot)
                .is_some_and(|held| self.filter.accepts(id_at(self.colliders, slot), &held.collider))
    }
}
