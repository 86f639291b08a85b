//! Casts, sweeps and exits against samples of exact touching: never late, near at the time reported, and free where
//! they say so.

use impinge::prelude::*;
use impinge::query::{QueryError, QueryScratch};
use impinge::{MotionError, PairExit, PairSweep};
use impinge_geometry::SimdLevel;
use impinge_scenes::mesh::{Blob, Gear, Knot, Torus};
use impinge_scenes::random::Random;

fn cases(default: u32) -> u32 {
    std::env::var("IMPINGE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

fn meshes() -> Vec<Shape> {
    vec![
        Knot { along: 36, across: 6, ..Knot::default() }.mesh().unwrap().into(),
        Torus { around: 16, across: 8, ..Torus::default() }.mesh().unwrap().into(),
        Gear::default().mesh().unwrap().into(),
        Blob::default().mesh().unwrap().into(),
    ]
}

fn shapes() -> Vec<Shape> {
    let mut all = meshes();
    let corners: Vec<Point3<f32>> = (0..12)
        .map(|k| {
            let angle = 0.5 * k as f32;
            Point3::new(0.4 * angle.cos(), 0.3 * angle.sin(), if k % 2 == 0 { 0.2 } else { -0.3 })
        })
        .collect();
    let two = vec![
        (Isometry3::translation(0.5, 0.0, 0.0), all[1].clone()),
        (Isometry3::translation(-0.5, 0.2, 0.0), Shape::capsule(0.1, 0.3).unwrap()),
        (Isometry3::identity(), Shape::sphere(0.2).unwrap()),
    ];
    all.extend([
        Shape::cuboid([0.4, 0.2, 0.1]).unwrap(),
        Shape::sphere(0.3).unwrap(),
        Shape::capsule(0.1, 0.4).unwrap(),
        Shape::cylinder(0.2, 0.4).unwrap(),
        Shape::hull(&corners).unwrap(),
        Shape::composite(two).unwrap(),
        Shape::half_space(),
    ]);
    all
}

fn query(a: &Shape, b: &Shape) -> PairQuery {
    PairQuery::new(a, b, QuerySettings::default()).unwrap()
}

fn random_pose(random: &mut Random, reach: f64) -> Isometry3<f64> {
    let place = Vector3::from_fn(|_, _| reach * random.signed());
    Isometry3::from_parts(place.into(), random.rotation())
}

/// Shapes that begin apart and mostly come near each other.
fn random_motion(random: &mut Random, from: f64, turn: f64) -> Motion {
    let aside = Vector3::from_fn(|_, _| random.signed()).normalize() * from;
    let mut start = random_pose(random, 0.3);
    start.translation.vector += aside;
    let mut end = random_pose(random, 0.6);
    end.translation.vector -= aside * random.signed().abs();
    let turn = Vector3::from_fn(|_, _| turn * random.signed());
    Motion::between(start, end).about(Point3::from(Vector3::from_fn(|_, _| 0.3 * random.signed()))).turn(turn)
}

struct Check<'q> {
    query: &'q PairQuery,
    scratch: QueryScratch,
    gap: f64,
    label: String,
}

impl Check<'_> {
    fn touching(&mut self, [a, b]: [&Motion; 2], time: f64) -> bool {
        self.query.touching_with(&a.pose(time), &b.pose(time), &mut self.scratch).unwrap()
    }

    /// Nothing touches before the time that was found, at which they are near.
    fn never_late(&mut self, motions: [&Motion; 2], found: &PairSweep, samples: u32) {
        let end = match found {
            PairSweep::AtStart { .. } => {
                assert!(self.touching(motions, 0.0), "{}: touches at the start", self.label);
                return;
            }
            PairSweep::Free => 1.0,
            PairSweep::Impact(impact) => {
                let [a, b] = motions.map(|m| m.pose(impact.time));
                let there = self.query.distance_with(&a, &b, &mut self.scratch).unwrap().distance();
                let allowed = self.gap + 1e-9;
                assert!(
                    there <= allowed,
                    "{}: {there} apart at {}, {allowed} asked",
                    self.label,
                    impact.time
                );
                assert!((there - impact.gap).abs() <= 1e-9, "{}: {there} is not {}", self.label, impact.gap);
                assert!((impact.normal.norm() - 1.0).abs() < 1e-9);
                // Of curved solids the points are less certain than the distance.
                let between = impact.on_b - impact.on_a;
                let apart = between.dot(&impact.normal);
                assert!((apart - impact.gap).abs() < 1e-6, "{}: {between:?} for {}", self.label, impact.gap);
                assert!((a * impact.local_a - impact.on_a).norm() < 1e-9, "{}", self.label);
                assert!((b * impact.local_b - impact.on_b).norm() < 1e-9, "{}", self.label);
                impact.time
            }
        };
        for k in 0..samples {
            let time = end * f64::from(k) / f64::from(samples) * (1.0 - 1e-9);
            assert!(!self.touching(motions, time), "{}: touches at {time}, found {found:?}", self.label);
        }
    }
}

