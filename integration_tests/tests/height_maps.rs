//! Height maps and clouds as a caller meets them.

use std::sync::Arc;

use impinge::cloud::{Bounce, CloudMap, CloudView, Points};
use impinge::geometry::Composite;
use impinge::height_map::{Bounds, Candidates, HeightMapError, Obstacle};
use impinge::prelude::*;
use impinge::query::{Directions, HeightMapQuery, HeightMapScratch, HeightMapSettings, QueryError};
use impinge::{ColliderId, ColliderView, NarrowMethod, PairQuery};
use impinge_scenes::fixtures::sphere_mesh;
use impinge_scenes::mesh::{Blob, Gear, Terrain, Torus};
use impinge_scenes::random::Random;

fn along(direction: Vector3<f64>, bounds: Bounds) -> HeightMapSettings {
    HeightMapSettings::default().bounds(bounds).directions(Directions::Given(vec![direction]))
}

#[test]
fn a_rock_over_a_terrain_is_met_where_the_exact_answer_meets_it() {
    let terrain: Shape = Terrain::default().mesh().unwrap().into();
    let rock: Shape = Blob::default().mesh().unwrap().into();
    let size = f64::from(rock.bounding_sphere().radius);
    let query = HeightMapQuery::new(&rock, along(-Vector3::z(), Bounds::Terrain)).unwrap();
    let exact = PairQuery::new(&rock, &terrain, QuerySettings::default()).unwrap();
    let here = Isometry3::identity();
    let ground = [Obstacle::new(&terrain, here, 3)];
    let mut scratch = HeightMapScratch::default();
    let mut tracker = exact.tracker();
    let (mut touching, mut apart) = (0, 0);
    for step in 0..200 {
        let t = f64::from(step);
        let pose = Isometry3::translation((0.7 * t).sin(), (0.9 * t).cos(), 2.0 * size * (1.3 * t).sin());
        let map = query.measure(&pose, &ground, &mut scratch).unwrap();
        if tracker.touching(&pose, &here).unwrap() {
            touching += 1;
            // A dip shallower than a pixel's slope may pass between the pixels.
            let grazed = map.at.is_some()
                || exact.contacts(&pose, &here).unwrap().iter().all(|m| m.depth < 0.01 * size);
            assert!(grazed, "step {step}");
        } else {
            // Above it, or sunk below its surface, which the exact answer of a sheet does not see.
            apart += usize::from(map.at.is_none());
            assert!(map.at.is_none() || map.deepest > size, "step {step}: {map:?}");
        }
    }
    assert!(touching > 20 && apart > 20, "{touching} {apart}");
}

#[test]
fn several_directions_take_out_what_one_takes_for_inside() {
    // An L: along z or x a block in its corner is beside it, along y it seems within its box's shadow.
    let bar =
        |t: [f64; 3], h: [f32; 3]| (Isometry3::translation(t[0], t[1], t[2]), Shape::cuboid(h).unwrap());
    let corner: Shape = Composite::new(vec![
        bar([0.0, 0.0, 0.0], [1.0, 0.2, 0.2]),
        bar([-0.8, 0.0, 1.0], [0.2, 0.2, 0.8]),
        bar([0.8, 0.0, 1.0], [0.2, 0.2, 0.8]),
    ])
    .map(|c| Shape::Composite(Arc::new(c)))
    .unwrap();
    let block = [Obstacle::new(&Shape::cuboid([0.2; 3]).unwrap(), Isometry3::translation(0.0, 0.0, 1.0), 1)];
    let here = Isometry3::identity();
    let mut scratch = HeightMapScratch::default();
    let mut asked = |directions: Vec<Vector3<f64>>| {
        let settings = HeightMapSettings::default().directions(Directions::Given(directions));
        let query = HeightMapQuery::new(&corner, settings).unwrap();
        (
            query.touching(&here, &block, &mut scratch).unwrap(),
            query.overlap(&here, &block, &mut scratch).unwrap(),
        )
    };
    let (sideways, found) = asked(vec![Vector3::x()]);
    assert!(sideways && found.len() == 1 && found[0].overlap.volume > 0.0);
    let (both, found) = asked(vec![Vector3::x(), Vector3::z()]);
    assert!(!both && found.is_empty());
    // Chosen by itself, the direction is one that sees the gap.
    let auto = HeightMapQuery::new(&corner, HeightMapSettings::default()).unwrap();
    assert!(!auto.touching(&here, &block, &mut scratch).unwrap());
}

