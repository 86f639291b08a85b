//! Hinges and loads against closed forms.

use std::f64::consts::{PI, TAU};

use impinge::prelude::*;
use impinge_reference::{BodyDesc, BodyId, HingeDesc, Load, Motor, Simulator, SimulatorError};

use crate::scene::{self, DT};

/// A thin bar along x from the origin to 1 m, of 0.1 m × 0.1 m.
fn bar(sim: &mut Simulator) -> BodyId {
    let bar = scene::shape(sim, Shape::cuboid([0.5, 0.05, 0.05]).unwrap());
    sim.add_body(BodyDesc::new(bar).position([0.5, 0.0, 0.0])).unwrap()
}

/// Inertia of the bar about an axis across it (kg·m²).
fn inertia(mass: f64, to_center: f64) -> f64 {
    mass * ((1.0 + 0.01) / 12.0 + to_center * to_center)
}

/// Let go at a small angle, a bar hung by its end swings with T = 2π √(I / (m g l)).
#[test]
fn a_hung_bar_swings_as_a_pendulum() {
    let mut sim = scene::empty(Default::default());
    let small = 0.05;
    // Hanging down is the bar turned by a quarter about y.
    let pose = Isometry3::rotation(Vector3::y() * (PI / 2.0 - small)) * Isometry3::translation(0.5, 0.0, 0.0);
    let shape = scene::shape(&mut sim, Shape::cuboid([0.5, 0.05, 0.05]).unwrap());
    let id = sim.add_body(BodyDesc::new(shape).pose(pose)).unwrap();
    let hinge = sim.add_hinge(HingeDesc::new(id, Point3::origin(), Vector3::y())).unwrap();
    let mass = sim.body(id).unwrap().mass();
    let period = TAU * (inertia(mass, 0.5) / (mass * 9.81 * 0.5)).sqrt();
    // Twice through the lowest point in a period: count over ten.
    let (mut passes, mut last) = (Vec::new(), -small);
    for step in 0..(10.2 * period / DT) as usize {
        sim.step(DT).unwrap();
        let angle = sim.hinge(hinge).unwrap().angle() - small;
        if last < 0.0 && angle >= 0.0 {
            passes.push((step as f64 - angle / (angle - last)) * DT);
        }
        last = angle;
        let center = sim.body(id).unwrap().center();
        assert!(
            (center.coords.norm() - 0.5).abs() < 1e-4,
            "the end has come off by {}",
            center.coords.norm() - 0.5
        );
    }
    let found = (passes[9] - passes[0]) / 9.0;
    assert!((found / period - 1.0).abs() < 0.01, "period {found} s instead of {period} s");
}

/// A motor that is strong enough turns at its speed; one that is weak gives all its torque.
#[test]
fn a_motor_has_a_speed_and_a_torque() {
    let mut sim = scene::empty(scene::weightless());
    let body = bar(&mut sim);
    let axis = Vector3::new(0.0, 0.0, 2.0);
    let strong = Motor { speed: 3.0, max_torque: 1e6 };
    let hinge = sim.add_hinge(HingeDesc::new(body, Point3::origin(), axis).motor(strong)).unwrap();
    scene::run(&mut sim, 2.0);
    let turned = sim.hinge(hinge).unwrap().angle();
    assert!((sim.body(body).unwrap().angular_velocity().z - 3.0).abs() < 1e-3);
    // From rest at once, and round and round.
    assert!((turned - 6.0).abs() < 0.02, "{turned}");

    let mass = sim.body(body).unwrap().mass();
    let torque = 5.0;
    sim.set_motor(hinge, Some(Motor { speed: -1e6, max_torque: torque })).unwrap();
    scene::run(&mut sim, 1.0);
    let exact = 3.0 - torque / inertia(mass, 0.5);
    let speed = sim.body(body).unwrap().angular_velocity().z;
    assert!((speed - exact).abs() < 0.01 * torque / inertia(mass, 0.5), "{speed} is not {exact}");
    assert!((sim.hinge(hinge).unwrap().torque() + torque).abs() < 1e-9);
}

/// A wheel on a level axle held beside it: gravity pulls it across the axis, and the hinge bears it.
#[test]
fn the_axis_stays_in_line_under_load() {
    let mut sim = scene::empty(Default::default());
    let wheel = scene::shape(&mut sim, Shape::cylinder(0.05, 0.5).unwrap());
    let pose = Isometry3::rotation(Vector3::y() * (PI / 2.0));
    let body = sim.add_body(BodyDesc::new(wheel).pose(pose)).unwrap();
    let anchor = Point3::new(-0.3, 0.0, 0.0);
    let hinge = sim.add_hinge(HingeDesc::new(body, anchor, Vector3::x())).unwrap();
    sim.set_velocity(body, Vector3::zeros(), Vector3::x() * 5.0).unwrap();
    for _ in 0..300 {
        sim.step(DT).unwrap();
        let axis = sim.body(body).unwrap().pose() * Vector3::z();
        assert!(axis.cross(&Vector3::x()).norm() < 2e-3, "{axis:?}");
    }
    let angle = sim.hinge(hinge).unwrap().angle();
    assert!((angle - 25.0).abs() < 0.05, "{angle}");
}

