//! Hulls against hulls, eight at once: which overlap by no more than both shells.

use std::arch::x86_64::*;

use super::{at, load, spread};
use crate::lanes::{Block, Hit, Hull, LANES, Lanes, Reach, Square, Squares};

/// A hull in every lane.
struct WideHull {
    min: [__m256; 3],
    max: [__m256; 3],
    shell: __m256,
}

impl WideHull {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn new(x: &Hull) -> WideHull {
        let Hull { extent, shell } = x;
        WideHull {
            min: [
                _mm256_set1_ps(extent.min[0]),
                _mm256_set1_ps(extent.min[1]),
                _mm256_set1_ps(extent.min[2]),
            ],
            max: [
                _mm256_set1_ps(extent.max[0]),
                _mm256_set1_ps(extent.max[1]),
                _mm256_set1_ps(extent.max[2]),
            ],
            shell: _mm256_set1_ps(*shell),
        }
    }

    /// A bit per lane whose hull overlaps this one by no more than both shells.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn within_shells(&self, block: &Block) -> u32 {
        let right = |k: usize| _mm256_sub_ps(self.max[k], load(&block.min[k]));
        let left = |k: usize| _mm256_sub_ps(load(&block.max[k]), self.min[k]);
        let depth = _mm256_min_ps(
            _mm256_min_ps(_mm256_min_ps(right(0), left(0)), _mm256_min_ps(right(1), left(1))),
            _mm256_min_ps(right(2), left(2)),
        );
        let shells = _mm256_add_ps(self.shell, load(&block.shell));
        let not_apart = _mm256_cmp_ps::<_CMP_GE_OQ>(depth, _mm256_setzero_ps());
        let not_deep = _mm256_cmp_ps::<_CMP_LE_OQ>(depth, shells);
        _mm256_movemask_ps(_mm256_and_ps(not_apart, not_deep)) as u32
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn run(probe: &WideHull, name: u32, blocks: &[Block], first: u32, hits: &mut Vec<Hit>) {
    for (block, c) in blocks.iter().zip(first..) {
        let bits = probe.within_shells(block);
        if bits != 0 {
            hits.push(Hit { probe: name, block: c, bits });
        }
    }
}

#[target_feature(enable = "avx2")]
pub(in crate::lanes) fn probe(probe: &Hull, name: u32, blocks: &[Block], first: u32, hits: &mut Vec<Hit>) {
    run(&WideHull::new(probe), name, blocks, first, hits);
}

/// Eight hulls in registers.
struct Hulls {
    min: [__m256; 3],
    max: [__m256; 3],
    shell: __m256,
}

impl Hulls {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn new(x: &Block) -> Hulls {
        let wide = |lanes: &[Lanes; 3]| [load(&lanes[0]), load(&lanes[1]), load(&lanes[2])];
        Hulls { min: wide(&x.min), max: wide(&x.max), shell: load(&x.shell) }
    }

    /// One hull of a block against these.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn within_shells(&self, probes: &Block, lane: usize) -> u64 {
        let right = |k: usize| _mm256_sub_ps(spread(&probes.max[k], lane), self.min[k]);
        let left = |k: usize| _mm256_sub_ps(self.max[k], spread(&probes.min[k], lane));
        let depth = _mm256_min_ps(
            _mm256_min_ps(_mm256_min_ps(right(0), left(0)), _mm256_min_ps(right(1), left(1))),
            _mm256_min_ps(right(2), left(2)),
        );
        let shells = _mm256_add_ps(spread(&probes.shell, lane), self.shell);
        let not_apart = _mm256_cmp_ps::<_CMP_GE_OQ>(depth, _mm256_setzero_ps());
        at(lane, _mm256_and_ps(not_apart, _mm256_cmp_ps::<_CMP_LE_OQ>(depth, shells)))
    }
}

#[target_feature(enable = "avx2")]
pub(in crate::lanes) fn sweep(blocks: &[Block], reach: Reach, squares: &mut Squares) {
    let Reach { b, all, one, half } = reach;
    let probes = &blocks[b as usize];
    for (others, c) in blocks[b as usize..all as usize].iter().zip(b..) {
        let others = Hulls::new(others);
        let mut bits = 0;
        for lane in 0..LANES {
            bits |= others.within_shells(probes, lane);
        }
        squares.note(Square { probes: b, others: c, bits });
    }
    for (others, c) in blocks[all as usize..one as usize].iter().zip(all..) {
        let others = Hulls::new(others);
        let mut bits = 0;
        for lane in 0..LANES / 2 {
            bits |= others.within_shells(probes, lane + half * LANES / 2);
        }
        squares.note(Square { probes: b, others: c, bits });
    }
}
