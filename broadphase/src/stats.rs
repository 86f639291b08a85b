//! Counters.

/// What the last update did, and what the structure holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Colliders held.
    pub colliders: usize,
    /// Colliders disabled, in place or removed to a pool.
    pub disabled: usize,
    /// Boxes set, inserted or removed since the update before.
    pub moved: usize,
    /// Boxes that entered or left a column.
    pub crossed: usize,
    /// Places that members moved by while their columns were sorted.
    pub shifts: u64,
    /// Columns of the grid.
    pub columns: usize,
    /// Columns swept in full.
    pub swept: u64,
    /// Columns in which few boxes moved, so that only these were tested; columns in which none moved are
    /// skipped.
    pub sparse: u64,
    /// Active members of the columns swept; a box is a member of each column that it meets.
    pub members: u64,
    /// Inactive members of the columns swept, which have not moved for some updates: they are only tested
    /// against boxes that move near them.
    pub inactive: u64,
    /// Box tests made, counted in whole blocks of eight.
    pub tests: u64,
    /// Huge boxes: without bounds, or over many columns.
    pub huge: usize,
    /// Times the grid was rebuilt.
    pub rebuilds: u64,
    /// Pairs held.
    pub pairs: usize,
    /// Pairs that began with the last update.
    pub begun: usize,
    /// Pairs that ended with the last update.
    pub ended: usize,
}
