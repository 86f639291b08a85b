//! Friction and rolling on slopes.

use impinge::prelude::*;
use impinge_reference::{BodyDesc, Simulator, SimulatorSettings};

use crate::scene;

/// A slope of `angle` (rad) that falls towards +x, with a body of `shape` set on it `height` (m) above
/// its surface, turned with it.
fn on_slope(angle: f64, shape: Shape, height: f64, friction: f64, settings: SimulatorSettings) -> Simulator {
    placed_on_slope(angle, shape, Isometry3::translation(0.0, 0.0, height), friction, settings)
}

/// The same with the body at a pose above the slope, as that sees it.
fn placed_on_slope(
    angle: f64,
    shape: Shape,
    above: Isometry3<f64>,
    friction: f64,
    settings: SimulatorSettings,
) -> Simulator {
    let mut sim = scene::empty(settings);
    let material = Material { friction, ..Material::default() };
    let tilt = Isometry3::rotation(Vector3::y() * angle);
    scene::add_floor(&mut sim, tilt, material);
    let shape = scene::shape(&mut sim, shape);
    sim.add_body(BodyDesc::new(shape).pose(tilt * above).material(material)).unwrap();
    sim
}

/// How far the body has come after `seconds`, and how fast it is (m, m/s).
fn after(sim: &mut Simulator, seconds: f64) -> (f64, f64) {
    let start = sim.bodies().nth(1).unwrap().1.center();
    scene::run(sim, seconds);
    let body = sim.bodies().nth(1).unwrap().1;
    ((body.center() - start).norm(), body.linear_velocity().norm())
}

fn no_sleep() -> SimulatorSettings {
    SimulatorSettings { sleeping: false, rolling_resistance: 0.0, ..SimulatorSettings::default() }
}

/// µ = 0.5 holds a box on every slope under atan 0.5 and on none above.
#[test]
fn a_box_slides_just_above_the_angle_of_friction() {
    let limit = 0.5f64.atan();
    let flat = || Shape::cuboid([0.5, 0.5, 0.1]).unwrap();
    let (moved, speed) = after(&mut on_slope(limit - 0.02, flat(), 0.1, 0.5, no_sleep()), 3.0);
    assert!(moved < 2e-3 && speed < 1e-3, "{moved} m, {speed} m/s");
    let mut sim = on_slope(limit + 0.02, flat(), 0.1, 0.5, no_sleep());
    let (early, late) = (after(&mut sim, 0.5).1, after(&mut sim, 2.0).1);
    let (gained, expected) = (late - early, 2.0 * 9.81 * ((limit + 0.02).sin() - 0.5 * (limit + 0.02).cos()));
    assert!((gained / expected - 1.0).abs() < 0.01, "{gained} m/s against {expected}");
}

/// A ball rolls down with 5/7 of the acceleration of a frictionless one.
#[test]
fn a_ball_rolls_without_slipping() {
    let ball = Shape::sphere(0.5).unwrap();
    let (_, speed) = after(&mut on_slope(0.2, ball, 0.5, 0.8, no_sleep()), 2.0);
    let expected = 5.0 / 7.0 * 9.81 * 0.2f64.sin() * 2.0;
    assert!((speed / expected - 1.0).abs() < 0.02, "{speed} m/s against {expected}");
}

/// Without friction it slides.
#[test]
fn a_ball_without_friction_slides() {
    let ball = Shape::sphere(0.5).unwrap();
    let (_, speed) = after(&mut on_slope(0.2, ball, 0.5, 0.0, no_sleep()), 2.0);
    let expected = 9.81 * 0.2f64.sin() * 2.0;
    assert!((speed / expected - 1.0).abs() < 0.01, "{speed} m/s against {expected}");
}

/// Rolling resistance of 0.05 holds a ball on slopes under 0.05 rad and lets it go above.
#[test]
fn rolling_resistance_holds_a_ball_on_slight_slopes() {
    let settings = SimulatorSettings { rolling_resistance: 0.05, ..no_sleep() };
    let ball = || Shape::sphere(0.5).unwrap();
    let (_, speed) = after(&mut on_slope(0.045, ball(), 0.5, 0.8, settings), 2.0);
    assert!(speed < 1e-3, "{speed} m/s");
    let (_, speed) = after(&mut on_slope(0.08, ball(), 0.5, 0.8, settings), 2.0);
    assert!(speed > 0.1, "{speed} m/s");
}

/// It holds a cylinder that lies across the slope, too: points in a line do not resist what turns about the line. Its lever is
/// 0.05 of the bounding radius of √1.25 m, the cylinder's own radius 0.5 m: it goes from 0.1114 rad on.
#[test]
fn rolling_resistance_holds_what_lies_along_a_line() {
    let settings = SimulatorSettings { rolling_resistance: 0.05, ..no_sleep() };
    let across = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_2);
    let above = Isometry3::from_parts(Translation3::new(0.0, 0.0, 0.5), across);
    let rolled = |angle: f64| {
        let cylinder = Shape::cylinder(1.0, 0.5).unwrap();
        after(&mut placed_on_slope(angle, cylinder, above, 0.8, settings), 2.0).1
    };
    let held = rolled(0.1);
    assert!(held < 1e-3, "{held} m/s");
    // What is left of the slope turns it: two thirds of it as of a solid cylinder.
    let (speed, angle) = (rolled(0.2), 0.2f64);
    let resistance = 0.05 * 1.25f64.sqrt() / 0.5;
    let expected = 2.0 / 3.0 * 9.81 * (angle.sin() - resistance * angle.cos()) * 2.0;
    assert!((speed / expected - 1.0).abs() < 0.1, "{speed} m/s against {expected}");
}