fn default_gap(a: &Shape, b: &Shape) -> f64 {
    let radius = [a, b].map(|shape| f64::from(shape.bounding_sphere().radius));
    let least = radius[0].min(radius[1]);
    if least.is_finite() { 1e-4 * least } else { 1e-4 }
}

#[test]
fn sweeps_are_never_late_and_end_near() {
    let (shapes, mut random) = (shapes(), Random::new(11));
    let (mut hits, mut frees) = (0, 0);
    for n in 0..cases(400) as usize {
        let (i, j) = (n % shapes.len(), (n / shapes.len() + n) % shapes.len());
        let query = query(&shapes[i], &shapes[j]);
        let turn = [0.0, 0.3, 2.0, 12.0][n % 4];
        // A half-space that turns sweeps over everything in the end.
        let motions = [random_motion(&mut random, 0.9, turn), random_motion(&mut random, 0.9, turn)];
        let found = query.sweep(&motions[0], &motions[1]).unwrap();
        let gap = default_gap(&shapes[i], &shapes[j]);
        let label = format!("case {n}: {i} and {j}");
        let mut check = Check { query: &query, scratch: QueryScratch::default(), gap, label };
        check.never_late([&motions[0], &motions[1]], &found, 100);
        match found {
            PairSweep::Impact(_) => hits += 1,
            PairSweep::Free => frees += 1,
            PairSweep::AtStart { .. } => {}
        }
    }
    assert!(hits > cases(400) / 4 && frees > cases(400) / 20, "{hits} meet, {frees} do not");
}

#[test]
fn casts_end_at_the_contact() {
    let (shapes, mut random) = (shapes(), Random::new(12));
    let (mut hits, mut grazed, mut scratch) = (0, 0, QueryScratch::default());
    for n in 0..cases(400) as usize {
        let (i, j) = (n % shapes.len(), (n / shapes.len() + n) % shapes.len());
        let query = query(&shapes[i], &shapes[j]);
        let (a, b) = (random_motion(&mut random, 0.0, 0.0), random_motion(&mut random, 1.5, 0.0));
        let way = -1.6 * b.start().translation.vector + Vector3::from_fn(|_, _| 0.4 * random.signed());
        let found = query.cast(a.start(), b.start(), &way).unwrap();
        let (still, moving) = (Motion::still(*a.start()), Motion::translation(*b.start(), way));
        let gap = default_gap(&shapes[i], &shapes[j]);
        let label = format!("case {n}: {i} and {j}");
        let mut check = Check { query: &query, scratch: QueryScratch::default(), gap, label };
        check.never_late([&still, &moving], &found, 60);
        let PairSweep::Impact(impact) = found else { continue };
        hits += 1;
        // What is met is entered right behind, unless it is grazed.
        let behind = (impact.time + 1e-6 + 4.0 * gap / way.norm()).min(1.0);
        let entered = (1..=20).any(|k| {
            let time = impact.time + (behind - impact.time) * f64::from(k) / 20.0;
            query.touching_with(still.start(), &moving.pose(time), &mut scratch).unwrap()
        });
        grazed += u32::from(!entered);
        assert!(impact.normal.dot(&way) <= 1e-9 * way.norm(), "case {n}: it comes against the normal");
    }
    assert!(hits > cases(400) / 4, "{hits} meet");
    assert!(grazed * 50 <= hits, "{grazed} of {hits} are not entered");
}

#[test]
fn casts_of_meshes_meet_where_their_triangles_do() {
    let (meshes, mut random) = (meshes(), Random::new(13));
    for n in 0..cases(60) as usize {
        let (a, b) = (&meshes[n % 4], &meshes[(n / 4) % 4]);
        let query = query(a, b);
        let still = random_pose(&mut random, 0.1);
        let mut start = random_pose(&mut random, 0.3);
        start.translation.vector.x += 2.0;
        let way = Vector3::new(-3.0, 0.2 * random.signed(), 0.2 * random.signed());
        let found = query.cast(&still, &start, &way).unwrap();
        let mut scratch = QueryScratch::default();
        let touches = |time: f64, scratch: &mut QueryScratch| {
            query.touching_with(&still, &Motion::translation(start, way).pose(time), scratch).unwrap()
        };
        let Some(impact) = found.impact() else { continue };
        assert!(!touches(impact.time - 1e-12, &mut scratch), "case {n}");
        assert!(touches(impact.time + 1e-9, &mut scratch), "case {n}: {impact:?}");
        assert!(impact.gap < 1e-12, "case {n}: {}", impact.gap);
    }
}