#[test]
fn an_articulated_object_has_a_projection_for_every_part() {
    let rod = Shape::cuboid([1.0, 0.1, 0.1]).unwrap();
    let arm: Shape = Composite::new(vec![
        (Isometry3::translation(1.0, 0.0, 0.0), rod.clone()),
        (Isometry3::translation(3.0, 0.0, 0.0), rod),
    ])
    .map(|c| Shape::Composite(Arc::new(c)))
    .unwrap();
    let query = HeightMapQuery::new(&arm, HeightMapSettings::default().per_subshape(true)).unwrap();
    assert_eq!(query.subshapes(), 2);
    let ball = [Obstacle::new(&Shape::sphere(0.3).unwrap(), Isometry3::translation(2.0, 1.0, 0.0), 6)];
    let mut scratch = HeightMapScratch::default();
    assert!(!query.touching(&Isometry3::identity(), &ball, &mut scratch).unwrap());
    // The second rod bends up at the joint (2, 0, 0), through the ball.
    let up = UnitQuaternion::from_euler_angles(0.0, 0.0, std::f64::consts::FRAC_PI_2);
    let bent =
        [Isometry3::translation(1.0, 0.0, 0.0), Isometry3::from_parts(Translation3::new(2.0, 1.0, 0.0), up)];
    assert!(query.touching_articulated(&bent, &ball, &mut scratch).unwrap());
    let found = query.overlap_articulated(&bent, &ball, &mut scratch).unwrap();
    assert_eq!((found.len(), found[0].subshape), (1, 1));
    assert!(found[0].overlap.pixels.iter().all(|p| p.environment.body == 6));
    let few = query.touching_articulated(&bent[..1], &ball, &mut scratch);
    assert_eq!(few, Err(QueryError::SubshapePoses { given: 1, subshapes: 2 }));
}

#[test]
fn a_tracker_looks_against_the_normal_it_met_last() {
    let block = Shape::cuboid([1.0, 0.8, 0.5]).unwrap();
    let settings = HeightMapSettings::default().directions(Directions::Follow(Candidates::Box));
    let query = HeightMapQuery::new(&block, settings).unwrap();
    assert_eq!(query.profiles(0).len(), 6);
    let wall = [Obstacle::new(&Shape::half_space(), Isometry3::identity(), 2)];
    let downward = HeightMapQuery::new(&block, along(-Vector3::z(), Bounds::TwoSided)).unwrap();
    let mut scratch = HeightMapScratch::default();
    let mut tracker = query.tracker();
    assert_eq!(tracker.normal(0), None);
    // Tilted by 0.3, its lowest edge is 0.773 m below its middle.
    let tilt = UnitQuaternion::from_euler_angles(0.0, 0.3, 0.0);
    for step in 0..5 {
        let pose = Isometry3::from_parts(Translation3::new(0.0, 0.0, 0.7 - 0.02 * f64::from(step)), tilt);
        let sums = tracker.measure(&pose, &wall).unwrap();
        assert!(sums.at.is_some(), "step {step}");
        assert!((pose * tracker.normal(0).unwrap() - Vector3::z()).norm() < 1e-6);
        if step > 0 {
            // Of its box's axes the one nearest to straight down.
            let wanted = downward.measure(&pose, &wall, &mut scratch).unwrap();
            assert!((sums.volume - wanted.volume).abs() < 0.03 * wanted.volume, "{sums:?} {wanted:?}");
            assert!((sums.deepest - wanted.deepest).abs() < 0.01, "{sums:?} {wanted:?}");
        }
    }
}

#[test]
fn what_cannot_be_asked_says_why() {
    let ball = Shape::sphere(1.0).unwrap();
    let none = HeightMapSettings::default().directions(Directions::Given(vec![]));
    assert_eq!(HeightMapQuery::new(&ball, none).unwrap_err(), HeightMapError::NoDirection);
    let endless = HeightMapQuery::new(&Shape::half_space(), HeightMapSettings::default());
    assert_eq!(endless.unwrap_err(), HeightMapError::Endless);
    let query = HeightMapQuery::new(&ball, HeightMapSettings::default()).unwrap();
    let mut scratch = HeightMapScratch::default();
    let bad = Isometry3::translation(f64::NAN, 0.0, 0.0);
    assert!(matches!(query.touching(&bad, &[], &mut scratch), Err(QueryError::Pose { side: 'A', .. })));
    let environment = [Obstacle::new(&ball, bad, 0)];
    let error = query.touching(&Isometry3::identity(), &environment, &mut scratch).unwrap_err();
    assert!(error.to_string().contains("obstacle 0"), "{error}");
}

