//! Fast impacts: no deeper than with rapier's own contacts.

use impinge_scenes::mesh::Torus;
use nalgebra::{Isometry3, Vector3};
use rapier3d::prelude::*;

use crate::scene::{Run, mesh};

/// The deepest that a ring's lowest vertex comes under a floor's surface (m) while it falls on it, turned like this.
fn deepest(ours: bool, speed: f32, turn: Vector3<f64>, from: f64) -> f64 {
    let torus = Torus { around: 32, across: 16, ..Torus::default() }.mesh().unwrap();
    let mut run = Run::new(ours);
    let (vertices, triangles) = Cuboid::new(Vector::new(3.0, 3.0, 0.5)).to_trimesh();
    let flags = TriMeshFlags::FIX_INTERNAL_EDGES | TriMeshFlags::ORIENTED;
    let floor = SharedShape::trimesh_with_flags(vertices, triangles, flags).unwrap();
    run.add(&Isometry3::translation(0.0, 0.0, -0.5), ColliderBuilder::new(floor), true);
    let turned = Isometry3::rotation(turn);
    let lowest = |pose: &Isometry3<f64>| {
        torus.vertices().iter().map(|v| (pose * v.cast::<f64>()).z).fold(f64::INFINITY, f64::min)
    };
    let at = Isometry3::translation(0.0, 0.0, from - lowest(&turned)) * turned;
    let ring = run.add(&at, ColliderBuilder::new(mesh(&torus)).density(500.0), false);
    run.world.bodies[ring].set_linvel(Vector::new(0.0, 0.0, -speed), true);
    let mut most = 0.0f64;
    for _ in 0..60 {
        run.world.step();
        most = most.max(-lowest(&impinge::parry::from_pose(run.world.bodies[ring].position())));
    }
    most
}

#[test]
fn impacts_go_no_deeper_than_rapiers() {
    let mut worst = [0.0f64; 2];
    for (k, speed) in [2.0, 4.0, 6.0].into_iter().enumerate() {
        for (j, turn) in [Vector3::zeros(), Vector3::new(1.2, 0.3, 0.0), Vector3::new(1.57, 0.0, 0.0)]
            .into_iter()
            .enumerate()
        {
            let from = 0.3 + 0.037 * (3 * k + j) as f64;
            let [ours, theirs] = [true, false].map(|ours| deepest(ours, speed, turn, from));
            println!("{speed} m/s, turn {j}: {:.1} mm, rapier {:.1} mm", 1e3 * ours, 1e3 * theirs);
            assert!(ours < theirs + 0.005, "{speed} m/s, turn {j}: {ours} m, rapier {theirs} m");
            worst = [worst[0].max(ours), worst[1].max(theirs)];
        }
    }
    assert!(worst[0] <= worst[1] + 1e-3, "{worst:?}");
}
