//! Many placements of one pair, on the workers and the backend of a world.

use std::sync::Arc;

use impinge_midphase::CandidateBatch;
use nalgebra::Isometry3;
use rayon::ThreadPool;
use rayon::prelude::*;

use super::subshapes::Poses;
use super::{IntersectionVolume, PairAnswer, PairDistance, PairQuery, QueryError, QueryScratch};
use crate::gpu::{Gpu, Tickets};
use crate::report::{StepCounts, StepStatus, StepTimes};

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
/// let touching: Result<Vec<bool>, _> = pool.touching(&query, &[above(0.9), above(1.5)]).into_iter().collect();
/// assert_eq!(touching?, [true, false]);
/// let [apart] = &pool.distance(&query, &[above(1.5)])[..] else { return Err("one answer".into()) };
/// assert_eq!(apart.as_ref().map(|found| found.distance()), Ok(0.5));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct QueryPool {
    pool: Arc<ThreadPool>,
    gpu: Option<Gpu>,
    /// Counts and times of the last call on the GPU.
    counts: StepCounts,
    times: StepTimes,
}

/// Placements of one batch.
const BATCH: usize = 16;

impl QueryPool {
    pub(crate) fn new(pool: Arc<ThreadPool>, gpu: Option<Gpu>) -> QueryPool {
        QueryPool { pool, gpu, counts: StepCounts::default(), times: StepTimes::default() }
    }

    /// The GPU in use: name, kind, interface and driver; `None` on the CPU.
    pub fn adapter(&self) -> Option<String> {
        self.gpu.as_ref().map(Gpu::adapter)
    }

    /// The GPU's counts of the last call: the fields of [`StepCounts`] that begin with `gpu_`.
    pub fn counts(&self) -> &StepCounts {
        &self.counts
    }

    /// How long the GPU took in the last call: the fields of [`StepTimes`] that begin with `gpu`.
    pub fn times(&self) -> &StepTimes {
        &self.times
    }

    /// The answers for A and B at each of `poses` (m), in their order. Where the GPU fails they are found
    /// on the CPU.
    pub fn answer(
        &mut self,
        query: &PairQuery,
        poses: &[[Isometry3<f64>; 2]],
    ) -> Vec<Result<PairAnswer, QueryError>> {
        self.ask(query, poses, None, |batch, _, status, scratch| batch.answers(query, status, scratch))
    }

    /// Whether A and B touch at each of `poses` (m), in their order: exactly, on the CPU, and sooner than [`QueryPool::answer`]
    /// says it; see [`PairQuery::touching`].
    pub fn touching(
        &self,
        query: &PairQuery,
        poses: &[[Isometry3<f64>; 2]],
    ) -> Vec<Result<bool, QueryError>> {
        self.each(poses, |[a, b], scratch| query.touching_with(a, b, scratch))
    }

    /// How far apart A and B are at each of `poses` (m), in their order, found on the CPU; see [`PairQuery::distance`].
    pub fn distance(
        &self,
        query: &PairQuery,
        poses: &[[Isometry3<f64>; 2]],
    ) -> Vec<Result<PairDistance, QueryError>> {
        self.each(poses, |[a, b], scratch| query.distance_with(a, b, scratch))
    }

    fn each<T: Send>(
        &self,
        poses: &[[Isometry3<f64>; 2]],
        ask: impl Fn(&[Isometry3<f64>; 2], &mut QueryScratch) -> T + Sync,
    ) -> Vec<T> {
        self.pool.install(|| {
            let poses = poses.par_iter().with_min_len(BATCH);
            poses.map_init(QueryScratch::default, |scratch, poses| ask(poses, scratch)).collect()
        })
    }

