//! One pair of shapes, without a world: are they touching, where, how deep?

use impinge_contacts::{ContactSettings, Manifold, PairPlacement};
use impinge_geometry::canonical::checked_pose;
use impinge_geometry::{ColliderId, PoseError, Shape};
use impinge_midphase::{CandidateBatch, Job, MidphaseCounts, Placed, PreparedShape};
use impinge_narrow::{Containment, NarrowMemory, NarrowScratch, NarrowSettings, PairResult};
use nalgebra::Isometry3;
use rayon::ThreadPool;
use rayon::prelude::*;

use crate::BuildError;
use crate::config::check_resolution;
use crate::gpu::{Gpu, Tickets};
use crate::report::{StepCounts, StepStatus, StepTimes};

/// Settings of a [`PairQuery`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuerySettings {
    /// Columns per side of a view: a power of two from 4 to 256 (default 32).
    pub resolution: u32,
    /// Count all intersecting triangle pairs (default: no).
    pub count_triangle_pairs: bool,
    /// Send primitives and hulls through columns instead of their closed forms (default: no).
    pub columns_only: bool,
    /// Primitives and hulls closer than this (m, default 0) give points of negative depth.
    pub margin: f64,
    /// Most points of a manifold, 1 to 4 (default 4).
    pub max_points: usize,
    /// Most manifolds of a pair of parts (default 4); the deepest are kept.
    pub max_manifolds: usize,
}

impl Default for QuerySettings {
    fn default() -> QuerySettings {
        QuerySettings {
            resolution: 32,
            count_triangle_pairs: false,
            columns_only: false,
            margin: 0.0,
            max_points: 4,
            max_manifolds: 4,
        }
    }
}

/// Two shapes made ready to be asked about at many poses. Asking changes nothing and can be done from
/// many threads at once; a [`QueryScratch`] lets one thread ask without allocating.
///
/// ```
/// use impinge::prelude::*;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let cube = Shape::cuboid([0.5; 3])?;
/// let query = PairQuery::new(&cube, &cube, QuerySettings::default())?;
/// let answer = query.at(&Isometry3::identity(), &Isometry3::translation(0.0, 0.0, 0.9))?;
/// assert!(answer.touching);
/// assert!((answer.manifolds[0].depth - 0.1).abs() < 1e-6);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct PairQuery {
    shapes: [PreparedShape; 2],
    narrow: NarrowSettings,
    contacts: ContactSettings,
}

/// Buffers of a query, to be used again.
#[derive(Debug, Default)]
pub struct QueryScratch {
    narrow: NarrowScratch,
    result: PairResult,
}

/// What is known of a pair at one placement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairAnswer {
    /// Whether the bodies touch: the surfaces intersect (exact), or one body is inside the other.
    pub touching: bool,
    /// Whether a body, or a component of it, is wholly inside the other.
    pub contained: bool,
    /// All intersecting triangle pairs (exact), where asked for and both sides are triangles.
    pub triangle_pairs: Option<u64>,
    /// Volume of the overlap (m³); `None` where a side bounds no volume, or it was not worked out.
    pub volume: Option<f64>,
    /// Contacts; the world's frame is that of the poses asked about. Collider 0 is A, collider 1 is B.
    pub manifolds: Vec<Manifold>,
    /// What was dropped or is less certain.
    pub status: StepStatus,
}

/// A question that cannot be answered.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("pose of {side}: {source}")]
pub struct QueryError {
    /// `A` or `B`.
    pub side: char,
    /// What is wrong with its pose.
    pub source: PoseError,
}

impl PairQuery {
    /// Makes two shapes ready.
    ///
    /// # Errors
    /// [`BuildError::Setting`] for settings out of range.
    pub fn new(a: &Shape, b: &Shape, settings: QuerySettings) -> Result<PairQuery, BuildError> {
        check_resolution("resolution", settings.resolution)?;
        let out_of_range = |setting, value: String, remedy| BuildError::Setting { setting, value, remedy };
        if !(settings.margin.is_finite() && settings.margin >= 0.0) {
            let value = format!("{} m", settings.margin);
            return Err(out_of_range("margin", value, "it must be finite and not negative"));
        }
        if !(1..=4).contains(&settings.max_points) {
            return Err(out_of_range(
                "max_points",
                settings.max_points.to_string(),
                "it must be from 1 to 4",
            ));
        }
        if settings.max_manifolds == 0 {
            return Err(out_of_range("max_manifolds", "0".to_owned(), "it must be at least 1"));
        }
        Ok(PairQuery {
            shapes: [PreparedShape::new(a), PreparedShape::new(b)],
            narrow: NarrowSettings {
                resolution: settings.resolution,
                margin: settings.margin,
                count_triangle_pairs: settings.count_triangle_pairs,
                columns_only: settings.columns_only,
            },
            contacts: ContactSettings {
                max_points: settings.max_points,
                max_manifolds: settings.max_manifolds,
            },
        })
    }

