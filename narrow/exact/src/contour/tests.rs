use impinge_geometry::predicate::area_vector;
use impinge_geometry::{PairFrame, Side, TriMesh};
use impinge_midphase::ObbTree;
use nalgebra::{Isometry3, Translation3, UnitQuaternion};
use proptest::prelude::*;

use super::*;
use crate::intersect::{IntersectScratch, Surfaces, intersect_surfaces};
use impinge_scenes::fixtures::{box_mesh, sphere_mesh, torus};

fn intersections(meshes: [&TriMesh; 2], frame: &PairFrame) -> Intersections {
    let trees = meshes.map(ObbTree::build);
    let input = Surfaces { meshes: meshes.map(Into::into), trees: [&trees[0], &trees[1]], frame };
    let [a, b] = [0, 1].map(|k| trees[k].leaf_count() as u32);
    let pairs: Vec<[u32; 2]> = (0..a).flat_map(|i| (0..b).map(move |j| [i, j])).collect();
    let mut out = Intersections::default();
    intersect_surfaces(&input, &pairs, &mut IntersectScratch::default(), &mut out);
    out
}

fn assembled(out: &Intersections) -> Contours {
    let mut contours = Contours::default();
    assemble(out, &mut ContourScratch::default(), &mut contours);
    contours
}

fn frame(t: [f64; 3], turn: [f64; 3]) -> PairFrame {
    let q = UnitQuaternion::from_scaled_axis(Vector3::from(turn));
    PairFrame::new(&Isometry3::identity(), &Isometry3::from_parts(Translation3::from(t), q))
}

/// The pose of B that a frame was made of, A's being the identity.
fn frame_pose(frame: &PairFrame) -> Isometry3<f64> {
    let rotation = nalgebra::Rotation3::from_matrix_unchecked(frame.rotation[1]);
    let t = frame.offset[1] - frame.offset[0];
    Isometry3::from_parts(t.into(), UnitQuaternion::from_rotation_matrix(&rotation))
}

/// The area vector of A's surface inside the convex B: A's triangles clipped by B's planes.
fn clipped_area(a: &TriMesh, b: &TriMesh, frame: &PairFrame) -> Vector3<f64> {
    let place = |m: &TriMesh, side, t| m.corners(t).map(|v| frame.place(side, &v));
    let planes: Vec<_> = (0..b.triangles().len() as u32)
        .map(|t| {
            let corners = place(b, Side::B, t);
            (corners[0], area_vector(&corners))
        })
        .collect();
    (0..a.triangles().len() as u32)
        .map(|t| {
            let mut polygon = place(a, Side::A, t).to_vec();
            for (origin, n) in &planes {
                let height = |p: &Point3<f64>| n.dot(&(p - origin));
                let mut kept = Vec::new();
                for (k, p) in polygon.iter().enumerate() {
                    let q = polygon[(k + 1) % polygon.len()];
                    let (hp, hq) = (height(p), height(&q));
                    if hp <= 0.0 {
                        kept.push(*p);
                    }
                    if (hp < 0.0) != (hq < 0.0) && hp != hq {
                        kept.push(p + (q - p) * (hp / (hp - hq)));
                    }
                }
                polygon = kept;
                if polygon.is_empty() {
                    break;
                }
            }
            polygon.windows(2).skip(1).map(|w| area_vector(&[polygon[0], w[0], w[1]])).sum::<Vector3<f64>>()
        })
        .sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_contour_integral_is_the_area_vector_of_a_inside_convex_b(
        t in [-1.3..1.3f64, -1.3..1.3f64, -1.3..1.3f64],
        turn in [-3.0..3.0f64, -3.0..3.0f64, -3.0..3.0f64],
        which in 0..3usize,
    ) {
        let a = match which {
            0 => torus(1.0, 0.35, 20, 10),
            1 => sphere_mesh(0.9, 16, 10),
            _ => box_mesh([0.8, 0.5, 0.2]),
        };
        let b = if which == 1 { sphere_mesh(0.7, 14, 9) } else { box_mesh([0.5, 0.4, 0.9]) };
        let frame = frame(t, turn);
        let out = intersections([&a, &b], &frame);
        let contours = assembled(&out);
        prop_assert!(contours.all_closed);
        let sum: Vector3<f64> = contours.loops.iter().map(|l| l.gradient).sum();
        let want = clipped_area(&a, &b, &frame);
        // The sphere's quads are flat, and so the sphere convex, up to the rounding of f32.
        let tolerance = if which == 1 { 3e-7 } else { 1e-12 };
        prop_assert!((sum - want).norm() < tolerance, "{} {}", sum, want);
        // Σ dr = 0 over every loop, up to rounding of the sum.
        for l in &contours.loops {
            let drift: Vector3<f64> = contours.segments(l, &out).map(|s| s.points[1] - s.points[0]).sum();
            prop_assert!(drift.norm() < 1e-13);
        }
    }

    #[test]
    fn the_order_of_the_segments_does_not_matter(turn in [-3.0..3.0f64, -3.0..3.0f64, -3.0..3.0f64], seed in any::<u64>()) {
        let (a, b) = (torus(1.0, 0.3, 16, 8), torus(0.9, 0.25, 14, 8));
        let mut out = intersections([&a, &b], &frame([0.6, 0.1, 0.0], turn));
        let before = assembled(&out);
        let line = |c: &Contours, out: &Intersections| -> Vec<Vec<[u32; 2]>> {
            c.loops.iter().map(|l| c.segments(l, out).map(|s| s.triangles).collect()).collect()
        };
        let want = line(&before, &out);
        let mut state = seed | 1;
        for i in (1..out.segments.len()).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            out.segments.swap(i, (state >> 33) as usize % (i + 1));
        }
        let after = assembled(&out);
        prop_assert_eq!(line(&after, &out), want);
        let gradients = |c: &Contours| c.loops.iter().map(|l| l.gradient).collect::<Vec<_>>();
        prop_assert_eq!(gradients(&after), gradients(&before));
    }
}

