//! Particles against every kind of shape, against each other and among themselves, by brute force over every triangle and every pair.

mod worlds;

use std::collections::BTreeMap;

use impinge::geometry::{
    FieldMesh, HeightField, HeightFieldSettings, Particles, Primitive, Radii, SimdLevel,
};
use impinge::prelude::*;
use impinge::query::ParticleQuery;
use impinge::{PointContact, PointFeature, PointRange};
use impinge_oracle::features::point_to_triangle;
use impinge_oracle::solids::{block, hollow_block, slot};
use impinge_scenes::mesh::{Gear, Torus};
use impinge_scenes::random::Random;

/// Triangles that are told by brute force.
struct Triangles {
    real: Vec<[Point3<f64>; 3]>,
    /// What tells the inside.
    mesh: TriMesh,
}

impl Triangles {
    fn new(mesh: TriMesh) -> Triangles {
        let real = (0..mesh.triangles().len() as u32).filter(|&t| !mesh.is_virtual(t));
        let real = real.map(|t| mesh.corners(t).map(|p| p.cast())).collect();
        Triangles { real, mesh }
    }

    fn distance(&self, p: &Point3<f64>) -> f64 {
        self.real.iter().map(|t| point_to_triangle(p, t)).fold(f64::INFINITY, f64::min)
    }
}

/// A shape with its oracle.
struct Sample {
    name: &'static str,
    shape: Shape,
    triangles: Option<Triangles>,
}

fn samples() -> Vec<Sample> {
    let of_mesh = |name, mesh: TriMesh| Sample {
        name,
        shape: mesh.clone().into(),
        triangles: Some(Triangles::new(mesh)),
    };
    let unit = |mesh: TriMesh| {
        let size = 0.9 / f64::from(mesh.bounding_sphere().radius);
        mesh.scaled(size).unwrap()
    };
    let primitive = |name, shape: Result<Shape, _>| Sample { name, shape: shape.unwrap(), triangles: None };
    let tip = Point3::new(0.1, 0.2, 1.1);
    let points: Vec<_> = block([0.8, 0.6, 0.5]).vertices().iter().copied().chain([tip]).collect();
    let hull = Shape::hull(&points).unwrap();
    let Shape::Hull(own) = &hull else { panic!("a hull") };
    let hull =
        Sample { name: "hull", triangles: Some(Triangles::new(TriMesh::clone(own.mesh()))), shape: hull };
    let sheet = {
        let side = 9;
        let height = |k: u32| (0.2 * f64::from(k % side).sin() * f64::from(k / side).cos()) as f32;
        let at = |k: u32| 0.2 * k as f32 - 0.8;
        let corners = (0..side * side).map(|k| Point3::new(at(k % side), at(k / side), height(k))).collect();
        let cells = (0..(side - 1) * (side - 1)).map(|c| c / (side - 1) * side + c % (side - 1));
        let faces = cells.flat_map(|v| [[v, v + 1, v + side + 1], [v, v + side + 1, v + side]]).collect();
        TriMesh::new(corners, faces).unwrap()
    };
    let ground = {
        let height = |k: u32| match k {
            40 => f32::NAN,
            _ => (0.25 * (1.3 * f64::from(k % 9)).sin() * (0.9 * f64::from(k / 9)).cos()) as f32,
        };
        let settings =
            HeightFieldSettings { spacing: [0.2, 0.2], bottom: Some(-2.0), ..HeightFieldSettings::default() };
        let field = HeightField::new([9, 9], (0..81).map(height).collect(), &settings).unwrap();
        let FieldMesh { mesh, .. } = field.to_mesh().unwrap();
        Sample { name: "field", shape: field.into(), triangles: Some(Triangles::new(mesh)) }
    };
    vec![
        primitive("plane", Ok(Shape::half_space())),
        primitive("sphere", Shape::sphere(0.8)),
        primitive("box", Shape::cuboid([0.9, 0.5, 0.4])),
        primitive("cylinder", Shape::cylinder(0.6, 0.5)),
        primitive("capsule", Shape::capsule(0.5, 0.4)),
        hull,
        of_mesh("gear", unit(Gear::default().mesh().unwrap())),
        of_mesh("torus", unit(Torus::default().mesh().unwrap())),
        of_mesh("hollow block", hollow_block([0.8, 0.7, 0.6], [0.4, 0.3, 0.2])),
        of_mesh("slot", slot(0.2, 0.5, 0.8)),
        of_mesh("soup", sheet.clone()),
        of_mesh("sheet", sheet.one_sided(0.3, Vector3::z()).unwrap()),
        ground,
    ]
}