#[test]
fn a_cloud_is_turned_back_by_a_plate() {
    let plate =
        [Obstacle::new(&Shape::cuboid([1.0, 1.0, 0.1]).unwrap(), Isometry3::translation(0.0, 0.0, 2.0), 8)];
    let mut from: Vec<[f32; 3]> =
        (0..400).map(|k| [(k % 20) as f32 / 10.0 - 0.95, (k / 20) as f32 / 10.0 - 0.95, 0.0]).collect();
    let mut velocities = vec![[0.0, 0.0, 1.0f32]; from.len()];
    let mut map = CloudMap::new(CloudView::ahead_of(&from, Vector3::z(), 3.0, 128).unwrap()).unwrap();
    map.draw(&plate);
    let bounce = Bounce { restitution: 1.0, ..Bounce::default() };
    let mut turned = 0;
    for _ in 0..40 {
        let mut to: Vec<[f32; 3]> =
            from.iter().zip(&velocities).map(|(p, v)| std::array::from_fn(|k| p[k] + 0.1 * v[k])).collect();
        let mut hits = Vec::new();
        map.hits(&plate, Points::new(&from, &to), &mut hits).unwrap();
        turned += hits.len();
        for hit in &hits {
            let k = hit.point as usize;
            bounce.apply(hit, &mut to[k], &mut velocities[k]);
        }
        from = to;
    }
    assert_eq!(turned, 400);
    assert!(velocities.iter().all(|v| *v == [0.0, 0.0, -1.0]));
    assert!(from.iter().all(|p| p[2] < 1.9));
}

/// Bodies on a bumpy sheet, each sunk by a part of its size, in a world with each method; none of the bodies meets another.
fn on_terrain(count: u32, sunk: f64, seed: u64) -> [World; 2] {
    let mut random = Random::new(seed);
    let cells = 60;
    let ground = Terrain { half: f64::from(count), relief: 0.4, cells, seed, ..Terrain::default() };
    let ground: Shape = ground.mesh().unwrap().one_sided(2.0, Vector3::z()).unwrap().into();
    let bodies: [Shape; 4] = [
        sphere_mesh(0.4, 24, 12).into(),
        Torus::default().mesh().unwrap().into(),
        Blob::default().mesh().unwrap().into(),
        Gear::default().mesh().unwrap().into(),
    ];
    let mut worlds = [NarrowMethod::Exact, NarrowMethod::HeightMap].map(|method| {
        let mut world = World::builder().backend(Backend::Cpu).threads(1).build().unwrap();
        let ground = world.add_shape(ground.clone()).unwrap();
        world.add_collider(Collider::new(ground).fixed(true).narrow_method(method)).unwrap();
        world
    });
    let pairs =
        bodies.each_ref().map(|body| PairQuery::new(&ground, body, QuerySettings::default()).unwrap());
    let shapes = [0, 1].map(|k: usize| bodies.each_ref().map(|b| worlds[k].add_shape(b.clone()).unwrap()));
    for k in 0..count {
        let which = k as usize % bodies.len();
        let turn =
            UnitQuaternion::from_euler_angles(random.unit() * 6.3, random.unit() * 6.3, random.unit() * 6.3);
        let [x, y] = [1.8 * (f64::from(k) - 0.5 * f64::from(count)), random.sign() * random.unit()];
        let at = |z| Isometry3::from_parts(Translation3::new(x, y, z), turn);
        let (mut low, mut high) = (-0.5, 2.0);
        while high - low > 1e-6 {
            let middle = 0.5 * (low + high);
            let touches = pairs[which].touching(&Isometry3::identity(), &at(middle)).unwrap();
            // Below the sheet a body is free again, but no ground is as thin as this range is wide.
            (low, high) = if touches { (middle, high) } else { (low, middle) };
        }
        let size = f64::from(bodies[which].bounding_sphere().radius);
        for (world, shapes) in worlds.iter_mut().zip(&shapes) {
            world.add_collider(Collider::new(shapes[which]).pose(at(low - sunk * size))).unwrap();
        }
    }
    worlds
}

fn colliders(world: &World) -> Vec<ColliderView> {
    world.colliders().map(|id| world.collider(id).unwrap()).collect()
}

