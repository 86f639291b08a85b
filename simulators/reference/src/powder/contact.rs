//! Contacts of powder: each pushes what overlaps apart, and holds it back by friction.

use impinge::{PointContact, PointFeature};
use nalgebra::{Point3, Vector3};

/// A particle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grain {
    /// Where it is and where it was at the begin of the substep (m).
    pub place: Point3<f64>,
    pub last: Point3<f64>,
    pub radius: f64,
    /// By its volume, in no unit: all have one density.
    inverse_mass: f64,
    /// Whether nothing moves it.
    pub led: bool,
}

impl Grain {
    pub fn new(place: Point3<f64>, radius: f64) -> Grain {
        Grain { place, last: place, radius, inverse_mass: (radius * radius * radius).recip(), led: false }
    }

    fn inverse_mass(&self) -> f64 {
        if self.led { 0.0 } else { self.inverse_mass }
    }

    /// How far it has gone in this substep (m).
    fn way(&self) -> Vector3<f64> {
        self.place - self.last
    }
}

/// What a particle touches.
#[derive(Clone, Copy, Debug)]
pub(super) enum PowderContact {
    /// A body: `normal · place` must not be less than `level` (m).
    Body { particle: u32, normal: Vector3<f64>, level: f64 },
    /// Another particle; `normal`: towards the first, for centres that coincide.
    Grains { particles: [u32; 2], normal: Vector3<f64> },
}

impl PowderContact {
    /// `own`: with another particle of the same powder, if it is with a particle.
    pub fn new(contact: &PointContact, own: bool, grains: &[Grain]) -> PowderContact {
        let normal = contact.normal.cast::<f64>().normalize();
        match contact.feature {
            PointFeature::Particle(other) if own => {
                PowderContact::Grains { particles: [contact.particle, other], normal }
            }
            PointFeature::Smooth | PointFeature::Triangle(_) | PointFeature::Particle(_) => {
                let place = grains[contact.particle as usize].place;
                let level = normal.dot(&place.coords) + contact.depth;
                PowderContact::Body { particle: contact.particle, normal, level }
            }
        }
    }

    /// Pushes what overlaps apart: as far as it has come nearer in this substep, and no more than `most` (m) beyond that.
    pub fn push(&self, grains: &mut [Grain], friction: f64, most: f64) {
        let limited =
            |overlap: f64, way: f64| if overlap > 0.0 { overlap.min(most + (-way).max(0.0)) } else { 0.0 };
        match *self {
            PowderContact::Body { particle, ref normal, level } => {
                let grain = &mut grains[particle as usize];
                let overlap = limited(level - normal.dot(&grain.place.coords), normal.dot(&grain.way()));
                if overlap > 0.0 && !grain.led {
                    grain.place += normal * overlap;
                    grain.place -= held_back(&grain.way(), normal, friction * overlap);
                }
            }
            PowderContact::Grains { particles, normal } => {
                let [a, b] = particles.map(|k| k as usize);
                let between = grains[a].place - grains[b].place;
                let distance = between.norm();
                let overlap = grains[a].radius + grains[b].radius - distance;
                let [of_a, of_b] = [grains[a].inverse_mass(), grains[b].inverse_mass()];
                if overlap <= 0.0 || of_a + of_b == 0.0 {
                    return;
                }
                let normal = if distance > 0.0 { between / distance } else { normal };
                let overlap = limited(overlap, normal.dot(&(grains[a].way() - grains[b].way())));
                let [of_a, of_b] = [of_a, of_b].map(|inverse| inverse / (of_a + of_b));
                grains[a].place += normal * (overlap * of_a);
                grains[b].place -= normal * (overlap * of_b);
                let back = held_back(&(grains[a].way() - grains[b].way()), &normal, friction * overlap);
                grains[a].place -= back * of_a;
                grains[b].place += back * of_b;
            }
        }
    }
}

/// What friction takes of a way (m) across a normal: all of it, but no more than `most` (m).
fn held_back(way: &Vector3<f64>, normal: &Vector3<f64>, most: f64) -> Vector3<f64> {
    let across = way - normal * normal.dot(way);
    let length = across.norm();
    if length <= most { across } else { across * (most / length) }
}
