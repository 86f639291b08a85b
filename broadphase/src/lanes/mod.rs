//! Boxes side by side, eight to a block, and the tests that the sweep is made of.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod block;
mod coarse;
mod hit;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod sse2;

use crate::row::Row;

pub(crate) use block::{Block, Boxes, Change, Hull, LANES, LaneBits, Span, States};
use block::{Lanes, ROUND_UP};
pub(crate) use coarse::{Coarse, Frame};
pub(crate) use hit::{Hit, Square, Squares};

/// The instructions that the tests are made with. All give the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Simd {
    /// The widest that the processor has.
    #[default]
    Auto,
    /// 256 bits wide, where the processor has AVX2; as `Sse2` elsewhere.
    Avx2,
    /// 128 bits wide, which every x86-64 has; as `Scalar` on other processors.
    Sse2,
    /// One box after another.
    Scalar,
}

/// What runs here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Path {
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Sse2,
    Scalar,
}

impl Simd {
    /// The path that the choice means on this processor.
    pub(crate) fn path(self) -> Path {
        #[cfg(target_arch = "x86_64")]
        match self {
            Simd::Auto | Simd::Avx2 if std::arch::is_x86_feature_detected!("avx2") => return Path::Avx2,
            Simd::Auto | Simd::Avx2 | Simd::Sse2 => return Path::Sse2,
            Simd::Scalar => {}
        }
        Path::Scalar
    }
}

/// Asks for something to be brought near.
#[inline]
pub(crate) fn prefetch<T>(what: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has SSE, and a prefetch has no effect that could be observed.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(
            std::ptr::from_ref(what).cast(),
        );
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = what;
}

/// Sets the hulls of eight rows in the column `cell`, and their states where they are asked for; see
/// [`LaneBits::odd`] for those left to do.
#[inline]
pub(crate) fn hulls(
    path: Path,
    rows: &[&Row; LANES],
    epoch: u32,
    cell: [u16; 2],
    block: &mut Block,
    states: Option<&mut States>,
) -> LaneBits {
    match path {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this path is only chosen where the processor was found to have AVX2.
        Path::Avx2 => unsafe { avx2::hulls(rows, epoch, cell, block, states) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: every x86-64 processor has SSE2.
        Path::Sse2 => unsafe { sse2::hulls(rows, epoch, cell, block, states) },
        Path::Scalar => scalar::hulls(rows, epoch, cell, block, states),
    }
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
pub(crate) fn sweep_block(path: Path, blocks: &[Block], reach: Reach, squares: &mut Squares) {
    squares.reserve((reach.one - reach.b) as usize);
    match path {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this path is only chosen where the processor was found to have AVX2.
        Path::Avx2 => unsafe { avx2::sweep(blocks, reach, squares) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: every x86-64 processor has SSE2.
        Path::Sse2 => unsafe { sse2::sweep(blocks, reach, squares) },
        Path::Scalar => scalar::sweep(blocks, reach, squares),
    }
}

/// Sets hulls in steps of a frame.
#[inline]
pub(crate) fn coarsen(path: Path, block: &Block, frame: &Frame, coarse: &mut Coarse) {
    match path {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this path is only chosen where the processor was found to have AVX2.
        Path::Avx2 => unsafe { avx2::coarsen(block, frame, coarse) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: every x86-64 processor has SSE2.
        Path::Sse2 => unsafe { sse2::coarsen(block, frame, coarse) },
        Path::Scalar => coarse::coarsen(block, frame, coarse),
    }
}

/// As [`sweep_block`], in steps: all that it would hit, and a little more.
#[inline]
pub(crate) fn sweep_coarse(path: Path, blocks: &[Coarse], reach: Reach, squares: &mut Squares) {
    squares.reserve((reach.one - reach.b) as usize);
    match path {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this path is only chosen where the processor was found to have AVX2.
        Path::Avx2 => unsafe { avx2::sweep_coarse(blocks, reach, squares) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: every x86-64 processor has SSE2.
        Path::Sse2 => unsafe { sse2::sweep_coarse(blocks, reach, squares) },
        Path::Scalar => scalar::sweep_coarse(blocks, reach, squares),
    }
}

/// The same with the rows in both states, exactly: overlapped before or overlaps now, not both.
#[inline]
pub(crate) fn sweep_states(path: Path, states: &[States], reach: Reach, squares: &mut Squares) {
    squares.reserve((reach.one - reach.b) as usize);
    match path {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this path is only chosen where the processor was found to have AVX2.
        Path::Avx2 => unsafe { avx2::sweep_states(states, reach, squares) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: every x86-64 processor has SSE2.
        Path::Sse2 => unsafe { sse2::sweep_states(states, reach, squares) },
        Path::Scalar => scalar::sweep_states(states, reach, squares),
    }
}

/// Tests a hull named `name` against all hulls of `blocks`, the first of which is block `first`.
pub(crate) fn probe_blocks(
    path: Path,
    probe: &Hull,
    name: u32,
    blocks: &[Block],
    first: u32,
    hits: &mut Vec<Hit>,
) {
    match path {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this path is only chosen where the processor was found to have AVX2.
        Path::Avx2 => unsafe { avx2::probe(probe, name, blocks, first, hits) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: every x86-64 processor has SSE2.
        Path::Sse2 => unsafe { sse2::probe(probe, name, blocks, first, hits) },
        Path::Scalar => scalar::probe(probe, name, blocks, first, hits),
    }
}

/// The same against boxes that stand still.
pub(crate) fn probe_settled(
    path: Path,
    probe: &Change,
    name: u32,
    boxes: &[Boxes],
    first: u32,
    hits: &mut Vec<Hit>,
) {
    match path {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this path is only chosen where the processor was found to have AVX2.
        Path::Avx2 => unsafe { avx2::probe_settled(probe, name, boxes, first, hits) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: every x86-64 processor has SSE2.
        Path::Sse2 => unsafe { sse2::probe_settled(probe, name, boxes, first, hits) },
        Path::Scalar => scalar::probe_settled(probe, name, boxes, first, hits),
    }
}

#[cfg(test)]
mod tests;
