//! Shapes of every kind, and random ways of theirs.

use impinge::prelude::*;
use impinge_scenes::mesh::{Blob, Gear, Knot, Torus};
use impinge_scenes::random::Random;

pub fn cases(default: u32) -> u32 {
    std::env::var("IMPINGE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

pub fn meshes() -> Vec<Shape> {
    vec![
        Knot { along: 36, across: 6, ..Knot::default() }.mesh().unwrap().into(),
        Torus { around: 16, across: 8, ..Torus::default() }.mesh().unwrap().into(),
        Gear::default().mesh().unwrap().into(),
        Blob::default().mesh().unwrap().into(),
    ]
}

pub fn shapes() -> Vec<Shape> {
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

pub fn query(a: &Shape, b: &Shape) -> PairQuery {
    PairQuery::new(a, b, QuerySettings::default()).unwrap()
}

pub fn random_pose(random: &mut Random, reach: f64) -> Isometry3<f64> {
    let place = Vector3::from_fn(|_, _| reach * random.signed());
    Isometry3::from_parts(place.into(), random.rotation())
}

/// Shapes that begin apart and mostly come near each other.
pub fn random_motion(random: &mut Random, from: f64, turn: f64) -> Motion {
    let aside = Vector3::from_fn(|_, _| random.signed()).normalize() * from;
    let mut start = random_pose(random, 0.3);
    start.translation.vector += aside;
    let mut end = random_pose(random, 0.6);
    end.translation.vector -= aside * random.signed().abs();
    let turn = Vector3::from_fn(|_, _| turn * random.signed());
    Motion::between(start, end).about(Point3::from(Vector3::from_fn(|_, _| 0.3 * random.signed()))).turn(turn)
}

pub fn default_gap(a: &Shape, b: &Shape) -> f64 {
    let radius = [a, b].map(|shape| f64::from(shape.bounding_sphere().radius));
    let least = radius[0].min(radius[1]);
    if least.is_finite() { 1e-4 * least } else { 1e-4 }
}
