//! The minimum translation that separates two bounded convex solids, or their distance.

use impinge_geometry::Primitive;
use nalgebra::Point3;

use crate::contact::{Contact, ROUNDING, perpendicular, size};
use crate::gjk_epa::{Vertex, distance, penetration};
use crate::nearest::{nearest_of_segments, nearest_on_segment};
use crate::order::in_order;
use crate::support::{ConvexShape, Placed};
use crate::{ball, boxes};

/// Cores closer than this part of their size are judged by the expanding polytope, whose normals come
/// from faces: the direction between two nearly equal points has lost its digits.
const CLOSE: f64 = 1e-9;

/// The contact of two convex solids; `None` where they are known to be apart by more than `margin`
/// (m). The same, turned, with A and B exchanged.
pub(crate) fn contact(a: &Placed, b: &Placed, margin: f64) -> Option<Contact> {
    if in_order(a, b) { in_turn(a, b, margin) } else { in_turn(b, a, margin).map(Contact::turned) }
}

fn in_turn(a: &Placed, b: &Placed, margin: f64) -> Option<Contact> {
    if let Some(found) = ball::contact(a, b) {
        return (-found.depth <= margin).then_some(found);
    }
    if let (Some(p), Some(q)) = (core_segment(a), core_segment(b)) {
        return Some(segments(a, b, p, q));
    }
    let mut parted = None;
    if let (
        ConvexShape::Primitive(Primitive::Cuboid { .. }),
        ConvexShape::Primitive(Primitive::Cuboid { .. }),
    ) = (&a.shape, &b.shape)
    {
        let found = boxes::contact(a, b);
        // Within rounding of each other, neither sign says whether they touch.
        if found.depth >= -ROUNDING * size(a, b) {
            return Some(found);
        }
        if -found.depth > margin {
            return None;
        }
        parted = Some(found);
    }
    let gap = distance(a, b);
    if let Some(gap) = &gap {
        let (size, radii) = (size(a, b), a.radius() + b.radius());
        let core = gap.distance + radii;
        // The nearest points bound the distance from above, a plane across their line from below. Where
        // these do not meet, the search for the nearest points has failed.
        let parted = -Vertex::farthest(a, b, &gap.normal).w.dot(&gap.normal) - radii;
        if core > CLOSE * size && gap.distance - parted <= ROUNDING * size.max(core) {
            return (gap.distance <= margin).then_some(Contact {
                normal: gap.normal,
                depth: -gap.distance,
                on_a: gap.on_a,
                on_b: gap.on_b,
            });
        }
    }
    let found = penetration::contact(a, b, gap.map(|g| g.normal));
    // Boxes that an axis parts are apart, whatever else was searched for within a margin.
    Some(parted.filter(|parted| found.depth > parted.depth.max(-ROUNDING * size(a, b))).unwrap_or(found))
}

/// The core of a sphere or capsule as a segment.
fn core_segment(solid: &Placed) -> Option<[Point3<f64>; 2]> {
    match solid.shape {
        ConvexShape::Primitive(Primitive::Sphere { .. }) => Some([solid.center(); 2]),
        ConvexShape::Primitive(Primitive::Capsule { half_height, .. }) => {
            let h = f64::from(half_height);
            Some([Point3::new(0.0, 0.0, -h), Point3::new(0.0, 0.0, h)].map(|p| solid.place(&p)))
        }
        _ => None,
    }
}

/// Spheres and capsules: the nearest points of their axes. Where the axes meet, any direction across
/// both of them frees by the radii alone, and none by less.
fn segments(a: &Placed, b: &Placed, p: [Point3<f64>; 2], q: [Point3<f64>; 2]) -> Contact {
    let (mut x, mut y) = nearest_of_segments(&p, &q);
    let (u, v) = (p[1] - p[0], q[1] - q[0]);
    let (lu, lv) = (u.norm(), v.norm());
    // Parallel axes side by side: the middle of the stretch they share.
    if lu > 0.0 && lv > 0.0 && u.cross(&v).norm() <= 1e-9 * lu * lv {
        let along = u / lu;
        let t = q.map(|e| (e - p[0]).dot(&along));
        let (low, high) = (t[0].min(t[1]).max(0.0), t[0].max(t[1]).min(lu));
        if low < high {
            x = p[0] + along * (0.5 * (low + high));
            y = nearest_on_segment(&q[0], &q[1], &x);
        }
    }
    let between = y - x;
    let d = between.norm();
    let normal = if d > 1e-12 * size(a, b) {
        // Where the nearest point is no end of its axis, they stand across that axis: said again, since
        // the difference of nearly equal points has lost digits that a long axis would multiply.
        let mut n = between / d;
        for _ in 0..2 {
            for (axis, at, ends) in [(u, x, p), (v, y, q)] {
                if at != ends[0] && at != ends[1] && axis.norm_squared() > 0.0 {
                    n -= axis * (axis.dot(&n) / axis.norm_squared());
                }
            }
        }
        n.try_normalize(0.5).unwrap_or(between / d)
    } else {
        let cross = u.cross(&v);
        let across =
            if cross.norm() > 1e-9 * lu * lv { cross } else { perpendicular(if lu >= lv { u } else { v }) };
        // Of the two ways across, the one that leads from A's middle to B's.
        let unit = across.normalize();
        if unit.dot(&(b.center() - a.center())) < 0.0 { -unit } else { unit }
    };
    let (ra, rb) = (a.radius(), b.radius());
    Contact { normal, depth: ra + rb - normal.dot(&between), on_a: x + normal * ra, on_b: y - normal * rb }
}
