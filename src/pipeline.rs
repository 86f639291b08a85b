//! From sorted pairs to manifolds: midphase, narrow phase and contacts, chunk by chunk on the workers.
//!
//! A chunk is a fixed number of neighbouring pairs, whatever the number of threads. Its worker fills
//! one [`CandidateBatch`], runs the narrow phase over it and reduces the patches; every pair writes to
//! its own memory alone, so that the answer does not depend on scheduling.

mod candidates;
mod chunk_report;
#[cfg_attr(
    not(feature = "gpu"),
    expect(unreachable_code, unused_variables, reason = "without a GPU nothing is answered by one")
)]
mod divided;

use std::sync::{Mutex, MutexGuard, PoisonError};

use impinge_broadphase::Pair;
use impinge_contacts::{ContactCounts, ContactScratch, MatchCounts, PairPlacement};
use impinge_exact::distance::DistanceScratch;
use impinge_midphase::{CandidateBatch, PairJob, PreparedShape, Surface};
use impinge_pair::{NarrowCounts, NarrowMethod, NarrowScratch, NarrowSettings, PairResult, Redo};
use nalgebra::Isometry3;
use rayon::prelude::*;

use candidates::Found;
use chunk_report::{ChunkReport, count_narrow, count_sampled};

use crate::clock::Stopwatch;
use crate::config::Config;
use crate::gpu::{DeviceAnswers, Tickets};
use crate::pair_memory::PairMemory;
use crate::report::{StepCounts, StepTimes};
use crate::shape_edit::ShapeEdit;

/// Pairs of a chunk: enough to fill a batch, few enough to share out a heap of some hundred pairs.
const CHUNK: usize = 8;

/// A collider as the stages see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacedCollider<'s> {
    pub shape: &'s PreparedShape,
    pub pose: Isometry3<f64>,
    pub tolerance: f64,
    pub moved: bool,
    /// Where its shape has changed, if that is only a part of it.
    pub edit: Option<ShapeEdit>,
    /// As [`HeldCollider`](crate::world::HeldCollider) has it (m).
    pub travel: f64,
    pub sensor: bool,
    pub fast: bool,
    /// As [`Collider::sweep_beyond`](crate::Collider::sweep_beyond) (m).
    pub sweep_beyond: f64,
    pub method: NarrowMethod,
}

impl<'s> PlacedCollider<'s> {
    /// A collider of no world.
    pub fn alone(shape: &'s PreparedShape, pose: Isometry3<f64>) -> PlacedCollider<'s> {
        PlacedCollider {
            shape,
            pose,
            tolerance: 0.0,
            moved: true,
            edit: None,
            travel: 0.0,
            sensor: false,
            fast: false,
            sweep_beyond: 0.0,
            method: NarrowMethod::Exact,
        }
    }
}

/// The input of the pipeline.
#[derive(Debug)]
pub(crate) struct PipelineStep<'a, P> {
    /// The sorted pairs.
    pub pairs: &'a [Pair],
    pub config: &'a Config,
    /// Where the collider in a slot stands.
    pub placed: &'a P,
    /// Whether it is one between two whole ones ([`World::substep`](crate::World::substep)).
    pub between: bool,
}

/// What a device has sampled of a batch's pairs, where one has.
type Sampled<'a> = Option<(&'a DeviceAnswers, &'a Tickets)>;

/// The workers' buffers.
#[derive(Debug)]
pub(crate) struct Pipeline {
    workers: Vec<Mutex<Worker>>,
}

/// Buffers that one worker reuses.
#[derive(Debug, Default)]
struct Worker {
    narrow: NarrowScratch,
    distance: DistanceScratch,
    results: Vec<PairResult>,
    contacts: ContactScratch,
}

impl Pipeline {
    pub fn new(threads: usize) -> Pipeline {
        Pipeline { workers: (0..threads.max(1)).map(|_| Mutex::default()).collect() }
    }

