//! Queries of one tree against all triangles.

use std::collections::BTreeSet;

use impinge_geometry::{Obb, PairFrame, Side, SimdLevel, TriMesh, predicate::triangles_touch};
use impinge_midphase::ObbTree;
use impinge_midphase::obb_tree::{LineScratch, Lines, SphereScratch};
use nalgebra::{Isometry3, Matrix3, Point3, Vector3};
use proptest::prelude::*;

use crate::input::{Corners, mesh, pose, rotation, scale};

fn corners(mesh: &TriMesh) -> Vec<Corners> {
    (0..mesh.triangles().len() as u32).map(|t| mesh.corners(t).map(|p| p.cast())).collect()
}

fn triangles_of(tree: &ObbTree, leaves: &[u32]) -> BTreeSet<u32> {
    assert!(leaves.is_sorted_by(|a, b| a < b), "leaves come in rising order: {leaves:?}");
    leaves.iter().flat_map(|&leaf| tree.leaf_triangles(leaf)).collect()
}

/// The surface of a box, grown by `margin`.
fn surface(obb: &Obb, margin: f64) -> Vec<Corners> {
    let axes = obb.axes.cast::<f64>();
    let center = obb.center.cast::<f64>();
    let corner = |k: usize| {
        let s = Vector3::from_fn(|i, _| {
            let h = f64::from(obb.half[i]) + margin;
            if k >> i & 1 == 1 { h } else { -h }
        });
        center + axes * s
    };
    let quads = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
    quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).map(|t| t.map(corner)).collect()
}

