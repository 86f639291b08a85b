//! A tree against itself: pairs of its triangles whose boxes overlap.

use std::ops::ControlFlow;

use impinge_geometry::TriMesh;
use impinge_geometry::simd::{self, Kernel, Simd};

use super::descend::DescentCounts;
use super::node::{Below, Node, WIDTH};
use super::own_boxes::OwnBoxes;
use super::refit::{leaf_ranges, leaves_below};
use super::{Child, GONE, ObbTree};

/// The boxes of a tree whose triangles cannot meet each other; none at first.
#[derive(Clone, Debug, Default)]
pub struct FlatBoxes {
    /// Of every node, one bit for each child.
    marks: Vec<u8>,
}

impl FlatBoxes {
    /// Marks the boxes of a tree again. `is_flat` gets the triangles of a box, at most `most` of them; larger boxes are not
    /// asked about, nor are those in one that is flat.
    pub fn mark(&mut self, tree: &ObbTree, most: usize, is_flat: &mut impl FnMut(&[u32]) -> bool) {
        let ObbTree { nodes, triangles, .. } = tree;
        let (ranges, mut left) = (leaf_ranges(nodes), Vec::new());
        self.marks.clear();
        self.marks.resize(nodes.len(), 0);
        let mut stack = vec![0u32];
        while let Some(index) = stack.pop() {
            let node: &Node = &nodes[index as usize];
            for lane in 0..node.len() {
                let mut own = &triangles[tree.range_of(leaves_below(node.child[lane], &ranges))];
                if tree.gaps > 0 && own.len() <= most + tree.gaps {
                    left.clear();
                    left.extend(own.iter().copied().filter(|&triangle| triangle != GONE));
                    own = &left;
                }
                if own.len() <= most && is_flat(own) {
                    self.marks[index as usize] |= 1 << lane;
                } else if let Below::Node(below) = node.child[lane].below() {
                    stack.push(below);
                }
            }
        }
    }

    /// Unmarks all.
    pub fn clear(&mut self) {
        self.marks.clear();
    }

    /// Whether the box at a place (node · 8 + lane) is marked.
    #[inline]
    pub(super) fn is_flat(&self, place: u32) -> bool {
        let marks = self.marks.get(place as usize / WIDTH).copied().unwrap_or(0);
        marks >> (place as usize % WIDTH) & 1 == 1
    }
}

/// What a search of a surface against itself asks for.
#[derive(Clone, Copy, Debug)]
pub struct OwnSearch<'t> {
    /// The tree, fitted or not: of it only the order of nodes and leaves is used.
    pub tree: &'t ObbTree,
    /// What it is over, as its vertices stand.
    pub mesh: &'t TriMesh,
    /// Boxes that are not compared with themselves.
    pub flat: &'t FlatBoxes,
    /// How near triangles are to be (m, not negative).
    pub margin: f64,
    /// Whether triangles that share a vertex are left out.
    pub strangers: bool,
}

impl OwnSearch<'_> {
    /// Visits pairs of leaves, each once and a leaf with itself too, with those of their triangles whose boxes come as near as the margin:
    /// bit `4i + j` for triangle `i` of the first and `j` of the second, of a leaf with itself only `i < j`. Every two triangles that share a
    /// point, or come as near as the margin, and are not in one flat box are among them. `boxes` is a buffer.
    ///
    /// The order is fixed by the tree. Ends early when `visit` breaks. Nothing is allocated once the buffer has held as much.
    pub fn run(
        &self,
        boxes: &mut OwnBoxes,
        visit: &mut impl FnMut([u32; 2], u32) -> ControlFlow<()>,
        counts: &mut DescentCounts,
    ) -> ControlFlow<()> {
        if self.tree.triangle_count() == 0 {
            return ControlFlow::Continue(());
        }
        boxes.fill(self.tree, self.mesh, self.margin);
        let mut stack = std::mem::take(&mut boxes.stack);
        let walk = OwnWalk { search: self, boxes, stack: &mut stack, visit, counts };
        let flow = simd::run(self.tree.simd(), walk);
        boxes.stack = stack;
        flow
    }
}

/// Triangles of a leaf with those behind them: `i < j`.
const BEHIND: u32 = 0b1000_1100_1110;

