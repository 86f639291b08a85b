//! Pegs over a drilled block.

use impinge_geometry::{Cutout, Primitive, Shape};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion};

use super::{Demand, Scene, SceneBody, SceneError, SceneParams, body, camera, empty, only};

/// Half the block's edges (m).
const BLOCK: [f32; 3] = [1.25, 0.5, 0.5];
/// Radius, or half the width, of holes and of pegs (m).
const HOLE: f32 = 0.3;
const PEG: f32 = 0.27;
/// From middle to middle (m).
const APART: f64 = 0.8;
/// Above the ground, where a blind hole ends (m).
const FLOOR: f32 = 0.2;
/// How far beside a hole's axis a peg begins (m), and how askew (rad): its edge just clears the rim, and walls and rim have to guide it.
const OFF: f64 = 0.012;
const TILT: f64 = 0.02;

pub(super) fn scene(params: &SceneParams) -> Result<Scene, SceneError> {
    only("drilled", params, 3)?;
    let mut scene = empty("drilled", camera(Point3::new(0.0, 0.0, 0.6), 1.15, 40.0));
    let at = |x: f64, z: f64| Isometry3::translation(x, 0.0, z);
    let depth = 2.0 * BLOCK[2] - FLOOR;
    let blind = Cutout::new(Primitive::Cylinder { half_height: 0.5 * depth, radius: HOLE })?.open(2, true)?;
    let slot =
        Cutout::new(Primitive::Cuboid { half: [HOLE, HOLE, BLOCK[2]] })?.open(2, false)?.open(2, true)?;
    let middle = f64::from(0.5 * FLOOR);
    let block = Shape::cuboid(BLOCK)?.cut(&[
        (at(-APART, middle), blind),
        (at(0.0, 0.0), slot),
        (at(APART, middle), blind),
    ])?;
    let pegs = [
        // Where each stands in the end: on the floor of its hole, or on the ground.
        ("round peg", Shape::cylinder(0.5, PEG)?, -APART, FLOOR + 0.5),
        ("square peg", Shape::cuboid([PEG, PEG, 0.5])?, 0.0, 0.5),
        ("round-nosed peg", Shape::capsule(0.3, PEG)?, APART, FLOOR + 0.3 + PEG),
    ];
    for (k, (name, shape, x, height)) in pegs.into_iter().enumerate() {
        let shape = scene.add_shape(name, shape);
        let tilt = UnitQuaternion::from_euler_angles(0.5 * TILT, TILT, 0.0);
        let above = 2.0 * f64::from(BLOCK[2]) + 0.65;
        let pose = Isometry3::from_parts(Translation3::new(x - OFF, 0.4 * OFF, above), tilt);
        scene.bodies.push(SceneBody { friction: 0.3, ..body(shape, pose) });
        // No farther from the middle than the hole lets it.
        let place = Point3::new(x, 0.0, f64::from(height));
        scene.demands.push(Demand::Seated { body: k, place, within: 1.5 * f64::from(HOLE - PEG) });
    }
    let block = scene.add_shape("drilled block", block);
    let ground = scene.add_shape("ground", Shape::half_space());
    let on_ground = Isometry3::translation(0.0, 0.0, f64::from(BLOCK[2]));
    scene.bodies.push(SceneBody { fixed: true, color: [186, 186, 180], ..body(block, on_ground) });
    scene.add_fixed(ground, Isometry3::identity());
    scene.demands.push(Demand::Still { drift: 1e-3, energy: 1e-6 });
    Ok(scene)
}
