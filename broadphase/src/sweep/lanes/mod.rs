//! Boxes side by side, eight to a block, and the tests that the sweep is made of.

#![allow(
    clippy::needless_range_loop,
    reason = "kernels must be free of closures, and axes of several arrays are walked together"
)]

mod block;
mod coarse;
mod hit;
mod hulls;
mod shells;
mod states;

use impinge_geometry::simd::{self, SimdLevel};

use crate::registry::proxy::Proxy;

#[cfg(test)]
use block::Lanes;
use block::ROUND_UP;
pub(crate) use block::{Block, Boxes, Change, Hull, LANES, LaneBits, Span, States};
pub(crate) use coarse::{Coarse, Frame};
pub(crate) use hit::{Hit, Square, Squares};
pub(crate) use impinge_geometry::simd::prefetch;

/// Sets the hulls of eight proxies in the column `cell`, and their states where they are asked for; see
/// [`LaneBits::odd`] for those left to do.
#[inline]
pub(crate) fn hulls(
    level: SimdLevel,
    proxies: &[&Proxy; LANES],
    epoch: u32,
    cell: [u16; 2],
    block: &mut Block,
    states: Option<&mut States>,
) -> LaneBits {
    simd::run(level, hulls::ComputeHulls { proxies, epoch, cell, block, states })
}

/// Which probes of a block are tested against which blocks: all eight from block `b` up to the first
/// of `ends`, those of one half from there up to the second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    pub b: u32,
    pub all: u32,
    pub one: u32,
    /// 0 or 1: the half that reaches farther.
    pub half: usize,
}

impl Reach {
    /// `ends` are those of the first and of the second four members of block `b`.
    #[inline]
    pub fn new(b: u32, ends: [u32; 2]) -> Reach {
        let half = usize::from(ends[1] > ends[0]);
        Reach { b, all: ends[1 - half], one: ends[half], half }
    }
}

/// Tests the hulls of a block against those of the blocks in its reach, each pair once.
#[inline]
pub(crate) fn sweep_block(level: SimdLevel, blocks: &[Block], reach: Reach, squares: &mut Squares) {
    squares.reserve((reach.one - reach.b) as usize);
    simd::run(level, shells::SweepHulls { blocks, reach, squares });
}

/// Sets hulls in steps of a frame.
#[inline]
pub(crate) fn coarsen(level: SimdLevel, block: &Block, frame: &Frame, coarse: &mut Coarse) {
    simd::run(level, coarse::Coarsen { block, frame, coarse });
}

/// As [`sweep_block`], in steps: all that it would hit, and a little more.
#[inline]
pub(crate) fn sweep_coarse(level: SimdLevel, blocks: &[Coarse], reach: Reach, squares: &mut Squares) {
    squares.reserve((reach.one - reach.b) as usize);
    simd::run(level, coarse::SweepCoarse { blocks, reach, squares });
}

/// The same with the proxies in both states, exactly: overlapped before or overlaps now, not both.
#[inline]
pub(crate) fn sweep_states(level: SimdLevel, states: &[States], reach: Reach, squares: &mut Squares) {
    squares.reserve((reach.one - reach.b) as usize);
    simd::run(level, states::SweepStates { states, reach, squares });
}

/// Tests a hull named `name` against all hulls of `blocks`, the first of which is block `first`.
pub(crate) fn probe_blocks(
    level: SimdLevel,
    probe: &Hull,
    name: u32,
    blocks: &[Block],
    first: u32,
    hits: &mut Vec<Hit>,
) {
    simd::run(level, shells::ProbeHulls { probe, name, blocks, first, hits });
}

/// The same against cached boxes in both states of the probe.
pub(crate) fn probe_cached(
    level: SimdLevel,
    probe: &Change,
    name: u32,
    boxes: &[Boxes],
    first: u32,
    hits: &mut Vec<Hit>,
) {
    simd::run(level, states::ProbeBoxes { probe, name, boxes, first, hits });
}

#[cfg(test)]
mod plain;
#[cfg(test)]
mod tests;
