//! Translations through trees: how far must B move along a direction until nothing is in its way?
//!
//! The shifts at which two triangles share a point are an interval; the shifts at which the surfaces do are the union
//! of all of them. [`first_free`] finds where the part of the union that holds a shift ends. Depth first, the pair of
//! boxes that may be left last on top: mostly it raises the shift so far that the others are behind it. What begins
//! beyond the shift waits in a heap until the shift has come there. No pair of boxes is opened twice.
//!
//! Source of the idea to bound motions by the same trees: Redon, Kheddar, Coquillart, "Fast Continuous Collision
//! Detection between Rigid Bodies", 2002; the search for the end of a union is ours.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use impinge_geometry::simd;
use impinge_geometry::{PairFrame, Side};
use nalgebra::Vector3;

use super::ObbTree;
use super::moving::{Pass, Seen, Straight};
use super::node::{OrientedBox, WIDTH};

/// The first child of node 0 is the box of the whole mesh.
const ROOT: u32 = 0;

/// A translation of B.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Course {
    /// Unit (pair frame).
    pub direction: Vector3<f64>,
    /// The shift that the search begins with (m, not negative): it is known that B is not free before.
    pub from: f64,
    /// The search ends where the shift has come as far (m).
    pub bound: f64,
    /// Gaps between intervals that are no longer than this are rounding (m).
    pub tolerance: f64,
}

/// What a pair of leaves does to a shift.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeafInterval {
    /// How far the shift must go on account of these triangles: the shift itself where none is in the way.
    pub until: f64,
    /// Where the next of their intervals begins beyond that, if any; otherwise infinite.
    pub next: f64,
    /// Where this is not 0, `next` is no more than a bound below which none of these begins, one bit for each; once the shift
    /// has come there, [`Obstacle::first_begin`] is asked.
    pub unknown: u32,
}

impl LeafInterval {
    /// Nothing is in the way of a shift (m), nor beyond it.
    pub fn free(shift: f64) -> LeafInterval {
        LeafInterval { until: shift, next: f64::INFINITY, unknown: 0 }
    }
}

/// What a search for a free shift cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SweepCounts {
    /// Passes of one box by all children of a node.
    pub wide_tests: u64,
    /// Visits of pairs of leaves.
    pub leaf_pairs: u64,
    /// Questions whether one body is inside the other.
    pub inside_tests: u64,
}

impl std::ops::AddAssign for SweepCounts {
    fn add_assign(&mut self, other: SweepCounts) {
        self.wide_tests += other.wide_tests;
        self.leaf_pairs += other.leaf_pairs;
        self.inside_tests += other.inside_tests;
    }
}

/// What a search reuses from pair to pair.
#[derive(Clone, Debug, Default)]
pub struct SweepScratch {
    stack: Vec<Waiting>,
    later: BinaryHeap<Reverse<Waiting>>,
}

/// A pair of boxes, and the shifts at which they may overlap.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    begin: f64,
    end: f64,
    /// Node · 8 + lane.
    a: u32,
    b: u32,
    /// Where this is not 0, `begin` is a bound below which none of these triangles begins, as it was seen from a shift.
    unknown: u32,
    seen_from: f64,
}

impl Ord for Waiting {
    fn cmp(&self, other: &Waiting) -> std::cmp::Ordering {
        self.begin.total_cmp(&other.begin).then(self.a.cmp(&other.a)).then(self.b.cmp(&other.b))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Waiting) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Waiting) -> bool {
        self.cmp(other) == std::cmp::Ordering::Equal
    }
}

impl Eq for Waiting {}

/// The triangles and bodies that a search asks about.
pub trait Obstacle {
    /// What the triangles of a pair of leaves do to a shift (m); their boxes are behind each other at `end`.
    fn leaves(&mut self, leaves: [u32; 2], shift: f64, end: f64) -> LeafInterval;

    /// Where the first of those triangles of a pair of leaves begins that [`LeafInterval::unknown`] names; it was given for
    /// this shift. Infinite where none does. Who never leaves it unknown need not tell.
    fn first_begin(&mut self, _leaves: [u32; 2], _unknown: u32, shift: f64) -> f64 {
        shift
    }

