//! An arm that moves among pipes and machines.

use std::f64::consts::PI;

use impinge_geometry::{Joint, Shape};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use super::{Scene, SceneArm, SceneBody, SceneError, SceneParams, body, camera, empty, only};
use crate::mesh::{Gear, Knot, Pipes, Spindle, Torus};
use crate::random::Random;

/// Links of the arm.
const LINKS: usize = 7;
/// From joint to joint (m).
const LENGTH: f64 = 0.42;
/// Configurations that it is sent to.
const SAMPLES: usize = 40;

/// Among 38,000 triangles of pipes.
pub(super) fn pipes(params: &SceneParams) -> Result<Scene, SceneError> {
    let mut scene = arm("arm", params)?;
    let pipes = scene.add_shape("pipes", Pipes { seed: params.seed + 3, ..Pipes::default() }.mesh()?);
    scene.add_fixed(pipes, Isometry3::translation(0.0, 0.0, 1.0));
    Ok(scene)
}

/// Among 180,000 triangles of pipes above and machines around.
pub(super) fn machine_room(params: &SceneParams) -> Result<Scene, SceneError> {
    let mut scene = arm("arm-machines", params)?;
    let pipes = Pipes { seed: params.seed + 3, lowest: 0.2, triangles: 38_000, ..Pipes::default() };
    let pipes = scene.add_shape("pipes", pipes.mesh()?);
    scene.add_fixed(pipes, Isometry3::translation(0.0, 0.0, 1.0));
    let coil = scene.add_shape("coil", Knot { along: 300, across: 16, ..Knot::default() }.mesh()?);
    let wheel = Gear { teeth: 60, outer: 0.42, root: 0.38, bore: 0.3, half_width: 0.05 };
    let wheel = scene.add_shape("wheel", wheel.mesh()?);
    let duct = Torus { major: 0.3, minor: 0.09, around: 84, across: 40 };
    let duct = scene.add_shape("duct", duct.mesh()?);
    for k in 0..7 {
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 2.0 * PI * f64::from(k) / 7.0);
        let upright = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.5 * PI);
        let mut add = |shape: usize, x: f64, z: f64, lean: UnitQuaternion<f64>| {
            let at = turn * Vector3::new(x, 0.0, z);
            scene.add_fixed(shape, Isometry3::from_parts(Translation3::from(at), turn * lean));
        };
        add(coil, 1.7, 0.45, UnitQuaternion::identity());
        add(wheel, 1.25, 0.45, upright);
        add(duct, 1.9, 1.0, UnitQuaternion::identity());
    }
    Ok(scene)
}

/// The arm alone, folded, and where it is sent.
fn arm(name: &str, params: &SceneParams) -> Result<Scene, SceneError> {
    only("arm", params, 0)?;
    let mut scene = empty(name, camera(Point3::new(0.0, 0.0, 1.35), 2.6, 20.0));
    scene.comes_to_rest = false;
    let spindle = Spindle { length: LENGTH - 0.08, ..Spindle::default() }.mesh()?;
    // Raised, so that its ends stand beside the joints.
    let spindle = || (Isometry3::translation(0.0, 0.0, 0.04), Shape::from(spindle.clone()));
    let link = scene.add_shape("link", Shape::composite(vec![spindle()])?);
    let saw = Gear { teeth: 14, outer: 0.16, root: 0.13, bore: 0.03, half_width: 0.012 }.mesh()?;
    let upright = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), 0.5 * PI);
    let at = |z: f64, turn| Isometry3::from_parts(Translation3::new(0.0, 0.0, z), turn);
    let tool = vec![spindle(), (at(LENGTH + 0.14, upright), Shape::from(saw))];
    let tool = scene.add_shape("saw", Shape::composite(tool)?);
    let joints: Vec<Joint> = (0..LINKS)
        .map(|k| {
            let joint = Joint::revolute(if k % 2 == 0 { Vector3::z() } else { Vector3::y() });
            if k == 0 { joint } else { joint.on(k - 1).at(Isometry3::translation(0.0, 0.0, LENGTH)) }
        })
        .collect();
    // Joints that turn about the links turn farther than those that bend them.
    let mut random = Random::new(params.seed + 1);
    let mut samples = vec![vec![0.0, 0.7, 0.0, 1.9, 0.0, 1.2, 0.0]];
    samples.extend((1..SAMPLES).map(|_| {
        let most = |k: usize| if k.is_multiple_of(2) { PI } else { 1.9 };
        (0..LINKS).map(|k| most(k) * random.signed()).collect::<Vec<f64>>()
    }));
    let mut pose = Isometry3::identity();
    for k in 0..LINKS {
        let value = UnitQuaternion::from_scaled_axis(*joints[k].axis() * samples[0][k]);
        pose = pose * joints[k].origin() * value;
        let shape = if k + 1 == LINKS { tool } else { link };
        let color = if k.is_multiple_of(2) { [244, 165, 60] } else { [67, 147, 195] };
        scene.bodies.push(SceneBody { color, fixed: true, ..body(shape, pose) });
    }
    scene.arm = Some(SceneArm { joints, bodies: (0..LINKS).collect(), samples, steps: 45 });
    Ok(scene)
}
