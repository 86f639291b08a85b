//! Whether a shape at a pose touches the colliders of a world.

use impinge_geometry::{ColliderId, ShapeId};
use impinge_midphase::PreparedShape;
use nalgebra::Isometry3;

use super::ShapeQueries;
use crate::query::{PairPoses, QueryScratch, shapes_touch};
use crate::world::usable_pose;
use crate::{QueryFilter, World, WorldError};

impl World {
    /// Whether a shape at a pose (m) touches any collider that the filter accepts. For one question;
    /// [`World::shape_queries`] prepares once for many.
    ///
    /// # Errors
    /// [`WorldError::UnknownShape`], or [`WorldError::Pose`] for a pose that cannot be used.
    pub fn touches(
        &mut self,
        shape: ShapeId,
        pose: &Isometry3<f64>,
        filter: &QueryFilter,
    ) -> Result<bool, WorldError> {
        self.shape_queries().touches(shape, pose, filter)
    }
}

impl ShapeQueries<'_> {
    /// Whether a shape at a pose (m) touches any collider that the filter accepts. Ends at the first that is found.
    ///
    /// # Errors
    /// [`WorldError::UnknownShape`], or [`WorldError::Pose`] for a pose that cannot be used.
    pub fn touches(
        &self,
        shape: ShapeId,
        pose: &Isometry3<f64>,
        filter: &QueryFilter,
    ) -> Result<bool, WorldError> {
        self.touches_with(shape, pose, filter, &mut QueryScratch::default())
    }

    /// As [`ShapeQueries::touches`], with buffers that are used again.
    ///
    /// # Errors
    /// As there.
    pub fn touches_with(
        &self,
        shape: ShapeId,
        pose: &Isometry3<f64>,
        filter: &QueryFilter,
        scratch: &mut QueryScratch,
    ) -> Result<bool, WorldError> {
        Placement { queries: self, shape: self.prepared(shape)?, filter }.any(pose, scratch)
    }

    /// All colliders that a shape at a pose (m) touches and the filter accepts, in the order of their slots.
    ///
    /// # Errors
    /// [`WorldError::UnknownShape`], or [`WorldError::Pose`] for a pose that cannot be used.
    pub fn touching(
        &self,
        shape: ShapeId,
        pose: &Isometry3<f64>,
        filter: &QueryFilter,
    ) -> Result<Vec<ColliderId>, WorldError> {
        self.touching_with(shape, pose, filter, &mut QueryScratch::default())
    }

    /// As [`ShapeQueries::touching`], with buffers that are used again.
    ///
    /// # Errors
    /// As there.
    pub fn touching_with(
        &self,
        shape: ShapeId,
        pose: &Isometry3<f64>,
        filter: &QueryFilter,
        scratch: &mut QueryScratch,
    ) -> Result<Vec<ColliderId>, WorldError> {
        Placement { queries: self, shape: self.prepared(shape)?, filter }.all(pose, scratch)
    }

    /// [`ShapeQueries::touches`] at each of many poses (m), in their order, on the workers of the world.
    ///
    /// # Errors
    /// [`WorldError::UnknownShape`], or the first pose that cannot be used.
    pub fn touches_many(
        &self,
        shape: ShapeId,
        poses: &[Isometry3<f64>],
        filter: &QueryFilter,
    ) -> Result<Vec<bool>, WorldError> {
        let placement = Placement { queries: self, shape: self.prepared(shape)?, filter };
        self.many(poses, |pose, scratch| placement.any(pose, scratch))
    }

    /// [`ShapeQueries::touching`] at each of many poses (m), in their order, on the workers of the world.
    ///
    /// # Errors
    /// [`WorldError::UnknownShape`], or the first pose that cannot be used.
    pub fn touching_many(
        &self,
        shape: ShapeId,
        poses: &[Isometry3<f64>],
        filter: &QueryFilter,
    ) -> Result<Vec<Vec<ColliderId>>, WorldError> {
        let placement = Placement { queries: self, shape: self.prepared(shape)?, filter };
        self.many(poses, |pose, scratch| placement.all(pose, scratch))
    }
}

/// A shape that is asked about, wherever it is placed.
struct Placement<'q, 'w> {
    queries: &'q ShapeQueries<'w>,
    shape: &'w PreparedShape,
    filter: &'q QueryFilter,
}

impl Placement<'_, '_> {
    fn any(&self, pose: &Isometry3<f64>, scratch: &mut QueryScratch) -> Result<bool, WorldError> {
        let pose = usable_pose(pose)?;
        let near = self.near(&pose)?;
        Ok(near.into_iter().any(|id| self.touches(&pose, id, scratch)))
    }

    fn all(&self, pose: &Isometry3<f64>, scratch: &mut QueryScratch) -> Result<Vec<ColliderId>, WorldError> {
        let pose = usable_pose(pose)?;
        let mut near = self.near(&pose)?;
        near.retain(|&id| self.touches(&pose, id, scratch));
        Ok(near)
    }

    /// The colliders whose boxes overlap the shape's.
    fn near(&self, pose: &Isometry3<f64>) -> Result<Vec<ColliderId>, WorldError> {
        self.queries.boxes.intersect_aabb(&self.shape.aabb_at(pose), self.filter)
    }

    fn touches(&self, pose: &Isometry3<f64>, id: ColliderId, scratch: &mut QueryScratch) -> bool {
        self.queries.boxes.held(id).is_some_and(|held| {
            let poses = PairPoses::checked(*pose, held.collider.pose);
            shapes_touch([self.shape, &held.prepared], &poses, scratch, None)
        })
    }
}
