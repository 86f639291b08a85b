//! A bound of the first free shift by one line.

use impinge_geometry::Side;
use nalgebra::{Point3, Vector3};

use super::first_free::ClearanceScratch;
use super::ray::first_crossing;
use crate::containment::point_inside;
use crate::intersect::Surfaces;

/// What rounding may make of a line's lengths (part of them).
const ROUNDING: f64 = 1e-9;

/// Whether a point (m, pair frame) is inside both bodies, exactly.
pub fn is_common(surfaces: &Surfaces<'_>, p: &Point3<f64>) -> bool {
    Side::BOTH.into_iter().all(|side| {
        let k = side.index();
        point_inside(surfaces.meshes[k], surfaces.trees[k], surfaces.frame, side, p)
    })
}

/// How far B must move along `direction` (unit) at least (m): on the line through a point that is inside both bodies, B's
/// interval that holds it is in A's until its beginning has come to the end of A's.
pub fn line_bound(
    surfaces: &Surfaces<'_>,
    p: &Point3<f64>,
    direction: &Vector3<f64>,
    scratch: &mut ClearanceScratch,
) -> f64 {
    let (_, (candidates, lines)) = scratch.buffers();
    let mut from = |side: Side, direction: &Vector3<f64>| {
        let body = (surfaces.meshes[side.index()], surfaces.trees[side.index()]);
        first_crossing(body, surfaces.frame, side, p, direction, (candidates, lines)).unwrap_or(0.0)
    };
    (from(Side::A, direction) + from(Side::B, &-direction)) * (1.0 - ROUNDING)
}
