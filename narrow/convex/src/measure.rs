//! Volumes and areas of overlap that have a closed form, and estimates of contact areas that have not.

use impinge_geometry::Primitive;
use nalgebra::{Point3, Vector3};

use crate::contact::Contact;
use crate::feature::Feature;
use crate::manifold::Shared;
use crate::overlap::{Measure, Polyhedron, overlap};
use crate::support::{ConvexShape, Placed};

const PI: f64 = std::f64::consts::PI;

/// The overlap of two solids about `contact.on_a`: of two spheres and of two polyhedra; `None` for other
/// pairs.
pub(crate) fn measure(a: &Placed, b: &Placed, contact: &Contact, slack: f64) -> Option<Measure> {
    if contact.depth <= 0.0 {
        return Some(Measure::default());
    }
    match (sphere_radius(a), sphere_radius(b)) {
        (Some(ra), Some(rb)) => Some(lens(a.center(), ra, b.center(), rb, contact)),
        _ => overlap(a, b, &-contact.normal, &contact.on_a, 1e-6 * slack),
    }
}

/// Volume of a bounded solid (m³).
pub(crate) fn volume(solid: &Placed) -> f64 {
    match solid.shape {
        ConvexShape::Primitive(Primitive::Sphere { radius }) => 4.0 / 3.0 * PI * f64::from(radius).powi(3),
        ConvexShape::Primitive(Primitive::Capsule { half_height, radius }) => {
            let (h, r) = (f64::from(half_height), f64::from(radius));
            PI * r * r * (2.0 * h + 4.0 / 3.0 * r)
        }
        ConvexShape::Primitive(Primitive::Cylinder { half_height, radius }) => {
            2.0 * PI * f64::from(radius).powi(2) * f64::from(half_height)
        }
        _ => Polyhedron::new(solid).map_or(0.0, |p| p.measure(&solid.center()).volume),
    }
}

/// Area over which two solids press on each other (m²): the exact |G| where there is a measure (of a
/// body wholly inside the other, for which G vanishes, its volume by its depth); where there is none
/// the area that their features share, or that of paraboloids with their curvature. Never zero.
pub(crate) fn area(
    contact: &Contact,
    measure: Option<&Measure>,
    features: [&Feature; 2],
    shared: Shared,
    smallest: f64,
) -> f64 {
    let d = contact.depth.max(0.0);
    let exact = measure.filter(|m| m.volume > 0.0).map(|m| m.gradient.norm().max(m.volume / d.max(smallest)));
    // Curvatures add; at an edge or corner the depth takes the place of the radius.
    let curvature: f64 = features.iter().map(|f| 1.0 / f.curvature_radius.max(d).max(smallest)).sum();
    let rho = if curvature > 0.0 { 1.0 / curvature } else { 0.0 };
    let disc = if d < rho { PI * d * (2.0 * rho - d) } else { PI * rho * rho };
    let estimate = match shared {
        Shared::Polygon(area) => area,
        Shared::Segment(length) => 2.0 * (disc / PI).sqrt() * length + disc,
        Shared::Point => disc,
    };
    exact.unwrap_or(estimate).max(smallest * smallest)
}

fn sphere_radius(solid: &Placed) -> Option<f64> {
    match solid.shape {
        ConvexShape::Primitive(Primitive::Sphere { radius }) => Some(f64::from(radius)),
        _ => None,
    }
}

/// The lens of two balls.
fn lens(ca: Point3<f64>, ra: f64, cb: Point3<f64>, rb: f64, contact: &Contact) -> Measure {
    let d = (cb - ca).norm();
    let small = if ra <= rb { (ca, ra) } else { (cb, rb) };
    if d <= (ra - rb).abs() {
        let volume = 4.0 / 3.0 * PI * small.1.powi(3);
        return Measure { volume, centroid: small.0 - contact.on_a, ..Measure::default() };
    }
    // The spheres meet in the plane at `x` from A's centre; each contributes a cap behind it.
    let x = 0.5 * (d + (ra - rb) * (ra + rb) / d);
    let cap = |r: f64, from_center: f64| {
        let h = (r - from_center).clamp(0.0, 2.0 * r);
        let volume = PI * h * h * (3.0 * r - h) / 3.0;
        let away = 3.0 * (2.0 * r - h) * (2.0 * r - h) / (4.0 * (3.0 * r - h));
        (volume, away)
    };
    let ((va, za), (vb, zb)) = (cap(ra, x), cap(rb, d - x));
    let volume = va + vb;
    // A's cap lies beyond the plane seen from A, B's beyond it seen from B.
    let along = if volume > 0.0 { (va * za + vb * (d - zb)) / volume } else { x };
    let axis: Vector3<f64> = contact.normal;
    let radius2 = ((ra - x) * (ra + x)).max(0.0);
    Measure {
        volume,
        gradient: axis * (PI * radius2),
        centroid: ca + axis * along - contact.on_a,
        torque: Vector3::zeros(),
    }
}