    /// Answers every pair; `memories` are theirs, in the same order. Runs on the current pool.
    pub fn run<'s, P>(
        &self,
        step: &PipelineStep<'_, P>,
        memories: &mut [Box<PairMemory>],
        counts: &mut StepCounts,
        times: &mut StepTimes,
    ) where
        P: Fn(u32) -> Option<PlacedCollider<'s>> + Sync,
    {
        let chunk = |(pairs, memories): (&[Pair], &mut [Box<PairMemory>])| {
            let found = self.find_chunk(pairs, memories, step);
            self.answer_chunk(&found, None, memories, step.config)
        };
        let report = step
            .pairs
            .par_chunks(CHUNK)
            .zip(memories.par_chunks_mut(CHUNK))
            // Else a worker has a run of chunks to itself, and others wait for its end.
            .with_max_len(1)
            .map(chunk)
            .reduce(ChunkReport::default, ChunkReport::plus);
        report.add_to(counts, times);
        counts.pairs = step.pairs.len() as u64;
    }

    /// The buffers of the worker that asks.
    fn worker(&self) -> MutexGuard<'_, Worker> {
        let worker = rayon::current_thread_index().unwrap_or(0) % self.workers.len();
        // A worker that panicked leaves only buffers behind, which are cleared before use.
        self.workers[worker].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The narrow phase and the contacts stage over what the midphase found.
    fn answer_chunk(
        &self,
        found: &Found<'_>,
        sampled: Sampled<'_>,
        memories: &mut [Box<PairMemory>],
        config: &Config,
    ) -> ChunkReport {
        let worker = &mut *self.worker();
        let mut report = found.report;
        let started = Stopwatch::start();
        run_narrow((&found.batch, sampled), memories, config, worker, &mut report.counts);
        report.times.narrow = started.elapsed();

        let started = Stopwatch::start();
        let Worker { results, contacts, .. } = worker;
        reduce_all((&found.batch, results), &found.sides, memories, config, contacts);
        for memory in memories {
            memory.answer.add_to(&mut report.counts);
        }
        report.times.contacts = started.elapsed();
        report
    }
}

/// The narrow phase over a batch: one result for each job, in the worker's list.
fn run_narrow(
    (batch, sampled): (&CandidateBatch<'_>, Sampled<'_>),
    memories: &mut [Box<PairMemory>],
    config: &Config,
    worker: &mut Worker,
    counts: &mut StepCounts,
) {
    let span = tracing::info_span!(
        "narrow",
        jobs = batch.jobs.len(),
        triangle_tests = tracing::field::Empty,
        degenerate = tracing::field::Empty,
        views = tracing::field::Empty,
        fragments = tracing::field::Empty,
        columns = tracing::field::Empty,
        patches = tracing::field::Empty,
    );
    let _entered = span.enter();
    let Worker { narrow, results, .. } = worker;
    results.resize_with(results.len().max(batch.jobs.len()), PairResult::default);
    let mut found = NarrowCounts::default();
    let mut patches = 0;
    for (index, (job, result)) in batch.jobs.iter().zip(results).enumerate() {
        let memory = &mut memories[job.pair as usize];
        if memory.answer.sensor {
            sense(job, batch, memory, narrow, result);
            continue;
        }
        let settings = &NarrowSettings { margin: memory.margin, method: memory.method, ..config.narrow };
        let memory = memory.narrow.of(job.part_indices);
        let asked =
            sampled.and_then(|(part, tickets)| Some((part, tickets, part.sampled(tickets, index, job)?)));
        match asked {
            None => impinge_pair::run(job, batch, settings, memory, narrow, result),
            Some((part, tickets, sampled)) => {
                // What the device does not take at all is as if there were none.
                let full_views = !matches!(sampled, Err(Redo::Shape | Redo::Capacity | Redo::Fault));
                let settings = &NarrowSettings { full_views, ..*settings };
                let done = sampled.and_then(|sampled| {
                    impinge_pair::run_sampled(job, settings, memory, narrow, &sampled, result)
                });
                let mut alone = false;
                if done.is_err() {
                    let views = part.view_intervals(tickets, index, job);
                    alone = views.is_empty();
                    if alone {
                        impinge_pair::run(job, batch, settings, memory, narrow, result);
                    } else {
                        impinge_pair::run_in_views(job, batch, settings, memory, narrow, views, result);
                    }
                }
                count_sampled(done.err(), alone, result, counts);
            }
        }
        found += result.counts;
        patches += result.patches.len();
    }
    count_narrow(&found, counts);
    span.record("triangle_tests", found.triangle_tests)
        .record("degenerate", found.degenerate)
        .record("views", found.views)
        .record("fragments", found.fragments)
        .record("columns", found.columns)
        .record("patches", patches);
}

