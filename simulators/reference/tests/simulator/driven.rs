//! Surfaces that move by themselves: conveyor belts, lifts, turntables.

use impinge::prelude::*;
use impinge_reference::{BodyDesc, BodyId, Simulator, SimulatorSettings};

use crate::scene::{self, DT};

const G: f64 = 9.81;

fn material(friction: f64) -> Material {
    Material { friction, ..Material::default() }
}

/// A flat block of half a metre on a floor at z = 0 that is described by `floor`.
fn on(sim: &mut Simulator, floor: BodyDesc, friction: f64) -> [BodyId; 2] {
    let block = scene::shape(sim, Shape::cuboid([0.25, 0.25, 0.1]).unwrap());
    let floor = sim.add_body(floor.material(material(friction))).unwrap();
    let block = BodyDesc::new(block).position([0.0, 0.0, 0.1]).material(material(friction));
    [floor, sim.add_body(block).unwrap()]
}

fn slab(sim: &mut Simulator) -> ShapeId {
    scene::shape(sim, Shape::cuboid([20.0, 20.0, 0.5]).unwrap())
}

fn velocity(sim: &Simulator, body: BodyId) -> Vector3<f64> {
    sim.body(body).unwrap().linear_velocity()
}

/// A belt that starts under a box, which it wakes, accelerates it by µ·g until it is as fast as the belt, and then carries
/// it. The belt runs along the collider's own x, which is turned to the world's y, and the collider stays where it is.
#[test]
fn a_belt_accelerates_a_box_by_friction_until_it_is_as_fast() {
    for (friction, belt) in [(0.2, 1.5), (0.5, 2.0)] {
        let mut sim = scene::empty(SimulatorSettings::default());
        let slab = slab(&mut sim);
        let turned = Isometry3::new(Vector3::new(0.0, 0.0, -0.5), Vector3::z() * std::f64::consts::FRAC_PI_2);
        let [floor, block] = on(&mut sim, BodyDesc::fixed(slab).pose(turned), friction);
        scene::run(&mut sim, 2.0);
        assert!(sim.body(block).unwrap().asleep());
        let collider = sim.body(floor).unwrap().collider();
        sim.world_mut().set_surface_velocity(collider, Vector3::new(belt, 0.0, 0.0)).unwrap();
        let time = belt / (friction * G);
        let steps = (0.6 * time / DT) as u32;
        for step in 1..=steps {
            sim.step(DT).unwrap();
            let expected = friction * G * DT * f64::from(step);
            let v = velocity(&sim, block);
            assert!((v.y - expected).abs() < 0.01 * belt, "{v:?} against {expected} m/s");
            assert!(v.x.abs() < 1e-3 * belt && v.z.abs() < 0.01, "{v:?}");
        }
        scene::run(&mut sim, 2.0 * time + 1.0);
        let elapsed = DT * (f64::from(steps) + ((2.0 * time + 1.0) / DT).round());
        let v = velocity(&sim, block);
        assert!((v - Vector3::new(0.0, belt, 0.0)).norm() < 1e-3 * belt, "{v:?}");
        assert!(!sim.body(block).unwrap().asleep(), "what is carried does not sleep");
        assert_eq!(sim.body(floor).unwrap().pose().translation.vector, Vector3::new(0.0, 0.0, -0.5));
        // How far it lags behind: v²/(2µg), less than a step's rounding of it.
        let lag = belt * elapsed - sim.body(block).unwrap().center().y;
        assert!((lag - belt * belt / (2.0 * friction * G)).abs() < belt * DT, "{lag} m");
        // Stopped, the belt brakes it as it drove it.
        sim.world_mut().set_surface_velocity(collider, Vector3::zeros()).unwrap();
        scene::run(&mut sim, time + 1.0);
        assert!(velocity(&sim, block).norm() < 1e-3 && sim.body(block).unwrap().asleep());
    }
}

