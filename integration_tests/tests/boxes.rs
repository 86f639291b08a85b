//! What a world does with the boxes of its colliders: fat boxes, parking, pools and questions.

use impinge::geometry::Aabb;
use impinge::prelude::*;
use impinge::{BoxHit, ColliderPool, Disabling, Margin, QueryFilter, Ray, WorldBuilder, WorldError};
use impinge_scenes::random::Random;

fn cpu() -> WorldBuilder {
    World::builder().backend(Backend::Cpu)
}

fn between(random: &mut Random, low: f64, high: f64) -> f64 {
    low + (high - low) * random.unit()
}

/// `count` balls and bricks, turned anyhow, in a cube of `side` (m); every fifth is fixed, every third
/// is in group 1 beside group 0.
fn crowd(builder: WorldBuilder, count: usize, side: f64) -> (World, Vec<ColliderId>) {
    let mut world = builder.build().unwrap();
    let ball = world.add_shape(Shape::sphere(0.5).unwrap()).unwrap();
    let brick = world.add_shape(Shape::cuboid([0.3, 0.5, 0.8]).unwrap()).unwrap();
    let random = &mut Random::new(5);
    let ids = (0..count)
        .map(|i| {
            let place = [0; 3].map(|_| between(random, 0.0, side));
            let turn = UnitQuaternion::from_euler_angles(
                between(random, -3.0, 3.0),
                between(random, -1.0, 1.0),
                0.4,
            );
            let pose = Isometry3::from_parts(Translation3::from(place), turn);
            let collider = Collider::new(if i % 2 == 0 { ball } else { brick }).pose(pose);
            let groups = if i % 3 == 0 { 3 } else { 1 };
            world.add_collider(collider.fixed(i % 5 == 0).groups(groups)).unwrap()
        })
        .collect();
    (world, ids)
}

/// Moves every collider a little, one of ten anywhere.
fn stir(world: &mut World, ids: &[ColliderId], random: &mut Random, side: f64) {
    for (i, &id) in ids.iter().enumerate() {
        let mut pose = world.pose(id).unwrap();
        if i % 10 == 3 {
            pose.translation = Translation3::from([0; 3].map(|_| between(random, 0.0, side)));
        } else {
            pose.translation.vector += Vector3::from([0; 3].map(|_| between(random, -0.02, 0.02)));
        }
        world.set_pose(id, pose).unwrap();
    }
}

/// The contacts of fat boxes are those of exact ones, to the last bit, wherever motions are said to go.
#[test]
fn fat_boxes_change_no_contact() {
    let (mut exact, ids) = crowd(cpu(), 120, 4.0);
    let (mut fat, _) = crowd(cpu().fat_boxes(Margin::metres(0.1)), 120, 4.0);
    let (mut randoms, mut more) = ([Random::new(8), Random::new(8)], 0);
    for step in 0..8 {
        stir(&mut exact, &ids, &mut randoms[0], 4.0);
        stir(&mut fat, &ids, &mut randoms[1], 4.0);
        fat.set_motion(ids[step], [1.0, -2.0, 0.0]).unwrap();
        let (of_exact, of_fat) = (exact.step(), fat.step());
        assert_eq!(exact.manifolds(), fat.manifolds(), "step {step}");
        assert!(!exact.manifolds().is_empty());
        assert!(exact.pairs().iter().all(|pair| fat.pairs().binary_search(pair).is_ok()));
        more += of_fat.counts.pairs - of_exact.counts.pairs;
    }
    assert!(more > 0, "boxes that are grown meet more often");
}

