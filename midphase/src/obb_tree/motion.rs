//! Motions through trees: when do two surfaces first meet?
//!
//! Work is a pair of boxes and an interval of times. At its middle each box has a velocity of its own, and what it strays
//! from it until the ends, by turning and by its centre's arc, is added to its size; the kernel of [`super::moving`]
//! cuts the interval to when they may overlap, or drops the pair. Time is halved only where boxes stray by more than half of the
//! larger one's size; else that box is opened. Depth first, what may meet first on top; nothing that begins behind the
//! earliest meeting known is opened. Boxes of a mesh that deforms have velocities of their own and stray from nothing
//! ([`super::deforming`]).
//!
//! A link of a chain moves at a twist that changes: that of the middle is taken, and half of the greatest acceleration, times
//! half the interval squared, is what its boxes stray.
//!
//! Source of the idea: Redon, Kheddar, Coquillart, "Fast Continuous Collision Detection between Rigid Bodies", 2002, which
//! evaluates the 15 axes in interval arithmetic for the whole step; velocities of each box's own are ours.

use impinge_geometry::volume::round_up;
use impinge_geometry::{Motion, PairFrame, PairPath, Side, SimdLevel, simd};
use nalgebra::{Isometry3, Vector3};

use super::deforming::{DeformingTree, velocity_in};
use super::motion_frames::{KeptPairs, MotionFrames, PlacedPair};
use super::motion_turn::Turn;
use super::moving::{Drifting, Intervals, Pass, Seen, Straight, Turning};
use super::node::{Node, WIDTH};
use super::{LeafTriangles, ObbTree};

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
    frames: KeptPairs,
}

/// A pair of boxes, and the times at which they may overlap.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    begin: f64,
    end: f64,
    /// Node · 8 + lane.
    places: [u32; 2],
}

/// The tree of a mesh that moves.
#[derive(Clone, Copy, Debug)]
pub enum MovingTree<'t> {
    /// The mesh keeps its form.
    Rigid(&'t ObbTree),
    /// Its vertices move on lines; its frame does not turn.
    Deforming(&'t DeformingTree),
}

impl<'t> MovingTree<'t> {
    /// The boxes as they stand at time 0.
    fn boxes(&self) -> &'t ObbTree {
        match self {
            MovingTree::Rigid(tree) => tree,
            MovingTree::Deforming(deforming) => &deforming.tree,
        }
    }

    /// How the box at a place moves in the mesh's frame (m per motion).
    fn drift(&self, place: u32) -> Vector3<f64> {
        match self {
            MovingTree::Rigid(_) => Vector3::zeros(),
            MovingTree::Deforming(deforming) => {
                velocity_in(&deforming.drifts[place as usize / WIDTH], place as usize % WIDTH)
            }
        }
    }

    fn fastest(&self) -> f64 {
        match self {
            MovingTree::Rigid(_) => 0.0,
            MovingTree::Deforming(deforming) => deforming.fastest,
        }
    }

    /// No vertex is ever farther than this from the mesh's origin (m).
    pub fn reach(&self) -> f64 {
        self.boxes().reach()
    }

    /// The triangles of a leaf, as [`ObbTree::leaf_triangles`].
    #[inline]
    pub fn leaf_triangles(&self, leaf: u32) -> LeafTriangles<'t> {
        self.boxes().leaf_triangles(leaf)
    }

    /// As [`ObbTree::simd`].
    pub fn simd(&self) -> SimdLevel {
        self.boxes().simd()
    }
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
    meetings(trees.map(MovingTree::Rigid), path, [0.0, bound], scratch, visit, counts);
}