/// A belt does not push what leans on its end: there it has no speed along the surface but across it.
#[test]
fn a_belt_does_not_push_with_its_end() {
    let mut sim = scene::with_floor(SimulatorSettings::default());
    let belt = scene::shape(&mut sim, Shape::cuboid([1.0, 1.0, 0.5]).unwrap());
    let block = scene::shape(&mut sim, Shape::cuboid([0.25; 3]).unwrap());
    let belt = sim.add_body(BodyDesc::fixed(belt).position([-1.0, 0.0, 0.5])).unwrap();
    let collider = sim.body(belt).unwrap().collider();
    sim.world_mut().set_surface_velocity(collider, Vector3::new(3.0, 0.0, 0.0)).unwrap();
    let block = sim.add_body(BodyDesc::new(block).position([0.2499, 0.0, 0.25])).unwrap();
    scene::run(&mut sim, 1.0);
    let at = sim.body(block).unwrap().center();
    assert!((at.x - 0.25).abs() < 2e-3, "{at}");
}

/// A lift takes a box up and down at its own speed, without lagging, and bears its weight; slower than bodies at
/// rest may be, too.
#[test]
fn a_box_on_a_lift_moves_with_it() {
    for speed in [1.0, 0.02, -0.5] {
        let mut sim = scene::empty(SimulatorSettings::default());
        let slab = slab(&mut sim);
        let lift = BodyDesc::fixed(slab).position([0.0, 0.0, -0.5]);
        let [lift, block] = on(&mut sim, lift.linear_velocity(Vector3::z() * speed), 0.5);
        scene::run(&mut sim, 0.5);
        let gap = |sim: &Simulator| {
            sim.body(block).unwrap().center().z - sim.body(lift).unwrap().pose().translation.z - 0.6
        };
        let start = sim.body(block).unwrap().center().z;
        for _ in 0..180 {
            sim.step(DT).unwrap();
            assert!((velocity(&sim, block).z - speed).abs() < 1e-3, "{:?}", velocity(&sim, block));
            assert!(gap(&sim).abs() < 1e-3, "{} m between lift and box", gap(&sim));
        }
        let way = sim.body(block).unwrap().center().z - start;
        assert!((way - 3.0 * speed).abs() < 1e-3, "{way} m");
        let mass = sim.body(block).unwrap().mass();
        let touch = sim.world().contacts().next().unwrap().touch.unwrap();
        assert!((touch.impulse / (mass * G * DT) - 1.0).abs() < 0.01, "{} N·s", touch.impulse);
        // Stopped, it stays there, and what is on it falls asleep.
        sim.set_velocity(lift, Vector3::zeros(), Vector3::zeros()).unwrap();
        scene::run(&mut sim, 2.0);
        assert!(gap(&sim).abs() < 1e-3 && sim.body(block).unwrap().asleep());
    }
}

/// A collider of the program's own, moved by `set_pose` and said to be as fast as that: three boxes on it, asleep when
/// it starts, move with it.
#[test]
fn a_lift_moved_by_hand_wakes_and_carries_a_stack() {
    let speed = 0.04;
    let mut sim = scene::empty(SimulatorSettings::default());
    let slab = slab(&mut sim);
    let at = |z: f64| Isometry3::translation(0.0, 0.0, z);
    let lift = sim.world_mut().add_collider(Collider::new(slab).pose(at(-0.5)).fixed(true)).unwrap();
    let cube = scene::shape(&mut sim, Shape::cuboid([0.2; 3]).unwrap());
    let boxes: Vec<BodyId> = (0..3)
        .map(|k| sim.add_body(BodyDesc::new(cube).position([0.0, 0.0, 0.2 + 0.4 * f64::from(k)])).unwrap())
        .collect();
    scene::run(&mut sim, 2.0);
    assert!(boxes.iter().all(|&b| sim.body(b).unwrap().asleep()));
    sim.world_mut().set_velocity(lift, Vector3::z() * speed, Vector3::zeros()).unwrap();
    for step in 1..=240 {
        sim.step(DT).unwrap();
        sim.world_mut().set_pose(lift, at(-0.5 + speed * DT * f64::from(step))).unwrap();
    }
    for (k, &body) in boxes.iter().enumerate() {
        let z = sim.body(body).unwrap().center().z - 240.0 * DT * speed;
        assert!((z - 0.2 - 0.4 * k as f64).abs() < 2e-3, "box {k} at {z}");
        assert!((velocity(&sim, body).z - speed).abs() < 1e-3);
    }
}