    /// The answer with A at `a` and B at `b` (m).
    ///
    /// # Errors
    /// [`QueryError`] for a pose that is not finite.
    pub fn at(&self, a: &Isometry3<f64>, b: &Isometry3<f64>) -> Result<PairAnswer, QueryError> {
        self.at_with(a, b, &mut QueryScratch::default())
    }

    /// As [`PairQuery::at`], with buffers that are used again.
    ///
    /// # Errors
    /// [`QueryError`] for a pose that is not finite.
    pub fn at_with(
        &self,
        a: &Isometry3<f64>,
        b: &Isometry3<f64>,
        scratch: &mut QueryScratch,
    ) -> Result<PairAnswer, QueryError> {
        let poses = checked(a, b)?;
        let mut batch = CandidateBatch::default();
        self.find(0, &poses, &mut batch);
        Ok(self.reduce(&batch, batch.jobs.iter(), scratch))
    }

    /// The jobs of one placement, in a batch of many.
    fn find<'s>(&'s self, index: u32, poses: &[Isometry3<f64>; 2], batch: &mut CandidateBatch<'s>) {
        let placed = |k: usize| Placed { shape: &self.shapes[k], pose: poses[k] };
        let mut found = MidphaseCounts::default();
        impinge_midphase::find(index, placed(0), placed(1), self.narrow.margin, batch, &mut found);
    }

    /// The answer of one placement's jobs.
    fn reduce<'b, 's: 'b>(
        &self,
        batch: &CandidateBatch<'s>,
        jobs: impl Iterator<Item = &'b Job<'s>>,
        scratch: &mut QueryScratch,
    ) -> PairAnswer {
        let closed = self.shapes.iter().all(|shape| shape.parts().iter().all(|part| part.is_solid()));
        let simple = self.shapes.iter().all(|shape| shape.parts().len() == 1);
        let mut answer = PairAnswer {
            triangle_pairs: (self.narrow.count_triangle_pairs && simple && self.have_triangles())
                .then_some(0),
            volume: closed.then_some(0.0),
            ..PairAnswer::default()
        };
        let mut counts = StepCounts { soup_pairs: u64::from(!closed), ..StepCounts::default() };
        for job in jobs {
            let Job::Pair(job) = job else { continue };
            let QueryScratch { narrow, result } = scratch;
            let memory = &mut NarrowMemory::default();
            impinge_narrow::pair::run(job, batch, &self.narrow, memory, narrow, result);
            let placement = PairPlacement {
                colliders: [0, 1].map(|index| ColliderId { index, generation: 0 }),
                frame: &job.frame,
                part_poses: job.parts.map(|part| part.pose),
                tolerance: 0.0,
            };
            let reduced =
                impinge_contacts::manifolds(result, &placement, &self.contacts, &mut answer.manifolds);
            answer.touching |= result.touching;
            answer.contained |= result.containment != Containment::None;
            answer.volume = answer.volume.and_then(|v| Some(v + result.volume?));
            if let (Some(all), Some(some)) = (&mut answer.triangle_pairs, result.triangle_pairs) {
                *all += some;
            }
            counts.dropped_manifolds += reduced.over_limit;
            counts.odd_columns += result.counts.odd_columns;
        }
        answer.status = counts.status();
        answer
    }

    /// Whether both shapes are meshes, so that triangle pairs can be counted.
    fn have_triangles(&self) -> bool {
        self.shapes.iter().all(|shape| shape.parts().iter().all(|part| part.surface.is_some()))
    }
}

/// The poses with their rotations normalised.
fn checked(a: &Isometry3<f64>, b: &Isometry3<f64>) -> Result<[Isometry3<f64>; 2], QueryError> {
    let a = checked_pose(a).map_err(|source| QueryError { side: 'A', source })?;
    let b = checked_pose(b).map_err(|source| QueryError { side: 'B', source })?;
    Ok([a, b])
}

