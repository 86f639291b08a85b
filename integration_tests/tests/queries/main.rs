//! Every question about one pair against brute force, and many at once against one after the other.

mod stepped;

use std::sync::Arc;

use impinge::prelude::*;
use impinge::query::{Feature, PlacedPair, QueryError, QueryScratch, TrianglePair, query_many};
use impinge_geometry::{PairFrame, Side, predicate};
use impinge_oracle::solids::{block, shape};
use impinge_scenes::mesh::{Blob, Gear, Knot, Torus};
use impinge_scenes::random::Random;

type Corners = [Point3<f64>; 3];

fn meshes() -> Vec<Arc<TriMesh>> {
    vec![
        Arc::new(Knot { along: 36, across: 6, ..Knot::default() }.mesh().unwrap()),
        Arc::new(Torus::default().mesh().unwrap()),
        Arc::new(Gear::default().mesh().unwrap()),
        Arc::new(Blob::default().mesh().unwrap()),
        Arc::new(block([0.4, 0.3, 0.2])),
    ]
}

fn random_pose(random: &mut Random, reach: f64) -> Isometry3<f64> {
    let turn = Vector3::from_fn(|_, _| 3.0 * random.signed());
    let shift = Vector3::from_fn(|_, _| reach * random.signed());
    Isometry3::from_parts(Translation3::from(shift), UnitQuaternion::from_scaled_axis(turn))
}

/// All pairs of triangles that touch, on the geometry that is judged.
fn brute_pairs(a: &TriMesh, b: &TriMesh, pose: &Isometry3<f64>) -> Vec<[u32; 2]> {
    let frame = PairFrame::new(&Isometry3::identity(), pose);
    let place = |mesh: &TriMesh, side| -> Vec<Corners> {
        (0..mesh.triangles().len() as u32).map(|t| mesh.corners(t).map(|p| frame.place(side, &p))).collect()
    };
    let (of_a, of_b) = (place(a, Side::A), place(b, Side::B));
    let mut pairs = Vec::new();
    for (i, p) in of_a.iter().enumerate() {
        for (j, q) in of_b.iter().enumerate() {
            let apart = (0..3).any(|k| {
                let range =
                    |t: &Corners| (t[0][k].min(t[1][k]).min(t[2][k]), t[0][k].max(t[1][k]).max(t[2][k]));
                let ((a0, a1), (b0, b1)) = (range(p), range(q));
                a1 < b0 || b1 < a0
            });
            if !apart && predicate::triangles_touch(p, q) {
                pairs.push([i as u32, j as u32]);
            }
        }
    }
    pairs
}

#[test]
fn triangle_pairs_are_those_of_brute_force() {
    let (meshes, mut random) = (meshes(), Random::new(5));
    let (mut found, mut scratch) = (0, QueryScratch::default());
    for n in 0..40 {
        let (a, b) = (&meshes[n % 5], &meshes[(n / 5 + n) % 5]);
        // Every eighth pair is laid upon itself, or slid along an axis: coplanar and shared features.
        let pose = match n % 8 {
            0 => Isometry3::identity(),
            1 => Isometry3::translation(0.125, 0.0, 0.0),
            _ => random_pose(&mut random, 0.5),
        };
        let query = PairQuery::new(&a.clone().into(), &b.clone().into(), QuerySettings::default()).unwrap();
        let expected = brute_pairs(a, b, &pose);
        let pairs = query.triangle_pairs_with(&Isometry3::identity(), &pose, &mut scratch).unwrap();
        let triangles: Vec<_> = pairs.iter().map(|p| p.triangles).collect();
        assert_eq!(triangles, expected, "pair {n}");
        assert_eq!(query.count_triangle_pairs(&Isometry3::identity(), &pose).unwrap(), expected.len() as u64);
        let touching = query.touching(&Isometry3::identity(), &pose).unwrap();
        assert_eq!(touching, query.at(&Isometry3::identity(), &pose).unwrap().touching, "pair {n}");
        assert!(touching || expected.is_empty());
        let contours = query.contours(&Isometry3::identity(), &pose).unwrap();
        for line in &contours {
            assert!(line.closed && line.points.len() == line.triangles.len(), "pair {n}");
            assert!(line.triangles.iter().all(|t| expected.binary_search(t).is_ok()), "pair {n}");
            // The line around an area: once more from the points as they were handed out.
            let origin = line.points[0];
            let ends = line.points.iter().zip(line.points.iter().cycle().skip(1));
            let area: Vector3<f64> = ends.clone().map(|(p, q)| (p - origin).cross(&(q - origin)) * 0.5).sum();
            assert!((area - line.area).norm() < 1e-12);
            assert!((ends.map(|(p, q)| (q - p).norm()).sum::<f64>() - line.length).abs() < 1e-12);
        }
        found += expected.len();
    }
    assert!(found > 5_000, "{found}");
}

