//! Colliders on their ways, and shapes among them.

use impinge::ImpactState;
use impinge::prelude::*;
use impinge_scenes::mesh::{Gear, Terrain};
use impinge_scenes::random::Random;

use crate::shapes::{cases, query, random_pose, shapes};

/// Throws at a target, and whether anything got behind it.
fn throw(target: &Shape, missile: &Shape, speed: f64, random: &mut Random) -> bool {
    let mut world = World::builder().backend(Backend::Cpu).threads(1).build().unwrap();
    let wall = world.add_shape(target.clone()).unwrap();
    let thrown = world.add_shape(missile.clone()).unwrap();
    world.add_collider(Collider::new(wall).fixed(true)).unwrap();
    let aside = Vector3::new(0.5 * random.signed(), 0.5 * random.signed(), 2.0);
    let mut pose = Isometry3::from_parts(aside.into(), random.rotation());
    let id = world.add_collider(Collider::new(thrown).pose(pose).fast(true)).unwrap();
    let (dt, velocity) =
        (1.0 / 60.0, Vector3::new(0.1 * random.signed(), 0.1 * random.signed(), -1.0) * speed);
    let spin = Vector3::from_fn(|_, _| 20.0 * random.signed());
    let steps = (3.0 / (speed * dt)).ceil().min(400.0) as u32;
    for _ in 0..steps {
        let to = Isometry3::translation(velocity.x * dt, velocity.y * dt, velocity.z * dt) * pose.translation;
        let motion =
            Motion::between(pose, Isometry3::from_parts(to.translation, pose.rotation)).turn(spin * dt);
        world.set_path(id, motion).unwrap();
        world.step_motion();
        let reached = world.reached(id);
        pose = motion.pose(reached);
        if reached < 1.0 {
            return world.impacts()[0].impact.gap <= 1e-3 && pose.translation.z > -0.5;
        }
    }
    false
}

#[test]
fn nothing_passes_through_at_any_speed() {
    let sheet = |n: u32| {
        let step = 4.0 / n as f32;
        let at = |i: u32, j: u32| {
            let (x, y) = (-2.0 + step * i as f32, -2.0 + step * j as f32);
            Point3::new(x, y, 0.05 * (3.0 * x).sin() * (2.0 * y).cos())
        };
        let corners: Vec<_> = (0..=n).flat_map(|i| (0..=n).map(move |j| at(i, j))).collect();
        let name = |i: u32, j: u32| i * (n + 1) + j;
        let faces = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).flat_map(|(i, j)| {
            let [a, b, c, d] = [name(i, j), name(i + 1, j), name(i + 1, j + 1), name(i, j + 1)];
            [[a, b, c], [a, c, d]]
        });
        TriMesh::new(corners, faces.collect()).unwrap()
    };
    let targets: Vec<Shape> = vec![
        sheet(24).into(),
        sheet(8).one_sided(1.0, Vector3::z()).unwrap().into(),
        impinge_oracle::solids::block([2.0, 2.0, 0.001]).into(),
        Shape::cuboid([2.0, 2.0, 0.001]).unwrap(),
    ];
    let missiles: Vec<Shape> = vec![
        Shape::sphere(0.03).unwrap(),
        Shape::cuboid([0.05, 0.03, 0.02]).unwrap(),
        Shape::capsule(0.2, 0.01).unwrap(),
        Gear::default().mesh().unwrap().into(),
    ];
    let mut random = Random::new(21);
    for n in 0..cases(160) as usize {
        let speed = 10f64.powf(3.0 * random.signed().abs());
        let (i, j) = (n % targets.len(), (n / targets.len()) % missiles.len());
        assert!(
            throw(&targets[i], &missiles[j], speed, &mut random),
            "throw {n}: {j} through {i} at {speed} m/s"
        );
    }
}

