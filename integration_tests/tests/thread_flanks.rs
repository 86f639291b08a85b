//! A nut that leans on its bolt: both flanks of a thread touch within a pixel of each other, and each contact's depth is
//! its own. On a coarse lattice a line through the other flank runs along its surfaces, and is many times as long.

use std::f64::consts::TAU;

use impinge::prelude::*;
use impinge_scenes::random::Random;
use nalgebra::Quaternion;

const AROUND: u32 = 48;
const RADIUS: f64 = 0.15;
const PITCH: f64 = 0.1;

/// A surface of rows of vertices around z, one above the other. `wraps`: the last row meets the first; `outward`: rising rows look
/// away from z; `caps`: heights (m) of the two discs that close it.
fn rows(vertices: Vec<Point3<f32>>, wraps: bool, outward: bool, caps: Option<[f64; 2]>) -> Shape {
    let mut vertices = vertices;
    let count = vertices.len() as u32 / AROUND;
    let mut triangles = Vec::new();
    let mut add = |[a, b, c]: [u32; 3]| triangles.push(if outward { [a, b, c] } else { [a, c, b] });
    for row in 0..if wraps { count } else { count - 1 } {
        for k in 0..AROUND {
            let (right, up) = ((k + 1) % AROUND, (row + 1) % count);
            let [a, b] = [row * AROUND + k, row * AROUND + right];
            let [c, d] = [up * AROUND + k, up * AROUND + right];
            add([a, b, d]);
            add([a, d, c]);
        }
    }
    if let Some([low, high]) = caps {
        let (bottom, top) = (vertices.len() as u32, vertices.len() as u32 + 1);
        vertices.extend([low, high].map(|z| Point3::new(0.0, 0.0, z as f32)));
        for k in 0..AROUND {
            let right = (k + 1) % AROUND;
            add([bottom, right, k]);
            add([top, (count - 1) * AROUND + k, (count - 1) * AROUND + right]);
        }
    }
    Shape::from(TriMesh::new(vertices, triangles).unwrap())
}

/// A row of a thread at a height.
fn thread(radius: f64, z: f64) -> impl Iterator<Item = Point3<f32>> {
    (0..AROUND).map(move |k| {
        let angle = TAU * f64::from(k) / f64::from(AROUND);
        let r = radius + 0.02 * (TAU * z / PITCH - angle).cos();
        Point3::new(r * angle.cos(), r * angle.sin(), z).cast()
    })
}

fn bolt() -> Shape {
    let wall = (0..=98).flat_map(|row| thread(RADIUS, 0.7 * f64::from(row) / 98.0)).collect();
    rows(wall, false, true, Some([0.0, 0.7]))
}

fn nut() -> Shape {
    let mut wall: Vec<Point3<f32>> =
        (0..=16).flat_map(|row| thread(RADIUS + 0.004, 0.2 * f64::from(row) / 16.0)).collect();
    let sixth = TAU / 6.0;
    let flat = |angle: f64| 0.3 * (0.5 * sixth).cos() / ((angle + 0.5 * sixth) % sixth - 0.5 * sixth).cos();
    for z in [0.2, 0.0] {
        wall.extend((0..AROUND).map(|k| {
            let angle = TAU * f64::from(k) / f64::from(AROUND);
            Point3::new(flat(angle) * angle.cos(), flat(angle) * angle.sin(), z).cast::<f32>()
        }));
    }
    rows(wall, true, false, None)
}

#[test]
fn a_flank_has_no_depth_of_the_other_one() {
    let (bolt, nut) = (bolt(), nut());
    let queries = [8, 16, 32, 256].map(|resolution| {
        // With three points a region is one manifold, in sectors or not.
        let settings = QuerySettings::default().resolution(resolution).max_points(3);
        PairQuery::new(&bolt, &nut, settings).unwrap()
    });
    let turn = UnitQuaternion::from_quaternion(Quaternion::new(
        0.122_760_446,
        0.008_236_752,
        -0.000_537_983,
        0.992_402_005,
    ));
    let found = Isometry3::from_parts(Translation3::new(0.001_573_012, -0.000_192_074, 0.243_066_632), turn);
    let mut random = Random::new(5);
    let (mut compared, mut worst) = (0, 0f64);
    for case in 0..60 {
        let mut shift = |by: f64| Vector3::from_fn(|_, _| by * random.signed());
        let by = if case == 0 { 0.0 } else { 1e-4 };
        let nudge = Isometry3::new(shift(by), shift(2.0 * by));
        let pose = found * nudge;
        let [coarse @ .., fine] = queries.each_ref().map(|q| q.at(&Isometry3::identity(), &pose).unwrap());
        for answer in &coarse {
            for m in &answer.manifolds {
                // The same contact on the fine lattice: as large, and along the same normal.
                let same = fine
                    .manifolds
                    .iter()
                    .find(|f| f.normal.dot(&m.normal) > 0.9999 && (f.area / m.area - 1.0).abs() < 1e-6);
                let Some(same) = same else { continue };
                compared += 1;
                worst = worst.max(m.depth / same.depth);
            }
        }
    }
    println!("{compared} contacts compared, worst {worst}");
    assert!(compared > 100, "{compared} contacts compared");
    assert!(worst < 1.02, "a contact is {worst} times as deep as on a fine lattice");
}
