//! Powder against closed forms: falling, sliding, pushing, resting.

use impinge::geometry::Particles;
use impinge::prelude::*;
use impinge_reference::{Powder, PowderError, PowderSettings};
use nalgebra::{Isometry3, Point3, Vector3};

const DT: f64 = 1.0 / 60.0;

/// Powder of particles of radius 0.1 m; on ground that is inclined about y by so much (rad), if at all.
fn powder(
    centers: &[[f64; 3]],
    slope: Option<f64>,
    settings: PowderSettings,
    threads: usize,
) -> (World, Powder) {
    let mut world = World::builder().backend(Backend::Cpu).threads(threads).build().unwrap();
    if let Some(slope) = slope {
        let ground = world.add_shape(Shape::half_space()).unwrap();
        let pose = Isometry3::rotation(Vector3::y() * slope);
        world.add_collider(Collider::new(ground).pose(pose).fixed(true)).unwrap();
    }
    let centers = centers.iter().map(|&p| Point3::from(p).cast()).collect();
    let shape = world.add_shape(Particles::new(centers, 0.1).unwrap()).unwrap();
    let collider = world.add_collider(Collider::new(shape)).unwrap();
    let powder = Powder::new(&mut world, collider, settings).unwrap();
    (world, powder)
}

/// With friction above the slope's tangent a ball stays; below it goes down at g · (sin − µ cos), and is not turned.
#[test]
fn friction_holds_or_slows_what_slides() {
    let slope: f64 = 0.3;
    let normal = Vector3::new(slope.sin(), 0.0, slope.cos());
    let down = Vector3::new(slope.cos(), 0.0, -slope.sin());
    let start = normal * 0.1;
    for friction in [0.0, 0.1, 0.2, 0.5] {
        let settings = PowderSettings { friction, ..PowderSettings::default() };
        let (mut world, mut powder) = powder(&[start.into()], Some(slope), settings, 1);
        for _ in 0..60 {
            powder.step(&mut world, DT).unwrap();
        }
        let way = powder.places().next().unwrap().coords - start;
        let due = 0.5 * 9.81 * (slope.sin() - friction * slope.cos()).max(0.0);
        assert!((way.dot(&down) - due).abs() < 0.01 * due + 2e-3, "{friction}: {way} for {due}");
        assert!(way.dot(&normal).abs() < 1e-3 && way.y == 0.0, "{friction}: {way}");
    }
}

/// Without gravity a ball that meets one at rest beside its middle gives it some of its momentum, and none is lost.
#[test]
fn what_meets_keeps_its_momentum() {
    let settings = PowderSettings { gravity: Vector3::zeros(), friction: 0.3, ..PowderSettings::default() };
    let (mut world, mut powder) = powder(&[[0.0, 0.0, 0.0], [-0.3, 0.05, 0.0]], None, settings, 1);
    // The second one is led for a moment, then free.
    powder.lead(1, Vector3::x()).unwrap();
    powder.step(&mut world, 1e-6).unwrap();
    powder.lead(2, Vector3::zeros()).unwrap();
    for _ in 0..30 {
        powder.step(&mut world, DT).unwrap();
    }
    let sum = powder.velocities().iter().sum::<Vector3<f64>>();
    assert!((sum - Vector3::x()).norm() < 1e-6, "{sum}");
    assert!(powder.velocities()[0].x > 0.3, "{:?}", powder.velocities());
}

/// Balls that stand in each other are pushed apart, and do not fly on.
#[test]
fn what_overlaps_is_pushed_apart_and_no_faster_for_it() {
    let settings = PowderSettings { gravity: Vector3::zeros(), ..PowderSettings::default() };
    let (mut world, mut powder) = powder(&[[0.0, 0.0, 0.0], [0.08, 0.0, 0.02]], None, settings, 1);
    for _ in 0..60 {
        powder.step(&mut world, DT).unwrap();
    }
    let places: Vec<Point3<f64>> = powder.places().collect();
    let apart = (places[1] - places[0]).norm();
    assert!((apart - 0.2).abs() < 1e-5, "{apart}");
    assert!(powder.velocities().iter().all(|v| v.norm() < 1e-4), "{:?}", powder.velocities());
}

