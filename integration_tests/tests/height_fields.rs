//! Height fields against the mesh of the same triangles: every question, to the bit where it is exact.

use std::collections::BTreeSet;
use std::sync::Arc;

use impinge::geometry::{Diagonals, FieldMesh, HeightField, HeightFieldSettings};
use impinge::prelude::*;
use impinge::query::{QueryScratch, ShapeRay};
use impinge_oracle::solids::block;
use impinge_scenes::mesh::{Gear, Torus};
use impinge_scenes::random::Random;

/// A field, the mesh of its triangles, and which of the field's each of these is.
struct Ground {
    field: Shape,
    mesh: Shape,
    own: Arc<HeightField>,
    numbers: Vec<u32>,
}

impl Ground {
    fn new(field: HeightField) -> Ground {
        let FieldMesh { mesh, triangles } = field.to_mesh().unwrap();
        let own = Arc::new(field);
        Ground { field: own.clone().into(), mesh: mesh.into(), own, numbers: triangles }
    }
}

/// Hills with cliffs, needles and gaps, of a unit's relief over so many samples.
fn hills(size: [u32; 2], spacing: [f32; 2], gaps: f64, seed: u64) -> HeightField {
    let mut random = Random::new(seed);
    let count = size[0] * size[1];
    let heights = (0..count)
        .map(|k| {
            let (i, j) = (f64::from(k % size[0]), f64::from(k / size[0]));
            let wave = f64::sin(0.7 * i + 0.3 * j) * 0.4 + f64::sin(0.2 * i - 0.9 * j) * 0.3;
            let sharp = if random.unit() < 0.05 { 1.5 * random.signed() } else { 0.0 };
            if random.unit() < gaps { f32::NAN } else { (wave + sharp) as f32 * spacing[0] }
        })
        .collect();
    let diagonals = match seed % 3 {
        0 => Diagonals::Rising,
        1 => Diagonals::Falling,
        _ => Diagonals::PerCell((0..count).map(|_| random.unit() < 0.5).collect()),
    };
    let bottom = seed.is_multiple_of(2).then_some(-4.0 * spacing[0]);
    let settings = HeightFieldSettings { spacing, bottom, diagonals, ..HeightFieldSettings::default() };
    HeightField::new(size, heights, &settings).unwrap()
}

fn grounds() -> Vec<Ground> {
    vec![
        Ground::new(hills([9, 9], [1.0, 1.0], 0.0, 1)),
        Ground::new(hills([23, 14], [0.8, 1.1], 0.0, 2)),
        Ground::new(hills([40, 37], [0.5, 0.5], 0.03, 3)),
        Ground::new(hills([6, 70], [1.0, 0.4], 0.08, 4)),
    ]
}

fn bodies(size: f32) -> Vec<(&'static str, Shape)> {
    let gear: Shape = Gear::default().mesh().unwrap().into();
    let torus: Shape = Torus::default().mesh().unwrap().into();
    let unit = |shape: &Shape| shape.scaled(f64::from(size / shape.bounding_sphere().radius)).unwrap();
    vec![
        ("ball", Shape::sphere(size).unwrap()),
        ("box", Shape::cuboid([size, 0.6 * size, 0.4 * size]).unwrap()),
        ("capsule", Shape::capsule(0.6 * size, 0.4 * size).unwrap()),
        ("cylinder", Shape::cylinder(0.5 * size, 0.7 * size).unwrap()),
        ("hull", Shape::hull(block([size, 0.5 * size, 0.7 * size]).vertices()).unwrap()),
        ("gear", unit(&gear)),
        ("torus", unit(&torus)),
    ]
}

/// Where a body of a size may meet the ground: over it or at its border, in it or just above, turned at random.
fn place(ground: &Ground, size: f32, random: &mut Random) -> Isometry3<f64> {
    let aabb = ground.own.aabb();
    let at = [0, 1].map(|k| {
        let (low, high) = (f64::from(aabb.min[k] - size), f64::from(aabb.max[k] + size));
        low + (high - low) * random.unit()
    });
    let z = f64::from(aabb.max[2]) * (1.3 * random.unit()) - f64::from(size) * random.unit();
    Isometry3::from_parts(Translation3::new(at[0], at[1], z), random.rotation())
}

