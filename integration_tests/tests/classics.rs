//! The classic tests on a world's colliders: what a potentially colliding set rules out is never missed.

use std::sync::Arc;

use impinge::prelude::*;
use impinge::query::classic::{
    CinderSettings, ClassicError, CullideSettings, FrameBuffer, knott_pai, shinya_forgue,
};
use impinge_scenes::fixtures::{box_mesh, sphere_mesh, torus};
use impinge_scenes::random::Random;

/// A crowd of meshes, boxes, hulls and spheres.
fn crowd(count: usize, spread: f64) -> (World, Vec<ShapeId>, Vec<ColliderId>) {
    let mut world = World::builder().backend(Backend::Cpu).threads(2).build().unwrap();
    let mesh = |mesh: TriMesh| Shape::Mesh(Arc::new(mesh));
    let shapes: Vec<ShapeId> = [
        mesh(torus(0.3, 0.1, 16, 8)),
        Shape::cuboid([0.2, 0.3, 0.1]).unwrap(),
        mesh(sphere_mesh(0.25, 10, 6)),
        Shape::sphere(0.2).unwrap(),
    ]
    .into_iter()
    .map(|shape| world.add_shape(shape).unwrap())
    .collect();
    let mut random = Random::new(29);
    let colliders = (0..count)
        .map(|k| {
            let at = Vector3::from([0, 1, 2].map(|_| spread * random.signed()));
            let pose = Isometry3::from_parts(at.into(), random.rotation());
            world.add_collider(Collider::new(shapes[k % 4]).pose(pose)).unwrap()
        })
        .collect();
    (world, shapes, colliders)
}

fn touching(world: &mut World) -> Vec<[ColliderId; 2]> {
    world.step();
    let mut pairs: Vec<_> = world.manifolds().iter().map(|m| m.colliders).collect();
    pairs.dedup();
    pairs
}

fn settings() -> CullideSettings {
    CullideSettings { pixels: 200, dilated: true, rounds: 6 }
}

#[test]
fn a_filtered_world_has_the_manifolds_of_one_without_filter() {
    let mut ignored = 0;
    for spread in [0.8, 1.6, 3.0] {
        let (mut plain, ..) = crowd(48, spread);
        let (mut culled, ..) = crowd(48, spread);
        let wanted = touching(&mut plain);
        let set = culled.classic_scene().cullide(settings(), &mut FrameBuffer::default()).unwrap();
        culled.set_hooks(Some(Box::new(set.filter())));
        assert_eq!(touching(&mut culled), wanted);
        assert_eq!(culled.manifolds(), plain.manifolds());
        let report = culled.step();
        ignored += report.counts.ignored_pairs;
        assert!(spread > 1.0 || !wanted.is_empty());
        // Spheres have no surface: nothing is known of them.
        let scene = culled.classic_scene();
        assert_eq!((scene.without_surface().len(), scene.bodies().len()), (12, 36));
        assert!(scene.without_surface().iter().all(|id| set.contains(*id)));
    }
    assert!(ignored > 0, "some pairs of boxes are saved");
}

#[test]
fn a_filter_that_is_too_old_loses_no_contact() {
    let (mut world, shapes, colliders) = crowd(24, 6.0);
    let set = world.classic_scene().cullide(settings(), &mut FrameBuffer::default()).unwrap();
    world.set_hooks(Some(Box::new(set.filter())));
    let culled: Vec<ColliderId> = colliders.iter().copied().filter(|id| !set.contains(*id)).collect();
    assert!(culled.len() > 4);
    assert!(touching(&mut world).iter().flatten().all(|id| !culled.contains(id)));
    // One is moved to another that was not in the set either.
    let at = world.pose(culled[1]).unwrap();
    world.set_pose(culled[0], at * Isometry3::translation(0.05, 0.02, 0.01)).unwrap();
    let found = touching(&mut world);
    let pair = [culled[0], culled[1]];
    assert!(found.iter().any(|of| of.iter().all(|id| pair.contains(id))), "{found:?}");
    // Another grows.
    let large = world.add_shape(Shape::Mesh(Arc::new(box_mesh([9.0; 3])))).unwrap();
    assert_ne!(large, shapes[0]);
    world.set_shape(culled[2], large).unwrap();
    assert!(touching(&mut world).iter().filter(|of| of.contains(&culled[2])).count() > 5);
}

