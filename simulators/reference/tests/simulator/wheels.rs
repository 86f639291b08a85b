//! Wheels: bodies that turn fast about the axis that they are round about.

use impinge::geometry::{HeightField, HeightFieldSettings};
use impinge::prelude::*;
use impinge_reference::{BodyDesc, BodyId, Simulator, SimulatorError, SimulatorSettings};

use crate::scene::{self, DT};

const RADIUS: f64 = 0.36;
const SPEED: f64 = 30.0;

/// A wheel that rolls along x on level ground of triangles, of which it is told that it is one or not.
fn rolling(as_wheel: bool) -> (Simulator, BodyId) {
    let settings = SimulatorSettings { rolling_resistance: 0.0, ..SimulatorSettings::default() };
    let mut sim = scene::empty(settings);
    let ground = HeightFieldSettings { bottom: Some(-1.0), ..HeightFieldSettings::default() };
    let ground = HeightField::new([48, 9], vec![0.0; 48 * 9], &ground).unwrap();
    let ground = scene::shape(&mut sim, ground.into());
    sim.add_body(BodyDesc::fixed(ground).position([-4.0, -4.3, 0.0])).unwrap();
    let wheel = scene::shape(&mut sim, Shape::cylinder(0.12, RADIUS as f32).unwrap());
    let upright = Isometry3::new(Vector3::z() * RADIUS, Vector3::x() * -std::f64::consts::FRAC_PI_2);
    let mut desc = BodyDesc::new(wheel)
        .pose(upright)
        .linear_velocity(Vector3::x() * SPEED)
        .angular_velocity(Vector3::y() * (SPEED / RADIUS));
    if as_wheel {
        desc = desc.wheel_axis(Vector3::new(0.0, 0.0, 2.0));
    }
    let wheel = sim.add_body(desc).unwrap();
    (sim, wheel)
}

/// A free wheel on level ground goes on as fast as it goes, turns as fast as it rolls, and its middle keeps its height.
#[test]
fn a_wheel_rolls_on_at_thirty_metres_a_second() {
    let (mut sim, wheel) = rolling(true);
    for step in 0..60 {
        sim.step(DT).unwrap();
        let body = sim.body(wheel).unwrap();
        let (height, speed) = (body.pose().translation.z, body.linear_velocity().x);
        assert!((height - RADIUS).abs() < 1e-3, "{step}: {height}");
        assert!((speed / SPEED - 1.0).abs() < 2e-3, "{step}: {speed}");
        let spin = body.angular_velocity().y * RADIUS;
        assert!((spin / speed - 1.0).abs() < 2e-3, "{step}: {spin} {speed}");
    }
    let place = sim.body(wheel).unwrap().pose().translation.vector;
    assert!((place.x - SPEED).abs() < 0.1 && place.y.abs() < 0.01, "{place}");
}

/// A cylinder lies on two points, so that it rolls on flat ground without an axis, too.
#[test]
fn a_cylinder_rolls_on_flat_ground_without_an_axis() {
    let (mut sim, body) = rolling(false);
    for step in 0..60 {
        sim.step(DT).unwrap();
        let body = sim.body(body).unwrap();
        let (height, speed) = (body.pose().translation.z, body.linear_velocity().x);
        assert!((height - RADIUS).abs() < 3e-3, "{step}: {height}");
        assert!((speed / SPEED - 1.0).abs() < 2e-3, "{step}: {speed}");
    }
}

#[test]
fn a_wheel_needs_an_axis_with_a_direction() {
    let mut sim = scene::empty(SimulatorSettings::default());
    let wheel = scene::shape(&mut sim, Shape::cylinder(0.1, 0.4).unwrap());
    for axis in [Vector3::zeros(), Vector3::new(f64::NAN, 0.0, 1.0), Vector3::new(f64::INFINITY, 0.0, 0.0)] {
        let refused = sim.add_body(BodyDesc::new(wheel).wheel_axis(axis)).err();
        assert!(matches!(refused, Some(SimulatorError::WheelAxis { .. })), "{refused:?}");
    }
    assert_eq!(sim.bodies().count(), 0);
}