fn mesh_and_pose() -> impl Strategy<Value = (std::sync::Arc<TriMesh>, f64, Isometry3<f64>)> {
    scale().prop_flat_map(|unit| (mesh(48, unit), Just(unit), pose([0.0; 3], 0.6 * unit)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// A triangle with a place within reach of a point, or of one of eight, is in a leaf that is found; a search that comes ever nearer ends at
    /// what is nearest.
    #[test]
    fn every_triangle_near_points_is_found(
        (a, unit, pose) in mesh_and_pose(),
        away in prop::array::uniform8(prop::array::uniform3(-0.3..0.3f64)),
        reach in prop_oneof![Just(0.0), 0.0..0.5f64],
    ) {
        let tree = ObbTree::build(&a);
        let reach = reach * unit;
        let center = a.aabb().center().cast::<f64>() + pose.translation.vector;
        let offsets = away.map(|d| d.map(|x| (x * unit) as f32));
        let spread = offsets.iter().map(|d| Vector3::from(*d).cast::<f64>().norm()).fold(0.0, f64::max);
        let points = offsets.map(|d| center + Vector3::from(d).cast());
        // Places of a triangle, all over it: none is nearer than the triangle is.
        let places = |t: &Corners| -> Vec<Point3<f64>> {
            let at = |i: u32, j: u32| {
                let [u, v] = [i, j].map(|k| f64::from(k) / 8.0);
                t[0] + (t[1] - t[0]) * u + (t[2] - t[0]) * v
            };
            (0..=8).flat_map(|i| (0..=8 - i).map(move |j| at(i, j))).collect()
        };
        let from = |t: &Corners, p: &Point3<f64>| places(t).iter().map(|q| (q - p).norm()).fold(f64::INFINITY, f64::min);
        let (mut leaves, mut scratch) = (Vec::new(), SphereScratch::default());
        tree.within(&center, reach, &mut scratch, &mut leaves);
        let near: BTreeSet<u32> = leaves.drain(..).flat_map(|leaf| tree.leaf_triangles(leaf)).collect();
        let columns = [0, 1, 2].map(|k| offsets.map(|d| d[k]));
        tree.within_points((&center, &columns), (spread, reach), &mut scratch, &mut leaves);
        let near_points: BTreeSet<u32> = leaves.drain(..).flat_map(|leaf| tree.leaf_triangles(leaf)).collect();
        let all = corners(&a);
        for (t, corners) in (0..).zip(&all) {
            prop_assert!(from(corners, &center) > reach || near.contains(&t), "triangle {t}");
            let least = points.iter().map(|p| from(corners, p)).fold(f64::INFINITY, f64::min);
            prop_assert!(least > reach || near_points.contains(&t), "triangle {t} near a point");
        }
        let least = all.iter().map(|t| from(t, &center)).fold(f64::INFINITY, f64::min);
        let mut found = f64::INFINITY;
        tree.near(&center, found, &mut scratch, &mut |leaf| {
            for t in tree.leaf_triangles(leaf) {
                found = found.min(from(&all[t as usize], &center));
            }
            found
        });
        prop_assert_eq!(found, least);
    }

    /// A triangle that has a corner in the box, or touches its surface, is in a leaf that is found.
    #[test]
    fn every_triangle_that_meets_a_box_is_found(
        (a, unit, pose) in mesh_and_pose(),
        half in prop::array::uniform3(0.0..0.5f64),
        margin in prop_oneof![Just(0.0), 0.0..0.2f64],
    ) {
        let tree = ObbTree::build(&a);
        let axes: Matrix3<f32> = pose.rotation.to_rotation_matrix().matrix().cast();
        let center = (a.aabb().center().cast::<f64>() + pose.translation.vector).cast::<f32>();
        let obb = Obb { center, axes, half: half.map(|h| (h * unit) as f32) };
        let margin = (margin * unit) as f32;
        let mut leaves = Vec::new();
        tree.overlapping(&obb, margin, &mut leaves);
        let found = triangles_of(&tree, &leaves);
        let faces = surface(&obb, f64::from(margin));
        for (t, corners) in corners(&a).iter().enumerate() {
            let inside = corners.iter().any(|p| {
                let d = obb.axes.cast::<f64>().tr_mul(&(p - obb.center.cast::<f64>()));
                (0..3).all(|i| d[i].abs() <= f64::from(obb.half[i]) + f64::from(margin))
            });
            if inside || faces.iter().any(|face| triangles_touch(face, corners)) {
                prop_assert!(found.contains(&(t as u32)), "triangle {t}");
            }
        }
    }

    #[test]
    fn every_triangle_that_reaches_below_a_plane_is_found(
        (a, unit, pose) in mesh_and_pose(),
        level in -0.6..0.6f64,
        margin in prop_oneof![Just(0.0), 0.0..0.2f64],
    ) {
        let tree = ObbTree::build(&a);
        let normal = pose.rotation * Vector3::z();
        let offset = normal.dot(&a.aabb().center().cast::<f64>().coords) + level * unit;
        let mut leaves = Vec::new();
        tree.below_plane(&normal, offset, margin * unit, &mut leaves);
        let found = triangles_of(&tree, &leaves);
        let reaches = |t: &Corners| t.iter().any(|p| normal.dot(&p.coords) <= offset + margin * unit);
        for (t, _) in corners(&a).iter().enumerate().filter(|(_, t)| reaches(t)) {
            prop_assert!(found.contains(&(t as u32)), "triangle {t}");
        }
    }

    /// Lines find every triangle that one of them crosses, also after its corners were moved by the slack,
    /// and none whose bounds lie between them; each once, and the same on every level.
    #[test]
    fn lines_find_the_triangles_that_they_cross(
        (a, unit, pose) in mesh_and_pose(),
        turn in rotation(),
        spacing in prop::array::uniform2(prop_oneof![Just(1e-4), 1e-3..0.3f64]),
        count in prop::array::uniform2(prop_oneof![Just(1u32), 2..24u32]),
        slack in prop_oneof![Just(0.0), Just(0.002), 0.0..0.2f64],
        moves in prop::array::uniform6(-1.0..1.0f64),
        far in prop_oneof![Just(f64::INFINITY), -0.5..0.5f64],
        straight in any::<bool>(),
    ) {
        let mut tree = ObbTree::build(&a);
        let frame = PairFrame::new(&pose, &Isometry3::translation(unit, 0.0, 0.0));
        let turn = if straight { frame.rotation[0] } else { *turn.to_rotation_matrix().matrix() };
        let [x, y] = [0, 1].map(|k| -0.5 * f64::from(count[k]) * spacing[k] * unit);
        let lines = Lines {
            origin: frame.place(Side::A, &a.aabb().center()) + turn * Vector3::new(x, y, 0.0),
            right: turn * Vector3::x(),
            up: turn * Vector3::y(),
            forward: turn * Vector3::z(),
            spacing: spacing.map(|s| s * unit),
            count,
            slack,
            far: far * unit,
        };
        let local = lines.in_frame_of(&frame, Side::A);
        let (mut found, mut scratch) = (Vec::new(), LineScratch::default());
        tree.lines(&local, &mut scratch, &mut found);
        for level in SimdLevel::available() {
            tree.set_simd(level);
            let mut again = Vec::new();
            tree.lines(&local, &mut scratch, &mut again);
            prop_assert_eq!(&again, &found);
        }
        let set: BTreeSet<u32> = found.iter().copied().collect();
        prop_assert_eq!(set.len(), found.len());
        let reach = f64::from(a.aabb().center().coords.norm()) + 4.0 * unit;
        for (t, corners) in corners(&a).iter().enumerate() {
            let seen = corners.map(|p| {
                let d = frame.place_f64(Side::A, &p) - lines.origin;
                [lines.right.dot(&d) / lines.spacing[0], lines.up.dot(&d) / lines.spacing[1], lines.forward.dot(&d)]
            });
            let least = |k: usize| seen[0][k].min(seen[1][k]).min(seen[2][k]);
            let most = |k: usize| seen[0][k].max(seen[1][k]).max(seen[2][k]);
            if set.contains(&(t as u32)) {
                let between = |k: usize| {
                    let by = slack + 1e-4 * reach / lines.spacing[k];
                    (least(k) - by).ceil().max(0.0) > (most(k) + by).floor().min(f64::from(count[k]) - 1.0)
                };
                prop_assert!(!between(0) && !between(1), "triangle {t} lies between the lines");
                continue;
            }
            let moved: [[f64; 2]; 3] =
                [0, 1, 2].map(|i| [0, 1].map(|k| seen[i][k] + slack * moves[2 * i + k]));
            let crossed = (0..count[0] * count[1]).any(|line| {
                let at = [line % count[0], line / count[0]].map(f64::from);
                let from = moved.map(|p| [p[0] - at[0], p[1] - at[1]]);
                let side = |i: usize| {
                    let (p, q) = (from[i], from[(i + 1) % 3]);
                    p[0] * q[1] - p[1] * q[0]
                };
                (0..3).all(|i| side(i) > 0.0) || (0..3).all(|i| side(i) < 0.0)
            });
            prop_assert!(!crossed || least(2) > lines.far, "triangle {t} is crossed but was not found");
        }
    }
}
