//! Errors of a simulation. In every case the bodies stay as they were.

use impinge::geometry::mass::MassError;
use impinge::{SolveError, WorldError};

use crate::{BodyId, HingeId, Motor};

/// Something the simulator cannot do.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SimulatorError {
    /// A setting is out of its range.
    #[error("setting `{setting}` is {value}; {remedy}")]
    Setting {
        /// Its name.
        setting: &'static str,
        /// The value given.
        value: f64,
        /// A remedy.
        remedy: &'static str,
    },
    /// The body was removed, or belongs to another simulator.
    #[error("{id} is not in this simulator; it was removed, or belongs to another one")]
    UnknownBody {
        /// The body asked for.
        id: BodyId,
    },
    /// The hinge was removed, or belongs to another simulator.
    #[error(
        "{id} is not in this simulator; it was removed, with one of its bodies perhaps, or belongs to another one"
    )]
    UnknownHinge {
        /// The hinge asked for.
        id: HingeId,
    },
    /// The axis of a wheel has no direction.
    #[error("a wheel's axis is {axis:?}; it must be finite and not 0")]
    WheelAxis {
        /// The axis given.
        axis: [f64; 3],
    },
    /// A hinge from a body to itself.
    #[error("a hinge is to hold {id} to itself; give it two bodies, or one and the world")]
    HingeOnItself {
        /// The body.
        id: BodyId,
    },
    /// A hinge without a place or a direction.
    #[error(
        "the hinge has its anchor at {anchor:?} and its axis along {axis:?}; all must be finite, and the axis not 0"
    )]
    HingePlace {
        /// The anchor given (m).
        anchor: [f64; 3],
        /// The axis given.
        axis: [f64; 3],
    },
    /// A motor that cannot be.
    #[error("{motor:?}: the speed (rad/s) must be finite, the greatest torque (N·m) finite and not negative")]
    Motor {
        /// The value given.
        motor: Motor,
    },
    /// A force or torque that is not a number.
    #[error("the load's {load} is {value:?}; it must be finite (and 0 for a fixed body)")]
    Load {
        /// Which one: `force` (N) or `torque` (N·m).
        load: &'static str,
        /// The value given.
        value: [f64; 3],
    },
    /// A density that no body can have.
    #[error("density is {density} kg/m³; it must be finite and greater than 0 (or make the body fixed)")]
    Density {
        /// The value given.
        density: f64,
    },
    /// A velocity that is not a number.
    #[error("{velocity} velocity is {value:?}; it must be finite")]
    Velocity {
        /// Which one: `linear` (m/s) or `angular` (rad/s).
        velocity: &'static str,
        /// The value given.
        value: [f64; 3],
    },
    /// The shape has no mass properties.
    #[error("mass of the shape: {0}")]
    Mass(#[from] MassError),
    /// Mass or inertia beyond what numbers can hold.
    #[error("mass {mass} kg with its inertia is out of range; give the body a reasonable size and density")]
    MassRange {
        /// The mass found.
        mass: f64,
    },
    /// A step of no or negative length.
    #[error("dt is {dt} s; it must be finite and greater than 0")]
    Dt {
        /// The value given.
        dt: f64,
    },
    /// The world refused.
    #[error(transparent)]
    World(#[from] WorldError),
    /// The contacts could not be solved.
    #[error(transparent)]
    Solve(#[from] SolveError<SolverError>),
    /// No more bodies can be named.
    #[error("the simulator is full: no more than 2^31 bodies can be held")]
    Full,
}

/// Errors of solving contacts.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SolverError {
    /// A body's velocity or position is not a number any more.
    #[error(
        "the motion of {id} is no longer finite; use smaller steps, or masses and velocities closer together"
    )]
    Diverged {
        /// The body.
        id: BodyId,
    },
}
