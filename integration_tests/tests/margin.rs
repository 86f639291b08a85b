//! Speculative contacts: what is apart by less than the margin gives points of negative depth, and nothing
//! else changes.

use impinge::nalgebra::UnitVector3;
use impinge::prelude::*;
use impinge_geometry::{Primitive, TriMesh as Mesh};
use impinge_oracle::solids::{block, pin, ring, shape};
use impinge_scenes::mesh::{Blob, Knot, Terrain};
use impinge_scenes::random::Random;

const MARGIN: f64 = 0.02;

fn query(a: &Shape, b: &Shape) -> PairQuery {
    PairQuery::new(a, b, QuerySettings::default().margin(MARGIN)).unwrap()
}

fn up(z: f64) -> Isometry3<f64> {
    Isometry3::translation(0.0, 0.0, z)
}

fn here() -> Isometry3<f64> {
    Isometry3::identity()
}

/// How far a point (m, in the mesh's frame) is from a surface, by brute force over its triangles.
fn from_surface(mesh: &Mesh, p: &Point3<f64>) -> f64 {
    let near_segment = |a: Point3<f64>, b: Point3<f64>| {
        let t = ((p - a).dot(&(b - a)) / (b - a).norm_squared()).clamp(0.0, 1.0);
        (p - (a + (b - a) * t)).norm()
    };
    (0..mesh.triangles().len() as u32)
        .map(|t| {
            let c = mesh.corners(t).map(|x| x.cast::<f64>());
            let n = (c[1] - c[0]).cross(&(c[2] - c[0])).normalize();
            let over = (0..3).all(|k| n.dot(&(c[(k + 1) % 3] - c[k]).cross(&(p - c[k]))) >= 0.0);
            if over {
                return n.dot(&(p - c[0])).abs();
            }
            (0..3).map(|k| near_segment(c[k], c[(k + 1) % 3])).fold(f64::INFINITY, f64::min)
        })
        .fold(f64::INFINITY, f64::min)
}

/// Every point lies between points of both surfaces that are its depth apart, within the margin, and no
/// nearer than the distance of the bodies.
fn check_points(meshes: [&Mesh; 2], poses: [&Isometry3<f64>; 2], answer: &PairAnswer, distance: f64) {
    for manifold in &answer.manifolds {
        assert!((1..=4).contains(&manifold.points.len()));
        assert!((manifold.normal.norm() - 1.0).abs() < 1e-9);
        assert_eq!(manifold.volume, 0.0);
        assert!(manifold.points.windows(2).all(|w| w[0].depth >= w[1].depth));
        assert_eq!(manifold.points[0].depth, manifold.depth);
        let weights: f64 = manifold.points.iter().map(|p| p.weight).sum();
        assert!((weights / manifold.area - 1.0).abs() < 1e-9);
        for point in &manifold.points {
            let gap = -point.depth;
            assert!(gap >= distance * (1.0 - 1e-9) && gap <= MARGIN * (1.0 + 1e-9), "{gap} {distance}");
            for k in 0..2 {
                let half = manifold.normal * (0.5 * gap * [-1.0, 1.0][k]);
                let on_surface = poses[k].inverse() * (point.position + half);
                assert!(from_surface(meshes[k], &on_surface) < 1e-6, "side {k}");
                let local = [point.local_a, point.local_b][k].cast::<f64>();
                assert!((local - on_surface).norm() < 1e-6);
            }
        }
    }
}

