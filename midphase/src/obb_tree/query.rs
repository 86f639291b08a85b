//! Leaves that meet a box or lie below a plane.

use impinge_geometry::{Obb, PairFrame, Side};
use nalgebra::Vector3;

use super::node::{Below, Node, OrientedBox};
use super::sat::{Probe, Relative, slack};
use super::{DescentCounts, ObbTree};

impl ObbTree {
    /// Appends to `out` the leaves whose boxes meet `obb`, given in the mesh's frame and grown by
    /// `margin` (m), in rising order. Every triangle that meets the grown box is in one of them.
    pub fn overlapping(&self, obb: &Obb, margin: f32, out: &mut Vec<u32>) -> DescentCounts {
        let b = OrientedBox::from_obb(obb);
        let grown = OrientedBox { half: b.half.map(|h| h + margin), ..b };
        let probe = Probe::new(&grown, slack(self.reach + b.reach()));
        self.walk_probe(&probe, out)
    }

    /// As [`ObbTree::overlapping`] for a box in the frame of the other body of a pair; the tree is on
    /// the side `own`.
    pub(crate) fn overlapping_other(
        &self,
        b: &OrientedBox,
        frame: &PairFrame,
        own: Side,
        margin: f64,
        out: &mut Vec<u32>,
    ) -> DescentCounts {
        let mut reach = [self.reach; 2];
        reach[own.other().index()] = b.reach();
        self.walk_probe(&Relative::new(frame, own.other(), reach, margin).probe(b), out)
    }

    fn walk_probe(&self, probe: &Probe, out: &mut Vec<u32>) -> DescentCounts {
        let mut counts = DescentCounts { box_tests: 1, ..DescentCounts::default() };
        if probe.overlaps_box(&self.root_box()) {
            let level = self.simd();
            self.walk(out, |node| {
                counts.wide_tests += 1;
                counts.box_tests += node.len() as u64;
                probe.overlaps(node, level)
            });
        }
        counts
    }

    /// Appends to `out` the leaves whose boxes reach down to `normal · x ≤ offset + margin` (m, in
    /// the mesh's frame; `normal` is unit), in rising order.
    pub fn below_plane(
        &self,
        normal: &Vector3<f64>,
        offset: f64,
        margin: f64,
        out: &mut Vec<u32>,
    ) -> DescentCounts {
        let n: [f64; 3] = (*normal).into();
        let pad = f64::from(slack(self.reach + offset.abs()));
        let level = offset + margin + pad;
        let mut counts = DescentCounts { box_tests: 1, ..DescentCounts::default() };
        if self.root_box().reaches_below(&n, level) {
            self.walk(out, |node| {
                counts.wide_tests += 1;
                counts.box_tests += node.len() as u64;
                (0..node.len())
                    .fold(0, |mask, lane| mask | u32::from(node.get(lane).reaches_below(&n, level)) << lane)
            });
        }
        counts
    }

    /// Walks down from the root through the children that `open` names (one bit each) and appends
    /// the leaves met, in rising order.
    pub(super) fn walk(&self, out: &mut Vec<u32>, mut open: impl FnMut(&Node) -> u32) {
        let mut room = None;
        let mut stack = vec![self.root_child()];
        while let Some(child) = stack.pop() {
            match child.below() {
                Below::Leaf(leaf) => out.push(leaf),
                Below::None => {}
                Below::Node(index) => {
                    let node = self.node(index, &mut room);
                    let mut mask = open(node);
                    while mask != 0 {
                        let lane = mask.ilog2();
                        mask &= !(1 << lane);
                        stack.push(node.child[lane as usize]);
                    }
                }
            }
        }
    }
}
