//! Hulls in whole numbers of 16 bits, so that twice as many stand side by side.
//!
//! Bounds are rounded to steps of a column's own frame. Rounding never changes an order, so bounds that
//! meet still do; and a depth grows by no more than one step, which the shells take up. So nothing that
//! the hulls themselves would hit is missed; the few additional hits are rejected by the exact test.

use impinge_geometry::simd::{F32Lanes, F32x8, I16Lanes, Kernel, Simd};

use super::{Block, LANES, Reach, Square, Squares};
use crate::grid::Grid;

type Words = [i16; LANES];

/// Steps that a frame has across; a few less than there are numbers.
const STEPS: f32 = 65_000.0;
/// The least cells across a frame, for boxes that reach out of their column.
const LEAST_CELLS: f32 = 8.0;
/// The most: a step is then a hundredth of a common box.
const MOST_CELLS: f32 = 256.0;
/// The greatest number of a bound; one more marks a lane without a hull.
pub(super) const MOST: f32 = 32_766.0;
/// The greatest shell.
pub(super) const MOST_SHELL: f32 = 32_767.0;
/// Half of what two bounds may come apart by rounding, which is a step and a little; and that the shell
/// itself is rounded.
pub(super) const SLACK: f32 = 1.1;

/// Where steps are counted from, and how many there are to a metre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Frame {
    pub origin: [f32; 3],
    pub scale: f32,
}

impl Frame {
    /// A frame for a column whose members lie between two places along the sweep axis (m); none where
    /// its steps would be too large.
    pub fn new(grid: &Grid, cell: [u16; 2], from: f32, to: f32) -> Option<Frame> {
        let edge = [0, 1].map(|k| 1.0 / grid.inverse[k]);
        let (least, most) = (LEAST_CELLS * edge[0].max(edge[1]), MOST_CELLS * edge[0].min(edge[1]));
        let span = to - from;
        let scale = STEPS / span.max(least);
        let middle = |k: usize| grid.origin[k] + (f32::from(cell[k]) + 0.5) * edge[k];
        let origin = [0.5 * from + 0.5 * to, middle(0), middle(1)];
        let sound = span <= most && scale.is_finite() && scale > 0.0 && origin.iter().all(|x| x.is_finite());
        sound.then_some(Frame { origin, scale })
    }

    /// Whether the bounds across the grid lie in the frame; those outside are all alike.
    pub fn holds(&self, blocks: &[Block]) -> bool {
        let half = 0.5 * STEPS / self.scale;
        let mut outside = [false; LANES];
        for block in blocks {
            for k in 1..3 {
                let (low, high) = (self.origin[k] - half, self.origin[k] + half);
                // Without branches, lane by lane; one without a hull is not outside.
                for (lane, outside) in outside.iter_mut().enumerate() {
                    *outside |= (block.min[k][lane] < low) | (block.max[k][lane] > high);
                }
            }
        }
        !outside.contains(&true)
    }
}

/// The hulls of eight proxies in steps of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(32))]
pub(crate) struct Coarse {
    /// For each axis the lower bounds, then the upper ones.
    pub bounds: [[Words; 2]; 3],
    pub shell: Words,
}

impl Coarse {
    pub const NONE: Coarse =
        Coarse { bounds: [[[i16::MAX; LANES], [i16::MIN; LANES]]; 3], shell: [0; LANES] };

    /// Empties the lanes from one on: no hull meets them.
    pub fn clear_from(&mut self, lane: usize) {
        for k in 0..3 {
            self.bounds[k][0][lane..].fill(i16::MAX);
            self.bounds[k][1][lane..].fill(i16::MIN);
        }
    }
}

/// Sets the hulls of a block in steps of a frame.
pub(super) struct Coarsen<'a> {
    pub block: &'a Block,
    pub frame: &'a Frame,
    pub coarse: &'a mut Coarse,
}

