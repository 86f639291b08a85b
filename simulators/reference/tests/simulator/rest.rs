//! Bodies at rest stay at rest.

use impinge::prelude::*;
use impinge_reference::{BodyDesc, SimulatorSettings};

use crate::scene::{self, DT};

/// A cube set down on the floor: four contacts, under a millimetre deep, no drift over five seconds,
/// with sleep turned off.
#[test]
fn a_box_rests_on_four_points() {
    let mut sim = scene::with_floor(SimulatorSettings { sleeping: false, ..Default::default() });
    let cube = scene::shape(&mut sim, scene::cube());
    let body = sim.add_body(BodyDesc::new(cube).position([0.3, -0.2, 0.5])).unwrap();
    scene::run(&mut sim, 1.0);
    let start = *sim.body(body).unwrap().pose();
    for _ in 0..300 {
        let summary = sim.step(DT).unwrap();
        assert_eq!(sim.world().manifolds()[0].points.len(), 4);
        assert!(summary.deepest < 1e-3, "{} m deep", summary.deepest);
    }
    let end = sim.body(body).unwrap().pose();
    assert!((end.translation.vector - start.translation.vector).norm() < 1e-6);
    assert!(end.rotation.angle_to(&start.rotation) < 1e-6);
}

/// Five cubes on each other, a little askew, stand for five seconds and do not creep.
#[test]
fn a_stack_of_five_stands() {
    let mut sim = scene::with_floor(SimulatorSettings { sleeping: false, ..Default::default() });
    let cube = scene::shape(&mut sim, scene::cube());
    let bodies: Vec<_> = (0..5)
        .map(|i| {
            let at = [0.01 * f64::from(i % 2), 0.0, 0.5 + f64::from(i)];
            sim.add_body(BodyDesc::new(cube).position(at)).unwrap()
        })
        .collect();
    scene::run(&mut sim, 1.0);
    let start: Vec<_> = bodies.iter().map(|&body| sim.body(body).unwrap().center()).collect();
    scene::run(&mut sim, 5.0);
    for (i, body) in bodies.iter().enumerate() {
        let body = sim.body(*body).unwrap();
        let at = body.center();
        assert!((at.z - (0.5 + i as f64)).abs() < 5e-3, "box {i} at {at}");
        assert!((at - start[i]).norm() < 5e-4, "box {i} went from {} to {at}", start[i]);
        assert!(body.linear_velocity().norm() < 1e-3);
    }
}

/// A light box under a heavy one (1 : 10) is not crushed.
#[test]
fn a_heavy_box_stands_on_a_light_one() {
    let mut sim = scene::with_floor(SimulatorSettings { sleeping: false, ..Default::default() });
    let cube = scene::shape(&mut sim, scene::cube());
    sim.add_body(BodyDesc::new(cube).position([0.0, 0.0, 0.5]).density(100.0)).unwrap();
    let top = sim.add_body(BodyDesc::new(cube).position([0.0, 0.0, 1.5]).density(1000.0)).unwrap();
    scene::run(&mut sim, 4.0);
    let top = sim.body(top).unwrap();
    assert!((top.center().z - 1.5).abs() < 5e-3, "{}", top.center());
}

/// A box at rest sleeps after half a second; its pose then does not change by a bit; a ball that hits it
/// wakes it.
#[test]
fn a_sleeper_does_not_move_until_it_is_hit() {
    let mut sim = scene::with_floor(SimulatorSettings::default());
    let cube = scene::shape(&mut sim, scene::cube());
    let ball = scene::shape(&mut sim, Shape::sphere(0.3).unwrap());
    let sleeper = sim.add_body(BodyDesc::new(cube).position([0.0, 0.0, 0.5])).unwrap();
    scene::run(&mut sim, 1.0);
    assert!(sim.body(sleeper).unwrap().asleep());
    let pose = *sim.body(sleeper).unwrap().pose();
    let thrown = BodyDesc::new(ball).position([-3.0, 0.0, 0.6]);
    sim.add_body(thrown.linear_velocity(Vector3::new(6.0, 0.0, 1.5))).unwrap();
    scene::run(&mut sim, 0.25);
    assert!(sim.body(sleeper).unwrap().asleep());
    assert_eq!(*sim.body(sleeper).unwrap().pose(), pose);
    scene::run(&mut sim, 0.5);
    let body = sim.body(sleeper).unwrap();
    assert!(!body.asleep() && body.pose().translation.x > pose.translation.x + 1e-3);
}

/// What a sleeper stands on is taken away: it falls.
#[test]
fn a_sleeper_falls_when_its_support_goes() {
    let mut sim = scene::with_floor(SimulatorSettings::default());
    let cube = scene::shape(&mut sim, scene::cube());
    let below = sim.add_body(BodyDesc::new(cube).position([0.0, 0.0, 0.5])).unwrap();
    let above = sim.add_body(BodyDesc::new(cube).position([0.0, 0.0, 1.5])).unwrap();
    scene::run(&mut sim, 1.5);
    assert!(sim.body(above).unwrap().asleep());
    sim.remove_body(below).unwrap();
    assert!(sim.body(below).is_err());
    scene::run(&mut sim, 1.5);
    assert!((sim.body(above).unwrap().center().z - 0.5).abs() < 2e-3);
}

