//! What the midphase counts.

use crate::obb_tree::DescentCounts;

/// Counts of the midphase, for spans and reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MidphaseCounts {
    /// Pairs of bounding spheres tested: pairs of parts.
    pub sphere_tests: u64,
    /// Pairs of oriented boxes tested.
    pub box_tests: u64,
    /// Tests of one box against all children of a node; each stands for up to eight `box_tests`.
    pub wide_tests: u64,
    /// Pairs of leaves handed on.
    pub leaf_pairs: u64,
    /// Leaves handed on for pairs of a mesh and a primitive.
    pub leaves: u64,
    /// Jobs handed on.
    pub jobs: u64,
}

impl MidphaseCounts {
    /// Writes the counts to the fields of a span that bear their names.
    pub fn record(&self, span: &tracing::Span) {
        span.record("sphere_tests", self.sphere_tests)
            .record("box_tests", self.box_tests)
            .record("wide_tests", self.wide_tests)
            .record("leaf_pairs", self.leaf_pairs)
            .record("leaves", self.leaves)
            .record("jobs", self.jobs);
    }
}

impl std::ops::AddAssign for MidphaseCounts {
    fn add_assign(&mut self, other: MidphaseCounts) {
        self.sphere_tests += other.sphere_tests;
        self.box_tests += other.box_tests;
        self.wide_tests += other.wide_tests;
        self.leaf_pairs += other.leaf_pairs;
        self.leaves += other.leaves;
        self.jobs += other.jobs;
    }
}

impl std::ops::AddAssign<DescentCounts> for MidphaseCounts {
    fn add_assign(&mut self, other: DescentCounts) {
        self.box_tests += other.box_tests;
        self.wide_tests += other.wide_tests;
        self.leaf_pairs += other.leaf_pairs;
    }
}
