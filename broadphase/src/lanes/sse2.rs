//! The tests, four boxes at once. The `unsafe` here is a load from an array of the size loaded.

use std::arch::x86_64::*;

use super::{Block, Boxes, Change, Hit, LANES, Lanes};
use crate::row::Extent;

#[inline]
#[target_feature(enable = "sse2")]
fn load(lanes: &Lanes, half: usize) -> __m128 {
    let lanes: &[f32; 4] =
        if half == 0 { lanes.first_chunk() } else { lanes.last_chunk() }.unwrap_or(&[f32::NAN; 4]);
    // SAFETY: the reference is to four floats; the load asks for no alignment.
    unsafe { _mm_loadu_ps(lanes.as_ptr()) }
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

    #[inline]
    #[target_feature(enable = "sse2")]
    fn of_lane(boxes: &Boxes, lane: usize) -> Wide {
        Wide::new(&boxes.get(lane))
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

/// A changing box in every lane.
struct Probe {
    new: Wide,
    old: Wide,
}

#[inline]
#[target_feature(enable = "sse2")]
fn run(probe: &Probe, name: u32, blocks: &[Block], first: u32, hits: &mut Vec<Hit>) {
    for (block, c) in blocks.iter().zip(first..) {
        let half = |half: usize| {
            let changed =
                _mm_xor_ps(probe.new.overlap(half, &block.new), probe.old.overlap(half, &block.old));
            _mm_movemask_ps(changed) as u32
        };
        let bits = half(0) | half(1) << (LANES / 2);
        if bits != 0 {
            hits.push(Hit { probe: name, block: c, bits });
        }
    }
}

#[target_feature(enable = "sse2")]
pub(super) fn probe(probe: &Change, name: u32, blocks: &[Block], first: u32, hits: &mut Vec<Hit>) {
    let probe = Probe { new: Wide::new(&probe.new), old: Wide::new(&probe.old) };
    run(&probe, name, blocks, first, hits);
}

#[target_feature(enable = "sse2")]
pub(super) fn probe_settled(probe: &Change, name: u32, boxes: &[Boxes], first: u32, hits: &mut Vec<Hit>) {
    let probe = Probe { new: Wide::new(&probe.new), old: Wide::new(&probe.old) };
    for (block, c) in boxes.iter().zip(first..) {
        let half = |half: usize| {
            let changed = _mm_xor_ps(probe.new.overlap(half, block), probe.old.overlap(half, block));
            _mm_movemask_ps(changed) as u32
        };
        let bits = half(0) | half(1) << (LANES / 2);
        if bits != 0 {
            hits.push(Hit { probe: name, block: c, bits });
        }
    }
}

#[target_feature(enable = "sse2")]
pub(super) fn sweep(probes: &Block, others: &[Block], first: u32, hits: &mut Vec<Hit>) {
    for lane in 0..LANES {
        let probe = Probe { new: Wide::of_lane(&probes.new, lane), old: Wide::of_lane(&probes.old, lane) };
        run(&probe, first * LANES as u32 + lane as u32, others, first, hits);
    }
}
