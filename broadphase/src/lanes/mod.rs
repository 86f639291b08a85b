//! Boxes side by side, eight to a block, and the test that the sweep is made of.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod sse2;

use crate::row::Extent;

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

/// Eight boxes as they were and as they are.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Block {
    pub new: Boxes,
    pub old: Boxes,
}

impl Block {
    pub const NONE: Block = Block { new: Boxes::NONE, old: Boxes::NONE };

    #[inline]
    pub fn set(&mut self, lane: usize, change: &Change) {
        self.new.set(lane, &change.new);
        self.old.set(lane, &change.old);
    }

    #[inline]
    pub fn get(&self, lane: usize) -> Change {
        Change { new: self.new.get(lane), old: self.old.get(lane) }
    }

    /// The least bound of a lane along the sweep axis, in either state (m).
    #[inline]
    pub fn start(&self, lane: usize) -> f32 {
        self.new.min[0][lane].min(self.old.min[0][lane])
    }

    /// The greatest bound along the sweep axis of all lanes, in either state (m).
    #[inline]
    pub fn tip(&self) -> f32 {
        let ends = self.new.max[0].iter().zip(&self.old.max[0]);
        ends.fold(f32::NEG_INFINITY, |tip, (new, old)| tip.max(new.max(*old)))
    }
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

/// A box of block `c`, one per bit, whose overlap with the probe has begun or ended.
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

/// Tests the boxes of block `b` against all boxes of the blocks from `b` up to `end`. Hits within
/// block `b` stand in both directions, and a box never hits itself.
pub(crate) fn sweep_block(path: Path, blocks: &[Block], b: usize, end: usize, hits: &mut Vec<Hit>) {
    let (probes, others) = (&blocks[b], &blocks[b..end]);
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

/// Tests a box named `name` against all boxes of `blocks`, the first of which is block `first`.
pub(crate) fn probe_blocks(
    path: Path,
    probe: &Change,
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
mod tests {
    use super::*;

    /// Boxes from a few coordinates, so that many touch, with infinities and missing boxes.
    #[test]
    fn all_paths_give_the_same_bits() {
        let values = [-1.0, -0.0, 0.0, 1.0, 2.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1e-40];
        let mut state = 1u32;
        let mut value = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            values[(state >> 24) as usize % values.len()]
        };
        let mut extent = || {
            let (x, y) = ([0; 3].map(|_| value()), [0; 3].map(|_| value()));
            let min = [0, 1, 2].map(|k| if x[k] <= y[k] { x[k] } else { y[k] });
            Extent { min, max: [0, 1, 2].map(|k| if x[k] <= y[k] { y[k] } else { x[k] }) }
        };
        let mut blocks = vec![Block::NONE; 64];
        for block in &mut blocks {
            for lane in 0..LANES {
                block.set(lane, &Change { new: extent(), old: extent() });
            }
        }
        let run = |simd: Simd| {
            let mut hits = Vec::new();
            (0..blocks.len()).for_each(|b| sweep_block(simd.path(), &blocks, b, 64, &mut hits));
            for b in 0..64 {
                probe_blocks(simd.path(), &blocks[b].get(3), b as u32, &blocks, 0, &mut hits);
                let settled: Vec<Boxes> = blocks.iter().map(|block| block.new).collect();
                probe_settled(simd.path(), &blocks[b].get(5), b as u32, &settled, 7, &mut hits);
            }
            hits
        };
        let scalar = run(Simd::Scalar);
        assert!(scalar.len() > 100);
        assert_eq!(run(Simd::Sse2), scalar);
        assert_eq!(run(Simd::Avx2), scalar);
        assert_eq!(run(Simd::Auto), scalar);
    }
}
