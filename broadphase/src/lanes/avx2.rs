//! The tests, eight boxes at once. The `unsafe` here is a load from an array of the size loaded.

use std::arch::x86_64::*;

use super::{Block, Boxes, Change, Hit, LANES, Lanes};
use crate::row::Extent;

#[inline]
#[target_feature(enable = "avx2")]
fn load(lanes: &Lanes) -> __m256 {
    // SAFETY: the reference is to eight floats; the load asks for no alignment.
    unsafe { _mm256_loadu_ps(lanes.as_ptr()) }
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

    #[inline]
    #[target_feature(enable = "avx2")]
    fn of_lane(boxes: &Boxes, lane: usize) -> Wide {
        Wide::new(&boxes.get(lane))
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

/// A changing box in every lane.
struct Probe {
    new: Wide,
    old: Wide,
}

#[inline]
#[target_feature(enable = "avx2")]
fn run(probe: &Probe, name: u32, blocks: &[Block], first: u32, hits: &mut Vec<Hit>) {
    for (block, c) in blocks.iter().zip(first..) {
        let bits =
            _mm256_movemask_ps(_mm256_xor_ps(probe.new.overlap(&block.new), probe.old.overlap(&block.old)))
                as u32;
        if bits != 0 {
            hits.push(Hit { probe: name, block: c, bits });
        }
    }
}

#[target_feature(enable = "avx2")]
pub(super) fn probe(probe: &Change, name: u32, blocks: &[Block], first: u32, hits: &mut Vec<Hit>) {
    let probe = Probe { new: Wide::new(&probe.new), old: Wide::new(&probe.old) };
    run(&probe, name, blocks, first, hits);
}

#[target_feature(enable = "avx2")]
pub(super) fn probe_settled(probe: &Change, name: u32, boxes: &[Boxes], first: u32, hits: &mut Vec<Hit>) {
    let probe = Probe { new: Wide::new(&probe.new), old: Wide::new(&probe.old) };
    for (block, c) in boxes.iter().zip(first..) {
        let bits =
            _mm256_movemask_ps(_mm256_xor_ps(probe.new.overlap(block), probe.old.overlap(block))) as u32;
        if bits != 0 {
            hits.push(Hit { probe: name, block: c, bits });
        }
    }
}

#[target_feature(enable = "avx2")]
pub(super) fn sweep(probes: &Block, others: &[Block], first: u32, hits: &mut Vec<Hit>) {
    for lane in 0..LANES {
        let probe = Probe { new: Wide::of_lane(&probes.new, lane), old: Wide::of_lane(&probes.old, lane) };
        run(&probe, first * LANES as u32 + lane as u32, others, first, hits);
    }
}