#[test]
fn two_boxes_in_a_corner_overlap() {
    // Unit boxes offset by (0.75, 0.5, 0.25): they share 0.25 × 0.5 × 0.75, and A's three inner
    // faces have the areas 0.5·0.75, 0.25·0.75 and 0.25·0.5, all outward along +.
    let cube = box_mesh([0.5; 3]);
    let out = intersections([&cube, &cube], &frame([0.75, 0.5, 0.25], [0.0; 3]));
    let contours = assembled(&out);
    assert!(contours.all_closed);
    assert_eq!(contours.loops.len(), 1);
    let g = contours.loops[0].gradient;
    assert!((g - Vector3::new(0.375, 0.1875, 0.125)).norm() < 1e-15, "{g}");
    // Pair frame: origin halfway, so A's centre stands at minus half the offset.
    let center = Point3::new(-0.375, -0.25, -0.125);
    assert_eq!(contours.loops[0].aabb[0], center + Vector3::new(0.25, 0.0, -0.25));
    assert_eq!(contours.loops[0].aabb[1], center + Vector3::new(0.5, 0.5, 0.5));
    assert!((contours.loops[0].length - 2.0 * (0.25 + 0.5 + 0.75)).abs() < 1e-15);
}

#[test]
fn a_rod_through_a_plate_makes_two_loops_in_two_clusters() {
    // The rod's walls inside the plate: a loop where it enters and one where it leaves, which cancel.
    let rod = box_mesh([0.1, 0.2, 2.0]);
    let plate = box_mesh([1.0, 1.0, 0.25]);
    let out = intersections([&rod, &plate], &frame([0.03, 0.05, 0.1], [0.0; 3]));
    let contours = assembled(&out);
    assert_eq!((contours.loops.len(), contours.all_closed), (2, true));
    let clusters = clusters(&contours);
    assert_eq!(clusters.len(), 2);
    for (l, c) in contours.loops.iter().zip(&clusters) {
        assert!((l.gradient.norm() - 0.08).abs() < 1e-8, "{}", l.gradient);
        assert_eq!(c.gradient, l.gradient);
        assert!(c.closed && !c.virtual_face);
    }
    assert!((contours.loops[0].gradient + contours.loops[1].gradient).norm() < 1e-15);
}

#[test]
fn loops_whose_boxes_chain_are_one_cluster() {
    let at = |x: f64| Loop {
        segments: 0..1,
        closed: true,
        gradient: Vector3::x(),
        aabb: [Point3::new(x, 0.0, 0.0), Point3::new(x + 1.0, 1.0, 1.0)],
        length: 1.0,
        virtual_faces: 0,
    };
    let loops = [5.0, 0.0, 1.75, 0.875, 10.0, 6.0].map(at).to_vec();
    let contours = Contours { loops, order: vec![0], all_closed: true };
    let found: Vec<Vec<u32>> = clusters(&contours).into_iter().map(|c| c.loops).collect();
    assert_eq!(found, [vec![0, 5], vec![1, 2, 3], vec![4]]);
}

