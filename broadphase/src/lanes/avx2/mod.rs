//! The tests, eight boxes at once. The `unsafe` here is loads and stores of arrays of the size moved.

pub(super) mod coarse;

use std::arch::x86_64::*;

use super::{
    Block, Boxes, Change, Hit, Hull, LANES, LaneBits, Lanes, ROUND_UP, Reach, Span, Square, Squares, States,
};
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
pub(super) fn hulls(
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

#[inline]
#[target_feature(enable = "avx2")]
fn spread(lanes: &Lanes, lane: usize) -> __m256 {
    _mm256_broadcast_ss(&lanes[lane % LANES])
}

/// The bits of one probe against eight others, at their places in a square.
#[inline]
#[target_feature(enable = "avx2")]
fn at(lane: usize, hit: __m256) -> u64 {
    u64::from(_mm256_movemask_ps(hit) as u32) << (LANES * lane)
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
pub(super) fn sweep(blocks: &[Block], reach: Reach, squares: &mut Squares) {
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

/// One box of a block against the eight of another.
#[inline]
#[target_feature(enable = "avx2")]
fn overlap_one(probes: &Boxes, lane: usize, others: &Boxes) -> __m256 {
    let right = |k: usize| _mm256_cmp_ps::<_CMP_GE_OQ>(spread(&probes.max[k], lane), load(&others.min[k]));
    let left = |k: usize| _mm256_cmp_ps::<_CMP_LE_OQ>(spread(&probes.min[k], lane), load(&others.max[k]));
    let both = |k: usize| _mm256_and_ps(right(k), left(k));
    _mm256_and_ps(_mm256_and_ps(both(0), both(1)), both(2))
}

#[target_feature(enable = "avx2")]
pub(super) fn sweep_states(states: &[States], reach: Reach, squares: &mut Squares) {
    let Reach { b, all, one, half } = reach;
    let probes = &states[b as usize];
    let changed = |others: &States, lane: usize| {
        let is = overlap_one(&probes.new, lane, &others.new);
        at(lane, _mm256_xor_ps(is, overlap_one(&probes.old, lane, &others.old)))
    };
    for (others, c) in states[b as usize..all as usize].iter().zip(b..) {
        let mut bits = 0;
        for lane in 0..LANES {
            bits |= changed(others, lane);
        }
        squares.note(Square { probes: b, others: c, bits });
    }
    for (others, c) in states[all as usize..one as usize].iter().zip(all..) {
        let mut bits = 0;
        for lane in 0..LANES / 2 {
            bits |= changed(others, lane + half * LANES / 2);
        }
        squares.note(Square { probes: b, others: c, bits });
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
