//! The first free shift of a surface and a primitive without triangles.
//!
//! The distance of two convex bodies is a convex function of the shift: a triangle touches a
//! primitive during one interval. A round primitive has its ends in closed form. For other
//! primitives, halving finds the end of an interval that holds the shift; for later ones, golden
//! sections find where the two are nearest, and halving finds the beginning.

use impinge_convex::{
    Placed, closest_on_triangle, latest_shift, nearest_on_triangle, touches_triangle, touching_shifts,
};
use impinge_geometry::{Obb, PairFrame, Primitive, Side};
use impinge_midphase::obb_tree::{self, Course, LeafInterval, Obstacle, RayScratch, SweepCounts};
use nalgebra::{Matrix3, Point3, Vector3};

use super::first_free::{Clearance, ClearanceScratch, TOLERANCE};
use super::ray::first_crossing;
use crate::containment::point_inside;
use crate::mesh_solid::MeshSolid;

/// Halvings of an interval's end: more than the digits of a number.
const HALVINGS: u32 = 60;

/// By how much gaps are off (part of them), generously.
const ROUNDING: f64 = 1e-6;

/// The shortest step towards a triangle (part of the smaller body's reach).
const STEP: f64 = 1e-6;

/// As [`super::clearance`], for a surface and a primitive that has an end; `None` for a half-space.
pub fn solid_clearance(
    pair: &MeshSolid<'_>,
    direction: &Vector3<f64>,
    from: f64,
    bound: f64,
    scratch: &mut ClearanceScratch,
) -> Option<Clearance> {
    if matches!(pair.primitive, Primitive::HalfSpace) {
        return None;
    }
    let half = pair.primitive.aabb().max;
    let mut solid = scratch.primitive_box.take().unwrap_or_default();
    solid.set_box(&Obb { center: Point3::origin(), axes: Matrix3::identity(), half });
    let trees = match pair.mesh {
        Side::A => [&*pair.surface.tree, &solid],
        Side::B => [&solid, &*pair.surface.tree],
    };
    let size = trees[0].reach().min(trees[1].reach());
    let course = Course { direction: *direction, from, bound, tolerance: TOLERANCE * size };
    let (sweep, rays, _) = scratch.buffers();
    let towards = pair.rotation().tr_mul(direction);
    let own = if pair.mesh == Side::A { towards } else { -towards };
    let reach = Placed::at_origin(pair.primitive).reach(&own);
    let mut passing =
        Passing { pair, direction, course: own, reach, size, bound, last: None, rays, inside_tests: 0 };
    let mut counts = SweepCounts::default();
    let length = match passing.holder(from, &mut counts) {
        Some(triangle) => {
            passing.last = Some(triangle);
            passing.end(triangle, bound)
        }
        None => obb_tree::first_free(trees, pair.frame, &course, sweep, &mut passing, &mut counts),
    };
    let last = passing.last.map(|triangle| passing.parting(triangle, length));
    scratch.counts += counts;
    scratch.primitive_box = Some(solid);
    Some(Clearance {
        length,
        normal: last.map(|(normal, _)| normal),
        triangles: None,
        points: last.map_or([Point3::origin(); 2], |(_, points)| points),
    })
}

/// B on its way.
struct Passing<'s> {
    pair: &'s MeshSolid<'s>,
    direction: &'s Vector3<f64>,
    /// The primitive's way past the surface, in its own frame (unit), and how far it reaches along
    /// it (m).
    course: Vector3<f64>,
    reach: f64,
    size: f64,
    /// What begins there or later is not asked for (m).
    bound: f64,
    last: Option<u32>,
    rays: &'s mut RayScratch,
    inside_tests: u32,
}