#[test]
fn exits_have_touching_before_and_freedom_behind() {
    let (shapes, mut random) = (shapes(), Random::new(14));
    let (mut left, mut scratch) = (0, QueryScratch::default());
    for n in 0..cases(300) as usize {
        let (i, j) = (n % shapes.len(), (n / shapes.len() + n) % shapes.len());
        let query = query(&shapes[i], &shapes[j]);
        let (a, b) = (random_pose(&mut random, 0.1), random_pose(&mut random, 0.25));
        let way = Vector3::from_fn(|_, _| random.signed()).normalize() * 3.0;
        let exit = query.exit(&a, &b, &way).unwrap();
        let moving = Motion::translation(b, way);
        let mut touches = |time: f64| query.touching_with(&a, &moving.pose(time), &mut scratch).unwrap();
        match exit {
            PairExit::Free => assert!(!touches(0.0), "case {n}"),
            PairExit::Never => {
                for k in 0..=100 {
                    assert!(touches(f64::from(k) / 100.0), "case {n}: {i}, {j} free at {k} %");
                }
            }
            PairExit::At(time) => {
                left += 1;
                for k in 0..60 {
                    let before = time * f64::from(k) / 60.0;
                    assert!(touches(before), "case {n}: {i}, {j} free at {before} of {time}");
                }
                assert!(touches(time - 1e-6), "case {n}: {i}, {j}");
                assert!(!touches((time + 1e-6).min(1.0)), "case {n}: {i}, {j} still held at {time}");
            }
        }
    }
    assert!(left > cases(300) / 3, "{left} leave");
}

#[test]
fn exchange_shift_scale_and_parts_tell_the_same() {
    let (shapes, mut random) = (shapes(), Random::new(15));
    for n in 0..cases(150) as usize {
        let (i, j) = (n % (shapes.len() - 1), (n / 3) % (shapes.len() - 1));
        let query_ab = query(&shapes[i], &shapes[j]);
        let query_ba = query(&shapes[j], &shapes[i]);
        let turn = if n % 2 == 0 { 0.0 } else { 2.0 };
        let (a, b) = (random_motion(&mut random, 0.9, turn), random_motion(&mut random, 0.9, turn));
        let ab = query_ab.sweep(&a, &b).unwrap();
        let ba = query_ba.sweep(&b, &a).unwrap();
        let gap = default_gap(&shapes[i], &shapes[j]);
        // Both are early by what the gap allows; what nearly passes may be told either way.
        let speed = |time: f64| {
            let there = |t: f64| b.pose(t).translation.vector - a.pose(t).translation.vector;
            ((there(time + 1e-6) - there(time)) * 1e6).norm().max(0.1)
        };
        if let (PairSweep::Impact(p), PairSweep::Impact(q)) = (&ab, &ba) {
            assert!(
                (p.time - q.time).abs() <= 400.0 * gap / speed(p.time),
                "case {n}: {} {}",
                p.time,
                q.time
            );
        }
        assert_eq!(
            matches!(ab, PairSweep::AtStart { .. }),
            matches!(ba, PairSweep::AtStart { .. }),
            "case {n}"
        );
        // The whole is met in the half where it is met.
        let Some(time) = ab.impact().map(|impact| impact.time) else { continue };
        let (first, second) = (time * 0.5, 1.0);
        let early = query_ab.sweep(&a.part(0.0, first), &b.part(0.0, first)).unwrap();
        assert_eq!(early.time(), None, "case {n}");
        let late = query_ab.sweep(&a.part(first, second), &b.part(first, second)).unwrap();
        let again = first + late.time().map_or(f64::INFINITY, |t| t * (second - first));
        assert!((again - time).abs() <= 400.0 * gap / speed(time), "case {n}: {again} for {time}");
    }
}

#[test]
fn a_needle_passes_a_slit_and_a_thicker_one_does_not() {
    let wall =
        |y: f64, z: f64, half: [f32; 3]| (Isometry3::translation(0.0, y, z), Shape::cuboid(half).unwrap());
    // A slit of 2 mm by 20 cm.
    let slit =
        Shape::composite(vec![wall(0.501, 0.0, [0.01, 0.5, 0.5]), wall(-0.501, 0.0, [0.01, 0.5, 0.5])])
            .unwrap();
    let pass = |half: f32, turn: f64| {
        let needle = Shape::cuboid([0.2, half, 0.05]).unwrap();
        let from = Isometry3::translation(-1.0, 0.0, 0.0);
        let motion = Motion::between(from, Isometry3::translation(1.0, 0.0, 0.0)).turn(Vector3::x() * turn);
        query(&slit, &needle).sweep(&Motion::still(Isometry3::identity()), &motion).unwrap()
    };
    assert_eq!(pass(0.0009, 0.0).time(), None);
    assert!(pass(0.0011, 0.0).impact().is_some());
    assert!(pass(0.0009, 0.5).impact().is_some());
    // Half a turn about its long axis, done before and behind the slit alone, would pass; an even one does not.
    assert!(pass(0.0009, std::f64::consts::PI).impact().is_some());
}

