//! What a search for the least distance knows while it goes on, and what it costs.

use nalgebra::Vector3;

/// What a search for the least distance cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NearestCounts {
    /// Comparisons of one box with all children of a node.
    pub wide_tests: u64,
    /// Pairs of boxes in them.
    pub box_tests: u64,
    /// Pairs of leaves looked into.
    pub leaf_pairs: u64,
}

impl std::ops::AddAssign for NearestCounts {
    fn add_assign(&mut self, other: NearestCounts) {
        self.wide_tests += other.wide_tests;
        self.box_tests += other.box_tests;
        self.leaf_pairs += other.leaf_pairs;
    }
}

/// The best that is known while a search goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reached {
    /// What is not nearer than this is of no interest (m); may be infinite. At 0 the search ends.
    pub bound: f64,
    /// Unit, from A to B, along the line of the nearest points known; zero where none are (pair frame).
    pub axis: Vector3<f64>,
}