/// Poses of the ground: as it lies, and turned and far away.
fn ground_pose(n: usize, random: &mut Random) -> Isometry3<f64> {
    match n % 3 {
        0 => Isometry3::identity(),
        1 => Isometry3::translation(1e4, -3e3, 250.0),
        _ => Isometry3::from_parts(Translation3::new(1.0, 2.0, 3.0), random.rotation()),
    }
}

#[test]
fn touching_triangle_pairs_and_contours_are_those_of_the_mesh() {
    let (mut random, mut scratch) = (Random::new(11), QueryScratch::default());
    let (mut touched, mut apart, mut contained) = (0, 0, 0);
    for ground in grounds() {
        for (name, body) in bodies(1.3) {
            let [of_field, of_mesh] = [&ground.field, &ground.mesh]
                .map(|shape| PairQuery::new(shape, &body, QuerySettings::default()).unwrap());
            let turned = PairQuery::new(&body, &ground.field, QuerySettings::default()).unwrap();
            for n in 0..12 {
                let a = ground_pose(n, &mut random);
                // Now and then deep in the ground.
                let down = Isometry3::translation(0.0, 0.0, if n % 6 == 5 { -2.1 } else { 0.0 });
                let b = a * down * place(&ground, 1.3, &mut random);
                let touching = of_field.touching(&a, &b).unwrap();
                assert_eq!(touching, of_mesh.touching(&a, &b).unwrap(), "{name} {n}");
                assert_eq!(touching, turned.touching(&b, &a).unwrap(), "{name} {n}, exchanged");
                *(if touching { &mut touched } else { &mut apart }) += 1;
                if !matches!(name, "box" | "hull" | "gear" | "torus") {
                    continue;
                }
                let pairs = |query: &PairQuery, scratch: &mut QueryScratch| -> Vec<[u32; 2]> {
                    let found = query.triangle_pairs_with(&a, &b, scratch).unwrap();
                    found.iter().map(|pair| pair.triangles).collect()
                };
                let found: BTreeSet<[u32; 2]> = pairs(&of_field, &mut scratch).into_iter().collect();
                let expected: BTreeSet<[u32; 2]> = pairs(&of_mesh, &mut scratch)
                    .into_iter()
                    .map(|[t, other]| [ground.numbers[t as usize], other])
                    .collect();
                assert_eq!(found, expected, "{name} {n}");
                contained += usize::from(touching && found.is_empty());
                let points = |query: &PairQuery| {
                    let contours = query.contours(&a, &b).unwrap();
                    let mut points: Vec<[u64; 3]> = contours
                        .iter()
                        .flat_map(|contour| contour.points.iter().map(|p| [p.x, p.y, p.z].map(f64::to_bits)))
                        .collect();
                    points.sort_unstable();
                    points
                };
                assert_eq!(points(&of_field), points(&of_mesh), "{name} {n}");
            }
        }
    }
    assert!(touched > 100 && apart > 60 && contained > 0, "{touched} {apart} {contained}");
}

#[test]
fn distances_are_those_of_the_mesh_to_the_bit() {
    let mut random = Random::new(12);
    let mut apart = 0;
    for ground in grounds() {
        for (name, body) in bodies(0.7) {
            let [of_field, of_mesh] = [&ground.field, &ground.mesh]
                .map(|shape| PairQuery::new(shape, &body, QuerySettings::default()).unwrap());
            for n in 0..10 {
                let a = ground_pose(n, &mut random);
                // Near, far, and very far.
                let up = Isometry3::translation(0.0, 0.0, [0.5, 8.0, 1e4][n % 3]);
                let b = a * up * place(&ground, 0.7, &mut random);
                let [found, expected] = [&of_field, &of_mesh].map(|query| query.distance(&a, &b).unwrap());
                assert_eq!(found.distance().to_bits(), expected.distance().to_bits(), "{name} {n}");
                apart += usize::from(found.distance() > 0.0);
                if let (Some(found), Some(expected)) = (found.nearest(), expected.nearest()) {
                    // Of triangles that share the nearest point either may tell of it.
                    let size = a.translation.vector.norm() + b.translation.vector.norm();
                    assert!((found.on_a - expected.on_a).norm() <= 1e-14 * size + 1e-13, "{name} {n}");
                }
            }
        }
    }
    assert!(apart > 150, "{apart}");
}