/// A box on a turntable goes round with it, facing inward, as long as friction bears the centripetal force:
/// ω²·r < µ·g. (The table's velocity is one for each step, and friction turns the box in its first substeps: it creeps
/// outward, half a millimetre a second here, 2 mm at 60 steps a second.)
#[test]
fn a_box_on_a_turntable_goes_round() {
    let (omega, radius) = (1.2, 1.5);
    let mut sim = scene::empty(SimulatorSettings::default());
    let slab = slab(&mut sim);
    let table = BodyDesc::fixed(slab).position([0.0, 0.0, -0.5]).angular_velocity(Vector3::z() * omega);
    sim.add_body(table.material(material(0.8))).unwrap();
    let block = scene::shape(&mut sim, Shape::cuboid([0.25, 0.25, 0.1]).unwrap());
    let block = BodyDesc::new(block).position([radius, 0.0, 0.1]).material(material(0.8));
    let block = block.linear_velocity(Vector3::y() * (omega * radius)).angular_velocity(Vector3::z() * omega);
    let block = sim.add_body(block).unwrap();
    let seconds = 6.0;
    for _ in 0..(seconds / DT) as u32 * 4 {
        sim.step(0.25 * DT).unwrap();
        let body = sim.body(block).unwrap();
        let r = body.center().coords.xy().norm();
        assert!((r - radius).abs() < 0.005, "{r} m from the axis");
        assert!((body.angular_velocity().z - omega).abs() < 0.01, "{:?}", body.angular_velocity());
    }
    let body = sim.body(block).unwrap();
    let outward = body.pose().rotation * Vector3::x();
    let radial = Vector3::new(body.center().x, body.center().y, 0.0).normalize();
    assert!(outward.dot(&radial) > 0.999, "it has turned against the table");
    let angle = (omega * seconds).rem_euclid(std::f64::consts::TAU);
    let at = body.center().coords.xy();
    let found = libm::atan2(at.y, at.x).rem_euclid(std::f64::consts::TAU);
    assert!((found - angle).abs() < 0.02, "at {found} rad, the table at {angle}");
}

/// A box that stands on the axis of a table which starts to turn is spun up by friction to the table's speed.
#[test]
fn a_table_spins_up_what_stands_on_its_axis() {
    let mut sim = scene::empty(SimulatorSettings::default());
    let slab = slab(&mut sim);
    let table = BodyDesc::fixed(slab).position([0.0, 0.0, -0.5]).angular_velocity(Vector3::z() * 2.0);
    let [_, block] = on(&mut sim, table, 0.5);
    scene::run(&mut sim, 2.0);
    let body = sim.body(block).unwrap();
    assert!((body.angular_velocity() - Vector3::z() * 2.0).norm() < 0.01, "{:?}", body.angular_velocity());
    assert!(body.center().coords.xy().norm() < 0.01);
}