impl Sample {
    /// How far a place (m, the shape's frame) is from the surface.
    fn off_surface(&self, p: &Point3<f64>) -> f64 {
        self.triangles.as_ref().map_or_else(|| signed(self, p).abs(), |triangles| triangles.distance(p))
    }
}

/// The distance of a place (m, the shape's frame) to the surface, negative inside.
fn signed(sample: &Sample, p: &Point3<f64>) -> f64 {
    let across = p.x.hypot(p.y);
    if let Some(triangles) = &sample.triangles {
        let inside = triangles.mesh.is_closed() && triangles.mesh.winding_number(p) > 0.5;
        return if inside { -triangles.distance(p) } else { triangles.distance(p) };
    }
    let Shape::Primitive(primitive) = &sample.shape else { panic!("{} has no oracle", sample.name) };
    // The distance of a box's corner, seen from the first octant; a cylinder is such a box, turned.
    let corner = |q: &[f64]| {
        let out = q.iter().map(|x| x.max(0.0).powi(2)).sum::<f64>().sqrt();
        if out > 0.0 { out } else { q.iter().fold(f64::NEG_INFINITY, |most, &x| most.max(x)) }
    };
    match *primitive {
        Primitive::HalfSpace => p.z,
        Primitive::Sphere { radius } => p.coords.norm() - f64::from(radius),
        Primitive::Cuboid { half } => corner(&[0, 1, 2].map(|k| p[k].abs() - f64::from(half[k]))),
        Primitive::Capsule { half_height, radius } => {
            across.hypot((p.z.abs() - f64::from(half_height)).max(0.0)) - f64::from(radius)
        }
        Primitive::Cylinder { half_height, radius } => {
            corner(&[across - f64::from(radius), p.z.abs() - f64::from(half_height)])
        }
    }
}

fn cloud(count: usize, radii: Radii, random: &mut Random) -> Particles {
    let points = (0..count).map(|_| Point3::from([0; 3].map(|_| (1.3 * random.signed()) as f32))).collect();
    Particles::new(points, radii).unwrap()
}

/// Particles that lie close to each other about the origin, in no order.
fn packed(radii: Radii, random: &mut Random) -> Particles {
    let side = 12;
    let mut place = |k: i32| {
        let at = [k % side, k / side % side, k / (side * side)].map(|n| n - side / 2);
        Point3::from(at.map(|n| (0.035 * (f64::from(n) + 0.3 * random.signed())) as f32))
    };
    let mut points: Vec<_> = (0..side * side * side).map(&mut place).collect();
    for k in (1..points.len()).rev() {
        points.swap(k, random.index(k + 1));
    }
    Particles::new(points, radii).unwrap()
}

fn pose(random: &mut Random, far: f64) -> Isometry3<f64> {
    Isometry3::from_parts(Translation3::from(random.direction() * far), random.rotation())
}

/// Radii of all sorts, of 1 m at most.
fn radii(kind: usize, count: usize, random: &mut Random) -> Radii {
    match kind % 3 {
        0 => Radii::One(0.03),
        1 => Radii::One(0.4),
        _ => Radii::Each((0..count).map(|_| 0.5f64.powf(1.0 + 9.0 * random.unit()) as f32).collect()),
    }
}

