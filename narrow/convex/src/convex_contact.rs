//! Primitives and convex hulls among themselves, without images.
//!
//! - A half-space against anything: its lowest points.
//! - Spheres and capsules: the nearest points of their axes. A sphere and a cylinder: the nearest point of
//!   its surface.
//! - Boxes: fifteen axes.
//! - All else: distance of the cores, and an expanding polytope where they overlap, in `f64`, from
//!   support functions. Whether two polyhedra touch whose depth is lost in rounding is decided by the
//!   exact predicates on their triangles.
//!
//! Every search ends: the distance after 200 rounds, the expanding polytope after 160, the descent after
//! 600 directions. A distance counts only where a plane proves it from below; else the polytope answers, and
//! whatever it answers is the depth along a direction that was tried. So "apart" is said only with a plane
//! that parts the two (up to 1e-9 of their size), and a depth is a true separating translation. Stopped at a bound, a
//! search may call touching what is apart by less than it could resolve, never the reverse. Which solid is
//! A changes no bit of the normal's line, the depth or the decision.
//!
//! Tolerances are parts of the solids' own size, so answers do not depend on the scale. The contact
//! points are the corners of what the two facing features share.
//!
//! The volume of the overlap is exact for sphere–sphere, for polyhedra (boxes, hulls) among
//! themselves, for a sphere or polyhedron against a half-space, and wherever one solid is inside the
//! other; for other pairs [`ConvexContact::volume`] is `None`, and a region's volume is the estimate ½ ·
//! depth · area.
//!
//! A region's gradient is `area · normal`: the area is exact wherever the volume is (for a body wholly
//! inside another, whose G vanishes, it is volume ÷ depth), otherwise an estimate, and never zero.

use impinge_geometry::{Containment, PairFrame, Side};
use impinge_midphase::Part;
use nalgebra::{Point3, Vector3};

use crate::contact::{Contact, ROUNDING, extent, size};
use crate::feature::feature;
use crate::overlap::{Measure, Plane};
use crate::region::{ConvexContact, ConvexPoint, ConvexRegion};
use crate::solid_pair::contact;
use crate::support::Placed;
use crate::{containment, exact, half_space, manifold, measure};

/// Name of this pass, in spans and reports.
pub const CONVEX: &str = "convex";

/// Points this much (as a part of the smaller solid) above the surface still touch.
const RESTING: f64 = 1e-6;

/// How two primitives or hulls stand to each other: whether they touch, containment, volume, and the region of
/// contact. With a `margin` (m), bodies apart by no more give a region of negative depth. Nothing is
/// found for a part that is a mesh.
pub fn convex_contact(parts: [&Part; 2], frame: &PairFrame, margin: f64) -> ConvexContact {
    let span = tracing::trace_span!(CONVEX, touching = tracing::field::Empty);
    let _entered = span.enter();
    let margin = margin.max(0.0);
    let plane = |side: Side| half_space::plane_of(parts[side.index()], frame, side);
    let solid = |side: Side| Placed::new(parts[side.index()], frame, side);
    let mut out = ConvexContact::default();
    match (plane(Side::A), plane(Side::B)) {
        (Some(a), Some(b)) => two_half_spaces(&a, &b, margin, &mut out),
        (Some(a), None) => {
            if let Some(b) = solid(Side::B) {
                against_half_space(&a, &b, Side::A, margin, &mut out);
            }
        }
        (None, Some(b)) => {
            if let Some(a) = solid(Side::A) {
                against_half_space(&b, &a, Side::B, margin, &mut out);
            }
        }
        (None, None) => {
            if let (Some(a), Some(b)) = (solid(Side::A), solid(Side::B)) {
                solids(parts, frame, [&a, &b], margin, &mut out);
            }
        }
    }
    span.record("touching", out.touching);
    out
}

/// The nearest points of two primitives or hulls that are apart by no more than `margin` (m).
pub fn nearest_points(parts: [&Part; 2], frame: &PairFrame, margin: f64) -> Option<[Point3<f64>; 2]> {
    facing(parts, frame, margin).map(|found| [found.on_a, found.on_b])
}

/// The axis (unit, from A to B) along which two primitives or hulls are apart by no more than `margin` (m) and as far as they are, and
/// that distance; negative where they overlap.
pub fn separating_axis(parts: [&Part; 2], frame: &PairFrame, margin: f64) -> Option<(Vector3<f64>, f64)> {
    facing(parts, frame, margin).map(|found| (found.normal, -found.depth))
}

/// How two primitives or hulls face each other that are apart by no more than `margin` (m).
fn facing(parts: [&Part; 2], frame: &PairFrame, margin: f64) -> Option<Contact> {
    let plane = |side: Side| half_space::plane_of(parts[side.index()], frame, side);
    let solid = |side: Side| Placed::new(parts[side.index()], frame, side);
    Some(match (plane(Side::A), plane(Side::B)) {
        (Some(a), Some(b)) => half_space::both(&a, &b, margin)?,
        (Some(a), None) => half_space::meet(&a, &solid(Side::B)?, margin, 0.0)?.contact,
        (None, Some(b)) => half_space::meet(&b, &solid(Side::A)?, margin, 0.0)?.contact.turned(),
        (None, None) => contact(&solid(Side::A)?, &solid(Side::B)?, margin)?,
    })
}