impl Kernel for Coarsen<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Coarsen { block, frame, coarse } = self;
        let scale = S::F32x8::splat(frame.scale);
        let most = S::F32x8::splat(MOST);
        for k in 0..3 {
            let origin = S::F32x8::splat(frame.origin[k]);
            let bounds = [&block.min[k], &block.max[k]];
            for end in 0..2 {
                // What is missing comes out as the greatest.
                let steps = S::F32x8::load(bounds[end]).sub(origin).mul(scale).min(most);
                steps.store_i16(&mut coarse.bounds[k][end]);
            }
        }
        let shell = S::F32x8::load(&block.shell).mul(scale).add(S::F32x8::splat(SLACK));
        shell.min(S::F32x8::splat(MOST_SHELL)).store_i16(&mut coarse.shell);
    }
}

/// As [`super::sweep_block`], in steps.
pub(super) struct SweepCoarse<'a> {
    pub blocks: &'a [Coarse],
    pub reach: Reach,
    pub squares: &'a mut Squares,
}

impl Kernel for SweepCoarse<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Reach { b, all, one, half } = self.reach;
        let probes = Probes::<S::I16>::new(&self.blocks[b as usize]);
        for (others, c) in self.blocks[b as usize..all as usize].iter().zip(b..) {
            let others = Others::new(others);
            let bits = probes.half(0, &others) | probes.half(1, &others) << 32;
            self.squares.note(Square { probes: b, others: c, bits });
        }
        for (others, c) in self.blocks[all as usize..one as usize].iter().zip(all..) {
            let others = Others::new(others);
            let bits = if half == 0 { probes.half(0, &others) } else { probes.half(1, &others) << 32 };
            self.squares.note(Square { probes: b, others: c, bits });
        }
    }
}

/// Eight hulls, one by one.
struct Probes<V: I16Lanes> {
    min: [V::Spread; 3],
    max: [V::Spread; 3],
    shell: V::Spread,
}

/// Eight hulls, side by side.
struct Others<V> {
    min: [V; 3],
    max: [V; 3],
    shell: V,
}

impl<V: I16Lanes> Others<V> {
    #[inline(always)]
    fn new(x: &Coarse) -> Others<V> {
        let [a, b, c] = &x.bounds;
        Others {
            min: [V::repeat(&a[0]), V::repeat(&b[0]), V::repeat(&c[0])],
            max: [V::repeat(&a[1]), V::repeat(&b[1]), V::repeat(&c[1])],
            shell: V::repeat(&x.shell),
        }
    }
}

impl<V: I16Lanes> Probes<V> {
    #[inline(always)]
    fn new(x: &Coarse) -> Probes<V> {
        let [a, b, c] = &x.bounds;
        Probes {
            min: [V::spread(&a[0]), V::spread(&b[0]), V::spread(&c[0])],
            max: [V::spread(&a[1]), V::spread(&b[1]), V::spread(&c[1])],
            shell: V::spread(&x.shell),
        }
    }

    /// A mask of the pairs that no axis parts, and that overlap on one by no more than both shells.
    #[inline(always)]
    fn hit(&self, vector: usize, others: &Others<V>) -> V {
        let mut depths = [others.shell; 3];
        for k in 0..3 {
            let right = self.max[k][vector].saturating_sub(others.min[k]);
            depths[k] = right.min(others.max[k].saturating_sub(self.min[k][vector]));
        }
        let depth = depths[0].min(depths[1]).min(depths[2]);
        depth.within(self.shell[vector].saturating_add(others.shell))
    }

    /// The bits of four probes, at the lower end.
    #[inline(always)]
    fn half(&self, half: usize, others: &Others<V>) -> u64 {
        let (mut bits, mut at) = (0, 0);
        while at < V::VECTORS / 2 {
            let vector = half * (V::VECTORS / 2) + at;
            let pair = self.hit(vector, others).bits(self.hit(vector + 1, others));
            bits |= pair << (64 / V::VECTORS * at);
            at += 2;
        }
        bits
    }
}
