//! Level sets against the mesh of the same triangles: every question, to the bit where it is exact.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use impinge::geometry::{HeightField, HeightFieldSettings, LevelMesh, LevelSet, LevelSetSettings};
use impinge::prelude::*;
use impinge::query::{QueryScratch, ShapeRay};
use impinge_oracle::solids::block;
use impinge_scenes::mesh::{Gear, Torus};
use impinge_scenes::random::Random;

/// A level set, the mesh of its triangles, and which of the level set's each of these is.
struct Levels {
    set: Shape,
    mesh: Shape,
    own: Arc<LevelSet>,
    numbers: Vec<u32>,
}

impl Levels {
    fn new(set: LevelSet) -> Levels {
        let LevelMesh { mesh, triangles } = set.to_mesh().unwrap();
        let own = Arc::new(set);
        Levels { set: own.clone().into(), mesh: mesh.into(), own, numbers: triangles }
    }
}

/// A function over a cube about the origin, of so many cells a side.
fn sampled(cells: u32, reach: f64, function: impl Fn(&Point3<f64>) -> f64) -> Levels {
    let spacing = (2.0 * reach / f64::from(cells)) as f32;
    let settings = LevelSetSettings { spacing: [spacing; 3], origin: [-reach as f32; 3] };
    Levels::new(LevelSet::from_function([cells + 1; 3], &settings, function).unwrap())
}

fn torus(p: &Point3<f64>) -> f64 {
    (p.x.hypot(p.y) - 1.6).hypot(p.z) - 0.7
}

/// One side of a gyroid within a ball: many necks and holes.
fn gyroid(p: &Point3<f64>) -> f64 {
    let q = p * 2.2;
    let wave = q.x.sin() * q.y.cos() + q.y.sin() * q.z.cos() + q.z.sin() * q.x.cos();
    (wave / 4.0).max(p.coords.norm() - 2.2)
}

/// A hollow ball round another, and lumps of a random function: several shells, some inside others.
fn nested(p: &Point3<f64>) -> f64 {
    let r = p.coords.norm();
    (r - 2.2).max(1.6 - r).min(r - 0.8)
}

/// Values of any sign within the border: needles, gaps of a cell, lumps of one sample.
fn rough(seed: u64) -> Levels {
    let (size, mut random) = ([11u32, 9, 13], Random::new(seed));
    let at = |n: u32| [n % size[0], n / size[0] % size[1], n / size[0] / size[1]];
    let values = (0..size.iter().product::<u32>())
        .map(|n| {
            let border = (0..3).any(|k| at(n)[k] == 0 || at(n)[k] + 1 == size[k]);
            let value = random.signed() as f32;
            if border { value.abs() } else { value }
        })
        .collect();
    let settings = LevelSetSettings { spacing: [0.5, 0.6, 0.4], origin: [-2.5, -2.4, -2.4] };
    Levels::new(LevelSet::new(size, values, &settings).unwrap())
}

fn all() -> Vec<Levels> {
    let gear = Gear::default().mesh().unwrap();
    let gear = gear.scaled(2.2 / f64::from(gear.bounding_sphere().radius)).unwrap();
    vec![
        sampled(14, 2.5, torus),
        sampled(22, 2.5, gyroid),
        sampled(17, 2.5, nested),
        rough(3),
        Levels::new(LevelSet::from_mesh(&gear, 0.16).unwrap()),
    ]
}

fn bodies(size: f32) -> Vec<(&'static str, Shape)> {
    let gear: Shape = Gear::default().mesh().unwrap().into();
    let torus: Shape = Torus::default().mesh().unwrap().into();
    let unit = |shape: &Shape| shape.scaled(f64::from(size / shape.bounding_sphere().radius)).unwrap();
    let own: Shape = Shape::from(sampled(9, 2.5, nested).own);
    let field = HeightField::new(
        [5, 4],
        (0..20).map(|k| f32::sin(2.0 * k as f32)).collect(),
        &HeightFieldSettings { bottom: Some(-2.0), ..HeightFieldSettings::default() },
    );
    let field: Shape = field.unwrap().into();
    vec![
        ("ball", Shape::sphere(size).unwrap()),
        ("box", Shape::cuboid([size, 0.6 * size, 0.4 * size]).unwrap()),
        ("capsule", Shape::capsule(0.6 * size, 0.4 * size).unwrap()),
        ("cylinder", Shape::cylinder(0.5 * size, 0.7 * size).unwrap()),
        ("hull", Shape::hull(block([size, 0.5 * size, 0.7 * size]).vertices()).unwrap()),
        ("gear", unit(&gear)),
        ("torus", unit(&torus)),
        ("levels", unit(&own)),
        ("field", unit(&field)),
    ]
}

