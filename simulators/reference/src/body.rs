//! Bodies.

use std::fmt;

use impinge::geometry::mass::MassProperties;
use impinge::{ColliderId, Material, ShapeId};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use crate::size::Size;
use crate::spin::{self, Inertia};

/// The name of a body, given by the simulator that holds it; never given twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId {
    /// The slot.
    pub index: u32,
    /// How many bodies the slot has held before.
    pub generation: u32,
}

impl fmt::Display for BodyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "body {}.{}", self.index, self.generation)
    }
}

/// A body, described before it is added by [`Simulator::add_body`](crate::Simulator::add_body).
#[derive(Clone, Debug, PartialEq)]
pub struct BodyDesc {
    /// Its shape, of the simulator's world.
    pub shape: ShapeId,
    /// Where the shape's frame stands (m).
    pub pose: Isometry3<f64>,
    /// Density (kg/m³); `None` for a body that no contact moves.
    pub density: Option<f64>,
    /// Its material.
    pub material: Material,
    /// Velocity of the centre of mass (m/s).
    pub linear_velocity: Vector3<f64>,
    /// Angular velocity (rad/s, world axes).
    pub angular_velocity: Vector3<f64>,
    /// Bodies of one part never collide with each other.
    pub part: Option<u32>,
    /// Whether it is swept along its way in every step, so that it passes through nothing that it comes to, at any speed.
    pub fast: bool,
    /// The axis that it is round about, through its centre of mass (the shape's frame; need not be of length 1), if it is to turn about it as a wheel:
    /// then its surface stays where it is as it turns, however fast it does, and what presses on it from the side does not turn it. Contacts of
    /// other bodies hold points that turn with them.
    pub wheel_axis: Option<Vector3<f64>>,
}

impl BodyDesc {
    /// A body of 1000 kg/m³ at the origin, at rest.
    pub fn new(shape: ShapeId) -> BodyDesc {
        BodyDesc {
            shape,
            pose: Isometry3::identity(),
            density: Some(1000.0),
            material: Material::default(),
            linear_velocity: Vector3::zeros(),
            angular_velocity: Vector3::zeros(),
            part: None,
            fast: false,
            wheel_axis: None,
        }
    }

    /// A body that no contact moves, at the origin. With a velocity it is kinematic, as a lift or a turntable: it goes on
    /// with it whatever it meets, and carries along what lies on it. (Hinges hold on to where it is, and do not know how
    /// fast it is.)
    pub fn fixed(shape: ShapeId) -> BodyDesc {
        BodyDesc { density: None, ..BodyDesc::new(shape) }
    }

    /// Places it (m).
    pub fn pose(self, pose: Isometry3<f64>) -> BodyDesc {
        BodyDesc { pose, ..self }
    }

    /// Places it at a position (m), unturned.
    pub fn position(self, position: [f64; 3]) -> BodyDesc {
        self.pose(Isometry3::from_parts(Translation3::from(position), UnitQuaternion::identity()))
    }

    /// Its density (kg/m³); the body moves.
    pub fn density(self, density: f64) -> BodyDesc {
        BodyDesc { density: Some(density), ..self }
    }

    /// Its material.
    pub fn material(self, material: Material) -> BodyDesc {
        BodyDesc { material, ..self }
    }

    /// Velocity of the centre of mass (m/s); of the origin of a fixed body.
    pub fn linear_velocity(self, linear_velocity: Vector3<f64>) -> BodyDesc {
        BodyDesc { linear_velocity, ..self }
    }

    /// Angular velocity (rad/s, world axes).
    pub fn angular_velocity(self, angular_velocity: Vector3<f64>) -> BodyDesc {
        BodyDesc { angular_velocity, ..self }
    }

    /// Whether it is swept along its way in every step, so that it passes through nothing that it comes to, at any speed. What is
    /// fast does not have a step split into more detections.
    pub fn fast(self, fast: bool) -> BodyDesc {
        BodyDesc { fast, ..self }
    }

    /// The axis that it is round about ([`BodyDesc::wheel_axis`]).
    pub fn wheel_axis(self, axis: Vector3<f64>) -> BodyDesc {
        BodyDesc { wheel_axis: Some(axis), ..self }
    }

    /// The part it belongs to.
    pub fn part(self, part: u32) -> BodyDesc {
        BodyDesc { part: Some(part), ..self }
    }
}

/// The dynamic state of a body that moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dynamics {
    pub mass: f64,
    pub inertia: Inertia,
    /// The centre of mass in the shape's frame (m).
    pub local_center: Point3<f64>,
    pub size: Size,
    /// An upper bound of the mean speed of its points over the last detection (m/s): how far they have
    /// come: unlike velocities this includes the motion that pushes overlapping bodies apart.
    pub recent_speed: f64,
    /// For how long it has been slow (s), and where it was when that began.
    pub slow_time: f64,
    pub slow_from: Isometry3<f64>,
    pub asleep: bool,
    pub load: Load,
    /// The axis that it is round about (the shape's frame), unit.
    pub wheel_axis: Option<Vector3<f64>>,
}

/// External load on a body, until it is changed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Load {
    /// Force at the centre of mass (N, world).
    pub force: Vector3<f64>,
    /// Torque (N·m, world).
    pub torque: Vector3<f64>,
}

