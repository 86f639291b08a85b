//! How a link moves while the joints that carry it do.
//!
//! A point `p` of the link is a product of turns and shifts. With `J_j = ∂p/∂q_j`, the axis `a_j` of a prismatic joint or
//! `a_j × (p − o_j)` of a revolute one, it moves at `ṗ = Σ q̇_j J_j`. A joint `i` nearer to the base than `j`, or `j` itself, turns `J_j` with it
//! if it is revolute, and leaves it as it is if it is prismatic: `∂J_j/∂q_i = a_i × J_j` or 0 (the kinematic Hessian, symmetric in
//! `i` and `j`). All joints move evenly, so
//!
//! - `|ṗ| ≤ Σ s_j`, where `s_j` bounds `|q̇_j J_j|`;
//! - `|p̈| ≤ Σ_{i revolute} |q̇_i| (s_i + 2 Σ_{j after i} s_j)`, and the path strays from its chord by no more than an eighth of that, times the
//!   time squared (Taylor), from its tangent by a half.
//!
//! `s_j = |q̇_j|` for a prismatic joint. For a revolute one it is `|q̇_j|` times a bound of the distance from its axis: the part of the next
//! joint's offset at right angles to the axis, and the lengths of all that follows, with what prismatic joints there extend to at most. It
//! grows with the point's distance `r` from the link's origin as `s + |q̇_j| r`, so both bounds are of the form `x + y r`.
//!
//! Sources: Hourtash, "The Kinematic Hessian and Higher Derivatives", 2005; Redon, Kim, Lin, Manocha, "Fast Continuous Collision
//! Detection for Articulated Models", 2004, bound links by interval arithmetic instead; bounds from the sum of lengths as Zhang, Redon,
//! Lee, Kim, "Continuous Collision Detection for Articulated Models using Taylor Models and Temporal Culling", 2007, use them for speeds.

use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

use crate::Motion;

/// A joint that moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct MovingJoint {
    /// Its axes and place (m) in the frame of the joint that moves before it; it moves about or along the third axis.
    pub rotation: Matrix3<f64>,
    pub offset: Vector3<f64>,
    pub revolute: bool,
    pub from: f64,
    pub rate: f64,
}

/// How what stands in a link's frame moves from time 0 to time 1, in the frame of whatever carries it. [`crate::Linkage::path`] makes one;
/// its buffers are used again.
#[derive(Clone, Debug)]
pub struct LinkPath {
    pub(super) links: Vec<usize>,
    pub(super) joints: Vec<MovingJoint>,
    pub(super) start: Isometry3<f64>,
    pub(super) end: Isometry3<f64>,
    /// Behind the last joint that moves.
    tail: (Matrix3<f64>, Vector3<f64>),
    /// What [`LinkPath::speed`] and [`LinkPath::acceleration`] are made of.
    speed: [f64; 2],
    acceleration: [f64; 2],
    /// The first joint that moves is as far from the frame's origin, and the origin no farther from that joint (m).
    first: f64,
    length: f64,
    /// How far turns are from 0 at most, in all (rad).
    turns: f64,
}

/// Where something stands, and how it moves there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacedLink {
    pub rotation: Matrix3<f64>,
    pub place: Vector3<f64>,
    /// Angular velocity (rad per motion), and that of its origin (m per motion).
    pub turn: Vector3<f64>,
    pub velocity: Vector3<f64>,
}

impl Default for LinkPath {
    fn default() -> LinkPath {
        LinkPath {
            links: Vec::new(),
            joints: Vec::new(),
            start: Isometry3::identity(),
            end: Isometry3::identity(),
            tail: (Matrix3::identity(), Vector3::zeros()),
            speed: [0.0; 2],
            acceleration: [0.0; 2],
            first: 0.0,
            length: 0.0,
            turns: 0.0,
        }
    }
}

impl LinkPath {
    /// Where it stands at time 0 (m).
    pub fn start(&self) -> &Isometry3<f64> {
        &self.start
    }

    /// Where it stands at time 1 (m).
    pub fn end(&self) -> &Isometry3<f64> {
        &self.end
    }

