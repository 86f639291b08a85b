//! From rows to hulls, four at once.

use std::arch::x86_64::*;

use super::{load, store};
use crate::lanes::{Block, LANES, LaneBits, ROUND_UP, Span, States};
use crate::row::Row;

/// A quarter of a row: four words.
#[inline]
#[target_feature(enable = "sse2")]
fn load_quarter(row: &Row, quarter: usize) -> __m128 {
    let row = std::ptr::from_ref(row).cast::<f32>();
    // SAFETY: a row is sixteen words without padding, the quarter is below 4, any bits make a float,
    // and the load asks for no alignment.
    unsafe { _mm_loadu_ps(row.add(4 * (quarter & 3))) }
}

/// The same quarter of four rows, as four columns of four.
#[inline]
#[target_feature(enable = "sse2")]
fn quarter(rows: &[&Row; LANES], half: usize, quarter: usize) -> [__m128; 4] {
    let row = |i: usize| load_quarter(rows[4 * half + i], quarter);
    let (a, b) = (_mm_unpacklo_ps(row(0), row(1)), _mm_unpacklo_ps(row(2), row(3)));
    let (c, d) = (_mm_unpackhi_ps(row(0), row(1)), _mm_unpackhi_ps(row(2), row(3)));
    [_mm_movelh_ps(a, b), _mm_movehl_ps(b, a), _mm_movelh_ps(c, d), _mm_movehl_ps(d, c)]
}

/// The bounds along the sweep axis of four lanes; where one is missing, the second operand is the
/// answer.
#[inline]
#[target_feature(enable = "sse2")]
fn span(block: &Block, half: usize) -> (f32, f32) {
    let starts = _mm_min_ps(load(&block.min[0], half), _mm_set1_ps(f32::INFINITY));
    let tips = _mm_max_ps(load(&block.max[0], half), _mm_set1_ps(f32::NEG_INFINITY));
    let starts = _mm_min_ps(starts, _mm_movehl_ps(starts, starts));
    let tips = _mm_max_ps(tips, _mm_movehl_ps(tips, tips));
    let start = _mm_cvtss_f32(_mm_min_ss(starts, _mm_shuffle_ps::<1>(starts, starts)));
    (start, _mm_cvtss_f32(_mm_max_ss(tips, _mm_shuffle_ps::<1>(tips, tips))))
}

#[target_feature(enable = "sse2")]
pub(in crate::lanes) fn hulls(
    rows: &[&Row; LANES],
    epoch: u32,
    cell: [u16; 2],
    block: &mut Block,
    mut states: Option<&mut States>,
) -> LaneBits {
    let low = hulls_half(rows, 0, epoch, cell, block, states.as_deref_mut());
    let high = hulls_half(rows, 1, epoch, cell, block, states);
    let [(start, tip), (other_start, other_tip)] = [span(block, 0), span(block, 1)];
    LaneBits {
        span: Span { start: start.min(other_start), tips: [tip, other_tip] },
        moved: low.moved | high.moved << 4,
        odd: low.odd | high.odd << 4,
        leaving: low.leaving | high.leaving << 4,
    }
}

#[inline]
#[target_feature(enable = "sse2")]
fn hulls_half(
    rows: &[&Row; LANES],
    half: usize,
    epoch: u32,
    cell: [u16; 2],
    block: &mut Block,
    states: Option<&mut States>,
) -> LaneBits {
    let [n0, n1, n2, n3] = quarter(rows, half, 0);
    let [n4, n5, lo, hi] = quarter(rows, half, 1);
    let [o0, o1, o2, o3] = quarter(rows, half, 2);
    let [o4, o5, stamp, _] = quarter(rows, half, 3);
    let (new, old) = ([n0, n1, n2, n3, n4, n5], [o0, o1, o2, o3, o4, o5]);
    let stamps = _mm_srli_epi32::<1>(_mm_castps_si128(stamp));
    let moved = _mm_castsi128_ps(_mm_cmpeq_epi32(stamps, _mm_set1_epi32(epoch as i32)));
    let blend = |x: __m128, y: __m128| _mm_or_ps(_mm_andnot_ps(moved, x), _mm_and_ps(moved, y));
    let mut was = [new[0]; 6];
    for i in 0..6 {
        was[i] = blend(new[i], old[i]);
    }
    let old = was;
    let missing = _mm_cmpunord_ps(old[0], old[0]);
    let mut shell = _mm_and_ps(missing, _mm_set1_ps(f32::INFINITY));
    let mut overlap = _mm_castsi128_ps(_mm_set1_epi32(-1));
    for k in 0..3 {
        overlap = _mm_and_ps(overlap, _mm_cmpge_ps(new[k + 3], old[k]));
        overlap = _mm_and_ps(overlap, _mm_cmpge_ps(old[k + 3], new[k]));
        // Where a bound is missing, the second operand is the answer.
        let min = _mm_min_ps(old[k], new[k]);
        let max = _mm_max_ps(old[k + 3], new[k + 3]);
        store(&mut block.min[k], half, min);
        store(&mut block.max[k], half, max);
        shell = _mm_max_ps(_mm_sub_ps(_mm_max_ps(new[k], old[k]), min), shell);
        shell = _mm_max_ps(_mm_sub_ps(max, _mm_min_ps(new[k + 3], old[k + 3])), shell);
    }
    if let Some(states) = states {
        for k in 0..3 {
            store(&mut states.new.min[k], half, new[k]);
            store(&mut states.new.max[k], half, new[k + 3]);
            store(&mut states.old.min[k], half, old[k]);
            store(&mut states.old.max[k], half, old[k + 3]);
        }
    }
    store(&mut block.shell, half, _mm_mul_ps(shell, _mm_set1_ps(ROUND_UP)));
    // A cell of 16-bit numbers is in a range if neither lo - cell nor cell - hi is above zero.
    let cell = _mm_set1_epi32((u32::from(cell[0]) | u32::from(cell[1]) << 16) as i32);
    let below = _mm_subs_epu16(_mm_castps_si128(lo), cell);
    let above = _mm_subs_epu16(cell, _mm_castps_si128(hi));
    let inside = _mm_cmpeq_epi32(_mm_or_si128(below, above), _mm_setzero_si128());
    let moved = _mm_movemask_ps(moved) as u32;
    LaneBits {
        span: Span::default(),
        moved,
        odd: moved & !_mm_movemask_ps(_mm_or_ps(overlap, missing)) as u32,
        leaving: !_mm_movemask_ps(_mm_castsi128_ps(inside)) as u32 & 0xf,
    }
}
