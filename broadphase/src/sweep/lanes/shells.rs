//! Hulls against hulls: which overlap by no more than both shells?

use impinge_geometry::simd::{F32Lanes, Kernel, Simd};

use super::{Block, Hit, Hull, LANES, Reach, Square, Squares};

/// Hulls side by side, or one in every lane.
struct Hulls<V> {
    min: [V; 3],
    max: [V; 3],
    shell: V,
}

impl<V: F32Lanes> Hulls<V> {
    /// The hulls of a block from lane `at` on.
    #[inline(always)]
    fn load(block: &Block, at: usize) -> Hulls<V> {
        let Block { min, max, shell } = block;
        Hulls {
            min: [V::load(&min[0][at..]), V::load(&min[1][at..]), V::load(&min[2][at..])],
            max: [V::load(&max[0][at..]), V::load(&max[1][at..]), V::load(&max[2][at..])],
            shell: V::load(&shell[at..]),
        }
    }

    /// One hull in every lane.
    #[inline(always)]
    fn splat(hull: &Hull) -> Hulls<V> {
        let [min, max] = [&hull.extent.min, &hull.extent.max];
        Hulls {
            min: [V::splat(min[0]), V::splat(min[1]), V::splat(min[2])],
            max: [V::splat(max[0]), V::splat(max[1]), V::splat(max[2])],
            shell: V::splat(hull.shell),
        }
    }

    /// One hull of a block in every lane.
    #[inline(always)]
    fn spread(block: &Block, lane: usize) -> Hulls<V> {
        let Block { min, max, shell } = block;
        let lane = lane % LANES;
        Hulls {
            min: [V::splat(min[0][lane]), V::splat(min[1][lane]), V::splat(min[2][lane])],
            max: [V::splat(max[0][lane]), V::splat(max[1][lane]), V::splat(max[2][lane])],
            shell: V::splat(shell[lane]),
        }
    }

    /// A bit per lane in which both overlap by no more than both shells.
    #[inline(always)]
    fn within_shells(&self, other: &Hulls<V>) -> u32 {
        let mut depths = [self.shell; 3];
        for k in 0..3 {
            depths[k] = self.max[k].sub(other.min[k]).min(other.max[k].sub(self.min[k]));
        }
        let depth = depths[0].min(depths[1]).min(depths[2]);
        let shells = self.shell.add(other.shell);
        V::splat(0.0).at_most(depth).and(depth.at_most(shells)).bits()
    }
}

/// Tests a hull named `name` against all hulls of `blocks`, the first of which is block `first`.
pub(super) struct ProbeHulls<'a> {
    pub probe: &'a Hull,
    pub name: u32,
    pub blocks: &'a [Block],
    pub first: u32,
    pub hits: &'a mut Vec<Hit>,
}

impl Kernel for ProbeHulls<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let probe = Hulls::<S::F32>::splat(self.probe);
        for (block, c) in self.blocks.iter().zip(self.first..) {
            let (mut bits, mut at) = (0, 0);
            while at < LANES {
                bits |= probe.within_shells(&Hulls::load(block, at)) << at;
                at += S::F32::LANES;
            }
            if bits != 0 {
                self.hits.push(Hit { probe: self.name, block: c, bits });
            }
        }
    }
}

/// Tests the hulls of a block against those of the blocks in its reach, each pair once.
pub(super) struct SweepHulls<'a> {
    pub blocks: &'a [Block],
    pub reach: Reach,
    pub squares: &'a mut Squares,
}

impl Kernel for SweepHulls<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Reach { b, all, one, half } = self.reach;
        let probes = &self.blocks[b as usize];
        for (others, c) in self.blocks[b as usize..all as usize].iter().zip(b..) {
            let bits = square::<S::F32, LANES>(probes, 0, others);
            self.squares.note(Square { probes: b, others: c, bits });
        }
        for (others, c) in self.blocks[all as usize..one as usize].iter().zip(all..) {
            let bits = square::<S::F32, { LANES / 2 }>(probes, half * LANES / 2, others);
            self.squares.note(Square { probes: b, others: c, bits });
        }
    }
}

/// Which of `COUNT` probes from lane `from` on hit which of the others.
#[inline(always)]
fn square<V: F32Lanes, const COUNT: usize>(probes: &Block, from: usize, others: &Block) -> u64 {
    let (mut bits, mut at) = (0, 0);
    while at < LANES {
        let others = Hulls::<V>::load(others, at);
        for lane in from..from + COUNT {
            let hit = Hulls::spread(probes, lane).within_shells(&others);
            bits |= u64::from(hit) << (LANES * lane + at);
        }
        at += V::LANES;
    }
    bits
}