    /// Whether nothing moves.
    pub fn is_still(&self) -> bool {
        self.joints.is_empty()
    }

    /// The sum of all turns (rad).
    pub fn spin(&self) -> f64 {
        self.speed[1]
    }

    /// No point that is `radius` (m) from its origin moves faster (m per motion).
    pub fn speed(&self, radius: f64) -> f64 {
        self.speed[0] + self.speed[1] * radius
    }

    /// No point that is `radius` (m) from its origin is accelerated more (m per motion squared).
    pub fn acceleration(&self, radius: f64) -> f64 {
        self.acceleration[0] + self.acceleration[1] * radius
    }

    /// The same as a rigid motion, where it is one: shifts along lines, then one turn at most.
    pub fn as_motion(&self) -> Option<Motion> {
        let turning = self.joints.iter().position(|joint| joint.revolute);
        if turning.is_some_and(|first| first + 1 < self.joints.len()) {
            return None;
        }
        let motion = Motion::between(self.start, self.end);
        let Some(joint) = turning.map(|last| &self.joints[last]) else {
            return Some(motion.turn(Vector3::zeros()));
        };
        // Only shifts come before: the axis keeps its direction.
        let axis = self.joints.iter().fold(Matrix3::identity(), |r, joint| r * joint.rotation).column(2)
            * joint.rate;
        let center = self.tail.0.tr_mul(&-self.tail.1);
        Some(motion.about(Point3::from(center)).turn(axis))
    }

    pub(super) fn clear(&mut self) {
        self.links.clear();
        self.joints.clear();
    }

    /// Says what stands behind the last joint, and finds the bounds.
    pub(super) fn finish(&mut self, tail: (Matrix3<f64>, Vector3<f64>)) {
        self.tail = tail;
        (self.speed, self.acceleration) = ([0.0; 2], [0.0; 2]);
        (self.length, self.turns) = (0.0, 0.0);
        let mut next = tail.1;
        for joint in self.joints.iter().rev() {
            let rate = joint.rate.abs();
            let most = joint.from.abs().max((joint.from + joint.rate).abs());
            if joint.revolute {
                let reach = next.xy().norm() + self.length;
                let own = [rate * reach, rate];
                for (k, own) in own.into_iter().enumerate() {
                    self.acceleration[k] += rate * (own + 2.0 * self.speed[k]);
                    self.speed[k] += own;
                }
                self.turns += most;
                self.length += next.norm();
            } else {
                self.speed[0] += rate;
                self.length += next.norm() + most;
            }
            next = joint.offset;
        }
        self.first = next.norm();
    }

    /// The sizes that a placed point within `reach` (m) of its origin is made of (m): each joint, and each radian, rounds it once more.
    pub(crate) fn sizes(&self, reach: f64) -> f64 {
        self.first + (self.length + reach) * (1.0 + self.turns + self.spin() + self.joints.len() as f64)
    }

    /// Where it stands at a time, beside a point (m).
    pub(crate) fn at(&self, time: f64, origin: &Point3<f64>) -> PlacedLink {
        let (mut rotation, mut place) = (Matrix3::identity(), -origin.coords);
        // The velocity of what stands at the point.
        let (mut turn, mut velocity) = (Vector3::zeros(), Vector3::zeros());
        for joint in &self.joints {
            place += rotation * joint.offset;
            rotation *= joint.rotation;
            let axis = rotation.column(2).into_owned();
            let value = joint.from + joint.rate * time;
            if joint.revolute {
                turn += axis * joint.rate;
                velocity += place.cross(&axis) * joint.rate;
                let (sine, cosine) = value.sin_cos();
                let (x, y) = (rotation.column(0).into_owned(), rotation.column(1).into_owned());
                rotation.set_column(0, &(x * cosine + y * sine));
                rotation.set_column(1, &(y * cosine - x * sine));
            } else {
                velocity += axis * joint.rate;
                place += axis * value;
            }
        }
        place += rotation * self.tail.1;
        rotation *= self.tail.0;
        velocity += turn.cross(&place);
        PlacedLink { rotation, place, turn, velocity }
    }
}