/// Answers a job of a sensor: whether the pair touches, unless an earlier job has found that it does.
fn sense(
    job: &PairJob<'_>,
    batch: &CandidateBatch<'_>,
    memory: &mut PairMemory,
    narrow: &mut NarrowScratch,
    result: &mut PairResult,
) {
    let touching = &mut memory.answer.touching;
    *touching = *touching || impinge_pair::touches(job, batch, narrow);
    *result = PairResult {
        pair: job.pair,
        part_indices: job.part_indices,
        touching: *touching,
        ..PairResult::default()
    };
}

/// The contacts stage over a batch: manifolds of every pair that was asked about, with the impulses that
/// their points had.
fn reduce_all(
    (batch, results): (&CandidateBatch<'_>, &[PairResult]),
    sides: &[Option<[PlacedCollider<'_>; 2]>],
    memories: &mut [Box<PairMemory>],
    config: &Config,
    scratch: &mut ContactScratch,
) {
    let span = ContactCounts::span();
    let _entered = span.enter();
    let (mut reduced, mut matched) = (ContactCounts::default(), MatchCounts::default());
    for (job, result) in batch.jobs.iter().zip(results) {
        let index = job.pair as usize;
        if let Some(sides) = &sides[index] {
            reduced += reduce(job, result, sides, config, &mut memories[index], scratch);
        }
    }
    for (memory, sides) in memories.iter_mut().zip(sides).filter(|(memory, _)| !memory.answered) {
        let PairMemory { contacts, manifolds, .. } = &mut **memory;
        matched += contacts.match_points(manifolds, scratch);
        memory.answered = true;
        if let Some(sides) = sides {
            memory.end_answer(sides, config);
        }
    }
    reduced.record(&matched, &span);
}

/// The contacts stage for one job.
fn reduce(
    job: &PairJob<'_>,
    result: &PairResult,
    sides: &[PlacedCollider<'_>; 2],
    config: &Config,
    memory: &mut PairMemory,
    scratch: &mut ContactScratch,
) -> ContactCounts {
    let placement = PairPlacement {
        colliders: memory.colliders,
        frame: &job.frame,
        subshape_poses: job.parts.map(|part| part.pose),
        tolerance: sides[0].tolerance + sides[1].tolerance,
    };
    let PairMemory { contacts, manifolds, answer, .. } = memory;
    let reduced =
        impinge_contacts::manifolds_after(contacts, result, &placement, &config.contacts, scratch, manifolds);
    let meshes = || job.parts.iter().filter_map(|part| part.surface.as_ref()).map(Surface::faces);
    let soup = meshes().any(|mesh| !mesh.is_closed());
    let closed_holes = meshes().any(|mesh| mesh.has_closed_holes());
    answer.touching |= result.touching;
    answer.patches += result.patches.len() as u32;
    answer.dropped += reduced.over_limit as u32;
    answer.tolerated += reduced.below_tolerance as u32;
    answer.soup_jobs += u32::from(soup && !answer.sensor);
    answer.closed_hole_jobs += u32::from(closed_holes && !answer.sensor);
    answer.odd_columns += result.counts.odd_columns;
    answer.cut_searches += result.counts.cut_searches;
    reduced
}