/// A solid ball that rolls on a turntable goes round in a circle with 2/7 of the table's angular velocity, wherever it
/// started (Burns 1981, "Ball rolling on a turntable").
#[test]
fn a_ball_on_a_turntable_circles_at_two_sevenths_of_its_speed() {
    let omega = 3.0;
    let settings = SimulatorSettings { rolling_resistance: 0.0, sleeping: false, ..Default::default() };
    let mut sim = scene::empty(settings);
    let slab = slab(&mut sim);
    let table = BodyDesc::fixed(slab).position([0.0, 0.0, -0.5]).angular_velocity(Vector3::z() * omega);
    sim.add_body(table.material(material(0.9))).unwrap();
    let radius = 0.1;
    let ball = scene::shape(&mut sim, Shape::sphere(radius as f32).unwrap());
    // Rolling without slipping at the place (1, 0): the table's surface goes along y at ω, and so does the ball's
    // lowest point, the centre at speed v: v − r·w = ω with w about −x.
    let v = 2.0 / 7.0 * omega;
    let spin = Vector3::new((omega - v) / radius, 0.0, 0.0);
    let ball = BodyDesc::new(ball).position([1.0, 0.0, radius]).material(material(0.9));
    let ball = ball.linear_velocity(Vector3::y() * v).angular_velocity(spin);
    let ball = sim.add_body(ball).unwrap();
    let period = std::f64::consts::TAU / v;
    let mut farthest = 0.0f64;
    let dt = DT / 8.0;
    let steps = (period / dt).round() as u32;
    for step in 1..=steps {
        sim.step(dt).unwrap();
        let angle = v * dt * f64::from(step);
        let at = sim.body(ball).unwrap().center();
        let expected = Point3::new(libm::cos(angle), libm::sin(angle), radius);
        farthest = farthest.max((at - expected).norm());
    }
    assert!(farthest < 0.03, "{farthest} m off a circle of 1 m");
}

/// A body with tracks of its own that slept drives off when they run, backward as they run forward over it.
#[test]
fn tracks_wake_their_body_and_drive_it_off() {
    let mut sim = scene::empty(SimulatorSettings::default());
    let slab = slab(&mut sim);
    let [_, block] = on(&mut sim, BodyDesc::fixed(slab).position([0.0, 0.0, -0.5]), 0.5);
    scene::run(&mut sim, 2.0);
    assert!(sim.body(block).unwrap().asleep());
    let collider = sim.body(block).unwrap().collider();
    sim.world_mut().set_surface_velocity(collider, Vector3::new(1.0, 0.0, 0.0)).unwrap();
    scene::run(&mut sim, 1.0);
    let v = velocity(&sim, block);
    assert!((v + Vector3::x()).norm() < 1e-2, "{v:?}");
}

/// A fast door takes a small ball with it: steps are split for what is carried, too.
#[test]
fn a_fast_door_does_not_pass_through_a_ball() {
    let mut sim = scene::empty(SimulatorSettings::default());
    let door = scene::shape(&mut sim, Shape::cuboid([0.05, 2.0, 2.0]).unwrap());
    let ball = scene::shape(&mut sim, Shape::sphere(0.05).unwrap());
    let door = BodyDesc::fixed(door).position([-2.1, 0.0, 0.0]).linear_velocity(Vector3::x() * 30.0);
    let door = sim.add_body(door).unwrap();
    let ball = sim.add_body(BodyDesc::new(ball)).unwrap();
    for _ in 0..12 {
        sim.step(DT).unwrap();
    }
    let (at, door) = (sim.body(ball).unwrap().center().x, sim.body(door).unwrap().pose().translation.x);
    assert!(door > 3.5 && at > door, "the ball at {at} m, the door at {door} m");
}

/// A collider of the program's own that is said to turn: rolling resistance leaves a ball on its axis the table's spin.
#[test]
fn a_turning_collider_spins_a_ball_on_its_axis() {
    let mut sim = scene::empty(SimulatorSettings::default());
    let slab = slab(&mut sim);
    let table = Collider::new(slab).position([0.0, 0.0, -0.5]).fixed(true);
    let spin = Vector3::z() * 2.0;
    let table = sim.world_mut().add_collider(table.velocity(Vector3::zeros(), spin)).unwrap();
    let ball = scene::shape(&mut sim, Shape::sphere(0.1).unwrap());
    let ball = BodyDesc::new(ball).position([0.0, 0.0, 0.1]).angular_velocity(spin);
    let ball = sim.add_body(ball).unwrap();
    scene::run(&mut sim, 2.0);
    let spins = sim.body(ball).unwrap().angular_velocity().z;
    assert!((spins - 2.0).abs() < 0.05, "{spins} rad/s");
    // A spin whose square is no number is refused, and the table turns as before.
    let world = sim.world_mut();
    assert!(world.set_velocity(table, Vector3::zeros(), Vector3::z() * 1e200).is_err());
    assert_eq!(world.collider(table).unwrap().angular_velocity, spin);
}
