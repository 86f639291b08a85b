//! Particles against primitives: the signed distance of a point, by closed forms.

use std::ops::Range;

use impinge_geometry::{Particles, Primitive};
use nalgebra::{Point3, Vector3};

use super::contact::{Depths, PointContact, PointFeature};
use super::placement::Placement;

/// The contacts of the particles with these numbers.
pub(super) fn meet(
    particles: &Particles,
    numbers: Range<u32>,
    primitive: &Primitive,
    place: &Placement,
    depths: &Depths,
    out: &mut Vec<PointContact>,
) {
    match *primitive {
        Primitive::HalfSpace => meet_with(
            particles,
            numbers,
            [f64::INFINITY, f64::INFINITY, 0.0],
            |p, _| Some((p.z, Vector3::z())),
            place,
            depths,
            out,
        ),
        Primitive::Sphere { radius } => {
            let radius = f64::from(radius);
            meet_with(
                particles,
                numbers,
                [radius; 3],
                |p, reach| from_segment(p, [0.0, radius], reach),
                place,
                depths,
                out,
            );
        }
        Primitive::Capsule { half_height, radius } => {
            let (h, radius) = (f64::from(half_height), f64::from(radius));
            meet_with(
                particles,
                numbers,
                [radius, radius, h + radius],
                |p, reach| from_segment(p, [h, radius], reach),
                place,
                depths,
                out,
            );
        }
        Primitive::Cuboid { half } => {
            let half = half.map(f64::from);
            meet_with(particles, numbers, half, |p, reach| from_cuboid(p, &half, reach), place, depths, out);
        }
        Primitive::Cylinder { half_height, radius } => {
            let (h, radius) = (f64::from(half_height), f64::from(radius));
            meet_with(
                particles,
                numbers,
                [radius, radius, h],
                |p, reach| from_cylinder(p, [h, radius], reach),
                place,
                depths,
                out,
            );
        }
    }
}

/// `half` is as far as it reaches along x and y to either side, and along z upward (m); `signed` gives the signed distance of a point (m) and the
/// outward normal where the solid is nearest to it, or nothing if it is farther than a reach.
#[inline(always)]
fn meet_with(
    particles: &Particles,
    numbers: Range<u32>,
    half: [f64; 3],
    signed: impl Fn(&Point3<f64>, f64) -> Option<(f64, Vector3<f64>)>,
    place: &Placement,
    depths: &Depths,
    out: &mut Vec<PointContact>,
) {
    let centers = &particles.centers()[numbers.start as usize..numbers.end as usize];
    for (particle, center) in numbers.zip(centers) {
        let p = place.local(center);
        let ball = (particle, f64::from(particles.radius(particle)));
        // Most are beside its box.
        let reach = (ball.1 + depths.margin) * (1.0 + 1e-12);
        if (p.x.abs() - half[0]).max(p.y.abs() - half[1]).max(p.z - half[2]) > reach {
            continue;
        }
        if let Some((distance, normal)) = signed(&p, reach) {
            out.extend(depths.contact(ball, PointFeature::Smooth, (&p, &normal, distance), place));
        }
    }
}

/// From what is within `radius` of the segment from −h to h along z.
#[inline(always)]
fn from_segment(p: &Point3<f64>, [h, radius]: [f64; 2], reach: f64) -> Option<(f64, Vector3<f64>)> {
    let away = Vector3::new(p.x, p.y, p.z - p.z.clamp(-h, h));
    let (squared, most) = (away.norm_squared(), radius + reach);
    // Roots are dear; most that are beside its box are none's.
    if squared > most * most * (1.0 + 1e-12) {
        return None;
    }
    let length = squared.sqrt();
    // Every direction across is as good where it lies on the segment.
    Some(if length > 0.0 { (length - radius, away / length) } else { (-radius, Vector3::x()) })
}

#[inline(always)]
fn from_cuboid(p: &Point3<f64>, half: &[f64; 3], reach: f64) -> Option<(f64, Vector3<f64>)> {
    let away = Vector3::from([0, 1, 2].map(|k| p[k] - p[k].clamp(-half[k], half[k])));
    let squared = away.norm_squared();
    if squared > reach * reach * (1.0 + 1e-12) {
        return None;
    }
    if squared > 0.0 {
        let length = squared.sqrt();
        return Some((length, away / length));
    }
    // Inside: out of the nearest face.
    let out = [0, 1, 2].map(|k| p[k].abs() - half[k]);
    let mut axis = 0;
    for k in 1..3 {
        axis = if out[k] > out[axis] { k } else { axis };
    }
    let mut normal = Vector3::zeros();
    normal[axis] = if p[axis] < 0.0 { -1.0 } else { 1.0 };
    Some((out[axis], normal))
}

#[inline(always)]
fn from_cylinder(p: &Point3<f64>, [h, radius]: [f64; 2], reach: f64) -> Option<(f64, Vector3<f64>)> {
    let (squared, most) = (p.x * p.x + p.y * p.y, radius + reach);
    if squared > most * most * (1.0 + 1e-12) {
        return None;
    }
    let across = squared.sqrt();
    let side = if across > 0.0 { Vector3::new(p.x / across, p.y / across, 0.0) } else { Vector3::x() };
    let up = Vector3::new(0.0, 0.0, if p.z < 0.0 { -1.0 } else { 1.0 });
    let (beside, above) = (across - radius, p.z.abs() - h);
    Some(if beside > 0.0 && above > 0.0 {
        let length = (beside * beside + above * above).sqrt();
        (length, (side * beside + up * above) / length)
    } else if beside > above {
        (beside, side)
    } else {
        (above, up)
    })
}