/// A block of balls over the ground falls into a heap, which comes to rest: no ball is deep in another or under the ground, and the
/// bits are those of any number of threads.
#[test]
fn a_heap_lies_and_is_the_same_for_any_number_of_threads() {
    let block: Vec<[f64; 3]> = (0..400)
        .map(|k| [k % 7, k / 7 % 7, k / 49].map(|n| 0.21 * f64::from(n)))
        .map(|[x, y, z]| {
            [x + 0.06 * (17.0 * z + 5.0 * y).sin(), y + 0.06 * (23.0 * z + 7.0 * x).sin(), z + 0.15]
        })
        .collect();
    let settings = PowderSettings { rest: 0.02, ..PowderSettings::default() };
    let run = |threads: usize| {
        let (mut world, mut powder) = powder(&block, Some(0.0), settings, threads);
        for _ in 0..240 {
            powder.step(&mut world, DT).unwrap();
        }
        world.step();
        let own = world.particle_contacts_between(powder.collider(), powder.collider()).unwrap().unwrap();
        let deepest = own.contacts.iter().map(|contact| contact.depth).fold(0.0, f64::max);
        assert!(deepest < 0.01, "{deepest}");
        assert!(powder.places().all(|p| p.z > 0.09), "under the ground");
        let speed = powder.velocities().iter().map(Vector3::norm).sum::<f64>() / block.len() as f64;
        assert!(speed < 0.02, "{speed}");
        let height = powder.places().map(|p| p.z).fold(0.0, f64::max);
        assert!((0.25..1.5).contains(&height), "{height}");
        powder.places().flat_map(|p| [p.x, p.y, p.z].map(f64::to_bits)).collect::<Vec<_>>()
    };
    let one = run(1);
    assert!([2, 3].into_iter().all(|threads| run(threads) == one));
}

/// What cannot be is refused by name, and nothing has changed.
#[test]
fn what_is_no_powder_is_refused() {
    let (mut world, mut powder) = powder(&[[0.0; 3]], Some(0.0), PowderSettings::default(), 1);
    let collider = powder.collider();
    let shape = world.add_shape(Shape::sphere(1.0).unwrap()).unwrap();
    let ball = world.add_collider(Collider::new(shape)).unwrap();
    let refused = Powder::new(&mut world, ball, PowderSettings::default());
    assert!(matches!(refused, Err(PowderError::NoParticles { id }) if id == ball));
    for (setting, settings) in [
        ("friction", PowderSettings { friction: -1.0, ..PowderSettings::default() }),
        ("damping", PowderSettings { damping: f64::NAN, ..PowderSettings::default() }),
        ("rest", PowderSettings { rest: f64::INFINITY, ..PowderSettings::default() }),
        ("substeps", PowderSettings { substeps: 0, ..PowderSettings::default() }),
        ("iterations", PowderSettings { iterations: 0, ..PowderSettings::default() }),
        (
            "gravity",
            PowderSettings { gravity: Vector3::new(0.0, f64::NAN, 0.0), ..PowderSettings::default() },
        ),
    ] {
        let refused = Powder::new(&mut world, collider, settings).unwrap_err();
        assert!(refused.to_string().contains(setting), "{refused}");
    }
    world.set_pose(collider, Isometry3::translation(1.0, 0.0, 0.0)).unwrap();
    let refused = Powder::new(&mut world, collider, PowderSettings::default());
    assert!(matches!(refused, Err(PowderError::Placed { id }) if id == collider));
    assert!(matches!(powder.step(&mut world, 0.0), Err(PowderError::Dt { .. })));
    assert!(matches!(powder.lead(0, Vector3::x() * f64::NAN), Err(PowderError::Setting { .. })));
}
