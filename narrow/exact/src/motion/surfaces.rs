//! When do two surfaces of triangles first meet?

use impinge_geometry::{FacesRef, PairFrame, PairPath, Side, SimdLevel, Twist};
use impinge_midphase::Surface;
use impinge_midphase::obb_tree::{self, LEAF_TRIANGLES};
use nalgebra::{Point3, Vector3};

use super::advance::{Tolerance, advance};
use super::answer::{Arrived, SweepCounts, SweepScratch, SweepSettings};
use super::linear::meeting_times;
use super::rigid_triangles::{RecentFrames, RigidTriangles};
use super::shadow::meets;
use crate::distance::Leaf;
use crate::translation::filter::{self, Passage};

/// When two surfaces that do not touch at the start first meet.
pub(super) fn surfaces(
    surfaces: [&Surface; 2],
    path: &PairPath,
    settings: &SweepSettings,
    scratch: &mut SweepScratch,
) -> Option<Arrived> {
    let trees = surfaces.map(|s| &*s.tree);
    let mut search = Search {
        surfaces,
        path,
        tolerance: Tolerance {
            gap: settings.gap,
            error: path.rounding(trees.map(|t| t.reach())) + path.bend(),
        },
        level: trees[0].simd(),
        bound: settings.bound,
        best: None,
        counts: scratch.counts,
        leaves: [Leaf::NONE, Leaf::NONE],
        placed_at: f64::NAN,
        frames: RecentFrames::new(path),
        axis: None,
    };
    let mut counts = search.counts.search;
    let visit = &mut |leaves: [u32; 2], within: [f64; 2]| search.visit(leaves, within);
    obb_tree::first_meeting(trees, path, settings.bound, &mut scratch.search, visit, &mut counts);
    search.counts.search = counts;
    scratch.counts = search.counts;
    search.best
}

/// A search that is going on.
struct Search<'s> {
    surfaces: [&'s Surface; 2],
    path: &'s PairPath<'s>,
    tolerance: Tolerance,
    level: SimdLevel,
    bound: f64,
    /// The earliest meeting so far.
    best: Option<Arrived>,
    counts: SweepCounts,
    leaves: [Leaf; 2],
    /// When the leaves stand where they do.
    placed_at: f64,
    frames: RecentFrames<'s>,
    /// The axis between the nearest points of the last pair of which they were found (unit, from A to B).
    axis: Option<Vector3<f64>>,
}