#[test]
fn a_box_that_hovers_over_another_has_the_corners_of_what_they_share() {
    // The lower one reaches to x = 1, the upper one hovers from x = 0.6 to 1.6 and from y = −0.4 to 0.4.
    let (low, high) = (block([1.0, 1.0, 0.25]), block([0.5, 0.4, 0.3]));
    let cuboid = Shape::cuboid([0.5, 0.4, 0.3]).unwrap();
    for upper in [shape(high.clone()), cuboid] {
        let query = query(&shape(low.clone()), &upper);
        for gap in [0.001, 0.01, 0.019] {
            let pose = Isometry3::translation(1.1, 0.0, 0.55 + gap);
            let answer = query.at(&here(), &pose).unwrap();
            assert!(!answer.touching && !answer.contained && answer.volume == Some(0.0));
            assert_eq!(answer.manifolds.len(), 1, "{:?}", answer.manifolds);
            let manifold = &answer.manifolds[0];
            assert!((manifold.normal - Vector3::z()).norm() < 1e-6);
            assert!((manifold.area - 0.4 * 0.8).abs() < 1e-6);
            let mut places: Vec<_> = manifold.points.iter().map(|p| p.position).collect();
            places.sort_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)));
            let expected = [[0.6, -0.4], [0.6, 0.4], [1.0, -0.4], [1.0, 0.4]];
            assert_eq!(places.len(), 4);
            for (p, [x, y]) in places.iter().zip(expected) {
                assert!((p - Point3::new(x, y, 0.25 + 0.5 * gap)).norm() < 1e-6, "{p} for {x} {y}");
            }
            assert!(manifold.points.iter().all(|p| (p.depth + gap).abs() < 1e-6));
            check_points([&low, &high], [&here(), &pose], &answer, gap - 1e-7);
        }
        assert!(query.at(&here(), &Isometry3::translation(1.1, 0.0, 0.5701)).unwrap().manifolds.is_empty());
    }
}

#[test]
fn a_box_stacked_on_one_of_its_size_keeps_the_faces_normal() {
    // Turned a little and shifted by less than the gap: the nearest points lie aslant.
    let cube = block([0.5; 3]);
    let query = query(&shape(cube.clone()), &shape(cube));
    let mut random = Random::new(8);
    for _ in 0..20 {
        let turn = UnitQuaternion::from_scaled_axis(Vector3::from_fn(|_, _| 2e-3 * random.signed()));
        let shift = Vector3::new(0.01 * random.signed(), 0.01 * random.signed(), 1.008);
        let answer = query.at(&here(), &Isometry3::from_parts(shift.into(), turn)).unwrap();
        let manifold = &answer.manifolds[0];
        assert!(manifold.normal.z > 0.99 && manifold.points.len() == 4, "{manifold:?}");
        assert!(manifold.points.iter().all(|p| (p.depth + 0.008).abs() < 4e-3), "{manifold:?}");
    }
}

#[test]
fn bodies_near_each_other_in_random_poses_have_points_where_they_are_near() {
    let meshes = [
        Blob::default().mesh().unwrap(),
        Knot { along: 40, across: 6, ..Knot::default() }.mesh().unwrap(),
        Terrain::default().mesh().unwrap(),
    ];
    let mut random = Random::new(21);
    let mut points = 0;
    for n in 0..45 {
        let (a, b) = (&meshes[2 - n % 3], &meshes[n % 2]);
        let (of_a, of_b) = (shape(a.clone()), shape(b.clone()));
        let query = query(&of_a, &of_b);
        let turn = random.rotation();
        let way = if n % 3 == 0 { Vector3::z() } else { random.direction() };
        let at = |x: f64| Isometry3::from_parts((way * x).into(), turn);
        // From where they come free, on to a gap below or above the margin.
        let (mut inside, mut outside) = (0.0, 8.0);
        for _ in 0..40 {
            let middle = 0.5 * (inside + outside);
            let touching = query.touching(&here(), &at(middle)).unwrap();
            *(if touching { &mut inside } else { &mut outside }) = middle;
        }
        for gap in [1e-6, 0.2 * MARGIN, 0.9 * MARGIN, 3.0 * MARGIN] {
            let pose = at(outside + gap);
            let answer = query.at(&here(), &pose).unwrap();
            let touching = query.touching(&here(), &pose).unwrap();
            assert_eq!(answer.touching, touching);
            if touching {
                continue;
            }
            let distance = query.distance(&here(), &pose).unwrap().distance();
            assert_eq!(!answer.manifolds.is_empty(), distance <= MARGIN, "{n}: {distance}");
            check_points([a, b], [&here(), &pose], &answer, distance);
            let Some(first) = answer.manifolds.first() else { continue };
            let nearest = answer.manifolds.iter().map(|m| -m.depth).fold(f64::INFINITY, f64::min);
            assert!(nearest <= distance * 1.2, "{n}: {nearest} for {distance} {first:?}");
            points += answer.manifolds.iter().map(|m| m.points.len()).sum::<usize>();
        }
    }
    assert!(points > 150, "{points}");
}

