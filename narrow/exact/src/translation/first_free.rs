//! The first free shift of B along a direction, and what it had to pass last.

use impinge_geometry::{PairFrame, Side, SimdLevel};
use impinge_midphase::ObbTree;
use impinge_midphase::obb_tree::{
    self, Course, LEAF_TRIANGLES, LeafInterval, LeafRoom, Obstacle, RayScratch, SweepCounts, SweepScratch,
};
use nalgebra::{Point3, Vector3};

use super::balls::BallBounds;
use super::filter::{self, Apart};
use super::ray::first_crossing;
use super::solid_intervals::SolidIntervals;
use super::triangles::{Swept, interval};
use crate::containment::{ContainmentScratch, sliding_vertex_inside};
use crate::distance::triangle_gap;
use crate::intersect::Surfaces;

/// Part of the bodies' size by which a first free shift may be off; gaps that are no wider are none.
pub const TOLERANCE: f64 = 1e-9;

/// Part of the smaller body's reach by which what B touches without entering it may be passed.
pub const NUDGE: f64 = 1e-7;

/// How far B must move along a direction until it is free of A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clearance {
    /// The first free shift (m); where the search was bounded and this is not less, how far B is known not to be free.
    pub length: f64,
    /// Unit, at less than 90° to the direction: the common plane of the places that B passed last. B, anywhere short of that
    /// plane near there, still touches them. `None` where B is free from the start.
    pub normal: Option<Vector3<f64>>,
    /// The triangles that it passed last.
    pub triangles: Option<[u32; 2]>,
    /// Where on A and on B, as it stands, they part (m, pair frame).
    pub points: [Point3<f64>; 2],
}

/// What a search reuses from pair to pair.
#[derive(Debug, Default)]
pub struct ClearanceScratch {
    sweep: SweepScratch,
    containment: ContainmentScratch,
    rays: RayScratch,
    leaves: [Leaf; 2],
    intervals: SolidIntervals,
    balls: BallBounds,
    /// The box of a primitive that is on its way.
    pub(super) primitive_box: Option<ObbTree>,
    /// Counts of all searches since it was made.
    pub counts: SweepCounts,
    /// At how many tests the budget is spent, where there is one.
    spent_at: Option<u64>,
}

impl ClearanceScratch {
    /// Begins a budget of so many tests, of boxes against nodes and of pairs of leaves.
    pub fn allow(&mut self, tests: u64) {
        self.spent_at = Some(self.tests().saturating_add(tests));
    }

    /// Whether the budget is spent. No search is ended by it: whoever makes many asks between them.
    pub fn is_spent(&self) -> bool {
        self.spent_at.is_some_and(|tests| self.tests() >= tests)
    }

    fn tests(&self) -> u64 {
        self.counts.wide_tests + self.counts.leaf_pairs
    }

    /// Has [`ClearanceScratch::ball_bound`] speak of two bodies; as far as it is to be asked first (m), or `None` where it has nothing to say
    /// of them.
    pub fn start_balls(&mut self, surfaces: &Surfaces<'_>) -> Option<f64> {
        self.balls.start(surfaces, nudge(surfaces))
    }

    /// Has it speak of translations no longer than `limit` (m).
    pub fn extend_balls(&mut self, limit: f64) {
        self.balls.extend(limit);
    }

    /// How far B must move along a direction (unit) at least (m) by the balls in both bodies, where it is known not to be free before
    /// `from` (m); what is `enough` (m) or more may be longer still.
    pub fn ball_bound(&self, direction: &Vector3<f64>, [from, enough]: [f64; 2]) -> f64 {
        self.balls.bound(direction, [from, enough])
    }

    /// What a search among boxes, one for a ray's crossing, and one along a line reuse.
    pub(super) fn buffers(&mut self) -> (&mut SweepScratch, &mut RayScratch, &mut SolidIntervals) {
        (&mut self.sweep, &mut self.rays, &mut self.intervals)
    }
}

/// Where B is first free of A when it moves along `direction` (unit, pair frame), from a shift `from` (m) before which it is
/// known not to be; the search ends where that is `bound` (m) or more. Virtual faces are in the way like all others.
///
/// What slides along a wall without entering it is not held by it: B counts as free where it is once it is nudged aside
/// by [`NUDGE`].
pub fn clearance(
    surfaces: &Surfaces<'_>,
    direction: &Vector3<f64>,
    from: f64,
    bound: f64,
    scratch: &mut ClearanceScratch,
) -> Clearance {
    if !is_reversed(surfaces) {
        return ordered(surfaces, direction, [from, bound], scratch);
    }
    let frame = surfaces.frame.swapped();
    ordered(&exchanged(surfaces, &frame), &-direction, [from, bound], scratch).exchanged()
}

