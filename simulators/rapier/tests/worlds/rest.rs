//! Rings on a peg and balls in a bowl: what convex hulls would keep out.

use impinge_scenes::mesh::{Blob, Bowl, Torus};
use nalgebra::Isometry3;
use rapier3d::prelude::*;

use crate::scene::{Run, mesh};

/// Three rings dropped over a peg that stands on a floor, each with its axis upright.
fn rings() -> (Run, Torus) {
    let torus = Torus { around: 32, across: 16, ..Torus::default() };
    let (mut run, ring) = (Run::new(true), mesh(&torus.mesh().unwrap()));
    let hole = torus.major - torus.minor;
    let (vertices, triangles) = Cylinder::new(3.0, 0.6 * hole as f32).to_trimesh(32);
    let peg = SharedShape::trimesh(vertices, triangles).unwrap();
    let upright = Isometry3::rotation(nalgebra::Vector3::x() * std::f64::consts::FRAC_PI_2);
    run.add(&(Isometry3::translation(0.0, 0.0, 3.0) * upright), ColliderBuilder::new(peg), true);
    let floor = Isometry3::translation(0.0, 0.0, -0.5);
    run.add(&floor, ColliderBuilder::cuboid(5.0, 5.0, 0.5), true);
    for k in 0..3 {
        let off = 0.1 * hole * f64::from(k - 1);
        let at = Isometry3::translation(off, 0.5 * off, 2.5 * torus.minor * f64::from(1 + k));
        run.add(&at, ColliderBuilder::new(ring.clone()).density(500.0), false);
    }
    (run, torus)
}

#[test]
fn rings_stack_up_around_a_peg() {
    let (mut run, torus) = rings();
    run.steps(300);
    for k in 0..3usize {
        let at = run.at(2 + k);
        // Ring over ring around the peg: each one tube's thickness higher.
        let height = (2 * k + 1) as f64 * torus.minor;
        assert!((at.z - height).abs() < 0.25 * torus.minor, "ring {k} at {at}, not {height}");
        assert!(at.x.hypot(at.y) < torus.major - torus.minor, "ring {k} at {at}");
    }
    assert!(run.speed() < 0.05, "{} m/s", run.speed());
}

/// The bowl, and balls of three kinds in it: a mesh, rapier's ball, rapier's cuboid.
#[test]
fn balls_lie_in_a_bowl() {
    let bowl = Bowl::default();
    let mut run = Run::new(true);
    run.add(&Isometry3::identity(), ColliderBuilder::new(mesh(&bowl.mesh().unwrap())), true);
    let radius = 0.2 * bowl.radius;
    let blob = Blob { radius, bump: 0.0, ..Blob::default() };
    let round = mesh(&blob.mesh().unwrap());
    let kinds = [
        round,
        SharedShape::ball(radius as f32),
        SharedShape::cuboid(0.5 * radius as f32, 0.5 * radius as f32, 0.5 * radius as f32),
    ];
    let inside = bowl_bottom(&run);
    for (k, shape) in kinds.into_iter().enumerate() {
        let (sin, cos) = (2.1 * k as f64).sin_cos();
        let at = Isometry3::translation(1.3 * radius * cos, 1.3 * radius * sin, inside + 2.0 * radius);
        run.add(&at, ColliderBuilder::new(shape).density(500.0), false);
    }
    run.steps(480);
    for k in 1..4 {
        let at = run.at(k);
        assert!(at.x.hypot(at.y) < bowl.radius && at.z < inside + 2.5 * radius, "{k} at {at}");
        assert!(at.z > inside, "{k} at {at} fell through {inside}");
    }
    assert!(run.speed() < 0.1, "{} m/s", run.speed());
}

/// How high the bowl's floor is in the middle: where a ray down meets it (m).
fn bowl_bottom(run: &Run) -> f64 {
    let (_, collider) = run.world.colliders.iter().next().unwrap();
    let ray = Ray::new(Vector::new(0.0, 0.0, 100.0), -Vector::Z);
    let time = collider.shape().cast_ray(collider.position(), &ray, 200.0, false).unwrap();
    100.0 - f64::from(time)
}

/// Impulses are carried: a ring at rest keeps its points' ids, and the first solve begins with what held it.
#[test]
fn points_at_rest_keep_ids_and_impulses() {
    let (mut run, _) = rings();
    for body in run.bodies.clone() {
        run.world.bodies[body].activation_mut().normalized_linear_threshold = -1.0;
        run.world.wake_up(body, true);
    }
    run.steps(300);
    let points = |run: &Run| -> std::collections::BTreeMap<_, _> {
        let pairs = run.world.narrow_phase.contact_pairs();
        let pairs = pairs.flat_map(|pair| {
            pair.manifolds().iter().flat_map(move |m| m.points.iter().map(move |p| (pair, p)))
        });
        pairs
            .map(|(pair, p)| {
                let [a, b] = [pair.collider1, pair.collider2].map(|c| c.into_raw_parts().0);
                ((a, b, p.fid1.0, p.fid2.0), p.data.impulse)
            })
            .collect()
    };
    let before = points(&run);
    run.steps(1);
    let after = points(&run);
    let stayed = after.keys().filter(|key| before.contains_key(key)).count();
    assert!(!before.is_empty() && 10 * stayed >= 8 * before.len(), "{stayed} of {}", before.len());
    let held: f32 =
        after.iter().filter(|(key, _)| before.contains_key(key)).map(|(_, impulse)| impulse).sum();
    let all: f32 = after.values().sum();
    assert!(all > 0.0 && held > 0.8 * all, "{held} of {all} N·s");
}
