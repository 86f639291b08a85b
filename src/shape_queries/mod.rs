//! Exact questions about shapes and the colliders of a world: which touch a shape that is placed for the question alone,
//! which a ray hits, which are nearest to a point.

mod chain;
mod nearest;
mod ray;
mod sweep;
mod touching;

pub use sweep::SweepHit;

use impinge_geometry::ShapeId;
use impinge_midphase::PreparedShape;
use rayon::ThreadPool;
use rayon::prelude::*;

use crate::query::QueryScratch;
use crate::slots::Slots;
use crate::world::HeldShape;
use crate::{BoxQueries, World, WorldError};

/// Questions that one worker takes at a time.
const CHUNK: usize = 64;

/// Exact answers about shapes, rays and points, placed anywhere, and the colliders of a world where they stand now; see
/// [`World::shape_queries`].
///
/// | question | answer |
/// |---|---|
/// | [`ShapeQueries::touches`] | whether a shape touches anything; for many poses [`ShapeQueries::touches_many`] |
/// | [`ShapeQueries::touching`] | what a shape overlaps or touches; [`ShapeQueries::touching_many`] |
/// | [`ShapeQueries::ray`] | the first hit of a ray; [`ShapeQueries::rays`] |
/// | [`ShapeQueries::ray_any`] | whether a ray hits anything |
/// | [`ShapeQueries::ray_all`] | all hits of a ray in order |
/// | [`ShapeQueries::cast`], [`ShapeQueries::sweep`] | what a shape that moves first meets; [`ShapeQueries::sweep_many`] |
/// | [`ShapeQueries::sweep_chain`] | what an articulated chain first meets; [`ShapeQueries::sweep_chains`] |
/// | [`ShapeQueries::nearest`] | the nearest surface to a point; [`ShapeQueries::nearest_many`] |
///
/// A shape is one of the world's; no collider need place it. Two shapes touch as [`PairQuery::touching`](crate::PairQuery::touching) says it:
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
}

impl<'w> ShapeQueries<'w> {
    /// The answers in the order of the questions, on the workers of the world; of several errors the first one's.
    fn many<Q: Sync, T: Send>(
        &self,
        questions: &[Q],
        ask: impl Fn(&Q, &mut QueryScratch) -> Result<T, WorldError> + Sync,
    ) -> Result<Vec<T>, WorldError> {
        let answers: Vec<Result<T, WorldError>> = self.pool.install(|| {
            let questions = questions.par_iter().with_min_len(CHUNK);
            questions.map_init(QueryScratch::default, |scratch, question| ask(question, scratch)).collect()
        });
        answers.into_iter().collect()
    }

    fn prepared(&self, id: ShapeId) -> Result<&'w PreparedShape, WorldError> {
        let held = self.shapes.get(id.index, id.generation);
        held.map(|held| &*held.prepared).ok_or(WorldError::UnknownShape { id })
    }
}
