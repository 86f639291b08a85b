//! Axis-aligned boxes of a node's children, and what stands below them.

use impinge_geometry::simd::{F32Lanes, Simd};

use super::node::{Child, WIDTH};

/// Boxes of a node's children side by side; those of nothing are inside out. What stands below them is here, too, so that a search does
/// not read the tree's nodes, which are larger.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct NodeBoxes {
    /// Least and greatest x, y, z of every child (m).
    pub low: [[f32; WIDTH]; 3],
    pub high: [[f32; WIDTH]; 3],
    /// What stands below each box.
    pub child: [Child; WIDTH],
    /// One bit for each child that is a leaf.
    pub leaves: u32,
    /// How many children there are.
    pub count: u32,
}

impl NodeBoxes {
    /// Without children.
    pub const EMPTY: NodeBoxes = NodeBoxes {
        low: [[f32::INFINITY; WIDTH]; 3],
        high: [[f32::NEG_INFINITY; WIDTH]; 3],
        child: [Child::NONE; WIDTH],
        leaves: 0,
        count: 0,
    };

    /// One bit for each child whose box overlaps the box in a lane of another node.
    #[inline(always)]
    pub fn overlapping<S: Simd>(&self, other: &NodeBoxes, lane: usize) -> u32 {
        let lane = lane % WIDTH;
        let mut apart = S::F32x8::splat(0.0);
        for k in 0..3 {
            let (low, high) = (S::F32x8::load(&self.low[k]), S::F32x8::load(&self.high[k]));
            apart = apart.or(S::F32x8::splat(other.high[k][lane]).less(low));
            apart = apart.or(high.less(S::F32x8::splat(other.low[k][lane])));
        }
        !apart.bits() & <S::F32x8 as F32Lanes>::ALL
    }
}
