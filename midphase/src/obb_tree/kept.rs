//! The nodes and leaves that searches on a thread have filled last: those of one question open the same few again and again.
//!
//! Each has one slot that it can be in, so a look-up is one comparison. A tree of computed nodes has a stamp of its own, which no other tree ever had:
//! what is kept under it stays true however many trees come and go.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use super::leaf_triangles::{LEAF_TRIANGLES, LeafTriangles};
use super::node::{Child, Node, OrientedBox, WIDTH};
use super::upright::UPRIGHT;

/// Slots for nodes: 30 KB on each thread that searches a computed tree.
const NODES: usize = 128;
/// Slots for leaves: 26 KB.
const LEAVES: usize = 128;
/// Numbers of a leaf's rows, and some beyond them.
pub(super) const NUMBERS: usize = 10 * LEAF_TRIANGLES;

/// Names what was computed from: the same for clones, another for every tree that is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp(u64);

impl Stamp {
    /// No tree has it.
    const NONE: Stamp = Stamp(0);

    /// One that nothing has yet.
    pub fn new() -> Stamp {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Stamp(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// A node without its axes, which are those of the frame.
#[derive(Clone, Copy, Debug)]
struct KeptNode {
    of: (Stamp, u32),
    center: [[f32; WIDTH]; 3],
    half: [[f32; WIDTH]; 3],
    child: [Child; WIDTH],
}

/// A leaf's triangles, and their rows with what those are relative to.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeptLeaf {
    of: (Stamp, u32),
    pub triangles: LeafTriangles<'static>,
    pub place: [f32; 4],
    pub rows: [f32; NUMBERS],
}

thread_local! {
    static KEPT_NODES: Cell<Option<Box<[KeptNode; NODES]>>> = const { Cell::new(None) };
    static KEPT_LEAVES: Cell<Option<Box<[KeptLeaf; LEAVES]>>> = const { Cell::new(None) };
}

/// Nothing is kept yet.
fn no_nodes() -> Box<[KeptNode; NODES]> {
    let node = Node::EMPTY;
    let none = KeptNode { of: (Stamp::NONE, 0), center: node.center, half: node.half, child: node.child };
    Box::new([none; NODES])
}

fn no_leaves() -> Box<[KeptLeaf; LEAVES]> {
    let none = KeptLeaf {
        of: (Stamp::NONE, 0),
        triangles: LeafTriangles::NONE,
        place: [0.0; 4],
        rows: [0.0; NUMBERS],
    };
    Box::new([none; LEAVES])
}

/// Which slot a number has: neighbours have different ones.
fn slot(index: u32, slots: usize) -> usize {
    (index ^ index >> 7 ^ index >> 14) as usize % slots
}

/// Writes a node of a tree, whose axes are upright already; filled by `fill` where it is not kept.
#[inline]
pub(super) fn node(stamp: Stamp, index: u32, node: &mut Node, fill: impl FnOnce(&mut Node)) {
    let mut all = KEPT_NODES.take().unwrap_or_else(no_nodes);
    let kept = &mut all[slot(index, NODES)];
    if kept.of == (stamp, index) {
        (node.center, node.half, node.child) = (kept.center, kept.half, kept.child);
    } else {
        fill(node);
        *kept = KeptNode { of: (stamp, index), center: node.center, half: node.half, child: node.child };
    }
    KEPT_NODES.set(Some(all));
}

/// The box at a place and what stands below it, where the node is kept.
#[inline]
pub(super) fn at_place(stamp: Stamp, place: u32) -> Option<(OrientedBox, Child)> {
    let (index, lane) = (place / WIDTH as u32, place as usize % WIDTH);
    let all = KEPT_NODES.take()?;
    let kept = &all[slot(index, NODES)];
    let found = (kept.of == (stamp, index)).then(|| {
        let [center, half] = [&kept.center, &kept.half].map(|of| of.map(|row| row[lane]));
        (OrientedBox { center, half, axes: UPRIGHT }, kept.child[lane])
    });
    KEPT_NODES.set(Some(all));
    found
}

/// A leaf of a tree, for `look` to read; filled by `fill` (triangles, place, rows) where it is not kept.
#[inline]
pub(super) fn leaf<T>(
    stamp: Stamp,
    index: u32,
    fill: impl FnOnce(&mut KeptLeaf),
    look: impl FnOnce(&KeptLeaf) -> T,
) -> T {
    let mut all = KEPT_LEAVES.take().unwrap_or_else(no_leaves);
    let kept = &mut all[slot(index, LEAVES)];
    if kept.of != (stamp, index) {
        fill(kept);
        kept.of = (stamp, index);
    }
    let found = look(kept);
    KEPT_LEAVES.set(Some(all));
    found
}

/// The triangles of a leaf, where it is kept.
#[inline]
pub(super) fn triangles(stamp: Stamp, index: u32) -> Option<LeafTriangles<'static>> {
    let all = KEPT_LEAVES.take()?;
    let kept = &all[slot(index, LEAVES)];
    let found = (kept.of == (stamp, index)).then_some(kept.triangles);
    KEPT_LEAVES.set(Some(all));
    found
}
