//! A tree against itself: pairs of its triangles whose boxes overlap.

use std::ops::ControlFlow;

use impinge_geometry::TriMesh;
use impinge_geometry::simd::{self, Kernel, Simd};

use super::descent_counts::DescentCounts;
use super::node::{Below, Node, WIDTH};
use super::node_boxes::NodeBoxes;
use super::own_boxes::{LeafBoxes, OwnBoxes};
use super::own_pending::{Pending, below};
use super::refit::{leaf_ranges, leaves_below};
use super::{GONE, ObbTree};

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

/// Two leaves of a surface with triangles whose boxes come as near as a search asks, or one and itself.
#[derive(Clone, Copy, Debug)]
pub struct OwnLeafPair<'b> {
    /// The leaves.
    pub leaves: [u32; 2],
    /// Bit `4i + j` for triangle `i` of the first and `j` of the second, of a leaf with itself only `i < j`.
    pub found: u32,
    boxes: [&'b LeafBoxes; 2],
}

impl OwnLeafPair<'_> {
    /// The vertices of triangle `i` of the first leaf and `j` of the second.
    #[inline(always)]
    pub fn vertices(&self, [i, j]: [usize; 2]) -> [[u32; 3]; 2] {
        [self.boxes[0].vertices_of(i), self.boxes[1].vertices_of(j)]
    }
}

/// What a search of a surface against itself asks for.
#[derive(Clone, Copy, Debug)]
pub struct OwnSearch<'t> {
    /// The tree, fitted to the mesh.
    pub tree: &'t ObbTree,
    /// What it is over.
    pub mesh: &'t TriMesh,
    /// Boxes that are not compared with themselves.
    pub flat: &'t FlatBoxes,
    /// How near triangles are to be (m, not negative).
    pub margin: f64,
    /// Whether triangles that share a vertex are left out.
    pub strangers: bool,
}

impl OwnSearch<'_> {
    /// Visits pairs of leaves, each once and a leaf with itself too, with those of their triangles whose boxes come as near as the margin. Every two triangles that share a
    /// point, or come as near as the margin, and are not in one flat box are among them. `boxes` is a buffer.
    ///
    /// The order is fixed by the tree. Ends early when `visit` breaks. Nothing is allocated once the buffer has held as much.
    pub fn run(
        &self,
        boxes: &mut OwnBoxes,
        visit: &mut impl FnMut(OwnLeafPair<'_>) -> ControlFlow<()>,
        counts: &mut DescentCounts,
    ) -> ControlFlow<()> {
        if self.tree.triangle_count() == 0 {
            return ControlFlow::Continue(());
        }
        boxes.fill(self.tree, self.mesh, self.margin);
        let mut pending = std::mem::take(&mut boxes.pending);
        let walk = OwnWalk { search: self, boxes, pending: &mut pending, visit, counts };
        let flow = simd::run(self.tree.simd(), walk);
        boxes.pending = pending;
        flow
    }
}

/// Triangles of a leaf with those behind them: `i < j`.
const BEHIND: u32 = 0b1000_1100_1110;

/// So many pairs of leaves are found before their triangles are looked at: as many as a cache has room for beside their boxes.
const BATCH: usize = 256;

/// So many pairs ahead their boxes are brought into the cache.
const AHEAD: usize = 6;

/// A search with the instructions of a level.
struct OwnWalk<'w, F> {
    search: &'w OwnSearch<'w>,
    boxes: &'w OwnBoxes,
    pending: &'w mut Pending,
    visit: &'w mut F,
    counts: &'w mut DescentCounts,
}

