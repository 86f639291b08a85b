//! A level of blocks.

/// Cells along a side of a block of level 0, as a power of two.
pub const BLOCK_BITS: u32 = 2;

/// The blocks of a level.
#[derive(Clone, Debug)]
pub(super) struct CubeLevel {
    /// Blocks along x, y and z.
    pub size: [u32; 3],
    /// Least and greatest value of the samples of every block, those at its upper borders included.
    pub bounds: Vec<[f32; 2]>,
}

impl CubeLevel {
    /// Where a block is among all.
    #[inline]
    pub fn index(&self, [x, y, z]: [u32; 3]) -> usize {
        ((z * self.size[1] + y) * self.size[0] + x) as usize
    }
}