#[test]
fn exchanging_the_bodies_turns_the_normal_and_nothing_else() {
    let meshes = [Blob::default().mesh().unwrap(), block([0.5, 0.4, 0.3])];
    let mut random = Random::new(4);
    let mut compared = 0;
    for n in 0..40 {
        let (a, b) = (shape(meshes[n % 2].clone()), shape(meshes[1].clone()));
        let (one, two) = (query(&a, &b), query(&b, &a));
        let (turn, way) = (random.rotation(), random.direction());
        let at = |x: f64| Isometry3::from_parts((way * x).into(), turn);
        let distance = |x: f64| one.distance(&here(), &at(x)).unwrap().distance();
        let (mut low, mut high) = (0.0, 4.0);
        for _ in 0..30 {
            let middle = 0.5 * (low + high);
            *(if distance(middle) < 0.5 * MARGIN { &mut low } else { &mut high }) = middle;
        }
        let (p, q) = (one.at(&here(), &at(high)).unwrap(), two.at(&at(high), &here()).unwrap());
        assert_eq!(p.manifolds.len(), q.manifolds.len());
        for (p, q) in p.manifolds.iter().zip(&q.manifolds) {
            assert!((p.normal + q.normal).norm() < 1e-9 && (p.depth - q.depth).abs() < 1e-12);
            assert_eq!(p.points.len(), q.points.len());
            for point in &p.points {
                let same = |x: &ContactPoint| {
                    (x.position - point.position).norm() < 1e-9 && (x.depth - point.depth).abs() < 1e-12
                };
                assert!(q.points.iter().any(same), "{n}");
                compared += 1;
            }
        }
    }
    assert!(compared > 60, "{compared}");
}

#[test]
fn depth_passes_through_zero_without_a_jump() {
    // A bumpy body comes down on a floor, and a box on its side on a box: from a gap to an overlap.
    let floor = shape(block([2.0, 2.0, 0.5]));
    let turn = UnitQuaternion::from_euler_angles(0.4, 0.7, 0.1);
    for body in [shape(Blob::default().mesh().unwrap()), shape(block([0.3; 3]))] {
        let query = query(&floor, &body);
        let at = |z: f64| Isometry3::from_parts([0.0, 0.0, z].into(), turn);
        let (mut inside, mut outside) = (0.0, 4.0);
        for _ in 0..50 {
            let middle = 0.5 * (inside + outside);
            *(if query.touching(&here(), &at(middle)).unwrap() { &mut inside } else { &mut outside }) =
                middle;
        }
        let mut before: Option<f64> = None;
        for k in -20..=20 {
            let z = outside - 5e-4 * f64::from(k);
            let answer = query.at(&here(), &at(z)).unwrap();
            let depth = answer.manifolds.iter().map(|m| m.depth).fold(f64::NEG_INFINITY, f64::max);
            assert!((depth - 5e-4 * f64::from(k)).abs() < 1e-4, "{depth} at {k}");
            if let Some(before) = before {
                assert!((depth - before - 5e-4).abs() < 1e-4, "{before} to {depth}");
            }
            before = Some(depth);
        }
    }
}

