//! Manifolds of colliders that have hardly moved against each other: their points stay where they are on both bodies, and
//! their depths follow the motion, as in a persistent manifold (Catto 2005; Coumans' Bullet refreshes its points alike).

use nalgebra::{Isometry3, Matrix3, Point3, UnitQuaternion, Vector3};

use crate::{ContactPoint, Impulse, Manifold};

/// A manifold has no more points.
const MOST_POINTS: usize = 4;

/// A motion of two colliders, A and B, from one pair of poses to another, as A sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairMotion {
    from: [Isometry3<f64>; 2],
    to: [Isometry3<f64>; 2],
    /// B's pose in A's frame, before and after.
    relative: [Isometry3<f64>; 2],
    /// A's turn (world).
    turn: Matrix3<f64>,
}

impl PairMotion {
    /// The motion from the poses `from` (of A and of B, world, m) to the poses `to`.
    pub fn new(from: &[Isometry3<f64>; 2], to: &[Isometry3<f64>; 2]) -> PairMotion {
        let relative = [relative(from), relative(to)];
        let turn = matrix(&to[0].rotation) * matrix(&from[0].rotation).transpose();
        PairMotion { from: *from, to: *to, relative, turn }
    }

    /// A bound of how far any point of a ball fixed in A (`side` 0) or B (1) has moved against the other collider (m);
    /// `center` in its collider's frame.
    pub fn reach(&self, side: usize, center: &Point3<f64>, radius: f64) -> f64 {
        let [before, after] =
            if side == 1 { self.relative } else { self.relative.map(|relative| relative.inverse()) };
        // A point at distance r goes 2r·sin(θ/2) by a turn of θ, and |q − p| of unit quaternions is 2·sin(θ/4).
        let (p, q) = (before.rotation.coords, after.rotation.coords);
        let apart = (q - p).norm().min((q + p).norm());
        let turned = if apart > 0.0 { 2.0 * apart * radius } else { 0.0 };
        (after * center - before * center).norm() + turned
    }

    /// How far a point that is fixed in B (m, in A's frame before) has moved in A's frame (m).
    fn shift(&self, p: &Point3<f64>) -> Vector3<f64> {
        self.shift_of(&self.relative[0].inverse_transform_point(p))
    }

    /// How far a point of B (m, B's frame) has moved in A's frame (m).
    fn shift_of(&self, p: &Point3<f64>) -> Vector3<f64> {
        self.relative[1] * p - self.relative[0] * p
    }

    /// The turn of B in A's frame: its axis, by about the angle (rad), which is small.
    fn spin(&self) -> Vector3<f64> {
        let turn = self.relative[1].rotation * self.relative[0].rotation.inverse();
        turn.imag() * (2.0 * turn.w.signum())
    }

    /// How far the points of a manifold that is as it was before the motion have come beside their places on the other body (m),
    /// and nearer to it or farther from it than the deepest of them has: a bound of how far off a depth at its place may be
    /// that follows the motion.
    pub fn drift(&self, manifold: &Manifold) -> f64 {
        self.drift_by(manifold, |point| self.shift_of(&point.local_b.cast()))
    }

    /// As [`drift`](PairMotion::drift), of what has moved since another motion from the same poses (m).
    pub fn drift_since(&self, before: &PairMotion, manifold: &Manifold) -> f64 {
        self.drift_by(manifold, |point| {
            let at = point.local_b.cast();
            self.shift_of(&at) - before.shift_of(&at)
        })
    }

    fn drift_by(&self, manifold: &Manifold, shift: impl Fn(&ContactPoint) -> Vector3<f64>) -> f64 {
        let normal = self.from[0].rotation.inverse() * manifold.normal;
        let deepest = manifold.points.iter().reduce(|p, q| if q.depth > p.depth { q } else { p });
        let along = deepest.map_or_else(Vector3::zeros, |point| normal * normal.dot(&shift(point)));
        manifold.points.iter().map(|point| (shift(point) - along).norm()).fold(0.0, f64::max)
    }

    fn local(&self, p: &Point3<f64>) -> Point3<f64> {
        Point3::from(self.from[0].rotation.inverse() * (p.coords - self.from[0].translation.vector))
    }

    fn placed(&self, p: &Point3<f64>) -> Point3<f64> {
        Point3::from(self.to[0].rotation * p.coords + self.to[0].translation.vector)
    }

    fn turned(&self, v: &Vector3<f64>) -> Vector3<f64> {
        self.turn * v
    }
}

/// Writes to `out` how `old` stands after a motion; `out` is `old` as it stood after another. Points keep their places on both
/// colliders, their keys and weights, and the impulses that `out` holds. The normal turns with A; depths, and the volume where
/// there is one, follow to first order. Takes no memory where `out` has room for the points.
pub fn refresh(old: &Manifold, motion: &PairMotion, out: &mut Manifold) {
    let mut kept = [(Impulse::default(), old.normal); MOST_POINTS];
    for (kept, point) in kept.iter_mut().zip(&out.points) {
        *kept = (point.impulse, point.tilted(&out.normal));
    }
    out.clone_from(old);
    let to_a = motion.from[0].rotation.inverse();
    let normal = to_a * old.normal;
    let turned = motion.turned(&old.normal);
    out.normal = turned;
    for (point, (impulse, before)) in out.points.iter_mut().zip(kept) {
        let shift = motion.shift_of(&point.local_b.cast());
        point.depth -= shift.dot(&normal);
        point.position = motion.placed(&(motion.local(&point.position) + 0.5 * shift));
        point.tilt = motion.turned(&point.tilt);
        point.impulse = impulse.turned(&before, &point.tilted(&turned));
    }
    let deepest = |points: &[ContactPoint]| points.iter().map(|p| p.depth).fold(f64::NEG_INFINITY, f64::max);
    out.depth += deepest(&out.points) - deepest(&old.points);
    let centroid = motion.local(&old.centroid);
    let shift = motion.shift(&centroid);
    if old.volume > 0.0 {
        let lost = (to_a * old.force).dot(&shift) + (to_a * old.moment).dot(&motion.spin());
        out.volume = (old.volume - lost).max(0.0);
    }
    out.centroid = motion.placed(&(centroid + 0.5 * shift));
    out.force = motion.turned(&old.force);
    out.moment = motion.turned(&old.moment);
}

fn relative([a, b]: &[Isometry3<f64>; 2]) -> Isometry3<f64> {
    let back = a.rotation.inverse();
    Isometry3::from_parts((back * (b.translation.vector - a.translation.vector)).into(), back * b.rotation)
}

fn matrix(rotation: &UnitQuaternion<f64>) -> Matrix3<f64> {
    rotation.to_rotation_matrix().into_inner()
}
