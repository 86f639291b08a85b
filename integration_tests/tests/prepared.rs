//! Prepared shapes, margins of a call's own, trackers and batches, each against the plainer question that it stands for.

use std::sync::Arc;

use impinge::PairDistance;
use impinge::prelude::*;
use impinge::query::{BatchError, FlatAnswers, PoseBatch, QueryError, UnevenPoses};
use impinge_scenes::mesh::{Gear, Knot, Torus};
use impinge_scenes::random::Random;

fn shapes() -> Vec<Shape> {
    let mesh = |mesh: TriMesh| Shape::Mesh(Arc::new(mesh));
    let torus = Torus::default().mesh().unwrap();
    vec![
        mesh(Knot { along: 36, across: 6, ..Knot::default() }.mesh().unwrap()),
        mesh(Gear::default().mesh().unwrap()),
        Shape::composite(vec![
            (Isometry3::translation(0.3, 0.0, 0.0), mesh(torus)),
            (Isometry3::translation(-0.3, 0.0, 0.0), Shape::cuboid([0.2, 0.3, 0.1]).unwrap()),
        ])
        .unwrap(),
        Shape::capsule(0.3, 0.1).unwrap(),
    ]
}

fn random_pose(random: &mut Random, reach: f64) -> Isometry3<f64> {
    let turn = Vector3::from_fn(|_, _| 3.0 * random.signed());
    let shift = Vector3::from_fn(|_, _| reach * random.signed());
    Isometry3::from_parts(Translation3::from(shift), UnitQuaternion::from_scaled_axis(turn))
}

fn pairs(shapes: &[Shape]) -> Vec<PairQuery> {
    let prepared: Vec<PreparedShape> = shapes.iter().map(PreparedShape::new).collect();
    let pair = |k: usize| PairQuery::between(&prepared[k], &prepared[(k + 1) % prepared.len()]);
    (0..prepared.len()).map(pair).collect()
}

#[test]
fn pairs_of_prepared_shapes_answer_as_pairs_of_shapes_do() {
    let (shapes, mut random) = (shapes(), Random::new(3));
    let mut met = 0;
    for (k, between) in pairs(&shapes).iter().enumerate() {
        let (a, b) = (&shapes[k], &shapes[(k + 1) % shapes.len()]);
        let own = PairQuery::new(a, b, QuerySettings::default()).unwrap();
        let settings = QuerySettings::default().resolution(16).max_points(2);
        let coarse = PairQuery::new(a, b, settings).unwrap();
        for _ in 0..6 {
            let (p, q) = (random_pose(&mut random, 0.3), random_pose(&mut random, 0.3));
            let answer = own.at(&p, &q).unwrap();
            assert_eq!(between.at(&p, &q).unwrap(), answer);
            assert_eq!(between.distance(&p, &q).unwrap(), own.distance(&p, &q).unwrap());
            let other = between.with_settings(settings).unwrap();
            assert_eq!(other.at(&p, &q).unwrap(), coarse.at(&p, &q).unwrap());
            met += u32::from(answer.touching);
        }
    }
    assert!(met > 8, "{met}");
}

#[test]
fn a_margin_of_the_call_is_the_margin_of_the_settings() {
    let (shapes, mut random) = (shapes(), Random::new(4));
    let (mut gaps, mut overlaps) = (0, 0);
    for (k, between) in pairs(&shapes).iter().enumerate() {
        let (a, b) = (&shapes[k], &shapes[(k + 1) % shapes.len()]);
        for n in 0..8 {
            let (p, q) = (random_pose(&mut random, 0.5), random_pose(&mut random, 0.5));
            let margin = 0.02 * f64::from(n);
            let own = PairQuery::new(a, b, QuerySettings::default().margin(margin)).unwrap();
            let manifolds = own.contacts(&p, &q).unwrap();
            assert_eq!(between.contacts_within(&p, &q, margin).unwrap(), manifolds);
            assert_eq!(own.contacts_within(&p, &q, 0.0).unwrap(), between.contacts(&p, &q).unwrap());
            gaps += manifolds.iter().filter(|m| m.depth < 0.0).count();
            overlaps += manifolds.iter().filter(|m| m.depth > 0.0).count();
        }
        for margin in [-1e-9, f64::NAN, f64::INFINITY] {
            let here = Isometry3::identity();
            let refused = between.contacts_within(&here, &here, margin);
            assert!(matches!(refused, Err(QueryError::Margin { .. })), "{refused:?}");
        }
    }
    assert!(gaps > 4 && overlaps > 4, "{gaps} {overlaps}");
}