#[test]
fn round_bodies_over_a_mesh() {
    // All hover 0.01 above a floor of 32 triangles.
    let sheet = Terrain { half: 1.0, relief: 2e-12, cells: 4, ..Terrain::default() }.mesh().unwrap();
    let top = f64::from(sheet.aabb().max[2]);
    let floor = shape(sheet);
    let lying = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), std::f64::consts::FRAC_PI_2);
    let at = |z: f64, turn| Isometry3::from_parts([0.03, 0.02, top + z + 0.01].into(), turn);
    let upright = UnitQuaternion::identity();
    for (body, pose, count) in [
        (Shape::sphere(0.2).unwrap(), at(0.2, upright), 1..=1),
        (Shape::capsule(0.3, 0.1).unwrap(), at(0.1, lying), 2..=4),
        (Shape::capsule(0.3, 0.1).unwrap(), at(0.4, upright), 1..=1),
        (Shape::cylinder(0.3, 0.1).unwrap(), at(0.3, upright), 4..=4),
        (Shape::cylinder(0.3, 0.1).unwrap(), at(0.1, lying), 2..=4),
    ] {
        for swapped in [false, true] {
            let answer = match swapped {
                false => query(&floor, &body).at(&here(), &pose),
                true => query(&body, &floor).at(&pose, &here()),
            }
            .unwrap();
            assert!(!answer.touching);
            assert_eq!(answer.manifolds.len(), 1, "{body:?}");
            let manifold = &answer.manifolds[0];
            let sign = if swapped { -1.0 } else { 1.0 };
            assert!((manifold.normal * sign - Vector3::z()).norm() < 1e-6, "{manifold:?}");
            assert!(count.contains(&manifold.points.len()), "{body:?} {manifold:?}");
            assert!(manifold.points.iter().all(|p| (p.depth + 0.01).abs() < 1e-6), "{manifold:?}");
            // A capsule or a cylinder that lies has points at both of its ends.
            if pose.rotation != upright {
                let x = |p: &ContactPoint| p.position.x;
                let low = manifold.points.iter().map(x).fold(f64::INFINITY, f64::min);
                let high = manifold.points.iter().map(x).fold(f64::NEG_INFINITY, f64::max);
                let places: Vec<_> = manifold.points.iter().map(|p| (p.position, p.depth)).collect();
                assert!((high - low - 0.6).abs() < 1e-3, "{body:?} {swapped} {places:?}");
            }
        }
        let apart = Translation3::new(0.0, 0.0, 0.0101) * pose;
        assert!(query(&floor, &body).at(&here(), &apart).unwrap().manifolds.is_empty());
    }
    // A box as a mesh over a half-space: its four lower corners.
    let answer = query(&Shape::half_space(), &shape(block([0.3; 3]))).at(&here(), &up(0.31)).unwrap();
    assert!(!answer.touching && answer.manifolds.len() == 1);
    let manifold = &answer.manifolds[0];
    assert_eq!(manifold.points.len(), 4);
    assert!(manifold.points.iter().all(|p| (p.depth + 0.01).abs() < 1e-6));
    assert!((manifold.area - 0.36).abs() < 1e-6 && (manifold.normal - Vector3::z()).norm() < 1e-9);
}

#[test]
fn a_peg_in_a_hole_is_held_from_all_sides() {
    let (hole, peg) = (ring(0.5, 0.8, 0.2, 32), pin(0.49, 0.3, 32));
    let answer = query(&shape(hole), &shape(peg)).at(&here(), &here()).unwrap();
    assert!(!answer.touching);
    let normals: Vec<_> = answer.manifolds.iter().map(|m| m.normal).collect();
    assert_eq!(normals.len(), 4, "{normals:?}");
    for n in &normals {
        assert!(n.z.abs() < 1e-6);
        assert!(normals.iter().any(|m| m.dot(n) < -0.5), "{normals:?}");
    }
    assert!(answer.manifolds.iter().all(|m| m.depth < -0.009 && m.depth > -0.011));
}

