//! docs/PROMISES.md, "Falling through": nothing falls through a thin thing that is hit no faster than
//! promised.

use impinge::geometry::Primitive;
use impinge::prelude::*;
use impinge_oracle::solids::{block, shape};
use impinge_reference::{BodyDesc, Simulator, SimulatorSettings};
use impinge_scenes::mesh::{Gear, Terrain};

const DT: f64 = 1.0 / 60.0;
/// Thickness of the sheets (m).
const THICK: f32 = 0.1;
/// How near the limit a drop is.
const PART: f64 = 0.95;
/// Drops onto one ground: how far the body is above it when its fast step begins, and how it is turned.
const DROPS: u32 = 8;

/// What is dropped onto: its name, its shape, the height of its highest place where bodies hit it, and the
/// thickness that counts (m).
fn grounds() -> Vec<(&'static str, Shape, f64, f64)> {
    let sheet = |relief: f64| Terrain { half: 2.0, relief, rim: 0.0, cells: 16, seed: 3 }.mesh().unwrap();
    let (flat, bumpy) = (sheet(1e-3), sheet(0.05));
    let top = |mesh: &TriMesh| {
        let near = mesh.vertices().iter().filter(|v| v.xy().coords.norm() < 0.6);
        near.map(|v| f64::from(v.z)).fold(-1.0, f64::max)
    };
    let one_sided = |mesh: &TriMesh| shape(mesh.one_sided(THICK, Vector3::z()).unwrap());
    let thick = f64::from(THICK);
    vec![
        ("flat one-sided sheet", one_sided(&flat), top(&flat), thick),
        ("bumpy one-sided sheet", one_sided(&bumpy), top(&bumpy), thick),
        ("thin plate, a mesh", shape(block([2.0, 2.0, 0.5 * THICK])), 0.5 * thick, thick),
        ("thin plate, a cuboid", Shape::cuboid([2.0, 2.0, 0.5 * THICK]).unwrap(), 0.5 * thick, thick),
        ("flat soup", shape(flat.clone()), top(&flat), 0.0),
        ("bumpy soup", shape(bumpy.clone()), top(&bumpy), 0.0),
    ]
}

/// What is dropped: its name, its shape, and the radius of the largest ball in it (m).
fn bodies() -> Vec<(&'static str, Shape, f64)> {
    vec![
        ("sphere", Shape::sphere(0.2).unwrap(), 0.2),
        ("cuboid", Shape::cuboid([0.3, 0.2, 0.15]).unwrap(), 0.15),
        ("block", shape(block([0.3, 0.2, 0.15])), 0.15),
        ("gear", shape(Gear::default().mesh().unwrap()), 0.08),
    ]
}

/// How far below its origin a turned body reaches (m).
fn reach(body: &Shape, turn: &UnitQuaternion<f64>) -> f64 {
    match body {
        Shape::Mesh(mesh) => mesh.vertices().iter().map(|v| -(turn * v.cast::<f64>()).z).fold(0.0, f64::max),
        Shape::Primitive(Primitive::Cuboid { half }) => {
            let rotation = turn.to_rotation_matrix();
            (0..3).map(|k| rotation[(2, k)].abs() * f64::from(half[k])).sum()
        }
        other => f64::from(other.bounding_sphere().radius),
    }
}

/// Where a body is a second after it came down by `motion` (m) in a step, from `gap` (m) above `top`; steps
/// are not split.
fn drop(ground: &Shape, top: f64, body: &Shape, turn: UnitQuaternion<f64>, motion: f64, gap: f64) -> f64 {
    let world = World::builder().backend(Backend::Cpu).threads(1).build().unwrap();
    let settings = SimulatorSettings { sleeping: false, max_detections: 1, ..SimulatorSettings::default() };
    let fall = settings.gravity.norm() * DT;
    let mut sim = Simulator::new(world, settings).unwrap();
    let ground = sim.world_mut().add_shape(ground.clone()).unwrap();
    sim.add_body(BodyDesc::fixed(ground)).unwrap();
    let shape = sim.world_mut().add_shape(body.clone()).unwrap();
    let at = Translation3::new(0.137, -0.071, top + reach(body, &turn) + gap);
    // Gravity adds to the speed in the step or two before it touches.
    let velocity = Vector3::new(0.0, 0.0, 2.0 * fall - motion / DT);
    let desc = BodyDesc::new(shape).pose(Isometry3::from_parts(at, turn)).linear_velocity(velocity);
    let id = sim.add_body(desc).unwrap();
    for _ in 0..60 {
        sim.step(DT).unwrap();
    }
    sim.body(id).unwrap().pose().translation.z
}

#[test]
fn nothing_falls_through_at_the_promised_speed() {
    for (ground_name, ground, top, thick) in grounds() {
        for (name, body, inner) in bodies() {
            let motion = PART * (0.5 * thick + inner);
            for k in 0..DROPS {
                let turn =
                    UnitQuaternion::from_euler_angles(0.4 * f64::from(k % 3), 0.3 * f64::from(k % 2), 0.1);
                let gap = 1e-4 + motion * f64::from(k) / f64::from(DROPS);
                let z = drop(&ground, top, &body, turn, motion, gap);
                assert!(
                    z > top - 0.1,
                    "{name} at {:.1} m/s, {gap:.3} m above the {ground_name}, is at {z}",
                    motion / DT
                );
            }
        }
    }
}

/// Twice as fast as promised the same bodies do fall through now and then: the limit is no idle one.
#[test]
fn twice_as_fast_is_too_fast() {
    let (_, ground, top, thick) = grounds().swap_remove(2);
    let (_, body, inner) = bodies().swap_remove(0);
    let motion = 2.0 * (0.5 * thick + inner);
    let through = |k: &u32| {
        let gap = 1e-4 + motion * f64::from(*k) / f64::from(DROPS);
        drop(&ground, top, &body, UnitQuaternion::identity(), motion, gap) < -1.0
    };
    assert!((0..DROPS).any(|k| through(&k)));
}

/// The simulator splits its steps by what moves: at 50 m/s a ball, a box and a gear stay above every ground
/// that has a thickness.
#[test]
fn split_steps_hold_faster_bodies() {
    for (ground_name, ground, top, _) in grounds().into_iter().take(4) {
        for (name, body, _) in bodies() {
            let world = World::builder().backend(Backend::Cpu).threads(1).build().unwrap();
            let settings = SimulatorSettings { max_detections: 16, ..SimulatorSettings::default() };
            let mut sim = Simulator::new(world, settings).unwrap();
            let ground = sim.world_mut().add_shape(ground.clone()).unwrap();
            sim.add_body(BodyDesc::fixed(ground)).unwrap();
            let shape = sim.world_mut().add_shape(body).unwrap();
            let desc = BodyDesc::new(shape).position([0.137, -0.071, 1.0]);
            let id = sim.add_body(desc.linear_velocity(Vector3::new(0.0, 0.0, -50.0))).unwrap();
            for _ in 0..60 {
                sim.step(DT).unwrap();
            }
            let z = sim.body(id).unwrap().pose().translation.z;
            assert!(z > top, "{name} on the {ground_name} is at {z}");
        }
    }
}
