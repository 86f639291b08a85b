//! A level of blocks.

use super::bit_set::BitSet;

/// Of each level, the size of a block as powers of two (cells along x and y).
pub const BLOCK_BITS: [[u32; 2]; 9] =
    [[2, 2], [4, 3], [5, 5], [7, 6], [8, 8], [10, 9], [11, 11], [13, 12], [14, 14]];

/// The blocks of a level.
#[derive(Clone, Debug)]
pub(super) struct Level {
    /// Blocks along x and y.
    pub size: [u32; 2],
    /// Least and greatest height (m) of the samples of every block, those at its upper borders included; the first is greater
    /// where there is none.
    pub bounds: Vec<[f32; 2]>,
    /// Whether an edge of a block's vertices has a wall.
    pub walls: BitSet,
}
