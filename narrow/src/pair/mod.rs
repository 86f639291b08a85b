//! One pair of parts from candidate to patches.

mod common;
mod contour_view;
mod depth;
mod escape;
mod finish;
mod inside;
mod memory;
mod probe;
mod push;
mod region;
mod scene;
mod settle;
mod solids;
mod surfaces;
mod three_views;
mod touch;
mod whole;
mod witness;

#[cfg(test)]
mod tests;

use impinge_midphase::{CandidateBatch, PairJob, Work};

use crate::closed_form;
use crate::containment::ContainmentScratch;
use crate::contour::{ContourScratch, Contours};
use crate::margin::MarginScratch;
use crate::patch::{NarrowCounts, PairResult};
use crate::patches::{Flood, Join, Pieces};
use crate::settings::NarrowSettings;
use crate::stream::{StreamOut, StreamScratch};
pub use common::{CommonVolume, common_volume};
pub use contour_view::mended;
pub use memory::NarrowMemory;
pub use touch::touches;

use contour_view::ContourViews;
use scene::{Eyes, Scene};
use solids::SolidScratch;

/// Buffers of one worker: nothing is allocated for views once they are warm.
#[derive(Debug, Default)]
pub struct NarrowScratch {
    stream: StreamScratch,
    stream_out: StreamOut,
    contour: ContourScratch,
    contours: Contours,
    containment: ContainmentScratch,
    pieces: Pieces,
    flood: Flood,
    views: ContourViews,
    eyes: Eyes,
    join: Join,
    solids: SolidScratch,
    margin: MarginScratch,
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
            closed_form::run(job, settings, out);
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
