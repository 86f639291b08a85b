//! One pair of parts from candidate to patches.

use impinge_midphase::{CandidateBatch, PairJob, Work};

use crate::patch::{NarrowCounts, PairResult};
use crate::patches::{Flood, Join, Pieces};
use crate::settings::NarrowSettings;
use crate::speculative::MarginScratch;
use impinge_exact::containment::ContainmentScratch;
use impinge_exact::contour::{ContourScratch, Contours};
use impinge_exact::intersect::{StreamOut, StreamScratch};

use crate::contour_view::ContourViews;
use crate::memory::NarrowMemory;
use crate::scene::Eyes;
use crate::solids::{self, SolidScratch};
use crate::{convex, surfaces};

/// Buffers of one worker: nothing is allocated for views once they are warm.
#[derive(Debug, Default)]
pub struct NarrowScratch {
    pub(crate) stream: StreamScratch,
    pub(crate) stream_out: StreamOut,
    pub(crate) contour: ContourScratch,
    pub(crate) contours: Contours,
    pub(crate) containment: ContainmentScratch,
    pub(crate) pieces: Pieces,
    pub(crate) flood: Flood,
    pub(crate) views: ContourViews,
    pub(crate) eyes: Eyes,
    pub(crate) join: Join,
    pub(crate) solids: SolidScratch,
    pub(crate) margin: MarginScratch,
}

/// Answers one job: does the pair touch, and if so where, how deep and along which normal?
pub fn run(
    job: &PairJob<'_>,
    batch: &CandidateBatch<'_>,
    settings: &NarrowSettings,
    memory: &mut NarrowMemory,
    scratch: &mut NarrowScratch,
    out: &mut PairResult,
) {
    let span = tracing::debug_span!(
        "pair",
        pair = job.pair,
        patches = tracing::field::Empty,
        views = tracing::field::Empty,
        fragments = tracing::field::Empty,
        columns = tracing::field::Empty,
    );
    let _entered = span.enter();
    *out = PairResult { pair: job.pair, part_indices: job.part_indices, ..PairResult::default() };
    scratch.eyes.wide.counts = NarrowCounts::default();
    scratch.eyes.close.counts = NarrowCounts::default();
    memory.begin(&job.frame, &mut scratch.eyes);
    match &job.work {
        Work::Surfaces { leaf_pairs } => {
            let range = leaf_pairs.start as usize..leaf_pairs.end as usize;
            surfaces::run(job, &batch.leaf_pairs[range], settings, memory, scratch, out);
        }
        Work::ClosedForm => {
            convex::run(job, settings.margin, out);
            if settings.columns_only {
                solids::run_analytic(job, settings, scratch, out);
            }
        }
        Work::Solid { mesh, leaves } => {
            let range = leaves.start as usize..leaves.end as usize;
            solids::run(job, *mesh, &batch.leaves[range], settings, scratch, out);
        }
    }
    memory.end(&job.frame, &scratch.eyes);
    out.counts += scratch.eyes.wide.counts;
    out.counts += scratch.eyes.close.counts;
    span.record("patches", out.patches.len());
    span.record("views", out.counts.views);
    span.record("fragments", out.counts.fragments);
    span.record("columns", out.counts.columns);
}
