//! A driven train of gears.

use std::f64::consts::{FRAC_PI_2, PI};

use impinge_geometry::Shape;
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use super::{Demand, Scene, SceneBody, SceneError, SceneHinge, SceneParams, body, camera, empty, only};
use crate::mesh::InvoluteGear;

/// Teeth of the pinion and of the wheel of each stage.
const PINION: u32 = 18;
const WHEEL: u32 = 36;
/// How far the second stage stands before the first (m).
const LAYER: f64 = 0.18;
/// Directions in which the wheels lie from their pinions (rad, from right to up).
const DIRECTIONS: [f64; 2] = [-0.35, 1.75];
/// Speed of the motor (rad/s) and its greatest torque (N·m).
const MOTOR: [f64; 2] = [3.0, 600.0];
/// Torque of the brake on the last wheel (N·m).
const BRAKE: f64 = 200.0;

pub(super) fn scene(params: &SceneParams) -> Result<Scene, SceneError> {
    only("gears", params, 3)?;
    let mut scene = empty("gears", camera(Point3::new(0.6, 0.0, 0.16), 1.35, 22.0));
    let pinion = InvoluteGear { teeth: PINION, ..InvoluteGear::default() };
    let wheel = InvoluteGear { teeth: WHEEL, ..pinion };
    let distance = pinion.pitch_radius() + wheel.pitch_radius();
    let (small, large) = (Shape::from(pinion.mesh()?), Shape::from(wheel.mesh()?));

    // A tooth of each pinion points at its wheel, and a gap of the wheel at the pinion.
    let gap = |direction: f64| direction + PI + PI / f64::from(WHEEL);
    let turned = [DIRECTIONS[0], gap(DIRECTIONS[0]), gap(DIRECTIONS[1])];
    let step = |k: usize| {
        let (sin, cos) = libm::sincos(DIRECTIONS[k]);
        Vector3::new(cos, 0.0, sin) * distance
    };
    let before = Vector3::y() * -LAYER;
    let places = [Vector3::zeros(), step(0), step(0) + step(1) + before];
    let fused = Isometry3::new(Vector3::z() * LAYER, Vector3::z() * (DIRECTIONS[1] - turned[1]));
    let shapes = [
        scene.add_shape("pinion", small.clone()),
        scene.add_shape(
            "double gear",
            Shape::composite(vec![(Isometry3::identity(), large.clone()), (fused, small)])?,
        ),
        scene.add_shape("wheel", large),
    ];
    // The gears' own axes point to the viewer.
    let upright = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), FRAC_PI_2);
    let axle = scene.add_shape("axle", Shape::cylinder(0.25, 0.1)?);
    for (k, (&shape, place)) in shapes.iter().zip(places).enumerate() {
        let spin = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turned[k]);
        let pose = Isometry3::from_parts(Translation3::from(place), upright * spin);
        let motor = [Some(MOTOR), None, Some([0.0, BRAKE])][k];
        scene.hinges.push(SceneHinge { body: k, anchor: Point3::from(place), axis: -Vector3::y(), motor });
        let color = [[214, 96, 77], [67, 147, 195], [244, 165, 60]][k];
        scene.bodies.push(SceneBody { color, friction: 0.1, ..body(shape, pose) });
    }
    for place in places {
        let at = Translation3::new(place.x, -0.5 * LAYER, place.z);
        scene.add_fixed(axle, Isometry3::from_parts(at, upright));
    }
    let ratio = f64::from(PINION) / f64::from(WHEEL);
    scene.demands.push(Demand::Ratio { driver: 0, driven: 1, ratio: -ratio, within: 0.01 });
    scene.demands.push(Demand::Ratio { driver: 0, driven: 2, ratio: ratio * ratio, within: 0.01 });
    scene.comes_to_rest = false;
    Ok(scene)
}
