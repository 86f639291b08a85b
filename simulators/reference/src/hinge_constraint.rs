//! A hinge made ready for the substeps: its anchor held, its axes kept in line, its motor run.
//!
//! The anchor is a block of three rows, the alignment one of two, both damped springs as contacts are. Source:
//! Catto 2009, "Modeling and Solving Constraints".

use nalgebra::{Matrix2, Matrix3, Vector2, Vector3};

use crate::hinge::{Hinge, Impulses, across};
use crate::motion::Motion;
use crate::soft::{RIGID, Softness};

/// Frequency of the springs, as a share of the substeps' rate.
const FREQUENCY: f64 = 0.125;
/// Damping ratio of the springs.
const DAMPING: f64 = 2.0;

/// A hinge between two motions.
#[derive(Clone, Debug)]
pub(crate) struct HingeConstraint {
    /// Indices of the motions of A and B.
    pub bodies: [usize; 2],
    /// The hinge's place in its list.
    pub place: usize,
    /// From the centres of mass to the anchor (m, world, at the step's begin).
    arms: [Vector3<f64>; 2],
    /// Distance of the anchors, B's from A's, at the step's begin (m).
    gap: Vector3<f64>,
    /// The axis on A and on B at the step's begin (world).
    axes: [Vector3<f64>; 2],
    softness: Softness,
    /// Speed (rad/s) and greatest impulse of one substep (N·m·s).
    motor: Option<(f64, f64)>,
    impulses: Impulses,
    /// Of the motor, over all substeps (N·m·s).
    total: f64,
}

/// An end of a hinge at the step's begin, in world axes.
pub(crate) struct HingeEnd {
    pub index: usize,
    /// From the centre of mass to the anchor (m).
    pub arm: Vector3<f64>,
    /// Where the anchor is (m).
    pub anchor: Vector3<f64>,
    pub axis: Vector3<f64>,
}

impl HingeConstraint {
    /// `h`: length of a substep (s); `warm`: by how much it is longer than the last one.
    pub fn new(hinge: &Hinge, place: usize, ends: &[HingeEnd; 2], h: f64, warm: f64) -> HingeConstraint {
        let last = &hinge.impulses;
        let impulses = Impulses {
            anchor: last.anchor * warm,
            across: last.across.map(|x| x * warm),
            motor: if hinge.motor.is_some() { last.motor * warm } else { 0.0 },
        };
        HingeConstraint {
            bodies: [ends[0].index, ends[1].index],
            place,
            arms: [ends[0].arm, ends[1].arm],
            gap: ends[1].anchor - ends[0].anchor,
            axes: [ends[0].axis, ends[1].axis],
            softness: Softness::new(FREQUENCY / h, DAMPING, h),
            motor: hinge.motor.map(|motor| (motor.speed, motor.max_torque * h)),
            impulses,
            total: 0.0,
        }
    }

    /// Applies the impulses of the last substep again.
    pub fn warm_start(&self, a: &mut Motion, b: &mut Motion) {
        let arms = self.turned_arms(a, b);
        self.push(&self.impulses.anchor, &arms, a, b);
        let axis = a.turn * self.axes[0];
        let [u, v] = across(&axis);
        let [x, y] = self.impulses.across;
        twist(&(u * x + v * y + axis * self.impulses.motor), a, b);
    }

    /// Solves everything once. `push`: with the springs' push; without it only speeds are taken away.
    pub fn solve(&mut self, a: &mut Motion, b: &mut Motion, push: bool) {
        let axis = a.turn * self.axes[0];
        let softness = if push { self.softness } else { RIGID };
        self.run_motor(&axis, a, b, push);
        self.align(&axis, a, b, softness);
        self.hold(a, b, softness);
    }

    /// The state kept by the hinge: the impulses, and the motor's mean torque (N·m) over `dt` (s).
    pub fn finish(&self, hinge: &mut Hinge, dt: f64) {
        hinge.impulses = self.impulses;
        hinge.torque = self.total / dt;
    }

    /// Adds up what the motor has done in a substep.
    pub fn end_substep(&mut self) {
        self.total += self.impulses.motor;
    }

    fn turned_arms(&self, a: &Motion, b: &Motion) -> [Vector3<f64>; 2] {
        [a.turn * self.arms[0], b.turn * self.arms[1]]
    }

    fn push(&self, impulse: &Vector3<f64>, arms: &[Vector3<f64>; 2], a: &mut Motion, b: &mut Motion) {
        a.linear -= impulse * a.inverse_mass;
        a.angular -= a.inverse_inertia * arms[0].cross(impulse);
        b.linear += impulse * b.inverse_mass;
        b.angular += b.inverse_inertia * arms[1].cross(impulse);
    }

    fn run_motor(&mut self, axis: &Vector3<f64>, a: &mut Motion, b: &mut Motion, push: bool) {
        let Some((speed, most)) = self.motor else { return };
        let answer = axis.dot(&((a.inverse_inertia + b.inverse_inertia) * axis));
        if answer <= 0.0 || !push {
            return;
        }
        let wanted = self.impulses.motor + (speed - (b.angular - a.angular).dot(axis)) / answer;
        let impulse = wanted.clamp(-most, most);
        twist(&(axis * (impulse - self.impulses.motor)), a, b);
        self.impulses.motor = impulse;
    }

    /// Keeps the axes of both bodies in line.
    fn align(&mut self, axis: &Vector3<f64>, a: &mut Motion, b: &mut Motion, softness: Softness) {
        let rows = across(axis);
        let inertia = a.inverse_inertia + b.inverse_inertia;
        let answer = Matrix2::from_fn(|i, j| rows[i].dot(&(inertia * rows[j])));
        let Some(mass) = answer.try_inverse() else { return };
        let tilt = axis.cross(&(b.turn * self.axes[1]));
        let speed = b.angular - a.angular;
        let off = Vector2::from_fn(|i, _| rows[i].dot(&speed) + softness.bias * rows[i].dot(&tilt));
        let last = Vector2::from(self.impulses.across);
        let impulse = -(mass * off) * softness.mass - last * softness.impulse;
        twist(&(rows[0] * impulse.x + rows[1] * impulse.y), a, b);
        self.impulses.across = (last + impulse).into();
    }

    /// Holds both bodies together at the anchor.
    fn hold(&mut self, a: &mut Motion, b: &mut Motion, softness: Softness) {
        let arms = self.turned_arms(a, b);
        let [p, q] = arms.map(|arm| arm.cross_matrix());
        let answer = Matrix3::from_diagonal_element(a.inverse_mass + b.inverse_mass)
            - p * a.inverse_inertia * p
            - q * b.inverse_inertia * q;
        let Some(mass) = answer.try_inverse() else { return };
        let gap = self.gap + b.displacement(&self.arms[1]) - a.displacement(&self.arms[0]);
        let speed = b.velocity_at(&arms[1]) - a.velocity_at(&arms[0]);
        let last = self.impulses.anchor;
        let impulse = -(mass * (speed + gap * softness.bias)) * softness.mass - last * softness.impulse;
        self.push(&impulse, &arms, a, b);
        self.impulses.anchor = last + impulse;
    }
}

/// Turns B by an angular impulse (N·m·s) and A against it.
fn twist(impulse: &Vector3<f64>, a: &mut Motion, b: &mut Motion) {
    a.angular -= a.inverse_inertia * impulse;
    b.angular += b.inverse_inertia * impulse;
}