    /// B, moved by a shift (m), crosses nothing: how far must it go on because one body is inside the other? `None`
    /// where none is.
    fn inside(&mut self, shift: f64) -> Option<f64>;
}

/// The first shift of B along a course, from where the course begins, at which it is free of A; no less than the course's
/// bound where that is reached.
pub fn first_free(
    trees: [&ObbTree; 2],
    frame: &PairFrame,
    course: &Course,
    scratch: &mut SweepScratch,
    obstacle: &mut impl Obstacle,
    counts: &mut SweepCounts,
) -> f64 {
    let [a, b] = trees;
    if a.is_empty() || b.is_empty() {
        return course.from;
    }
    // Farther than this nothing is in the way.
    let far = 2.0 * (a.reach() + b.reach() + (frame.offset[1] - frame.offset[0]).norm()) + course.from;
    let motions = [Side::B, Side::A]
        .map(|from| Translation::new(frame, from, [a.reach(), b.reach()], &course.direction, far));
    let mut search = Search { trees, motions, course, shift: course.from, scratch, counts };
    search.scratch.stack.clear();
    search.scratch.later.clear();
    search.begin(far);
    search.run(obstacle)
}

/// How boxes of one side stand in the frame of the other, and move there.
#[derive(Clone, Debug)]
struct Translation {
    seen: Seen,
    /// Unit.
    direction: [f64; 3],
}

impl Translation {
    /// As boxes of `from` appear to the nodes of the other side while B moves along `direction` (unit, pair frame) by no more
    /// than `far` (m).
    fn new(
        frame: &PairFrame,
        from: Side,
        reach: [f64; 2],
        direction: &Vector3<f64>,
        far: f64,
    ) -> Translation {
        // To B's nodes it is A that moves, the other way.
        let along =
            frame.rotation[from.other().index()].tr_mul(direction) * if from == Side::B { 1.0 } else { -1.0 };
        Translation { seen: Seen::new(frame, from, reach, far), direction: along.into() }
    }
}

/// A search that is going on.
struct Search<'s> {
    trees: [&'s ObbTree; 2],
    /// Boxes of B as A's nodes see them, and boxes of A as B's nodes do.
    motions: [Translation; 2],
    course: &'s Course,
    shift: f64,
    scratch: &'s mut SweepScratch,
    counts: &'s mut SweepCounts,
}

