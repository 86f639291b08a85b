//! How a mesh turns while it moves, and what its boxes stray from even motions by it.

use impinge_geometry::{PairFrame, PairPath, Side, Twist};
use nalgebra::Vector3;

use super::node::OrientedBox;

/// A mesh's turn, in its own frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    /// Axis times angle (rad per motion), where it is the same at all times.
    turn: Vector3<f64>,
    /// It turns no faster (rad per motion).
    angle: f64,
    /// The point that it turns about (m).
    pub center: Vector3<f64>,
    /// No point of the mesh moves faster by the turn (m per motion).
    pub fastest: f64,
    /// Of a link: its origin, and what lies at 1 m from it, are accelerated by no more (m per motion squared), and no point of the mesh is.
    link: Option<[f64; 3]>,
}

impl Turn {
    pub fn new(path: &PairPath, side: Side, reach: f64) -> Turn {
        let (frame, k) = (path.at(0.0), side.index());
        let local = |v: &Vector3<f64>| frame.rotation[k].tr_mul(v);
        let center = local(&(path.center(side, 0.0) - frame.offset[k]));
        let angle = path.angle(side);
        let accelerations = |radius: f64| path.acceleration(side, radius);
        Turn {
            turn: local(&path.turn(side)),
            angle,
            center,
            fastest: path.speed(side, reach + center.norm()),
            link: path.is_link(side).then(|| [accelerations(0.0), accelerations(1.0), accelerations(reach)]),
        }
    }

    /// The turn at a time.
    pub fn at(&self, frame: &PairFrame, twists: &[Twist; 2], side: usize) -> Vector3<f64> {
        if self.link.is_some() { frame.rotation[side].tr_mul(&twists[side].turn) } else { self.turn }
    }

    /// How far any point of a link strays from its even motion within `half` of a time (m).
    pub fn arc(&self, half: f64) -> f64 {
        self.link.map_or(0.0, |[_, _, most]| 0.5 * most * half * half)
    }

    /// How far corners stray from a box's centre as parts of half a diagonal, and a centre from its even motion as a part of its
    /// speed, within `half` of a time.
    pub fn stray(&self, half: f64) -> [f64; 2] {
        let swing = 0.5 * self.angle * half;
        let corners = if swing < std::f64::consts::FRAC_PI_2 { 2.0 * swing.sin() } else { 2.0 };
        [corners, if self.link.is_some() { 0.0 } else { 0.5 * self.angle * half * half }]
    }

    /// How far a box strays from its centre's even motion within `half` of a time (m).
    pub fn stray_of(&self, b: &OrientedBox, half: f64) -> f64 {
        if self.angle == 0.0 {
            return 0.0;
        }
        let [corners, center] = self.stray(half);
        let diagonal = Vector3::from(b.half.map(f64::from)).norm();
        if let Some([at_origin, at_one, _]) = self.link {
            let radius = Vector3::from(b.center.map(f64::from)).norm();
            let acceleration = at_origin + (at_one - at_origin) * radius;
            return corners * diagonal + 0.5 * acceleration * half * half;
        }
        let speed = self.turn.cross(&(Vector3::from(b.center.map(f64::from)) - self.center)).norm();
        corners * diagonal + center * speed
    }
}
