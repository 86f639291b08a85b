//! What searches of trees cost.

/// What a descent cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DescentCounts {
    /// Tests of one box against all children of a node.
    pub wide_tests: u64,
    /// Pairs of boxes in them.
    pub box_tests: u64,
    /// Pairs of leaves found.
    pub leaf_pairs: u64,
}

impl std::ops::AddAssign for DescentCounts {
    fn add_assign(&mut self, other: DescentCounts) {
        self.wide_tests += other.wide_tests;
        self.box_tests += other.box_tests;
        self.leaf_pairs += other.leaf_pairs;
    }
}
