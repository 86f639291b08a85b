//! parry's `Bvh`, used in the two ways that pay.
//!
//! Exact: boxes are written in place, those that jumped are taken out and put in again, the tree is
//! refitted and traversed against itself in full. Fat: boxes are grown by a margin, those that stay
//! inside are left alone, and only pairs of changed leaves are reported.

use impinge_broadphase::Pair;
use impinge_geometry::Aabb;
use parry3d::bounding_volume;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhLeafUpdateStatus, BvhWorkspace};

use super::Contender;
use crate::boxes::Boxes;

pub struct Parry {
    margin: f32,
    bvh: Bvh,
    workspace: BvhWorkspace,
    last: Vec<Aabb>,
    pairs: Vec<(u32, u32)>,
    changed_before: Vec<u32>,
    changed: Vec<u32>,
}

fn convert(aabb: &Aabb, margin: f32) -> bounding_volume::Aabb {
    let vector = |x: [f32; 3], by: f32| Vector::new(x[0] + by, x[1] + by, x[2] + by);
    bounding_volume::Aabb { mins: vector(aabb.min, -margin), maxs: vector(aabb.max, margin) }
}

impl Parry {
    pub fn new(boxes: &Boxes, margin: f32) -> Parry {
        let leaves: Vec<_> = boxes.boxes.iter().map(|x| convert(x, margin)).collect();
        let mut parry = Parry {
            margin,
            bvh: Bvh::from_leaves(BvhBuildStrategy::Binned, &leaves),
            workspace: BvhWorkspace::default(),
            last: boxes.boxes.clone(),
            pairs: Vec::new(),
            changed_before: Vec::new(),
            changed: Vec::new(),
        };
        parry.bvh.refit(&mut parry.workspace);
        parry
    }

    fn take_in(&mut self, moved: &[(u32, Aabb)]) {
        for &(i, aabb) in moved {
            // Written in place, a box that jumped would spoil the nodes above it.
            let jumped = !self.last[i as usize].overlaps(&aabb);
            self.last[i as usize] = aabb;
            if jumped {
                self.bvh.remove(i);
                self.bvh.insert_or_update_partially(convert(&aabb, self.margin), i, self.margin);
                self.changed.push(i);
            } else {
                let status = self.bvh.insert_or_update_partially(convert(&aabb, 0.0), i, self.margin);
                if !matches!(status, BvhLeafUpdateStatus::Unchanged) {
                    self.changed.push(i);
                }
            }
        }
    }
}

impl Contender for Parry {
    fn who(&self) -> &'static str {
        if self.margin > 0.0 { "parry-fat" } else { "parry" }
    }

    fn step(&mut self, moved: &[(u32, Aabb)]) {
        std::mem::swap(&mut self.changed, &mut self.changed_before);
        self.changed.clear();
        self.take_in(moved);
        self.pairs.clear();
        let Parry { bvh, workspace, pairs, changed, changed_before, margin, last } = self;
        if *margin > 0.0 {
            if 20 * (changed.len() + changed_before.len()) < last.len() {
                bvh.refit_partial(changed_before, changed);
            } else {
                bvh.refit(workspace);
            }
            bvh.traverse_bvtt_single_tree::<true>(workspace, &mut |x, y| pairs.push((x, y)));
        } else {
            bvh.refit(workspace);
            bvh.traverse_bvtt_single_tree::<false>(workspace, &mut |x, y| pairs.push((x, y)));
        }
    }

    fn pairs(&self) -> Option<Vec<Pair>> {
        // With a margin only pairs of changed leaves were reported; what is held is in the tree.
        let mut held = Vec::new();
        if self.margin > 0.0 {
            let workspace = &mut BvhWorkspace::default();
            self.bvh.traverse_bvtt_single_tree::<false>(workspace, &mut |x, y| held.push((x, y)));
        }
        let found = if self.margin > 0.0 { &held } else { &self.pairs };
        let mut pairs: Vec<Pair> = found.iter().map(|&(x, y)| Pair::new(x, y)).collect();
        pairs.sort_unstable();
        Some(pairs)
    }

    fn memory(&self) -> usize {
        self.bvh.total_memory_size() + self.pairs.capacity() * 8
    }
}