/// Where a body of a size may meet a level set: in its box or beside it, turned at random.
fn place(levels: &Levels, size: f32, random: &mut Random) -> Isometry3<f64> {
    let aabb = levels.own.aabb();
    let at = [0, 1, 2].map(|k| {
        let (low, high) = (f64::from(aabb.min[k] - size), f64::from(aabb.max[k] + size));
        low + (high - low) * random.unit()
    });
    Isometry3::from_parts(Translation3::new(at[0], at[1], at[2]), random.rotation())
}

/// Poses of the level set: as it is, far away, and turned.
fn body_pose(n: usize, random: &mut Random) -> Isometry3<f64> {
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
    for levels in all() {
        let pebble = Shape::cuboid([0.15, 0.1, 0.12]).unwrap();
        let all = bodies(1.3).into_iter().map(|(name, body)| (name, body, 1.3));
        for (name, body, size) in all.chain([("pebble", pebble, 0.1)]) {
            let [of_levels, of_mesh] = [&levels.set, &levels.mesh]
                .map(|shape| PairQuery::new(shape, &body, QuerySettings::default()).unwrap());
            let turned = PairQuery::new(&body, &levels.set, QuerySettings::default()).unwrap();
            for n in 0..9 {
                let a = body_pose(n, &mut random);
                let b = a * place(&levels, size, &mut random);
                let touching = of_levels.touching(&a, &b).unwrap();
                assert_eq!(touching, of_mesh.touching(&a, &b).unwrap(), "{name} {n}");
                assert_eq!(touching, turned.touching(&b, &a).unwrap(), "{name} {n}, exchanged");
                *(if touching { &mut touched } else { &mut apart }) += 1;
                if matches!(name, "ball" | "capsule" | "cylinder") {
                    continue;
                }
                let pairs = |query: &PairQuery, scratch: &mut QueryScratch| -> Vec<[u32; 2]> {
                    let found = query.triangle_pairs_with(&a, &b, scratch).unwrap();
                    found.iter().map(|pair| pair.triangles).collect()
                };
                let found: BTreeSet<[u32; 2]> = pairs(&of_levels, &mut scratch).into_iter().collect();
                let expected: BTreeSet<[u32; 2]> = pairs(&of_mesh, &mut scratch)
                    .into_iter()
                    .map(|[t, other]| [levels.numbers[t as usize], other])
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
                assert_eq!(points(&of_levels), points(&of_mesh), "{name} {n}");
            }
        }
    }
    assert!(touched > 100 && apart > 60 && contained > 0, "{touched} {apart} {contained}");
}

