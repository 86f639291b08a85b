//! The dual descent: pairs of leaves whose boxes overlap.

use std::ops::ControlFlow;

use impinge_geometry::{PairFrame, Side};

use super::ObbTree;
use super::lanes::SimdLevel;
use super::node::{Child, WIDTH};
use super::sat::{Probe, Relative};

/// What a descent cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DescentCounts {
    /// Tests of one box against all children of a node.
    pub wide_tests: u64,
    /// Pairs of boxes in them.
    pub box_tests: u64,
    /// Pairs of leaves found.
    pub leaf_pairs: u64,
}

impl std::ops::AddAssign for DescentCounts {
    fn add_assign(&mut self, other: DescentCounts) {
        self.wide_tests += other.wide_tests;
        self.box_tests += other.box_tests;
        self.leaf_pairs += other.leaf_pairs;
    }
}

/// A box of a tree by its place: lane `at % 8` of node `at / 8`; the root's has a number of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place(u32);

impl Place {
    const ROOT: Place = Place(u32::MAX);

    fn new(node: u32, lane: u32) -> Place {
        Place(node * WIDTH as u32 + lane)
    }

    #[inline]
    fn split(self) -> (usize, usize) {
        (self.0 as usize / WIDTH, self.0 as usize % WIDTH)
    }
}

impl ObbTree {
    /// Makes a box the probe of the other tree.
    #[inline]
    fn aim(&self, place: Place, relative: &Relative, probe: &mut Probe) {
        let (node, lane) = place.split();
        match place {
            Place::ROOT => relative.aim(&self.root, probe),
            _ => relative.aim(&self.nodes[node].get(lane), probe),
        }
    }

    #[inline]
    fn child_at(&self, place: Place) -> Child {
        let (node, lane) = place.split();
        if place == Place::ROOT { self.root_child } else { self.nodes[node].child[lane] }
    }

    /// [`OrientedBox::size`] of a box.
    #[inline]
    fn size_at(&self, place: Place) -> f32 {
        let (node, lane) = place.split();
        if place == Place::ROOT { self.root.size() } else { self.nodes[node].size(lane) }
    }
}

/// Two trees that stand beside each other.
pub(crate) struct Descent<'t> {
    a: &'t ObbTree,
    b: &'t ObbTree,
    /// Boxes of B in A's frame, grown by the margin.
    b_in_a: Relative,
    /// Boxes of A in B's frame, grown by the margin.
    a_in_b: Relative,
}

impl<'t> Descent<'t> {
    pub fn new(a: &'t ObbTree, b: &'t ObbTree, frame: &PairFrame, margin: f64) -> Descent<'t> {
        let reach = [a.reach(), b.reach()];
        Descent {
            a,
            b,
            b_in_a: Relative::new(frame, Side::B, reach, margin),
            a_in_b: Relative::new(frame, Side::A, reach, margin),
        }
    }

    /// Whether the boxes of the whole meshes may come closer than the margin.
    pub fn roots_meet(&self) -> bool {
        self.b_in_a.probe(&self.b.root).overlaps_box(&self.a.root)
    }

    /// Visits the pairs of leaves below the roots, which are taken to overlap.
    pub fn run(
        &self,
        visit: &mut impl FnMut(u32, u32) -> ControlFlow<()>,
        counts: &mut DescentCounts,
    ) -> ControlFlow<()> {
        let (a, b) = (self.a, self.b);
        if a.triangles.is_empty() || b.triangles.is_empty() {
            return ControlFlow::Continue(());
        }
        let level = SimdLevel::current();
        // The box last tested against A's nodes (1) and B's (0): often the next is the same.
        let mut probes = [(None, Probe::EMPTY), (None, Probe::EMPTY)];
        let mut stack = Vec::with_capacity(128);
        stack.push((Place::ROOT, Place::ROOT));
        while let Some((pa, pb)) = stack.pop() {
            let (ca, cb) = (a.child_at(pa), b.child_at(pb));
            if ca.is_leaf() && cb.is_leaf() {
                counts.leaf_pairs += 1;
                visit(ca.index(), cb.index())?;
                continue;
            }
            let open_a = cb.is_leaf() || (!ca.is_leaf() && a.size_at(pa) >= b.size_at(pb));
            let (opened, other, place) = if open_a { (ca, b, pb) } else { (cb, a, pa) };
            let (tree, relative) = if open_a { (a, &self.b_in_a) } else { (b, &self.a_in_b) };
            let (aimed, probe) = &mut probes[usize::from(open_a)];
            if *aimed != Some(place) {
                *aimed = Some(place);
                other.aim(place, relative, probe);
            }
            let node = &tree.nodes[opened.index() as usize];
            counts.wide_tests += 1;
            counts.box_tests += node.len() as u64;
            let mut mask = probe.overlaps(node, level);
            // From the last lane to the first, so that the first is taken from the stack first.
            while mask != 0 {
                let lane = mask.ilog2();
                mask &= !(1 << lane);
                let place = Place::new(opened.index(), lane);
                stack.push(if open_a { (place, pb) } else { (pa, place) });
            }
        }
        ControlFlow::Continue(())
    }
}

/// Visits every pair of leaves of `a` and `b` (standing as `frame` says) whose boxes, one of them
/// grown by `margin` (m, not negative), overlap: every pair of triangles that touch, or come closer
/// than `margin`, is in such a pair of leaves. The larger box is opened first.
///
/// The order is fixed by the trees and the frame. Ends early when `visit` breaks.
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
