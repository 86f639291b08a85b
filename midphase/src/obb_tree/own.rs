//! A tree against itself: pairs of its leaves whose boxes overlap.

use std::ops::ControlFlow;

use impinge_geometry::PairFrame;
use nalgebra::Isometry3;

use super::descend::{Descent, DescentCounts};
use super::node::{Below, Node, WIDTH};
use super::refit::{leaf_ranges, leaves_below};
use super::{Child, ObbTree};

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
        let ObbTree { nodes, triangles, leaf_starts, .. } = tree;
        let ranges = leaf_ranges(nodes);
        self.marks.clear();
        self.marks.resize(nodes.len(), 0);
        let mut stack = vec![0u32];
        while let Some(index) = stack.pop() {
            let node: &Node = &nodes[index as usize];
            for lane in 0..node.len() {
                let [first, end] = leaves_below(node.child[lane], &ranges);
                let own =
                    &triangles[leaf_starts[first as usize] as usize..leaf_starts[end as usize] as usize];
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

/// Visits every pair of leaves of a tree whose boxes, one of them grown by `margin` (m, not negative), overlap, each once, and every
/// leaf with itself; boxes that are marked as flat are not compared with themselves. Every two triangles that share a point, or come
/// closer than `margin`, and are not in one flat box are in such a pair.
///
/// The order is fixed by the tree. Ends early when `visit` breaks.
pub fn descend_own(
    tree: &ObbTree,
    flat: &FlatBoxes,
    margin: f64,
    visit: &mut impl FnMut(u32, u32) -> ControlFlow<()>,
    counts: &mut DescentCounts,
) -> ControlFlow<()> {
    if tree.triangle_count() == 0 {
        return ControlFlow::Continue(());
    }
    let here = Isometry3::identity();
    let frame = PairFrame::new(&here, &here);
    let descent = Descent::new(tree, tree, &frame, margin);
    open(tree, &descent, 0, flat, visit, counts)
}

/// A box and itself: each of its children with itself and with those behind it.
fn open(
    tree: &ObbTree,
    descent: &Descent<'_>,
    place: u32,
    flat: &FlatBoxes,
    visit: &mut impl FnMut(u32, u32) -> ControlFlow<()>,
    counts: &mut DescentCounts,
) -> ControlFlow<()> {
    if flat.is_flat(place) {
        return ControlFlow::Continue(());
    }
    let below: Child = tree.below(place);
    if below.is_leaf() {
        counts.leaf_pairs += 1;
        return visit(below.index(), below.index());
    }
    let node = below.index();
    let lanes = tree.nodes[node as usize].len() as u32;
    let at = |lane: u32| node * WIDTH as u32 + lane;
    for lane in 0..lanes {
        open(tree, descent, at(lane), flat, visit, counts)?;
        counts.wide_tests += 1;
        counts.box_tests += u64::from(lanes);
        let met = descent.overlapping(node, at(lane));
        for other in (lane + 1..lanes).filter(|other| met >> other & 1 == 1) {
            descent.run_from([at(lane), at(other)], visit, counts)?;
        }
    }
    ControlFlow::Continue(())
}
