//! Boxes side by side, eight to a block, and the test that the sweep is made of.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod sse2;

use crate::row::{Extent, Row};

/// Boxes per block.
pub(crate) const LANES: usize = 8;

type Lanes = [f32; LANES];

/// Eight boxes. Lanes without a box hold NaN and overlap nothing.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Boxes {
    pub min: [Lanes; 3],
    pub max: [Lanes; 3],
}

impl Boxes {
    pub const NONE: Boxes = Boxes { min: [[f32::NAN; LANES]; 3], max: [[f32::NAN; LANES]; 3] };

    #[inline]
    pub fn set(&mut self, lane: usize, extent: &Extent) {
        for k in 0..3 {
            self.min[k][lane] = extent.min[k];
            self.max[k][lane] = extent.max[k];
        }
    }

    #[inline]
    pub fn get(&self, lane: usize) -> Extent {
        let pick = |lanes: &[Lanes; 3]| [lanes[0][lane], lanes[1][lane], lanes[2][lane]];
        Extent { min: pick(&self.min), max: pick(&self.max) }
    }
}

/// What the sweep sees of a row: a box that holds it in both states, and how far its bounds moved.
///
/// If the overlap of two rows changes, then in one state some bound of the one passes a bound of the
/// other, and in the other state it does not; so their hulls overlap there by no more than both
/// bounds moved, which is at most the sum of the two shells. Hulls that overlap deeper, or not at
/// all, are of no interest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hull {
    pub extent: Extent,
    /// The most that any bound moved (m), and a little more than the rounding of the test; infinite
    /// for a row of which one state alone counts.
    pub shell: f32,
}

/// One and a bit: covers three roundings.
const ROUND_UP: f32 = 1.0 + 1.0 / (1 << 20) as f32;

impl Hull {
    /// A row of which one state counts.
    #[inline]
    pub fn single(extent: &Extent) -> Hull {
        Hull { extent: *extent, shell: f32::INFINITY }
    }

    /// Two states of finite bounds, neither missing.
    #[inline]
    pub fn both(new: &Extent, old: &Extent) -> Hull {
        let mut hull = Hull { extent: *new, shell: 0.0 };
        for k in 0..3 {
            let (min, max) = (&mut hull.extent.min[k], &mut hull.extent.max[k]);
            let moved = [new.min[k].max(old.min[k]), new.max[k].max(old.max[k])];
            *min = new.min[k].min(old.min[k]);
            let low = new.max[k].min(old.max[k]);
            *max = moved[1];
            hull.shell = hull.shell.max(moved[0] - *min).max(moved[1] - low);
        }
        hull.shell *= ROUND_UP;
        hull
    }

    /// A box that stands apart, whose bounds may be infinite or missing. Bounds are clamped, so that
    /// no difference is that of two infinities.
    pub fn apart(new: &Extent, old: &Extent) -> Hull {
        let finite = |extent: &Extent| {
            let clamp = |x: f32| x.clamp(-f32::MAX, f32::MAX);
            Extent { min: extent.min.map(clamp), max: extent.max.map(clamp) }
        };
        match (new.is_none(), old.is_none()) {
            (true, _) => Hull::single(&finite(old)),
            (_, true) => Hull::single(&finite(new)),
            _ => Hull::both(&finite(new), &finite(old)),
        }
    }
}

/// The hulls of eight rows.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Block {
    pub min: [Lanes; 3],
    pub max: [Lanes; 3],
    pub shell: Lanes,
}

impl Block {
    pub const NONE: Block =
        Block { min: [[f32::NAN; LANES]; 3], max: [[f32::NAN; LANES]; 3], shell: [0.0; LANES] };

    #[inline]
    pub fn set(&mut self, lane: usize, hull: &Hull) {
        for k in 0..3 {
            self.min[k][lane] = hull.extent.min[k];
            self.max[k][lane] = hull.extent.max[k];
        }
        self.shell[lane] = hull.shell;
    }

