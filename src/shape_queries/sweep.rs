//! What a shape meets in a world while it moves.

use impinge_geometry::{ColliderId, Motion, MotionError, ShapeId};
use nalgebra::{Isometry3, Vector3};

use crate::query::{PairSweep, QueryScratch, SweptShapes, default_gap, swept_box};
use crate::{QueryFilter, ShapeQueries, WorldError};

/// What a shape that moves first meets; see [`ShapeQueries::sweep`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepHit {
    /// The collider that it meets.
    pub collider: ColliderId,
    /// How: the collider is A, the shape B.
    pub sweep: PairSweep,
}

impl SweepHit {
    /// When it is met (0 to 1): 0 where it touches at the start.
    pub fn time(&self) -> f64 {
        self.sweep.time().unwrap_or(1.0)
    }
}

impl ShapeQueries<'_> {
    /// What a shape first meets while it moves and turns, of the colliders that the filter accepts, which stand still; never late, and
    /// `None` is a proof ([`PairQuery::sweep`](crate::PairQuery::sweep)). Of several at the same time that of the lowest slot.
    ///
    /// ```
    /// use impinge::QueryFilter;
    /// use impinge::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut world = World::builder().backend(Backend::Cpu).build()?;
    /// let ball = world.add_shape(Shape::sphere(0.5)?)?;
    /// let tool = world.add_shape(Shape::capsule(0.5, 0.1)?)?;
    /// let at = |x: f64| Collider::new(ball).position([x, 0.0, 0.0]);
    /// let (near, far) = (world.add_collider(at(3.0))?, world.add_collider(at(6.0))?);
    ///
    /// let (queries, all) = (world.shape_queries(), QueryFilter::new());
    /// let hit = queries.cast(tool, &Isometry3::identity(), &Vector3::new(10.0, 0.0, 0.0), &all)?;
    /// let hit = hit.ok_or("something is in the way")?;
    /// assert_eq!(hit.collider, near);
    /// assert!((hit.time() - 0.24).abs() < 1e-4);
    /// let others = queries.cast(tool, &Isometry3::identity(), &Vector3::x(), &all.exclude(far))?;
    /// assert!(others.is_none());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`WorldError::UnknownShape`], or [`WorldError::Pose`] or [`WorldError::Motion`] for a motion that cannot be used.
    pub fn sweep(
        &self,
        shape: ShapeId,
        motion: &Motion,
        filter: &QueryFilter,
    ) -> Result<Option<SweepHit>, WorldError> {
        self.sweep_with(shape, motion, filter, &mut QueryScratch::default())
    }

    /// As [`ShapeQueries::sweep`], with buffers that are used again.
    ///
    /// # Errors
    /// As there.
    pub fn sweep_with(
        &self,
        shape: ShapeId,
        motion: &Motion,
        filter: &QueryFilter,
        scratch: &mut QueryScratch,
    ) -> Result<Option<SweepHit>, WorldError> {
        let shape = self.prepared(shape)?;
        let motion = motion.checked().map_err(|source| match source {
            MotionError::Start { source } => WorldError::Pose(source),
            source => WorldError::Motion(source),
        })?;
        let mut best: Option<SweepHit> = None;
        for collider in self.boxes.intersect_aabb(&swept_box(shape, &motion), filter)? {
            let Some(held) = self.boxes.held(collider) else { continue };
            let still = Motion::still(held.collider.pose);
            let shapes = [&*held.prepared, shape];
            let pair = SweptShapes { shapes, motions: [&still, &motion], gap: default_gap(shapes) };
            let bound = best.map_or(1.0, |best| best.time());
            let sweep = pair.first(bound, scratch);
            if matches!(sweep, PairSweep::AtStart { .. }) {
                return Ok(Some(SweepHit { collider, sweep }));
            }
            if sweep.time().is_some() {
                best = Some(SweepHit { collider, sweep });
            }
        }
        Ok(best)
    }

    /// As [`ShapeQueries::sweep`], of a shape that is moved from a pose along `way` (m, world) without a turn.
    ///
    /// # Errors
    /// As there.
    pub fn cast(
        &self,
        shape: ShapeId,
        pose: &Isometry3<f64>,
        way: &Vector3<f64>,
        filter: &QueryFilter,
    ) -> Result<Option<SweepHit>, WorldError> {
        self.sweep(shape, &Motion::translation(*pose, *way), filter)
    }

    /// [`ShapeQueries::sweep`] of each of many motions, in their order, on the workers of the world.
    ///
    /// # Errors
    /// [`WorldError::UnknownShape`], or the first motion that cannot be used.
    pub fn sweep_many(
        &self,
        shape: ShapeId,
        motions: &[Motion],
        filter: &QueryFilter,
    ) -> Result<Vec<Option<SweepHit>>, WorldError> {
        self.prepared(shape)?;
        self.many(motions, |motion, scratch| self.sweep_with(shape, motion, filter, scratch))
    }
}
