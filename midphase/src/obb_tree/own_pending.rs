//! What a search of a surface against itself has still to look into.

use super::node::{Child, WIDTH};
use super::node_boxes::NodeBoxes;

/// What stands below a place (node · 8 + lane).
#[inline(always)]
pub(super) fn below(nodes: &[NodeBoxes], place: u32) -> Child {
    nodes[place as usize / WIDTH].child[place as usize % WIDTH]
}

/// What a search has still to look into.
#[derive(Clone, Debug, Default)]
pub(super) struct Pending {
    /// Pairs of boxes (node · 8 + lane), not both leaves.
    pub stack: Vec<[u32; 2]>,
    /// Pairs of leaves.
    pub leaves: Vec<[u32; 2]>,
}

impl Pending {
    /// Puts pairs of boxes: a place, and in place of that of a side each child of a node in a mask.
    #[inline(always)]
    pub fn put(&mut self, nodes: &[NodeBoxes], mut places: [u32; 2], node: u32, mut mask: u32, side: usize) {
        if mask == 0 {
            return;
        }
        let other = below(nodes, places[1 - side]);
        if other.is_leaf() {
            let NodeBoxes { child: children, leaves, .. } = &nodes[node as usize];
            let mut leaves = mask & leaves;
            mask &= !leaves;
            while leaves != 0 {
                let mut pair = [other.index(); 2];
                pair[side] = children[leaves.trailing_zeros() as usize % WIDTH].index();
                leaves &= leaves - 1;
                self.leaves.push(pair);
            }
        }
        while mask != 0 {
            places[side] = node * WIDTH as u32 + mask.trailing_zeros();
            mask &= mask - 1;
            self.stack.push(places);
        }
    }

    /// Puts a box and itself.
    #[inline(always)]
    pub fn put_itself(&mut self, nodes: &[NodeBoxes], place: u32) {
        let child = below(nodes, place);
        if child.is_leaf() {
            self.leaves.push([child.index(); 2]);
        } else {
            self.stack.push([place; 2]);
        }
    }
}