#[test]
fn contours_are_oriented_along_the_contact_normal() {
    // A small box stands 0.1 deep on a large one: A's surface inside B is a square of 0.2, looking up.
    let (floor, cube) = (shape(block([1.0, 1.0, 0.5])), shape(block([0.1; 3])));
    let query = PairQuery::new(&floor, &cube, QuerySettings::default()).unwrap();
    let at = Isometry3::translation(0.3, 0.2, 0.55);
    let contours = query.contours(&Isometry3::identity(), &at).unwrap();
    assert_eq!(contours.len(), 1);
    assert!((contours[0].area - Vector3::new(0.0, 0.0, 0.04)).norm() < 1e-7, "{:?}", contours[0]);
    assert!((contours[0].length - 0.8).abs() < 1e-6);
    // A sheet without an inside leaves a line open.
    let sheet = TriMesh::new(
        [[-1.0f32, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 0.05, 0.0]].map(Point3::from).to_vec(),
        vec![[0, 1, 2]],
    );
    let query = PairQuery::new(&sheet.unwrap().into(), &cube, QuerySettings::default()).unwrap();
    let contours = query.contours(&Isometry3::identity(), &Isometry3::identity()).unwrap();
    assert!(contours.len() == 1 && !contours[0].closed);
    assert_eq!(contours[0].points.len(), contours[0].triangles.len() + 1);
}

#[test]
fn touching_is_what_the_full_answer_says_for_every_kind_of_shape() {
    let mesh = |m: &Arc<TriMesh>| Shape::from(m.clone());
    let made = meshes();
    let hull = Shape::hull(made[3].vertices()).unwrap();
    let shapes = [
        mesh(&made[0]),
        mesh(&made[2]),
        hull.clone(),
        Shape::sphere(0.3).unwrap(),
        Shape::capsule(0.3, 0.1).unwrap(),
        Shape::cylinder(0.2, 0.2).unwrap(),
        Shape::cuboid([0.2, 0.3, 0.1]).unwrap(),
        Shape::half_space(),
        Shape::composite(vec![
            (Isometry3::translation(0.4, 0.0, 0.0), mesh(&made[2])),
            (Isometry3::translation(-0.4, 0.0, 0.0), Shape::sphere(0.2).unwrap()),
            (Isometry3::identity(), hull),
        ])
        .unwrap(),
    ];
    let kind = |x: &Shape| format!("{x:?}").chars().take(40).collect::<String>();
    let mut random = Random::new(11);
    let (mut yes, mut no) = (0, 0);
    for a in &shapes {
        for b in &shapes {
            let query = PairQuery::new(a, b, QuerySettings::default()).unwrap();
            let mut tracker = query.tracker();
            for _ in 0..4 {
                let (p, q) = (random_pose(&mut random, 0.7), random_pose(&mut random, 0.7));
                let full = query.at(&p, &q).unwrap().touching;
                assert_eq!(query.touching(&p, &q).unwrap(), full, "{} {} {p} {q}", kind(a), kind(b));
                assert_eq!(tracker.touching(&p, &q).unwrap(), full);
                let distance = query.distance(&p, &q).unwrap();
                assert_eq!(distance.nearest().is_none(), full, "{distance:?}");
                (yes, no) = (yes + u32::from(full), no + u32::from(!full));
                if let Some(nearest) = distance.nearest() {
                    // The points where they are said to be, and no nearer within less.
                    assert!((nearest.on_b - nearest.on_a - nearest.normal * nearest.distance).norm() < 1e-7);
                    assert!((p * nearest.local_a - nearest.on_a).norm() < 1e-12);
                    assert!((q * nearest.local_b - nearest.on_b).norm() < 1e-12);
                    let within = |d: f64| query.distance_within(&p, &q, d).unwrap();
                    assert!(within(nearest.distance * 0.999).is_none());
                    let again = within(nearest.distance * 1.001).unwrap().distance();
                    assert!((again - nearest.distance).abs() < 1e-9);
                    // B moved along the normal by less than the distance still stands apart; moved by more
                    // it touches, where one of the points lies inside a face.
                    let moved = |d: f64| Translation3::from(-nearest.normal * d) * q;
                    assert!(!query.touching(&p, &moved(nearest.distance * 0.999 - 1e-7)).unwrap());
                    if nearest.features.iter().any(|f| matches!(f, Feature::Face(_))) {
                        assert!(query.touching(&p, &moved(nearest.distance * 1.001 + 1e-6)).unwrap());
                    }
                    let turned = PairQuery::new(b, a, QuerySettings::default()).unwrap();
                    let other = turned.distance(&q, &p).unwrap().distance();
                    assert!((other - nearest.distance).abs() <= 1e-9 * nearest.distance);
                }
            }
        }
    }
    assert!(yes > 50 && no > 30, "{yes} {no}");
}

