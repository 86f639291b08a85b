//! Bounds of the first free shift by single lines.

use impinge_geometry::Side;
use nalgebra::{Point3, Vector3};

use super::first_free::ClearanceScratch;
use super::ray::first_crossing;
use super::solid_intervals::{ROUNDING, SolidIntervals};
use crate::containment::point_inside;
use crate::intersect::Surfaces;

/// Whether a point (m, pair frame) is inside both bodies, exactly.
pub fn is_common(surfaces: &Surfaces<'_>, p: &Point3<f64>) -> bool {
    Side::BOTH.into_iter().all(|side| {
        let k = side.index();
        point_inside(surfaces.meshes[k], surfaces.trees[k], surfaces.frame, side, p)
    })
}

/// How far B must move along `direction` (unit) at least (m), and how far against it, by the line through a point that is
/// inside both bodies. Of a field that is much larger than the other body no more is looked at than the shorter of both asks for: the longer may
/// be longer still.
pub fn line_bounds(
    surfaces: &Surfaces<'_>,
    p: &Point3<f64>,
    direction: &Vector3<f64>,
    scratch: &mut ClearanceScratch,
) -> [f64; 2] {
    let (_, search, intervals) = scratch.buffers();
    let shorter = |intervals: &SolidIntervals| intervals.pass(0.0).min(intervals.pass_back());
    if intervals.ask(surfaces, (p, direction), search, shorter).is_some() {
        return [intervals.pass(0.0), intervals.pass_back()];
    }
    // The line meets an edge: as far as the first surface at least.
    let mut from = |side: Side, direction: &Vector3<f64>| {
        let body = (surfaces.meshes[side.index()], surfaces.trees[side.index()]);
        first_crossing(body, surfaces.frame, side, p, direction, search).unwrap_or(0.0)
    };
    let mut both =
        |direction: &Vector3<f64>| (from(Side::A, direction) + from(Side::B, &-direction)) * (1.0 - ROUNDING);
    [both(direction), both(&-direction)]
}

/// How far B must move along `direction` (unit) at least (m), by the line through any point `p` (m, pair frame), where it is known
/// not to be free before `from` (m). What is `enough` (m) or more may be longer still.
pub fn line_bound_from(
    surfaces: &Surfaces<'_>,
    p: &Point3<f64>,
    direction: &Vector3<f64>,
    [from, enough]: [f64; 2],
    scratch: &mut ClearanceScratch,
) -> f64 {
    let (_, search, intervals) = scratch.buffers();
    let known = intervals.ask(surfaces, (p, direction), search, |line| line.pass(from).min(enough));
    known.map_or(from, |_| intervals.pass(from))
}
