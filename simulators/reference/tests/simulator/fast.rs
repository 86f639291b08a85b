//! Fast bodies against walls with and without thickness, and against each other.

use impinge::prelude::*;
use impinge_reference::{BodyDesc, BodyId, Simulator, SimulatorSettings};

use crate::scene::{self, DT};

fn simulator(gravity: f64) -> Simulator {
    let world = World::builder().backend(Backend::Cpu).threads(1).build().unwrap();
    let settings =
        SimulatorSettings { gravity: Vector3::new(0.0, 0.0, -gravity), ..SimulatorSettings::default() };
    Simulator::new(world, settings).unwrap()
}

/// A square sheet without thickness at z = 0.
fn sheet() -> TriMesh {
    let corners = [[-1e3, -1e3, 0.0], [1e3, -1e3, 0.0], [1e3, 1e3, 0.0], [-1e3, 1e3, 0.0]];
    TriMesh::new(corners.map(Point3::from).to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap()
}

#[test]
fn a_bullet_stays_on_its_side_of_a_sheet() {
    for speed in [1.0, 30.0, 1000.0] {
        let mut sim = simulator(9.81);
        let sheet = sim.world_mut().add_shape(sheet()).unwrap();
        sim.add_body(BodyDesc::fixed(sheet)).unwrap();
        let shapes = [
            Shape::sphere(0.05).unwrap(),
            Shape::cuboid([0.1, 0.05, 0.05]).unwrap(),
            scene::torus(0.08, 0.03, 16, 8),
        ];
        let bodies: Vec<_> = shapes
            .into_iter()
            .enumerate()
            .map(|(k, shape)| {
                let shape = sim.world_mut().add_shape(shape).unwrap();
                let desc = BodyDesc::new(shape).position([k as f64 - 1.0, 0.2, 1.0]).fast(true);
                let shot = desc.linear_velocity(Vector3::new(0.0, 0.0, -speed));
                sim.add_body(shot.angular_velocity(Vector3::new(1.0, 2.0, 3.0))).unwrap()
            })
            .collect();
        let mut impacts = 0;
        for step in 0..240 {
            impacts += sim.step(DT).unwrap().impacts;
            for &id in &bodies {
                let body = sim.body(id).unwrap();
                assert!(body.center().z > 0.0, "at {speed} m/s, step {step}: {:?}", body.pose());
            }
        }
        assert!(impacts >= 3);
        for &id in &bodies {
            let body = sim.body(id).unwrap();
            // What spins from a shot at 1000 m/s tumbles on, but impacts give nothing.
            assert!(speed > 100.0 || body.center().z < 0.2, "{:?}", body.pose());
            let energy = body.kinetic_energy() + body.mass() * 9.81 * body.center().z;
            let most = body.mass() * (0.5 * speed * speed + 9.81) + 1.0;
            assert!(energy <= most, "{energy} J of {most}");
        }
    }
}

#[test]
fn bullets_exchange_their_momentum() {
    // Equal balls that meet head on without loss change their velocities, at any speed.
    let mut sim = simulator(0.0);
    let ball = sim.world_mut().add_shape(Shape::sphere(0.1).unwrap()).unwrap();
    let hard = Material { restitution: 1.0, friction: 0.0, ..Material::default() };
    let mut shoot = |x: f64, v: f64| {
        let desc = BodyDesc::new(ball).position([x, 0.0, 0.0]).linear_velocity(Vector3::new(v, 0.0, 0.0));
        sim.add_body(desc.material(hard).fast(true)).unwrap()
    };
    let (a, b) = (shoot(-2.0, 500.0), shoot(2.0, -300.0));
    let summary = sim.step(DT).unwrap();
    assert_eq!((summary.impacts, summary.detections), (1, 1));
    let [a, b] = [a, b].map(|id| sim.body(id).unwrap().clone());
    assert!((a.linear_velocity().x + 300.0).abs() < 1e-6 && (b.linear_velocity().x - 500.0).abs() < 1e-6);
    // They met after 3.8 m at 800 m/s, and went on for the rest of the step.
    let met = 3.8 / 800.0;
    let expected = -2.0 + 500.0 * met - 300.0 * (DT - met);
    assert!((a.pose().translation.x - expected).abs() < 1e-3, "{} for {expected}", a.pose().translation.x);
}

#[test]
fn what_is_fast_and_rests_stays_at_rest() {
    let mut sim = simulator(9.81);
    let cube = Shape::cuboid([0.2; 3]).unwrap();
    let [floor, cube] = [Shape::half_space(), cube].map(|s| sim.world_mut().add_shape(s).unwrap());
    sim.add_body(BodyDesc::fixed(floor)).unwrap();
    let bodies: Vec<_> = (0..4)
        .map(|k| {
            let desc = BodyDesc::new(cube).position([0.0, 0.0, 0.2 + 0.4 * f64::from(k)]).fast(true);
            sim.add_body(desc).unwrap()
        })
        .collect();
    let mut impacts = 0;
    for _ in 0..300 {
        impacts += sim.step(DT).unwrap().impacts;
    }
    for (k, &id) in bodies.iter().enumerate() {
        let z = sim.body(id).unwrap().pose().translation.z;
        assert!((z - (0.2 + 0.4 * k as f64)).abs() < 5e-3, "cube {k} at {z}");
    }
    assert!(impacts <= 20, "{impacts} impacts of what rests");
}

/// Rings poured onto each other at 6 m/s, in a box: more of them are stopped in a step than can go from impact to impact.
fn crowd(side: u32) -> (Simulator, Vec<BodyId>) {
    let mut sim = simulator(9.81);
    let [floor, ring] = [Shape::half_space(), scene::torus(0.16, 0.06, 12, 6)]
        .map(|shape| sim.world_mut().add_shape(shape).unwrap());
    sim.add_body(BodyDesc::fixed(floor)).unwrap();
    let middle = 0.5 * f64::from(side - 1);
    let walls = [Vector3::x(), -Vector3::x(), Vector3::y(), -Vector3::y()];
    for out in walls {
        let turn = UnitQuaternion::rotation_between(&Vector3::z(), &out)
            .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI));
        let at = out * -(0.46 * middle + 0.24);
        sim.add_body(BodyDesc::fixed(floor).pose(Isometry3::from_parts(at.into(), turn))).unwrap();
    }
    let bodies = (0..side.pow(3))
        .map(|k| {
            let at = [k % side, k / side % side, k / side / side]
                .map(|i| 0.46 * (f64::from(i) - middle) + 0.004 * f64::from(k % 5));
            let tilt = Vector3::new(f64::from(k), f64::from(3 * k % 7), 1.0);
            let desc = BodyDesc::new(ring).position([at[0], at[1], at[2] + 0.74 + 0.46 * middle]).fast(true);
            let desc = desc.linear_velocity(Vector3::new(0.0, 0.0, -6.0)).angular_velocity(tilt * 0.2);
            sim.add_body(desc).unwrap()
        })
        .collect();
    (sim, bodies)
}