#[test]
fn a_body_on_its_edge_also_has_points_where_it_is_about_to_touch() {
    // A flat box, tilted so that one edge is 2 mm deep and the opposite one hovers 8 mm high.
    let (floor, plate) = (shape(block([2.0, 2.0, 0.5])), shape(block([0.5, 0.5, 0.1])));
    let tilt = (0.01f64).asin();
    let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), tilt);
    let pose = Isometry3::from_parts([0.0, 0.0, 0.6 + 0.003].into(), turn);
    let plain = PairQuery::new(&floor, &plate, QuerySettings::default()).unwrap();
    let without = plain.at(&here(), &pose).unwrap();
    let with = query(&floor, &plate).at(&here(), &pose).unwrap();
    assert!(without.touching && with.touching && without.volume == with.volume);
    assert_eq!(with.manifolds.len(), 1);
    let (m, n) = (&with.manifolds[0], &without.manifolds[0]);
    assert_eq!((m.normal, m.depth, m.area), (n.normal, n.depth, n.area));
    let far = m.points.iter().filter(|p| p.position.x < -0.4).collect::<Vec<_>>();
    assert!(far.len() >= 2, "{m:?}");
    assert!(far.iter().all(|p| (p.depth + 0.008).abs() < 1e-3), "{m:?}");
    assert!(n.points.iter().all(|p| p.depth >= 0.0 && p.position.x > 0.0));
}

/// A box with half extents (m), each face cut into `cells` × `cells` squares.
fn cut_block(half: [f32; 3], cells: u32) -> Mesh {
    let at = |k: u32| 2.0 * k as f32 / cells as f32 - 1.0;
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for axis in 0..3 {
        for side in [-1.0f32, 1.0] {
            let mut vertex = |i: u32, j: u32| {
                let mut p = [0.0; 3];
                (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]) = (side, at(i), at(j));
                let p = Point3::from([0, 1, 2].map(|k| p[k] * half[k]));
                let known = vertices.iter().position(|q| *q == p);
                known.unwrap_or_else(|| {
                    vertices.push(p);
                    vertices.len() - 1
                }) as u32
            };
            for i in 0..cells {
                for j in 0..cells {
                    let [a, b] = [vertex(i, j), vertex(i + 1, j)];
                    let [c, d] = [vertex(i + 1, j + 1), vertex(i, j + 1)];
                    let two = if side > 0.0 { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] };
                    triangles.extend(two);
                }
            }
        }
    }
    Mesh::new(vertices, triangles).unwrap()
}

