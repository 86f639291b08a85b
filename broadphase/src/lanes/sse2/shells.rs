//! Hulls against hulls, four at once: which overlap by no more than both shells.

use std::arch::x86_64::*;

use super::{at, load, spread};
use crate::lanes::{Block, Hit, Hull, LANES, Lanes, Reach, Square, Squares};

/// A hull in every lane.
struct WideHull {
    min: [__m128; 3],
    max: [__m128; 3],
    shell: __m128,
}

impl WideHull {
    #[inline]
    #[target_feature(enable = "sse2")]
    fn new(x: &Hull) -> WideHull {
        let Hull { extent, shell } = x;
        WideHull {
            min: [_mm_set1_ps(extent.min[0]), _mm_set1_ps(extent.min[1]), _mm_set1_ps(extent.min[2])],
            max: [_mm_set1_ps(extent.max[0]), _mm_set1_ps(extent.max[1]), _mm_set1_ps(extent.max[2])],
            shell: _mm_set1_ps(*shell),
        }
    }

    /// All bits set in the lanes whose hull overlaps this one by no more than both shells.
    #[inline]
    #[target_feature(enable = "sse2")]
    fn within_shells(&self, block: &Block, half: usize) -> u32 {
        let right = |k: usize| _mm_sub_ps(self.max[k], load(&block.min[k], half));
        let left = |k: usize| _mm_sub_ps(load(&block.max[k], half), self.min[k]);
        let depth = _mm_min_ps(
            _mm_min_ps(_mm_min_ps(right(0), left(0)), _mm_min_ps(right(1), left(1))),
            _mm_min_ps(right(2), left(2)),
        );
        let shells = _mm_add_ps(self.shell, load(&block.shell, half));
        let not_apart = _mm_cmpge_ps(depth, _mm_setzero_ps());
        _mm_movemask_ps(_mm_and_ps(not_apart, _mm_cmple_ps(depth, shells))) as u32
    }
}

#[inline]
#[target_feature(enable = "sse2")]
fn run(probe: &WideHull, name: u32, blocks: &[Block], first: u32, hits: &mut Vec<Hit>) {
    for (block, c) in blocks.iter().zip(first..) {
        let bits = probe.within_shells(block, 0) | probe.within_shells(block, 1) << (LANES / 2);
        if bits != 0 {
            hits.push(Hit { probe: name, block: c, bits });
        }
    }
}

#[target_feature(enable = "sse2")]
pub(in crate::lanes) fn probe(probe: &Hull, name: u32, blocks: &[Block], first: u32, hits: &mut Vec<Hit>) {
    run(&WideHull::new(probe), name, blocks, first, hits);
}

/// Four hulls in registers.
struct Hulls {
    min: [__m128; 3],
    max: [__m128; 3],
    shell: __m128,
}

impl Hulls {
    #[inline]
    #[target_feature(enable = "sse2")]
    fn new(x: &Block, half: usize) -> Hulls {
        let wide = |lanes: &[Lanes; 3]| [load(&lanes[0], half), load(&lanes[1], half), load(&lanes[2], half)];
        Hulls { min: wide(&x.min), max: wide(&x.max), shell: load(&x.shell, half) }
    }

    /// One hull of a block against these.
    #[inline]
    #[target_feature(enable = "sse2")]
    fn within_shells(&self, probes: &Block, lane: usize) -> __m128 {
        let right = |k: usize| _mm_sub_ps(spread(&probes.max[k], lane), self.min[k]);
        let left = |k: usize| _mm_sub_ps(self.max[k], spread(&probes.min[k], lane));
        let depth = _mm_min_ps(
            _mm_min_ps(_mm_min_ps(right(0), left(0)), _mm_min_ps(right(1), left(1))),
            _mm_min_ps(right(2), left(2)),
        );
        let shells = _mm_add_ps(spread(&probes.shell, lane), self.shell);
        _mm_and_ps(_mm_cmpge_ps(depth, _mm_setzero_ps()), _mm_cmple_ps(depth, shells))
    }
}

#[target_feature(enable = "sse2")]
pub(in crate::lanes) fn sweep(blocks: &[Block], reach: Reach, squares: &mut Squares) {
    let Reach { b, all, one, half } = reach;
    let probes = &blocks[b as usize];
    for (others, c) in blocks[b as usize..all as usize].iter().zip(b..) {
        let mut bits = 0;
        for part in 0..2 {
            let others = Hulls::new(others, part);
            for lane in 0..LANES {
                bits |= at(lane, part, others.within_shells(probes, lane));
            }
        }
        squares.note(Square { probes: b, others: c, bits });
    }
    for (others, c) in blocks[all as usize..one as usize].iter().zip(all..) {
        let mut bits = 0;
        for part in 0..2 {
            let others = Hulls::new(others, part);
            for lane in 0..LANES / 2 {
                let lane = lane + half * LANES / 2;
                bits |= at(lane, part, others.within_shells(probes, lane));
            }
        }
        squares.note(Square { probes: b, others: c, bits });
    }
}
