//! Rigid motions between two poses: a point of the body runs on a line while the body turns evenly about a fixed axis. And motions of the
//! links of articulated chains (`chain/`).
//!
//! Source: Redon, Kheddar, Coquillart, "Fast Continuous Collision Detection between Rigid Bodies", 2002 (the arbitrary
//! in-between motion); the reference point and the bend are ours.

mod chain;
mod error;
mod path;

#[cfg(test)]
mod tests;

use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use crate::FARTHEST;
use crate::canonical::checked_pose;

pub use chain::{Joint, JointKind, LinkPath, Linkage, LinkageError, MOST_JOINT_TURN};
pub use error::{MOST_TURN, MotionError};
pub use path::{BodyPath, PairPath, Twist};

/// How a body moves from time 0 to time 1.
///
/// A reference point of the body (its origin, unless [`Motion::about`] names another) runs on a line at even speed, and the
/// body turns about that point, evenly and about an axis that is fixed in the world.
///
/// ```
/// use impinge_geometry::Motion;
/// use nalgebra::{Isometry3, Point3, Vector3};
///
/// let (from, to) = (Isometry3::identity(), Isometry3::translation(2.0, 0.0, 0.0));
/// let motion = Motion::between(from, to).turn(Vector3::z() * std::f64::consts::PI);
/// let tip = motion.pose(0.5) * Point3::new(0.5, 0.0, 0.0);
/// assert!((tip - Point3::new(1.0, 0.5, 0.0)).norm() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    from: Isometry3<f64>,
    to: Isometry3<f64>,
    /// In the body's frame (m).
    center: Point3<f64>,
    turn: Option<Vector3<f64>>,
    bend: f64,
}

impl Motion {
    /// From one pose to another (m), by the shorter turn.
    pub fn between(from: Isometry3<f64>, to: Isometry3<f64>) -> Motion {
        Motion { from, to, center: Point3::origin(), turn: None, bend: 0.0 }
    }

    /// At rest (m).
    pub fn still(pose: Isometry3<f64>) -> Motion {
        Motion::between(pose, pose)
    }

    /// Along a vector (m, world), without a turn.
    pub fn translation(from: Isometry3<f64>, way: Vector3<f64>) -> Motion {
        let to = Isometry3::from_parts(Translation3::from(from.translation.vector + way), from.rotation);
        Motion::between(from, to).turn(Vector3::zeros())
    }

    /// Names the point (m, in the body's frame) that runs on a line, such as the centre of mass (default: the origin).
    pub fn about(mut self, center: Point3<f64>) -> Motion {
        self.center = center;
        self
    }

    /// Sets the turn: its axis (world) times its angle (rad), of any number of turns. The rotation of the last pose then is what
    /// this turn makes of the first; where the reference point goes stays what the last pose says.
    pub fn turn(mut self, turn: Vector3<f64>) -> Motion {
        self.turn = Some(turn);
        self
    }

    /// Says that no point of the body strays farther than this (m) from the motion described, as under an acceleration:
    /// a body that is accelerated by `a` and turned faster by `α` strays by no more than `(|a| + r |α|) dt² / 8`, `r` the
    /// greatest distance of its points from the reference point. (Centripetal acceleration is part of the turn.)
    pub fn bend(mut self, bend: f64) -> Motion {
        self.bend = bend;
        self
    }

    /// The first pose (m).
    pub fn start(&self) -> &Isometry3<f64> {
        &self.from
    }

    /// The turn from the first pose to the last: axis (world) times angle (rad).
    pub fn rotation_vector(&self) -> Vector3<f64> {
        // Equal rotations have no turn, not even one in rounding.
        let same = self.to.rotation == self.from.rotation;
        let shortest = || (self.to.rotation * self.from.rotation.inverse()).scaled_axis();
        self.turn.unwrap_or_else(|| if same { Vector3::zeros() } else { shortest() })
    }

    /// How far the reference point goes (m, world).
    pub fn way(&self) -> Vector3<f64> {
        self.to * self.center - self.from * self.center
    }

    /// The reference point (m, in the body's frame).
    pub fn center(&self) -> &Point3<f64> {
        &self.center
    }

    /// How far points may stray from the motion described (m).
    pub fn stray(&self) -> f64 {
        self.bend
    }

    /// Where the body stands at a time from 0 to 1 (m).
    pub fn pose(&self, time: f64) -> Isometry3<f64> {
        if time <= 0.0 {
            return self.from;
        }
        if time >= 1.0 && self.turn.is_none() {
            return self.to;
        }
        let rotation = UnitQuaternion::from_scaled_axis(self.rotation_vector() * time) * self.from.rotation;
        let center = self.from * self.center + self.way() * time;
        Isometry3::from_parts(Translation3::from(center - rotation * self.center), rotation)
    }

    /// The same motion from one time to another (both from 0 to 1); backward where the second is the earlier.
    pub fn part(&self, from: f64, to: f64) -> Motion {
        let turn = self.rotation_vector() * (to - from);
        Motion { from: self.pose(from), to: self.pose(to), turn: Some(turn), ..*self }
    }

    /// The motion of a child that stands at `pose` in the body's frame (m).
    pub fn of_child(&self, pose: &Isometry3<f64>) -> Motion {
        if *pose == Isometry3::identity() {
            return *self;
        }
        Motion {
            from: self.from * pose,
            to: self.to * pose,
            center: pose.inverse() * self.center,
            turn: Some(self.rotation_vector()),
            bend: self.bend,
        }
    }

    /// The motion with its poses normalised.
    ///
    /// # Errors
    /// [`MotionError`]: a pose that cannot be used, a turn, reference point or bend that is not a number or out of range.
    pub fn checked(&self) -> Result<Motion, MotionError> {
        let from = checked_pose(&self.from).map_err(|source| MotionError::Start { source })?;
        let to = checked_pose(&self.to).map_err(|source| MotionError::End { source })?;
        let turn = self.turn.unwrap_or_default();
        if !(0.0..=MOST_TURN).contains(&turn.norm()) {
            return Err(MotionError::Turn { turn: turn.into() });
        }
        if !self.center.iter().all(|x| x.abs() <= FARTHEST) {
            return Err(MotionError::Center { center: self.center.into() });
        }
        if !(0.0..=FARTHEST).contains(&self.bend) {
            return Err(MotionError::Bend { bend: self.bend });
        }
        Ok(Motion { from, to, ..*self })
    }
}
