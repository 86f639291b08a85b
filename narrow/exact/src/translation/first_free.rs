//! The first free shift of B along a direction, and what it had to pass last.

use impinge_geometry::{PairFrame, Side};
use impinge_midphase::obb_tree::{
    self, Course, LEAF_TRIANGLES, LeafStretch, LineScratch, Obstacle, SweepCounts, SweepScratch,
};
use nalgebra::{Point3, Vector3};

use super::ray::first_crossing;
use super::triangles::{Swept, interval};
use crate::containment::{ContainmentScratch, sliding_vertex_inside};
use crate::intersect::Surfaces;

/// Part of the bodies' size by which a first free shift may be off; gaps that are no wider are none.
pub const TOLERANCE: f64 = 1e-9;

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
    /// Where they are, B moved by the length (m, pair frame).
    pub place: Point3<f64>,
}

/// What a search reuses from pair to pair.
#[derive(Debug, Default)]
pub struct ClearanceScratch {
    sweep: SweepScratch,
    containment: ContainmentScratch,
    candidates: Vec<u32>,
    lines: LineScratch,
    leaves: [Leaf; 2],
    /// Counts of all searches since it was made.
    pub counts: SweepCounts,
}

/// Where B is first free of A when it moves along `direction` (unit, pair frame), from a shift `from` (m) before which it is
/// known not to be; the search ends where that is `bound` (m) or more. Made-up faces are in the way like all others.
pub fn clearance(
    surfaces: &Surfaces<'_>,
    direction: &Vector3<f64>,
    from: f64,
    bound: f64,
    scratch: &mut ClearanceScratch,
) -> Clearance {
    let reach = surfaces.trees.map(|tree| tree.reach());
    let tolerance = TOLERANCE * reach[0].min(reach[1]);
    let ClearanceScratch { sweep, containment, candidates, lines, leaves, counts } = scratch;
    leaves.iter_mut().for_each(|leaf| leaf.leaf = None);
    let course = Course { direction: *direction, from, bound, tolerance };
    let mut passing = Passing {
        surfaces,
        direction,
        tolerance,
        last: None,
        buffers: (containment, candidates, lines),
        leaves,
        inside_tests: 0,
    };
    let length = obb_tree::first_free(surfaces.trees, surfaces.frame, &course, sweep, &mut passing, counts);
    let last = passing.last;
    Clearance {
        length,
        normal: last.and_then(|last| last.axis.try_normalize(0.0)),
        triangles: last.map(|last| last.triangles),
        place: last.map_or_else(Point3::origin, |last| last.place),
    }
}

/// The triangles that raised the shift last.
#[derive(Clone, Copy)]
struct Last {
    axis: Vector3<f64>,
    triangles: [u32; 2],
    place: Point3<f64>,
}

/// The triangles of a leaf where they stand.
#[derive(Debug)]
struct Leaf {
    leaf: Option<u32>,
    count: usize,
    triangles: [Swept; LEAF_TRIANGLES],
}

impl Default for Leaf {
    fn default() -> Leaf {
        Leaf { leaf: None, count: 0, triangles: [Swept::NONE; LEAF_TRIANGLES] }
    }
}

impl Leaf {
    fn place(&mut self, surfaces: &Surfaces<'_>, side: Side, leaf: u32) {
        if self.leaf == Some(leaf) {
            return;
        }
        let k = side.index();
        let own = surfaces.trees[k].leaf_triangles(leaf);
        (self.leaf, self.count) = (Some(leaf), own.len().min(LEAF_TRIANGLES));
        for (to, &t) in self.triangles.iter_mut().zip(own) {
            *to = Swept::new(t, surfaces.meshes[k].corners(t).map(|p| surfaces.frame.place(side, &p)));
        }
    }
}

/// B on its way.
struct Passing<'s> {
    surfaces: &'s Surfaces<'s>,
    direction: &'s Vector3<f64>,
    tolerance: f64,
    last: Option<Last>,
    buffers: (&'s mut ContainmentScratch, &'s mut Vec<u32>, &'s mut LineScratch),
    leaves: &'s mut [Leaf; 2],
    inside_tests: u32,
}

/// Bodies in bodies in bodies: so many in a row are enough.
const NESTED: u32 = 64;

impl Obstacle for Passing<'_> {
    fn leaves(&mut self, a: u32, b: u32, shift: f64) -> LeafStretch {
        for (side, leaf) in [(Side::A, a), (Side::B, b)] {
            self.leaves[side.index()].place(self.surfaces, side, leaf);
        }
        let [of_a, of_b] = &*self.leaves;
        let mut found = LeafStretch { until: shift, next: f64::INFINITY };
        // A pair that the shift has not come to when it is looked at may be reached by another's end.
        let mut begins = [[f64::INFINITY; LEAF_TRIANGLES]; LEAF_TRIANGLES];
        for (i, p) in of_a.triangles[..of_a.count].iter().enumerate() {
            for (j, q) in of_b.triangles[..of_b.count].iter().enumerate() {
                let Some(own) = interval([p, q], self.direction, found.until, self.tolerance) else {
                    continue;
                };
                if own.begin > found.until + self.tolerance {
                    begins[i][j] = own.begin;
                    continue;
                }
                found.until = own.end;
                let place = nalgebra::center(&p.corners[0], &q.corners[0]);
                self.last = Some(Last { axis: own.axis, triangles: [p.triangle, q.triangle], place });
            }
        }
        found.next = begins.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        found
    }

    fn inside(&mut self, shift: f64) -> Option<f64> {
        self.inside_tests += 1;
        if self.inside_tests > NESTED {
            return None;
        }
        let mut frame: PairFrame = *self.surfaces.frame;
        frame.offset[Side::B.index()] += self.direction * (shift + self.tolerance);
        let input = Surfaces { frame: &frame, ..*self.surfaces };
        let (containment, candidates, lines) = &mut self.buffers;
        let (side, vertex) = sliding_vertex_inside(&input, containment)?;
        let (own, other) = (side.index(), side.other().index());
        let at = frame.place(side, &input.meshes[own].vertices()[vertex as usize]);
        let away = if side == Side::B { *self.direction } else { -self.direction };
        let body = (input.meshes[other], input.trees[other]);
        let on = first_crossing(body, &frame, side.other(), &at, &away, (candidates, lines))?;
        Some(shift + on.max(self.tolerance))
    }
}