#[test]
fn rays_are_those_of_the_mesh_to_the_bit() {
    let mut random = Random::new(13);
    let mut hits = 0;
    for ground in grounds() {
        let [of_field, of_mesh] = [&ground.field, &ground.mesh].map(PreparedShape::new);
        for n in 0..60 {
            let pose = ground_pose(n, &mut random);
            let aabb = ground.own.aabb();
            let mut point = || {
                let at = |k: usize, random: &mut Random| {
                    let (low, high) = (f64::from(aabb.min[k]) - 1.0, f64::from(aabb.max[k]) + 1.0);
                    low + (high - low) * random.unit()
                };
                let p = Point3::new(at(0, &mut random), at(1, &mut random), at(2, &mut random));
                pose * p
            };
            let ray = ShapeRay::between(point(), point()).length(if n % 2 == 0 { 1.0 } else { 1e3 });
            let all = |shape: &PreparedShape| shape.ray_all(&pose, &ray).unwrap();
            let (found, expected) = (all(&of_field), all(&of_mesh));
            let key = |hit: &impinge::query::RayHit| (hit.time.to_bits(), hit.triangle);
            let found: Vec<_> = found.iter().map(key).collect();
            let expected: Vec<_> = expected
                .iter()
                .map(key)
                .map(|(time, triangle)| (time, triangle.map(|t| ground.numbers[t as usize])))
                .collect();
            assert_eq!(found, expected, "ray {n}");
            hits += found.len();
            let first = of_field.ray(&pose, &ray).unwrap().map(|hit| key(&hit));
            let of_mesh = of_mesh.ray(&pose, &ray).unwrap();
            let of_mesh =
                of_mesh.map(|hit| key(&hit)).map(|(t, k)| (t, k.map(|k| ground.numbers[k as usize])));
            assert_eq!(first, of_mesh, "ray {n}");
        }
    }
    assert!(hits > 100, "{hits}");
}

/// Normals and depths of the deepest manifold, and volumes, agree with those of the mesh: views are laid by other boxes, so not to the bit.
#[test]
fn contacts_are_those_of_the_mesh() {
    let mut random = Random::new(14);
    let (mut met, mut depth_off) = (0, 0);
    for ground in grounds() {
        for (name, body) in bodies(1.1) {
            let settings = QuerySettings::default();
            let [of_field, of_mesh] =
                [&ground.field, &ground.mesh].map(|shape| PairQuery::new(shape, &body, settings).unwrap());
            for n in 0..8 {
                let a = ground_pose(n, &mut random);
                let b = a * place(&ground, 1.1, &mut random);
                let [found, expected] = [&of_field, &of_mesh].map(|query| query.at(&a, &b).unwrap());
                assert_eq!(found.touching, expected.touching, "{name} {n}");
                assert_eq!(found.manifolds.is_empty(), expected.manifolds.is_empty(), "{name} {n}");
                let deepest = |answer: &PairAnswer| {
                    answer.manifolds.iter().map(|m| m.depth).fold(f64::NEG_INFINITY, f64::max)
                };
                if found.manifolds.is_empty() {
                    continue;
                }
                met += 1;
                let (d, e) = (deepest(&found), deepest(&expected));
                depth_off += usize::from((d - e).abs() > 0.02 * e.abs().max(0.02));
                if let (Some(v), Some(w)) = (found.volume, expected.volume) {
                    assert!((v - w).abs() <= 0.02 * w + 1e-3, "{name} {n}: {v} {w}");
                }
            }
        }
    }
    assert!(met > 60, "{met}");
    // Deep in rough ground two separating translations may be all but as long.
    assert!(depth_off * 20 <= met, "{depth_off} of {met}");
}

#[test]
fn casts_and_sweeps_meet_the_field_when_they_meet_the_mesh() {
    let mut random = Random::new(15);
    let mut met = 0;
    for ground in grounds() {
        for (name, body) in bodies(0.6) {
            let [of_field, of_mesh] = [&ground.field, &ground.mesh]
                .map(|shape| PairQuery::new(shape, &body, QuerySettings::default()).unwrap());
            for n in 0..4 {
                let a = ground_pose(n, &mut random);
                let start = a * Isometry3::translation(0.0, 0.0, 5.0) * place(&ground, 0.6, &mut random);
                let way = a * Vector3::new(random.signed(), random.signed(), -9.0);
                let [found, expected] =
                    [&of_field, &of_mesh].map(|query| query.cast(&a, &start, &way).unwrap().time());
                assert_eq!(found.is_some(), expected.is_some(), "{name} {n}");
                if let (Some(found), Some(expected)) = (found, expected) {
                    met += 1;
                    assert!((found - expected).abs() < 1e-3, "{name} {n}: {found} {expected}");
                }
            }
        }
    }
    assert!(met > 40, "{met}");
}

