//! Surfaces that move although a solver's bodies do not: kinematic bodies and conveyor belts.

use nalgebra::{Point3, Vector3};

/// How a collider's surface moves, beside the motion that a solver knows of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceMotion {
    /// The point that moves with `linear` (m, world): the collider's origin.
    pub origin: Point3<f64>,
    /// Velocity of the body (m/s).
    pub linear: Vector3<f64>,
    /// Angular velocity of the body (rad/s, world axes).
    pub angular: Vector3<f64>,
    /// Velocity of a belt that runs along the body's surface (m/s, world axes): only what is along the surface
    /// counts.
    pub belt: Vector3<f64>,
    /// The time step over which velocities are meant (s).
    pub dt: f64,
}

impl SurfaceMotion {
    /// Of a surface that does not move.
    pub const STILL: SurfaceMotion = SurfaceMotion {
        origin: Point3::new(0.0, 0.0, 0.0),
        linear: Vector3::new(0.0, 0.0, 0.0),
        angular: Vector3::new(0.0, 0.0, 0.0),
        belt: Vector3::new(0.0, 0.0, 0.0),
        dt: 0.0,
    };

    /// Whether nothing moves.
    pub fn is_still(&self) -> bool {
        [self.linear, self.angular, self.belt].iter().all(|v| *v == Vector3::zeros())
    }

    /// Mean velocity (m/s) over the time step of the surface that is at a place (m, world) and has this unit normal
    /// there at the step's begin: along the chord of its path, so that what sticks to a turning surface is not carried
    /// off along the tangent. (To second order in the angle of a step; the error is a sixth of its square.)
    pub fn at(&self, place: &Point3<f64>, normal: &Vector3<f64>) -> Vector3<f64> {
        let along = self.belt - normal * normal.dot(&self.belt);
        let tangent = self.angular.cross(&(place - self.origin));
        self.linear + tangent + self.angular.cross(&tangent) * (0.5 * self.dt) + along
    }

    /// Velocity (m/s) of B's surface against A's.
    pub(crate) fn between(
        a: &SurfaceMotion,
        b: &SurfaceMotion,
        place: &Point3<f64>,
        normal: &Vector3<f64>,
    ) -> Vector3<f64> {
        let of = |side: &SurfaceMotion| {
            if side.is_still() { Vector3::zeros() } else { side.at(place, normal) }
        };
        of(b) - of(a)
    }
}
