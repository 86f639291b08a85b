//! Outlines and fields of depths beside the manifolds of worlds and queries.

use std::sync::Arc;

use impinge::prelude::*;
use impinge::{BuildError, ContactPatch};
use impinge_scenes::asset;
use nalgebra::{Point3, Translation3};

fn heap(builder: impinge::WorldBuilder) -> World {
    let mut world = builder.backend(Backend::Cpu).build().unwrap();
    let floor = world.add_shape(Shape::cuboid([4.0, 4.0, 0.5]).unwrap()).unwrap();
    let gear = world.add_shape(asset::make("gear").unwrap().unwrap()).unwrap();
    let knot = world.add_shape(asset::make("knot").unwrap().unwrap()).unwrap();
    let ball = world.add_shape(Shape::sphere(0.3).unwrap()).unwrap();
    world.add_collider(Collider::new(floor).position([100.0, 200.0, -0.5]).fixed(true)).unwrap();
    for k in 0..12u32 {
        let shape = [gear, knot, ball][k as usize % 3];
        let turn = UnitQuaternion::from_euler_angles(0.7 * f64::from(k), 0.3, 0.2 * f64::from(k));
        let at = Translation3::new(100.0 + 0.3 * f64::from(k % 4), 200.0 + 0.3 * f64::from(k / 4), 0.1);
        let pose = Isometry3::from_parts(at, turn);
        world.add_collider(Collider::new(shape).pose(pose)).unwrap();
    }
    world
}

/// All that a step says, but for the patches.
fn without_patches(world: &World) -> Vec<Manifold> {
    world.manifolds().iter().map(|m| Manifold { patch: None, ..m.clone() }).collect()
}

/// A heap of gears, knots and balls on a floor far from the origin: manifolds with patches are those without, to the last
/// bit; their patches are the same for any number of threads, stand where the manifolds do, and are kept while nothing moves.
#[test]
fn a_world_with_patches_has_the_same_manifolds() {
    let mut plain = heap(World::builder());
    let mut one = heap(World::builder().patch_samples(12).threads(1));
    let mut many = heap(World::builder().patch_samples(12).threads(4));
    for step in 0..3 {
        if step == 2 {
            let ids: Vec<ColliderId> = plain.colliders().skip(1).collect();
            for world in [&mut plain, &mut one, &mut many] {
                for &id in &ids {
                    let mut pose = world.pose(id).unwrap();
                    pose.translation.z += 0.01;
                    world.set_pose(id, pose).unwrap();
                }
            }
        }
        for world in [&mut plain, &mut one, &mut many] {
            let _ = world.step();
        }
        assert!(plain.manifolds().len() > 10);
        assert!(plain.manifolds().iter().all(|m| m.patch.is_none()));
        assert_eq!(plain.manifolds(), without_patches(&one));
        assert_eq!(one.manifolds(), many.manifolds());
    }
    let mut sampled = 0;
    for m in one.manifolds() {
        let patch = m.patch.as_ref().expect("both bodies are solid");
        assert!(patch.normal.dot(&m.normal) > 0.99);
        for sample in &patch.samples {
            sampled += 1;
            assert!((sample.position() - m.centroid).norm() < 2.0, "in the world, not in the pair's frame");
        }
        assert!(patch.boundary.iter().flatten().all(|p| (p - m.centroid).norm() < 2.0));
    }
    assert!(sampled > 1000);
}

/// A ball of 1 m, sunk 0.1 m into a floor: the patch of a query. With a pressure of 1 per metre the force is the volume,
/// along the normal.
#[test]
fn a_query_gives_patches_and_their_wrench() {
    let (ball, floor) = (Shape::sphere(1.0).unwrap(), Shape::cuboid([3.0, 3.0, 1.0]).unwrap());
    let query = PairQuery::new(&floor, &ball, QuerySettings::default().patch_samples(32)).unwrap();
    let at = Isometry3::translation(5.0, 6.0, 1.9);
    let answer = query.at(&Isometry3::translation(5.0, 6.0, 0.0), &at).unwrap();
    let patch: &Arc<ContactPatch> = answer.manifolds[0].patch.as_ref().unwrap();
    let cap = std::f64::consts::PI * 0.01 * 2.9 / 3.0;
    let place = Point3::new(4.0, 6.0, 1.0);
    let (force, moment) = patch.wrench(&place, |sample| sample.depth);
    assert!((force.z - cap).abs() < 0.003 * cap && force.x.abs() < 1e-12 && force.y.abs() < 1e-12);
    assert!((moment.y + cap).abs() < 0.003 * cap, "the ball is 1 m along x from there");
    // A sensor of 8 × 8 taxels of 0.125 m around the contact holds all of it.
    let sensor = Isometry3::translation(4.5, 5.5, 1.0);
    let taxels = patch.taxels(&sensor, 0.125, [8, 8]);
    let sum: f64 = taxels.iter().sum::<f64>() * 0.125 * 0.125;
    assert!((sum - patch.volume()).abs() < 1e-9);
    assert!(taxels[3 * 8 + 3] > 0.08 && taxels[0] == 0.0);
}

/// Gaps, sensors and surfaces without an inside have no patch, and a number of samples out of range is refused.
#[test]
fn what_has_no_region_has_no_patch() {
    let cube = Shape::cuboid([0.5; 3]).unwrap();
    let query = PairQuery::new(&cube, &cube, QuerySettings::default().patch_samples(8).margin(0.1)).unwrap();
    let apart = query.at(&Isometry3::identity(), &Isometry3::translation(0.0, 0.0, 1.05)).unwrap();
    assert!(apart.manifolds[0].depth < 0.0 && apart.manifolds[0].patch.is_none());
    let sheet = [[-2.0, -2.0, 0.0], [2.0, -2.0, 0.0], [0.0, 2.0, 0.0f32]].map(Point3::from).to_vec();
    let open = Shape::from(TriMesh::new(sheet, vec![[0, 1, 2]]).unwrap());
    let query = PairQuery::new(&cube, &open, QuerySettings::default().patch_samples(8)).unwrap();
    let cut = query.at(&Isometry3::identity(), &Isometry3::translation(0.0, 0.0, 0.45)).unwrap();
    assert!(cut.touching && cut.manifolds.iter().all(|m| m.patch.is_none()));
    for samples in [1, 3, 257] {
        let refused = World::builder().patch_samples(samples).build().unwrap_err();
        assert!(matches!(refused, BuildError::Setting { setting: "patch_samples", .. }));
        assert!(PairQuery::new(&cube, &cube, QuerySettings::default().patch_samples(samples)).is_err());
    }
}