fn solids(parts: [&Part; 2], frame: &PairFrame, [a, b]: [&Placed; 2], margin: f64, out: &mut ConvexContact) {
    let Some(mut found) = contact(a, b, margin) else {
        out.volume = Some(0.0);
        return;
    };
    let (large, small) = (size(a, b), extent(a).min(extent(b)));
    let rounding = ROUNDING * large;
    out.touching = match found.depth.abs() <= rounding {
        true => {
            exact::surfaces_touch(parts, frame, &found.normal, 4.0 * rounding).unwrap_or(found.depth >= 0.0)
        }
        false => found.depth > 0.0,
    };
    found.depth = if out.touching { found.depth.max(0.0) } else { found.depth.min(0.0) };
    if !out.touching {
        out.volume = Some(0.0);
        if margin == 0.0 || found.depth < -margin {
            return;
        }
    } else if containment::holds(b, a) {
        (out.containment, out.volume) = (Containment::AInB, Some(measure::volume(a)));
    } else if containment::holds(a, b) {
        (out.containment, out.volume) = (Containment::BInA, Some(measure::volume(b)));
    }
    let slack = RESTING * small;
    let features = [feature(a, &found.normal), feature(b, &-found.normal)];
    let meeting = manifold::meet(&found, &features[0], &features[1], -margin, slack);
    let measure = measure::measure(a, b, &found, slack);
    let area = measure::area(&found, measure.as_ref(), [&features[0], &features[1]], meeting.shared, slack);
    out.volume = out.volume.or(measure.map(|m| m.volume));
    out.region = Some(region(&found, meeting.points, measure, area, out.volume));
}

/// A half-space on `side` and a solid on the other.
fn against_half_space(plane: &Plane, solid: &Placed, side: Side, margin: f64, out: &mut ConvexContact) {
    let slack = RESTING * extent(solid);
    let Some(mut met) = half_space::meet(plane, solid, margin, slack) else {
        out.volume = Some(0.0);
        return;
    };
    out.touching = met.contact.depth >= 0.0;
    if met.contained {
        let inside = [Containment::BInA, Containment::AInB][side.index()];
        (out.containment, out.volume) = (inside, Some(measure::volume(solid)));
    }
    out.volume = out.volume.or(met.measure.map(|m| m.volume));
    if side == Side::B {
        // Everything was found with the half-space as A.
        met.contact = met.contact.turned();
        for p in &mut met.points {
            std::mem::swap(&mut p.on_a, &mut p.on_b);
        }
        if let Some(m) = &mut met.measure {
            // The overlap is kept about `on_a`, and the surfaces of A and B in it close each other.
            let shift = met.contact.on_b - met.contact.on_a;
            m.centroid += shift;
            m.torque = -(m.torque + shift.cross(&m.gradient));
            m.gradient = -m.gradient;
        }
    }
    let area = met.area.max(slack * slack);
    out.region = Some(region(&met.contact, met.points, met.measure, area, out.volume));
}

fn two_half_spaces(a: &Plane, b: &Plane, margin: f64, out: &mut ConvexContact) {
    let found = half_space::both(a, b, margin);
    out.touching = found.is_some_and(|found| found.depth >= 0.0);
    out.volume = (!out.touching).then_some(0.0);
    let Some(found) = found else { return };
    let point = ConvexPoint { on_a: found.on_a, on_b: found.on_b, depth: found.depth, weight: 0.0, key: 0 };
    // They share an endless area: one square metre of it stands for the rest.
    out.region = Some(region(&found, vec![point], None, 1.0, None));
}

/// The region of a contact. `measure` is about `contact.on_a`.
fn region(
    contact: &Contact,
    mut points: Vec<ConvexPoint>,
    measure: Option<Measure>,
    area: f64,
    volume: Option<f64>,
) -> ConvexRegion {
    let weight = area / points.len().max(1) as f64;
    for p in &mut points {
        p.weight = weight;
    }
    let sum = points.iter().fold(Vector3::zeros(), |s, p| s + 0.5 * (p.on_a.coords + p.on_b.coords));
    let middle = Point3::from(sum / points.len().max(1) as f64);
    let solid = measure.filter(|m| m.volume > 0.0);
    let centroid = solid.map_or(middle, |m| contact.on_a + m.centroid);
    let pressure_center = solid.map_or(middle, |m| pressure_center(contact, &m));
    let gradient = contact.normal * area;
    let radius = points
        .iter()
        .flat_map(|p| [(p.on_a - centroid).norm(), (p.on_b - centroid).norm()])
        .fold(0.0, f64::max);
    ConvexRegion {
        normal: contact.normal,
        depth: contact.depth,
        volume: volume.unwrap_or(0.5 * contact.depth.max(0.0) * area),
        gradient,
        torque: pressure_center.coords.cross(&gradient),
        centroid,
        pressure_center,
        radius,
        points,
    }
}

/// `(G × τ) / |G|² + (c·G / |G|²) G`; the centroid for a body inside the other, whose G vanishes.
fn pressure_center(contact: &Contact, m: &Measure) -> Point3<f64> {
    let g2 = m.gradient.norm_squared();
    let mean_area = m.volume / contact.depth.max(f64::MIN_POSITIVE);
    if g2.sqrt() <= 1e-3 * mean_area {
        return contact.on_a + m.centroid;
    }
    let across = m.gradient.cross(&m.torque) / g2;
    contact.on_a + across + m.gradient * (m.centroid.dot(&m.gradient) / g2)
}
