//! A step divided between the GPU and the CPU: the pool's workers find candidates and send them, chunk by
//! chunk, through a bounded channel to the thread that owns the device's queue; chunks that are the CPU's
//! they answer at once.

use impinge_broadphase::Pair;
use rayon::ThreadPool;
use rayon::prelude::*;

use super::candidates::Found;
use super::chunk_report::ChunkReport;
use super::{CHUNK, Pipeline, PipelineStep, PlacedCollider};
use crate::Parity;
use crate::gpu::{Gpu, Taken, Tickets};
use crate::pair_memory::PairMemory;
use crate::report::{StepCounts, StepTimes};

/// Chunks that wait for the thread that owns the GPU's queue, at most: beyond that the finders rest.
const CHUNKS_ON_THE_WAY: usize = 64;

/// Steps of fewer chunks are handed to the GPU in one submission.
const CHUNKS_WORTH_A_SUBMISSION: usize = 96;

/// A chunk of a step that is divided between the GPU and the CPU.
enum Chunk<'s> {
    /// The GPU's: its candidates, and what was sent of them.
    Sent { found: Found<'s>, tickets: Box<Tickets> },
    /// The CPU's, while the GPU is busy; of so many leaves and pairs of leaves.
    Answered { report: ChunkReport, leaves: u64 },
}

impl Pipeline {
    /// As [`Pipeline::run`], with the triangle pairs of all surfaces tested on the GPU: the pool's workers
    /// find candidates and send them, chunk by chunk, to this thread, which owns the queue; then they
    /// answer the pairs with what the GPU has left of them.
    pub fn run_on<'s, P>(
        &self,
        gpu: &mut Gpu,
        pool: &ThreadPool,
        step: &PipelineStep<'_, P>,
        memories: &mut [Box<PairMemory>],
        counts: &mut StepCounts,
        times: &mut StepTimes,
    ) where
        P: Fn(u32) -> Option<PlacedCollider<'s>> + Sync,
    {
        gpu.begin();
        let mut chunks = self.send_chunks(gpu, pool, step, memories);
        gpu.finish();
        let mut own = Taken::default();
        for chunk in &chunks {
            if let Chunk::Answered { report, leaves } = chunk {
                own.leaves += leaves;
                own.time += report.times.narrow;
            }
        }
        let device = &*gpu;
        let chunk = |(chunk, memories): (&mut Chunk<'s>, &mut [Box<PairMemory>])| match chunk {
            Chunk::Answered { report, .. } => *report,
            Chunk::Sent { found, tickets } => {
                device.cull(&mut found.batch, tickets);
                self.answer_chunk(found, Some((device, tickets)), memories, step.config)
            }
        };
        let report = pool.install(|| {
            chunks
                .par_iter_mut()
                .zip(memories.par_chunks_mut(CHUNK))
                .map(chunk)
                .reduce(ChunkReport::default, ChunkReport::plus)
        });
        let left = report.times.narrow.saturating_sub(own.time);
        gpu.learn(own, left, pool.current_num_threads());
        report.add_to(counts, times);
        gpu.report(counts, times);
        counts.pairs = step.pairs.len() as u64;
    }

    /// Has the pool find every chunk's candidates; those that the plan gives the GPU are handed to it as
    /// they come, the others are answered at once. Gives the chunks in their order.
    fn send_chunks<'s, P>(
        &self,
        gpu: &mut Gpu,
        pool: &ThreadPool,
        step: &PipelineStep<'_, P>,
        memories: &mut [Box<PairMemory>],
    ) -> Vec<Chunk<'s>>
    where
        P: Fn(u32) -> Option<PlacedCollider<'s>> + Sync,
    {
        let total = step.pairs.len().div_ceil(CHUNK);
        let plan = gpu.plan(total);
        let mut chunks: Vec<Option<Chunk<'s>>> = Vec::new();
        chunks.resize_with(total, || None);
        let (sender, receiver) = crossbeam_channel::bounded(CHUNKS_ON_THE_WAY);
        let work = |index: usize, pairs: &[Pair], memories: &mut [Box<PairMemory>]| {
            let found = self.find_chunk(pairs, memories, step);
            if plan.is_gpu(index) {
                let tickets = match step.config.parity {
                    Parity::Bits => Tickets::default(),
                    Parity::Meaning => {
                        let scratch = &mut self.worker().narrow;
                        Tickets::of_contacts(&found.batch, memories, &step.config.narrow, scratch)
                    }
                };
                return Chunk::Sent { found, tickets: Box::new(tickets) };
            }
            let report = self.answer_chunk(&found, None, memories, step.config);
            Chunk::Answered { report, leaves: Taken::leaves_of(&found.batch) }
        };
        let work = &work;
        pool.in_place_scope(|scope| {
            scope.spawn(move |_| {
                step.pairs.par_chunks(CHUNK).zip(memories.par_chunks_mut(CHUNK)).enumerate().for_each(
                    |(index, (pairs, memories))| {
                        // The receiver lives until every sender is gone.
                        let _ = sender.send((index, work(index, pairs, memories)));
                    },
                );
            });
            for (done, (index, mut chunk)) in receiver.iter().enumerate() {
                if let Chunk::Sent { found, tickets } = &mut chunk {
                    gpu.push(&found.batch, tickets);
                }
                chunks[index] = Some(chunk);
                // A small step is one submission; of a large one the device has a third early.
                if total >= CHUNKS_WORTH_A_SUBMISSION && (done + 1) % total.div_ceil(3) == 0 {
                    gpu.flush();
                }
            }
        });
        chunks.into_iter().flatten().collect()
    }
}
