//! Powder: the particles of a collider that fall, slide and come to rest on bodies and on each other.
//!
//! Position-based dynamics in small steps: particles go where their velocities take them, [`World::step`] says what they touch there, contacts push
//! them out one after the other, from below, and friction holds them back; where they have come to gives their velocities, but for what overlapped
//! before. What has hardly moved is
//! put back. Everything is done in one order, so the same calls give the same bits for any number of threads.
//!
//! Bodies are taken as they stand and are not pushed.
//!
//! Sources: Müller, Heidelberger, Hennix, Ratcliff, "Position Based Dynamics", 2007; Macklin, Müller, Chentanez, Kim, "Unified Particle Physics
//! for Real-Time Applications", 2014 (friction, rest, overlaps of before, lower ones heavier); Macklin et al., "Small Steps in Physics Simulation", 2019.

mod contact;

use std::time::{Duration, Instant};

use impinge::{ColliderId, Shape, ShapeId, World, WorldError};
use nalgebra::{Isometry3, Point3, Vector3};

use contact::{Grain, PowderContact};

/// Particles apart by less than this many of a substep's falls may touch in the next.
const LASTING_FALLS: f64 = 4.0;

/// What powder is like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowderSettings {
    /// Gravity (m/s²).
    pub gravity: Vector3<f64>,
    /// Coefficient of friction, of particles with bodies and with each other.
    pub friction: f64,
    /// Rate at which velocity is lost (1/s).
    pub damping: f64,
    /// Smaller steps in each; the world is stepped in every one.
    pub substeps: u32,
    /// How often all contacts are gone through in a substep.
    pub iterations: u32,
    /// What goes slower than this is taken to rest (m/s).
    pub rest: f64,
    /// Overlaps that did not arise in a substep are pushed apart no faster than this (m/s).
    pub push: f64,
}

impl Default for PowderSettings {
    fn default() -> PowderSettings {
        PowderSettings {
            gravity: Vector3::new(0.0, 0.0, -9.81),
            friction: 0.5,
            damping: 0.0,
            substeps: 3,
            iterations: 4,
            rest: 0.0,
            push: 0.5,
        }
    }
}

/// Why there is no such powder.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PowderError {
    /// A setting that is not finite, or out of its range.
    #[error("setting `{setting}` is {value}: it must be {wanted}")]
    Setting {
        /// Its name.
        setting: &'static str,
        /// The value given.
        value: f64,
        /// What would be right.
        wanted: &'static str,
    },
    /// A collider of something else.
    #[error("{id} places no particles: give it a shape of `Particles`")]
    NoParticles {
        /// The collider.
        id: ColliderId,
    },
    /// A collider whose frame is not the world's.
    #[error("{id} does not stand at the world's origin, unturned: places of powder are those of the world")]
    Placed {
        /// The collider.
        id: ColliderId,
    },
    /// A length of a step.
    #[error("the step is {dt} s long: it must be finite and greater than 0")]
    Dt {
        /// The length (s).
        dt: f64,
    },
    /// What the world refuses: a particle that has left its range, a collider that is gone.
    #[error(transparent)]
    World(#[from] WorldError),
}

/// What a step of powder has taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PowderTimes {
    /// The world's steps, which find the contacts, in all substeps.
    pub detect: Duration,
    /// Of these, what was spent on particles.
    pub particles: Duration,
    /// All else.
    pub solve: Duration,
}

/// The particles of a collider in motion.
#[derive(Clone, Debug)]
pub struct Powder {
    shape: ShapeId,
    collider: ColliderId,
    settings: PowderSettings,
    grains: Vec<Grain>,
    velocities: Vec<Vector3<f64>>,
    /// The first particle that is led, and how fast the led ones go (m/s).
    led: (usize, Vector3<f64>),
    contacts: Vec<PowderContact>,
    /// Particles that touched at the end of the last substep.
    lasting: Vec<PowderContact>,
    ranked: Vec<(f64, [u32; 2], PowderContact)>,
    rounded: Vec<Point3<f32>>,
}

impl Powder {
    /// The particles of a collider, at rest where they are. They collide among themselves and with all that is fixed from now on.
    ///
    /// # Errors
    /// [`PowderError::Setting`], [`PowderError::NoParticles`], [`PowderError::Placed`], or what the world refuses.
    pub fn new(
        world: &mut World,
        collider: ColliderId,
        settings: PowderSettings,
    ) -> Result<Powder, PowderError> {
        settings.check()?;
        let shape = world.shape_of(collider)?;
        let Shape::Particles(particles) = world.shape(shape)? else {
            return Err(PowderError::NoParticles { id: collider });
        };
        if world.pose(collider)? != Isometry3::identity() {
            return Err(PowderError::Placed { id: collider });
        }
        let grain =
            |(center, k): (&Point3<f32>, u32)| Grain::new(center.cast(), f64::from(particles.radius(k)));
        let grains: Vec<Grain> = particles.centers().iter().zip(0..).map(grain).collect();
        let count = grains.len();
        world.set_fixed(collider, false)?;
        world.set_collides_with_itself(collider, true)?;
        Ok(Powder {
            shape,
            collider,
            settings,
            velocities: vec![Vector3::zeros(); count],
            rounded: Vec::with_capacity(count),
            grains,
            led: (count, Vector3::zeros()),
            contacts: Vec::new(),
            lasting: Vec::new(),
            ranked: Vec::new(),
        })
    }

    /// The collider.
    pub fn collider(&self) -> ColliderId {
        self.collider
    }

    /// How many particles there are.
    pub fn len(&self) -> usize {
        self.grains.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.grains.is_empty()
    }