#[test]
fn groups_stop_together_and_others_go_on() {
    let mut world = World::builder().backend(Backend::Cpu).threads(2).build().unwrap();
    let ball = world.add_shape(Shape::sphere(0.1).unwrap()).unwrap();
    let mut add = |x: f64, fast: bool| {
        world.add_collider(Collider::new(ball).position([x, 0.0, 0.0]).fast(fast)).unwrap()
    };
    let [a, b, c, sensor] = [add(0.0, true), add(1.0, false), add(10.0, true), add(12.0, false)];
    world.set_sensor(sensor, true).unwrap();
    let mut go = |id: ColliderId, way: f64| {
        let motion = Motion::translation(world.pose(id).unwrap(), Vector3::new(way, 0.0, 0.0));
        world.set_path(id, motion).unwrap();
    };
    go(a, 2.0);
    go(b, -2.0);
    go(c, 4.0);
    let report = world.step_motion();
    assert_eq!((report.movers, report.pairs, report.impacts), (3, 2, 2));
    // They are 0.8 apart and close by 4.
    assert!((world.reached(a) - 0.2).abs() < 1e-4 && world.reached(a) == world.reached(b));
    assert_eq!(world.reached(c), 1.0);
    assert!(world.impacts()[0].sensor != world.impacts()[1].sensor);
    // Paths are used up.
    let report = world.step_motion();
    assert_eq!((report.movers, report.pairs, report.impacts), (0, 0, 0));
    assert_eq!(world.reached(a), 1.0);
    let foreign = ColliderId { index: 99, generation: 0 };
    assert!(world.set_path(foreign, Motion::still(Isometry3::identity())).is_err());
    let spun = Motion::still(Isometry3::identity()).turn(Vector3::new(f64::NAN, 0.0, 0.0));
    assert!(matches!(world.set_path(a, spun), Err(impinge::WorldError::Motion(_))));
}

#[test]
fn what_rests_and_slides_is_not_stopped_and_what_goes_deeper_is() {
    let mut world = World::builder().backend(Backend::Cpu).threads(1).build().unwrap();
    let floor: Shape = impinge_oracle::solids::block([3.0, 3.0, 0.5]).into();
    let floor = world.add_shape(floor).unwrap();
    let cube: Shape = impinge_oracle::solids::block([0.1, 0.1, 0.1]).into();
    let cube = world.add_shape(cube).unwrap();
    world.add_collider(Collider::new(floor).fixed(true)).unwrap();
    let id = world.add_collider(Collider::new(cube).position([0.0, 0.0, 0.599]).fast(true)).unwrap();
    world.step();
    assert_eq!(world.manifolds().len(), 1);
    for (way, stopped) in [([1.0, 0.5, 0.0], false), ([1.0, 0.0, -1e-6], false), ([0.0, 0.0, -0.05], true)] {
        let motion = Motion::translation(world.pose(id).unwrap(), Vector3::from(way));
        world.set_path(id, motion).unwrap();
        world.step_motion();
        assert_eq!(world.reached(id) < 1.0, stopped, "{way:?}: {:?}", world.impacts());
    }
    assert_eq!(world.impacts()[0].state, ImpactState::Displaced);
}