#[test]
fn features_are_named_as_the_mesh_counts_them() {
    // A box on its tip above the middle of a face: vertex over face. Side by side and turned: edges.
    let cube = block([0.5; 3]);
    let query = PairQuery::new(&shape(cube.clone()), &shape(cube.clone()), QuerySettings::default()).unwrap();
    let tip = UnitQuaternion::rotation_between(&Vector3::new(1.0, 1.0, 1.0), &-Vector3::z()).unwrap();
    let height = 0.5 + 0.75f64.sqrt() + 0.25;
    let found = query
        .distance(&Isometry3::identity(), &Isometry3::from_parts([0.1, 0.2, height].into(), tip))
        .unwrap();
    let nearest = found.nearest().unwrap();
    assert!((nearest.distance - 0.25).abs() < 1e-6);
    let [Feature::Face(face), Feature::Vertex(vertex)] = nearest.features else { panic!("{nearest:?}") };
    assert!(cube.corners(face).iter().all(|p| p.z == 0.5));
    assert_eq!(cube.vertices()[vertex as usize], Point3::new(0.5, 0.5, 0.5));
    // Along x an edge along y at 45°, and one along z at 45°: they cross in the middle.
    let turn = |axis: Vector3<f64>| UnitQuaternion::from_scaled_axis(axis * std::f64::consts::FRAC_PI_4);
    let (a, b) = (turn(Vector3::y()), turn(Vector3::z()));
    let reach = 0.5f64.sqrt();
    let at = |x: f64, q| Isometry3::from_parts([x, 0.0, 0.0].into(), q);
    let found = query.distance(&at(0.0, a), &at(2.0 * reach + 0.125, b)).unwrap();
    let nearest = found.nearest().unwrap();
    assert!((nearest.distance - 0.125).abs() < 1e-6);
    let [Feature::Edge(of_a), Feature::Edge(of_b)] = nearest.features else { panic!("{nearest:?}") };
    for (edge, axis) in [(of_a, 1), (of_b, 2)] {
        let [p, q] = cube.edges()[edge as usize].vertices.map(|v| cube.vertices()[v as usize]);
        assert_eq!((p - q).map(f32::abs)[axis], 1.0);
    }
}

#[test]
fn the_nearest_of_many_parts_is_found() {
    // Ten balls in a row against a box: the nearest is the fourth.
    let balls = (0..10).map(|k| {
        let height = if k == 3 { 0.0 } else { 0.05 * f64::from(k + 1) };
        (Isometry3::translation(f64::from(k), 0.0, height), Shape::sphere(0.25).unwrap())
    });
    let row = Shape::composite(balls.collect()).unwrap();
    let floor = shape(block([20.0, 1.0, 0.5]));
    let query = PairQuery::new(&row, &floor, QuerySettings::default()).unwrap();
    let found = query.distance(&Isometry3::translation(0.0, 0.0, 1.0), &Isometry3::identity()).unwrap();
    let nearest = found.nearest().unwrap();
    assert_eq!(nearest.subshapes, [3, 0]);
    assert!((nearest.distance - 0.25).abs() < 1e-7);
}

