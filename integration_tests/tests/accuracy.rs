//! Volume, normal and depth of a mesh and a round body against closed forms, with views of 16, 32
//! and 64 columns per side.
//! `cargo test -p impinge-integration-tests --test accuracy -- --nocapture` prints the table.

use std::f64::consts::{FRAC_PI_2, PI};

use impinge::prelude::*;
use impinge_oracle::solids::{block, shape, slot};
use impinge_scenes::mesh::{Blob, Gear, Knot, Torus};
use impinge_scenes::random::Random;

/// What is known of an overlap: its volume (m³), and of each region the normal, area (m²) and depth (m).
struct Known {
    name: String,
    volume: f64,
    regions: Vec<(Vector3<f64>, f64, f64)>,
}

/// Bounds on the errors of volume and area (parts of the whole) and of the normal (degrees).
const BOUNDS: [(u32, f64, f64); 3] = [(16, 0.02, 5.0), (32, 0.005, 2.0), (64, 0.0015, 0.8)];

fn judge(a: &Shape, b: &Shape, pose: &Isometry3<f64>, known: &Known) {
    for (resolution, part, degrees) in BOUNDS {
        let settings = QuerySettings::default().resolution(resolution);
        let query = PairQuery::new(a, b, settings).unwrap();
        let answer = query.at(&Isometry3::identity(), pose).unwrap();
        let volume = answer.volume.unwrap() / known.volume - 1.0;
        assert_eq!(answer.manifolds.len(), known.regions.len(), "{}", known.name);
        let (mut angle, mut area, mut depth) = (0f64, 0f64, 0f64);
        for (n, s, d) in &known.regions {
            let nearest =
                answer.manifolds.iter().min_by(|p, q| p.normal.angle(n).total_cmp(&q.normal.angle(n)));
            let found = nearest.unwrap();
            angle = angle.max(found.normal.angle(n).to_degrees());
            area = area.max((found.area / s - 1.0).abs());
            depth = depth.max((found.depth / d - 1.0).abs());
        }
        println!(
            "| {:<28} | {resolution:>2} | {:>7.3} % | {:>7.3}° | {:>7.3} % | {:>7.3} % |",
            known.name,
            100.0 * volume,
            angle,
            100.0 * area,
            100.0 * depth
        );
        assert!(volume.abs() < part, "{}: volume off by {volume}", known.name);
        assert!(angle < degrees, "{}: normal off by {angle} degrees", known.name);
        assert!(depth < 0.03, "{}: depth off by {depth}", known.name);
    }
}

/// A ball of radius `r` is sunk by `depth` into a flat floor: the overlap is a cap. Source:
/// Weisstein, "Spherical Cap", MathWorld.
fn cap(r: f64, depth: f64) -> (Shape, Shape, Isometry3<f64>, Known) {
    let known = Known {
        name: format!("ball {r}, {depth} into a floor"),
        volume: PI * depth * depth * (r - depth / 3.0),
        regions: vec![(Vector3::z(), PI * (2.0 * r * depth - depth * depth), depth)],
    };
    let floor = shape(block([3.0, 3.0, 0.5]));
    (floor, Shape::sphere(r as f32).unwrap(), Isometry3::translation(0.2, 0.1, 0.5 + r - depth), known)
}

/// A cylinder of radius ½ and length 0.8 lies along a slot that is too narrow by `depth` on either side.
fn in_slot(depth: f64) -> (Shape, Shape, Isometry3<f64>, Known) {
    let (r, length) = (0.5f64, 0.8);
    let (near, chord) = (r - depth, 2.0 * (2.0 * r * depth - depth * depth).sqrt());
    let segment = r * r * (near / r).acos() - near * chord / 2.0;
    let known = Known {
        name: format!("cylinder {depth} into a slot"),
        volume: 2.0 * segment * length,
        regions: [1.0, -1.0].map(|s| (Vector3::x() * s, chord * length, depth)).to_vec(),
    };
    let lying = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), FRAC_PI_2);
    let pose = Isometry3::from_parts(Translation3::new(0.0, 0.05, 0.7), lying);
    let cylinder = Shape::cylinder(length as f32 / 2.0, r as f32).unwrap();
    (shape(slot(near as f32, 1.5, 0.6)), cylinder, pose, known)
}

#[test]
fn columns_agree_with_closed_forms() {
    println!("| overlap | columns | volume | normal | area | depth |\n|---|---|---|---|---|---|");
    let cases = [cap(0.5, 0.02), cap(0.5, 0.1), cap(1.0, 0.25), in_slot(0.02), in_slot(0.01)];
    for (a, b, pose, known) in &cases {
        judge(a, b, pose, known);
    }
}

/// A body on a half-space is as deep as its deepest vertex: bumps, tips and edges fall between the lines of any lattice.
#[test]
fn on_a_half_space_the_deepest_vertex_says_how_deep() {
    let meshes = [
        Knot { along: 36, across: 6, ..Knot::default() }.mesh().unwrap(),
        Torus::default().mesh().unwrap(),
        Gear::default().mesh().unwrap(),
        Blob::default().mesh().unwrap(),
        block([0.4, 0.3, 0.2]),
    ];
    let ground = Shape::half_space();
    let mut random = Random::new(7);
    let mut worst: f64 = 0.0;
    for case in 0..150 {
        let mesh = &meshes[case % meshes.len()];
        let rotation = random.rotation();
        let heights = || mesh.vertices().iter().map(|v| (rotation * v.cast::<f64>()).z);
        let (low, high) = heights().fold((f64::INFINITY, 0.0), |(a, b): (f64, f64), z| (a.min(z), b.max(z)));
        let depth = (high - low) * 0.002 * 10f64.powf(random.unit());
        let at = Isometry3::from_parts(Translation3::new(0.0, 0.0, -low - depth), rotation);
        let query = PairQuery::new(&ground, &mesh.clone().into(), QuerySettings::default()).unwrap();
        let answer = query.at(&Isometry3::identity(), &at).unwrap();
        let found = answer.manifolds.iter().map(|manifold| manifold.depth).fold(f64::NEG_INFINITY, f64::max);
        worst = worst.max((found / depth - 1.0).abs());
        assert!((found / depth - 1.0).abs() < 2e-3, "case {case}: {found} deep, in truth {depth}");
    }
    println!("off by {worst:.1e} of the depth at most");
}
