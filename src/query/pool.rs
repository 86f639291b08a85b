//! Many placements of one pair, on the workers and the backend of a world.

use impinge_midphase::CandidateBatch;
use nalgebra::Isometry3;
use rayon::ThreadPool;
use rayon::prelude::*;

use super::parts::Poses;
use super::{PairAnswer, PairQuery, QueryError, QueryScratch};
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
                let pushed = batches.iter().map(|b| {
                    let mut tickets = Tickets::default();
                    gpu.push(&b.batch, &mut tickets);
                    tickets
                });
                let tickets: Vec<Tickets> = pushed.collect();
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
            jobs.push(Poses::new(a, b).map(|poses| {
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
