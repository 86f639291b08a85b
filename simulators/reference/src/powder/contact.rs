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

    /// Pushes it along a direction, by a share.
    fn shift(&mut self, along: &Vector3<f64>, push: Push, share: f64) {
        self.place += along * (push.whole() * share);
        self.last += along * (push.before * share);
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

    /// Whether two particles are apart by no more than `slack` (m); of a body's contact it is never so: one that lies on a body comes nearer in every
    /// substep, and is found again.
    pub fn lasts(&self, grains: &[Grain], slack: f64) -> bool {
        match *self {
            PowderContact::Body { .. } => false,
            PowderContact::Grains { particles, .. } => {
                let [a, b] = particles.map(|k| &grains[k as usize]);
                (a.place - b.place).norm() <= a.radius + b.radius + slack
            }
        }
    }

    /// Orders contacts from below: how high they are along `up` (m), and the particles, the same one twice for a body.
    pub fn rank(&self, grains: &[Grain], up: &Vector3<f64>) -> (f64, [u32; 2]) {
        let particles = match *self {
            PowderContact::Body { particle, .. } => [particle; 2],
            PowderContact::Grains { particles, .. } => particles,
        };
        let height = |k: u32| grains[k as usize].place.coords.dot(up);
        (height(particles[0]) + height(particles[1]), particles)
    }

    /// Pushes what overlaps apart. As far as it has come nearer in this substep it is stopped; beyond that it is moved by no more than
    /// `most` (m), from where it was, too, so that it goes no faster for that. `up`: the direction against gravity, or zero.
    pub fn push(&self, grains: &mut [Grain], friction: f64, most: f64, up: &Vector3<f64>) {
        match *self {
            PowderContact::Body { particle, ref normal, level } => {
                let grain = &mut grains[particle as usize];
                let overlap = level - normal.dot(&grain.place.coords);
                if overlap > 0.0 && !grain.led {
                    let push = Push::of(overlap, normal.dot(&grain.way()), most);
                    grain.shift(normal, push, 1.0);
                    grain.place -= held_back(&grain.way(), normal, friction * push.whole());
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
                let push = Push::of(overlap, normal.dot(&(grains[a].way() - grains[b].way())), most);
                // The lower one counts as heavier.
                let rise = (LOWER_IS_HEAVIER * normal.dot(up)).exp();
                let [of_a, of_b] = [of_a * rise, of_b / rise];
                let [of_a, of_b] = [of_a, of_b].map(|inverse| inverse / (of_a + of_b));
                grains[a].shift(&normal, push, of_a);
                grains[b].shift(&normal, push, -of_b);
                let back = held_back(&(grains[a].way() - grains[b].way()), &normal, friction * push.whole());
                grains[a].place -= back * of_a;
                grains[b].place += back * of_b;
            }
        }
    }
}

/// Half the logarithm of how much heavier a particle counts than one that lies upon it: what holds it up is found in few rounds then.
const LOWER_IS_HEAVIER: f64 = 1.0;

/// How far two are pushed apart (m): what they have come nearer in the substep, and some of what they overlapped by before.
#[derive(Clone, Copy, Debug)]
struct Push {
    stop: f64,
    before: f64,
}

impl Push {
    /// Of an overlap (m), and how far the two have gone apart in the substep (m).
    fn of(overlap: f64, apart: f64, most: f64) -> Push {
        let stop = overlap.min((-apart).max(0.0));
        Push { stop, before: (overlap - stop).min(most) }
    }

    fn whole(self) -> f64 {
        self.stop + self.before
    }
}

/// What friction takes of a way (m) across a normal: all of it, but no more than `most` (m).
fn held_back(way: &Vector3<f64>, normal: &Vector3<f64>, most: f64) -> Vector3<f64> {
    let across = way - normal * normal.dot(way);
    let length = across.norm();
    if length <= most { across } else { across * (most / length) }
}