/// A world of the two bodies alone remembers what the tracker has to.
#[test]
fn a_tracker_gives_the_contacts_of_a_world() {
    for (k, query) in pairs(&shapes()).iter().enumerate() {
        let mut world = World::builder().backend(Backend::Cpu).threads(1).build().unwrap();
        let ids = query.prepared().map(|shape| {
            let shape = world.add_prepared(shape).unwrap();
            world.add_collider(Collider::new(shape)).unwrap()
        });
        let mut tracker = query.tracker();
        let (mut random, mut kept, mut points) = (Random::new(20 + k as u64), 0, 0);
        let mut keys: Vec<u64> = Vec::new();
        let start = random_pose(&mut random, 0.1);
        for step in 0..30 {
            let time = f64::from(step);
            let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.004, 0.003, -0.002) * time);
            let b = Translation3::new(0.002 * time, 0.001 * time, 0.0) * (start * turn);
            let a = Isometry3::translation(0.0, -0.001 * time, 0.0);
            world.set_pose(ids[0], a).unwrap();
            world.set_pose(ids[1], b).unwrap();
            world.step();
            assert_eq!(tracker.contacts(&a, &b).unwrap(), world.manifolds(), "pair {k}, step {step}");
            let now = world.manifolds().iter().flat_map(|m| m.points.iter().map(|p| p.key));
            let now: Vec<u64> = now.collect();
            points += now.len();
            kept += now.iter().filter(|key| keys.contains(key)).count();
            keys = now;
        }
        assert!(points > 30 && 2 * kept > points, "pair {k}: {kept} of {points}");
        tracker.forget();
        let fresh = query.contacts(&Isometry3::identity(), &start).unwrap();
        let again = tracker.contacts(&Isometry3::identity(), &start).unwrap();
        assert_eq!(
            again.iter().map(|m| m.depth).collect::<Vec<_>>(),
            fresh.iter().map(|m| m.depth).collect::<Vec<_>>()
        );
    }
}

#[test]
fn batches_give_the_single_answers_in_order_for_any_number_of_threads() {
    let queries = pairs(&shapes());
    let mut random = Random::new(9);
    let poses: Vec<_> = (0..300).map(|_| random_pose(&mut random, 0.8)).collect();
    let own: Vec<_> = (0..queries.len() * 75).map(|_| random_pose(&mut random, 0.8)).collect();
    let here = Isometry3::identity();
    let mut seen = Vec::new();
    for threads in [1, 2, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let answers = pool.install(|| {
            let shared = PoseBatch::shared(&queries, &poses);
            let each = PoseBatch::own(&queries, &own).unwrap();
            assert_eq!((shared.len(), each.len()), (1200, 300));
            (
                shared.ask(PairQuery::touching_with).unwrap(),
                each.ask(PairQuery::distance_with).unwrap(),
                each.ask_flat(PairQuery::contacts_with).unwrap(),
            )
        });
        seen.push(answers);
    }
    assert!(seen[0] == seen[1] && seen[0] == seen[2]);
    let (touching, distances, contacts): &(Vec<bool>, Vec<PairDistance>, FlatAnswers<Manifold>) = &seen[0];
    for (index, found) in touching.iter().enumerate() {
        let single = queries[index / 300].touching(&here, &poses[index % 300]).unwrap();
        assert_eq!(*found, single, "{index}");
    }
    for (index, pose) in own.iter().enumerate() {
        let query = &queries[index / 75];
        assert_eq!(distances[index], query.distance(&here, pose).unwrap());
        assert_eq!(contacts.of(index), query.contacts(&here, pose).unwrap());
    }
    assert_eq!(contacts.offsets().len(), 301);
    assert_eq!(contacts.offsets()[300], contacts.items().len());
    assert!(touching.iter().filter(|t| **t).count() > 100 && !contacts.items().is_empty());
}

#[test]
fn a_batch_names_the_first_question_without_an_answer() {
    let queries = pairs(&shapes());
    let mut poses = vec![Isometry3::identity(); 500];
    poses[499].translation.x = f64::NAN;
    poses[130].translation.x = f64::INFINITY;
    let failed = PoseBatch::shared(&queries, &poses).ask(PairQuery::touching_with).unwrap_err();
    assert_eq!((failed.pair, failed.pose), (0, 130));
    assert!(failed.to_string().starts_with("pair 0 at pose 130: pose of B: "), "{failed}");
    let own = PoseBatch::own(&queries, &poses).unwrap().ask(PairQuery::touching_with).unwrap_err();
    assert_eq!((own.pair, own.pose), (1, 5));
    // The capsule, B of the third pair, has no triangles.
    let smooth = PoseBatch::shared(&queries, &poses[..1]).ask_flat(PairQuery::triangle_pairs_with);
    assert!(matches!(
        smooth,
        Err(BatchError { pair: 2, pose: 0, source: QueryError::NoTriangles { side: 'B', .. } })
    ));
    assert_eq!(PoseBatch::own(&queries, &poses[..5]).unwrap_err(), UnevenPoses { poses: 5, pairs: 4 });
    assert!(PoseBatch::own(&[], &poses).is_err());
    assert!(PoseBatch::shared(&[], &poses).is_empty());
    assert_eq!(PoseBatch::one(&queries[0], &[]).ask(PairQuery::touching_with), Ok(vec![]));
}
