//! Rigid motions through trees: when do two surfaces first meet?
//!
//! Work is a pair of boxes and an interval of times. At its middle each box has a velocity of its own, and what it strays
//! from it until the ends, by turning and by its centre's arc, is added to its size; the kernel of [`super::moving`]
//! cuts the interval to when they may overlap, or drops the pair. Time is halved only where boxes stray by more than half of the
//! larger one's size; else that box is opened. Depth first, what may meet first on top; nothing that begins behind the
//! earliest meeting known is opened.
//!
//! Source of the idea: Redon, Kheddar, Coquillart, "Fast Continuous Collision Detection between Rigid Bodies", 2002, which
//! evaluates the 15 axes in interval arithmetic for the whole step; velocities of each box's own are ours.

use impinge_geometry::simd;
use impinge_geometry::volume::round_up;
use impinge_geometry::{PairPath, Side};
use nalgebra::Vector3;

use super::ObbTree;
use super::moving::{Pass, Seen, Straight, Turning};
use super::node::{OrientedBox, WIDTH};

/// The first child of node 0 is the box of the whole mesh.
const ROOT: u32 = 0;

/// Time is halved where boxes stray by more than this part of the larger one's size.
const STRAY: f64 = 0.5;

/// No interval is halved that is shorter than this part of the motion.
const SHORTEST: f64 = 1e-9;

/// What a search for the first meeting cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MotionCounts {
    /// Passes of one box by all children of a node.
    pub wide_tests: u64,
    /// Intervals of time that were halved.
    pub splits: u64,
    /// Visits of pairs of leaves.
    pub leaf_pairs: u64,
}

impl std::ops::AddAssign for MotionCounts {
    fn add_assign(&mut self, other: MotionCounts) {
        self.wide_tests += other.wide_tests;
        self.splits += other.splits;
        self.leaf_pairs += other.leaf_pairs;
    }
}

/// What a search reuses from pair to pair.
#[derive(Clone, Debug, Default)]
pub struct MotionScratch {
    stack: Vec<Waiting>,
}

/// A pair of boxes, and the times at which they may overlap.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    begin: f64,
    end: f64,
    /// Node · 8 + lane.
    places: [u32; 2],
}

/// Visits the pairs of leaves that may meet on a path before the time `bound` (at most 1), mostly those that may meet first at
/// first: `visit` gets the leaves of A and of B and the interval of times in which they may, and gives the bound after it, which must
/// never rise.
pub fn first_meeting(
    trees: [&ObbTree; 2],
    path: &PairPath,
    bound: f64,
    scratch: &mut MotionScratch,
    visit: &mut impl FnMut([u32; 2], [f64; 2]) -> f64,
    counts: &mut MotionCounts,
) {
    if trees.iter().any(|tree| tree.triangles.is_empty()) {
        return;
    }
    let sides = Side::BOTH.map(|side| Turn::new(path, side, trees[side.index()].reach()));
    let speed = path.relative_way().norm() + sides[0].fastest + sides[1].fastest;
    let reach = [trees[0].reach(), trees[1].reach()];
    let start = path.at(0.0);
    let seen = [Side::B, Side::A].map(|from| Seen::new(&start, from, reach, speed));
    let mut search = Search { trees, path, sides, speed, seen, bound, counts, stack: &mut scratch.stack };
    search.stack.clear();
    search.open(0, 0, Waiting { begin: 0.0, end: bound.min(1.0), places: [ROOT; 2] });
    search.run(visit);
}

/// A mesh's turn, in its own frame.
#[derive(Clone, Copy, Debug)]
struct Turn {
    /// Axis times angle (rad per motion).
    turn: Vector3<f64>,
    angle: f64,
    /// The point that it turns about (m).
    center: Vector3<f64>,
    /// No point of the mesh moves faster by the turn (m per motion).
    fastest: f64,
}

impl Turn {
    fn new(path: &PairPath, side: Side, reach: f64) -> Turn {
        let (frame, k) = (path.at(0.0), side.index());
        let local = |v: &Vector3<f64>| frame.rotation[k].tr_mul(v);
        let center = local(&(path.center(side, 0.0) - frame.offset[k]));
        let angle = path.angle(side);
        Turn { turn: local(path.turn(side)), angle, center, fastest: angle * (reach + center.norm()) }
    }

    /// How far corners stray from a box's centre as parts of half a diagonal, and a centre from its even motion as a part of its
    /// speed, within `half` of a time.
    fn stray(&self, half: f64) -> [f64; 2] {
        let swing = 0.5 * self.angle * half;
        let corners = if swing < std::f64::consts::FRAC_PI_2 { 2.0 * swing.sin() } else { 2.0 };
        [corners, 0.5 * self.angle * half * half]
    }

    /// How far a box strays from its centre's even motion within `half` of a time (m).
    fn stray_of(&self, b: &OrientedBox, half: f64) -> f64 {
        if self.angle == 0.0 {
            return 0.0;
        }
        let [corners, center] = self.stray(half);
        let diagonal = Vector3::from(b.half.map(f64::from)).norm();
        let speed = self.turn.cross(&(Vector3::from(b.center.map(f64::from)) - self.center)).norm();
        corners * diagonal + center * speed
    }
}

