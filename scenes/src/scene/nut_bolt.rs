//! A nut on a bolt.

use impinge_geometry::Shape;
use nalgebra::{Isometry3, Point3, Vector3};

use super::{Demand, Scene, SceneBody, SceneError, SceneLoad, SceneParams, body, camera, empty, only};
use crate::mesh::LeadScrew;

/// Torque on the nut (N·m): it lifts the nut along the lead, and bears the thread's friction and the drag of its turning.
const TORQUE: f64 = 80.0;
/// Friction of an oiled thread.
const FRICTION: f64 = 0.05;
/// Drag (1/s).
const DRAG: f64 = 4.5;
/// Radius of the bolt's head to its corners, and its height (m).
const HEAD: [f64; 2] = [0.38, 0.18];

pub(super) fn scene(params: &SceneParams) -> Result<Scene, SceneError> {
    only("nut-bolt", params, 1)?;
    let screw = LeadScrew { turns: 20, ..LeadScrew::default() };
    let length = screw.pitch * f64::from(screw.turns + 1);
    let middle = 0.5 * (length - HEAD[1]);
    let mut scene = empty("nut-bolt", camera(Point3::new(0.0, 0.0, middle), 0.62 * length, 20.0));
    let nut = scene.add_shape("nut", screw.nut()?);
    let bolt = scene.add_shape("bolt", screw.rod()?);
    let corners: Vec<Point3<f32>> = (0..12)
        .map(|k| {
            let (sin, cos) = libm::sincos(std::f64::consts::TAU * f64::from(k % 6) / 6.0);
            let z = if k < 6 { 0.0 } else { -HEAD[1] };
            Point3::new(HEAD[0] * cos, HEAD[0] * sin, z).cast::<f32>()
        })
        .collect();
    let head = scene.add_shape("head", Shape::hull(&corners)?);
    let oiled = |shape, pose| SceneBody { friction: FRICTION, ..body(shape, pose) };
    let steel = |shape, pose| SceneBody { fixed: true, color: [150, 160, 172], ..oiled(shape, pose) };
    let above = screw.nut_place() + screw.pitch;
    scene
        .bodies
        .push(SceneBody { color: [214, 150, 60], ..oiled(nut, Isometry3::translation(0.0, 0.0, above)) });
    scene.bodies.push(steel(bolt, Isometry3::identity()));
    scene.bodies.push(steel(head, Isometry3::translation(0.0, 0.0, screw.pitch)));
    scene.loads.push(SceneLoad { body: 0, force: Vector3::zeros(), torque: Vector3::z() * TORQUE });
    scene.angular_damping = DRAG;
    scene.demands.push(Demand::Screw { body: 0, axis: Vector3::z(), pitch: screw.pitch, within: 0.05 });
    scene.comes_to_rest = false;
    Ok(scene)
}
