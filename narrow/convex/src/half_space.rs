//! A half-space against everything else.

use impinge_geometry::{PairFrame, Primitive, Side};
use impinge_midphase::Part;
use nalgebra::{Point3, Vector3};

use crate::contact::{Contact, perpendicular};
use crate::feature::feature;
use crate::overlap::{Measure, Plane, Polyhedron};
use crate::region::ConvexPoint;
use crate::support::{ConvexShape, Placed};

/// A half-space where it stands: all behind its plane.
pub(crate) fn plane_of(part: &Part, frame: &PairFrame, side: Side) -> Option<Plane> {
    use impinge_midphase::Solid;
    if part.solid != Solid::Primitive(Primitive::HalfSpace) {
        return None;
    }
    let k = side.index();
    let normal: Vector3<f64> = frame.rotation[k].column(2).into_owned();
    Some(Plane { normal, offset: normal.dot(&frame.offset[k]) })
}

/// What a half-space and a bounded solid have in common, as if the half-space were A.
pub(crate) struct PlaneMeeting {
    /// `normal` out of the half-space, `on_a` on its plane.
    pub contact: Contact,
    /// Points without weights.
    pub points: Vec<ConvexPoint>,
    /// The overlap, about the deepest point of the plane; `None` where it has no simple closed form.
    pub measure: Option<Measure>,
    /// Area of the section by the plane (m²); of a body that is wholly behind it, its volume divided by
    /// the depth; an estimate for tilted capsules and cylinders. 0 where it only touches.
    pub area: f64,
    /// Whether the solid is wholly behind the plane.
    pub contained: bool,
}

/// A half-space and a bounded solid; `None` where they are farther apart than `margin` (m).
pub(crate) fn meet(plane: &Plane, solid: &Placed, margin: f64, slack: f64) -> Option<PlaneMeeting> {
    let n = plane.normal;
    let depth = plane.offset + solid.reach(&-n);
    if depth < -margin {
        return None;
    }
    let lowest = solid.support(&-n);
    let contact = Contact { normal: n, depth, on_a: lowest + n * depth, on_b: lowest };
    let point = |p: Point3<f64>, key: u64| {
        let depth = plane.offset - n.dot(&p.coords);
        ConvexPoint { on_a: p + n * depth, on_b: p, depth, weight: 0.0, key }
    };
    let least = -margin - slack;
    let mut points: Vec<ConvexPoint> = candidates(solid, &n)
        .into_iter()
        .map(|(p, key)| point(p, key))
        .filter(|p| p.depth >= least)
        .collect();
    if !points.iter().any(|p| p.depth >= depth - slack) {
        points.push(point(lowest, u64::MAX));
    }
    let measure = if depth > 0.0 { measure(plane, solid, &contact, slack) } else { Some(Measure::default()) };
    let contained = solid.reach(&n) < plane.offset;
    let area = match &measure {
        Some(m) if m.gradient.norm() > 1e-9 * m.volume / depth.max(slack) => m.gradient.norm(),
        Some(m) => m.volume / depth.max(slack),
        None => estimate(solid, &n, depth),
    };
    Some(PlaneMeeting { contact, points, measure, area, contained })
}

/// The points of a solid that may lie lowest, with their keys.
fn candidates(solid: &Placed, up: &Vector3<f64>) -> Vec<(Point3<f64>, u64)> {
    match &solid.shape {
        ConvexShape::Hull(mesh) => {
            mesh.vertices().iter().zip(0..).map(|(v, key)| (solid.place(&v.cast()), key)).collect()
        }
        ConvexShape::Primitive(Primitive::Cuboid { half }) => (0..8u64)
            .map(|key| {
                let sign = |k: u64| if key >> k & 1 == 1 { 1.0 } else { -1.0 };
                let p = Point3::new(
                    sign(0) * f64::from(half[0]),
                    sign(1) * f64::from(half[1]),
                    sign(2) * f64::from(half[2]),
                );
                (solid.place(&p), key)
            })
            .collect(),
        ConvexShape::Primitive(Primitive::Capsule { half_height, radius }) => [-1.0, 1.0]
            .into_iter()
            .zip(0..)
            .map(|(sign, key)| {
                let end = solid.place(&Point3::new(0.0, 0.0, sign * f64::from(*half_height)));
                (end - up * f64::from(*radius), key)
            })
            .collect(),
        ConvexShape::Primitive(Primitive::Cylinder { half_height, radius }) => {
            cylinder_points(solid, up, f64::from(*half_height), f64::from(*radius))
        }
        _ => {
            let facing = feature(solid, &-up);
            facing.corners.iter().map(|c| (c.point, u64::from(c.id))).collect()
        }
    }
}

