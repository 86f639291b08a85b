//! Counters.

/// What the last update did, and what the structure holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Colliders held.
    pub colliders: usize,
    /// Colliders parked, in place or out.
    pub parked: usize,
    /// Boxes set, inserted or removed since the update before.
    pub moved: usize,
    /// Boxes that entered or left a column.
    pub crossed: usize,
    /// Places that members moved by while their columns were brought into order again.
    pub shifts: u64,
    /// Columns of the grid.
    pub columns: usize,
    /// Columns swept whole.
    pub swept: u64,
    /// Columns in which few boxes moved, and only these were tested; those in which none moved
    /// are not looked at.
    pub few: u64,
    /// Members of the columns swept, less those at rest; a box is a member of each column that it meets.
    pub members: u64,
    /// Members of the columns swept that have not moved for some updates: they are not looked at, but by
    /// those that move near them.
    pub resting: u64,
    /// Box tests made, counted in whole blocks of eight.
    pub tests: u64,
    /// Boxes that stand apart: without bounds, or over many columns.
    pub huge: usize,
    /// Times the grid was laid out anew since the beginning.
    pub rebuilds: u64,
    /// Pairs held.
    pub pairs: usize,
    /// Pairs that began with the last update.
    pub begun: usize,
    /// Pairs that ended with the last update.
    pub ended: usize,
}
