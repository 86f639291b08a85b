//! The midphase over a chunk of pairs.

use impinge_broadphase::Pair;
use impinge_midphase::{CandidateBatch, MidphaseCounts, Placed};

use super::chunk_report::ChunkReport;
use super::{PipelineStep, PlacedCollider};
use crate::PairResponse;
use crate::clock::Stopwatch;
use crate::config::Config;
use crate::pair_memory::{PairCounts, PairMemory};
use crate::report::StepCounts;

/// Candidates of one chunk of pairs.
pub(super) struct Found<'s> {
    pub sides: Vec<Option<[PlacedCollider<'s>; 2]>>,
    pub batch: CandidateBatch<'s>,
    pub report: ChunkReport,
}

/// The midphase over a chunk.
pub(super) fn find_chunk<'s, P>(
    pairs: &[Pair],
    memories: &mut [Box<PairMemory>],
    step: &PipelineStep<'_, P>,
) -> Found<'s>
where
    P: Fn(u32) -> Option<PlacedCollider<'s>>,
{
    let mut report = ChunkReport::default();
    let sides: Vec<Option<[PlacedCollider<'s>; 2]>> =
        pairs.iter().map(|pair| Some([(step.placed)(pair.a)?, (step.placed)(pair.b)?])).collect();
    let started = Stopwatch::start();
    let batch = find_candidates(&sides, memories, step.config, &mut report.counts);
    report.times.midphase = started.elapsed();
    Found { sides, batch, report }
}

/// The midphase over the pairs of a chunk that have no answer yet.
fn find_candidates<'s>(
    sides: &[Option<[PlacedCollider<'s>; 2]>],
    memories: &mut [Box<PairMemory>],
    config: &Config,
    counts: &mut StepCounts,
) -> CandidateBatch<'s> {
    let span = tracing::info_span!(
        "midphase",
        pairs = sides.len(),
        box_tests = tracing::field::Empty,
        jobs = tracing::field::Empty,
    );
    let _entered = span.enter();
    let mut batch = CandidateBatch::default();
    let mut found = MidphaseCounts::default();
    for (index, (sides, memory)) in sides.iter().zip(memories).enumerate() {
        let Some([a, b]) = sides else { continue };
        if memory.answered && !a.moved && !b.moved {
            counts.kept_pairs += 1;
            continue;
        }
        memory.manifolds.clear();
        let sensor = a.sensor || b.sensor || memory.response == PairResponse::Touching;
        memory.answer = PairCounts { sensor, ..PairCounts::default() };
        memory.answered = false;
        if memory.response == PairResponse::Ignore {
            memory.narrow.clear();
            continue;
        }
        let [a, b] = [a, b].map(|side| Placed { shape: side.shape, pose: side.pose });
        let margin = if memory.answer.sensor { 0.0 } else { config.narrow.margin };
        impinge_midphase::find(index as u32, a, b, margin, &mut batch, &mut found);
    }
    counts.box_tests += found.box_tests;
    counts.jobs += batch.jobs.len() as u64;
    span.record("box_tests", found.box_tests).record("jobs", batch.jobs.len());
    batch
}