/// Two surfaces as B and A; `frame` is theirs, swapped.
pub(super) fn exchanged<'a>(surfaces: &Surfaces<'a>, frame: &'a PairFrame) -> Surfaces<'a> {
    let ([a, b], [of_a, of_b]) = (surfaces.meshes, surfaces.trees);
    Surfaces { meshes: [b, a], trees: [of_b, of_a], frame }
}

impl Clearance {
    /// The same of A that moves the other way.
    pub(super) fn exchanged(self) -> Clearance {
        let ([a, b], triangles) = (self.points, self.triangles.map(|[a, b]| [b, a]));
        Clearance { normal: self.normal.map(|n| -n), triangles, points: [b, a], ..self }
    }
}

/// Whether a search is made with the bodies exchanged, so that it does not matter which of them is called A.
pub fn is_reversed(surfaces: &Surfaces<'_>) -> bool {
    let [a, b] = surfaces.meshes.map(|mesh| mesh.triangle_bound() as usize);
    let apart = surfaces.frame.offset[1] - surfaces.frame.offset[0];
    let first = apart.iter().copied().find(|x| *x != 0.0).unwrap_or(0.0);
    a > b || a == b && first < 0.0
}

/// As [`clearance`], of bodies in an order that is fixed.
fn ordered(
    surfaces: &Surfaces<'_>,
    direction: &Vector3<f64>,
    [from, bound]: [f64; 2],
    scratch: &mut ClearanceScratch,
) -> Clearance {
    let (mut found, grazed) = swept(surfaces, direction, [from, bound], scratch);
    if !grazed {
        return found;
    }
    let nudge = nudge(surfaces);
    for corner in 0..8u32 {
        let aside = Vector3::new(1.0, 0.9, 0.8);
        let aside = Vector3::from_fn(|k, _| if corner >> k & 1 == 0 { aside[k] } else { -aside[k] });
        let mut frame = *surfaces.frame;
        frame.offset[Side::B.index()] += aside * nudge;
        let nudged = Surfaces { frame: &frame, ..*surfaces };
        let other = swept(&nudged, direction, [from, found.length], scratch).0;
        if other.length < found.length - nudge {
            found = other;
        }
    }
    found
}

/// How far B is nudged aside (m), along each axis.
fn nudge(surfaces: &Surfaces<'_>) -> f64 {
    let reach = surfaces.trees.map(|tree| tree.reach());
    NUDGE * reach[0].min(reach[1])
}

/// As [`clearance`], with all that B touches in the way; and whether some of it was no more than grazed.
fn swept(
    surfaces: &Surfaces<'_>,
    direction: &Vector3<f64>,
    [from, bound]: [f64; 2],
    scratch: &mut ClearanceScratch,
) -> (Clearance, bool) {
    let tolerance = tolerance(surfaces);
    let ClearanceScratch { sweep, containment, rays, leaves, intervals, counts, .. } = scratch;
    leaves.iter_mut().for_each(|leaf| leaf.leaf = None);
    let course = Course { direction: *direction, from, bound, tolerance };
    let mut passing = Passing {
        surfaces,
        direction,
        tolerance,
        apart: Apart::new(surfaces.frame, direction),
        level: surfaces.trees[0].simd(),
        last: None,
        grazed: false,
        buffers: (containment, rays),
        leaves,
        intervals,
        from,
        bound,
        lines_left: MOST_LINES,
        idle_lines: 0,
        inside_tests: 0,
        small_steps: 0,
    };
    let length = obb_tree::first_free(surfaces.trees, surfaces.frame, &course, sweep, &mut passing, counts);
    (Last::clearance(passing.last, surfaces, direction, length), passing.grazed)
}

/// By how much a first free shift of two surfaces may be off (m).
pub(super) fn tolerance(surfaces: &Surfaces<'_>) -> f64 {
    let reach = surfaces.trees.map(|tree| tree.reach());
    TOLERANCE * reach[0].min(reach[1])
}

/// The triangles that raised the shift last.
#[derive(Clone, Copy)]
pub(super) struct Last {
    pub axis: Vector3<f64>,
    pub triangles: [u32; 2],
}

impl Last {
    /// A first free shift (m) that these, if any, have raised last.
    pub fn clearance(
        last: Option<Last>,
        surfaces: &Surfaces<'_>,
        direction: &Vector3<f64>,
        length: f64,
    ) -> Clearance {
        Clearance {
            length,
            normal: last.and_then(|last| last.axis.try_normalize(0.0)),
            triangles: last.map(|last| last.triangles),
            points: last.map_or([Point3::origin(); 2], |last| last.points(surfaces, direction, length)),
        }
    }