/// As [`first_meeting`], of meshes that may deform, and of leaves that come as near as `margin` (m).
pub fn meetings(
    trees: [MovingTree<'_>; 2],
    path: &PairPath,
    [margin, bound]: [f64; 2],
    scratch: &mut MotionScratch,
    visit: &mut impl FnMut([u32; 2], [f64; 2]) -> f64,
    counts: &mut MotionCounts,
) {
    if trees.iter().any(|tree| tree.boxes().is_empty()) {
        return;
    }
    let mut search = Search::new(trees, path, [margin, bound], scratch, counts);
    search.open(0, 0, Waiting { begin: 0.0, end: bound.min(1.0), places: [ROOT; 2] }, 0);
    search.run(visit);
}

/// As [`meetings`], of a mesh with itself: every pair of leaves once, and every leaf with itself. Where `cull` is set, boxes that are marked
/// as flat ([`DeformingTree::mark_flat`]) are not compared with themselves.
pub fn own_meetings(
    tree: &DeformingTree,
    cull: bool,
    [margin, bound]: [f64; 2],
    scratch: &mut MotionScratch,
    visit: &mut impl FnMut([u32; 2], [f64; 2]) -> f64,
    counts: &mut MotionCounts,
) {
    if tree.tree.triangles.is_empty() {
        return;
    }
    let still = Motion::still(Isometry3::identity());
    let path = PairPath::new([&still, &still]);
    let mut search = Search::new([MovingTree::Deforming(tree); 2], &path, [margin, bound], scratch, counts);
    search.own = Some(Own { tree, cull });
    search.stack.push(Waiting { begin: 0.0, end: bound.min(1.0), places: [ROOT; 2] });
    search.run(visit);
}

/// A search that is going on.
struct Search<'s> {
    trees: [MovingTree<'s>; 2],
    path: &'s PairPath<'s>,
    sides: [Turn; 2],
    /// Nothing moves faster (m per motion).
    speed: f64,
    /// At time 0: both bodies, boxes of B as A's nodes see them, and boxes of A as B's nodes do.
    start: PairFrame,
    seen: [Seen; 2],
    /// At other times.
    frames: MotionFrames<'s>,
    /// What boxes are grown by: the margin, and what strays from the path (m).
    growth: f64,
    bound: f64,
    counts: &'s mut MotionCounts,
    stack: &'s mut Vec<Waiting>,
    /// Where a tree is searched for meetings with itself.
    own: Option<Own<'s>>,
}

/// A tree that is searched for meetings with itself.
#[derive(Clone, Copy)]
struct Own<'s> {
    tree: &'s DeformingTree,
    /// Whether boxes that are marked as flat are passed over.
    cull: bool,
}

impl<'s> Search<'s> {
    fn new(
        trees: [MovingTree<'s>; 2],
        path: &'s PairPath<'s>,
        [margin, bound]: [f64; 2],
        scratch: &'s mut MotionScratch,
        counts: &'s mut MotionCounts,
    ) -> Search<'s> {
        let sides = Side::BOTH.map(|side| Turn::new(path, side, trees[side.index()].reach()));
        let drifts = trees[0].fastest() + trees[1].fastest();
        let speed = path.relative_way().norm() + sides[0].fastest + sides[1].fastest + drifts;
        let reach = trees.map(|tree| tree.reach());
        let start = path.at(0.0);
        let seen = [Side::B, Side::A].map(|from| Seen::new(&start, from, reach, speed));
        let growth = path.bend() + margin;
        let MotionScratch { stack, frames } = scratch;
        stack.clear();
        let frames = MotionFrames::new(path, reach, speed, frames);
        Search { trees, path, sides, speed, start, seen, frames, growth, bound, counts, stack, own: None }
    }
}