impl Search<'_> {
    /// The pair of the whole meshes.
    fn begin(&mut self, far: f64) {
        let whole = Waiting { begin: 0.0, end: far, a: ROOT, b: ROOT, unknown: 0, seen_from: 0.0 };
        let other = self.trees[1].box_at(ROOT);
        self.pass(0, 0, &other, whole, |lane, w| Waiting { a: lane, ..w });
    }

    /// Raises the shift until nothing is in the way.
    fn run(&mut self, obstacle: &mut impl Obstacle) -> f64 {
        loop {
            self.settle(obstacle);
            if self.shift >= self.course.bound {
                return self.shift;
            }
            self.counts.inside_tests += 1;
            match obstacle.inside(self.shift) {
                Some(until) if until > self.shift => self.shift = until,
                _ => return self.shift,
            }
            self.wake(obstacle);
        }
    }

    /// Raises the shift to the end of the intervals that hold it.
    fn settle(&mut self, obstacle: &mut impl Obstacle) {
        loop {
            while let Some(next) = self.scratch.stack.pop() {
                if self.shift >= self.course.bound {
                    return;
                }
                if next.end > self.shift {
                    self.look(next, obstacle);
                }
            }
            self.wake(obstacle);
            if self.scratch.stack.is_empty() {
                return;
            }
        }
    }

    /// Keeps a pair until the shift has come where it begins, unless the search ends before.
    fn wait(&mut self, pair: Waiting) {
        if pair.begin <= self.course.bound + self.course.tolerance {
            self.scratch.later.push(Reverse(pair));
        }
    }

    /// Takes up what begins where the shift has come.
    fn wake(&mut self, obstacle: &mut impl Obstacle) {
        let reached = self.shift + self.course.tolerance;
        while let Some(Reverse(first)) = self.scratch.later.peek() {
            if first.begin > reached {
                break;
            }
            let Some(Reverse(first)) = self.scratch.later.pop() else { break };
            if first.end <= self.shift {
                continue;
            }
            if first.unknown == 0 {
                self.scratch.stack.push(first);
                continue;
            }
            // So they are taken up in the order in which they begin, not in that of the bounds.
            let [leaf_a, leaf_b] = [self.trees[0].below(first.a), self.trees[1].below(first.b)];
            let begin =
                obstacle.first_begin([leaf_a.index(), leaf_b.index()], first.unknown, first.seen_from);
            if begin < first.end {
                self.wait(Waiting { begin, unknown: 0, ..first });
            }
        }
    }

    /// Looks at a pair that the shift is in.
    fn look(&mut self, pair: Waiting, obstacle: &mut impl Obstacle) {
        let [a, b] = self.trees;
        let (child_a, child_b) = (a.below(pair.a), b.below(pair.b));
        if child_a.is_leaf() && child_b.is_leaf() {
            self.counts.leaf_pairs += 1;
            let seen_from = self.shift;
            let found = obstacle.leaves([child_a.index(), child_b.index()], self.shift, pair.end);
            // Where nothing holds the shift, but something does within the tolerance beyond it, that gap is none. Visited
            // again at the same shift, the pair would come back for ever.
            let held = found.until > self.shift;
            let close = !held && found.next <= self.shift + self.course.tolerance;
            let until = if close { found.next } else { found.until };
            let farther = !close || until > self.shift;
            self.shift = self.shift.max(until);
            if farther && found.next < pair.end {
                self.wait(Waiting { begin: found.next, unknown: found.unknown, seen_from, ..pair });
            }
            return;
        }
        let open_a = child_b.is_leaf() || (!child_a.is_leaf() && a.box_size(pair.a) >= b.box_size(pair.b));
        if open_a {
            self.pass(0, child_a.index(), &b.box_at(pair.b), pair, |at, w| Waiting { a: at, ..w });
        } else {
            self.pass(1, child_b.index(), &a.box_at(pair.a), pair, |at, w| Waiting { b: at, ..w });
        }
    }

    /// Has the children of a node of `side` passed by a box of the other.
    fn pass(
        &mut self,
        side: usize,
        node: u32,
        other: &OrientedBox,
        pair: Waiting,
        place: impl Fn(u32, Waiting) -> Waiting,
    ) {
        let tree = self.trees[side];
        let level = self.trees[0].simd();
        let base = self.shift.max(pair.begin);
        let range = pair.end - base;
        let motion = &self.motions[side];
        let aim = motion.seen.aim(other, motion.direction.map(|x| base * x), range);
        let mut room = None;
        let children = tree.node(node, &mut room);
        self.counts.wide_tests += 1;
        let course = Straight(motion.direction.map(|x| x as f32));
        let found = simd::run(level, Pass { aim: &aim, node: children, course, within: [0.0, range as f32] });
        let mut order = [(0.0f32, 0u32); WIDTH];
        let mut count = 0;
        for lane in 0..children.len() {
            let (begin, end) = (found.begin[lane], found.end[lane]);
            // What ends where the pair does may have been cut short in rounding.
            if begin > end || end < 0.0 {
                continue;
            }
            let at = node * WIDTH as u32 + lane as u32;
            if f64::from(begin) + base > self.shift + self.course.tolerance {
                let waiting =
                    Waiting { begin: base + f64::from(begin), end: self.end(&pair, base, end), ..pair };
                self.wait(place(at, waiting));
                continue;
            }
            let mut k = count;
            while k > 0 && order[k - 1].0 > end {
                order[k] = order[k - 1];
                k -= 1;
            }
            order[k] = (end, at);
            count += 1;
        }
        for &(end, at) in &order[..count] {
            let waiting = Waiting { begin: base, end: self.end(&pair, base, end), ..pair };
            self.scratch.stack.push(place(at, waiting));
        }
    }

    /// Where an interval ends that was cut to the pair's.
    fn end(&self, pair: &Waiting, base: f64, end: f32) -> f64 {
        let end = base + f64::from(end);
        // The range was rounded: its end is the pair's.
        if end >= pair.end - 1e-6 * (pair.end - base) { pair.end } else { end }
    }
}