/// A search that is going on.
struct Search<'s> {
    trees: [&'s ObbTree; 2],
    path: &'s PairPath,
    sides: [Turn; 2],
    /// Nothing moves faster (m per motion).
    speed: f64,
    /// At time 0: boxes of B as A's nodes see them, and boxes of A as B's nodes do.
    seen: [Seen; 2],
    bound: f64,
    counts: &'s mut MotionCounts,
    stack: &'s mut Vec<Waiting>,
}

impl Search<'_> {
    fn run(&mut self, visit: &mut impl FnMut([u32; 2], [f64; 2]) -> f64) {
        let [a, b] = self.trees;
        while let Some(mut next) = self.stack.pop() {
            if next.begin >= self.bound {
                continue;
            }
            next.end = next.end.min(self.bound);
            let boxes = [a.box_at(next.places[0]), b.box_at(next.places[1])];
            let sizes = boxes.map(|b| f64::from(b.size()));
            let half = 0.5 * (next.end - next.begin);
            let stray = self.sides[0].stray_of(&boxes[0], half) + self.sides[1].stray_of(&boxes[1], half);
            if stray > STRAY * sizes[0].max(sizes[1]) && half > SHORTEST {
                self.counts.splits += 1;
                let middle = next.begin + half;
                self.stack.push(Waiting { begin: middle, ..next });
                self.stack.push(Waiting { end: middle, ..next });
                continue;
            }
            let [of_a, of_b] = [a.below(next.places[0]), b.below(next.places[1])];
            if of_a.is_leaf() && of_b.is_leaf() {
                self.counts.leaf_pairs += 1;
                self.bound = visit([of_a.index(), of_b.index()], [next.begin, next.end]).min(self.bound);
            } else if of_b.is_leaf() || (!of_a.is_leaf() && sizes[0] >= sizes[1]) {
                self.open(0, of_a.index(), next);
            } else {
                self.open(1, of_b.index(), next);
            }
        }
    }

    /// Has the children of a node of `side` passed by the pair's box of the other.
    fn open(&mut self, side: usize, node: u32, pair: Waiting) {
        let (tree, other) = (self.trees[side], 1 - side);
        let passing = self.trees[other].box_at(pair.places[other]);
        let children = &tree.nodes[node as usize];
        let level = self.trees[0].simd();
        let (middle, half) = (0.5 * (pair.begin + pair.end), 0.5 * (pair.end - pair.begin));
        let range = self.speed * half;
        let within = [-round_up(half), round_up(half)];
        self.counts.wide_tests += 1;
        let own = Side::BOTH[side];
        let found = if self.path.is_linear() {
            let to_local = self.path.at(0.0).rotation[side];
            // To B's nodes it is A that moves, the other way.
            let way = to_local.tr_mul(&self.path.relative_way()) * if side == 0 { 1.0 } else { -1.0 };
            let aim = self.seen[side].aim(&passing, (way * middle).into(), range);
            let course = Straight(way.map(|x| x as f32).into());
            // What strays from the line counts as the box's size.
            let aim = aim.grown(round_up(self.path.bend()));
            simd::run(level, Pass { aim: &aim, node: children, course, within })
        } else {
            let frame = self.path.at(middle);
            let reach = [self.trees[0].reach(), self.trees[1].reach()];
            let seen = Seen::new(&frame, own.other(), reach, self.speed);
            let center = frame.place_f64(own.other(), &passing.center.map(f64::from).into()).coords;
            let velocity = self.path.velocity(own.other(), &center, middle) - self.path.way(own);
            let turn = &self.sides[side];
            let course = Turning {
                velocity: frame.rotation[side].tr_mul(&velocity).map(|x| x as f32).into(),
                growth: round_up(self.sides[other].stray_of(&passing, half) + self.path.bend()),
                turn: turn.turn.map(|x| x as f32).into(),
                center: turn.center.map(|x| x as f32).into(),
                stray: turn.stray(half).map(|x| round_up(x * (1.0 + 1e-6))),
            };
            let aim = seen.aim(&passing, [0.0; 3], range);
            simd::run(level, Pass { aim: &aim, node: children, course, within })
        };
        let mut order = [(0.0f32, 0.0f32, 0u32); WIDTH];
        let mut count = 0;
        for lane in 0..children.len() {
            let (begin, end) = (found.begin[lane], found.end[lane]);
            if begin > end {
                continue;
            }
            let mut k = count;
            // The earliest last: it is on top then.
            while k > 0 && order[k - 1].0 < begin {
                order[k] = order[k - 1];
                k -= 1;
            }
            order[k] = (begin, end, node * WIDTH as u32 + lane as u32);
            count += 1;
        }
        for &(begin, end, place) in &order[..count] {
            let mut next = Waiting {
                begin: pair.begin.max(middle + f64::from(begin)),
                end: pair.end.min(middle + f64::from(end)),
                ..pair
            };
            // What is not a number cut nothing off.
            next.end = next.end.max(next.begin);
            next.places[side] = place;
            if next.begin < self.bound {
                self.stack.push(next);
            }
        }
    }
}
