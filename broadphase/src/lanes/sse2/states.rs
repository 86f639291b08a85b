//! Boxes against boxes, four at once, as both were and as both are.

use std::arch::x86_64::*;

use super::{at, load, spread};
use crate::lanes::{Boxes, Change, Hit, LANES, Reach, Square, Squares, States};
use crate::row::Extent;

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
pub(in crate::lanes) fn sweep_states(states: &[States], reach: Reach, squares: &mut Squares) {
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
pub(in crate::lanes) fn probe_settled(
    probe: &Change,
    name: u32,
    boxes: &[Boxes],
    first: u32,
    hits: &mut Vec<Hit>,
) {
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
