//! Counts of the contacts stage.

use std::ops::AddAssign;

use tracing::Span;

/// Counts of [`manifolds`](crate::manifolds), for spans and reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContactCounts {
    /// Patches that came in.
    pub patches: u64,
    /// Candidates for points that they held.
    pub candidates: u64,
    /// Manifolds that went out.
    pub manifolds: u64,
    /// Points that went out.
    pub points: u64,
    /// Patches not deeper than the sum of both colliders' tolerances.
    pub below_tolerance: u64,
    /// Patches that became part of another's manifold because a pair had more than
    /// [`ContactSettings::max_manifolds`](crate::ContactSettings::max_manifolds).
    pub merged: u64,
    /// Patches (after merging) dropped because a pair still had more than
    /// [`ContactSettings::max_manifolds`](crate::ContactSettings::max_manifolds).
    pub over_limit: u64,
}

impl AddAssign for ContactCounts {
    fn add_assign(&mut self, other: ContactCounts) {
        self.patches += other.patches;
        self.candidates += other.candidates;
        self.manifolds += other.manifolds;
        self.points += other.points;
        self.below_tolerance += other.below_tolerance;
        self.merged += other.merged;
        self.over_limit += other.over_limit;
    }
}

/// Counts of [`ContactMemory::match_points`](crate::ContactMemory::match_points), for spans and reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MatchCounts {
    /// Points that were there in the last step, at the place that the narrow phase calls the same.
    pub by_key: u64,
    /// Points that were there in the last step, at a place that the narrow phase calls otherwise.
    pub by_place: u64,
    /// Points that the last step did not have.
    pub new: u64,
    /// Points of the last step that are gone.
    pub gone: u64,
}

impl AddAssign for MatchCounts {
    fn add_assign(&mut self, other: MatchCounts) {
        self.by_key += other.by_key;
        self.by_place += other.by_place;
        self.new += other.new;
        self.gone += other.gone;
    }
}

impl ContactCounts {
    /// The span of the stage, `contacts`, its fields still empty: enter it while the stage runs, then
    /// [`ContactCounts::record`].
    pub fn span() -> Span {
        tracing::info_span!(
            "contacts",
            patches = tracing::field::Empty,
            candidates = tracing::field::Empty,
            manifolds = tracing::field::Empty,
            points = tracing::field::Empty,
            below_tolerance = tracing::field::Empty,
            merged = tracing::field::Empty,
            over_limit = tracing::field::Empty,
            matched_by_key = tracing::field::Empty,
            matched_by_place = tracing::field::Empty,
        )
    }

    /// Writes the counts to the fields of the stage's span.
    pub fn record(&self, matched: &MatchCounts, span: &Span) {
        span.record("patches", self.patches);
        span.record("candidates", self.candidates);
        span.record("manifolds", self.manifolds);
        span.record("points", self.points);
        span.record("below_tolerance", self.below_tolerance);
        span.record("merged", self.merged);
        span.record("over_limit", self.over_limit);
        span.record("matched_by_key", matched.by_key);
        span.record("matched_by_place", matched.by_place);
    }
}