impl Search<'_> {
    fn run(&mut self, visit: &mut impl FnMut([u32; 2], [f64; 2]) -> f64) {
        let [a, b] = self.trees.map(|tree| tree.boxes());
        while let Some(mut next) = self.stack.pop() {
            if next.begin >= self.bound {
                continue;
            }
            next.end = next.end.min(self.bound);
            if let Some(own) = self.own.filter(|_| next.places[0] == next.places[1]) {
                self.open_own(own, next, visit);
                continue;
            }
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
                self.open(0, of_a.index(), next, 0);
            } else {
                self.open(1, of_b.index(), next, 0);
            }
        }
    }

    /// A box and itself: each of its children with itself and with those behind it.
    fn open_own(
        &mut self,
        Own { tree, cull }: Own<'_>,
        next: Waiting,
        visit: &mut impl FnMut([u32; 2], [f64; 2]) -> f64,
    ) {
        let place = next.places[0];
        if cull && tree.flat.is_flat(place) {
            return;
        }
        let below = tree.tree.below(place);
        if below.is_leaf() {
            self.counts.leaf_pairs += 1;
            self.bound = visit([below.index(); 2], [next.begin, next.end]).min(self.bound);
            return;
        }
        let node = below.index();
        for lane in 0..tree.tree.nodes[node as usize].len() as u32 {
            let place = node * WIDTH as u32 + lane;
            self.stack.push(Waiting { places: [place; 2], ..next });
            self.open(1, node, Waiting { places: [place; 2], ..next }, lane as usize + 1);
        }
    }

    /// Has the children of a node of `side`, from a lane on, passed by the pair's box of the other.
    fn open(&mut self, side: usize, node: u32, pair: Waiting, first: usize) {
        let mut room = None;
        let children = self.trees[side].boxes().node(node, &mut room);
        let (middle, found) = self.pass(side, (node, children), &pair);
        let mut order = [(0.0f32, 0.0f32, 0u32); WIDTH];
        let mut count = 0;
        for lane in first..children.len() {
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

    /// Has the children of a node of `side` passed by the pair's box of the other; gives the time that is counted from, and for each child when it may be met.
    fn pass(&mut self, side: usize, (node, children): (u32, &Node), pair: &Waiting) -> (f64, Intervals) {
        let other = 1 - side;
        let passing = self.trees[other].boxes().box_at(pair.places[other]);
        let level = self.trees[0].simd();
        let both_rigid = self.trees.iter().all(|tree| matches!(tree, MovingTree::Rigid(_)));
        let is_straight = self.path.is_linear() && both_rigid;
        let mut middle = 0.5 * (pair.begin + pair.end);
        let placed = (!is_straight).then(|| {
            let (time, placed) = self.frames.near(middle);
            middle = time;
            placed
        });
        // Both ends, of a time that was rounded.
        let half = (middle - pair.begin).max(pair.end - middle);
        let range = self.speed * half;
        let within = [-round_up(half), round_up(half)];
        self.counts.wide_tests += 1;
        let found = if let Some(PlacedPair { frame, twists, seen, .. }) = placed {
            let own = Side::BOTH[side];
            let seen = &seen[side];
            let drift = frame.rotation[other] * self.trees[other].drift(pair.places[other]);
            let place = frame.place_f64(own.other(), &passing.center.map(f64::from).into()).coords;
            let center = place + drift * middle;
            let velocity = twists[other].at(&center) + drift - twists[side].velocity;
            let velocity = frame.rotation[side].tr_mul(&velocity).map(|x| x as f32).into();
            let aside: [f64; 3] = frame.rotation[side].tr_mul(&(drift * middle)).into();
            let strays = self.sides[other].stray_of(&passing, half) + self.sides[side].arc(half);
            let growth = round_up(strays + self.growth);
            match self.trees[side] {
                MovingTree::Rigid(_) => {
                    let turn = &self.sides[side];
                    let course = Turning {
                        velocity,
                        growth,
                        turn: turn.at(frame, twists, side).map(|x| x as f32).into(),
                        center: turn.center.map(|x| x as f32).into(),
                        stray: turn.stray(half).map(|x| round_up(x * (1.0 + 1e-6))),
                    };
                    let aim = seen.aim(&passing, aside, range);
                    simd::run(level, Pass { aim: &aim, node: children, course, within })
                }
                MovingTree::Deforming(deforming) => {
                    let drift = &deforming.drifts[node as usize];
                    let course = Drifting { velocity, growth, drift, time: middle as f32 };
                    let aim = seen.aim(&passing, aside, range.max(self.speed));
                    simd::run(level, Pass { aim: &aim, node: children, course, within })
                }
            }
        } else {
            let to_local = self.start.rotation[side];
            // To B's nodes it is A that moves, the other way.
            let way = to_local.tr_mul(&self.path.relative_way()) * if side == 0 { 1.0 } else { -1.0 };
            let aim = self.seen[side].aim(&passing, (way * middle).into(), range);
            let course = Straight(way.map(|x| x as f32).into());
            // What strays from the line counts as the box's size.
            let aim = aim.grown(round_up(self.growth));
            simd::run(level, Pass { aim: &aim, node: children, course, within })
        };
        (middle, found)
    }
}