impl Passing<'_> {
    /// The corners of a triangle in the primitive's frame when B has moved by a shift (m).
    fn corners(&self, triangle: u32, shift: f64) -> [Point3<f64>; 3] {
        let moved = self.direction * if self.pair.mesh == Side::B { shift } else { -shift };
        let corners = self.pair.surface.faces().corners(triangle);
        corners.map(|p| self.pair.to_local(&(self.pair.frame.place(self.pair.mesh, &p) + moved)))
    }

    fn touches(&self, triangle: u32, shift: f64) -> bool {
        touches_triangle(&self.pair.primitive, &self.corners(triangle, shift))
    }

    /// A triangle that holds the primitive all the way from a shift to the bound, if that which is
    /// nearest to it halfway does. What is deep in a surface is held by one along most directions;
    /// a sweep would look at all that is in reach first.
    fn holder(&self, from: f64, counts: &mut SweepCounts) -> Option<u32> {
        if !(from < self.bound && self.bound.is_finite()) {
            return None;
        }
        let halfway = 0.5 * (from + self.bound);
        let mut frame: PairFrame = *self.pair.frame;
        frame.offset[Side::B.index()] += self.direction * halfway;
        let center = Obb { center: Point3::origin(), axes: Matrix3::identity(), half: [0.0; 3] };
        let tree = &self.pair.surface.tree;
        // What is farther touches nowhere.
        let reach = Vector3::from(self.pair.primitive.aabb().max.map(f64::from)).norm() * (1.0 + ROUNDING);
        let (mut nearest, mut least) = (None, reach);
        let found = tree.nearest_to_box(self.pair.mesh, (&center, 0.0), &frame, reach, &mut |leaf| {
            for triangle in tree.leaf_triangles(leaf) {
                let distance =
                    nearest_on_triangle(&self.corners(triangle, halfway), &Point3::origin()).coords.norm();
                if distance < least {
                    (nearest, least) = (Some(triangle), distance);
                }
            }
            least
        });
        counts.wide_tests += found.wide_tests;
        counts.leaf_pairs += found.leaf_pairs;
        nearest.filter(|&triangle| self.touches(triangle, from) && self.touches(triangle, self.bound))
    }

    fn is_round(&self) -> bool {
        !matches!(self.pair.primitive, Primitive::HalfSpace | Primitive::Cuboid { .. })
    }

    /// Returns the shifts (m) at which a triangle touches a round primitive.
    fn interval(&self, triangle: u32) -> Option<[f64; 2]> {
        touching_shifts(&self.pair.primitive, &self.corners(triangle, 0.0), &self.course)
    }

    /// Where a triangle that touches at a shift no longer does.
    fn end(&self, triangle: u32, shift: f64) -> f64 {
        if self.is_round()
            && let Some([_, last]) = self.interval(triangle)
        {
            return last.max(shift);
        }
        let (mut low, mut step) = (shift, self.size);
        while self.touches(triangle, low + step) && step < 1e6 * self.size {
            low += step;
            step *= 2.0;
        }
        let mut high = low + step;
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if self.touches(triangle, middle) { low = middle } else { high = middle }
        }
        high
    }

    /// Returns the shift before `end` at which a triangle that does not touch yet begins to;
    /// infinite if it does not.
    fn begin(&self, triangle: u32, shift: f64, end: f64) -> f64 {
        let gap = |at: f64| closest_on_triangle(&self.pair.primitive, &self.corners(triangle, at)).gap;
        let now = gap(shift);
        // They meet no sooner than that, and never if they part.
        if now.is_nan() || shift + now >= end || gap(shift + 1e-3 * now.max(STEP * self.size)) >= now {
            return f64::INFINITY;
        }
        let (mut low, mut high) = (shift, end);
        let part = 0.5 * (5f64.sqrt() - 1.0);
        let mut inner = [high - part * (high - low), low + part * (high - low)];
        let mut gaps = inner.map(gap);
        for _ in 0..HALVINGS {
            if let Some(met) = inner.into_iter().find(|&at| self.touches(triangle, at)) {
                return self.first(triangle, [shift, met]);
            }
            // A gap closes no faster than B moves.
            if gaps[0].min(gaps[1]) > (1.0 + ROUNDING) * (high - low) {
                return f64::INFINITY;
            }
            if gaps[0] <= gaps[1] {
                high = inner[1];
                inner = [high - part * (high - low), inner[0]];
                gaps = [gap(inner[0]), gaps[0]];
            } else {
                low = inner[0];
                inner = [inner[1], low + part * (high - low)];
                gaps = [gaps[1], gap(inner[1])];
            }
        }
        f64::INFINITY
    }

    /// Between a shift at which a triangle does not touch and a later one at which it does, where
    /// it begins to.
    fn first(&self, triangle: u32, [mut low, mut high]: [f64; 2]) -> f64 {
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if self.touches(triangle, middle) { high = middle } else { low = middle }
        }
        high
    }

    /// The plane, towards B, on which a triangle and the primitive part, and the place on A and on
    /// B.
    fn parting(&self, triangle: u32, shift: f64) -> (Vector3<f64>, [Point3<f64>; 2]) {
        let closest = closest_on_triangle(&self.pair.primitive, &self.corners(triangle, shift));
        let towards_mesh = self.pair.rotation() * closest.normal;
        let moved = self.direction * shift;
        let [on_mesh, on_solid] =
            [closest.on_triangle, closest.on_primitive()].map(|p| self.pair.to_frame(&p));
        match self.pair.mesh {
            // `corners` brought the mesh to a B that stands still.
            Side::A => (-towards_mesh, [on_mesh + moved, on_solid]),
            Side::B => (towards_mesh, [on_solid, on_mesh - moved]),
        }
    }
}

