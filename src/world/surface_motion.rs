//! Velocities of colliders that no solver moves, and belts on colliders.

use impinge_contacts::SurfaceMotion;
use impinge_geometry::{ColliderId, FARTHEST};
use nalgebra::{Point3, Vector3};

use crate::collider::CarriedVelocity;
use crate::{Collider, World, WorldError};

impl World {
    /// Says how fast a [fixed](Collider::fixed) collider is that the program moves by [`World::set_pose`]: a lift, a
    /// turntable, a door. `linear` is the velocity of its origin (m/s), `angular` its angular velocity (rad/s, world
    /// axes). Solvers see it from the next [`World::solve`] on, in
    /// [`ContactRow::surface_velocity`](crate::ContactRow::surface_velocity), until it is changed: what lies on it is
    /// carried along by friction, and lifted before it is overlapped.
    ///
    /// Nothing is moved by this, and a motion by `set_pose` alone has no velocity: a world knows of no time.
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`], or [`WorldError::Velocity`] for one that is not finite or beyond 1e30.
    pub fn set_velocity(
        &mut self,
        id: ColliderId,
        linear: Vector3<f64>,
        angular: Vector3<f64>,
    ) -> Result<(), WorldError> {
        let held = self.state.collider_mut(id)?;
        let carried = CarriedVelocity { linear, angular, ..held.collider.carried };
        held.collider.carried = carried.checked()?;
        Ok(())
    }

    /// Lets a collider's surface run along it like a conveyor belt, with `velocity` (m/s) in the collider's own frame,
    /// from the next [`World::solve`] on: see [`Collider::surface_velocity`].
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`], or [`WorldError::Velocity`] for one that is not finite or beyond 1e30.
    pub fn set_surface_velocity(&mut self, id: ColliderId, velocity: Vector3<f64>) -> Result<(), WorldError> {
        let held = self.state.collider_mut(id)?;
        let carried = CarriedVelocity { belt: velocity, ..held.collider.carried };
        held.collider.carried = carried.checked()?;
        Ok(())
    }
}

impl CarriedVelocity {
    /// The velocities, if they can be used.
    pub(crate) fn checked(self) -> Result<CarriedVelocity, WorldError> {
        for (velocity, value) in [("linear", self.linear), ("angular", self.angular), ("surface", self.belt)]
        {
            // Rows have a distance times the square of an angular velocity: it must stay finite.
            if !value.iter().all(|x| x.abs() <= FARTHEST) {
                return Err(WorldError::Velocity { velocity, value: value.into() });
            }
        }
        Ok(self)
    }
}

/// How a collider's surface moves in a step of `dt` (s), beside what its solver knows. A body that is not fixed has its velocity from the
/// solver.
pub(super) fn surface_motion(collider: &Collider, dt: f64) -> SurfaceMotion {
    let CarriedVelocity { linear, angular, belt } = collider.carried;
    if collider.carried == CarriedVelocity::default() {
        return SurfaceMotion::STILL;
    }
    let of_fixed = |v: Vector3<f64>| if collider.filter.is_static { v } else { Vector3::zeros() };
    SurfaceMotion {
        origin: Point3::from(collider.pose.translation.vector),
        linear: of_fixed(linear),
        angular: of_fixed(angular),
        belt: collider.pose.rotation * belt,
        dt,
    }
}