    /// Where B leaves A when it has moved by `length` (m).
    fn points(&self, surfaces: &Surfaces<'_>, direction: &Vector3<f64>, length: f64) -> [Point3<f64>; 2] {
        let moved = direction * length;
        let [a, b] = Side::BOTH.map(|side| {
            let corners = surfaces.meshes[side.index()].corners(self.triangles[side.index()]);
            corners.map(|p| surfaces.frame.place(side, &p))
        });
        let [on_a, on_b] = triangle_gap(&a, &b.map(|p| p + moved)).points;
        [on_a, on_b - moved]
    }
}

/// The triangles of a leaf.
#[derive(Debug)]
struct Leaf {
    leaf: Option<u32>,
    /// For leaves whose triangles are computed.
    room: LeafRoom,
    /// Those that were looked at, where they stand, by bit of `known`: the filter leaves few.
    swept: [Swept; LEAF_TRIANGLES],
    known: u32,
}

impl Default for Leaf {
    fn default() -> Leaf {
        Leaf { leaf: None, room: LeafRoom::NEW, swept: [Swept::NONE; LEAF_TRIANGLES], known: 0 }
    }
}

impl Leaf {
    /// Begins with another leaf.
    fn enter(&mut self, leaf: u32) {
        if self.leaf != Some(leaf) {
            (self.leaf, self.known) = (Some(leaf), 0);
        }
    }

    /// Makes a triangle ready to be passed.
    fn make(&mut self, surfaces: &Surfaces<'_>, side: Side, leaf: u32, at: usize) {
        if self.known >> at & 1 == 0 {
            self.known |= 1 << at;
            let k = side.index();
            let number = surfaces.trees[k].leaf_triangles(leaf)[at];
            let corners = surfaces.meshes[k].corners(number).map(|p| surfaces.frame.place(side, &p));
            self.swept[at] = Swept::new(number, corners);
        }
    }
}

/// B on its way.
struct Passing<'s> {
    surfaces: &'s Surfaces<'s>,
    direction: &'s Vector3<f64>,
    tolerance: f64,
    /// As the leaves see it.
    apart: Apart,
    level: SimdLevel,
    last: Option<Last>,
    grazed: bool,
    buffers: (&'s mut ContainmentScratch, &'s mut RayScratch),
    leaves: &'s mut [Leaf; 2],
    intervals: &'s mut SolidIntervals,
    /// The shift from which the search goes on, and that at which it may end (m).
    from: f64,
    bound: f64,
    /// Lines that may still be looked along, and how many in a row were of little use.
    lines_left: u32,
    idle_lines: u32,
    inside_tests: u32,
    /// Steps in a row with which a body inside the other came no farther than the tolerance.
    small_steps: u32,
}

/// Such steps grow to so many doublings of the tolerance at most.
const MOST_DOUBLINGS: u32 = 10;

/// Lines that are looked along in a search, at most.
const MOST_LINES: u32 = 24;

/// … and how many that gain little end that. More cost time where surfaces slide along each other.
const IDLE_LINES: u32 = 4;

/// A line gains little where it raises the shift by less than this part of it.
const LINE_GAIN: f64 = 0.01;

/// Part of the smaller body's reach by which a line is moved aside from a contact place, which mostly lies on an edge.
const ASIDE: f64 = 1e-5;

/// Triangles that begin to be in the way so many times the tolerance beyond a shift are not in the way there.
const BEYOND: f64 = 2.0;

/// What is taken off how far they are known not to be (part of it): more than what `f64` rounds.
const LEAST_BEGIN: f64 = 1e-9;

/// Bodies in bodies in bodies: so many in a row are enough.
pub(super) const NESTED: u32 = 64;

impl Passing<'_> {
    /// Raises the shift to where the line through the place that was passed last has let B pass.
    fn look_along(&mut self, until: &mut f64) {
        let Some(last) = self.last.filter(|_| self.lines_left > 0 && *until < self.bound) else { return };
        self.lines_left -= 1;
        let [on_a, _] = last.points(self.surfaces, self.direction, *until);
        let reach = self.surfaces.trees.map(|tree| tree.reach());
        let aside = Vector3::new(1.0, -0.7, 0.4) * (ASIDE * reach[0].min(reach[1]));
        let (_, rays) = &mut self.buffers;
        let line = (&(on_a + aside), self.direction);
        let found = self.intervals.ask(self.surfaces, line, rays, |line| line.pass(*until));
        let gained = found.map_or(0.0, |passed| passed - *until);
        if gained > LINE_GAIN * *until {
            self.idle_lines = 0;
        } else {
            self.idle_lines += 1;
            if self.idle_lines == IDLE_LINES {
                self.lines_left = 0;
            }
        }
        if gained > 0.0 {
            *until += gained;
            // Which triangles part there is not known; where the search goes on, it comes to them.
            self.last = None;
        }
    }
}