impl Search<'_> {
    /// Looks for something earlier in a pair of leaves.
    fn visit(&mut self, [a, b]: [u32; 2], [begin, end]: [f64; 2]) -> f64 {
        let middle = match self.path.is_linear() {
            true => 0.5 * (begin + end),
            false => obb_tree::grid_time(self.path, 0.5 * (begin + end)),
        };
        let (frame, twists) = self.path.placed(middle);
        for (side, leaf) in [(Side::A, a), (Side::B, b)] {
            let k = side.index();
            let (mesh, tree) = (self.surfaces[k].faces(), &self.surfaces[k].tree);
            if middle != self.placed_at {
                // It stands elsewhere than when it was placed last.
                self.leaves[k].leaf = None;
            }
            self.leaves[k].place(mesh, tree, &frame, side, leaf);
        }
        self.placed_at = middle;
        let mut open = self.open([begin, end], middle, &twists);
        while open != 0 {
            let bit = open.trailing_zeros() as usize;
            open &= open - 1;
            let pair = [bit / LEAF_TRIANGLES, bit % LEAF_TRIANGLES];
            self.follow(pair, [begin, end], middle);
        }
        self.bound
    }

    /// The pairs of triangles that may meet; the leaves stand as at `middle`.
    fn open(&self, [begin, end]: [f64; 2], middle: f64, twists: &[Twist; 2]) -> u32 {
        let [a, b] = &self.leaves;
        if a.count == 0 || b.count == 0 {
            return 0;
        }
        let half = (middle - begin).max(end - middle);
        let [of_a, of_b] = [(Side::A, a), (Side::B, b)]
            .map(|(side, leaf)| self.drift(side, leaf, &twists[side.index()], half));
        let relative = of_b.0 - of_a.0;
        let speed = relative.norm();
        let direction = if speed > 0.0 { relative / speed } else { Vector3::x() };
        let reach = half * speed;
        let passage = Passage {
            direction: &direction,
            shift: -reach,
            range: 2.0 * reach,
            growth: of_a.1 + of_b.1 + self.tolerance.error,
        };
        filter::open([a.placed(), b.placed()], &passage, self.level)
    }

    /// The velocity of a leaf's first corner, and how far all corners stray from it within `half` of a time (m).
    fn drift(&self, side: Side, leaf: &Leaf, twist: &Twist, half: f64) -> (Vector3<f64>, f64) {
        let first = twist.at(&leaf.corners[0][0].coords);
        let (angle, is_link) = (self.path.angle(side), self.path.is_link(side));
        if angle == 0.0 {
            return (first, 0.0);
        }
        let mut stray = 0.0f64;
        for p in leaf.placed().iter().flatten() {
            let own = twist.at(&p.coords);
            let acceleration = match is_link {
                true => self.path.acceleration(side, (p.coords - twist.center).norm()),
                false => angle * (own - twist.velocity).norm(),
            };
            let arc = 0.5 * acceleration * half * half;
            stray = stray.max((own - first).norm() * half + arc);
        }
        (first, stray)
    }

    /// Follows a pair of triangles to where they meet.
    fn follow(&mut self, [i, j]: [usize; 2], [begin, end]: [f64; 2], middle: f64) {
        if begin >= self.bound {
            return;
        }
        self.counts.followed += 1;
        let [a, b] = &self.leaves;
        let triangles = [a.triangles[i], b.triangles[j]];
        if self.path.is_linear() && self.path.bend() == 0.0 {
            let way = self.path.relative_way();
            let until = [begin - middle, end.min(self.bound) - middle];
            let found = meeting_times([&a.corners[i], &b.corners[j]], &way, until);
            let found = found.filter(|found| found.begin + middle < self.bound);
            // Rounded outward they meet; do they?
            let meshes = self.surfaces.map(Surface::faces);
            let passes = || {
                let [p, q] = placed(meshes, triangles, &self.path.at(0.0));
                meets(&p, &q, &way) == Some(false)
            };
            if let Some(found) = found.filter(|_| !passes()) {
                self.bound = (found.begin + middle).max(0.0);
                let normal = found.axis.try_normalize(0.0);
                self.best = Some(Arrived { time: self.bound, normal, triangles: triangles.map(Some) });
            }
            return;
        }
        let meshes = self.surfaces.map(Surface::faces);
        let local = [0, 1].map(|k| meshes[k].corners(triangles[k]));
        let placed = (middle, [self.leaves[0].corners[i], self.leaves[1].corners[j]]);
        let mut pair = RigidTriangles::new(self.path, &mut self.frames, local, placed);
        let within = [begin, end.min(self.bound)];
        if self.axis.is_some_and(|axis| pair.is_parted(&axis, within, &self.tolerance))
            || pair.is_parted_by_a_face(within, &self.tolerance)
        {
            return;
        }
        let found = advance(&mut pair, within, &self.tolerance, &mut self.counts.gaps);
        self.axis = pair.normal.or(self.axis);
        let Some(found) = found else { return };
        if found.time < self.bound {
            self.bound = found.time;
            let normal = found.nearest.map(|nearest| nearest.normal);
            self.best = Some(Arrived { time: found.time, normal, triangles: triangles.map(Some) });
        }
    }
}

fn placed(meshes: [FacesRef<'_>; 2], triangles: [u32; 2], frame: &PairFrame) -> [[Point3<f64>; 3]; 2] {
    Side::BOTH.map(|side| {
        let k = side.index();
        meshes[k].corners(triangles[k]).map(|p| frame.place(side, &p))
    })
}
