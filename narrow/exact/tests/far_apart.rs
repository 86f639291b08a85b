//! Meshes that are far apart: the distance is right to `f64`, and finding it costs what it costs nearby.

use impinge_exact::distance::{
    DistanceCounts, DistanceMemory, DistanceScratch, Proximity, distance, triangle_gap,
};
use impinge_geometry::{PairFrame, Shape, Side, TriMesh};
use impinge_midphase::PreparedShape;
use impinge_scenes::fixtures::{sphere_mesh, torus};
use nalgebra::{Isometry3, Point3, Vector3};

/// Metres between the origins, from touching distance to the far end of what `f64` resolves of a mesh.
const DECADES: std::ops::RangeInclusive<i32> = 0..=14;

/// The cube from −0.5 to 0.5, every face cut into `n` × `n` squares.
fn gridded_cube(n: u32) -> TriMesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for axis in 0..3usize {
        for side in [-0.5f32, 0.5] {
            let first = vertices.len() as u32;
            for i in 0..=n {
                for j in 0..=n {
                    let mut p = [side; 3];
                    p[(axis + 1) % 3] = i as f32 / n as f32 - 0.5;
                    p[(axis + 2) % 3] = j as f32 / n as f32 - 0.5;
                    vertices.push(Point3::from(p));
                }
            }
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let at = |i: u32, j: u32| first + i * (n + 1) + j;
                let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                let faces = [[a, b, c], [a, c, d]];
                triangles.extend(faces.map(|[p, q, r]| if side > 0.0 { [p, q, r] } else { [p, r, q] }));
            }
        }
    }
    TriMesh::new(vertices, triangles).unwrap()
}

/// Every triangle against every other, where they stand.
fn brute(a: &TriMesh, b: &TriMesh, poses: &[Isometry3<f64>; 2]) -> f64 {
    let frame = PairFrame::new(&poses[0], &poses[1]);
    let placed = |mesh: &TriMesh, side: Side| -> Vec<[Point3<f64>; 3]> {
        (0..mesh.triangles().len() as u32).map(|t| mesh.corners(t).map(|p| frame.place(side, &p))).collect()
    };
    let (of_a, of_b) = (placed(a, Side::A), placed(b, Side::B));
    let least = of_a.iter().flat_map(|p| of_b.iter().map(|q| triangle_gap(p, q).squared));
    least.fold(f64::INFINITY, f64::min).sqrt()
}

/// The distance at a pose of B, and what it cost.
fn asked(shapes: &[PreparedShape; 2], poses: &[Isometry3<f64>; 2]) -> (f64, DistanceCounts) {
    let mut scratch = DistanceScratch::default();
    let parts = [0, 1].map(|k| &shapes[k].parts()[0]);
    let frame = PairFrame::new(&poses[0], &poses[1]);
    match distance(parts, &frame, f64::INFINITY, &mut DistanceMemory::default(), &mut scratch) {
        Some(Proximity::Apart(found)) => (found.distance, scratch.counts),
        other => panic!("they are apart: {other:?}"),
    }
}

fn prepared(a: Shape, b: Shape) -> [PreparedShape; 2] {
    [PreparedShape::new(&a), PreparedShape::new(&b)]
}

/// Directions in which B stands: along an axis (faces look at each other), and askew.
fn placements(distance: f64) -> [[Isometry3<f64>; 2]; 3] {
    let turned = |v: [f64; 3]| Isometry3::new(Vector3::zeros(), Vector3::from(v));
    let beyond = |direction: [f64; 3]| Vector3::from(direction).normalize() * (distance + 3.0);
    let shifted = |mut pose: Isometry3<f64>, by: Vector3<f64>| {
        pose.translation.vector += by;
        pose
    };
    [
        [turned([0.0; 3]), shifted(turned([0.0; 3]), beyond([1.0, 0.0, 0.0]))],
        [
            turned([0.0; 3]),
            shifted(turned([0.0; 3]), beyond([0.0, 0.0, -1.0]) + Vector3::new(0.31, 0.17, 0.0)),
        ],
        [turned([0.4, -1.0, 0.2]), shifted(turned([1.4, 0.3, -0.8]), beyond([0.3, -0.5, 0.8]))],
    ]
}

#[test]
fn the_distance_of_far_meshes_is_right_and_as_cheap_as_nearby() {
    let meshes = [sphere_mesh(0.5, 16, 10), torus(0.4, 0.15, 20, 10), gridded_cube(5)];
    for (i, a) in meshes.iter().enumerate() {
        for (j, b) in meshes.iter().enumerate() {
            let query = prepared(a.clone().into(), b.clone().into());
            for which in 0..3 {
                let mut near = 0;
                for decade in DECADES {
                    let poses = placements(10f64.powi(decade))[which];
                    let (found, counts) = asked(&query, &poses);
                    let name = format!("{i} {j}, placement {which}, 1e{decade} m");
                    if decade % 3 == 0 || decade == 14 {
                        let expected = brute(a, b, &poses);
                        let error = (found - expected).abs();
                        assert!(error <= 4e-15 * expected, "{name}: {found:e} for {expected:e}");
                    }
                    let cost = counts.search.box_tests + 4 * counts.search.leaf_pairs + counts.measured;
                    if decade == 0 {
                        near = cost;
                    }
                    assert!(cost <= 4 * near + 1_000, "{name}: {cost}, and {near} at 1 m; {counts:?}");
                }
            }
        }
    }
}

#[test]
fn a_far_mesh_and_a_primitive() {
    let mesh = torus(0.4, 0.15, 40, 20);
    let solids = [
        Shape::sphere(0.5).unwrap(),
        Shape::sphere(300.0).unwrap(),
        Shape::capsule(0.4, 0.3).unwrap(),
        Shape::cylinder(0.4, 0.5).unwrap(),
        Shape::half_space(),
    ];
    for (k, solid) in solids.iter().enumerate() {
        let query = prepared(solid.clone(), mesh.clone().into());
        for decade in DECADES {
            let far = 10f64.powi(decade) + if k == 1 { 300.0 } else { 1.0 };
            let turn = Vector3::new(0.4, -1.0, 0.2);
            let along = match k {
                4 => Vector3::z(),
                _ => Vector3::new(0.3, -0.5, 0.8).normalize(),
            };
            let poses = [Isometry3::identity(), Isometry3::new(along * far, turn)];
            let (found, counts) = asked(&query, &poses);
            // A ball's distance is that of its centre; elsewhere the mesh's farthest reach bounds it.
            let frame = PairFrame::new(&poses[0], &poses[1]);
            if k < 2 {
                let center = frame.place(Side::A, &Point3::origin());
                let radius = [0.5, 300.0][k];
                let to = |t: u32| {
                    let corners = mesh.corners(t).map(|p| frame.place(Side::B, &p));
                    triangle_gap(&corners, &[center; 3]).squared.sqrt()
                };
                let least = (0..mesh.triangles().len() as u32).map(to).fold(f64::INFINITY, f64::min);
                let expected = least - radius;
                assert!((found - expected).abs() <= 4e-15 * least, "{k} 1e{decade}: {found:e} {expected:e}");
            }
            let leaves = counts.search.leaf_pairs;
            assert!(leaves <= 60, "solid {k} at 1e{decade} m: {counts:?}");
        }
    }
}
