//! Whether a shape at a pose touches the colliders of a world.

use impinge_geometry::{ColliderId, ShapeId};
use impinge_midphase::PreparedShape;
use nalgebra::Isometry3;
use rayon::ThreadPool;
use rayon::prelude::*;

use crate::query::{PairPoses, QueryScratch, shapes_touch};
use crate::slots::Slots;
use crate::world::{HeldShape, usable_pose};
use crate::{BoxQueries, QueryFilter, World, WorldError};

/// Poses that one worker takes at a time.
const CHUNK: usize = 64;

/// Exact answers about a shape, placed anywhere, and the colliders of a world where they stand now; see
/// [`World::shape_queries`].
///
/// The shape is one of the world's; no collider need place it. Two shapes touch as [`PairQuery::touching`](crate::PairQuery::touching) says it:
/// their surfaces share a point, or one is inside the other; tolerances and margins do not act. Answers are the
/// same for any number of threads, and may be asked for from many threads at once.
#[derive(Clone, Copy, Debug)]
pub struct ShapeQueries<'w> {
    boxes: BoxQueries<'w>,
    shapes: &'w Slots<HeldShape>,
    pool: &'w ThreadPool,
}

impl World {
    /// Prepares questions about shapes that are placed for the question alone: a gripper at the poses of a plan, a body
    /// that is to be put where nothing is. Costs what [`World::box_queries`] costs.
    ///
    /// ```
    /// use impinge::QueryFilter;
    /// use impinge::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut world = World::builder().backend(Backend::Cpu).build()?;
    /// let table = world.add_shape(Shape::cuboid([1.0, 1.0, 0.1])?)?;
    /// let gripper = world.add_shape(Shape::capsule(0.05, 0.2)?)?;
    /// let table = world.add_collider(Collider::new(table).fixed(true))?;
    ///
    /// let (all, above) = (QueryFilter::new(), |z: f64| Isometry3::translation(0.0, 0.0, z));
    /// let queries = world.shape_queries();
    /// assert!(!queries.touches(gripper, &above(0.36), &all)?);
    /// assert_eq!(queries.touching(gripper, &above(0.34), &all)?, [table]);
    /// let plan: Vec<_> = (0..1000).map(|k| above(0.001 * f64::from(k))).collect();
    /// let free = queries.touches_many(gripper, &plan, &all)?.iter().filter(|&&touches| !touches).count();
    /// assert_eq!(free, 649);
    /// # Ok(())
    /// # }
    /// ```
    pub fn shape_queries(&mut self) -> ShapeQueries<'_> {
        let World { pool, shapes, state, .. } = self;
        ShapeQueries { boxes: state.box_queries(pool), shapes, pool }
    }

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

impl<'w> ShapeQueries<'w> {
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

    /// The answers in the order of the poses; of several errors the first one's.
    fn many<T: Send>(
        &self,
        poses: &[Isometry3<f64>],
        ask: impl Fn(&Isometry3<f64>, &mut QueryScratch) -> Result<T, WorldError> + Sync,
    ) -> Result<Vec<T>, WorldError> {
        let answers: Vec<Result<T, WorldError>> = self.pool.install(|| {
            let poses = poses.par_iter().with_min_len(CHUNK);
            poses.map_init(QueryScratch::default, |scratch, pose| ask(pose, scratch)).collect()
        });
        answers.into_iter().collect()
    }

    fn prepared(&self, id: ShapeId) -> Result<&'w PreparedShape, WorldError> {
        let held = self.shapes.get(id.index, id.generation);
        held.map(|held| &*held.prepared).ok_or(WorldError::UnknownShape { id })
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
