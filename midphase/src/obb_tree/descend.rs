//! The dual descent: pairs of leaves whose boxes overlap.
//!
//! Gottschalk's descent with wide nodes: of two boxes that overlap, the larger is opened and the other
//! is tested against all its children at once. Up to [`TOGETHER`] pairs are taken from the stack at
//! a time: their tests do not wait for each other, and the processor works on several at once.
//! What a test lets through is written without branches, from a table of the lanes of every mask.

use std::cell::Cell;
use std::ops::ControlFlow;

use impinge_geometry::PairFrame;
use impinge_geometry::simd::{self, Kernel, Simd};

use super::ObbTree;
use super::computed::Computed;
use super::descent_counts::DescentCounts;
use super::node::{Child, OrientedBox, WIDTH};
use super::sat::{Probe, Relative};
use super::upright::Starts;

/// Pairs of boxes that are taken from the stack at a time.
const TOGETHER: usize = 4;

/// Pairs of leaves that are gathered before they are visited: none at first, since bodies that touch
/// mostly do so in one of the first, then more.
const GATHERED: usize = 64;

/// A box of a tree: lane `at % 8` of node `at / 8`.
type Place = u32;

/// Pairs of boxes: those of A and those of B.
type Places = [Vec<Place>; 2];

/// Buffers of a descent.
#[derive(Debug, Default)]
struct Scratch {
    /// Pairs that overlap and are still to be opened.
    stack: Places,
    /// Pairs of leaves that are still to be visited.
    met: Places,
}

thread_local! {
    /// The last descent's buffers; a descent within a visit has its own.
    static SCRATCH: Cell<Scratch> = const { Cell::new(Scratch { stack: [const { Vec::new() }; 2], met: [const { Vec::new() }; 2] }) };
}

/// Pairs of boxes that overlap, and what stands below them.
type ComputedStack = Vec<([Child; 2], [OrientedBox; 2])>;

thread_local! {
    /// The stack of the last descent through nodes that are filled when they are opened.
    static COMPUTED: Cell<ComputedStack> = const { Cell::new(Vec::new()) };
}

/// Two trees that stand beside each other.
pub(crate) struct Descent<'t> {
    trees: [&'t ObbTree; 2],
    /// Boxes of the other side in each side's frame, grown by the margin.
    others: [Relative; 2],
}

