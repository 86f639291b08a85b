//! Rings on a peg and balls in a bowl: what convex hulls would keep out.

use bevy::prelude::*;
use impinge::Shape;
use impinge_avian::{FollowedPairs, MeshCollider, impinge};
use impinge_scenes::mesh::{Blob, Bowl, Torus};

use crate::simulation::{app, bits, falling, fixed, place, speed, steps};

fn mesh(mesh: impinge::TriMesh) -> MeshCollider {
    MeshCollider::new(&mesh.into()).unwrap()
}

/// Three rings dropped over a peg that stands on the ground, each with its axis upright.
fn rings() -> (App, Vec<Entity>, Torus) {
    let torus = Torus { around: 32, across: 16, ..Torus::default() };
    let ring = mesh(torus.mesh().unwrap());
    let hole = (torus.major - torus.minor) as f32;
    let mut app = app::<()>();
    let peg = MeshCollider::new(&Shape::cylinder(3.0, 0.6 * hole).unwrap()).unwrap();
    fixed(&mut app, &peg, Transform::from_xyz(0.0, 0.0, 3.0), ());
    fixed(&mut app, &MeshCollider::new(&Shape::half_space()).unwrap(), Transform::default(), ());
    let bodies = (0..3).map(|k| {
        let off = 0.1 * hole * (k as f32 - 1.0);
        let at = Transform::from_xyz(off, 0.5 * off, 2.5 * torus.minor as f32 * (1 + k) as f32);
        falling(&mut app, &ring, at, ())
    });
    let bodies = bodies.collect();
    (app, bodies, torus)
}

/// Balls of three kinds above a bowl: a mesh, a sphere, a box. And how high the bowl's floor is in its middle (m).
fn balls() -> (App, Vec<Entity>, Bowl, f32) {
    let bowl = Bowl::default();
    let mut app = app::<()>();
    let shape: Shape = bowl.mesh().unwrap().into();
    let floor = -(bowl.radius - bowl.wall) as f32;
    fixed(&mut app, &MeshCollider::new(&shape).unwrap(), Transform::default(), ());
    let radius = 0.2 * bowl.radius as f32;
    let round = mesh(Blob { radius: radius.into(), bump: 0.0, ..Blob::default() }.mesh().unwrap());
    let others = [Shape::sphere(radius), Shape::cuboid([0.5 * radius; 3])];
    let kinds = [round].into_iter().chain(others.map(|shape| MeshCollider::new(&shape.unwrap()).unwrap()));
    let bodies = kinds.enumerate().map(|(k, collider)| {
        let (sin, cos) = (2.1 * k as f32).sin_cos();
        let at = Transform::from_xyz(1.3 * radius * cos, 1.3 * radius * sin, floor + 2.0 * radius);
        falling(&mut app, &collider, at, ())
    });
    let bodies = bodies.collect();
    (app, bodies, bowl, floor)
}

#[test]
fn rings_stack_up_around_a_peg() {
    let runs = [(); 3].map(|()| {
        let (mut app, bodies, torus) = rings();
        steps(&mut app, 300);
        for (k, &ring) in bodies.iter().enumerate() {
            let at = place(&app, ring);
            // Ring over ring around the peg: each one tube's thickness higher.
            let height = ((2 * k + 1) as f64 * torus.minor) as f32;
            assert!((at.z - height).abs() < 0.25 * torus.minor as f32, "ring {k} at {at}, not {height}");
            assert!(at.xy().length() < (torus.major - torus.minor) as f32, "ring {k} at {at}");
            assert!(speed(&app, ring) < 0.05, "ring {k}: {} m/s", speed(&app, ring));
        }
        // Neighbours and the ground; pairs that the fall has parted are forgotten.
        let followed = app.world().resource::<FollowedPairs>().len();
        let graph = app.world().resource::<avian3d::prelude::ContactGraph>();
        assert_eq!(followed, graph.iter_active().chain(graph.iter_sleeping()).count());
        bits(&app, &bodies)
    });
    assert_same("rings", &runs);
}

#[test]
fn balls_lie_in_a_bowl() {
    let runs = [(); 3].map(|()| {
        let (mut app, bodies, bowl, floor) = balls();
        steps(&mut app, 480);
        for (k, &ball) in bodies.iter().enumerate() {
            let at = place(&app, ball);
            let radius = 0.2 * bowl.radius as f32;
            assert!(at.xy().length() < bowl.radius as f32 && at.z < floor + 2.5 * radius, "{k} at {at}");
            assert!(at.z > floor, "{k} at {at} fell through {floor}");
            assert!(speed(&app, ball) < 0.1, "ball {k}: {} m/s", speed(&app, ball));
        }
        bits(&app, &bodies)
    });
    assert_same("balls", &runs);
}

/// The runs end with the same bits. Their hash is printed, so that builds with other features can be compared.
fn assert_same(scene: &str, runs: &[Vec<[u32; 7]>; 3]) {
    assert_eq!(runs[0], runs[1]);
    assert_eq!(runs[0], runs[2]);
    let mix = |hash: u64, word: &u32| (hash ^ u64::from(*word)).wrapping_mul(0x0100_0000_01b3);
    let hash = runs[0].iter().flatten().fold(0xcbf2_9ce4_8422_2325, mix);
    println!("{scene}: {hash:016x}");
}
