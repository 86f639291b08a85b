//! Counters of the sweeps.

/// Counters of the sweeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Work {
    /// Places that members moved by while they were sorted.
    pub shifts: u64,
    /// Active members of the columns swept.
    pub members: u64,
    /// Inactive members of the columns swept.
    pub inactive: u64,
    /// Box tests made, counted in whole blocks.
    pub tests: u64,
    /// Columns swept in full.
    pub columns: u64,
    /// Columns of which only the members that moved were tested.
    pub sparse: u64,
}

impl Work {
    /// Estimated cost in nanoseconds.
    pub fn cost(&self) -> f64 {
        12.0 * self.members as f64 + 0.3 * self.tests as f64 + 60.0 * self.columns as f64
    }

    pub fn add(&mut self, other: &Work) {
        self.shifts += other.shifts;
        self.members += other.members;
        self.inactive += other.inactive;
        self.tests += other.tests;
        self.columns += other.columns;
        self.sparse += other.sparse;
    }
}