impl<'t> Descent<'t> {
    pub fn new(a: &'t ObbTree, b: &'t ObbTree, frame: &PairFrame, margin: f64) -> Descent<'t> {
        Descent { trees: [a, b], others: Relative::both(frame, [a.reach(), b.reach()], margin) }
    }

    /// Whether the boxes of the whole meshes may come closer than the margin.
    pub fn roots_meet(&self) -> bool {
        self.others[0].probe(&self.trees[1].root_box()).overlaps_box(&self.trees[0].root_box())
    }

    /// Visits the pairs of leaves below the roots, which are taken to overlap.
    pub fn run<F: FnMut(u32, u32) -> ControlFlow<()>>(
        &self,
        visit: &mut F,
        counts: &mut DescentCounts,
    ) -> ControlFlow<()> {
        let [a, b] = self.trees;
        if a.is_empty() || b.is_empty() {
            return ControlFlow::Continue(());
        }
        match (&a.computed, &b.computed) {
            (Some(computed), None) => {
                let starts = self.starts(computed, 0);
                starts.places().iter().try_for_each(|&place| self.run_from([place, 0], visit, counts))
            }
            (None, Some(computed)) => {
                let starts = self.starts(computed, 1);
                starts.places().iter().try_for_each(|&place| self.run_from([0, place], visit, counts))
            }
            // The roots: lane 0 of node 0.
            _ => self.run_from([0; 2], visit, counts),
        }
    }

    /// Visits the pairs of leaves below two boxes (node · 8 + lane), which are taken to overlap.
    pub fn run_from<F: FnMut(u32, u32) -> ControlFlow<()>>(
        &self,
        places: [u32; 2],
        visit: &mut F,
        counts: &mut DescentCounts,
    ) -> ControlFlow<()> {
        let [a, b] = self.trees;
        if a.computed.is_some() || b.computed.is_some() {
            return self.run_computed(places, visit, counts);
        }
        let [of_a, of_b] = [a.child_at(places[0]), b.child_at(places[1])];
        if of_a.is_leaf() && of_b.is_leaf() {
            counts.leaf_pairs += 1;
            return visit(of_a.index(), of_b.index());
        }
        let mut scratch = SCRATCH.take();
        let walk = Walk { descent: self, scratch: &mut scratch, places, visit, counts };
        let flow = simd::run(a.simd(), walk);
        SCRATCH.set(scratch);
        flow
    }

    /// Where to begin in a computed tree on one side: at the blocks under the other body's box.
    fn starts(&self, computed: &Computed, side: usize) -> Starts {
        let probe = self.others[side].probe(&self.trees[1 - side].root_box());
        let [low, high] = probe.bounds();
        computed.starts(low, high)
    }

    /// As [`Descent::run_from`] where nodes are filled when they are opened: box by box, each with what stands below it.
    #[cold]
    fn run_computed<F: FnMut(u32, u32) -> ControlFlow<()>>(
        &self,
        places: [u32; 2],
        visit: &mut F,
        counts: &mut DescentCounts,
    ) -> ControlFlow<()> {
        let ([a, b], mut room) = (self.trees, None);
        let mut stack = COMPUTED.take();
        stack.clear();
        let boxes = [a.box_at(places[0]), b.box_at(places[1])];
        counts.box_tests += 1;
        if self.others[0].probe(&boxes[1]).overlaps_box(&boxes[0]) {
            stack.push(([a.below(places[0]), b.below(places[1])], boxes));
        }
        let mut flow = ControlFlow::Continue(());
        while let Some((below, boxes)) = stack.pop() {
            let leaves = below.map(Child::is_leaf);
            if leaves == [true; 2] {
                counts.leaf_pairs += 1;
                flow = visit(below[0].index(), below[1].index());
                if flow.is_break() {
                    break;
                }
                continue;
            }
            let side = usize::from(!(leaves[1] || (!leaves[0] && boxes[0].size() >= boxes[1].size())));
            let tree = self.trees[side];
            let node = tree.node(below[side].index(), &mut room);
            let probe = self.others[side].probe(&boxes[1 - side]);
            let mut mask = probe.overlaps(node, a.simd());
            counts.wide_tests += 1;
            counts.box_tests += node.len() as u64;
            while mask != 0 {
                let lane = mask.ilog2() as usize;
                mask &= !(1 << lane);
                let (mut next, mut of) = (below, boxes);
                (next[side], of[side]) = (node.child[lane], node.get(lane));
                stack.push((next, of));
            }
        }
        COMPUTED.set(stack);
        flow
    }

    /// What to do about a pair of boxes: the larger is opened; a leaf is smaller than any.
    #[inline(always)]
    fn open(&self, at: [Place; 2]) -> Opening {
        let [size_a, size_b] = [self.trees[0].size_at(at[0]), self.trees[1].size_at(at[1])];
        let side = usize::from(size_b > size_a);
        let node = self.trees[side].child_at(at[side]).index();
        Opening { side, node, probed: at[1 - side] }
    }

    #[inline(always)]
    fn aim(&self, opening: &Opening, probe: &mut Probe) {
        let at = opening.probed as usize;
        let b = self.trees[1 - opening.side].nodes[at / WIDTH].get(at);
        self.others[opening.side].aim(&b, probe);
    }
}

/// A node of one side that is opened, and the box of the other that its children are tested against.
#[derive(Clone, Copy, Debug, Default)]
struct Opening {
    side: usize,
    node: u32,
    probed: Place,
}

/// A descent with the instructions of a level.
struct Walk<'d, 't, F> {
    descent: &'d Descent<'t>,
    scratch: &'d mut Scratch,
    /// Where it begins.
    places: [Place; 2],
    visit: &'d mut F,
    counts: &'d mut DescentCounts,
}

impl<F: FnMut(u32, u32) -> ControlFlow<()>> Kernel for Walk<'_, '_, F> {
    type Output = ControlFlow<()>;

