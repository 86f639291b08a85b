//! The meaning of all tests, one box after another.

use super::coarse::{MOST, MOST_SHELL, SLACK};
use super::{
    Block, Boxes, Change, Coarse, Frame, Hit, Hull, LANES, LaneBits, Lanes, Reach, Square, Squares, States,
};
use crate::registry::proxy::Proxy;

fn note(name: u32, block: u32, hits: &mut Vec<Hit>, hit: impl Fn(usize) -> bool) {
    let bits = (0..LANES).fold(0, |bits, lane| bits | u32::from(hit(lane)) << lane);
    if bits != 0 {
        hits.push(Hit { probe: name, block, bits });
    }
}

pub(super) fn hulls(
    proxies: &[&Proxy; LANES],
    epoch: u32,
    cell: [u16; 2],
    block: &mut Block,
    mut states: Option<&mut States>,
) -> LaneBits {
    let mut bits = LaneBits::default();
    for (lane, proxy) in proxies.iter().enumerate() {
        let moved = proxy.moved(epoch);
        let (new, old) = (proxy.new, *proxy.reported(epoch));
        block.set(lane, &Hull::both(&new, &old));
        if let Some(states) = &mut states {
            states.set(lane, &Change { new, old });
        }
        bits.moved |= u32::from(moved) << lane;
        bits.odd |= u32::from(moved && !new.overlaps(&old) && !old.is_none()) << lane;
        bits.leaving |= u32::from(!proxy.cells.contains(cell)) << lane;
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

pub(super) fn probe_cached(probe: &Change, name: u32, boxes: &[Boxes], first: u32, hits: &mut Vec<Hit>) {
    for (block, c) in boxes.iter().zip(first..) {
        note(name, c, hits, |lane| {
            let other = block.get(lane);
            other.overlaps(&probe.new) != other.overlaps(&probe.old)
        });
    }
}

/// Notes which of the probes in reach hit which members of the blocks.
fn squares(reach: Reach, squares: &mut Squares, hit: impl Fn(usize, usize, usize) -> bool) {
    squares.reserve((reach.one - reach.b) as usize);
    for c in reach.b..reach.one {
        let probes =
            if c < reach.all { 0..LANES } else { reach.half * LANES / 2..(reach.half + 1) * LANES / 2 };
        let mut bits = 0;
        for i in probes {
            (0..LANES).for_each(|j| bits |= u64::from(hit(i, c as usize, j)) << (LANES * i + j));
        }
        squares.note(Square { probes: reach.b, others: c, bits });
    }
}

pub(super) fn sweep_block(blocks: &[Block], reach: Reach, found: &mut Squares) {
    let probes = &blocks[reach.b as usize];
    squares(reach, found, |i, c, j| within_shells(&probes.get(i), &blocks[c].get(j)));
}

pub(super) fn sweep_coarse(blocks: &[Coarse], reach: Reach, found: &mut Squares) {
    let probes = &blocks[reach.b as usize];
    squares(reach, found, |i, c, j| hits(probes, i, &blocks[c], j));
}

pub(super) fn sweep_states(states: &[States], reach: Reach, found: &mut Squares) {
    let States { new, old } = &states[reach.b as usize];
    squares(reach, found, |i, c, j| {
        let (is, was) = (&states[c].new, &states[c].old);
        new.get(i).overlaps(&is.get(j)) != old.get(i).overlaps(&was.get(j))
    });
}

/// A bound in steps.
fn step(x: f32, origin: f32, scale: f32) -> i16 {
    let x = (x - origin) * scale;
    (if x < MOST { x } else { MOST }).round_ties_even() as i16
}

pub(super) fn coarsen(block: &Block, frame: &Frame, coarse: &mut Coarse) {
    for k in 0..3 {
        let steps = |lanes: &Lanes| lanes.map(|x| step(x, frame.origin[k], frame.scale));
        coarse.bounds[k] = [steps(&block.min[k]), steps(&block.max[k])];
    }
    coarse.shell = block.shell.map(|shell| {
        let shell = shell * frame.scale + SLACK;
        (if shell < MOST_SHELL { shell } else { MOST_SHELL }).round_ties_even() as i16
    });
}

/// Whether no axis parts the two, and on one they overlap by no more than both shells.
fn hits(x: &Coarse, i: usize, y: &Coarse, j: usize) -> bool {
    let depth = |k: usize| {
        let ([x_min, x_max], [y_min, y_max]) = (&x.bounds[k], &y.bounds[k]);
        x_max[i].saturating_sub(y_min[j]).min(y_max[j].saturating_sub(x_min[i]))
    };
    let depth = depth(0).min(depth(1)).min(depth(2));
    depth >= 0 && depth <= x.shell[i].saturating_add(y.shell[j])
}