#[test]
fn a_spinning_rod_strikes_the_floor_at_the_right_time() {
    // A rod of length 1 turns in place 0.4 above a floor: its tip comes down to 0.4 below its middle.
    let rod: Shape = impinge_oracle::solids::block([0.5, 0.01, 0.01]).into();
    let floors = [Shape::half_space(), impinge_oracle::solids::block([2.0, 2.0, 0.1]).into()];
    for (floor, depth) in floors.iter().zip([0.0, 0.1]) {
        let query = query(floor, &rod);
        let ground = Motion::still(Isometry3::translation(0.0, 0.0, -depth));
        for turns in [0.5, 3.0, 20.0] {
            let angle = std::f64::consts::TAU * turns;
            let spin = Motion::still(Isometry3::translation(0.0, 0.0, 0.4)).turn(Vector3::y() * angle);
            let found = query.sweep(&ground, &spin).unwrap();
            let time = found.impact().unwrap().time;
            // 0.5 sin φ + 0.01 cos φ = 0.4.
            let reach = 0.5f64.hypot(0.01);
            let expected = ((0.4 / reach).asin() - (0.01f64 / 0.5).atan()) / angle;
            assert!((time - expected).abs() < 1e-3 / angle && time <= expected, "{time} for {expected}");
        }
        // Level it stays free.
        let level = Motion::still(Isometry3::translation(0.0, 0.0, 0.02)).turn(Vector3::z() * 50.0);
        assert_eq!(query.sweep(&ground, &level).unwrap().time(), None);
    }
}

#[test]
fn answers_do_not_depend_on_the_instructions() {
    let (shapes, mut random) = (shapes(), Random::new(16));
    for n in 0..60 {
        let (i, j) = (n % shapes.len(), (n / 5) % shapes.len());
        let motions = [random_motion(&mut random, 0.9, 1.0), random_motion(&mut random, 0.9, 1.0)];
        let answers: Vec<_> = SimdLevel::available()
            .map(|level| {
                let settings = QuerySettings::default().simd(level);
                let query = PairQuery::new(&shapes[i], &shapes[j], settings).unwrap();
                query.sweep(&motions[0], &motions[1]).unwrap()
            })
            .collect();
        assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "case {n}");
    }
}

#[test]
fn motions_that_cannot_be_used_are_refused() {
    let ball = Shape::sphere(0.5).unwrap();
    let query = query(&ball, &ball);
    let here = Isometry3::identity();
    let nowhere = Isometry3::translation(f64::NAN, 0.0, 0.0);
    let pose = query.cast(&here, &nowhere, &Vector3::x());
    assert!(matches!(pose, Err(QueryError::Pose { side: 'B', .. })), "{pose:?}");
    let far = query.cast(&here, &here, &Vector3::new(1e31, 0.0, 0.0));
    assert!(matches!(far, Err(QueryError::Motion { side: 'B', source: MotionError::End { .. } })), "{far:?}");
    let spinning = Motion::still(here).turn(Vector3::new(0.0, 0.0, 1e9));
    let spun = query.sweep(&spinning, &Motion::still(here));
    assert!(
        matches!(spun, Err(QueryError::Motion { side: 'A', source: MotionError::Turn { .. } })),
        "{spun:?}"
    );
    for gap in [0.0, -1.0, f64::NAN] {
        let still = Motion::still(here);
        let refused = query.sweep_with(&still, &still, Some(gap), &mut QueryScratch::default());
        assert!(matches!(refused, Err(QueryError::Bound { .. })), "{refused:?}");
    }
    // Nothing moves: touching or free, and no impact.
    assert!(matches!(query.cast(&here, &here, &Vector3::zeros()).unwrap(), PairSweep::AtStart { .. }));
    let there = Isometry3::translation(3.0, 0.0, 0.0);
    assert_eq!(query.cast(&here, &there, &Vector3::zeros()).unwrap(), PairSweep::Free);
    assert_eq!(query.exit(&here, &there, &Vector3::zeros()).unwrap(), PairExit::Free);
    assert_eq!(query.exit(&here, &here, &Vector3::zeros()).unwrap(), PairExit::Never);
}

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
    assert_eq!(world.impacts()[0].state, impinge::ImpactState::Displaced);
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
