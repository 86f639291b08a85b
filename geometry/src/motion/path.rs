//! Two bodies in motion, seen in one frame.

use nalgebra::{Matrix3, Point3, Vector3};

use super::Motion;
use crate::canonical::rotation;
use crate::{PairFrame, Side};

/// Rounding of a placed point, as a part of the sizes that it is made of.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// One body of a pair.
#[derive(Clone, Copy, Debug)]
struct Body {
    /// At time 0.
    rotation: Matrix3<f64>,
    /// Unit; zero where nothing turns.
    axis: Vector3<f64>,
    /// Axis times angle from time 0 to time 1 (rad).
    turn: Vector3<f64>,
    angle: f64,
    /// The reference point at time 0, and how far it goes (m).
    start: Vector3<f64>,
    way: Vector3<f64>,
    /// From the reference point to the body's origin at time 0 (m).
    arm: Vector3<f64>,
}

/// Where both bodies of a pair stand at every time of their motions, in a frame with the world's axes that goes along with
/// the mean of both reference points. At time 0 it is the pair's [`PairFrame`].
#[derive(Clone, Copy, Debug)]
pub struct PairPath {
    bodies: [Body; 2],
    origin: Point3<f64>,
    drift: Vector3<f64>,
    start: PairFrame,
    bend: f64,
}

impl PairPath {
    /// The path of two motions that were found to be usable.
    pub fn new(motions: [&Motion; 2]) -> PairPath {
        let start = PairFrame::new(motions[0].start(), motions[1].start());
        let ways = motions.map(Motion::way);
        let half = (ways[1] - ways[0]) * 0.5;
        let bodies = [0, 1].map(|k| {
            let (motion, turn) = (motions[k], motions[k].rotation_vector());
            let arm = -(rotation(&motion.start().rotation) * motion.center().coords);
            Body {
                rotation: start.rotation[k],
                axis: turn.try_normalize(0.0).unwrap_or_default(),
                turn,
                angle: turn.norm(),
                start: start.offset[k] - arm,
                way: if k == 0 { -half } else { half },
                arm,
            }
        });
        let bend = motions[0].stray() + motions[1].stray();
        PairPath { bodies, origin: start.origin, drift: ways[0] + half, start, bend }
    }

    /// Where the bodies stand at a time from 0 to 1.
    pub fn at(&self, time: f64) -> PairFrame {
        if time <= 0.0 {
            return self.start;
        }
        let mut frame = PairFrame { origin: self.origin + self.drift * time, ..self.start };
        for (k, body) in self.bodies.iter().enumerate() {
            let place = body.start + body.way * time;
            if body.angle == 0.0 {
                frame.offset[k] = place + body.arm;
                continue;
            }
            let turned = turn_about(&body.axis, body.angle * time);
            frame.rotation[k] = turned * body.rotation;
            frame.offset[k] = place + turned * body.arm;
        }
        frame
    }

    /// Where a body's reference point stands at a time (m).
    pub fn center(&self, side: Side, time: f64) -> Vector3<f64> {
        let body = &self.bodies[side.index()];
        body.start + body.way * time
    }

    /// How far a body's reference point goes in all (m).
    pub fn way(&self, side: Side) -> &Vector3<f64> {
        &self.bodies[side.index()].way
    }

    /// A body's turn: axis times angle (rad).
    pub fn turn(&self, side: Side) -> &Vector3<f64> {
        &self.bodies[side.index()].turn
    }

    /// The angle of a body's turn (rad).
    pub fn angle(&self, side: Side) -> f64 {
        self.bodies[side.index()].angle
    }

    /// Unit, the axis of a body's turn; zero where it does not turn.
    pub fn axis(&self, side: Side) -> &Vector3<f64> {
        &self.bodies[side.index()].axis
    }

    /// Whether neither body turns.
    pub fn is_linear(&self) -> bool {
        self.bodies.iter().all(|body| body.angle == 0.0)
    }

    /// How far B's reference point goes as A's sees it (m).
    pub fn relative_way(&self) -> Vector3<f64> {
        self.bodies[1].way - self.bodies[0].way
    }

    /// By how much points of both bodies together may stray from the motions described (m).
    pub fn bend(&self) -> f64 {
        self.bend
    }

    /// The velocity of a point of a body that stands at `p` (m per motion).
    pub fn velocity(&self, side: Side, p: &Vector3<f64>, time: f64) -> Vector3<f64> {
        let body = &self.bodies[side.index()];
        body.way + body.turn.cross(&(p - self.center(side, time)))
    }

    /// How far a point of a body is from the line that its turn is about (m), wherever it stands; 0 where it does not turn.
    pub fn arm_of(&self, side: Side, p: &Vector3<f64>, time: f64) -> f64 {
        self.bodies[side.index()].axis.cross(&(p - self.center(side, time))).norm()
    }

    /// By how much a height along `normal` (unit) of a point that is `radius` (m) from its axis may differ from what lies on the
    /// line between its heights at two times that are `span` apart.
    pub fn sagitta(&self, side: Side, normal: &Vector3<f64>, radius: f64, span: f64) -> f64 {
        let body = &self.bodies[side.index()];
        if body.angle == 0.0 {
            return 0.0;
        }
        let half = 0.5 * body.angle * span;
        let deviation = if half < std::f64::consts::PI { 1.0 - half.cos() } else { 2.0 };
        normal.cross(&body.axis).norm() * radius * deviation
    }

    /// No point of bodies that reach as far as `reach` (m) from their origins is placed with a greater error (m).
    pub fn rounding(&self, reach: [f64; 2]) -> f64 {
        let sizes = (0..2).map(|k| {
            let body = &self.bodies[k];
            (reach[k] + body.arm.norm()) * (1.0 + body.angle) + body.start.norm() + body.way.norm()
        });
        ROUNDING * sizes.sum::<f64>()
    }
}

/// The rotation about a unit axis (Rodrigues).
fn turn_about(axis: &Vector3<f64>, angle: f64) -> Matrix3<f64> {
    let (sine, cosine) = angle.sin_cos();
    // 1 − cos without the loss of digits.
    let half = (0.5 * angle).sin();
    let versine = 2.0 * half * half;
    let cross = axis.cross_matrix();
    let along = axis * axis.transpose();
    Matrix3::identity() * cosine + cross * sine + along * versine
}