#[test]
fn parked_colliders_have_no_contacts_until_they_come_back() {
    for how in [Disabling::InPlace, Disabling::Removed] {
        let (mut world, ids) = crowd(cpu(), 60, 3.0);
        world.step();
        let before = world.manifolds().to_vec();
        let some: Vec<ColliderId> = ids.iter().copied().step_by(4).collect();
        world.disable(&some, how).unwrap();
        assert_eq!(world.disabling(some[1]), Ok(Some(how)));
        world.step();
        let of_some = |m: &&Manifold| m.colliders.iter().any(|id| some.contains(id));
        // Who touches whom; the normals of the others may change where a fixed neighbour is gone.
        let who = |manifolds: &[Manifold]| -> Vec<[ColliderId; 2]> {
            let mut who: Vec<_> = manifolds.iter().filter(|m| !of_some(m)).map(|m| m.colliders).collect();
            who.dedup();
            who
        };
        assert_eq!(who(world.manifolds()), who(&before));
        assert!(!world.manifolds().iter().any(|m| of_some(&m)) && before.iter().any(|m| of_some(&m)));
        assert!(
            world.box_queries().intersect_aabb(&Aabb::EVERYTHING, &QueryFilter::new()).unwrap().len() <= 45
        );

        // Moved away and back while it is parked: there is nothing to see of it.
        let pose = world.pose(some[0]).unwrap();
        world.set_pose(some[0], Isometry3::translation(1.5, 1.5, 1.5)).unwrap();
        world.step();
        assert!(world.manifolds().iter().all(|m| !of_some(&m)));
        world.set_pose(some[0], pose).unwrap();
        world.enable(&some).unwrap();
        assert_eq!(world.disabling(some[0]), Ok(None));
        world.step();
        assert_eq!(world.manifolds().len(), before.len());
        for (now, was) in world.manifolds().iter().zip(&before) {
            assert_eq!((now.colliders, now.depth, now.normal), (was.colliders, was.depth, was.normal));
        }
    }
}

/// A call that is refused says whom it means and changes nothing; a disabled collider can be removed.
#[test]
fn wrong_disabling_is_refused() {
    let (mut world, ids) = crowd(cpu(), 4, 1.0);
    let [a, b, ..] = ids[..] else { unreachable!() };
    assert_eq!(world.enable(&[a]), Err(WorldError::NotDisabled { id: a }));
    assert_eq!(world.disable(&[a, b, a], Disabling::Removed), Err(WorldError::NamedTwice { id: a }));
    assert_eq!(world.disabling(a), Ok(None));
    world.disable(&[a], Disabling::Removed).unwrap();
    assert_eq!(world.disable(&[b, a], Disabling::InPlace), Err(WorldError::Disabled { id: a }));
    assert_eq!(world.disabling(b), Ok(None));
    world.remove_collider(a).unwrap();
    assert_eq!(world.enable(&[a]), Err(WorldError::UnknownCollider { id: a }));
    assert_eq!(world.set_motion(a, [0.0; 3]), Err(WorldError::UnknownCollider { id: a }));
    let error = world.set_motion(b, [f64::NAN, 0.0, 0.0]).unwrap_err();
    assert!(error.to_string().contains("finite"), "{error}");
    world.step();
}

#[test]
fn a_pool_gives_what_it_has_and_keeps_what_it_cannot_give() {
    let (mut world, ids) = crowd(cpu(), 3, 1.0);
    let mut pool = ColliderPool::default();
    for &id in &ids {
        pool.give(&mut world, id, Disabling::InPlace).unwrap();
    }
    assert_eq!(world.step().counts.pairs, 0);
    let nowhere = Isometry3::translation(f64::NAN, 0.0, 0.0);
    assert!(matches!(pool.take(&mut world, &nowhere), Err(WorldError::Pose(_))));
    assert_eq!(pool.len(), 3);
    for id in &ids {
        assert_eq!(pool.take(&mut world, &Isometry3::identity()), Ok(Some(*id)));
    }
    assert_eq!(pool.take(&mut world, &Isometry3::identity()), Ok(None));
    assert!(pool.is_empty() && world.step().counts.pairs > 0);
}

#[test]
fn margins_that_make_no_sense_are_refused() {
    let margin = |metres, fraction, ahead| cpu().fat_boxes(Margin { metres, fraction, ahead }).build();
    for wrong in [margin(-0.1, 0.0, 0.9), margin(0.1, f32::NAN, 0.9), margin(0.1, 0.0, 1.1)] {
        let error = wrong.unwrap_err().to_string();
        assert!(error.contains("fat_boxes") && error.contains("from 0.5 to 1"), "{error}");
    }
    assert!(margin(0.0, 0.2, 0.5).is_ok());
}

