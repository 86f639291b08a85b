//! The contribution of a chunk of pairs to the report of a step.

use impinge_geometry::Containment;
use impinge_pair::{NarrowCounts, PairResult, Redo};

use crate::pair_memory::PairCounts;
use crate::report::{StepCounts, StepTimes};

/// The contribution of one chunk to the step's report.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ChunkReport {
    pub counts: StepCounts,
    pub times: StepTimes,
}

/// Adds what the narrow phase counted in a chunk.
pub(super) fn count_narrow(found: &NarrowCounts, counts: &mut StepCounts) {
    counts.triangle_tests += found.triangle_tests;
    counts.degenerate += found.degenerate;
    counts.views += found.views;
    counts.fragments += found.fragments;
    counts.columns += found.columns;
    counts.height_maps += found.height_maps;
    counts.past_height_maps += found.past_height_maps;
}

/// Counts a job whose contacts were asked of a device, and why its patches were not taken. `alone`: nor were its views.
pub(super) fn count_sampled(redone: Option<Redo>, alone: bool, result: &PairResult, counts: &mut StepCounts) {
    if !result.touching {
        return;
    }
    counts.gpu_touching += 1;
    match redone {
        _ if result.counts.views == 0 && !alone => counts.gpu_manifolds += 1,
        Some(_) if result.containment != Containment::None => counts.redone.count(Redo::Contained),
        Some(reason) => counts.redone.count(reason),
        None => {}
    }
}

impl PairCounts {
    /// Adds what a pair's answer counts.
    pub(super) fn add_to(&self, counts: &mut StepCounts) {
        counts.touching += u64::from(self.touching);
        counts.patches += u64::from(self.patches);
        counts.dropped_manifolds += u64::from(self.dropped);
        counts.tolerated += u64::from(self.tolerated);
        counts.soup_pairs += u64::from(self.soup_jobs);
        counts.closed_hole_pairs += u64::from(self.closed_hole_jobs);
        counts.odd_columns += self.odd_columns;
        counts.cut_searches += self.cut_searches;
    }
}

impl ChunkReport {
    /// Both together.
    pub fn plus(mut self, other: ChunkReport) -> ChunkReport {
        other.add_to(&mut self.counts, &mut self.times);
        self
    }

    /// Adds it to a step's.
    pub fn add_to(&self, counts: &mut StepCounts, times: &mut StepTimes) {
        let c = &self.counts;
        counts.kept_pairs += c.kept_pairs;
        counts.refreshed_pairs += c.refreshed_pairs;
        counts.carried_pairs += c.carried_pairs;
        counts.box_tests += c.box_tests;
        counts.jobs += c.jobs;
        counts.triangle_tests += c.triangle_tests;
        counts.degenerate += c.degenerate;
        counts.views += c.views;
        counts.fragments += c.fragments;
        counts.columns += c.columns;
        counts.height_maps += c.height_maps;
        counts.past_height_maps += c.past_height_maps;
        counts.odd_columns += c.odd_columns;
        counts.cut_searches += c.cut_searches;
        counts.touching += c.touching;
        counts.gpu_touching += c.gpu_touching;
        counts.gpu_manifolds += c.gpu_manifolds;
        counts.redone += c.redone;
        counts.patches += c.patches;
        counts.dropped_manifolds += c.dropped_manifolds;
        counts.tolerated += c.tolerated;
        counts.soup_pairs += c.soup_pairs;
        counts.closed_hole_pairs += c.closed_hole_pairs;
        times.midphase += self.times.midphase;
        times.narrow += self.times.narrow;
        times.contacts += self.times.contacts;
    }
}