    #[inline(always)]
    fn run<S: Simd>(self) -> ControlFlow<()> {
        let Walk { descent, scratch, places, visit, counts } = self;
        let Scratch { stack, met } = scratch;
        make_room(stack, 1);
        (stack[0][0], stack[1][0]) = (places[0], places[1]);
        let (mut top, mut gathered, mut enough) = (1, 0, 1);
        let mut openings = [Opening::default(); TOGETHER];
        let mut probes = [const { Probe::EMPTY }; TOGETHER];
        let mut masks = [0; TOGETHER];
        loop {
            let together = TOGETHER.min(top);
            for opening in &mut openings[..together] {
                top -= 1;
                *opening = descent.open([stack[0][top], stack[1][top]]);
            }
            for j in 0..together {
                descent.aim(&openings[j], &mut probes[j]);
            }
            for j in 0..together {
                let tree = descent.trees[openings[j].side];
                let node = openings[j].node as usize;
                masks[j] = probes[j].overlapping::<S::F32>(&tree.nodes[node]);
                counts.box_tests += u64::from(tree.summaries[node].count);
            }
            counts.wide_tests += together as u64;
            make_room(stack, top + TOGETHER * WIDTH);
            make_room(met, gathered + TOGETHER * WIDTH);
            // The pair taken first is put back last: the descent stays depth first.
            for j in (0..together).rev() {
                let Opening { side, node, probed } = openings[j];
                let probed_leaf = descent.trees[1 - side].size_at(probed) < 0.0;
                let leaves = u32::from(descent.trees[side].summaries[node as usize].leaves);
                let leaves = if probed_leaf { masks[j] & leaves } else { 0 };
                LANES_OF[(masks[j] & !leaves) as usize].put(&openings[j], stack, &mut top);
                LANES_OF[leaves as usize].put(&openings[j], met, &mut gathered);
            }
            if gathered < enough && top > 0 {
                continue;
            }
            counts.leaf_pairs += gathered as u64;
            for (&a, &b) in met[0][..gathered].iter().zip(&met[1][..gathered]) {
                visit(descent.trees[0].child_at(a).index(), descent.trees[1].child_at(b).index())?;
            }
            if top == 0 {
                return ControlFlow::Continue(());
            }
            (gathered, enough) = (0, (2 * enough).min(GATHERED));
        }
    }
}

/// Makes the lists hold at least so many pairs.
#[inline(always)]
fn make_room(places: &mut Places, count: usize) {
    if places[0].len() < count || places[1].len() < count {
        let room = 2 * count.max(GATHERED);
        places[0].resize(room, 0);
        places[1].resize(room, 0);
    }
}

/// The lanes of a mask, from the last to the first, so that the first is taken from the stack first.
#[derive(Clone, Copy)]
struct LaneList {
    lanes: [u8; WIDTH],
    count: u8,
}

impl LaneList {
    const EMPTY: LaneList = LaneList { lanes: [0; WIDTH], count: 0 };

    /// Appends the pairs of the probed box and the children in these lanes. There is room for eight
    /// pairs, and what stands behind the last is overwritten.
    #[inline(always)]
    fn put(&self, opening: &Opening, places: &mut Places, count: &mut usize) {
        let first = opening.node * WIDTH as u32;
        let (from, steps) = match opening.side {
            0 => ([first, opening.probed], [u32::MAX, 0]),
            _ => ([opening.probed, first], [0, u32::MAX]),
        };
        for (side, own) in places.iter_mut().enumerate() {
            let own = &mut own[*count..*count + WIDTH];
            for k in 0..WIDTH {
                own[k] = from[side] + (u32::from(self.lanes[k]) & steps[side]);
            }
        }
        *count += usize::from(self.count);
    }
}

static LANES_OF: [LaneList; 1 << WIDTH] = {
    let mut lists = [LaneList::EMPTY; 1 << WIDTH];
    let mut mask = 0;
    while mask < lists.len() {
        let mut lane = WIDTH;
        while lane > 0 {
            lane -= 1;
            if mask >> lane & 1 == 1 {
                lists[mask].lanes[lists[mask].count as usize] = lane as u8;
                lists[mask].count += 1;
            }
        }
        mask += 1;
    }
    lists
};

impl ObbTree {
    #[inline(always)]
    fn child_at(&self, at: Place) -> Child {
        self.nodes[at as usize / WIDTH].child[at as usize % WIDTH]
    }

    /// As [`super::node::Summary::sizes`].
    #[inline(always)]
    fn size_at(&self, at: Place) -> f32 {
        self.summaries[at as usize / WIDTH].sizes[at as usize % WIDTH]
    }
}

/// Visits every pair of leaves of `a` and `b` (standing as `frame` says) whose boxes, one of them
/// grown by `margin` (m, not negative), overlap: every pair of triangles that touch, or come closer
/// than `margin`, is in such a pair of leaves. The larger box is opened first.
///
/// The order is fixed by the trees and the frame. Ends early when `visit` breaks. Nothing is
/// allocated once a thread has descended as far before.
pub fn descend(
    a: &ObbTree,
    b: &ObbTree,
    frame: &PairFrame,
    margin: f64,
    visit: &mut impl FnMut(u32, u32) -> ControlFlow<()>,
    counts: &mut DescentCounts,
) -> ControlFlow<()> {
    let descent = Descent::new(a, b, frame, margin);
    counts.box_tests += 1;
    if descent.roots_meet() { descent.run(visit, counts) } else { ControlFlow::Continue(()) }
}
