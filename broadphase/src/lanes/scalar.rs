//! The tests, one box after another: what all paths mean.

use super::{Block, Boxes, Change, Hit, Hull, LANES, LaneBits};
use crate::row::Row;

fn note(name: u32, block: u32, hits: &mut Vec<Hit>, hit: impl Fn(usize) -> bool) {
    let bits = (0..LANES).fold(0, |bits, lane| bits | u32::from(hit(lane)) << lane);
    if bits != 0 {
        hits.push(Hit { probe: name, block, bits });
    }
}

pub(super) fn hulls(rows: &[&Row; LANES], epoch: u32, cell: [u16; 2], block: &mut Block) -> LaneBits {
    let mut bits = LaneBits::default();
    for (lane, row) in rows.iter().enumerate() {
        let moved = row.moved(epoch);
        let old = row.settled(epoch);
        block.set(lane, &Hull::both(&row.new, old));
        bits.moved |= u32::from(moved) << lane;
        bits.odd |= u32::from(moved && !row.new.overlaps(old)) << lane;
        bits.leaving |= u32::from(!row.cells.contains(cell)) << lane;
    }
    bits.span = block.span();
    bits
}

/// Whether two hulls overlap, and by no more than both shells together.
fn within_shells(x: &Hull, y: &Hull) -> bool {
    let (a, b) = (&x.extent, &y.extent);
    let depth = |k: usize| (a.max[k] - b.min[k]).min(b.max[k] - a.min[k]);
    let depth = depth(0).min(depth(1)).min(depth(2));
    depth >= 0.0 && depth <= x.shell + y.shell
}

pub(super) fn probe(probe: &Hull, name: u32, blocks: &[Block], first: u32, hits: &mut Vec<Hit>) {
    for (block, c) in blocks.iter().zip(first..) {
        note(name, c, hits, |lane| within_shells(probe, &block.get(lane)));
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

pub(super) fn sweep(probes: &Block, others: [&[Block]; 2], first: u32, hits: &mut Vec<Hit>) {
    for lane in 0..LANES {
        let others = others[lane / (LANES / 2)];
        probe(&probes.get(lane), first * LANES as u32 + lane as u32, others, first, hits);
    }
}
