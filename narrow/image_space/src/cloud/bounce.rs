//! What a point does when it hits something.

use nalgebra::{Point3, Vector3};
use thiserror::Error;

use super::CloudHit;

/// How points bounce.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounce {
    /// The part of the speed against the surface that comes back, 0 to 1.
    pub restitution: f32,
    /// The part of the speed along the surface that is lost, 0 to 1.
    pub friction: f32,
    /// How far before the surface the point is put (m), not negative; one with a radius by that farther.
    pub gap: f32,
}

impl Default for Bounce {
    fn default() -> Bounce {
        Bounce { restitution: 0.5, friction: 0.0, gap: 0.0 }
    }
}

/// A number of a [`Bounce`] that is out of range.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{what} of a bounce is {value}; it must be {right}")]
pub struct BounceError {
    /// Which number.
    pub what: &'static str,
    /// What it was.
    pub value: f32,
    /// What would be right.
    pub right: &'static str,
}

impl Bounce {
    /// The same, if it can be used.
    ///
    /// # Errors
    /// [`BounceError`] for a number that is out of range.
    pub fn checked(self) -> Result<Bounce, BounceError> {
        let share = |what, value: f32| match (0.0..=1.0).contains(&value) {
            true => Ok(()),
            false => Err(BounceError { what, value, right: "from 0 to 1" }),
        };
        share("the restitution", self.restitution)?;
        share("the friction", self.friction)?;
        if !(self.gap.is_finite() && self.gap >= 0.0) {
            return Err(BounceError { what: "the gap", value: self.gap, right: "finite and not negative" });
        }
        Ok(self)
    }

    /// Puts a point that hit something before the surface (m) and turns its velocity (m/s) away from it.
    pub fn apply(&self, hit: &CloudHit, position: &mut [f32; 3], velocity: &mut [f32; 3]) {
        let at: Point3<f32> = hit.position.cast::<f32>() + hit.normal * (self.gap + hit.radius);
        *position = at.into();
        let v = Vector3::from(*velocity);
        let against = hit.normal.dot(&v);
        if against < 0.0 {
            let along = v - hit.normal * against;
            *velocity = (along * (1.0 - self.friction) - hit.normal * (against * self.restitution)).into();
        }
    }
}