#[test]
fn height_maps_in_a_step_give_the_contacts_of_the_exact_method_within_their_error() {
    let count = std::env::var("IMPINGE_CASES").map_or(40, |cases| cases.parse().unwrap());
    for sunk in [0.01, 0.05] {
        let [mut exact, mut maps] = on_terrain(count, sunk, 7);
        let [of_exact, of_maps] = [exact.step(), maps.step()].map(|report| report.counts);
        // Whether a pair touches is the same answer.
        let touching = |world: &World| {
            world.contacts().map(|contact| contact.colliders).collect::<Vec<[ColliderId; 2]>>()
        };
        assert_eq!(touching(&exact), touching(&maps));
        assert_eq!(of_exact.height_maps + of_exact.past_height_maps, 0);
        assert_eq!(of_maps.height_maps + of_maps.past_height_maps, of_maps.touching);
        assert!(of_maps.height_maps * 2 > of_maps.touching, "{of_maps:?}");
        let (mut depths, mut angles, mut others) = (Vec::new(), Vec::new(), 0);
        for pair in touching(&exact) {
            let [own, other] = [&exact, &maps].map(|world| {
                let own = world.manifolds().iter().filter(|m| m.colliders == pair);
                own.max_by(|a, b| a.depth.total_cmp(&b.depth)).expect("what touches has a manifold")
            });
            let numbers =
                [&exact, &maps].map(|world| world.manifolds().iter().filter(|m| m.colliders == pair).count());
            others += usize::from(numbers[0] != numbers[1]);
            depths.push(other.depth / own.depth);
            angles.push(own.normal.dot(&other.normal).clamp(-1.0, 1.0).acos().to_degrees());
        }
        depths.sort_by(f64::total_cmp);
        angles.sort_by(f64::total_cmp);
        let at = |list: &[f64], part: f64| list[((list.len() - 1) as f64 * part) as usize];
        println!(
            "sunk {sunk}: {} of {} by height maps, {others} with another number of manifolds; depth over the exact one {:.3} {:.3} {:.3} {:.3}, normals {:.3} {:.3} degrees (50, 99 %)",
            of_maps.height_maps,
            of_maps.touching,
            at(&depths, 0.01),
            at(&depths, 0.5),
            at(&depths, 0.99),
            at(&depths, 1.0),
            at(&angles, 0.5),
            at(&angles, 0.99)
        );
        assert!(at(&depths, 0.05) > 0.85 && at(&depths, 0.95) < 1.1, "{depths:?}");
        assert!(at(&angles, 0.9) < 5.0, "{angles:?}");
        assert!(others * 5 <= depths.len(), "{others}");
    }
}

#[test]
fn a_body_that_hardly_moves_keeps_the_points_of_its_height_maps() {
    let [_, mut world] = on_terrain(16, 0.02, 11);
    let bodies: Vec<(ColliderId, Isometry3<f64>)> =
        colliders(&world).iter().filter(|view| !view.fixed).map(|view| (view.id, view.pose)).collect();
    let (mut kept, mut all) = (0, 0);
    let mut last: Vec<u64> = Vec::new();
    for step in 0..20 {
        for (id, pose) in &bodies {
            // A tenth of a millimetre to and fro.
            let shift = Translation3::new(1e-4 * f64::from(step % 3), 0.0, 0.0);
            world.set_pose(*id, shift * pose).unwrap();
        }
        world.step();
        let mut keys: Vec<u64> =
            world.manifolds().iter().flat_map(|m| m.points.iter().map(|point| point.key)).collect();
        keys.sort_unstable();
        if step > 0 {
            all += keys.len();
            kept += keys.iter().filter(|key| last.binary_search(key).is_ok()).count();
        }
        last = keys;
    }
    println!("{kept} of {all} keys kept");
    assert!(kept * 100 >= all * 90, "{kept} of {all}");
}

#[test]
fn a_method_that_is_changed_acts_in_the_next_step_and_sensors_stay_exact() {
    let [mut exact, maps] = on_terrain(8, 0.02, 5);
    exact.step();
    let ground = colliders(&exact).iter().find(|view| view.fixed).unwrap().id;
    exact.set_narrow_method(ground, NarrowMethod::HeightMap).unwrap();
    assert_eq!(exact.collider(ground).unwrap().narrow_method, NarrowMethod::HeightMap);
    let report = exact.step();
    assert!(report.counts.height_maps > 0, "{:?}", report.counts);
    exact.set_narrow_method(ground, NarrowMethod::Exact).unwrap();
    assert_eq!(exact.step().counts.height_maps, 0);
    let gone = ColliderId { index: 9999, generation: 0 };
    assert!(exact.set_narrow_method(gone, NarrowMethod::HeightMap).is_err());
    let mut sensing = maps;
    sensing.set_sensor(ground, true).unwrap();
    let report = sensing.step();
    assert_eq!((report.counts.height_maps, report.counts.past_height_maps), (0, 0));
    assert_eq!(report.counts.touching, 8);
    // Any number of threads gives the same bits, as of every method.
    let bits = |threads: usize| {
        let mut world = World::builder().backend(Backend::Cpu).threads(threads).build().unwrap();
        for view in colliders(&exact) {
            let shape = world.add_shape(exact.shape(view.shape).unwrap().clone()).unwrap();
            let collider = Collider::new(shape).fixed(view.fixed).pose(view.pose);
            world.add_collider(collider.narrow_method(NarrowMethod::HeightMap)).unwrap();
        }
        world.step();
        world.manifolds().iter().map(|m| (m.depth.to_bits(), m.normal.map(f64::to_bits))).collect::<Vec<_>>()
    };
    assert_eq!(bits(1), bits(3));
}
