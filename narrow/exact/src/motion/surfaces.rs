//! When do two surfaces of triangles first meet?

use impinge_geometry::predicate::triangles_touch;
use impinge_geometry::{PairFrame, PairPath, Side, SimdLevel, TriMesh};
use impinge_midphase::Surface;
use impinge_midphase::obb_tree::{self, LEAF_TRIANGLES};
use nalgebra::{Point3, Vector3};

use super::advance::{Approach, NearestPair, Tolerance, advance};
use super::answer::{Arrived, SweepCounts, SweepScratch, SweepSettings};
use super::linear::meeting_times;
use super::shadow::meets;
use crate::distance::{Leaf, triangle_gap};
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
    path: &'s PairPath,
    tolerance: Tolerance,
    level: SimdLevel,
    bound: f64,
    /// The earliest meeting so far.
    best: Option<Arrived>,
    counts: SweepCounts,
    leaves: [Leaf; 2],
}

impl Search<'_> {
    /// Looks for something earlier in a pair of leaves.
    fn visit(&mut self, [a, b]: [u32; 2], [begin, end]: [f64; 2]) -> f64 {
        let middle = 0.5 * (begin + end);
        let frame = self.path.at(middle);
        for (side, leaf) in [(Side::A, a), (Side::B, b)] {
            let k = side.index();
            let Surface { mesh, tree } = self.surfaces[k];
            // It stands elsewhere than when it was placed last.
            self.leaves[k].leaf = None;
            self.leaves[k].place(mesh, tree, &frame, side, leaf);
        }
        let mut open = self.open([begin, end]);
        while open != 0 {
            let bit = open.trailing_zeros() as usize;
            open &= open - 1;
            let pair = [bit / LEAF_TRIANGLES, bit % LEAF_TRIANGLES];
            self.follow(pair, [begin, end], middle);
        }
        self.bound
    }

    /// The pairs of triangles that may meet; the leaves stand as in the middle of the times.
    fn open(&self, [begin, end]: [f64; 2]) -> u32 {
        let [a, b] = &self.leaves;
        if a.count == 0 || b.count == 0 {
            return 0;
        }
        let (middle, half) = (0.5 * (begin + end), 0.5 * (end - begin));
        let [of_a, of_b] =
            [(Side::A, a), (Side::B, b)].map(|(side, leaf)| self.drift(side, leaf, [middle, half]));
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
    fn drift(&self, side: Side, leaf: &Leaf, [middle, half]: [f64; 2]) -> (Vector3<f64>, f64) {
        let angle = self.path.angle(side);
        let velocity = |p: &Point3<f64>| self.path.velocity(side, &p.coords, middle);
        let first = velocity(&leaf.corners[0][0]);
        if angle == 0.0 {
            return (first, 0.0);
        }
        let mut stray = 0.0f64;
        for p in leaf.placed().iter().flatten() {
            let own = velocity(p);
            let arc = 0.5 * (own - self.path.way(side)).norm() * angle * half * half;
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
            let meshes = self.surfaces.map(|s| &*s.mesh);
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
        let mut pair = Triangles::new(self.path, self.surfaces.map(|s| &*s.mesh), triangles, middle);
        let within = [begin, end.min(self.bound)];
        let Some(found) = advance(&mut pair, within, &self.tolerance, &mut self.counts.gaps) else { return };
        if found.time < self.bound {
            self.bound = found.time;
            let normal = found.nearest.map(|nearest| nearest.normal);
            self.best = Some(Arrived { time: found.time, normal, triangles: triangles.map(Some) });
        }
    }
}

fn placed(meshes: [&TriMesh; 2], triangles: [u32; 2], frame: &PairFrame) -> [[Point3<f64>; 3]; 2] {
    Side::BOTH.map(|side| {
        let k = side.index();
        meshes[k].corners(triangles[k]).map(|p| frame.place(side, &p))
    })
}

/// Two triangles in motion.
struct Triangles<'s> {
    path: &'s PairPath,
    meshes: [&'s TriMesh; 2],
    triangles: [u32; 2],
    /// No corner is farther from what its body turns about (m).
    radii: [f64; 2],
    /// Where they stood when last asked.
    at: f64,
    corners: [[Point3<f64>; 3]; 2],
}

impl<'s> Triangles<'s> {
    fn new(path: &'s PairPath, meshes: [&'s TriMesh; 2], triangles: [u32; 2], time: f64) -> Triangles<'s> {
        let corners = placed(meshes, triangles, &path.at(time));
        let radii = Side::BOTH.map(|side| {
            let arms = corners[side.index()].iter().map(|p| path.arm_of(side, &p.coords, time));
            arms.fold(0.0, f64::max)
        });
        Triangles { path, meshes, triangles, radii, at: time, corners }
    }

    fn place(&mut self, time: f64) -> &[[Point3<f64>; 3]; 2] {
        if time != self.at {
            self.corners = placed(self.meshes, self.triangles, &self.path.at(time));
            self.at = time;
        }
        &self.corners
    }
}

impl Approach for Triangles<'_> {
    fn nearest(&mut self, time: f64) -> Option<NearestPair> {
        let [a, b] = self.place(time);
        let gap = triangle_gap(a, b);
        let between = gap.points[1] - gap.points[0];
        let normal = between.try_normalize(1e-150);
        if let Some(normal) = normal.filter(|_| gap.is_proved(a, b)) {
            return Some(NearestPair { distance: between.norm(), normal });
        }
        // Nearly parallel edges have spoilt the points, or the triangles touch.
        let (distance, normal) = best_axis(a, b);
        (distance > 0.0 && !triangles_touch(a, b)).then_some(NearestPair { distance, normal })
    }

    fn separation(&mut self, time: f64, normal: &Vector3<f64>) -> f64 {
        let [a, b] = self.place(time);
        apart_along(a, b, normal)
    }

    fn sagitta(&self, normal: &Vector3<f64>, span: f64) -> f64 {
        let of = |side: Side| self.path.sagitta(side, normal, self.radii[side.index()], span);
        of(Side::A) + of(Side::B)
    }
}

/// How far B's triangle begins beyond where A's ends along an axis (m, for a unit axis).
fn apart_along(a: &[Point3<f64>; 3], b: &[Point3<f64>; 3], axis: &Vector3<f64>) -> f64 {
    let heights = |t: &[Point3<f64>; 3]| t.map(|p| axis.dot(&p.coords));
    let ([x, y, z], [u, v, w]) = (heights(a), heights(b));
    u.min(v).min(w) - x.max(y).max(z)
}

/// Of the axes that can part two triangles the one that parts them farthest (unit, from A to B), and how far (m).
fn best_axis(a: &[Point3<f64>; 3], b: &[Point3<f64>; 3]) -> (f64, Vector3<f64>) {
    let edges = |t: &[Point3<f64>; 3]| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
    let (of_a, of_b) = (edges(a), edges(b));
    let normals = [of_a[0].cross(&of_a[1]), of_b[0].cross(&of_b[1])];
    let crosses = of_a.iter().flat_map(|e| of_b.map(|f| e.cross(&f)));
    let sides = normals.iter().zip([&of_a, &of_b]).flat_map(|(n, edges)| edges.map(|e| n.cross(&e)));
    let mut best = (f64::NEG_INFINITY, Vector3::z());
    for axis in normals.into_iter().chain(crosses).chain(sides) {
        let Some(axis) = axis.try_normalize(1e-150) else { continue };
        for axis in [axis, -axis] {
            let apart = apart_along(a, b, &axis);
            if apart > best.0 {
                best = (apart, axis);
            }
        }
    }
    best
}
