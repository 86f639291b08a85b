//! A peg and a hole.

use impinge_geometry::Shape;
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion};

use super::{Demand, Scene, SceneBody, SceneError, SceneParams, body, camera, empty, only};
use crate::mesh::{HoleBlock, Peg};

/// How far beside the hole's axis the peg begins (m).
const OFF: f64 = 0.03;
/// How askew (rad).
const TILT: f64 = 0.05;

pub(super) fn scene(params: &SceneParams) -> Result<Scene, SceneError> {
    only("peg-in-hole", params, 1)?;
    let peg = Peg { chamfer: 0.06, ..Peg::default() };
    let block = HoleBlock { chamfer: 0.06, ..HoleBlock::default() };
    let mut scene = empty("peg-in-hole", camera(Point3::new(0.0, 0.0, 0.55), 1.0, 35.0));
    let shape = scene.add_shape("peg", peg.mesh()?);
    let hole = scene.add_shape("block with a hole", block.mesh()?);
    let ground = scene.add_shape("ground", Shape::half_space());
    let above = 2.0 * block.half_height + peg.half_height + 0.05;
    let tilt = UnitQuaternion::from_euler_angles(TILT, 0.6 * TILT, 0.0);
    let pose = Isometry3::from_parts(Translation3::new(OFF, -0.5 * OFF, above), tilt);
    scene.bodies.push(SceneBody { friction: 0.3, ..body(shape, pose) });
    let on_ground = Isometry3::translation(0.0, 0.0, block.half_height);
    scene.bodies.push(SceneBody { fixed: true, color: [67, 147, 195], ..body(hole, on_ground) });
    scene.add_fixed(ground, Isometry3::identity());
    // It stands on the ground, no farther from the middle than the hole lets it: 2 cm.
    let place = Point3::new(0.0, 0.0, peg.half_height);
    scene.demands.push(Demand::Seated { body: 0, place, within: 0.022 });
    scene.demands.push(Demand::Still { drift: 1e-3, energy: 1e-6 });
    Ok(scene)
}
