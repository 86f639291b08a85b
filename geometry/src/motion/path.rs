//! Two bodies in motion, seen in one frame.

use nalgebra::{Matrix3, Point3, Vector3};

use super::Motion;
use super::chain::{LinkPath, PlacedLink};
use crate::canonical::rotation;
use crate::{PairFrame, Side};

/// Rounding of a placed point, as a part of the sizes that it is made of.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// How one body of a pair moves.
#[derive(Clone, Copy, Debug)]
pub enum BodyPath<'c> {
    /// Along a line, and about one axis.
    Rigid(&'c Motion),
    /// As a link whose joints move.
    Link(&'c LinkPath),
}

/// How a body moves at one time: the velocities of its points.
#[derive(Clone, Copy, Debug)]
pub struct Twist {
    /// The point that it turns about: the reference point, or a link's origin (m).
    pub center: Vector3<f64>,
    /// The velocity of that point (m per motion).
    pub velocity: Vector3<f64>,
    /// The angular velocity (rad per motion).
    pub turn: Vector3<f64>,
}

impl Twist {
    /// The velocity of a point of the body that stands at `p` (m per motion).
    pub fn at(&self, p: &Vector3<f64>) -> Vector3<f64> {
        self.velocity + self.turn.cross(&(p - self.center))
    }
}

/// A body that moves along a line and about one axis.
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

impl Body {
    fn new(
        motion: &Motion,
        rotation_at_start: Matrix3<f64>,
        offset: Vector3<f64>,
        way: Vector3<f64>,
    ) -> Body {
        let turn = motion.rotation_vector();
        let arm = -(rotation(&motion.start().rotation) * motion.center().coords);
        Body {
            rotation: rotation_at_start,
            axis: turn.try_normalize(0.0).unwrap_or_default(),
            turn,
            angle: turn.norm(),
            start: offset - arm,
            way,
            arm,
        }
    }

    fn center(&self, time: f64) -> Vector3<f64> {
        self.start + self.way * time
    }
}

#[derive(Clone, Copy, Debug)]
enum Track<'c> {
    Rigid(Body),
    Link(&'c LinkPath),
}

/// Where both bodies of a pair stand at every time of their motions, in a frame with the world's axes that goes along with
/// the mean of both reference points; where a link is among them, it stands still. At time 0 it is the pair's [`PairFrame`].
#[derive(Clone, Copy, Debug)]
pub struct PairPath<'c> {
    tracks: [Track<'c>; 2],
    origin: Point3<f64>,
    drift: Vector3<f64>,
    start: PairFrame,
    bend: f64,
}

impl<'c> PairPath<'c> {
    /// The path of two motions that were found to be usable.
    pub fn new(motions: [&Motion; 2]) -> PairPath<'static> {
        let start = PairFrame::new(motions[0].start(), motions[1].start());
        let ways = motions.map(Motion::way);
        let half = (ways[1] - ways[0]) * 0.5;
        let tracks = [0, 1].map(|k| {
            let way = if k == 0 { -half } else { half };
            Track::Rigid(Body::new(motions[k], start.rotation[k], start.offset[k], way))
        });
        let bend = motions[0].stray() + motions[1].stray();
        PairPath { tracks, origin: start.origin, drift: ways[0] + half, start, bend }
    }

    /// The path of bodies of which each may be a link; all that they say was found to be usable.
    pub fn of(bodies: [BodyPath<'c>; 2]) -> PairPath<'c> {
        if let [BodyPath::Rigid(a), BodyPath::Rigid(b)] = bodies {
            return PairPath::new([a, b]);
        }
        let pose = |k: usize| match bodies[k] {
            BodyPath::Rigid(motion) => motion.start(),
            BodyPath::Link(link) => link.start(),
        };
        let start = PairFrame::new(pose(0), pose(1));
        let mut bend = 0.0;
        let tracks = [0, 1].map(|k| match bodies[k] {
            BodyPath::Rigid(motion) => {
                bend += motion.stray();
                Track::Rigid(Body::new(motion, start.rotation[k], start.offset[k], motion.way()))
            }
            BodyPath::Link(link) => Track::Link(link),
        });
        PairPath { tracks, origin: start.origin, drift: Vector3::zeros(), start, bend }
    }

    /// Where the bodies stand at a time from 0 to 1.
    pub fn at(&self, time: f64) -> PairFrame {
        self.placed(time).0
    }

    /// Where the bodies stand at a time from 0 to 1, and how they move there.
    pub fn placed(&self, time: f64) -> (PairFrame, [Twist; 2]) {
        let mut frame = PairFrame { origin: self.origin + self.drift * time.max(0.0), ..self.start };
        let mut twists =
            [Twist { center: Vector3::zeros(), velocity: Vector3::zeros(), turn: Vector3::zeros() }; 2];
        for (k, track) in self.tracks.iter().enumerate() {
            match track {
                Track::Rigid(body) => {
                    let center = body.center(time);
                    twists[k] = Twist { center, velocity: body.way, turn: body.turn };
                    if time <= 0.0 {
                        continue;
                    }
                    if body.angle == 0.0 {
                        frame.offset[k] = center + body.arm;
                        continue;
                    }
                    let turned = turn_about(&body.axis, body.angle * time);
                    frame.rotation[k] = turned * body.rotation;
                    frame.offset[k] = center + turned * body.arm;
                }
                Track::Link(link) => {
                    let PlacedLink { rotation, place, turn, velocity } = link.at(time, &self.origin);
                    twists[k] = Twist { center: place, velocity, turn };
                    if time > 0.0 {
                        (frame.rotation[k], frame.offset[k]) = (rotation, place);
                    }
                }
            }
        }
        (frame, twists)
    }

    /// Where a body's reference point stands at a time (m); a link's is its origin.
    pub fn center(&self, side: Side, time: f64) -> Vector3<f64> {
        match &self.tracks[side.index()] {
            Track::Rigid(body) => body.center(time),
            Track::Link(link) => link.at(time, &self.origin).place,
        }
    }

    /// Whether a body is a link: how it moves is different at every time.
    pub fn is_link(&self, side: Side) -> bool {
        matches!(self.tracks[side.index()], Track::Link(_))
    }

    /// A body's turn: axis times angle (rad); none of a link.
    pub fn turn(&self, side: Side) -> Vector3<f64> {
        self.body(side).map_or(Vector3::zeros(), |body| body.turn)
    }

    /// No body turns faster (rad per motion): the angle of its turn, of a link all of its joints'.
    pub fn angle(&self, side: Side) -> f64 {
        match &self.tracks[side.index()] {
            Track::Rigid(body) => body.angle,
            Track::Link(link) => link.spin(),
        }
    }

    /// Unit, the axis of a body's turn; zero where it does not turn, and of a link.
    pub fn axis(&self, side: Side) -> Vector3<f64> {
        self.body(side).map_or(Vector3::zeros(), |body| body.axis)
    }

    /// Whether both bodies move along lines and do not turn.
    pub fn is_linear(&self) -> bool {
        Side::BOTH.iter().all(|&side| self.body(side).is_some_and(|body| body.angle == 0.0))
    }

    /// How far B's reference point goes as A's sees it (m); links count as standing still, and move by [`PairPath::speed`].
    pub fn relative_way(&self) -> Vector3<f64> {
        let way = |side: Side| self.body(side).map_or(Vector3::zeros(), |body| body.way);
        way(Side::B) - way(Side::A)
    }

    /// By how much points of both bodies together may stray from the motions described (m).
    pub fn bend(&self) -> f64 {
        self.bend
    }

    /// How far a point of a body is from the line that its turn is about, or from a link's origin (m), wherever it stands; 0 where it
    /// does not turn.
    pub fn arm_of(&self, side: Side, p: &Vector3<f64>, time: f64) -> f64 {
        self.arm(side, p, &self.center(side, time))
    }

    /// The greatest [`PairPath::arm_of`] of three points.
    pub fn radius_of(&self, side: Side, corners: &[Point3<f64>; 3], time: f64) -> f64 {
        let center = self.center(side, time);
        corners.iter().map(|p| self.arm(side, &p.coords, &center)).fold(0.0, f64::max)
    }

    fn arm(&self, side: Side, p: &Vector3<f64>, center: &Vector3<f64>) -> f64 {
        let aside = p - center;
        self.body(side).map_or_else(|| aside.norm(), |body| body.axis.cross(&aside).norm())
    }

    /// No point of a body that is as far from what it turns about (m) moves faster beside its way (m per motion).
    pub fn speed(&self, side: Side, radius: f64) -> f64 {
        match &self.tracks[side.index()] {
            Track::Rigid(body) => body.angle * radius,
            Track::Link(link) => link.speed(radius),
        }
    }

    /// No point of a body that is `radius` (m) from what it turns about is accelerated more (m per motion squared).
    pub fn acceleration(&self, side: Side, radius: f64) -> f64 {
        match &self.tracks[side.index()] {
            Track::Rigid(body) => body.angle * body.angle * radius,
            Track::Link(link) => link.acceleration(radius),
        }
    }

    /// By how much a height along `normal` (unit) of a point that is `radius` (m) from what its body turns about may differ from what
    /// lies on the line between its heights at two times that are `span` apart.
    pub fn sagitta(&self, side: Side, normal: &Vector3<f64>, radius: f64, span: f64) -> f64 {
        match &self.tracks[side.index()] {
            Track::Rigid(body) if body.angle == 0.0 => 0.0,
            Track::Rigid(body) => {
                let half = 0.5 * body.angle * span;
                let deviation = if half < std::f64::consts::PI { 1.0 - half.cos() } else { 2.0 };
                normal.cross(&body.axis).norm() * radius * deviation
            }
            Track::Link(link) => {
                let arc = 0.125 * link.acceleration(radius) * span * span;
                arc.min(0.5 * link.speed(radius) * span)
            }
        }
    }

    /// No point of bodies that reach as far as `reach` (m) from their origins is placed with a greater error (m).
    pub fn rounding(&self, reach: [f64; 2]) -> f64 {
        let sizes = (0..2).map(|k| match &self.tracks[k] {
            Track::Rigid(body) => {
                (reach[k] + body.arm.norm()) * (1.0 + body.angle) + body.start.norm() + body.way.norm()
            }
            Track::Link(link) => link.sizes(reach[k]) + self.origin.coords.norm(),
        });
        ROUNDING * sizes.sum::<f64>()
    }

    fn body(&self, side: Side) -> Option<&Body> {
        match &self.tracks[side.index()] {
            Track::Rigid(body) => Some(body),
            Track::Link(_) => None,
        }
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
