//! What sweeps did.

/// Counters of the sweeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Work {
    /// Places that members moved by while the order was repaired.
    pub shifts: u64,
    /// Members of the columns swept, less those at rest.
    pub members: u64,
    /// Members at rest of the columns swept.
    pub resting: u64,
    /// Box tests made, counted in whole blocks.
    pub tests: u64,
    /// Columns swept in full.
    pub columns: u64,
    /// Columns of which only the members that moved were tested.
    pub few: u64,
}

impl Work {
    /// About what this cost, in nanoseconds.
    pub fn cost(&self) -> f64 {
        12.0 * self.members as f64 + 0.3 * self.tests as f64 + 60.0 * self.columns as f64
    }

    pub fn add(&mut self, other: &Work) {
        self.shifts += other.shifts;
        self.members += other.members;
        self.resting += other.resting;
        self.tests += other.tests;
        self.columns += other.columns;
        self.few += other.few;
    }
}
