//! One direction at one place between two bodies.

use nalgebra::{Matrix3, Vector3};

use crate::motion::Motion;

/// One constraint direction at a point: lever arms and what a unit impulse does to each body.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Direction {
    pub axis: Vector3<f64>,
    /// `r × axis` of A and B.
    lever: [Vector3<f64>; 2],
    /// Inverse inertia times lever.
    turn: [Vector3<f64>; 2],
}

impl Direction {
    /// Along `axis`, at `arms` from both centres of mass.
    pub fn new(
        axis: Vector3<f64>,
        arms: &[Vector3<f64>; 2],
        inverse_inertia: [&Matrix3<f64>; 2],
    ) -> Direction {
        let lever = [arms[0].cross(&axis), arms[1].cross(&axis)];
        Direction { axis, lever, turn: [inverse_inertia[0] * lever[0], inverse_inertia[1] * lever[1]] }
    }

    /// Speed of B against A along the direction.
    #[inline]
    pub fn speed(&self, a: &Motion, b: &Motion) -> f64 {
        self.axis.dot(&(b.linear - a.linear)) + self.lever[1].dot(&b.angular) - self.lever[0].dot(&a.angular)
    }

    /// Pushes B along the direction and A against it.
    #[inline]
    pub fn push(&self, a: &mut Motion, b: &mut Motion, impulse: f64) {
        a.linear -= self.axis * (impulse * a.inverse_mass);
        a.angular -= self.turn[0] * impulse;
        b.linear += self.axis * (impulse * b.inverse_mass);
        b.angular += self.turn[1] * impulse;
    }

    /// Moves B along the direction and A against it, as far as this impulse would in a second, and leaves their
    /// velocities.
    pub fn shift(&self, a: &mut Motion, b: &mut Motion, impulse: f64) {
        a.place(&(self.axis * (-impulse * a.inverse_mass)), &(self.turn[0] * -impulse));
        b.place(&(self.axis * (impulse * b.inverse_mass)), &(self.turn[1] * impulse));
    }

    /// The effect of a unit impulse along `other` on the speed along this direction.
    pub fn answer(&self, other: &Direction, inverse_mass: f64) -> f64 {
        inverse_mass * self.axis.dot(&other.axis)
            + self.lever[0].dot(&other.turn[0])
            + self.lever[1].dot(&other.turn[1])
    }
}