#[test]
fn pairs_and_edges_of_colliders_are_asked_about() {
    let (mut world, ..) = crowd(36, 1.0);
    let wanted = touching(&mut world);
    let scene = world.classic_scene();
    let raster = &mut FrameBuffer::default();
    let mut found = 0;
    for [a, b] in wanted.iter().copied() {
        let (of_a, of_b) = (scene.bodies_of(a), scene.bodies_of(b));
        let ([a], [b]) = (&of_a[..], &of_b[..]) else { continue };
        found += usize::from(shinya_forgue(&[*a, *b], Vector3::new(0.1, 0.3, 1.0), 128, raster).unwrap().hit);
    }
    assert!(found > 5, "{found} of {}", wanted.len());
    // All edges of all bodies at once, in a view of the first.
    let bodies = scene.bodies();
    let view = impinge::ldi::LdiView::new(Point3::origin(), Vector3::z(), [3.0; 3], [256; 2]).unwrap();
    let settings = CinderSettings { passes: 16, ..CinderSettings::default() };
    let edges = knott_pai(&bodies, &view, settings, raster).unwrap();
    assert!(edges.hits.len() > 50);
    let hit = |body: u32| scene.collider(body as usize).unwrap();
    assert!(edges.hits.iter().all(|edge| {
        let collider = hit(edge.body);
        wanted.iter().any(|pair| pair.contains(&collider)) || edge.solids > 0
    }));
    assert_eq!(scene.collider(99), None);
    let refused = shinya_forgue(&[bodies[0], bodies[1]], Vector3::zeros(), 8, raster).unwrap_err();
    assert!(matches!(refused, ClassicError::View(_)), "{refused}");
}

/// A collider of many parts, those of its meshes and its children alike: every two that touch are in its own set.
#[test]
fn parts_of_one_collider_that_touch_are_in_its_set() {
    let mut world = World::builder().backend(Backend::Cpu).threads(2).build().unwrap();
    let (mut random, mut touching, mut culled) = (Random::new(31), 0, 0);
    for spread in [0.9, 1.4, 2.2] {
        // Twelve children, two balls each in one mesh.
        let ball = sphere_mesh(0.22, 10, 6);
        let two = {
            let first = ball.vertices().len() as u32;
            let moved = ball.vertices().iter().map(|v| v + Vector3::new(0.6, 0.0, 0.0));
            let vertices = ball.vertices().iter().copied().chain(moved).collect();
            let again = ball.triangles().iter().map(|t| t.map(|v| v + first));
            TriMesh::new(vertices, ball.triangles().iter().copied().chain(again).collect()).unwrap()
        };
        let children: Vec<_> = (0..12)
            .map(|_| {
                let at = Vector3::from([0, 1, 2].map(|_| spread * random.signed()));
                let pose = Isometry3::from_parts(at.into(), random.rotation());
                (pose, Shape::Mesh(Arc::new(two.clone())))
            })
            .collect();
        let shape = world.add_shape(Shape::composite(children.clone()).unwrap()).unwrap();
        let id = world.add_collider(Collider::new(shape).position([1.0, 2.0, 3.0])).unwrap();
        let scene = world.classic_scene();
        let set = scene.cullide_self(id, None, settings(), &mut FrameBuffer::default()).unwrap();
        let ball = Shape::Mesh(Arc::new(ball));
        let query = PairQuery::new(&ball, &ball, QuerySettings::default()).unwrap();
        let place = |k: usize| children[k / 2].0 * Isometry3::translation(0.6 * (k % 2) as f64, 0.0, 0.0);
        for (a, b) in (0..24).flat_map(|a| (a + 1..24).map(move |b| (a, b))) {
            if query.touching(&place(a), &place(b)).unwrap() {
                touching += 1;
                let held = |k: usize| set.parts.contains(&[k as u32 / 2, k as u32 % 2]);
                assert!(held(a) && held(b), "{spread}: {a} and {b} of {:?}", set.parts);
            }
        }
        culled += 24 - set.parts.len();
    }
    assert!(touching > 10 && culled > 10, "{touching} {culled}");
}