impl Obstacle for Passing<'_> {
    fn leaves(&mut self, [a, b]: [u32; 2], shift: f64, end: f64) -> LeafInterval {
        let leaf = if self.pair.mesh == Side::A { a } else { b };
        let mut found = LeafInterval::free(shift);
        let end = end.min(self.bound);
        let surface = self.pair.surface;
        let mut begins = [f64::INFINITY; obb_tree::LEAF_TRIANGLES];
        let is_round = self.is_round();
        for (begin, triangle) in begins.iter_mut().zip(surface.tree.leaf_triangles(leaf)) {
            if is_round {
                let corners = self.corners(triangle, 0.0);
                if latest_shift(self.reach, &corners, &self.course) < found.until {
                    continue;
                }
                let interval = touching_shifts(&self.pair.primitive, &corners, &self.course);
                let Some([first, last]) = interval.filter(|[_, last]| *last > found.until) else { continue };
                if first <= found.until {
                    (found.until, self.last) = (last, Some(triangle));
                } else {
                    *begin = first;
                }
            } else if self.touches(triangle, found.until) {
                found.until = self.end(triangle, found.until);
                self.last = Some(triangle);
            } else {
                *begin = self.begin(triangle, found.until, end);
            }
        }
        found.next = begins.into_iter().fold(f64::INFINITY, f64::min);
        found
    }

    fn inside(&mut self, shift: f64) -> Option<f64> {
        self.inside_tests += 1;
        if self.inside_tests > super::first_free::NESTED {
            return None;
        }
        let mut frame: PairFrame = *self.pair.frame;
        frame.offset[Side::B.index()] += self.direction * (shift + TOLERANCE * self.size);
        let solid = self.pair.mesh.other();
        let center = frame.place_f64(solid, &Point3::origin());
        let surface = self.pair.surface;
        let body = (surface.faces(), &*surface.tree);
        if !point_inside(body.0, body.1, &frame, self.pair.mesh, &center) {
            return None;
        }
        let away = if solid == Side::B { *self.direction } else { -self.direction };
        let on = first_crossing(body, &frame, self.pair.mesh, &center, &away, self.rays).unwrap_or(0.0);
        Some(shift + on.max(STEP * self.size))
    }
}