#[test]
fn many_pairs_are_answered_in_their_order_whatever_the_threads() {
    let (made, mut random) = (meshes(), Random::new(2));
    let queries: Vec<PairQuery> = (0..5)
        .map(|k| {
            let (a, b) = (made[k].clone().into(), made[(k + 2) % 5].clone().into());
            PairQuery::new(&a, &b, QuerySettings::default()).unwrap()
        })
        .collect();
    let mut pairs: Vec<PlacedPair<'_>> = (0..60)
        .map(|k| PlacedPair {
            query: &queries[k % 5],
            a: random_pose(&mut random, 0.5),
            b: random_pose(&mut random, 0.5),
        })
        .collect();
    pairs[7].b.translation.vector.y = f64::INFINITY;
    let one_by_one: Vec<_> = pairs.iter().map(|p| p.query.distance(&p.a, &p.b)).collect();
    for threads in [1, 2, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let all = pool.install(|| query_many(&pairs, PairQuery::distance_with));
        assert!(all == one_by_one);
        let within = |q: &PairQuery, a: &_, b: &_, s: &mut _| q.distance_within_with(a, b, 0.05, s);
        let near = pool.install(|| query_many(&pairs, within));
        let expected: Vec<_> = pairs.iter().map(|p| p.query.distance_within(&p.a, &p.b, 0.05)).collect();
        assert!(near == expected);
        let contacts = pool.install(|| query_many(&pairs, PairQuery::contacts_with));
        let expected: Vec<_> = pairs.iter().map(|p| p.query.contacts(&p.a, &p.b)).collect();
        assert!(contacts == expected);
    }
    assert!(matches!(one_by_one[7], Err(QueryError::Pose { side: 'B', .. })));
}

#[test]
fn questions_that_cannot_be_answered_say_why() {
    let (ball, cube) = (Shape::sphere(1.0).unwrap(), shape(block([0.5; 3])));
    let query = PairQuery::new(&cube, &ball, QuerySettings::default()).unwrap();
    let here = Isometry3::identity();
    let error = query.triangle_pairs(&here, &here).unwrap_err();
    assert_eq!(error, QueryError::NoTriangles { side: 'B', subshape: 0 });
    assert!(error.to_string().contains("subshape 0 of B has no triangles"), "{error}");
    assert_eq!(query.contours(&here, &here).unwrap_err(), error);
    for bad in [-1.0, f64::NAN, f64::NEG_INFINITY] {
        assert!(matches!(query.distance_within(&here, &here, bad), Err(QueryError::Bound { .. })));
    }
    assert!(query.distance_within(&here, &here, f64::INFINITY).unwrap().is_some());
    let nowhere = Isometry3::translation(0.0, f64::INFINITY, 0.0);
    assert!(matches!(query.touching(&nowhere, &here), Err(QueryError::Pose { side: 'A', .. })));
    assert!(matches!(query.distance(&here, &nowhere), Err(QueryError::Pose { side: 'B', .. })));
    // Subshapes are named.
    let two = Shape::composite(vec![(here, cube.clone()), (here, ball)]).unwrap();
    let query = PairQuery::new(&two, &cube, QuerySettings::default()).unwrap();
    assert_eq!(
        query.triangle_pairs(&here, &here).unwrap_err(),
        QueryError::NoTriangles { side: 'A', subshape: 1 }
    );
    let query = PairQuery::new(&cube, &cube, QuerySettings::default()).unwrap();
    let all = query.triangle_pairs(&here, &here).unwrap();
    assert!(all.windows(2).all(|w| w[0] < w[1]));
    assert!(all.contains(&TrianglePair { subshapes: [0, 0], triangles: [0, 0] }));
}

#[test]
fn half_spaces_touch_unless_they_face_each_other_across_a_gap() {
    let shape = Shape::half_space();
    let here = Isometry3::identity();
    let turned = |z: f64, angle: f64| Isometry3::new(Vector3::z() * z, Vector3::x() * angle);
    let half_turn = std::f64::consts::PI;
    let query = PairQuery::new(&shape, &shape, QuerySettings::default()).unwrap();
    for (pose, depth) in [
        (here, Some(0.0)),
        (turned(1.0, 0.0), Some(0.0)),
        (turned(0.1, 1.0), Some(0.0)),
        (turned(-0.1, half_turn), Some(0.1)),
        (turned(0.1, half_turn), None),
    ] {
        let answer = query.at(&here, &pose).unwrap();
        let found = answer.manifolds.first().map(|m| m.depth);
        assert_eq!(
            (answer.touching, query.touching(&here, &pose).unwrap()),
            (depth.is_some(), depth.is_some())
        );
        assert_eq!(found.is_some(), depth.is_some(), "{pose}");
        assert!(found.zip(depth).is_none_or(|(a, b)| (a - b).abs() < 1e-12), "{found:?} {pose}");
        // What they share has no end.
        assert_eq!(answer.volume, (!answer.touching).then_some(0.0));
    }
    let near = PairQuery::new(&shape, &shape, QuerySettings::default().margin(0.2)).unwrap();
    let answer = near.at(&here, &turned(0.1, half_turn)).unwrap();
    assert!(!answer.touching && (answer.manifolds[0].depth + 0.1).abs() < 1e-12, "{answer:?}");
}