#[test]
fn impacts_do_not_depend_on_the_threads() {
    let answers: Vec<_> = [1, 2, 3, 8]
        .map(|threads| {
            let mut world = World::builder().backend(Backend::Cpu).threads(threads).build().unwrap();
            let mut random = Random::new(31);
            let ids: Vec<_> = shapes()[..9].iter().map(|s| world.add_shape(s.clone()).unwrap()).collect();
            for k in 0..60 {
                let pose = random_pose(&mut random, 3.0);
                let id = world.add_collider(Collider::new(ids[k % 9]).pose(pose).fast(k % 3 > 0)).unwrap();
                let mut to = random_pose(&mut random, 0.4);
                to.translation.vector += pose.translation.vector;
                world.set_path(id, Motion::between(pose, to)).unwrap();
            }
            world.step();
            world.step_motion();
            let reached: Vec<_> = world.colliders().map(|id| world.reached(id).to_bits()).collect();
            (world.impacts().to_vec(), reached)
        })
        .into();
    assert!(answers[0].0.len() > 10, "{} impacts", answers[0].0.len());
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn what_a_shape_meets_in_a_world_is_what_its_pairs_say() {
    let (shapes, mut random) = (shapes(), Random::new(41));
    let mut world = World::builder().backend(Backend::Cpu).threads(2).build().unwrap();
    let ids: Vec<_> = shapes.iter().map(|s| world.add_shape(s.clone()).unwrap()).collect();
    let mut standing = Vec::new();
    for k in 0..40 {
        let pose = random_pose(&mut random, 2.5);
        let id = world.add_collider(Collider::new(ids[k % 10]).pose(pose)).unwrap();
        standing.push((id, k % 10, pose));
    }
    let motions: Vec<Motion> = (0..60)
        .map(|k| {
            let mut from = random_pose(&mut random, 0.5);
            from.translation.vector.x -= 5.0;
            let to = Isometry3::from_parts((-from.translation.vector).into(), random.rotation());
            let motion = Motion::between(from, to);
            if k % 2 == 0 { motion.turn(Vector3::zeros()) } else { motion }
        })
        .collect();
    let all = QueryFilter::new();
    let (mut met, queries) = (0, world.shape_queries());
    for tool in [1, 4, 6] {
        let answers = queries.sweep_many(ids[tool], &motions, &all).unwrap();
        for (motion, answer) in motions.iter().zip(answers) {
            let first = standing
                .iter()
                .filter_map(|(id, k, pose)| {
                    let found = query(&shapes[*k], &shapes[tool]).sweep(&Motion::still(*pose), motion);
                    Some((found.unwrap().time()?, *id))
                })
                .min_by(|p, q| p.0.total_cmp(&q.0));
            match (first, answer) {
                (None, None) => {}
                (Some((time, id)), Some(hit)) => {
                    met += 1;
                    assert!((hit.time() - time).abs() < 1e-3, "{time} for {hit:?}");
                    assert!(hit.collider == id || (hit.time() - time).abs() < 1e-3);
                }
                (first, answer) => panic!("{first:?} for {answer:?}"),
            }
        }
    }
    assert!(met > 60, "{met}");
    let unknown = ShapeId { index: 99, generation: 0 };
    assert!(queries.cast(unknown, &Isometry3::identity(), &Vector3::x(), &all).is_err());
    let nan = Vector3::new(f64::NAN, 0.0, 0.0);
    assert!(queries.cast(ids[0], &Isometry3::identity(), &nan, &all).is_err());
}

#[test]
fn a_moving_sensor_ties_nobody_together() {
    let mut world = World::builder().backend(Backend::Cpu).threads(1).build().unwrap();
    let ball = world.add_shape(Shape::sphere(0.1).unwrap()).unwrap();
    let zone = world.add_shape(Shape::cuboid([0.2, 3.0, 0.2]).unwrap()).unwrap();
    let wall = world.add_collider(Collider::new(ball).position([4.0, -1.0, 0.0]).fixed(true)).unwrap();
    let at = |y: f64| Collider::new(ball).position([0.0, y, 0.0]).fast(true);
    let [a, b] = [-1.0, 1.0].map(|y| world.add_collider(at(y)).unwrap());
    let door = world.add_collider(Collider::new(zone).position([2.0, 0.0, 0.0]).sensor(true)).unwrap();
    for (id, way) in [(a, 8.0), (b, 8.0), (door, 0.5)] {
        let motion = Motion::translation(world.pose(id).unwrap(), Vector3::new(way, 0.0, 0.0));
        world.set_path(id, motion).unwrap();
    }
    world.step_motion();
    assert!((world.reached(a) - 3.8 / 8.0).abs() < 1e-4, "{}", world.reached(a));
    assert_eq!((world.reached(b), world.reached(door)), (1.0, 1.0));
    assert_eq!(world.impacts().iter().filter(|impact| impact.sensor).count(), 2);
    assert!(world.impacts().iter().any(|impact| impact.colliders.contains(&wall) && !impact.sensor));
}

/// Bodies that spin beside a surface come near it again and again, at place after place: where they are stopped, they are
/// free.
#[test]
fn what_spins_along_a_surface_is_stopped_before_it_touches() {
    let wall: Shape =
        Terrain { half: 6.0, relief: 0.4, rim: 0.0, seed: 5, ..Terrain::default() }.mesh().unwrap().into();
    let gear = Gear { outer: 0.2, root: 0.15, bore: 0.07, half_width: 0.05, ..Gear::default() };
    let spinners: [Shape; 4] = [
        gear.mesh().unwrap().into(),
        Shape::capsule(0.5, 0.03).unwrap(),
        Shape::cuboid([0.3, 0.1, 0.02]).unwrap(),
        Shape::cylinder(0.2, 0.05).unwrap(),
    ];
    let mut random = Random::new(77);
    let mut stops = 0;
    for case in 0..cases(40) as usize {
        let spinner = &spinners[case % spinners.len()];
        let pair = query(&wall, spinner);
        let mut world = World::builder().backend(Backend::Cpu).threads(1).build().unwrap();
        let [fixed, moving] = [&wall, spinner].map(|shape| world.add_shape(shape.clone()).unwrap());
        world.add_collider(Collider::new(fixed).fixed(true)).unwrap();
        let place = Vector3::new(3.0 * random.signed(), 3.0 * random.signed(), 1.2);
        let mut pose = Isometry3::from_parts(place.into(), random.rotation());
        let id = world.add_collider(Collider::new(moving).pose(pose).fast(true)).unwrap();
        for _ in 0..30 {
            let way = Vector3::new(0.3 * random.signed(), 0.3 * random.signed(), -0.5);
            let to = Isometry3::from_parts((pose.translation.vector + way).into(), pose.rotation);
            let turn = Vector3::from_fn(|_, _| 5.0 * random.signed());
            let motion = Motion::between(pose, to).turn(turn);
            world.set_path(id, motion).unwrap();
            world.step_motion();
            pose = motion.pose(world.reached(id));
            stops += u32::from(world.reached(id) < 1.0);
            assert!(
                !pair.touching(&Isometry3::identity(), &pose).unwrap(),
                "case {case}: {:?}",
                world.impacts()
            );
            world.set_pose(id, pose).unwrap();
        }
        assert!(pose.translation.z > -0.6, "case {case}: {pose}");
    }
    assert!(stops > 100, "{stops} stops");
}

#[test]
fn motions_up_to_a_length_are_not_swept() {
    let mut world = World::builder().backend(Backend::Cpu).threads(1).build().unwrap();
    let [floor, ball] = [Shape::cuboid([1.0, 1.0, 0.1]).unwrap(), Shape::sphere(0.1).unwrap()]
        .map(|s| world.add_shape(s).unwrap());
    let fixed = Collider::new(floor).fixed(true).sweep_beyond(0.05);
    world.add_collider(fixed).unwrap();
    let start = Isometry3::translation(0.0, 0.0, 0.21);
    let moving = || Collider::new(ball).pose(start).fast(true);
    let impacts = |world: &mut World, id, way: f64| {
        world.set_path(id, Motion::translation(start, Vector3::new(0.0, 0.0, -way))).unwrap();
        world.step_motion().impacts
    };
    // The lesser of the two lengths counts.
    let strict = world.add_collider(moving()).unwrap();
    assert_eq!(impacts(&mut world, strict, 0.04), 1);
    world.remove_collider(strict).unwrap();
    let lenient = world.add_collider(moving().sweep_beyond(1.0)).unwrap();
    assert_eq!(impacts(&mut world, lenient, 0.04), 0);
    assert_eq!(impacts(&mut world, lenient, 0.06), 1);
    for length in [-1.0, f64::NAN] {
        let refused = world.add_collider(moving().sweep_beyond(length)).unwrap_err();
        assert!(matches!(refused, impinge::WorldError::SweepBeyond { .. }), "{refused}");
    }
}

#[test]
fn what_fits_tightly_is_swept_too() {
    // A block in a slot, a tenth of a millimetre deep in one wall and three from the other: lifted by twenty gaps it would be
    // in the other. (Walls are meshes, or closed forms.)
    let wall = |half: [f32; 3], mesh: bool| {
        if mesh { Shape::from(impinge_oracle::solids::block(half)) } else { Shape::cuboid(half).unwrap() }
    };
    for mesh in [false, true] {
        let mut world = World::builder().backend(Backend::Cpu).threads(1).build().unwrap();
        let at = |x: f64, z: f64| Isometry3::translation(x, 0.0, z);
        let slot = Shape::composite(vec![
            (at(-0.2, 0.0), wall([0.1, 0.3, 0.5], mesh)),
            (at(0.2002, 0.0), wall([0.1, 0.3, 0.5], mesh)),
            (at(0.0, -0.6), wall([0.4, 0.3, 0.1], mesh)),
        ]);
        let slot = world.add_shape(slot.unwrap()).unwrap();
        let block = world.add_shape(wall([0.1, 0.1, 0.1], mesh)).unwrap();
        world.add_collider(Collider::new(slot).fixed(true)).unwrap();
        let start = Isometry3::translation(-1e-4, 0.0, 0.2);
        let id = world.add_collider(Collider::new(block).pose(start).fast(true)).unwrap();
        world.step();
        assert!(!world.manifolds().is_empty());
        let fall = Motion::translation(start, Vector3::new(0.0, 0.0, -2.0));
        world.set_path(id, fall).unwrap();
        world.step_motion();
        let [impact] = world.impacts() else { panic!("{:?}", world.impacts()) };
        assert_eq!(impact.state, ImpactState::Displaced, "mesh: {mesh}");
        // Its lower side has come to the slot's bottom.
        let z = fall.pose(world.reached(id)).translation.z;
        assert!((z + 0.4).abs() < 1e-3, "mesh: {mesh}, z = {z}");
    }
}

#[test]
fn pairs_of_some_colliders_are_swept_alone() {
    let mut world = World::builder().backend(Backend::Cpu).threads(2).build().unwrap();
    let ball = world.add_shape(Shape::sphere(0.1).unwrap()).unwrap();
    let mut add = |x: f64, y: f64| world.add_collider(Collider::new(ball).position([x, y, 0.0]).fast(true));
    let ids = [add(0.0, 0.0), add(1.0, 0.0), add(0.0, 5.0), add(1.0, 5.0)].map(Result::unwrap);
    let mut sweep = |changed: Option<&[ColliderId]>| {
        for (k, &id) in ids.iter().enumerate() {
            let way = Vector3::new(if k % 2 == 0 { 1.0 } else { 0.0 }, 0.0, 0.0);
            world.set_path(id, Motion::translation(world.pose(id).unwrap(), way)).unwrap();
        }
        let report = match changed {
            Some(changed) => world.step_motion_of(changed),
            None => world.step_motion(),
        };
        assert_eq!(report.impacts as usize, world.impacts().len());
        (world.impacts().to_vec(), ids.map(|id| world.reached(id)))
    };
    let (all, _) = sweep(None);
    assert_eq!(all.len(), 2);
    let (some, reached) = sweep(Some(&[ids[3]]));
    assert_eq!(some[..], all[1..]);
    assert!(reached[0] == 1.0 && reached[2] < 1.0 && reached[2] == reached[3]);
    assert!(sweep(Some(&[])).0.is_empty());
}
