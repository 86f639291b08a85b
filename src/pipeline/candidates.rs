//! The midphase over a chunk of pairs.

use impinge_broadphase::Pair;
use impinge_contacts::ContactScratch;
use impinge_exact::distance::{DistanceMemory, DistanceScratch, Proximity, distance};
use impinge_midphase::{CandidateBatch, MidphaseCounts, PairJob, PairKind, Placed};
use impinge_pair::NarrowMethod;

use super::chunk_report::ChunkReport;
use super::{Pipeline, PipelineStep, PlacedCollider};
use crate::PairResponse;
use crate::clock::Stopwatch;
use crate::coherence::Coherence;
use crate::config::Config;
use crate::margin::pair_margin;
use crate::pair_memory::{PairCounts, PairMemory};
use crate::report::StepCounts;

/// By how much a distance is off by rounding, at most (part of how far coordinates reach).
const DISTANCE_ERROR: f64 = 1e-12;

/// Candidates of one chunk of pairs.
pub(super) struct Found<'s> {
    pub sides: Vec<Option<[PlacedCollider<'s>; 2]>>,
    pub batch: CandidateBatch<'s>,
    pub report: ChunkReport,
}

impl Pipeline {
    /// The midphase over a chunk.
    pub(super) fn find_chunk<'s, P>(
        &self,
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
        let batch = self.find_candidates(&sides, memories, (step.config, step.between), &mut report.counts);
        report.times.midphase = started.elapsed();
        Found { sides, batch, report }
    }

    /// The midphase over the pairs of a chunk whose last answer does not stand.
    fn find_candidates<'s>(
        &self,
        sides: &[Option<[PlacedCollider<'s>; 2]>],
        memories: &mut [Box<PairMemory>],
        (config, between): (&Config, bool),
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
        let worker = &mut *self.worker();
        for (index, (sides, memory)) in sides.iter().zip(memories).enumerate() {
            let Some(sides) = sides else { continue };
            memory.note_edits(sides, config);
            let stands = memory.answered && !memory.is_carried();
            if stands && !memory.edited && !sides[0].moved && !sides[1].moved {
                counts.kept_pairs += 1;
            } else if sides.iter().any(|side| side.shape.particles().is_some()) {
                memory.begin_points(sides, pair_margin(sides, config), &mut worker.contacts);
            } else if between && memory.method == pair_method(sides) && memory.carry(sides) {
                counts.carried_pairs += 1;
            } else if memory.method == pair_method(sides) && memory.refresh(sides, &mut worker.narrow) {
                counts.refreshed_pairs += 1;
            } else {
                let out = (&mut batch, &mut found);
                let buffers = (&mut worker.distance, &mut worker.contacts);
                find_pair(index as u32, sides, memory, config, out, buffers);
            }
        }
        counts.box_tests += found.box_tests;
        counts.jobs += batch.jobs.len() as u64;
        span.record("box_tests", found.box_tests).record("jobs", batch.jobs.len());
        batch
    }
}

/// How the contacts of a pair are found: by height maps where either collider asks for them.
fn pair_method(sides: &[PlacedCollider<'_>; 2]) -> NarrowMethod {
    let asked = sides.iter().any(|side| side.method == NarrowMethod::HeightMap);
    if asked { NarrowMethod::HeightMap } else { NarrowMethod::Exact }
}

/// The midphase over a pair that is to be answered in full.
fn find_pair<'s>(
    index: u32,
    sides: &[PlacedCollider<'s>; 2],
    memory: &mut PairMemory,
    config: &Config,
    (batch, found): (&mut CandidateBatch<'s>, &mut MidphaseCounts),
    (scratch, contacts): (&mut DistanceScratch, &mut ContactScratch),
) {
    let apart = memory.answered && !memory.answer.touching && memory.manifolds.is_empty();
    contacts.clear(&mut memory.manifolds);
    let sensor = memory.only_touches(sides);
    memory.answer = PairCounts { sensor, ..PairCounts::default() };
    memory.answered = false;
    if memory.response == PairResponse::Ignore {
        memory.narrow.clear();
        memory.coherence = Coherence::default();
        return;
    }
    let ahead = memory.coherence.begin(sides, config.coherence, apart);
    let [a, b] = sides.map(|side| Placed { shape: side.shape, pose: side.pose });
    memory.margin = if sensor { 0.0 } else { pair_margin(sides, config) };
    memory.method = pair_method(sides);
    let margin = memory.margin;
    if ahead > 0.0 {
        let jobs = batch.jobs.len();
        impinge_midphase::find(index, a, b, margin + ahead, batch, found);
        let room = room(&batch.jobs[jobs..], [margin, ahead], scratch);
        memory.coherence.note_search(ahead, room);
        if room > 0.0 {
            batch.truncate(jobs);
            return;
        }
        batch.truncate(jobs);
    }
    impinge_midphase::find(index, a, b, margin, batch, found);
}

/// How far beyond a margin (m) the parts of all jobs are apart, up to `ahead` (m); 0 where some are not. Jobs of a wider search: leaves whose boxes are
/// near may hold no triangles that are.
fn room(jobs: &[PairJob<'_>], [margin, ahead]: [f64; 2], scratch: &mut DistanceScratch) -> f64 {
    let mut least = margin + ahead;
    for job in jobs {
        // Of convex solids alone a distance is not exact.
        if matches!(job.kind, PairKind::Convex) {
            return 0.0;
        }
        match distance(job.parts, &job.frame, least, &mut DistanceMemory::default(), scratch) {
            None => {}
            Some(Proximity::Apart(apart)) => {
                let spheres = job.parts.iter().map(|part| &part.sphere).filter(|own| own.radius.is_finite());
                let reach: f64 = spheres.map(|own| f64::from(own.center.coords.norm() + own.radius)).sum();
                let size = reach + job.frame.offset.iter().map(|offset| offset.norm()).sum::<f64>();
                least = apart.distance - DISTANCE_ERROR * size;
            }
            Some(Proximity::Touching { .. }) => return 0.0,
        }
    }
    (least - margin).max(0.0)
}