/// Every question against every collider's box, where colliders stand now and not where they stood in
/// the last step; with the filter that asks, and with some disabled.
#[test]
fn questions_find_what_brute_force_finds() {
    let side = 6.0;
    let (mut world, ids) = crowd(cpu().threads(2), 150, side);
    for &id in ids.iter().step_by(7) {
        world.set_sensor(id, true).unwrap();
    }
    // As `crowd` made them: every third in group 1, every fifth fixed.
    let all = QueryFilter::new();
    let filters: [(QueryFilter, &dyn Fn(usize) -> bool); 5] = [
        (all, &|_| true),
        (all.mask(2), &|i| i % 3 == 0),
        (all.sensors(false), &|i| i % 7 != 0),
        (all.fixed(false), &|i| i % 5 != 0),
        (all.sensors(false).fixed(false).mask(2).exclude(ids[48]), &|i| {
            i % 3 == 0 && i % 5 != 0 && i % 7 != 0 && i != 48
        }),
    ];
    let random = &mut Random::new(3);
    for round in 0..10 {
        stir(&mut world, &ids, random, side);
        if round == 3 {
            world.step();
            world.disable(&ids[..20], Disabling::InPlace).unwrap();
            world.disable(&ids[20..40], Disabling::Removed).unwrap();
        }
        let (filter, accepts) = &filters[round % 5];
        let known: Vec<(ColliderId, Aabb)> = ids
            .iter()
            .enumerate()
            .filter(|(i, _)| (round < 3 || *i >= 40) && accepts(*i))
            .map(|(_, &id)| {
                let shape = world.shape(world.shape_of(id).unwrap()).unwrap();
                (id, shape.aabb_at(&world.pose(id).unwrap()))
            })
            .collect();
        let boxes = world.box_queries();
        for _ in 0..40 {
            let corner = [0; 3].map(|_| between(random, -0.5, side) as f32);
            let aabb = Aabb { min: corner, max: corner.map(|x| x + between(random, 0.0, 2.0) as f32) };
            let way = [0; 3].map(|_| between(random, -4.0, 4.0) as f32);
            let within = |hit: &dyn Fn(&Aabb) -> bool| -> Vec<ColliderId> {
                known.iter().filter(|(_, aabb)| hit(aabb)).map(|(id, _)| *id).collect()
            };
            assert_eq!(boxes.intersect_aabb(&aabb, filter).unwrap(), within(&|x| x.overlaps(&aabb)));
            let radius = 1.1f32;
            assert_eq!(
                boxes.intersect_sphere(corner, radius, filter).unwrap(),
                within(&|x| distance(x, corner) <= f64::from(radius))
            );
            let ray = Ray { origin: corner, direction: way, length: 1.0 };
            let point = Aabb { min: corner, max: corner };
            let rays = boxes.cast_ray_all(&ray, filter).unwrap();
            assert_eq!(rays, touches(&known, &point, way));
            assert_eq!(boxes.cast_ray(&ray, filter).unwrap(), rays.first().copied());
            let ways = boxes.cast_aabb_all(&aabb, way, filter).unwrap();
            assert_eq!(ways, touches(&known, &aabb, way));
            assert_eq!(boxes.cast_aabb(&aabb, way, filter).unwrap(), ways.first().copied());
        }
        assert!(boxes.intersect_aabb(&Aabb { min: [1.0; 3], max: [0.0; 3] }, filter).is_err());
    }
}

fn distance(aabb: &Aabb, point: [f32; 3]) -> f64 {
    let away = |k: usize| (aabb.min[k] - point[k]).max(point[k] - aabb.max[k]).max(0.0);
    (0..3).map(|k| f64::from(away(k)).powi(2)).sum::<f64>().sqrt()
}

/// When a box that moves by `way` first touches each of the others, if it does.
fn touches(known: &[(ColliderId, Aabb)], aabb: &Aabb, way: [f32; 3]) -> Vec<BoxHit> {
    let touch = |other: &Aabb| {
        let (mut from, mut to) = (0.0f64, 1.0f64);
        for (k, way) in way.map(f64::from).into_iter().enumerate() {
            let ahead = f64::from(other.min[k]) - f64::from(aabb.max[k]);
            let behind = f64::from(other.max[k]) - f64::from(aabb.min[k]);
            let (x, y) = (ahead / way, behind / way);
            (from, to) = (from.max(x.min(y)), to.min(x.max(y)));
        }
        (from <= to).then_some(from)
    };
    let found = known.iter().filter_map(|(id, other)| Some(BoxHit { collider: *id, time: touch(other)? }));
    let mut found: Vec<BoxHit> = found.collect();
    found.sort_by(|x, y| x.time.total_cmp(&y.time).then(x.collider.index.cmp(&y.collider.index)));
    found
}
