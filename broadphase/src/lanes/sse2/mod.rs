//! The tests, four boxes at once. The `unsafe` here is loads and stores of arrays of the size moved.

pub(super) mod coarse;

use std::arch::x86_64::*;

use super::{
    Block, Boxes, Change, Hit, Hull, LANES, LaneBits, Lanes, ROUND_UP, Reach, Span, Square, Squares, States,
};
use crate::row::{Extent, Row};

#[inline]
#[target_feature(enable = "sse2")]
fn load(lanes: &Lanes, half: usize) -> __m128 {
    let lanes: &[f32; 4] =
        if half == 0 { lanes.first_chunk() } else { lanes.last_chunk() }.unwrap_or(&[f32::NAN; 4]);
    // SAFETY: the reference is to four floats; the load asks for no alignment.
    unsafe { _mm_loadu_ps(lanes.as_ptr()) }
}

#[inline]
#[target_feature(enable = "sse2")]
fn store(lanes: &mut Lanes, half: usize, x: __m128) {
    let lanes: Option<&mut [f32; 4]> =
        if half == 0 { lanes.first_chunk_mut() } else { lanes.last_chunk_mut() };
    if let Some(lanes) = lanes {
        // SAFETY: the reference is to four floats; the store asks for no alignment.
        unsafe { _mm_storeu_ps(lanes.as_mut_ptr(), x) }
    }
}

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
pub(super) fn hulls(
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
pub(super) fn probe(probe: &Hull, name: u32, blocks: &[Block], first: u32, hits: &mut Vec<Hit>) {
    run(&WideHull::new(probe), name, blocks, first, hits);
}

#[inline]
#[target_feature(enable = "sse2")]
fn spread(lanes: &Lanes, lane: usize) -> __m128 {
    _mm_set1_ps(lanes[lane % LANES])
}

/// The bits of one probe against four others, at their places in a square.
#[inline]
#[target_feature(enable = "sse2")]
fn at(lane: usize, half: usize, hit: __m128) -> u64 {
    u64::from(_mm_movemask_ps(hit) as u32) << (LANES * lane + LANES / 2 * half)
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
pub(super) fn sweep(blocks: &[Block], reach: Reach, squares: &mut Squares) {
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

/// One box of a block against four of another.
#[inline]
#[target_feature(enable = "sse2")]
fn overlap_one(probes: &Boxes, lane: usize, others: &Boxes, half: usize) -> __m128 {
    let right = |k: usize| _mm_cmpge_ps(spread(&probes.max[k], lane), load(&others.min[k], half));
    let left = |k: usize| _mm_cmple_ps(spread(&probes.min[k], lane), load(&others.max[k], half));
    let both = |k: usize| _mm_and_ps(right(k), left(k));
    _mm_and_ps(_mm_and_ps(both(0), both(1)), both(2))
}

#[target_feature(enable = "sse2")]
pub(super) fn sweep_states(states: &[States], reach: Reach, squares: &mut Squares) {
    let Reach { b, all, one, half } = reach;
    let probes = &states[b as usize];
    let changed = |others: &States, lane: usize| {
        let part = |part: usize| {
            let is = overlap_one(&probes.new, lane, &others.new, part);
            at(lane, part, _mm_xor_ps(is, overlap_one(&probes.old, lane, &others.old, part)))
        };
        part(0) | part(1)
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
    min: [__m128; 3],
    max: [__m128; 3],
}

impl Wide {
    #[inline]
    #[target_feature(enable = "sse2")]
    fn new(x: &Extent) -> Wide {
        Wide {
            min: [_mm_set1_ps(x.min[0]), _mm_set1_ps(x.min[1]), _mm_set1_ps(x.min[2])],
            max: [_mm_set1_ps(x.max[0]), _mm_set1_ps(x.max[1]), _mm_set1_ps(x.max[2])],
        }
    }

    /// All bits set in the lanes that the box overlaps; none where a bound is NaN.
    #[inline]
    #[target_feature(enable = "sse2")]
    fn overlap(&self, half: usize, boxes: &Boxes) -> __m128 {
        let mut all = _mm_cmpge_ps(self.max[0], load(&boxes.min[0], half));
        all = _mm_and_ps(all, _mm_cmple_ps(self.min[0], load(&boxes.max[0], half)));
        for k in 1..3 {
            all = _mm_and_ps(all, _mm_cmpge_ps(self.max[k], load(&boxes.min[k], half)));
            all = _mm_and_ps(all, _mm_cmple_ps(self.min[k], load(&boxes.max[k], half)));
        }
        all
    }
}

#[target_feature(enable = "sse2")]
pub(super) fn probe_settled(probe: &Change, name: u32, boxes: &[Boxes], first: u32, hits: &mut Vec<Hit>) {
    let (new, old) = (Wide::new(&probe.new), Wide::new(&probe.old));
    for (block, c) in boxes.iter().zip(first..) {
        let half = |half: usize| {
            _mm_movemask_ps(_mm_xor_ps(new.overlap(half, block), old.overlap(half, block))) as u32
        };
        let bits = half(0) | half(1) << (LANES / 2);
        if bits != 0 {
            hits.push(Hit { probe: name, block: c, bits });
        }
    }
}