fn cases() -> usize {
    std::env::var("IMPINGE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(1)
}

#[test]
fn contacts_with_all_shapes_are_those_of_brute_force() {
    let mut random = Random::new(5);
    for sample in samples() {
        let (mut touching, mut free, mut deep) = (0, 0, 0);
        for n in 0..10 * cases() {
            let count = 100;
            // Two of ten lie in a heap about a corner.
            let corner = match &sample.triangles {
                Some(Triangles { mesh, .. }) if n % 10 > 7 => {
                    Some(mesh.vertices()[random.index(mesh.vertices().len())])
                }
                _ => None,
            };
            let own = match corner {
                Some(_) if n % 2 == 0 => packed(Radii::One(0.02), &mut random),
                Some(_) => {
                    let each = (0..12 * 12 * 12).map(|_| (0.03 * random.unit() + 1e-3) as f32);
                    let each = Radii::Each(each.collect());
                    packed(each, &mut random)
                }
                None => cloud(count, radii(n, count, &mut random), &mut random),
            };
            let range = PointRange {
                margin: if n % 4 == 1 { 0.05 } else { 0.0 },
                tolerance: if n % 4 == 2 { 0.02 } else { 0.0 },
            };
            let (at, to) = (pose(&mut random, [0.2, 1e4][n % 2]), pose(&mut random, 0.3));
            // The shape's frame stands at `at`, the cloud near it.
            let to = at * to;
            let to = match (corner, sample.name) {
                (Some(corner), _) => {
                    at * Translation3::from(corner.coords.cast::<f64>()) * pose(&mut random, 0.1)
                }
                // About the middle of the ground.
                (None, "field") => to * Isometry3::translation(0.8, 0.8, 0.0),
                (None, _) => to,
            };
            let world = |center: &Point3<f32>| to * center.cast::<f64>();
            let local = |p: Point3<f64>| at.inverse_transform_point(&p);
            let distances: Vec<f64> =
                own.centers().iter().map(|center| signed(&sample, &local(world(center)))).collect();
            for scale in [1.0, 1e-3, 1e3] {
                let scaled = |pose: &Isometry3<f64>| {
                    Isometry3::from_parts(Translation3::from(pose.translation.vector * scale), pose.rotation)
                };
                let shape = PreparedShape::new(&sample.shape.scaled(scale).unwrap());
                let range = PointRange { margin: range.margin * scale, tolerance: range.tolerance * scale };
                let mut query = ParticleQuery::new(own.scaled(scale).unwrap());
                let mut found = Vec::new();
                query.against(&scaled(&to), &shape, &scaled(&at), &range, &mut found).unwrap();
                assert!(found.is_sorted_by_key(|contact| contact.particle), "{}", sample.name);
                let found: BTreeMap<u32, PointContact> =
                    found.into_iter().map(|contact| (contact.particle, contact)).collect();
                // Sizes are rounded to `f32` when they are scaled, and places are a part of 1e4.
                let near = if n % 2 == 0 { 1e-6 } else { 2e-6 };
                for (k, center) in (0..).zip(own.centers()) {
                    let name = format!("{} {n} times {scale}, particle {k}", sample.name);
                    let (world, distance) = (world(center), distances[k as usize]);
                    let depth = f64::from(own.radius(k)) - distance;
                    let least = if range.tolerance > 0.0 { 0.02 } else { -range.margin / scale };
                    let Some(contact) = found.get(&k) else {
                        assert!(depth <= least + near, "{name}: {depth} deep, but none");
                        free += 1;
                        continue;
                    };
                    assert!(depth >= least - near, "{name}: {depth} deep, found {}", contact.depth / scale);
                    assert!((contact.depth / scale - depth).abs() < near, "{name}: {depth}, {contact:?}");
                    assert!((contact.normal.norm() - 1.0).abs() < 1e-6, "{name}");
                    touching += 1;
                    deep += usize::from(distance < 0.0 && distance.abs() > f64::from(own.radius(k)));
                    // Along the normal its nearest point is on the surface, and in the middle of the overlap is the contact.
                    let normal = contact.normal.cast::<f64>();
                    if scale == 1.0 {
                        let nearest = local(world - normal * distance);
                        assert!(sample.off_surface(&nearest) < 3.0 * near, "{name}: {contact:?}");
                    }
                    let middle = world - normal * (f64::from(own.radius(k)) - 0.5 * depth);
                    assert!((contact.position / scale - middle).norm() < 3.0 * near, "{name}");
                }
            }
        }
        assert!(touching > 150 && free > 150, "{}: {touching} touch, {free} do not", sample.name);
        assert!(deep > 10 || sample.name == "soup", "{}: {deep} are deeper than their radius", sample.name);
    }
}

#[test]
fn children_of_composites_are_touched_one_by_one() {
    let mut random = Random::new(6);
    let children = vec![
        (Isometry3::translation(0.5, 0.0, 0.0), Shape::sphere(0.4).unwrap()),
        (Isometry3::translation(-0.5, 0.1, 0.0), Shape::from(block([0.3, 0.3, 0.5]))),
    ];
    let composite = PreparedShape::new(&Shape::composite(children.clone()).unwrap());
    let (at, to) = (pose(&mut random, 1.0), pose(&mut random, 1.0));
    let mut query = ParticleQuery::new(cloud(1200, Radii::One(0.1), &mut random));
    let (mut all, mut one) = (Vec::new(), Vec::new());
    let to = at * Isometry3::from_parts(Translation3::new(0.1, 0.0, 0.0), to.rotation);
    query.against(&to, &composite, &at, &PointRange::default(), &mut all).unwrap();
    for (k, (pose, child)) in (0..).zip(&children) {
        query
            .against(&to, &PreparedShape::new(child), &(at * pose), &PointRange::default(), &mut one)
            .unwrap();
        let own: Vec<_> = all.iter().filter(|contact| contact.subshape == k).collect();
        assert!(one.len() > 20 && own.len() == one.len(), "{} {}", one.len(), own.len());
        for (own, alone) in own.into_iter().zip(&one) {
            assert_eq!((own.particle, own.feature), (alone.particle, alone.feature));
            assert!((own.depth - alone.depth).abs() < 1e-12);
        }
    }
}

/// Clouds with particles in heaps, on one place, and far from all others.
fn crowd(n: usize, count: usize, random: &mut Random) -> Particles {
    let heaps = [[0.0, 0.0, 0.0], [1.5, 0.2, 0.0], [-0.3, 1.8, 0.4], [0.2, 0.3, -1.7]].map(Vector3::from);
    let points = (0..count).map(|k| match k % 50 {
        0 => Point3::from(heaps[0].cast()),
        1 => Point3::from((random.direction() * 1e3).cast()),
        _ => {
            let away = Vector3::from([0; 3].map(|_| 0.5 * random.signed()));
            Point3::from((heaps[k % 4] + away).cast())
        }
    });
    let points = points.collect();
    let radii = match n % 3 {
        0 => Radii::One(0.05),
        1 => Radii::Each((0..count).map(|_| 0.04 + 0.02 * random.unit() as f32).collect()),
        _ => Radii::Each((0..count).map(|_| 0.5f64.powf(2.0 + 16.0 * random.unit()) as f32).collect()),
    };
    Particles::new(points, radii).unwrap()
}

/// The contacts of all pairs: by the numbers, the depth.
fn all_pairs(
    (a, at): (&Particles, &Isometry3<f64>),
    (b, to): (&Particles, &Isometry3<f64>),
    own: bool,
) -> BTreeMap<[u32; 2], f64> {
    let place = |p: &Point3<f32>, pose: &Isometry3<f64>| pose * p.cast::<f64>();
    let others: Vec<Point3<f64>> = b.centers().iter().map(|p| place(p, to)).collect();
    let mut found = BTreeMap::new();
    for (i, p) in (0..).zip(a.centers()) {
        let p = place(p, at);
        for (j, q) in (0..).zip(&others).skip(if own { i as usize + 1 } else { 0 }) {
            let depth = f64::from(a.radius(i)) + f64::from(b.radius(j)) - (p - q).norm();
            if depth > -0.1 {
                found.insert([i, j], depth);
            }
        }
    }
    found
}

fn compare(
    name: &str,
    (a, at): (&Particles, &Isometry3<f64>),
    (b, to): (&Particles, &Isometry3<f64>),
    expected: &BTreeMap<[u32; 2], f64>,
    least: f64,
    found: &[PointContact],
) {
    let mut seen = BTreeMap::new();
    for contact in found {
        let PointFeature::Particle(other) = contact.feature else { panic!("{contact:?}") };
        assert!(seen.insert([contact.particle, other], contact).is_none(), "{name}: twice {contact:?}");
        let depth = expected.get(&[contact.particle, other]).unwrap_or_else(|| panic!("{name}: {contact:?}"));
        assert!((contact.depth - depth).abs() < 1e-9 && contact.depth >= least, "{name}: {contact:?}");
        let [p, q] = [(a, at, contact.particle), (b, to, other)]
            .map(|(cloud, pose, k)| pose * cloud.centers()[k as usize].cast::<f64>());
        let normal = contact.normal.cast::<f64>();
        assert!((normal.norm() - 1.0).abs() < 1e-6 && normal.dot(&(p - q)) >= (p - q).norm() * (1.0 - 1e-5));
    }
    for (pair, depth) in expected.iter().filter(|(_, depth)| **depth > least + 1e-9) {
        assert!(seen.contains_key(pair), "{name}: {pair:?} is {depth} deep, but none was found");
    }
}

#[test]
fn particles_among_themselves_are_those_of_brute_force() {
    let mut random = Random::new(8);
    for n in 0..9 * cases() {
        let own = crowd(n, 600, &mut random);
        let at = pose(&mut random, 3.0);
        let pairs = all_pairs((&own, &at), (&own, &at), true);
        let mut query = ParticleQuery::new(own.clone());
        for range in [(0.0, 0.0), (0.03, 0.0), (0.0, 0.01)] {
            let (margin, tolerance) = range;
            let mut found = Vec::new();
            query.themselves(&at, &PointRange { margin, tolerance }, &mut found).unwrap();
            assert!(found.len() > 100, "{}", found.len());
            let least = if tolerance > 0.0 { tolerance } else { -margin };
            compare(&format!("{n} {range:?}"), (&own, &at), (&own, &at), &pairs, least, &found);
        }
    }
}

#[test]
fn two_clouds_meet_as_by_brute_force_and_each_other() {
    let (mut random, mut met) = (Random::new(9), 0);
    for n in 0..9 * cases() {
        let (a, b) = (crowd(n, 300, &mut random), crowd(n / 3, 400, &mut random));
        let (at, to) = (pose(&mut random, 0.3), pose(&mut random, 0.3));
        let pairs = all_pairs((&a, &at), (&b, &to), false);
        let (mut one, mut other) = (ParticleQuery::new(a.clone()), ParticleQuery::new(b.clone()));
        for margin in [0.0, 0.05] {
            let range = PointRange { margin, tolerance: 0.0 };
            let (mut found, mut back) = (Vec::new(), Vec::new());
            one.between(&at, &mut other, &to, &range, &mut found).unwrap();
            met += found.len();
            compare(&format!("{n}"), (&a, &at), (&b, &to), &pairs, -margin, &found);
            // What one pushes, the other one is pushed back by.
            other.between(&to, &mut one, &at, &range, &mut back).unwrap();
            let key = |c: &PointContact| (c.particle, c.feature);
            let turned: BTreeMap<_, _> = back.iter().map(|c| (key(c), c)).collect();
            assert!(found.len().abs_diff(back.len()) <= 1);
            for contact in &found {
                let PointFeature::Particle(j) = contact.feature else { panic!("{contact:?}") };
                let Some(other) = turned.get(&(j, PointFeature::Particle(contact.particle))) else {
                    continue;
                };
                let together = (a.centers()[contact.particle as usize], b.centers()[j as usize]);
                let apart = (at * together.0.cast::<f64>() - to * together.1.cast::<f64>()).norm();
                assert!((contact.depth - other.depth).abs() < 1e-9);
                assert!(
                    apart < 1e-6 || (contact.normal + other.normal).norm() < 1e-5,
                    "{contact:?} {other:?}"
                );
            }
        }
    }
    assert!(met > 500, "{met}");
}

#[test]
fn answers_are_the_same_for_any_number_of_threads_and_any_instructions() {
    let mut random = Random::new(10);
    let count = 9000;
    let points = cloud(count, radii(2, count, &mut random), &mut random);
    let other = cloud(count, Radii::One(0.02), &mut random);
    let gear = samples().into_iter().find(|sample| sample.name == "gear").unwrap().shape;
    let shapes = [gear, Shape::cylinder(0.6, 0.5).unwrap()];
    let (at, to) = (pose(&mut random, 1.0), pose(&mut random, 0.1));
    let mut first: Option<Vec<PointContact>> = None;
    for threads in [1, 2, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for simd in [SimdLevel::Scalar, SimdLevel::Sse2, SimdLevel::Avx2] {
            let all = pool.install(|| {
                let (mut all, mut found) = (Vec::new(), Vec::new());
                let mut query = ParticleQuery::new(points.clone()).simd(simd);
                let mut with = ParticleQuery::new(other.clone()).simd(simd);
                let range = PointRange::default();
                for shape in &shapes {
                    let shape = PreparedShape::with_simd(shape, simd);
                    query.against(&(at * to), &shape, &at, &range, &mut found).unwrap();
                    all.append(&mut found);
                }
                query.themselves(&at, &range, &mut found).unwrap();
                all.append(&mut found);
                query.between(&at, &mut with, &to, &range, &mut found).unwrap();
                all.append(&mut found);
                all
            });
            match &first {
                Some(first) => assert!(*first == all, "{threads} threads, {simd:?}"),
                None => first = Some(all),
            }
        }
    }
    assert!(first.is_some_and(|all| all.len() > 5000));
}
