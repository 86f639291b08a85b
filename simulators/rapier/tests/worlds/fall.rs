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

/// How many heights a ring falls from,
const HEIGHTS: u32 = 12;
/// … and how far one is from the next (m): 0.22 m in all, two steps of the fastest.
const HIGHER: f64 = 0.0194;

/// By many heights: a ring that touches with one side comes down with the other as far as a step takes it, so that a single fall
/// goes in by anything up to that.
#[test]
fn impacts_go_no_deeper_than_rapiers() {
    let turns = [Vector3::zeros(), Vector3::new(1.2, 0.3, 0.0), Vector3::new(1.57, 0.0, 0.0)];
    let mut means = [0.0f64; 2];
    for speed in [2.0, 4.0, 6.0] {
        for turn in turns {
            let [mut mean, mut most] = [[0.0f64; 2]; 2];
            for k in 0..HEIGHTS {
                let from = 0.3 + f64::from(k) * HIGHER;
                for (of, ours) in [true, false].into_iter().enumerate() {
                    let depth = deepest(ours, speed, turn, from);
                    mean[of] += depth / f64::from(HEIGHTS);
                    most[of] = most[of].max(depth);
                }
            }
            println!(
                "{speed} m/s, turned by {turn:?}: mean {mean:.4?} m, most {most:.4?} m (ours, rapier's)"
            );
            assert!(mean[0] < mean[1] + 0.003, "{speed} m/s, turned by {turn:?}: mean {mean:?} m");
            assert!(most[0] < most[1] + 0.001, "{speed} m/s, turned by {turn:?}: most {most:?} m");
            means = [0, 1].map(|of| means[of] + mean[of] / 9.0);
        }
    }
    assert!(means[0] < 0.9 * means[1], "{means:?}");
}