    /// Where the particles are (m).
    pub fn places(&self) -> impl ExactSizeIterator<Item = Point3<f64>> {
        self.grains.iter().map(|grain| grain.place)
    }

    /// How fast they are (m/s).
    pub fn velocities(&self) -> &[Vector3<f64>] {
        &self.velocities
    }

    /// Has the particles from index `first` on go at this velocity (m/s) whatever they meet, and all before it free: as from a hopper. Those that
    /// become free keep their velocity.
    ///
    /// # Errors
    /// [`PowderError::Setting`] for a velocity that is not finite.
    pub fn lead(&mut self, first: usize, velocity: Vector3<f64>) -> Result<(), PowderError> {
        if let Some(&value) = velocity.iter().find(|x| !x.is_finite()) {
            return Err(PowderError::Setting { setting: "velocity", value, wanted: "finite" });
        }
        self.led = (first.min(self.grains.len()), velocity);
        Ok(())
    }

    /// Moves the particles on by `dt` (s), and says what that has taken. The world has been stepped with them a little before their last places: step it again to have contacts
    /// where they are.
    ///
    /// # Errors
    /// [`PowderError::Dt`], or what the world refuses. Where a substep fails, those before it have been done.
    pub fn step(&mut self, world: &mut World, dt: f64) -> Result<PowderTimes, PowderError> {
        if !(dt.is_finite() && dt > 0.0) {
            return Err(PowderError::Dt { dt });
        }
        let span = tracing::info_span!("powder::step", particles = self.grains.len());
        let _entered = span.enter();
        let (started, mut times) = (Instant::now(), PowderTimes::default());
        for _ in 0..self.settings.substeps {
            self.substep(world, dt / f64::from(self.settings.substeps), &mut times)?;
        }
        self.place(world)?;
        times.solve = started.elapsed().saturating_sub(times.detect);
        Ok(times)
    }

    fn substep(&mut self, world: &mut World, h: f64, times: &mut PowderTimes) -> Result<(), PowderError> {
        let PowderSettings { gravity, friction, damping, push, .. } = self.settings;
        let (free, lead) = self.led;
        let kept = 1.0 / (1.0 + damping * h);
        for (k, (grain, velocity)) in self.grains.iter_mut().zip(&mut self.velocities).enumerate() {
            grain.led = k >= free;
            *velocity = if grain.led { lead } else { (*velocity + gravity * h) * kept };
            grain.last = grain.place;
            grain.place += *velocity * h;
        }
        self.place(world)?;
        let found = world.step().times;
        times.detect += found.step;
        times.particles += found.particles;
        self.contacts.clear();
        for pair in world.particle_contacts().filter(|pair| pair.particles == self.collider) {
            let own = pair.other == self.collider;
            let contact = |contact| PowderContact::new(contact, own, &self.grains);
            self.contacts.extend(pair.contacts.iter().map(contact));
        }
        let up = -gravity.try_normalize(0.0).unwrap_or_default();
        self.take_lasting(&up);
        for _ in 0..self.settings.iterations {
            for contact in &self.contacts {
                contact.push(&mut self.grains, friction, push * h, &up);
            }
        }
        let (grains, slack) = (&self.grains, LASTING_FALLS * gravity.norm() * h * h);
        self.lasting.clear();
        self.lasting.extend(self.contacts.iter().filter(|contact| contact.lasts(grains, slack)));
        let still = self.settings.rest * h;
        for (grain, velocity) in self.grains.iter_mut().zip(&mut self.velocities).take(free) {
            let way = grain.place - grain.last;
            if way.norm_squared() < still * still {
                (grain.place, *velocity) = (grain.last, Vector3::zeros());
            } else {
                *velocity = way / h;
            }
        }
        Ok(())
    }

    /// Adds the particles that touched before: falling side by side for a substep two that lie on each other do not overlap, but the lower one is
    /// about to be stopped. Puts all in order from below, so that one pass carries what holds the lowest up to the highest.
    fn take_lasting(&mut self, up: &Vector3<f64>) {
        let Powder { grains, contacts, lasting, ranked, .. } = self;
        ranked.clear();
        ranked.extend(contacts.iter().chain(&*lasting).map(|contact| {
            let (height, particles) = contact.rank(grains, up);
            (height, particles, *contact)
        }));
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        ranked.dedup_by(|next, own| next.1 == own.1 && next.1[0] != next.1[1]);
        contacts.clear();
        contacts.extend(ranked.iter().map(|ranked| ranked.2));
    }

    /// Tells the world where the particles are.
    fn place(&mut self, world: &mut World) -> Result<(), PowderError> {
        self.rounded.clear();
        self.rounded.extend(self.grains.iter().map(|grain| grain.place.cast::<f32>()));
        world.set_particles(self.shape, 0, &self.rounded)?;
        Ok(())
    }
}

impl PowderSettings {
    fn check(&self) -> Result<(), PowderError> {
        let least = |setting, value: f64, least: f64, wanted| match value.is_finite() && value >= least {
            true => Ok(()),
            false => Err(PowderError::Setting { setting, value, wanted }),
        };
        for k in 0..3 {
            least("gravity", self.gravity[k], f64::MIN, "finite")?;
        }
        least("friction", self.friction, 0.0, "finite and 0 or more")?;
        least("damping", self.damping, 0.0, "finite and 0 or more")?;
        least("rest", self.rest, 0.0, "finite and 0 or more")?;
        least("push", self.push, 0.0, "finite and 0 or more")?;
        least("substeps", f64::from(self.substeps), 1.0, "1 or more")?;
        least("iterations", f64::from(self.iterations), 1.0, "1 or more")
    }
}