    #[inline]
    pub fn get(&self, lane: usize) -> Hull {
        let pick = |lanes: &[Lanes; 3]| [lanes[0][lane], lanes[1][lane], lanes[2][lane]];
        Hull { extent: Extent { min: pick(&self.min), max: pick(&self.max) }, shell: self.shell[lane] }
    }

    /// The bounds along the sweep axis (m); NaN does not count.
    #[inline]
    pub fn span(&self) -> Span {
        let (min, max) = (&self.min[0], &self.max[0]);
        let tip = |lanes: &[f32]| lanes.iter().fold(f32::NEG_INFINITY, |tip, x| tip.max(*x));
        Span {
            start: min.iter().fold(f32::INFINITY, |start, x| start.min(*x)),
            tips: [tip(&max[..LANES / 2]), tip(&max[LANES / 2..])],
        }
    }
}

/// The bounds of a block along the sweep axis (m).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Span {
    /// The least bound of all lanes.
    pub start: f32,
    /// The greatest bound of the first and of the second four lanes.
    pub tips: [f32; 2],
}

/// What there is to know of eight rows besides their hulls, a bit per lane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct LaneBits {
    /// The hulls' bounds along the sweep axis; not set right where a lane is odd.
    pub span: Span,
    /// The row moved.
    pub moved: u32,
    /// The row moved, and its two states do not overlap, or one is missing: its hull is not set right.
    pub odd: u32,
    /// The row does not stay in the column.
    pub leaving: u32,
}

/// A box as it was and as it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    pub new: Extent,
    pub old: Extent,
}

impl Change {
    /// Bounds along the sweep axis that hold both boxes (m).
    #[inline]
    pub fn sweep(&self) -> (f32, f32) {
        // `min` and `max` pass over a NaN, so a missing box does not count.
        (self.new.min[0].min(self.old.min[0]), self.new.max[0].max(self.old.max[0]))
    }
}

/// Boxes of a block, one per bit, whose overlap with the probe may have begun or ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    /// The probe: a place among the members of the column, or whatever the caller numbers.
    pub probe: u32,
    /// The block.
    pub block: u32,
    /// A bit per lane.
    pub bits: u32,
}

impl Hit {
    /// The places in the column of the boxes hit.
    pub fn places(self) -> impl Iterator<Item = usize> {
        let mut bits = self.bits;
        std::iter::from_fn(move || {
            let lane = bits.trailing_zeros();
            bits &= bits.wrapping_sub(1);
            (lane < 32).then(|| self.block as usize * LANES + lane as usize)
        })
    }
}

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

/// Sets the hulls of eight rows in the column `cell`; see [`LaneBits::odd`] for those left to do.
#[inline]
pub(crate) fn hulls(
    path: Path,
    rows: &[&Row; LANES],
    epoch: u32,
    cell: [u16; 2],
    block: &mut Block,
) -> LaneBits {
    match path {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this path is only chosen where the processor was found to have AVX2.
        Path::Avx2 => unsafe { avx2::hulls(rows, epoch, cell, block) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: every x86-64 processor has SSE2.
        Path::Sse2 => unsafe { sse2::hulls(rows, epoch, cell, block) },
        Path::Scalar => scalar::hulls(rows, epoch, cell, block),
    }
}

/// Tests the hulls of block `b` against all hulls of the blocks from `b` up to `ends`, of which the
/// first is for the first four hulls and the second for the others. Hits within block `b` stand in
/// both directions, and a hull may hit itself.
#[inline]
pub(crate) fn sweep_block(path: Path, blocks: &[Block], b: usize, ends: [u32; 2], hits: &mut Vec<Hit>) {
    let probes = &blocks[b];
    let others = ends.map(|end| &blocks[b..end as usize]);
    match path {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this path is only chosen where the processor was found to have AVX2.
        Path::Avx2 => unsafe { avx2::sweep(probes, others, b as u32, hits) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: every x86-64 processor has SSE2.
        Path::Sse2 => unsafe { sse2::sweep(probes, others, b as u32, hits) },
        Path::Scalar => scalar::sweep(probes, others, b as u32, hits),
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
