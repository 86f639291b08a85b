//! A body's motion during a step, as the contacts see it.

use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};

use crate::body::{Body, Load};
use crate::settings::SimulatorSettings;
use crate::spin;

/// A body's velocity and how far it has come since the step began. Bodies that do not move have no
/// inverse mass, so that whatever acts on them leaves them at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Motion {
    pub linear: Vector3<f64>,
    pub angular: Vector3<f64>,
    /// How far the centre of mass has moved (m).
    pub shift: Vector3<f64>,
    /// How far the body has turned.
    pub turn: UnitQuaternion<f64>,
    pub inverse_mass: f64,
    /// How far its surface has turned: as the body, but of a wheel without what it has turned about its axis.
    pub swing: UnitQuaternion<f64>,
    /// The axis of a wheel at the step's begin (world), unit.
    pub wheel_axis: Option<Vector3<f64>>,
    /// In world axes, at the step's begin (1/(kg·m²)).
    pub inverse_inertia: Matrix3<f64>,
    pub moves: bool,
}

impl Motion {
    /// A body that stays where it is.
    pub const STILL: Motion = Motion {
        linear: Vector3::new(0.0, 0.0, 0.0),
        angular: Vector3::new(0.0, 0.0, 0.0),
        shift: Vector3::new(0.0, 0.0, 0.0),
        turn: UnitQuaternion::new_unchecked(Quaternion::new(1.0, 0.0, 0.0, 0.0)),
        swing: UnitQuaternion::new_unchecked(Quaternion::new(1.0, 0.0, 0.0, 0.0)),
        wheel_axis: None,
        inverse_mass: 0.0,
        inverse_inertia: Matrix3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        moves: false,
    };

    pub fn new(body: &Body) -> Motion {
        match &body.dynamics {
            Some(dynamics) if !dynamics.asleep => Motion {
                linear: body.linear_velocity,
                angular: body.angular_velocity,
                inverse_mass: 1.0 / dynamics.mass,
                inverse_inertia: dynamics.inertia.world_inverse(&body.pose.rotation),
                wheel_axis: dynamics.wheel_axis.map(|axis| body.pose.rotation * axis),
                moves: true,
                ..Motion::STILL
            },
            _ => Motion::STILL,
        }
    }

    /// Gravity, load and damping for `h` (s).
    pub fn accelerate(&mut self, settings: &SimulatorSettings, load: &Load, h: f64) {
        if self.moves {
            self.linear += (settings.gravity + load.force * self.inverse_mass) * h;
            self.angular += self.inverse_inertia * load.torque * h;
            self.linear /= 1.0 + h * settings.linear_damping;
            self.angular /= 1.0 + h * settings.angular_damping;
        }
    }

    /// Moves and turns on for `h` (s).
    pub fn advance(&mut self, body: &Body, h: f64) {
        if let Some(dynamics) = body.dynamics.as_ref().filter(|_| self.moves) {
            self.shift += self.linear * h;
            let q = self.turn * body.pose.rotation;
            let (step, angular) = spin::advance(&dynamics.inertia, &q, &self.angular, h);
            self.turn = UnitQuaternion::new_normalize((step * self.turn).into_inner());
            self.angular = angular;
            self.keep_swing();
        }
    }

    fn keep_swing(&mut self) {
        self.swing = self.wheel_axis.map_or(self.turn, |axis| self.turn * about(&self.turn, &axis).inverse());
    }

    /// Where something that presses along `normal` at `r` (m) from the centre of mass acts: of a wheel right under its axis.
    pub fn pressed_at(&self, r: &Vector3<f64>, normal: &Vector3<f64>) -> Vector3<f64> {
        let Some(axis) = &self.wheel_axis else { return *r };
        let along = axis.cross(normal);
        let square = along.norm_squared();
        if square > 0.0 { r - along * (r.dot(&along) / square) } else { *r }
    }

    /// Moves (m) and turns (rad, small) it at once.
    pub fn place(&mut self, shift: &Vector3<f64>, turn: &Vector3<f64>) {
        self.shift += shift;
        let turn = Quaternion::from_parts(1.0, turn * 0.5);
        self.turn = UnitQuaternion::new_normalize(turn * self.turn.into_inner());
        self.keep_swing();
    }

    /// Velocity (m/s) of the body's point at `r` (m) from the centre of mass.
    #[inline]
    pub fn velocity_at(&self, r: &Vector3<f64>) -> Vector3<f64> {
        self.linear + self.angular.cross(r)
    }

    /// How far the body's point that was at `r` (m) from the centre of mass has moved (m).
    #[inline]
    pub fn displacement(&self, r: &Vector3<f64>) -> Vector3<f64> {
        self.displaced(&self.turn, r)
    }

    /// How far the place of its surface that was at `r` (m) from the centre of mass has moved (m).
    #[inline]
    pub fn surface_displacement(&self, r: &Vector3<f64>) -> Vector3<f64> {
        self.displaced(&self.swing, r)
    }

    #[inline]
    fn displaced(&self, turn: &UnitQuaternion<f64>, r: &Vector3<f64>) -> Vector3<f64> {
        let q = turn.quaternion();
        let (u, w) = (q.imag(), q.w);
        let t = u.cross(r) * 2.0;
        self.shift + t * w + u.cross(&t)
    }

    /// Whether all of it is a number.
    pub fn is_finite(&self) -> bool {
        [self.linear, self.angular, self.shift].iter().all(|v| v.iter().all(|x| x.is_finite()))
            && self.turn.coords.iter().all(|x| x.is_finite())
    }

    /// Gives the body where it has come to in `dt` (s) and how fast it is.
    pub fn finish(&self, body: &mut Body, dt: f64) {
        if let Some(dynamics) = body.dynamics.as_mut().filter(|_| self.moves) {
            dynamics.recent_speed = (self.shift.norm() + self.turn.angle() * dynamics.size.radius) / dt;
            let center = body.pose * dynamics.local_center + self.shift;
            let rotation = UnitQuaternion::new_normalize((self.turn * body.pose.rotation).into_inner());
            body.pose.rotation = rotation;
            body.pose.translation.vector = center.coords - rotation * dynamics.local_center.coords;
            body.linear_velocity = self.linear;
            body.angular_velocity = self.angular;
        }
    }
}

/// The part of a turn that is about an axis, unit, where the turn is applied first.
fn about(turn: &UnitQuaternion<f64>, axis: &Vector3<f64>) -> UnitQuaternion<f64> {
    let part = Quaternion::from_parts(turn.w, axis * turn.imag().dot(axis));
    UnitQuaternion::try_new(part, 1e-12).unwrap_or_else(UnitQuaternion::identity)
}

/// Lets something act between two bodies; nothing acts between a body and itself.
#[inline]
pub(crate) fn between(
    motions: &mut [Motion],
    bodies: [usize; 2],
    act: impl FnOnce(&mut Motion, &mut Motion),
) {
    if let Ok([a, b]) = motions.get_disjoint_mut(bodies) {
        act(a, b);
    }
}