#[test]
fn distances_are_those_of_the_mesh_to_the_bit() {
    let mut random = Random::new(12);
    let mut apart = 0;
    for levels in all() {
        for (name, body) in bodies(0.7) {
            let [of_levels, of_mesh] = [&levels.set, &levels.mesh]
                .map(|shape| PairQuery::new(shape, &body, QuerySettings::default()).unwrap());
            for n in 0..10 {
                let a = body_pose(n, &mut random);
                // Near, far, and very far.
                let up = Isometry3::translation(0.0, 0.0, [0.5, 8.0, 1e4][n % 3]);
                let b = a * up * place(&levels, 0.7, &mut random);
                let [found, expected] = [&of_levels, &of_mesh].map(|query| query.distance(&a, &b).unwrap());
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
    for levels in all() {
        let [of_levels, of_mesh] = [&levels.set, &levels.mesh].map(PreparedShape::new);
        for n in 0..60 {
            let pose = body_pose(n, &mut random);
            let aabb = levels.own.aabb();
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
            let (found, expected) = (all(&of_levels), all(&of_mesh));
            let key = |hit: &impinge::query::RayHit| (hit.time.to_bits(), hit.triangle);
            let found: Vec<_> = found.iter().map(key).collect();
            let expected: Vec<_> = expected
                .iter()
                .map(key)
                .map(|(time, triangle)| (time, triangle.map(|t| levels.numbers[t as usize])))
                .collect();
            assert_eq!(found, expected, "ray {n}");
            hits += found.len();
            let first = of_levels.ray(&pose, &ray).unwrap().map(|hit| key(&hit));
            let of_mesh = of_mesh.ray(&pose, &ray).unwrap();
            let of_mesh =
                of_mesh.map(|hit| key(&hit)).map(|(t, k)| (t, k.map(|k| levels.numbers[k as usize])));
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
    for levels in all() {
        for (name, body) in bodies(1.1) {
            let settings = QuerySettings::default();
            let [of_levels, of_mesh] =
                [&levels.set, &levels.mesh].map(|shape| PairQuery::new(shape, &body, settings).unwrap());
            for n in 0..8 {
                let a = body_pose(n, &mut random);
                let b = a * place(&levels, 1.1, &mut random);
                let [found, expected] = [&of_levels, &of_mesh].map(|query| query.at(&a, &b).unwrap());
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
    // Deep in rough levels two separating translations may be all but as long.
    assert!(depth_off * 20 <= met, "{depth_off} of {met}");
}

#[test]
fn casts_meet_the_levels_when_they_meet_the_mesh() {
    let mut random = Random::new(15);
    let mut met = 0;
    for levels in all() {
        for (name, body) in bodies(0.6) {
            let [of_levels, of_mesh] = [&levels.set, &levels.mesh]
                .map(|shape| PairQuery::new(shape, &body, QuerySettings::default()).unwrap());
            for n in 0..4 {
                let a = body_pose(n, &mut random);
                let start = a * Isometry3::translation(0.0, 0.0, 5.0) * place(&levels, 0.6, &mut random);
                let way = a * Vector3::new(random.signed(), random.signed(), -9.0);
                let [found, expected] =
                    [&of_levels, &of_mesh].map(|query| query.cast(&a, &start, &way).unwrap().time());
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
fn level_sets_that_were_edited_are_ones_made_of_their_values_in_a_world() {
    let mut random = Random::new(16);
    let size = [25u32, 25, 17];
    let settings = LevelSetSettings { spacing: [0.5; 3], origin: [-6.0, -6.0, -4.0] };
    // A block with a flat top.
    let block = |p: &Point3<f64>| (p.x.abs() - 5.6).max(p.y.abs() - 5.6).max(p.z.abs() - 2.9);
    let made = LevelSet::from_function(size, &settings, block).unwrap();
    let index = |at: [u32; 3]| ((at[2] * size[1] + at[1]) * size[0] + at[0]) as usize;
    let mut values: Vec<f32> = (0..size[2])
        .flat_map(|k| (0..size[1]).flat_map(move |j| (0..size[0]).map(move |i| [i, j, k])))
        .map(|at| made.value(at))
        .collect();
    let world = |values: &[f32]| {
        let mut world = World::builder().backend(Backend::Cpu).build().unwrap();
        let ground = world.add_shape(LevelSet::new(size, values.to_vec(), &settings).unwrap()).unwrap();
        world.add_collider(Collider::new(ground).fixed(true)).unwrap();
        for (k, (_, body)) in bodies(1.0).into_iter().enumerate() {
            let shape = world.add_shape(body).unwrap();
            let at = Isometry3::translation(-4.0 + 3.7 * (k % 3) as f64, -4.0 + 3.6 * (k / 3) as f64, 3.2);
            world.add_collider(Collider::new(shape).pose(at)).unwrap();
        }
        (world, ground)
    };
    let (mut edited, ground) = world(&values);
    edited.step();
    let (mut changed, mut cut) = (0, 0);
    for n in 0..8u32 {
        // Balls are dug out or heaped up.
        let center = [4 + 2 * n, 5 + (7 * n) % 15, 13];
        let first = center.map(|c| c - 3);
        let (sign, radius) = (if n % 3 == 2 { -1.0 } else { 1.0 }, 0.6 + 0.8 * random.unit());
        let mut new = Vec::new();
        for k in 0..7 {
            for j in 0..7 {
                for i in 0..7 {
                    let at = [first[0] + i, first[1] + j, first[2] + k];
                    if at[2] >= size[2] {
                        continue;
                    }
                    let d: f64 = [i, j, k].iter().map(|&x| 0.25 * (f64::from(x) - 3.0).powi(2)).sum();
                    let ball = (d.sqrt() - radius) as f32;
                    let own = values[index(at)];
                    let value = if sign > 0.0 { own.max(-ball) } else { own.min(ball) };
                    values[index(at)] = value;
                    new.push(value);
                }
            }
        }
        let edit =
            edited.edit_levels(ground, first, [7, 7, size[2].min(first[2] + 7) - first[2]], &new).unwrap();
        cut += usize::from(edit.shells_changed);
        edited.step();
        let (mut fresh, _) = world(&values);
        fresh.step();
        let of = |world: &World| world.contacts().map(|c| c.colliders).collect::<Vec<_>>();
        assert_eq!(of(&edited), of(&fresh), "edit {n}");
        changed += of(&edited).len();
    }
    assert!(changed > 8 && cut < 8, "{changed} {cut}");
    let before: Vec<_> = edited.contacts().map(|c| c.colliders).collect();
    let error = edited.edit_levels(ground, [20, 20, 10], [9, 9, 9], &[0.0; 729]).unwrap_err();
    assert!(error.to_string().contains("go beyond the grid's [25, 25, 17]"), "{error}");
    let error = edited.edit_levels(ground, [0; 3], [1; 3], &[-1.0]).unwrap_err();
    assert!(error.to_string().contains("at the border"), "{error}");
    let ball = edited.add_shape(Shape::sphere(1.0).unwrap()).unwrap();
    let error = edited.edit_levels(ball, [0; 3], [1; 3], &[0.0]).unwrap_err();
    assert!(error.to_string().contains("no level set"), "{error}");
    edited.step();
    assert_eq!(edited.contacts().map(|c| c.colliders).collect::<Vec<_>>(), before);
}

/// A world of ground, given by samples every half metre over 24 × 12 m, with balls on it every four metres; and their colliders.
fn balls_on(ground: Shape) -> (World, ShapeId, Vec<ColliderId>) {
    let mut world = World::builder().backend(Backend::Cpu).build().unwrap();
    let ground = world.add_shape(ground).unwrap();
    world.add_collider(Collider::new(ground).fixed(true)).unwrap();
    let ball = world.add_shape(Shape::sphere(0.5).unwrap()).unwrap();
    let at = |k: usize| Isometry3::translation(4.0 + 4.0 * k as f64, 6.0, 0.497);
    let balls = (0..5).map(|k| world.add_collider(Collider::new(ball).pose(at(k))).unwrap()).collect();
    (world, ground, balls)
}

#[test]
fn an_edit_asks_the_pairs_that_it_reaches_and_no_other() {
    let settings = LevelSetSettings { spacing: [0.5; 3], origin: [-1.0, -1.0, -4.0] };
    let block = |p: &Point3<f64>| {
        p.z.max((-3.5 - p.z).max(-0.5 - p.x).max(p.x - 24.5)).max((-0.5 - p.y).max(p.y - 12.5))
    };
    let levels = LevelSet::from_function([53, 29, 12], &settings, block).unwrap();
    let field = HeightField::new(
        [49, 25],
        vec![0.0; 49 * 25],
        &HeightFieldSettings { spacing: [0.5; 2], bottom: Some(-3.5), ..HeightFieldSettings::default() },
    );
    for is_field in [false, true] {
        let shape = if is_field { field.clone().unwrap().into() } else { levels.clone().into() };
        let (mut world, ground, balls) = balls_on(shape);
        assert_eq!(world.step().counts.touching, 5);
        let before: Vec<Manifold> = world.manifolds().to_vec();
        // The ground falls away under the third ball: samples about (12, 6).
        let dig = |world: &mut World| match is_field {
            true => drop(world.set_heights(ground, [23, 11], [3, 3], &[-1.0; 9]).unwrap()),
            false => drop(world.edit_levels(ground, [25, 13, 6], [3, 3, 3], &[0.5; 27]).unwrap()),
        };
        dig(&mut world);
        let report = world.step();
        assert_eq!((report.counts.pairs, report.counts.kept_pairs), (5, 4), "field: {is_field}");
        assert_eq!(report.counts.touching, 4);
        let [pair] = world.edited_pairs() else { panic!("{:?}", world.edited_pairs()) };
        assert!(pair.contains(&balls[2]));
        let left: Vec<&Manifold> = before.iter().filter(|m| !m.colliders.contains(&balls[2])).collect();
        assert_eq!(world.manifolds().iter().collect::<Vec<_>>(), left);
        // Nothing more is asked.
        assert_eq!(world.step().counts.kept_pairs, 5);
        assert!(world.edited_pairs().is_empty());
        // What is edited out of reach keeps its answer while it moves a little, too.
        let pose = Isometry3::translation(4.0, 6.0, 0.497 - 1e-7);
        world.set_pose(balls[0], pose).unwrap();
        dig(&mut world);
        let report = world.step();
        assert_eq!(report.counts.kept_pairs + report.counts.refreshed_pairs, 4);
    }
}

#[test]
fn sleepers_wake_where_the_ground_is_edited() {
    use impinge_reference::{BodyDesc, Simulator, SimulatorSettings};
    let settings = LevelSetSettings { spacing: [0.25; 3], origin: [-4.0, -2.0, -1.5] };
    let plate = |p: &Point3<f64>| (p.x.abs() - 3.6).max(p.y.abs() - 1.6).max((p.z + 0.6).abs() - 0.6);
    let plate = LevelSet::from_function([33, 17, 9], &settings, plate).unwrap();
    let world = World::builder().backend(Backend::Cpu).build().unwrap();
    let mut simulator = Simulator::new(world, SimulatorSettings::default()).unwrap();
    let ground = simulator.world_mut().add_shape(plate).unwrap();
    let cube = simulator.world_mut().add_shape(Shape::cuboid([0.3; 3]).unwrap()).unwrap();
    simulator.add_body(BodyDesc::fixed(ground)).unwrap();
    let cubes: Vec<_> = [-2.0, 2.0]
        .map(|x| simulator.add_body(BodyDesc::new(cube).pose(Isometry3::translation(x, 0.0, 0.301))).unwrap())
        .to_vec();
    let asleep = |simulator: &Simulator| -> Vec<bool> {
        cubes.iter().map(|&id| simulator.body(id).unwrap().asleep()).collect()
    };
    for _ in 0..240 {
        simulator.step(1.0 / 60.0).unwrap();
    }
    assert_eq!(asleep(&simulator), [true; 2]);
    // A shallow pit under the first: its top samples about (-2, 0).
    simulator.world_mut().edit_levels(ground, [5, 5, 5], [7, 7, 2], &[0.25; 98]).unwrap();
    simulator.step(1.0 / 60.0).unwrap();
    assert_eq!(asleep(&simulator), [false, true]);
    for _ in 0..240 {
        simulator.step(1.0 / 60.0).unwrap();
    }
    let height = |k: usize| simulator.body(cubes[k]).unwrap().pose().translation.z;
    assert!(height(0) < 0.2 && height(1) > 0.28, "{} {}", height(0), height(1));
    assert_eq!(asleep(&simulator), [true; 2]);
}

/// The shortest time that one value took to edit in a torus of so many cells a side.
fn edit_time(cells: u32) -> Duration {
    let mut set = Arc::unwrap_or_clone(sampled(cells, 2.5, torus).own);
    let mut least = Duration::MAX;
    for n in 0..60 {
        // About the torus, at its surface and beside it.
        let turn = f64::from(n) * 0.37;
        let place = [1.6 * turn.cos(), 1.6 * turn.sin(), 0.7].map(|x| f64::from(cells) * (x / 5.0 + 0.5));
        let at = place.map(|x| x as u32);
        let value = set.value(at) + 1e-3;
        let started = Instant::now();
        set.set_values(at, [1; 3], &[value]).unwrap();
        least = least.min(started.elapsed());
    }
    least
}

#[test]
fn small_edits_of_large_level_sets_cost_what_they_cost_of_small_ones() {
    let [small, large] = [20, 160].map(edit_time);
    println!("20 cells a side: {small:?}, 160: {large:?}");
    // Five hundred times as many.
    assert!(large < 8 * small + Duration::from_micros(20), "{small:?}, {large:?}");
}
