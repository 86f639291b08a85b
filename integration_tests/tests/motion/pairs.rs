//! One pair of shapes.

use impinge::prelude::*;
use impinge::query::{QueryError, QueryScratch};
use impinge::{MotionError, PairExit, PairSweep};
use impinge_geometry::SimdLevel;
use impinge_scenes::random::Random;

use crate::shapes::{cases, default_gap, meshes, query, random_motion, random_pose, shapes};

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
        // The motion is met in the half where it is met.
        let Some(time) = ab.impact().map(|impact| impact.time) else { continue };
        let (first, second) = (time * 0.5, 1.0);
        let early = query_ab.sweep(&a.part(0.0, first), &b.part(0.0, first)).unwrap();
        assert_eq!(early.time(), None, "case {n}");
        let late = query_ab.sweep(&a.part(first, second), &b.part(first, second)).unwrap();
        let again = first + late.time().map_or(f64::INFINITY, |t| t * (second - first));
        assert!((again - time).abs() <= 400.0 * gap / speed(time), "case {n}: {again} for {time}");
    }
}

/// Backward in time the last place where they are near is the first: what passes free does so both ways, and nothing touches
/// before the one time or after the other.
#[test]
fn reversed_motions_leave_where_the_others_end() {
    let (shapes, mut random) = (shapes(), Random::new(16));
    let (mut both, mut neither) = (0, 0);
    for n in 0..cases(300) as usize {
        let (i, j) = (n % (shapes.len() - 1), (n / 3) % (shapes.len() - 1));
        let query = query(&shapes[i], &shapes[j]);
        let turn = [0.0, 0.5, 3.0][n % 3];
        let motions = [random_motion(&mut random, 0.9, turn), random_motion(&mut random, 0.9, turn)];
        let back = motions.each_ref().map(|motion| motion.part(1.0, 0.0));
        let forth = query.sweep(&motions[0], &motions[1]).unwrap();
        let found = query.sweep(&back[0], &back[1]).unwrap();
        let gap = default_gap(&shapes[i], &shapes[j]);
        let label = format!("case {n}: {i} and {j}, backward");
        let mut check = Check { query: &query, scratch: QueryScratch::default(), gap, label };
        check.never_late(back.each_ref(), &found, 60);
        match (&forth, &found) {
            (PairSweep::Free, PairSweep::Free) => neither += 1,
            (PairSweep::Impact(first), PairSweep::Impact(last)) => {
                both += 1;
                // Between the first place and the last they touch, or were near once: both then are that place.
                let between = 1.0 - first.time - last.time;
                assert!(between >= -1e-3, "case {n}: {} and back {}", first.time, last.time);
            }
            // What begins or ends inside, or comes near without touching.
            (PairSweep::Free, PairSweep::Impact(_)) | (PairSweep::Impact(_), PairSweep::Free) => {
                for k in 0..=400 {
                    let time = f64::from(k) / 400.0;
                    assert!(!check.touching(motions.each_ref(), time), "case {n}: {forth:?}, back {found:?}");
                }
            }
            (PairSweep::AtStart { .. }, _) => assert!(check.touching(back.each_ref(), 1.0), "case {n}"),
            (_, PairSweep::AtStart { .. }) => {
                assert!(check.touching(motions.each_ref(), 1.0), "case {n}");
                assert!(forth.impact().is_some(), "case {n}: it is inside at the end, and {forth:?}");
            }
        }
    }
    assert!(both > cases(300) / 10 && neither > cases(300) / 20, "{both} meet both ways, {neither} neither");
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
