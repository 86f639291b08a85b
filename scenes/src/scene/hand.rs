//! A hand that catches a knot and does not let go of it.

use impinge_geometry::{Shape, Skin};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use super::body::SceneHand;
use super::{Scene, SceneBody, SceneError, SceneParams, body, camera, empty, only};
use crate::mesh::{Hand, HandModel, Knot};
use crate::soft::Path;

/// Where the hand stands (m).
const HEIGHT: f64 = 1.2;
/// When the fingers begin to close, and when the hand begins to turn (s). Six seconds later it has turned over and what it holds lies in its fingers.
const CLOSES: f64 = 0.6;
const TURNS: f64 = 11.0;
/// A turn and back (s), and how often.
const PERIOD: f64 = 16.0;
const TIMES: u32 = 5;
/// How far it turns over its fingers (rad).
const TURN: f64 = 2.5;
/// How far the joints of a finger bend, from the knuckle on (rad).
const BENDS: [f64; 3] = [1.4, 1.35, 0.8];
/// How fast they bend (rad/s).
const SPEED: f64 = 0.13;

pub(super) fn scene(params: &SceneParams) -> Result<Scene, SceneError> {
    only("hand", params, 1)?;
    let mut scene = empty("hand", camera(Point3::new(0.0, 0.1, HEIGHT + 0.1), 1.1, 25.0));
    let HandModel { mesh, joints, influences } = Hand::default().model()?;
    let bones = joints.len();
    let skin = Skin::new(&mesh, bones, &influences)?;
    let hand = scene.add_shape("hand", mesh);
    let knot = scene.add_shape("knot", Shape::from(Knot::default().mesh()?));
    let start = Isometry3::translation(0.0, 0.0, HEIGHT);
    let material = |own: SceneBody| SceneBody { friction: 1.0, density: 100.0, ..own };
    let own = SceneBody { fixed: true, color: [225, 184, 150], ..body(hand, start) };
    scene.bodies.push(material(own));
    let tilted = UnitQuaternion::from_euler_angles(0.02, -0.02, 0.4);
    let above = Isometry3::from_parts(Translation3::new(0.0, 0.02, HEIGHT + 0.335), tilted);
    scene.bodies.push(material(SceneBody { color: [67, 147, 195], ..body(knot, above) }));
    scene.hand = Some(SceneHand {
        body: 0,
        held: 1,
        skin,
        joints,
        fingers: HandModel::fingers().map(|bones| bones.to_vec()).to_vec(),
        bends: BENDS.to_vec(),
        speed: SPEED,
        closes: CLOSES,
        turned: TURNS + 6.0,
        path: path(),
    });
    scene.comes_to_rest = false;
    scene.steps = 1260;
    Ok(scene)
}

/// The hand is turned over, moved up and down, and turned back, again and again.
fn path() -> Path {
    let pivot = Point3::new(0.0, 0.0, 0.3);
    let key = |time: f64, share: f64, up: f64| {
        let turn = UnitQuaternion::from_scaled_axis(Vector3::x() * (-TURN * share));
        let moved = pivot.coords - turn * pivot.coords + Vector3::new(0.0, 0.0, HEIGHT + up);
        (time, Isometry3::from_parts(moved.into(), turn))
    };
    let mut keys = vec![key(TURNS, 0.0, 0.0)];
    for again in 0..TIMES {
        let begun = TURNS + PERIOD * f64::from(again);
        keys.extend([
            key(begun + 5.0, 1.0, 0.0),
            key(begun + 6.0, 1.0, 0.0),
            key(begun + 7.0, 1.0, 0.08),
            key(begun + 8.0, 1.0, -0.08),
            key(begun + 9.0, 1.0, 0.0),
            key(begun + 9.5, 1.0, 0.0),
            key(begun + 14.5, 0.0, 0.0),
            key(begun + PERIOD, 0.0, 0.0),
        ]);
    }
    Path::new(keys, pivot)
}
