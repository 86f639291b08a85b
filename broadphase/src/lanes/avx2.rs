//! The tests, eight boxes at once. The `unsafe` here is loads and stores of arrays of the size moved.

use std::arch::x86_64::*;

use super::{Block, Boxes, Change, Hit, Hull, LANES, LaneBits, Lanes, ROUND_UP, Span};
use crate::row::{Extent, Row};

#[inline]
#[target_feature(enable = "avx2")]
fn load(lanes: &Lanes) -> __m256 {
    // SAFETY: the reference is to eight floats; the load asks for no alignment.
    unsafe { _mm256_loadu_ps(lanes.as_ptr()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(lanes: &mut Lanes, x: __m256) {
    // SAFETY: the reference is to eight floats; the store asks for no alignment.
    unsafe { _mm256_storeu_ps(lanes.as_mut_ptr(), x) }
}

/// One half of a row: eight words.
#[inline]
#[target_feature(enable = "avx2")]
fn load_half<const OLD: bool>(row: &Row) -> __m256 {
    let row = std::ptr::from_ref(row).cast::<f32>();
    // SAFETY: a row is sixteen words without padding, any bits make a float, and the load asks for no
    // alignment.
    unsafe { _mm256_loadu_ps(row.add(if OLD { 8 } else { 0 })) }
}

/// Eight rows of eight to eight columns of eight.
#[inline]
#[target_feature(enable = "avx2")]
fn transpose(r: [__m256; 8]) -> [__m256; 8] {
    let lo = |i: usize| _mm256_unpacklo_ps(r[i], r[i + 1]);
    let hi = |i: usize| _mm256_unpackhi_ps(r[i], r[i + 1]);
    let (t0, t1, t2, t3) = (lo(0), hi(0), lo(2), hi(2));
    let (t4, t5, t6, t7) = (lo(4), hi(4), lo(6), hi(6));
    let s0 = _mm256_shuffle_ps::<0x44>(t0, t2);
    let s1 = _mm256_shuffle_ps::<0xee>(t0, t2);
    let s2 = _mm256_shuffle_ps::<0x44>(t1, t3);
    let s3 = _mm256_shuffle_ps::<0xee>(t1, t3);
    let s4 = _mm256_shuffle_ps::<0x44>(t4, t6);
    let s5 = _mm256_shuffle_ps::<0xee>(t4, t6);
    let s6 = _mm256_shuffle_ps::<0x44>(t5, t7);
    let s7 = _mm256_shuffle_ps::<0xee>(t5, t7);
    [
        _mm256_permute2f128_ps::<0x20>(s0, s4),
        _mm256_permute2f128_ps::<0x20>(s1, s5),
        _mm256_permute2f128_ps::<0x20>(s2, s6),
        _mm256_permute2f128_ps::<0x20>(s3, s7),
        _mm256_permute2f128_ps::<0x31>(s0, s4),
        _mm256_permute2f128_ps::<0x31>(s1, s5),
        _mm256_permute2f128_ps::<0x31>(s2, s6),
        _mm256_permute2f128_ps::<0x31>(s3, s7),
    ]
}

/// The least of four numbers, and the greatest.
#[inline]
#[target_feature(enable = "avx2")]
fn least(x: __m128) -> f32 {
    let x = _mm_min_ps(x, _mm_movehl_ps(x, x));
    _mm_cvtss_f32(_mm_min_ss(x, _mm_shuffle_ps::<1>(x, x)))
}

#[inline]
#[target_feature(enable = "avx2")]
fn greatest(x: __m128) -> f32 {
    let x = _mm_max_ps(x, _mm_movehl_ps(x, x));
    _mm_cvtss_f32(_mm_max_ss(x, _mm_shuffle_ps::<1>(x, x)))
}

/// The bounds along the sweep axis; where one is missing, the second operand is the answer.
#[inline]
#[target_feature(enable = "avx2")]
fn span(block: &Block) -> Span {
    let starts = _mm256_min_ps(load(&block.min[0]), _mm256_set1_ps(f32::INFINITY));
    let tips = _mm256_max_ps(load(&block.max[0]), _mm256_set1_ps(f32::NEG_INFINITY));
    let start = _mm_min_ps(_mm256_castps256_ps128(starts), _mm256_extractf128_ps::<1>(starts));
    let tips = [_mm256_castps256_ps128(tips), _mm256_extractf128_ps::<1>(tips)];
    Span { start: least(start), tips: [greatest(tips[0]), greatest(tips[1])] }
}

#[target_feature(enable = "avx2")]
pub(super) fn hulls(rows: &[&Row; LANES], epoch: u32, cell: [u16; 2], block: &mut Block) -> LaneBits {
    // Words of the first half: min, max, cells; of the second: min, max, stamp, slot.
    let new = transpose(rows.map(|row| load_half::<false>(row)));
    let old = transpose(rows.map(|row| load_half::<true>(row)));
    let stamps = _mm256_srli_epi32::<1>(_mm256_castps_si256(old[6]));
    let moved = _mm256_castsi256_ps(_mm256_cmpeq_epi32(stamps, _mm256_set1_epi32(epoch as i32)));
    let mut shell = _mm256_setzero_ps();
    let mut overlap = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
    for k in 0..3 {
        let old_min = _mm256_blendv_ps(new[k], old[k], moved);
        let old_max = _mm256_blendv_ps(new[k + 3], old[k + 3], moved);
        overlap = _mm256_and_ps(overlap, _mm256_cmp_ps::<_CMP_GE_OQ>(new[k + 3], old_min));
        overlap = _mm256_and_ps(overlap, _mm256_cmp_ps::<_CMP_GE_OQ>(old_max, new[k]));
        let min = _mm256_min_ps(new[k], old_min);
        let max = _mm256_max_ps(new[k + 3], old_max);
        store(&mut block.min[k], min);
        store(&mut block.max[k], max);
        // Where a bound is missing, the second operand is the answer.
        let moved = _mm256_sub_ps(_mm256_max_ps(new[k], old_min), min);
        shell = _mm256_max_ps(moved, shell);
        let moved = _mm256_sub_ps(max, _mm256_min_ps(new[k + 3], old_max));
        shell = _mm256_max_ps(moved, shell);
    }
    store(&mut block.shell, _mm256_mul_ps(shell, _mm256_set1_ps(ROUND_UP)));
    // A cell of 16-bit numbers is in a range if neither lo - cell nor cell - hi is above zero.
    let cell = _mm256_set1_epi32((u32::from(cell[0]) | u32::from(cell[1]) << 16) as i32);
    let below = _mm256_subs_epu16(_mm256_castps_si256(new[6]), cell);
    let above = _mm256_subs_epu16(cell, _mm256_castps_si256(new[7]));
    let inside = _mm256_cmpeq_epi32(_mm256_or_si256(below, above), _mm256_setzero_si256());
    let moved = _mm256_movemask_ps(moved) as u32;
    LaneBits {
        span: span(block),
        moved,
        odd: moved & !_mm256_movemask_ps(overlap) as u32,
        leaving: !_mm256_movemask_ps(_mm256_castsi256_ps(inside)) as u32 & 0xff,
    }
}

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
pub(super) fn probe(probe: &Hull, name: u32, blocks: &[Block], first: u32, hits: &mut Vec<Hit>) {
    run(&WideHull::new(probe), name, blocks, first, hits);
}

#[target_feature(enable = "avx2")]
pub(super) fn sweep(probes: &Block, others: [&[Block]; 2], first: u32, hits: &mut Vec<Hit>) {
    for lane in 0..LANES {
        let probe = WideHull::new(&probes.get(lane));
        let others = others[lane / (LANES / 2)];
        run(&probe, first * LANES as u32 + lane as u32, others, first, hits);
    }
}

/// A box in every lane.
struct Wide {
    min: [__m256; 3],
    max: [__m256; 3],
}

impl Wide {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn new(x: &Extent) -> Wide {
        Wide {
            min: [_mm256_set1_ps(x.min[0]), _mm256_set1_ps(x.min[1]), _mm256_set1_ps(x.min[2])],
            max: [_mm256_set1_ps(x.max[0]), _mm256_set1_ps(x.max[1]), _mm256_set1_ps(x.max[2])],
        }
    }

    /// All bits set in the lanes that the box overlaps; none where a bound is NaN.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn overlap(&self, boxes: &Boxes) -> __m256 {
        let mut all = _mm256_cmp_ps::<_CMP_GE_OQ>(self.max[0], load(&boxes.min[0]));
        all = _mm256_and_ps(all, _mm256_cmp_ps::<_CMP_LE_OQ>(self.min[0], load(&boxes.max[0])));
        for k in 1..3 {
            all = _mm256_and_ps(all, _mm256_cmp_ps::<_CMP_GE_OQ>(self.max[k], load(&boxes.min[k])));
            all = _mm256_and_ps(all, _mm256_cmp_ps::<_CMP_LE_OQ>(self.min[k], load(&boxes.max[k])));
        }
        all
    }
}

#[target_feature(enable = "avx2")]
pub(super) fn probe_settled(probe: &Change, name: u32, boxes: &[Boxes], first: u32, hits: &mut Vec<Hit>) {
    let (new, old) = (Wide::new(&probe.new), Wide::new(&probe.old));
    for (block, c) in boxes.iter().zip(first..) {
        let bits = _mm256_movemask_ps(_mm256_xor_ps(new.overlap(block), old.overlap(block))) as u32;
        if bits != 0 {
            hits.push(Hit { probe: name, block: c, bits });
        }
    }
}
