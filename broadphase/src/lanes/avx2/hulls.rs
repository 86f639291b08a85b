//! From rows to hulls, eight at once.

use std::arch::x86_64::*;

use super::{load, store};
use crate::lanes::{Block, LANES, LaneBits, ROUND_UP, Span, States};
use crate::row::Row;

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
pub(in crate::lanes) fn hulls(
    rows: &[&Row; LANES],
    epoch: u32,
    cell: [u16; 2],
    block: &mut Block,
    states: Option<&mut States>,
) -> LaneBits {
    // Words of the first half: min, max, cells; of the second: min, max, stamp, slot.
    let new = transpose(rows.map(|row| load_half::<false>(row)));
    let old = transpose(rows.map(|row| load_half::<true>(row)));
    let stamps = _mm256_srli_epi32::<1>(_mm256_castps_si256(old[6]));
    let moved = _mm256_castsi256_ps(_mm256_cmpeq_epi32(stamps, _mm256_set1_epi32(epoch as i32)));
    let mut was = [new[0]; 6];
    for i in 0..6 {
        was[i] = _mm256_blendv_ps(new[i], old[i], moved);
    }
    let old = was;
    let missing = _mm256_cmp_ps::<_CMP_UNORD_Q>(old[0], old[0]);
    let mut shell = _mm256_and_ps(missing, _mm256_set1_ps(f32::INFINITY));
    let mut overlap = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
    for k in 0..3 {
        overlap = _mm256_and_ps(overlap, _mm256_cmp_ps::<_CMP_GE_OQ>(new[k + 3], old[k]));
        overlap = _mm256_and_ps(overlap, _mm256_cmp_ps::<_CMP_GE_OQ>(old[k + 3], new[k]));
        // Where a bound is missing, the second operand is the answer.
        let min = _mm256_min_ps(old[k], new[k]);
        let max = _mm256_max_ps(old[k + 3], new[k + 3]);
        store(&mut block.min[k], min);
        store(&mut block.max[k], max);
        shell = _mm256_max_ps(_mm256_sub_ps(_mm256_max_ps(new[k], old[k]), min), shell);
        shell = _mm256_max_ps(_mm256_sub_ps(max, _mm256_min_ps(new[k + 3], old[k + 3])), shell);
    }
    if let Some(states) = states {
        for k in 0..3 {
            store(&mut states.new.min[k], new[k]);
            store(&mut states.new.max[k], new[k + 3]);
            store(&mut states.old.min[k], old[k]);
            store(&mut states.old.max[k], old[k + 3]);
        }
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
        odd: moved & !_mm256_movemask_ps(_mm256_or_ps(overlap, missing)) as u32,
        leaving: !_mm256_movemask_ps(_mm256_castsi256_ps(inside)) as u32 & 0xff,
    }
}