#[test]
fn a_body_under_the_ground_is_in_it_and_one_under_a_gap_is_not() {
    let mut heights = vec![0.0f32; 31 * 31];
    for k in 0..31 {
        heights[15 * 31 + k] = if (10..20).contains(&k) { f32::NAN } else { 0.0 };
    }
    let field = HeightField::new([31, 31], heights, &HeightFieldSettings::default()).unwrap();
    let ground = Ground::new(field);
    for (name, body) in bodies(0.3) {
        let query = PairQuery::new(&ground.field, &body, QuerySettings::default()).unwrap();
        let at = |x: f64, y: f64, z: f64| Isometry3::translation(x, y, z);
        let here = Isometry3::identity();
        for (pose, inside) in
            [(at(5.2, 5.3, -3.0), true), (at(14.6, 15.0, -3.0), false), (at(40.0, 5.0, -3.0), false)]
        {
            let answer = query.at(&here, &pose).unwrap();
            assert_eq!(answer.touching, inside, "{name}");
            if inside {
                // Without end below: it leaves upward.
                let normal = answer.manifolds[0].normal;
                assert!(normal.z > 0.99 && (answer.manifolds[0].depth - 3.0).abs() < 0.5, "{name}: {normal}");
            }
        }
    }
}

#[test]
fn a_field_that_was_edited_is_one_made_anew_in_a_world() {
    let mut random = Random::new(16);
    let size = [33u32, 33];
    let settings = HeightFieldSettings { bottom: Some(-20.0), ..HeightFieldSettings::default() };
    let mut heights: Vec<f32> = (0..33 * 33).map(|_| random.unit() as f32).collect();
    let world = |heights: &[f32]| {
        let mut world = World::builder().backend(Backend::Cpu).build().unwrap();
        let ground = world.add_shape(HeightField::new(size, heights.to_vec(), &settings).unwrap()).unwrap();
        world.add_collider(Collider::new(ground).fixed(true)).unwrap();
        for (k, (_, body)) in bodies(1.0).into_iter().enumerate() {
            let shape = world.add_shape(body).unwrap();
            let at = Isometry3::translation(4.0 + 3.7 * k as f64, 5.0 + 3.1 * k as f64, 1.0);
            world.add_collider(Collider::new(shape).pose(at)).unwrap();
        }
        (world, ground)
    };
    let (mut edited, ground) = world(&heights);
    edited.step();
    for n in 0..6u32 {
        let (first, count) = ([3 + 3 * n, 2 + 4 * n], [6, 5]);
        let new: Vec<f32> =
            (0..30).map(|k| if n == 4 && k == 7 { f32::NAN } else { 1.5 * random.unit() as f32 }).collect();
        for k in 0..30u32 {
            heights[((first[1] + k / 6) * 33 + first[0] + k % 6) as usize] = new[k as usize];
        }
        let edit = edited.set_heights(ground, first, count, &new).unwrap();
        assert_eq!(edit.gaps_changed, n == 4);
        edited.step();
        let (mut fresh, _) = world(&heights);
        fresh.step();
        let of = |world: &World| world.contacts().map(|c| c.colliders).collect::<Vec<_>>();
        assert_eq!(of(&edited), of(&fresh), "edit {n}");
    }
    let before: Vec<_> = edited.contacts().map(|c| c.colliders).collect();
    assert!(!before.is_empty());
    let error = edited.set_heights(ground, [30, 30], [9, 9], &[0.0; 81]).unwrap_err();
    assert!(error.to_string().contains("go beyond the field's [33, 33]"), "{error}");
    let ball = edited.add_shape(Shape::sphere(1.0).unwrap()).unwrap();
    let error = edited.set_heights(ball, [0, 0], [1, 1], &[0.0]).unwrap_err();
    assert!(error.to_string().contains("no height field"), "{error}");
    edited.step();
    assert_eq!(edited.contacts().map(|c| c.colliders).collect::<Vec<_>>(), before);
}