#[test]
fn a_crowd_of_fast_bodies_does_not_sink_into_each_other() {
    let (mut sim, bodies) = crowd(3);
    let (mut deepest, mut impacts) = (0.0f64, 0);
    for _ in 0..90 {
        impacts += sim.step(DT).unwrap().impacts;
        let depths = sim.world().manifolds().iter().map(|manifold| manifold.depth);
        deepest = depths.fold(deepest, f64::max);
    }
    assert!(impacts > 50, "{impacts}");
    assert!(deepest < 0.03, "{deepest} m deep in each other");
    for &id in &bodies {
        let body = sim.body(id).unwrap();
        assert!(body.center().z > 0.0 && body.linear_velocity().norm() < 4.0, "{body:?}");
    }
}

#[test]
fn no_body_of_a_crowd_stands_still_at_speed() {
    // What is held where it is, though the solver has it move, is run into by what comes behind it.
    let (mut sim, bodies) = crowd(4);
    for step in 0..40 {
        let before: Vec<_> = bodies.iter().map(|&id| *sim.body(id).unwrap().pose()).collect();
        sim.step(DT).unwrap();
        for (&id, before) in bodies.iter().zip(&before) {
            let body = sim.body(id).unwrap();
            let moved = (body.pose().translation.vector - before.translation.vector).norm();
            let speed = body.linear_velocity().norm();
            assert!(speed < 0.5 || moved > 1e-4, "step {step}: {moved} m at {speed} m/s");
        }
    }
}