/// Answers many placements of a pair at once, on the workers and the backend of
/// [`WorldBuilder::query_pool`](crate::WorldBuilder::query_pool).
///
/// ```
/// use impinge::prelude::*;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let cube = Shape::cuboid([0.5; 3])?;
/// let query = PairQuery::new(&cube, &cube, QuerySettings::default())?;
/// let mut pool = World::builder().backend(Backend::Cpu).query_pool()?;
/// let above = |z: f64| [Isometry3::identity(), Isometry3::translation(0.0, 0.0, z)];
/// let answers = pool.answer(&query, &[above(0.9), above(1.5)]);
/// assert!(answers[0].as_ref().is_ok_and(|a| a.touching));
/// assert!(answers[1].as_ref().is_ok_and(|a| !a.touching));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct QueryPool {
    pool: ThreadPool,
    gpu: Option<Gpu>,
    /// What the last call counted and took on the GPU.
    counts: StepCounts,
}

/// Placements of one batch.
const BATCH: usize = 16;

impl QueryPool {
    pub(crate) fn new(pool: ThreadPool, gpu: Option<Gpu>) -> QueryPool {
        QueryPool { pool, gpu, counts: StepCounts::default() }
    }

    /// The GPU in use: name, kind, interface and driver; `None` on the CPU.
    pub fn adapter(&self) -> Option<String> {
        self.gpu.as_ref().map(Gpu::adapter)
    }

    /// What the GPU did in the last call: the fields of [`StepCounts`] that begin with `gpu_`.
    pub fn counts(&self) -> &StepCounts {
        &self.counts
    }

    /// The answers for A and B at each of `poses` (m), in their order. Where the GPU fails they are found
    /// on the CPU.
    pub fn answer(
        &mut self,
        query: &PairQuery,
        poses: &[[Isometry3<f64>; 2]],
    ) -> Vec<Result<PairAnswer, QueryError>> {
        let QueryPool { pool, gpu, counts } = self;
        *counts = StepCounts::default();
        let mut batches: Vec<QueryBatch<'_>> =
            pool.install(|| poses.par_chunks(BATCH).map(|poses| QueryBatch::find(query, poses)).collect());
        let tickets = match gpu {
            None => Vec::new(),
            Some(gpu) => {
                gpu.begin();
                let tickets: Vec<Tickets> = batches.iter().map(|b| gpu.push(&b.batch)).collect();
                gpu.finish();
                gpu.report(counts, &mut StepTimes::default());
                tickets
            }
        };
        let gpu = gpu.as_ref();
        let status = counts.status();
        pool.install(|| {
            let of_batch = |scratch: &mut QueryScratch, (index, batch): (usize, &mut QueryBatch<'_>)| {
                if let (Some(gpu), Some(tickets)) = (gpu, tickets.get(index)) {
                    gpu.cull(&mut batch.batch, tickets);
                }
                batch.answers(query, status, scratch)
            };
            batches
                .par_iter_mut()
                .enumerate()
                .map_init(QueryScratch::default, of_batch)
                .flatten_iter()
                .collect()
        })
    }
}

/// The jobs of some placements.
struct QueryBatch<'s> {
    batch: CandidateBatch<'s>,
    /// For each placement how many jobs it has, or why it has none.
    jobs: Vec<Result<usize, QueryError>>,
}

impl<'s> QueryBatch<'s> {
    fn find(query: &'s PairQuery, poses: &[[Isometry3<f64>; 2]]) -> QueryBatch<'s> {
        let mut batch = CandidateBatch::default();
        let mut jobs = Vec::with_capacity(poses.len());
        for (index, [a, b]) in poses.iter().enumerate() {
            let before = batch.jobs.len();
            jobs.push(checked(a, b).map(|poses| {
                query.find(index as u32, &poses, &mut batch);
                batch.jobs.len() - before
            }));
        }
        QueryBatch { batch, jobs }
    }

    fn answers(
        &self,
        query: &PairQuery,
        status: StepStatus,
        scratch: &mut QueryScratch,
    ) -> Vec<Result<PairAnswer, QueryError>> {
        let mut jobs = self.batch.jobs.iter();
        let mut answer = |found: &Result<usize, QueryError>| {
            let count = found.clone()?;
            let mut answer = query.reduce(&self.batch, jobs.by_ref().take(count), scratch);
            answer.status = answer.status | status;
            Ok(answer)
        };
        self.jobs.iter().map(&mut answer).collect()
    }
}
