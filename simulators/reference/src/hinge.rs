//! Hinges: a body turns about an axis of another body, or of the world.

use std::f64::consts::{PI, TAU};
use std::fmt;

use nalgebra::{Isometry3, Point3, Unit, Vector3};

use crate::BodyId;

/// The name of a hinge, given by the simulator that holds it; never given twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HingeId(pub(crate) u64);

impl fmt::Display for HingeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "hinge {}", self.0)
    }
}

/// The motor of a hinge: it turns at the target speed as far as its torque suffices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motor {
    /// Speed about the axis, of B against A (rad/s).
    pub speed: f64,
    /// The greatest torque (N·m). With a speed of 0 this is friction in the hinge.
    pub max_torque: f64,
}

/// A hinge, described before it is added by [`Simulator::add_hinge`](crate::Simulator::add_hinge).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HingeDesc {
    /// The reference body of the hinge; `None` for the world.
    pub a: Option<BodyId>,
    /// The body that turns about the axis.
    pub b: BodyId,
    /// A point of the axis (m, world, as the bodies stand when the hinge is added).
    pub anchor: Point3<f64>,
    /// Direction of the axis (world); need not be of length 1.
    pub axis: Vector3<f64>,
    /// Its motor; `None` where it turns freely.
    pub motor: Option<Motor>,
}

impl HingeDesc {
    /// A body that turns freely about an axis of the world.
    pub fn new(body: BodyId, anchor: Point3<f64>, axis: Vector3<f64>) -> HingeDesc {
        HingeDesc { a: None, b: body, anchor, axis, motor: None }
    }

    /// The axis belongs to this body and moves with it.
    pub fn on(self, a: BodyId) -> HingeDesc {
        HingeDesc { a: Some(a), ..self }
    }

    /// Drives it.
    pub fn motor(self, motor: Motor) -> HingeDesc {
        HingeDesc { motor: Some(motor), ..self }
    }
}

/// An axis with a mark across it, in the frame of one of the bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Axis {
    pub anchor: Point3<f64>,
    pub axis: Vector3<f64>,
    mark: Vector3<f64>,
}

impl Axis {
    /// The axis (world) as a body at `pose` carries it; `None` where it has no direction.
    pub fn new(anchor: &Point3<f64>, axis: &Vector3<f64>, pose: &Isometry3<f64>) -> Option<Axis> {
        let axis = Unit::try_new(*axis, 1e-150)?.into_inner();
        let mark = across(&axis)[0];
        Some(Axis {
            anchor: pose.inverse_transform_point(anchor),
            axis: pose.inverse_transform_vector(&axis),
            mark: pose.inverse_transform_vector(&mark),
        })
    }
}

/// Two directions that stand across a unit vector and across each other.
pub(crate) fn across(axis: &Vector3<f64>) -> [Vector3<f64>; 2] {
    let least = axis.map(f64::abs).imin();
    let first = axis.cross(&Vector3::ith(least, 1.0)).normalize();
    [first, axis.cross(&first)]
}

/// A hinge of a simulator.
#[derive(Clone, Debug, PartialEq)]
pub struct Hinge {
    pub(crate) id: HingeId,
    pub(crate) a: Option<BodyId>,
    pub(crate) b: BodyId,
    /// On A and on B.
    pub(crate) axes: [Axis; 2],
    pub(crate) motor: Option<Motor>,
    /// Impulses of one substep, for warm starting: at the anchor (N·s), across the axis and about it
    /// (N·m·s).
    pub(crate) impulses: Impulses,
    pub(crate) angle: f64,
    pub(crate) torque: f64,
}

/// Impulses of a hinge in one substep.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Impulses {
    pub anchor: Vector3<f64>,
    pub across: [f64; 2],
    pub motor: f64,
}

impl Hinge {
    /// The bodies A (`None`: the world) and B.
    pub fn bodies(&self) -> (Option<BodyId>, BodyId) {
        (self.a, self.b)
    }

    /// Its motor.
    pub fn motor(&self) -> Option<Motor> {
        self.motor
    }

    /// By how much B has turned about the axis, against A, since the hinge was added (rad); whole turns
    /// count.
    pub fn angle(&self) -> f64 {
        self.angle
    }

    /// Mean torque of the motor in the last step (N·m).
    pub fn torque(&self) -> f64 {
        self.torque
    }

    /// Takes in where the bodies have come to.
    pub(crate) fn turned(&mut self, poses: [&Isometry3<f64>; 2]) {
        let [a, b] = [0, 1].map(|k| poses[k] * self.axes[k].mark);
        let axis = poses[0] * self.axes[0].axis;
        let now = libm::atan2(a.cross(&b).dot(&axis), a.dot(&b));
        let step = libm::remainder(now - self.angle, TAU);
        debug_assert!(step.abs() <= PI + 1e-9);
        self.angle += step;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotation_vectors_count() {
        let still = Isometry3::identity();
        let axis = Axis::new(&Point3::origin(), &Vector3::new(0.0, 3.0, 0.0), &still).unwrap();
        let mut hinge = Hinge {
            id: HingeId(0),
            a: None,
            b: BodyId { index: 0, generation: 0 },
            axes: [axis; 2],
            motor: None,
            impulses: Impulses::default(),
            angle: 0.0,
            torque: 0.0,
        };
        for k in 1..=40 {
            let angle = -0.5 * f64::from(k);
            hinge.turned([&still, &Isometry3::rotation(Vector3::y() * angle)]);
            assert!((hinge.angle() - angle).abs() < 1e-9, "{} is not {angle}", hinge.angle());
        }
    }

    #[test]
    fn an_axis_needs_a_direction() {
        assert!(Axis::new(&Point3::origin(), &Vector3::zeros(), &Isometry3::identity()).is_none());
    }
}
