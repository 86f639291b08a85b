//! Into a world and out of it.

use impinge_rapier::{InstallError, install};
use impinge_scenes::mesh::Torus;
use nalgebra::Isometry3;
use rapier3d::prelude::*;

use crate::scene::{Run, mesh};

#[test]
fn a_world_that_has_pairs_stays_as_it_is() {
    let mut run = Run::new(false);
    for z in [0.0, 0.9] {
        run.add(&Isometry3::translation(0.0, 0.0, z), ColliderBuilder::cuboid(0.5, 0.5, 0.5), z == 0.0);
    }
    let before = run.world.integration_parameters;
    run.steps(1);
    assert_eq!(install(&mut run.world).unwrap_err(), InstallError::Stepped { pairs: 1 });
    assert_eq!(run.world.integration_parameters, before);
    assert_eq!(run.world.narrow_phase.contact_pairs().count(), 1);
}

/// Bodies removed take their pairs' memories and prepared shapes with them. (Pairs that only go apart are kept by rapier for new ones.)
#[test]
fn removed_bodies_leave_nothing() {
    let mut world = PhysicsWorld::new();
    let dispatcher = install(&mut world).unwrap();
    let torus = mesh(&Torus::default().mesh().unwrap());
    let floor = world.insert(RigidBodyBuilder::fixed(), ColliderBuilder::cuboid(5.0, 0.5, 5.0)).0;
    let mut bodies = Vec::new();
    for k in 0..4 {
        let body = RigidBodyBuilder::dynamic().translation(Vector::new(2.0 * k as f32 - 3.0, 1.0, 0.0));
        bodies.push(world.insert(body, ColliderBuilder::new(torus.clone())).0);
    }
    for _ in 0..60 {
        world.step();
    }
    assert!(world.narrow_phase.contact_pairs().any(|pair| pair.has_any_active_contact()));
    assert!(dispatcher.prune() > 0);
    bodies.into_iter().for_each(|body| drop(world.remove_body(body)));
    world.step();
    assert_eq!(world.narrow_phase.contact_pairs().count(), 0);
    assert_eq!(dispatcher.prune(), 0);
    assert!(world.bodies.contains(floor));
}

/// A shape put in another's place is answered as what it is now.
#[test]
fn a_collider_takes_a_new_shape() {
    let mut run = Run::new(true);
    let (tall, flat) = (Cuboid::new(Vector::new(0.5, 0.5, 1.0)), Cuboid::new(Vector::new(0.5, 0.5, 0.25)));
    let [tall, flat] = [tall, flat].map(|cuboid| {
        let (vertices, triangles) = cuboid.to_trimesh();
        SharedShape::trimesh(vertices, triangles).unwrap()
    });
    run.add(&Isometry3::identity(), ColliderBuilder::new(tall.clone()), true);
    let above = run.add(&Isometry3::translation(0.0, 0.0, 2.01), ColliderBuilder::new(tall), false);
    run.steps(60);
    assert!((run.at(1).z - 2.0).abs() < 0.01);
    let collider = run.world.bodies[above].colliders()[0];
    run.world.colliders[collider].set_shape(flat);
    run.world.wake_up(above, true);
    run.steps(180);
    assert!((run.at(1).z - 1.25).abs() < 0.01, "{}", run.at(1));
}

/// A copy of the world goes on by itself, and comes to rest in the same place.
#[test]
fn a_copied_narrow_phase_goes_on() {
    let mut run = Run::new(true);
    let torus = mesh(&Torus::default().mesh().unwrap());
    run.add(&Isometry3::translation(0.0, 0.0, -0.5), ColliderBuilder::cuboid(5.0, 5.0, 0.5), true);
    run.add(&Isometry3::translation(0.0, 0.0, 0.4), ColliderBuilder::new(torus), false);
    run.steps(60);
    let copy = run.world.narrow_phase.clone();
    run.world.narrow_phase = copy;
    let before = run.at(1);
    run.steps(60);
    assert!((run.at(1) - before).norm() < 2e-3, "{before} {}", run.at(1));
}
