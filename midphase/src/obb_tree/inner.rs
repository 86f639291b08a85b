//! Balls inside a closed surface, which are kept with its tree while that stands as it was built.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::ObbTree;
use super::inner_ball::InnerBall;
use super::node::{Below, WIDTH};

/// A box that waits to be opened: the largest comes first; of equals, the one at the first place.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Waiting {
    size: f32,
    place: u32,
}

impl Eq for Waiting {}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        self.size.total_cmp(&other.size).then(other.place.cmp(&self.place))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl ObbTree {
    /// Balls inside the surface, made by `make` when they are first asked for; none of a tree of which nothing is stored, or that was
    /// changed since it was built.
    pub fn inner_balls(&self, make: impl FnOnce() -> Vec<InnerBall>) -> &[InnerBall] {
        let is_as_built = self.computed.is_none()
            && self.gaps == 0
            && self.ranges.is_empty()
            && self.places.is_empty()
            && self.areas.is_none();
        if is_as_built { self.inner.get_or_init(|| make().into()) } else { &[] }
    }

    /// Leaves that are spread over the surface, in the order in which they stand in the tree: at most `count`, and eight more.
    pub fn spread_leaves(&self, count: usize) -> Vec<u32> {
        let (mut open, mut leaves) = (BinaryHeap::new(), Vec::with_capacity(count));
        if self.computed.is_some() || self.is_empty() {
            return leaves;
        }
        let mut enter = |place: u32, open: &mut BinaryHeap<Waiting>| match self.below(place).below() {
            Below::None => {}
            Below::Leaf(leaf) => leaves.push(leaf),
            Below::Node(_) => open.push(Waiting { size: self.box_at(place).size(), place }),
        };
        let mut done = 1;
        enter(0, &mut open);
        while done < count
            && let Some(Waiting { place, .. }) = open.pop()
            && let Below::Node(index) = self.below(place).below()
        {
            let lanes = self.nodes[index as usize].len();
            (0..lanes).for_each(|lane| enter(index * WIDTH as u32 + lane as u32, &mut open));
            done += lanes - 1;
        }
        // What was not opened has a leaf in its middle.
        leaves.extend(open.iter().filter_map(|waiting| self.middle_leaf(waiting.place)));
        leaves.sort_unstable();
        leaves
    }

    /// A leaf below a place, by the middle child of every node.
    fn middle_leaf(&self, mut place: u32) -> Option<u32> {
        loop {
            match self.below(place).below() {
                Below::None => return None,
                Below::Leaf(leaf) => return Some(leaf),
                Below::Node(index) => {
                    place = index * WIDTH as u32 + self.nodes[index as usize].len() as u32 / 2;
                }
            }
        }
    }
}