impl Dynamics {
    /// `None` where mass or inertia cannot be held or inverted.
    pub fn new(properties: &MassProperties, size: Size, density: f64) -> Option<Dynamics> {
        let mass = properties.mass(density);
        let tensor = properties.inertia_at(density);
        let inverse = tensor.try_inverse()?;
        let usable = mass.is_finite()
            && (1.0 / mass).is_finite()
            && tensor.iter().chain(inverse.iter()).all(|x| x.is_finite());
        usable.then_some(Dynamics {
            mass,
            inertia: Inertia { tensor, inverse },
            local_center: properties.center,
            size,
            recent_speed: 0.0,
            slow_time: 0.0,
            slow_from: Isometry3::identity(),
            asleep: false,
            load: Load::default(),
            wheel_axis: None,
        })
    }
}

/// A body of a simulator.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    pub(crate) collider: ColliderId,
    pub(crate) pose: Isometry3<f64>,
    pub(crate) linear_velocity: Vector3<f64>,
    pub(crate) angular_velocity: Vector3<f64>,
    pub(crate) dynamics: Option<Dynamics>,
    pub(crate) fast: bool,
}

impl Body {
    /// The collider that places its shape in the world.
    pub fn collider(&self) -> ColliderId {
        self.collider
    }

    /// Where its shape's frame stands (m).
    pub fn pose(&self) -> &Isometry3<f64> {
        &self.pose
    }

    /// Where its centre of mass is (m, world); the shape's origin for a fixed body.
    pub fn center(&self) -> Point3<f64> {
        self.pose * self.dynamics.map_or(Point3::origin(), |d| d.local_center)
    }

    /// Velocity of the centre of mass (m/s).
    pub fn linear_velocity(&self) -> Vector3<f64> {
        self.linear_velocity
    }

    /// Angular velocity (rad/s, world axes).
    pub fn angular_velocity(&self) -> Vector3<f64> {
        self.angular_velocity
    }

    /// Mass (kg); infinite for a fixed body.
    pub fn mass(&self) -> f64 {
        self.dynamics.map_or(f64::INFINITY, |d| d.mass)
    }

    /// The external load; none on a fixed body.
    pub fn load(&self) -> Load {
        self.dynamics.map_or_else(Load::default, |d| d.load)
    }

    /// Whether no contact moves it.
    pub fn is_fixed(&self) -> bool {
        self.dynamics.is_none()
    }

    /// Whether it moves although it is fixed.
    pub fn is_kinematic(&self) -> bool {
        let moves = |v: &Vector3<f64>| *v != Vector3::zeros();
        self.is_fixed() && (moves(&self.linear_velocity) || moves(&self.angular_velocity))
    }

    /// Whether it has come to rest and is left alone until something moves it.
    pub fn asleep(&self) -> bool {
        self.dynamics.is_some_and(|d| d.asleep)
    }

    /// Momentum (kg·m/s).
    pub fn momentum(&self) -> Vector3<f64> {
        self.dynamics.map_or(Vector3::zeros(), |d| self.linear_velocity * d.mass)
    }

    /// Angular momentum about the centre of mass (kg·m²/s, world axes).
    pub fn angular_momentum(&self) -> Vector3<f64> {
        self.dynamics
            .map_or(Vector3::zeros(), |d| d.inertia.momentum(&self.pose.rotation, &self.angular_velocity))
    }

    /// Kinetic energy (J).
    pub fn kinetic_energy(&self) -> f64 {
        0.5 * self.momentum().dot(&self.linear_velocity)
            + 0.5 * self.angular_momentum().dot(&self.angular_velocity)
    }

    /// An upper bound of the speed of its points, now and over the last detection (m/s).
    pub(crate) fn top_speed(&self) -> f64 {
        self.dynamics.map_or(0.0, |d| d.recent_speed.max(self.speed_now(&d)))
    }

    fn speed_now(&self, dynamics: &Dynamics) -> f64 {
        self.linear_velocity.norm() + self.angular_velocity.norm() * dynamics.size.radius
    }

    /// Moves a kinematic body on by `dt` (s).
    pub(crate) fn move_kinematic(&mut self, dt: f64) {
        if self.is_kinematic() {
            self.pose.translation.vector += self.linear_velocity * dt;
            let turn = spin::turn(&(self.angular_velocity * dt));
            self.pose.rotation = UnitQuaternion::new_normalize((turn * self.pose.rotation).into_inner());
        }
    }

    /// Counts on for how long the body has been slow: slower than `speed` (m/s), and no farther gone in that
    /// time than this speed makes in `time` (s). (What is squeezed from two sides goes to and fro faster
    /// than it has speed, and gets nowhere.)
    pub(crate) fn count_slow(&mut self, speed: f64, time: f64, dt: f64) {
        let Some(mut dynamics) = self.dynamics.filter(|d| !d.asleep) else { return };
        let center = |pose: &Isometry3<f64>| pose * dynamics.local_center;
        let turn = self.pose.rotation.angle_to(&dynamics.slow_from.rotation);
        let travel = (center(&self.pose) - center(&dynamics.slow_from)).norm() + turn * dynamics.size.radius;
        if dynamics.slow_time > 0.0 && self.speed_now(&dynamics) < speed && travel < speed * time {
            dynamics.slow_time += dt;
        } else {
            // The time begins with the first step from here.
            dynamics.slow_time = if self.speed_now(&dynamics) < speed { dt } else { 0.0 };
            dynamics.slow_from = self.pose;
        }
        self.dynamics = Some(dynamics);
    }
}