/// Four points of each rim, the first of them its lowest.
fn cylinder_points(solid: &Placed, up: &Vector3<f64>, h: f64, r: f64) -> Vec<(Point3<f64>, u64)> {
    let down = -solid.rotation.tr_mul(up);
    let across = (down.x * down.x + down.y * down.y).sqrt();
    let (x, y) = if across > 1e-9 { (down.x / across, down.y / across) } else { (1.0, 0.0) };
    let mut points = Vec::with_capacity(8);
    for (end, z) in [(0, -h), (1, h)] {
        for (k, [c, s]) in [(0, [1.0, 0.0]), (1, [0.0, 1.0]), (2, [-1.0, 0.0]), (3, [0.0, -1.0])] {
            let p = Point3::new(r * (c * x - s * y), r * (c * y + s * x), z);
            points.push((solid.place(&p), 4 * end + k));
        }
    }
    points
}

fn measure(plane: &Plane, solid: &Placed, contact: &Contact, slack: f64) -> Option<Measure> {
    if let ConvexShape::Primitive(Primitive::Sphere { radius }) = solid.shape {
        return Some(cap(plane, solid, contact, f64::from(radius)));
    }
    let mut left = Polyhedron::new(solid)?;
    left.clip(plane, 1e-6 * slack);
    let m = left.measure(&contact.on_a);
    // The section closes the solid's surface: its integrals are the opposite of the rest's.
    Some(Measure { gradient: -m.gradient, torque: -m.torque, ..m })
}

/// The cap that a plane cuts off a ball.
fn cap(plane: &Plane, solid: &Placed, contact: &Contact, r: f64) -> Measure {
    let pi = std::f64::consts::PI;
    let h = contact.depth.min(2.0 * r);
    let volume = pi * h * h * (3.0 * r - h) / 3.0;
    let area = pi * (h * (2.0 * r - h)).max(0.0);
    // Centroid of a cap: 3 (2r − h)² / (4 (3r − h)) from the centre.
    let away = 3.0 * (2.0 * r - h) * (2.0 * r - h) / (4.0 * (3.0 * r - h));
    let centroid = solid.center() - plane.normal * away - contact.on_a;
    Measure { volume, gradient: plane.normal * area, centroid, torque: Vector3::zeros() }
}

/// Area of the section of a capsule or cylinder, roughly: lying, its length times the chord; else the
/// chord's disc or the ellipse, whichever is smaller.
fn estimate(solid: &Placed, n: &Vector3<f64>, depth: f64) -> f64 {
    let (h, r) = match solid.shape {
        ConvexShape::Primitive(
            Primitive::Capsule { half_height, radius } | Primitive::Cylinder { half_height, radius },
        ) => (f64::from(half_height), f64::from(radius)),
        _ => return 0.0,
    };
    let d = depth.clamp(0.0, 2.0 * r);
    let chord = 2.0 * (d * (2.0 * r - d)).max(0.0).sqrt();
    let along = solid.rotation.tr_mul(n).z.abs();
    let wet = (depth / along.max(1e-12)).min(2.0 * h);
    let lying = chord.max(d) * wet;
    let disc = std::f64::consts::PI * r * r / along.max(1e-12);
    let round = matches!(solid.shape, ConvexShape::Primitive(Primitive::Capsule { .. }));
    let ends = if round { std::f64::consts::FRAC_PI_4 * chord * chord } else { 0.0 };
    (lying + ends).min(disc).max(0.0)
}

/// Two half-spaces: they touch unless they face each other across a gap. Only facing ones can be
/// parted; others meet at infinity, and say so with depth 0.
pub(crate) fn both(a: &Plane, b: &Plane, margin: f64) -> Option<Contact> {
    let facing = (a.normal + b.normal).norm() <= 1e-12;
    let depth = if facing { a.offset + b.offset } else { 0.0 };
    if depth < -margin {
        return None;
    }
    let normal =
        (a.normal - b.normal).try_normalize(1e-9).unwrap_or_else(|| perpendicular(a.normal).normalize());
    let on_a = Point3::from(a.normal * a.offset);
    Some(Contact { normal, depth, on_a, on_b: on_a - normal * depth })
}
