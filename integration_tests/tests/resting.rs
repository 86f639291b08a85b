//! A body at rest keeps its contact points: no key appears, none vanishes.

use std::collections::BTreeSet;

use impinge::prelude::*;
use impinge_oracle::solids::{block, shape};
use impinge_reference::{BodyDesc, Simulator, SimulatorSettings};
use impinge_scenes::mesh::{Bowl, Gear, Knot, OpenBox, Terrain, Torus};
use impinge_scenes::random::Random;

const DT: f64 = 1.0 / 60.0;
/// Steps in which a body comes to rest, and in which nothing may flicker. (All of it holds over 600 steps
/// too; those take longer than a test should.)
const SETTLING: usize = 300;
const WATCHED: usize = 240;
/// Jitter, relative to a body's size (m, and rad).
const NOISE: f64 = 1e-5;

/// What a body lies on: a thick slab, a half-space, a bumpy one-sided sheet. Its name, its shape and how
/// high its surface stands above its origin (m).
fn grounds() -> [(&'static str, Shape, f64); 3] {
    let bumpy = Terrain { half: 2.0, relief: 0.05, rim: 0.0, cells: 24, seed: 3 };
    [
        ("slab", shape(block([3.0, 3.0, 0.5])), 0.5),
        ("half-space", Shape::half_space(), 0.0),
        ("terrain", shape(bumpy.mesh().unwrap().one_sided(0.5, Vector3::z()).unwrap()), 0.06),
    ]
}

/// What lies there, how it is turned about x, how high its origin is above the ground (m), and its size (m).
fn bodies() -> [(&'static str, Shape, f64, f64, f64); 5] {
    [
        ("box", shape(block([0.3, 0.2, 0.25])), 0.0, 0.26, 0.7),
        ("cuboid", Shape::cuboid([0.3, 0.2, 0.25]).unwrap(), 0.0, 0.26, 0.7),
        ("gear", shape(Gear::default().mesh().unwrap()), 0.0, 0.13, 0.8),
        ("bowl", shape(Bowl::default().mesh().unwrap()), std::f64::consts::PI, 0.1, 0.7),
        ("knot", shape(Knot::default().mesh().unwrap()), 0.0, 0.26, 0.8),
    ]
}

fn keys(world: &World) -> BTreeSet<u64> {
    let points = world.manifolds().iter().flat_map(|m| &m.points);
    let keys: BTreeSet<u64> = points.clone().map(|p| p.key).collect();
    assert_eq!(keys.len(), points.count(), "a key twice");
    keys
}

/// Keys that came or went while `step` was called again and again, once things have settled.
fn flicker(sim: &mut Simulator, mut step: impl FnMut(&mut Simulator)) -> usize {
    for _ in 0..SETTLING {
        step(sim);
    }
    let mut last = keys(sim.world());
    assert!(!last.is_empty(), "it does not lie on anything");
    let mut changes = 0;
    for _ in 0..WATCHED {
        step(sim);
        let now = keys(sim.world());
        changes += now.symmetric_difference(&last).count();
        last = now;
    }
    changes
}

/// Flicker of a body on a ground: in the simulator, and when it is shaken a little where it came to rest.
fn rest(ground: &(&str, Shape, f64), body: &(&str, Shape, f64, f64, f64)) -> [usize; 2] {
    let world = World::builder().backend(Backend::Cpu).threads(1).build().unwrap();
    let settings = SimulatorSettings { sleeping: false, ..SimulatorSettings::default() };
    let mut sim = Simulator::new(world, settings).unwrap();
    let floor = sim.world_mut().add_shape(ground.1.clone()).unwrap();
    sim.add_body(BodyDesc::fixed(floor).position([0.0, 0.0, -ground.2])).unwrap();
    let shape = sim.world_mut().add_shape(body.1.clone()).unwrap();
    let turn = UnitQuaternion::from_euler_angles(body.2, 0.0, 0.3);
    let pose = Isometry3::from_parts(Translation3::new(0.13, -0.07, body.3), turn);
    let id = sim.add_body(BodyDesc::new(shape).pose(pose)).unwrap();
    let simulated = flicker(&mut sim, |sim| {
        sim.step(DT).unwrap();
    });
    let (collider, home) = (sim.body(id).unwrap().collider(), *sim.body(id).unwrap().pose());
    let mut random = Random::new(5);
    let shaken = flicker(&mut sim, |sim| {
        let mut noise = || Vector3::from_fn(|_, _| random.signed() * NOISE);
        let at = home.translation.vector + noise() * body.4;
        let turn = UnitQuaternion::from_scaled_axis(noise()) * home.rotation;
        let world = sim.world_mut();
        world.set_pose(collider, Isometry3::from_parts(at.into(), turn)).unwrap();
        world.step();
    });
    [simulated, shaken]
}

#[test]
fn no_key_appears_or_vanishes() {
    let mut restless = Vec::new();
    for ground in grounds() {
        for body in bodies() {
            let found = rest(&ground, &body);
            if found != [0, 0] {
                restless.push((body.0, ground.0, found));
            }
        }
    }
    assert!(restless.is_empty(), "keys came or went (in the simulator, shaken): {restless:?}");
}

/// The mean speed of the bodies of a small heap in a box in the last of some steps (m/s). None of them may sleep.
fn heap(seed: u64) -> f64 {
    const STEPS: usize = 420;
    const LAST: usize = 30;
    let world = World::builder().backend(Backend::Cpu).threads(1).build().unwrap();
    let settings = SimulatorSettings { sleeping: false, ..SimulatorSettings::default() };
    let mut sim = Simulator::new(world, settings).unwrap();
    let bin = OpenBox { half_inside: [1.0, 1.0], height: 2.0, wall: 0.6, divisions: 1 };
    let bin = sim.world_mut().add_shape(shape(bin.mesh().unwrap())).unwrap();
    sim.add_body(BodyDesc::fixed(bin)).unwrap();
    let bodies = [Bowl::default().mesh(), Gear::default().mesh(), Torus::default().mesh()]
        .map(|mesh| shape(mesh.unwrap()));
    let shapes = bodies.map(|body| sim.world_mut().add_shape(body).unwrap());
    let mut random = Random::new(seed);
    let ids: Vec<_> = (0..12)
        .map(|k| {
            let at = Translation3::new(0.3 * random.signed(), 0.3 * random.signed(), 0.6 + 0.7 * k as f64);
            let pose = Isometry3::from_parts(at, random.rotation());
            sim.add_body(BodyDesc::new(shapes[k % 3]).pose(pose)).unwrap()
        })
        .collect();
    let mut speeds = 0.0;
    for step in 0..STEPS {
        sim.step(DT).unwrap();
        if step >= STEPS - LAST {
            speeds += ids.iter().map(|id| sim.body(*id).unwrap().linear_velocity().norm()).sum::<f64>();
        }
    }
    speeds / (LAST * ids.len()) as f64
}

/// What lies on a floor along a line, as a torus, is met by few lines of a view: had its points the depths of these, 28 of 64 heaps would go on at more
/// than 0.1 mm/s. Of 144 heaps 4, 8 or 12 do, depending on the last digits of volumes: a gear that stands on a tooth rocks on it for half a minute, and one
/// that leans on a bowl slips.
#[test]
fn most_heaps_come_to_rest_without_sleep() {
    let speeds: Vec<f64> = (0..48).map(heap).collect();
    let moving = speeds.iter().filter(|speed| **speed > 1e-4).count();
    assert!(moving <= 12, "{moving} heaps move, mean speeds {speeds:?} m/s");
}

/// What lies along a line, as a ring or a bowl on two of its vertices, is met by few lines of a view, and its points do not resist what turns about the
/// line: from points beside the vertices, or without rolling resistance about that line, some of these go on for ever.
#[test]
fn what_falls_on_a_half_space_comes_to_rest_without_sleep() {
    let bodies = [Bowl::default().mesh(), Gear::default().mesh(), Torus::default().mesh()];
    let mut moving = Vec::new();
    for (kind, body) in bodies.into_iter().enumerate() {
        let body = shape(body.unwrap());
        for seed in 0..8 {
            let world = World::builder().backend(Backend::Cpu).threads(1).build().unwrap();
            let settings = SimulatorSettings { sleeping: false, ..SimulatorSettings::default() };
            let mut sim = Simulator::new(world, settings).unwrap();
            let floor = sim.world_mut().add_shape(Shape::half_space()).unwrap();
            sim.add_body(BodyDesc::fixed(floor)).unwrap();
            let body = sim.world_mut().add_shape(body.clone()).unwrap();
            let turn = Random::new(seed).rotation();
            let pose = Isometry3::from_parts(Translation3::new(0.0, 0.0, 0.8), turn);
            let id = sim.add_body(BodyDesc::new(body).pose(pose)).unwrap();
            for _ in 0..600 {
                sim.step(DT).unwrap();
            }
            let speed = sim.body(id).unwrap().linear_velocity().norm();
            if speed >= 1e-6 {
                moving.push((kind, seed, speed));
            }
        }
    }
    assert!(moving.is_empty(), "body, seed and speed (m/s): {moving:?}");
}