/// The ground under a sleeper rises because its vertices do, or sinks, from under its box as well: it wakes, and ends on the ground as it is then.
#[test]
fn a_sleeper_wakes_when_the_vertices_under_it_are_set() {
    for by in [0.02_f32, -0.02, -0.1] {
        let mut sim = scene::empty(SimulatorSettings::default());
        let ground = scene::torus(3.0, 1.0, 48, 24);
        let Shape::Mesh(mesh) = &ground else { panic!("{ground:?}") };
        let raised: Vec<Point3<f32>> =
            mesh.vertices().iter().map(|p| p + Vector3::new(0.0, 0.0, by)).collect();
        let ground = scene::shape(&mut sim, ground.clone());
        sim.add_body(BodyDesc::fixed(ground)).unwrap();
        let ball = scene::shape(&mut sim, torus_ring());
        let ring = sim.add_body(BodyDesc::new(ball).position([0.0, 0.0, 1.3])).unwrap();
        scene::run(&mut sim, 3.0);
        let before = *sim.body(ring).unwrap().pose();
        assert!(sim.body(ring).unwrap().asleep(), "{before}");
        sim.world_mut().set_vertices(ground, &raised).unwrap();
        sim.step(DT).unwrap();
        assert!(!sim.body(ring).unwrap().asleep(), "{by}");
        scene::run(&mut sim, 3.0);
        let body = sim.body(ring).unwrap();
        let moved = body.pose().translation.z - before.translation.z;
        assert!(body.asleep() && (moved - f64::from(by)).abs() < 2e-3, "{by}: {moved}");
        // What is set to where it stands wakes nothing.
        sim.world_mut().set_vertices(ground, &raised).unwrap();
        sim.step(DT).unwrap();
        assert!(sim.body(ring).unwrap().asleep() && sim.world().edited_pairs().is_empty());
    }
}

/// A ring that lies level on the upper side of a torus of radii 3 and 1 m.
fn torus_ring() -> Shape {
    scene::torus(3.0, 0.3, 48, 12)
}

/// What a sleeper stands on is pulled away, too slowly to wake it: it falls when nothing is left below.
#[test]
fn a_sleeper_falls_when_its_support_creeps_away() {
    let mut sim = scene::with_floor(SimulatorSettings::default());
    let slippery = Material { friction: 0.0, ..Material::default() };
    let cube = scene::shape(&mut sim, scene::cube());
    let below = BodyDesc::new(cube).position([0.0, 0.0, 0.5]).material(slippery);
    let below = sim.add_body(below).unwrap();
    let above = sim.add_body(BodyDesc::new(cube).position([0.0, 0.0, 1.5])).unwrap();
    scene::run(&mut sim, 1.5);
    let pose = *sim.body(above).unwrap().pose();
    let mut woke = None;
    for step in 0..1200 {
        let slow = Vector3::new(0.08, 0.0, 0.0);
        sim.set_velocity(below, slow, Vector3::zeros()).unwrap();
        sim.step(DT).unwrap();
        let body = sim.body(above).unwrap();
        let gone = sim.body(below).unwrap().center().x;
        if woke.is_none() && body.asleep() {
            assert_eq!(*body.pose(), pose);
        } else {
            woke = woke.or(Some((step, gone)));
        }
    }
    let (_, gone) = woke.expect("it never woke");
    assert!((gone - 1.0).abs() < 0.05, "it woke when its support had gone {gone} m");
    assert!(sim.body(above).unwrap().center().z < 1.0);
}

/// A ring of boxes that lean on each other does not wait for one that does not rest: each sleeps when it
/// and its neighbours are quiet.
#[test]
fn a_restless_body_does_not_keep_the_heap_awake() {
    let mut sim = scene::with_floor(SimulatorSettings::default());
    let cube = scene::shape(&mut sim, scene::cube());
    let row: Vec<_> = (0..4)
        .map(|i| sim.add_body(BodyDesc::new(cube).position([0.9999 * f64::from(i), 0.0, 0.5])).unwrap())
        .collect();
    for _ in 0..120 {
        sim.wake(row[3]).unwrap();
        sim.step(DT).unwrap();
    }
    let asleep: Vec<_> = row.iter().map(|&body| sim.body(body).unwrap().asleep()).collect();
    assert_eq!(asleep, [true, true, false, false]);
}

/// A spring of the material's own carries a box where Hooke's law says: m·g = 4·k·depth.
#[test]
fn a_soft_material_sinks_by_its_weight() {
    let mut sim = scene::empty(SimulatorSettings { sleeping: false, ..Default::default() });
    let soft = Material { stiffness: Some(50_000.0), ..Material::default() };
    scene::add_floor(&mut sim, Isometry3::identity(), soft);
    let cube = scene::shape(&mut sim, scene::cube());
    let body = sim.add_body(BodyDesc::new(cube).position([0.0, 0.0, 0.5])).unwrap();
    scene::run(&mut sim, 5.0);
    let depth = 0.5 - sim.body(body).unwrap().center().z;
    let expected = 1000.0 * 9.81 / (4.0 * 50_000.0);
    assert!((depth / expected - 1.0).abs() < 0.02, "{depth} m against {expected} m");
}
