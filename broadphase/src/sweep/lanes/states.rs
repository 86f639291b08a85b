//! Boxes against boxes as both were and as both are: which began or ceased to overlap?

use impinge_geometry::simd::{F32Lanes, Kernel, Simd};

use super::{Boxes, Change, Hit, LANES, Reach, Square, Squares, States};
use crate::registry::proxy::Extent;

/// One box in every lane.
struct BoxLanes<V> {
    min: [V; 3],
    max: [V; 3],
}

impl<V: F32Lanes> BoxLanes<V> {
    #[inline(always)]
    fn new(extent: &Extent) -> BoxLanes<V> {
        let Extent { min, max } = extent;
        BoxLanes {
            min: [V::splat(min[0]), V::splat(min[1]), V::splat(min[2])],
            max: [V::splat(max[0]), V::splat(max[1]), V::splat(max[2])],
        }
    }

    /// A box of a block.
    #[inline(always)]
    fn of(boxes: &Boxes, lane: usize) -> BoxLanes<V> {
        let Boxes { min, max } = boxes;
        let lane = lane % LANES;
        BoxLanes {
            min: [V::splat(min[0][lane]), V::splat(min[1][lane]), V::splat(min[2][lane])],
            max: [V::splat(max[0][lane]), V::splat(max[1][lane]), V::splat(max[2][lane])],
        }
    }

    /// A mask of the boxes from lane `at` on that it overlaps; none where a bound is NaN.
    #[inline(always)]
    fn overlaps(&self, boxes: &Boxes, at: usize) -> V {
        let mut all = V::load(&boxes.min[0][at..]).at_most(self.max[0]);
        all = all.and(self.min[0].at_most(V::load(&boxes.max[0][at..])));
        for k in 1..3 {
            all = all.and(V::load(&boxes.min[k][at..]).at_most(self.max[k]));
            all = all.and(self.min[k].at_most(V::load(&boxes.max[k][at..])));
        }
        all
    }
}

/// Tests the proxies of a block in both states against those of the blocks in its reach, each pair once.
pub(super) struct SweepStates<'a> {
    pub states: &'a [States],
    pub reach: Reach,
    pub squares: &'a mut Squares,
}

impl Kernel for SweepStates<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Reach { b, all, one, half } = self.reach;
        let probes = &self.states[b as usize];
        for (others, c) in self.states[b as usize..all as usize].iter().zip(b..) {
            let bits = square::<S::F32, LANES>(probes, 0, others);
            self.squares.note(Square { probes: b, others: c, bits });
        }
        for (others, c) in self.states[all as usize..one as usize].iter().zip(all..) {
            let bits = square::<S::F32, { LANES / 2 }>(probes, half * LANES / 2, others);
            self.squares.note(Square { probes: b, others: c, bits });
        }
    }
}

/// Which of `COUNT` probes from lane `from` on changed with which of the others.
#[inline(always)]
fn square<V: F32Lanes, const COUNT: usize>(probes: &States, from: usize, others: &States) -> u64 {
    let mut bits = 0;
    for lane in from..from + COUNT {
        let mut at = 0;
        while at < LANES {
            let is = BoxLanes::<V>::of(&probes.new, lane).overlaps(&others.new, at);
            let was = BoxLanes::<V>::of(&probes.old, lane).overlaps(&others.old, at);
            bits |= u64::from(is.xor(was).bits()) << (LANES * lane + at);
            at += V::LANES;
        }
    }
    bits
}

/// Tests a box named `name` against boxes that do not move, the first of which is in block `first`.
pub(super) struct ProbeBoxes<'a> {
    pub probe: &'a Change,
    pub name: u32,
    pub boxes: &'a [Boxes],
    pub first: u32,
    pub hits: &'a mut Vec<Hit>,
}

impl Kernel for ProbeBoxes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let (new, old) = (BoxLanes::<S::F32>::new(&self.probe.new), BoxLanes::<S::F32>::new(&self.probe.old));
        for (boxes, c) in self.boxes.iter().zip(self.first..) {
            let (mut bits, mut at) = (0, 0);
            while at < LANES {
                bits |= new.overlaps(boxes, at).xor(old.overlaps(boxes, at)).bits() << at;
                at += S::F32::LANES;
            }
            if bits != 0 {
                self.hits.push(Hit { probe: self.name, block: c, bits });
            }
        }
    }
}
