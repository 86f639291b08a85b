//! Bodies that nothing touches, and bodies that touch nothing but each other.

use impinge::prelude::*;
use impinge_reference::{BodyDesc, Simulator, SimulatorSettings};

use crate::scene::{self, DT};

/// Thrown from the origin: after t seconds at v·t + ½·g·t², but for the half substep by which the
/// integrator's velocity runs ahead.
#[test]
fn a_thrown_ball_flies_a_parabola() {
    let mut sim = scene::empty(SimulatorSettings::default());
    let ball = scene::shape(&mut sim, Shape::sphere(0.1).unwrap());
    let v = Vector3::new(3.0, -1.0, 8.0);
    let body = sim.add_body(BodyDesc::new(ball).linear_velocity(v)).unwrap();
    scene::run(&mut sim, 2.0);
    let exact = v * 2.0 + sim.settings().gravity * 2.0;
    let body = sim.body(body).unwrap();
    let h = DT / 8.0;
    assert!((body.center().coords - exact).norm() <= 9.81 * 2.0 * h * 0.5 + 1e-9);
    assert!((body.linear_velocity() - (v + sim.settings().gravity * 2.0)).norm() < 1e-9);
}

/// A box whose mesh origin is far from its centre of mass spins about the centre, not the origin.
#[test]
fn a_body_turns_about_its_centre_of_mass() {
    let mut sim = scene::empty(scene::weightless());
    let offset = Isometry3::translation(5.0, 0.0, 0.0);
    let shape = Shape::composite(vec![(offset, scene::cube())]).unwrap();
    let shape = scene::shape(&mut sim, shape);
    let spin = Vector3::new(0.0, 0.0, 2.0);
    let body = sim.add_body(BodyDesc::new(shape).angular_velocity(spin)).unwrap();
    scene::run(&mut sim, 1.0);
    let body = sim.body(body).unwrap();
    assert!((body.center() - Point3::new(5.0, 0.0, 0.0)).norm() < 1e-9);
    let exact = Point3::new(5.0 - 5.0 * 2f64.cos(), -5.0 * 2f64.sin(), 0.0);
    assert!((body.pose().translation.vector - exact.coords).norm() < 1e-6);
}

/// A T-handle (a bar across the end of another) spun about its middle axis tumbles; nothing is lost.
#[test]
fn a_t_handle_keeps_its_energy_and_momentum() {
    let mut sim = scene::empty(scene::weightless());
    let bar = Shape::cuboid([0.5, 0.08, 0.08]).unwrap();
    let stem = Shape::cuboid([0.08, 0.08, 0.2]).unwrap();
    let shape =
        Shape::composite(vec![(Isometry3::identity(), bar), (Isometry3::translation(0.0, 0.0, 0.28), stem)])
            .unwrap();
    let shape = scene::shape(&mut sim, shape);
    // The stem's axis is the middle one: bar's own axis has the least inertia.
    let spin = Vector3::new(0.01, 0.01, 10.0);
    let id = sim.add_body(BodyDesc::new(shape).angular_velocity(spin)).unwrap();
    let (energy, momentum) = {
        let body = sim.body(id).unwrap();
        (body.kinetic_energy(), body.angular_momentum())
    };
    for _ in 0..600 {
        sim.step(DT).unwrap();
        let body = sim.body(id).unwrap();
        assert!((body.kinetic_energy() / energy - 1.0).abs() < 2e-3);
    }
    assert!((sim.body(id).unwrap().angular_momentum() - momentum).norm() < 1e-9 * momentum.norm());
}

fn totals(sim: &Simulator) -> (Vector3<f64>, Vector3<f64>) {
    sim.bodies().fold((Vector3::zeros(), Vector3::zeros()), |(p, l), (_, body)| {
        let arm = body.center().coords;
        (p + body.momentum(), l + body.angular_momentum() + arm.cross(&body.momentum()))
    })
}

/// Two balls of different mass meet off-centre, with friction: linear and angular momentum of the two
/// together stay, energy does not grow. (Angular momentum stays but for how far a contact moves within a
/// step, so steps are short here.)
#[test]
fn a_collision_of_two_free_bodies_keeps_momentum() {
    let mut sim = scene::empty(scene::weightless());
    let ball = scene::shape(&mut sim, Shape::sphere(0.5).unwrap());
    let bouncy = Material { restitution: 0.7, friction: 0.6, ..Material::default() };
    let a = BodyDesc::new(ball).position([-1.0, 0.0, 0.0]).material(bouncy);
    let b = BodyDesc::new(ball).position([1.0, 0.4, 0.1]).material(bouncy).density(300.0);
    sim.add_body(a.linear_velocity(Vector3::new(3.0, 0.0, 0.0))).unwrap();
    let b = b.angular_velocity(Vector3::new(0.0, 4.0, -5.0));
    let b = sim.add_body(b.linear_velocity(Vector3::new(-1.0, 0.0, 0.0))).unwrap();
    let (p, l) = totals(&sim);
    let energy = sim.step(DT / 16.0).unwrap().kinetic_energy;
    let mut touched = false;
    let mut last = energy;
    for _ in 0..1440 {
        let summary = sim.step(DT / 16.0).unwrap();
        touched |= summary.rows > 0;
        last = summary.kinetic_energy;
    }
    let (p2, l2) = totals(&sim);
    assert!(touched && sim.body(b).unwrap().linear_velocity().x > 0.5);
    assert!((p2 - p).norm() < 1e-9 * p.norm(), "{p2} against {p}");
    assert!((l2 - l).norm() < 5e-3 * l.norm(), "{l2} against {l}");
    assert!(last < energy, "{last} J against {energy} J");
}

/// Two equal balls, head on and perfectly elastic, exchange their speeds.
#[test]
fn equal_elastic_balls_exchange_their_speeds() {
    let mut sim = scene::empty(scene::weightless());
    let ball = scene::shape(&mut sim, Shape::sphere(0.5).unwrap());
    let elastic = Material { restitution: 1.0, friction: 0.0, ..Material::default() };
    let moving = BodyDesc::new(ball).position([-1.5, 0.0, 0.0]).material(elastic);
    let a = sim.add_body(moving.linear_velocity(Vector3::new(2.0, 0.0, 0.0))).unwrap();
    let b = sim.add_body(BodyDesc::new(ball).material(elastic)).unwrap();
    scene::run(&mut sim, 1.0);
    assert!(sim.body(a).unwrap().linear_velocity().norm() < 1e-9);
    assert!((sim.body(b).unwrap().linear_velocity() - Vector3::new(2.0, 0.0, 0.0)).norm() < 1e-9);
}