impl Obstacle for Passing<'_> {
    fn leaves(&mut self, [a, b]: [u32; 2], shift: f64, end: f64) -> LeafInterval {
        let [of_a, of_b] = &mut *self.leaves;
        of_a.enter(a);
        of_b.enter(b);
        let rows = {
            let [tree_a, tree_b] = self.surfaces.trees;
            [tree_a.leaf_rows(a, &mut of_a.room), tree_b.leaf_rows(b, &mut of_b.room)]
        };
        let range = ([shift, end - shift], BEYOND * self.tolerance);
        let left = filter::open_rows([&rows[0], &rows[1]], &self.apart, range, self.level);
        let mut found = LeafInterval::free(shift);
        if left.pairs == left.later {
            // Where exactly they begin is of use only once the shift has come near.
            if left.pairs != 0 {
                found.next = shift + left.next * (1.0 - LEAST_BEGIN);
                found.unknown = left.pairs;
            }
            return found;
        }
        let mut open = left.pairs;
        // A pair that the shift has not come to when it is looked at may be reached by another's end.
        let mut begins = [[f64::INFINITY; LEAF_TRIANGLES]; LEAF_TRIANGLES];
        while open != 0 {
            let bit = open.trailing_zeros() as usize;
            open &= open - 1;
            let [i, j] = [bit / LEAF_TRIANGLES, bit % LEAF_TRIANGLES];
            of_a.make(self.surfaces, Side::A, a, i);
            of_b.make(self.surfaces, Side::B, b, j);
            let (p, q) = (&of_a.swept[i], &of_b.swept[j]);
            let Some(own) = interval([p, q], self.direction, found.until, self.tolerance) else { continue };
            if own.begin > found.until + self.tolerance {
                begins[i][j] = own.begin;
                continue;
            }
            found.until = own.end;
            // What begins to be in the way just where the search does is no more than touched there.
            self.grazed |= own.grazing || (own.begin - self.from).abs() <= self.tolerance;
            self.last = Some(Last { axis: own.axis, triangles: [p.triangle, q.triangle] });
        }
        if found.until > shift {
            self.look_along(&mut found.until);
        }
        found.next = begins.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        found
    }

    fn first_begin(&mut self, [a, b]: [u32; 2], mut unknown: u32, shift: f64) -> f64 {
        let [of_a, of_b] = &mut *self.leaves;
        of_a.enter(a);
        of_b.enter(b);
        let mut begin = f64::INFINITY;
        while unknown != 0 {
            let bit = unknown.trailing_zeros() as usize;
            unknown &= unknown - 1;
            let [i, j] = [bit / LEAF_TRIANGLES, bit % LEAF_TRIANGLES];
            of_a.make(self.surfaces, Side::A, a, i);
            of_b.make(self.surfaces, Side::B, b, j);
            let own = interval([&of_a.swept[i], &of_b.swept[j]], self.direction, shift, self.tolerance);
            begin = own.map_or(begin, |own| begin.min(own.begin));
        }
        begin
    }

    fn inside(&mut self, shift: f64) -> Option<f64> {
        self.inside_tests += 1;
        if self.inside_tests > NESTED {
            return None;
        }
        let mut frame: PairFrame = *self.surfaces.frame;
        frame.offset[Side::B.index()] += self.direction * (shift + self.tolerance);
        let input = Surfaces { frame: &frame, ..*self.surfaces };
        let (containment, rays) = &mut self.buffers;
        let (side, vertex) = sliding_vertex_inside(&input, containment)?;
        let (own, other) = (side.index(), side.other().index());
        let at = frame.place(side, &input.meshes[own].vertex(vertex));
        let away = if side == Side::B { *self.direction } else { -self.direction };
        let body = (input.meshes[other], input.trees[other]);
        // To just before the wall, where the surfaces cross, or from just there to beyond it: rounding may have put a vertex
        // that is about to leave on either side.
        let on = first_crossing(body, &frame, side.other(), &at, &away, rays).unwrap_or(0.0);
        self.small_steps = if on > 2.0 * self.tolerance { 0 } else { self.small_steps + 1 };
        let step = self.tolerance * f64::from(1u32 << self.small_steps.min(MOST_DOUBLINGS));
        Some(shift + step.max(on - self.tolerance))
    }
}