/// A hinge between two free bodies changes neither momentum nor angular momentum.
#[test]
fn a_hinge_keeps_momentum() {
    let mut sim = scene::empty(scene::weightless());
    let shape = scene::shape(&mut sim, Shape::cuboid([0.5, 0.05, 0.05]).unwrap());
    let desc = |x: f64| BodyDesc::new(shape).position([x, 0.0, 0.0]).part(1);
    let a = sim.add_body(desc(0.5).linear_velocity(Vector3::new(0.0, 1.0, 0.2))).unwrap();
    let b = sim.add_body(desc(1.5).angular_velocity(Vector3::new(0.1, -0.3, 2.0))).unwrap();
    let anchor = Point3::new(1.0, 0.0, 0.0);
    let motor = Motor { speed: 2.0, max_torque: 3.0 };
    sim.add_hinge(HingeDesc::new(b, anchor, Vector3::z()).on(a).motor(motor)).unwrap();
    let totals = |sim: &Simulator| {
        sim.bodies().fold((Vector3::zeros(), Vector3::zeros()), |(p, l), (_, body)| {
            let turning = body.center().coords.cross(&body.momentum());
            (p + body.momentum(), l + body.angular_momentum() + turning)
        })
    };
    let (p, l) = totals(&sim);
    for _ in 0..240 {
        sim.step(DT).unwrap();
        let ends =
            [(a, 0.5), (b, -0.5)].map(|(id, x)| sim.body(id).unwrap().pose() * Point3::new(x, 0.0, 0.0));
        assert!((ends[0] - ends[1]).norm() < 1e-3, "apart by {}", (ends[0] - ends[1]).norm());
    }
    let (q, m) = totals(&sim);
    assert!((q - p).norm() < 1e-9 * p.norm());
    // Impulses turn bodies by their inertia as it stood at the step's begin, 0.03 rad ago at most.
    assert!((m - l).norm() < 0.03 * l.norm(), "{m:?} is not {l:?}");
}

/// s = ½ (F/m) t² and φ = ½ (M/I) t².
#[test]
fn a_load_accelerates() {
    let mut sim = scene::empty(scene::weightless());
    let ball = scene::shape(&mut sim, Shape::sphere(0.5).unwrap());
    let id = sim.add_body(BodyDesc::new(ball)).unwrap();
    let mass = sim.body(id).unwrap().mass();
    let load = Load { force: Vector3::new(mass, 0.0, 0.0), torque: Vector3::new(0.0, 0.0, 0.1 * mass) };
    sim.set_load(id, load).unwrap();
    scene::run(&mut sim, 2.0);
    let body = sim.body(id).unwrap();
    assert_eq!(body.load(), load);
    assert!((body.center().x - 2.0).abs() < 0.01);
    assert!((body.linear_velocity().x - 2.0).abs() < 1e-9);
    // I = 0.4 m r²: one rad/s².
    assert!((body.angular_velocity().z - 2.0).abs() < 1e-9);
}

/// Asleep, a body stays where it is; its motor wakes it.
#[test]
fn motors_wake_what_they_turn() {
    let mut sim = scene::empty(Default::default());
    let body = bar(&mut sim);
    let hinge = sim.add_hinge(HingeDesc::new(body, Point3::new(0.5, 0.0, 0.0), Vector3::z())).unwrap();
    scene::run(&mut sim, 2.0);
    assert!(sim.body(body).unwrap().asleep());
    sim.set_motor(hinge, Some(Motor { speed: 1.0, max_torque: 1e3 })).unwrap();
    scene::run(&mut sim, 2.0);
    assert!((sim.hinge(hinge).unwrap().angle() - 2.0).abs() < 0.02);
}

#[test]
fn what_cannot_be_held_is_refused() {
    let mut sim = scene::empty(Default::default());
    let body = bar(&mut sim);
    let good = HingeDesc::new(body, Point3::origin(), Vector3::z());
    let refused = |sim: &mut Simulator, desc| sim.add_hinge(desc).unwrap_err();
    assert!(matches!(refused(&mut sim, good.on(body)), SimulatorError::HingeOnItself { .. }));
    for axis in [Vector3::zeros(), Vector3::new(f64::NAN, 0.0, 1.0)] {
        let error = refused(&mut sim, HingeDesc { axis, ..good });
        assert!(matches!(error, SimulatorError::HingePlace { .. }), "{error}");
    }
    for motor in [Motor { speed: f64::NAN, max_torque: 1.0 }, Motor { speed: 1.0, max_torque: -1.0 }] {
        assert!(matches!(refused(&mut sim, good.motor(motor)), SimulatorError::Motor { .. }));
    }
    let hinge = sim.add_hinge(good).unwrap();
    let load = Load { torque: Vector3::new(0.0, f64::INFINITY, 0.0), ..Load::default() };
    assert!(matches!(sim.set_load(body, load), Err(SimulatorError::Load { load: "torque", .. })));
    sim.remove_body(body).unwrap();
    assert!(matches!(sim.hinge(hinge), Err(SimulatorError::UnknownHinge { .. })));
    assert!(matches!(refused(&mut sim, good), SimulatorError::UnknownBody { .. }));
}