    /// The intersection volumes of A and B at each of `poses` (m), in their order; see [`PairQuery::intersection_volume`].
    ///
    /// On a GPU the contours' area vectors, the views along them and what they show are found in one go, and
    /// nothing but sums comes back. There contours and vertices stand in single precision: gradients are good to a
    /// millionth or so of the contours' size, and volumes to what the resolution allows, as on the CPU. Pairs
    /// of which the device is not certain are found on the CPU.
    pub fn intersection_volumes(
        &mut self,
        query: &PairQuery,
        poses: &[[Isometry3<f64>; 2]],
    ) -> Vec<Result<Option<IntersectionVolume>, QueryError>> {
        let side = query.narrow.resolution.clamp(16, 64);
        self.ask(query, poses, Some(side), |batch, seen, _, scratch| batch.common(query, seen, scratch))
    }

    /// Finds the jobs of all poses, has the GPU look at them, for their intersection volumes by views of `side`
    /// pixels where it is given, and asks `of_batch` for the answers.
    fn ask<T: Send>(
        &mut self,
        query: &PairQuery,
        poses: &[[Isometry3<f64>; 2]],
        side: Option<u32>,
        of_batch: impl Fn(&QueryBatch<'_>, Option<Seen<'_>>, StepStatus, &mut QueryScratch) -> Vec<T> + Sync,
    ) -> Vec<T> {
        let QueryPool { pool, gpu, counts, times } = self;
        (*counts, *times) = (StepCounts::default(), StepTimes::default());
        let mut batches: Vec<QueryBatch<'_>> =
            pool.install(|| poses.par_chunks(BATCH).map(|poses| QueryBatch::find(query, poses)).collect());
        let tickets = match gpu {
            None => Vec::new(),
            Some(gpu) => {
                gpu.begin();
                let pushed = batches.iter().map(|b| {
                    let mut tickets = Tickets::default();
                    gpu.push(&b.batch, &mut tickets);
                    if let Some(side) = side {
                        gpu.push_volumes(&b.batch, &mut tickets, side);
                    }
                    tickets
                });
                let tickets: Vec<Tickets> = pushed.collect();
                gpu.finish();
                gpu.report(counts, times);
                tickets
            }
        };
        let gpu = gpu.as_ref();
        let status = counts.status();
        pool.install(|| {
            let answers = |scratch: &mut QueryScratch, (index, batch): (usize, &mut QueryBatch<'_>)| {
                let seen = gpu.zip(tickets.get(index));
                if let Some((gpu, tickets)) = seen {
                    gpu.cull(&mut batch.batch, tickets);
                }
                of_batch(batch, seen, status, scratch)
            };
            batches
                .par_iter_mut()
                .enumerate()
                .map_init(QueryScratch::default, answers)
                .flatten_iter()
                .collect()
        })
    }
}

/// The device, and what it was asked of a batch.
type Seen<'g> = (&'g Gpu, &'g Tickets);

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
            jobs.push(Poses::new(a, b).map(|poses| {
                query.find(index as u32, &poses, &mut batch);
                batch.jobs.len() - before
            }));
        }
        QueryBatch { batch, jobs }
    }

    fn common(
        &self,
        query: &PairQuery,
        seen: Option<Seen<'_>>,
        scratch: &mut QueryScratch,
    ) -> Vec<Result<Option<IntersectionVolume>, QueryError>> {
        let mut next = 0;
        let mut of = |found: &Result<usize, QueryError>| {
            let own = next..next + found.clone()?;
            next = own.end;
            let jobs = own.map(|index| {
                let job = &self.batch.jobs[index];
                (job, seen.and_then(|(gpu, tickets)| gpu.volume(tickets, index, job)))
            });
            Ok(query.intersection_of(&self.batch, jobs, scratch))
        };
        self.jobs.iter().map(&mut of).collect()
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
            let mut answer =
                query.reduce(&self.batch, jobs.by_ref().take(count), &query.narrow, scratch, None);
            answer.status = answer.status | status;
            Ok(answer)
        };
        self.jobs.iter().map(&mut answer).collect()
    }
}