#[test]
fn an_open_mesh_leaves_open_chains() {
    // A single triangle dipped into a box: the chain ends where the triangle does.
    let sheet = TriMesh::new(
        [[-0.2, 0.0, 0.3], [0.2, 0.0, 0.3], [0.0, 0.0, 3.0]].map(Point3::from).to_vec(),
        vec![[0, 1, 2]],
    )
    .unwrap();
    let out = intersections([&box_mesh([0.5; 3]), &sheet], &frame([0.01, 0.02, 0.03], [0.1, 0.0, 0.0]));
    let contours = assembled(&out);
    assert!(!contours.all_closed && contours.loops.len() == 1 && !contours.loops[0].closed);
    assert_eq!(contours.order.len(), out.segments.len());
    let chain: Vec<_> = contours.segments(&contours.loops[0], &out).collect();
    for pair in chain.windows(2) {
        assert_eq!(pair[0].ends[1], pair[1].ends[0]);
    }
}

/// The cubes of a grid of 3³ that `cells` has a bit for, as one surface: cubes that meet in an edge or a corner
/// share it, so that edges have two or four faces.
fn cubes(cells: u32, size: f32) -> TriMesh {
    let filled =
        |c: [i32; 3]| c.iter().all(|x| (0..3).contains(x)) && cells >> (9 * c[0] + 3 * c[1] + c[2]) & 1 == 1;
    let vertex = |c: [i32; 3]| (16 * c[0] + 4 * c[1] + c[2]) as u32;
    let vertices =
        (0..64).map(|v| [v / 16, v / 4 % 4, v % 4].map(|x| (x as f32 - 1.5) * size).into()).collect();
    let mut triangles = Vec::new();
    for cell in 0..27 {
        let c = [cell / 9, cell / 3 % 3, cell % 3];
        for (axis, step) in (0..3).flat_map(|axis| [(axis, -1), (axis, 1)]) {
            let mut beside = c;
            beside[axis] += step;
            if !filled(c) || filled(beside) {
                continue;
            }
            let corner = |u: i32, v: i32| {
                let mut at = c;
                at[axis] += i32::from(step > 0);
                at[(axis + 1) % 3] += u;
                at[(axis + 2) % 3] += v;
                vertex(at)
            };
            let [p, q, r, s] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
            triangles.extend(if step > 0 { [[p, q, r], [p, r, s]] } else { [[p, r, q], [p, s, r]] });
        }
    }
    TriMesh::new(vertices, triangles).unwrap()
}

/// ∫ x × dA over the surface that the contours bound, by Stokes: −½ ∮ |x|² dx.
fn torque(contours: &Contours, out: &Intersections) -> Vector3<f64> {
    let mut sum = Vector3::zeros();
    for [p, q] in contours.loops.iter().flat_map(|l| contours.outline(l, out)) {
        let along = q - p;
        let mean = p.coords.norm_squared() + p.coords.dot(&along) + along.norm_squared() / 3.0;
        sum -= along * (0.5 * mean);
    }
    sum
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Cubes that share edges and corners with each other, through a wide box: edges with four faces, fans of
    /// faces round a corner. The area vector is that of the cubes' surface inside.
    #[test]
    fn edges_of_four_faces_leave_no_contour_open(
        cells in 1..1u32 << 27,
        t in [-1.3..1.3f64, -1.3..1.3f64, -1.3..1.3f64],
        turn in [-3.0..3.0f64, -3.0..3.0f64, -3.0..3.0f64],
        straight in any::<bool>(),
    ) {
        let (a, b) = (cubes(cells, 0.5), box_mesh([0.5, 0.7, 0.9]));
        prop_assert!(a.is_closed());
        // Unturned, but off the grid: edges of four faces still meet faces at right angles.
        let frame = frame(t, if straight { [0.0; 3] } else { turn });
        let out = intersections([&a, &b], &frame);
        let contours = assembled(&out);
        prop_assert!(contours.all_closed);
        let sum: Vector3<f64> = contours.loops.iter().map(|l| l.gradient).sum();
        let want = clipped_area(&a, &b, &frame);
        prop_assert!((sum - want).norm() < 1e-12, "{} {}", sum, want);
        // The other way round: G of the exchanged pair is the opposite, as is the torque.
        let back = PairFrame::new(&frame_pose(&frame), &Isometry3::identity());
        let swapped = intersections([&b, &a], &back);
        let other = assembled(&swapped);
        prop_assert!(other.all_closed);
        let opposite: Vector3<f64> = other.loops.iter().map(|l| l.gradient).sum();
        prop_assert!((sum + opposite).norm() < 1e-12);
        prop_assert!((torque(&contours, &out) + torque(&other, &swapped)).norm() < 1e-12);
    }
}