/// A block stands over the ground or a little in it and tilts, all corners of its base within the margin. Those
/// are its points, over every kind of ground. On a half-space the gap of each is its height over the border.
#[test]
fn tilted_blocks_keep_the_four_corners_of_their_base() {
    for scale in [0.01f32, 1.0, 100.0] {
        let size = f64::from(scale);
        let half = [0.3, 0.2, 0.25].map(|x| x * scale);
        let settings = QuerySettings::default().margin(MARGIN * size);
        let slab = [2.0, 2.0, 0.5].map(|x| x * scale);
        let lowered = Isometry3::translation(0.0, 0.0, -f64::from(slab[2]));
        let plane = (Shape::half_space(), here());
        let bodies = [1, 3, 8].map(|cells| shape(cut_block(half, cells)));
        let mut pairs: Vec<_> = bodies.into_iter().map(|body| (plane.clone(), body)).collect();
        pairs.push((plane, Shape::cuboid(half).unwrap()));
        for ground in [shape(block(slab)), Shape::cuboid(slab).unwrap()] {
            pairs.push(((ground.clone(), lowered), shape(block(half))));
            pairs.push(((ground, lowered), Shape::cuboid(half).unwrap()));
        }
        for ((ground, home), body) in &pairs {
            for exchanged in [false, true] {
                let shapes = if exchanged { [body, ground] } else { [ground, body] };
                let query = PairQuery::new(shapes[0], shapes[1], settings).unwrap();
                for mrad in 0..=20 {
                    for axis in [Vector3::y_axis(), UnitVector3::new_normalize(Vector3::new(0.6, 0.8, 0.0))] {
                        // The lowest corner is 4 mm above the ground or 1 mm in it.
                        for lowest in [4e-3 * size, -1e-3 * size] {
                            let turn = UnitQuaternion::from_axis_angle(&axis, 1e-3 * f64::from(mrad));
                            let corners =
                                [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]].map(|[x, y]| {
                                    let [a, b, c] = half.map(f64::from);
                                    Point3::new(x * a, y * b, -c)
                                });
                            let low = corners.iter().map(|p| (turn * p).z).fold(f64::INFINITY, f64::min);
                            let pose = Isometry3::from_parts([0.0, 0.0, lowest - low].into(), turn);
                            let poses = if exchanged { [&pose, home] } else { [home, &pose] };
                            let answer = query.at(poses[0], poses[1]).unwrap();
                            let told = format!("{mrad} mrad, {lowest} m, scale {scale}, {exchanged}");
                            assert_eq!(answer.touching, lowest < 0.0, "{told}");
                            let points: Vec<_> = answer.manifolds.iter().flat_map(|m| &m.points).collect();
                            assert_eq!(points.len(), 4, "{told}: {points:?}");
                            if !matches!(ground, Shape::Primitive(Primitive::HalfSpace)) {
                                continue;
                            }
                            for corner in &corners {
                                let place = pose * corner;
                                let near = |p: &&&ContactPoint| {
                                    let middle = Point3::new(place.x, place.y, 0.5 * place.z);
                                    (p.position - middle).norm() < 1e-9 * size
                                };
                                let point = points.iter().find(near);
                                let depth = point.map_or(f64::NAN, |p| p.depth);
                                assert!((depth + place.z).abs() < 1e-9 * size, "{told}: {depth} {place}");
                            }
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn a_world_with_a_margin_finds_what_comes_near() {
    let cube = shape(block([0.5; 3]));
    for (gap, found) in [(0.015, true), (0.0199, true), (0.0201, false)] {
        for threads in [1, 2] {
            let mut world = World::builder().contact_margin(MARGIN).threads(threads).build().unwrap();
            let cube = world.add_shape(cube.clone()).unwrap();
            let low = world.add_collider(Collider::new(cube).fixed(true)).unwrap();
            let high = world.add_collider(Collider::new(cube).position([0.0, 0.0, 3.0])).unwrap();
            assert_eq!(world.step().counts.manifolds, 0);
            world.set_pose(high, up(1.0 + gap)).unwrap();
            let report = world.step();
            assert_eq!(report.counts.touching, 0);
            assert_eq!(!world.manifolds().is_empty(), found, "{gap}");
            for manifold in world.manifolds() {
                assert_eq!(manifold.colliders, [low, high]);
                assert_eq!(manifold.points.len(), 4);
                assert!(manifold.points.iter().all(|p| (p.depth + gap).abs() < 1e-6));
            }
            let keys =
                |w: &World| w.manifolds().iter().flat_map(|m| m.points.iter().map(|p| p.key)).collect();
            let before: Vec<u64> = keys(&world);
            // A little lower the same features meet: the same points.
            world.set_pose(high, up(1.0 + 0.9 * gap)).unwrap();
            world.step();
            assert!(!found || keys(&world) == before);
            // Boxes of colliders that are added near each other are grown, too.
            world.remove_collider(high).unwrap();
            world.add_collider(Collider::new(cube).position([0.0, 0.0, 1.0 + gap])).unwrap();
            world.step();
            assert_eq!(!world.manifolds().is_empty(), found);
        }
    }
}