/// A search with the instructions of a level.
struct OwnWalk<'w, F> {
    search: &'w OwnSearch<'w>,
    boxes: &'w OwnBoxes,
    stack: &'w mut Vec<[u32; 2]>,
    visit: &'w mut F,
    counts: &'w mut DescentCounts,
}

impl<F: FnMut([u32; 2], u32) -> ControlFlow<()>> Kernel for OwnWalk<'_, F> {
    type Output = ControlFlow<()>;

    #[inline(always)]
    fn run<S: Simd>(self) -> ControlFlow<()> {
        let OwnWalk { search, boxes, stack, visit, counts } = self;
        stack.clear();
        // The root: lane 0 of node 0.
        stack.push([0; 2]);
        while let Some(places) = stack.pop() {
            let below = places.map(|place| OwnBoxes::below(search.tree, place));
            if below[0].is_leaf() && below[1].is_leaf() {
                let leaves = below.map(Child::index);
                let [of_a, of_b] = leaves.map(|leaf| &boxes.leaves[leaf as usize]);
                let mut found = of_a.overlapping::<S>(of_b, search.strangers);
                if leaves[0] == leaves[1] {
                    found &= if search.flat.is_flat(places[0]) { 0 } else { BEHIND };
                }
                if found != 0 {
                    counts.leaf_pairs += 1;
                    visit(leaves, found)?;
                }
            } else if places[0] == places[1] {
                if search.flat.is_flat(places[0]) {
                    continue;
                }
                let node = below[0].index();
                let own = &boxes.nodes[node as usize];
                let lanes = u32::from(search.tree.summaries[node as usize].count);
                counts.wide_tests += u64::from(lanes);
                counts.box_tests += u64::from(lanes * lanes);
                for lane in 0..lanes {
                    let place = node * WIDTH as u32 + lane;
                    // Those behind it; a box and itself is looked into first.
                    let behind = own.overlapping::<S>(own, lane as usize) & (u32::MAX << (lane + 1));
                    push([place; 2], node, behind, 1, stack);
                    stack.push([place; 2]);
                }
            } else {
                open::<S>(boxes, places, below, stack, counts);
            }
        }
        ControlFlow::Continue(())
    }
}

/// Pushes the pairs of boxes below two different ones that overlap: of nodes all children of both, of a node and a leaf those of the node.
#[inline(always)]
fn open<S: Simd>(
    boxes: &OwnBoxes,
    places: [u32; 2],
    below: [Child; 2],
    stack: &mut Vec<[u32; 2]>,
    counts: &mut DescentCounts,
) {
    // No closures: they would not have the instructions of the level.
    counts.wide_tests += 1;
    counts.box_tests += WIDTH as u64;
    if below[0].is_leaf() || below[1].is_leaf() {
        let side = usize::from(below[0].is_leaf());
        let node = below[side].index();
        push(places, node, under::<S>(boxes, node, places[1 - side]), side, stack);
        return;
    }
    let (a, b) = (below[0].index(), below[1].index());
    let (mut of_a, of_b) = (under::<S>(boxes, a, places[1]), under::<S>(boxes, b, places[0]));
    if of_b == 0 {
        return;
    }
    let (own, other) = (&boxes.nodes[a as usize], &boxes.nodes[b as usize]);
    while of_a != 0 {
        let lane = of_a.trailing_zeros();
        of_a &= of_a - 1;
        counts.wide_tests += 1;
        counts.box_tests += WIDTH as u64;
        let found = other.overlapping::<S>(own, lane as usize) & of_b;
        push([a * WIDTH as u32 + lane, 0], b, found, 1, stack);
    }
}

/// The children of a node that overlap the box at a place.
#[inline(always)]
fn under<S: Simd>(boxes: &OwnBoxes, node: u32, place: u32) -> u32 {
    let other = &boxes.nodes[place as usize / WIDTH];
    boxes.nodes[node as usize].overlapping::<S>(other, place as usize % WIDTH)
}

/// Pushes a place, and in place of that of a side each child of a node in a mask.
#[inline(always)]
fn push(mut places: [u32; 2], node: u32, mut mask: u32, side: usize, stack: &mut Vec<[u32; 2]>) {
    while mask != 0 {
        places[side] = node * WIDTH as u32 + mask.trailing_zeros();
        mask &= mask - 1;
        stack.push(places);
    }
}
