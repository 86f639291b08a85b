//! The tests, one box after another: what all paths mean.

use super::{Block, Boxes, Change, Hit, LANES};

fn note(name: u32, block: u32, hits: &mut Vec<Hit>, changed: impl Fn(usize) -> bool) {
    let bits = (0..LANES).fold(0, |bits, lane| bits | u32::from(changed(lane)) << lane);
    if bits != 0 {
        hits.push(Hit { probe: name, block, bits });
    }
}

pub(super) fn probe(probe: &Change, name: u32, blocks: &[Block], first: u32, hits: &mut Vec<Hit>) {
    for (block, c) in blocks.iter().zip(first..) {
        note(name, c, hits, |lane| {
            let other = block.get(lane);
            other.new.overlaps(&probe.new) != other.old.overlaps(&probe.old)
        });
    }
}

pub(super) fn probe_settled(probe: &Change, name: u32, boxes: &[Boxes], first: u32, hits: &mut Vec<Hit>) {
    for (block, c) in boxes.iter().zip(first..) {
        note(name, c, hits, |lane| {
            let other = block.get(lane);
            other.overlaps(&probe.new) != other.overlaps(&probe.old)
        });
    }
}

pub(super) fn sweep(probes: &Block, others: &[Block], first: u32, hits: &mut Vec<Hit>) {
    for lane in 0..LANES {
        probe(&probes.get(lane), first * LANES as u32 + lane as u32, others, first, hits);
    }
}