impl<F: FnMut(OwnLeafPair<'_>) -> ControlFlow<()>> Kernel for OwnWalk<'_, F> {
    type Output = ControlFlow<()>;

    #[inline(always)]
    fn run<S: Simd>(self) -> ControlFlow<()> {
        let OwnWalk { search, boxes, pending, visit, counts } = self;
        let (flat, nodes) = (search.flat, &boxes.nodes[..]);
        pending.stack.clear();
        pending.leaves.clear();
        // The root: lane 0 of node 0.
        if !flat.is_flat(0) {
            pending.put_itself(nodes, 0);
        }
        loop {
            let next = pending.stack.pop();
            if next.is_none() || pending.leaves.len() >= BATCH {
                compare::<S, F>(boxes, &pending.leaves, search.strangers, visit, counts)?;
                pending.leaves.clear();
            }
            let Some(places) = next else { return ControlFlow::Continue(()) };
            if places[0] != places[1] {
                open::<S>(nodes, places, pending, counts);
                continue;
            }
            let node = below(nodes, places[0]).index();
            let own = &nodes[node as usize];
            let lanes = own.count;
            counts.wide_tests += u64::from(lanes);
            counts.box_tests += u64::from(lanes * lanes);
            for lane in 0..lanes {
                let place = node * WIDTH as u32 + lane;
                // Those behind it; a box and itself is looked into first.
                let behind = own.overlapping::<S>(own, lane as usize) & (u32::MAX << (lane + 1));
                pending.put(nodes, [place; 2], node, behind, 1);
                if !flat.is_flat(place) {
                    pending.put_itself(nodes, place);
                }
            }
        }
    }
}

/// Visits the pairs of leaves with triangles whose boxes overlap.
#[inline(always)]
fn compare<S: Simd, F: FnMut(OwnLeafPair<'_>) -> ControlFlow<()>>(
    boxes: &OwnBoxes,
    pairs: &[[u32; 2]],
    strangers: bool,
    visit: &mut F,
    counts: &mut DescentCounts,
) -> ControlFlow<()> {
    for (k, &leaves) in pairs.iter().enumerate() {
        if let Some(soon) = pairs.get(k + AHEAD) {
            boxes.leaves[soon[0] as usize].prefetch();
            boxes.leaves[soon[1] as usize].prefetch();
        }
        let [of_a, of_b] = [&boxes.leaves[leaves[0] as usize], &boxes.leaves[leaves[1] as usize]];
        let mut found = of_a.overlapping::<S>(of_b, strangers);
        if leaves[0] == leaves[1] {
            found &= BEHIND;
        }
        if found != 0 {
            counts.leaf_pairs += 1;
            visit(OwnLeafPair { leaves, found, boxes: [of_a, of_b] })?;
        }
    }
    ControlFlow::Continue(())
}

/// Puts the pairs of boxes below two different ones that overlap: of nodes all children of both, of a node and a leaf those of the node.
#[inline(always)]
fn open<S: Simd>(nodes: &[NodeBoxes], places: [u32; 2], pending: &mut Pending, counts: &mut DescentCounts) {
    // No closures: they would not have the instructions of the level.
    let children = [below(nodes, places[0]), below(nodes, places[1])];
    counts.wide_tests += 1;
    counts.box_tests += WIDTH as u64;
    if children[0].is_leaf() || children[1].is_leaf() {
        let side = usize::from(children[0].is_leaf());
        let node = children[side].index();
        pending.put(nodes, places, node, under::<S>(nodes, node, places[1 - side]), side);
        return;
    }
    let (a, b) = (children[0].index(), children[1].index());
    let (mut of_a, of_b) = (under::<S>(nodes, a, places[1]), under::<S>(nodes, b, places[0]));
    if of_b == 0 {
        return;
    }
    let (own, other) = (&nodes[a as usize], &nodes[b as usize]);
    while of_a != 0 {
        let lane = of_a.trailing_zeros();
        of_a &= of_a - 1;
        counts.wide_tests += 1;
        counts.box_tests += WIDTH as u64;
        let found = other.overlapping::<S>(own, lane as usize) & of_b;
        pending.put(nodes, [a * WIDTH as u32 + lane, 0], b, found, 1);
    }
}

/// The children of a node that overlap the box at a place.
#[inline(always)]
fn under<S: Simd>(nodes: &[NodeBoxes], node: u32, place: u32) -> u32 {
    let other = &nodes[place as usize / WIDTH];
    nodes[node as usize].overlapping::<S>(other, place as usize % WIDTH)
}
