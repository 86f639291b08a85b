//! The tree of a height field: every triangle is in one leaf, every search finds all that brute force finds, and few boxes are opened however large
//! the field is.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use impinge_geometry::{HeightField, HeightFieldSettings, Obb, PairFrame, TriMesh};
use impinge_midphase::obb_tree::{LineScratch, Lines, RayScratch, TreeRay};
use impinge_midphase::{DescentCounts, ObbTree, descend};
use nalgebra::{Isometry3, Matrix3, Point3, Translation3, UnitQuaternion, Vector3};
use proptest::prelude::*;

use crate::input::torus;

fn field(size: [u32; 2], gaps: bool, seed: u32) -> Arc<HeightField> {
    let height = |k: u32| {
        let h = k.wrapping_mul(2_654_435_761).wrapping_add(seed.wrapping_mul(40_503));
        if gaps && h >> 28 == 0 { f32::NAN } else { (h >> 16) as f32 / 65_536.0 }
    };
    let heights = (0..size[0] * size[1]).map(height).collect();
    let settings = HeightFieldSettings { spacing: [0.5, 0.75], ..HeightFieldSettings::default() };
    Arc::new(HeightField::new(size, heights, &settings).unwrap())
}

/// All leaves that there are, by a box that holds everything.
fn leaves(field: &HeightField, tree: &ObbTree) -> Vec<u32> {
    let aabb = field.aabb();
    let half = [0, 1, 2].map(|k| aabb.max[k] - aabb.min[k]);
    let mut leaves = Vec::new();
    let _ =
        tree.overlapping(&Obb { center: aabb.center(), axes: Matrix3::identity(), half }, 0.0, &mut leaves);
    leaves
}

#[test]
fn every_triangle_is_in_one_leaf() {
    for (size, gaps) in [
        ([2, 2], false),
        ([5, 9], false),
        ([33, 17], false),
        ([130, 70], false),
        ([3, 400], true),
        ([41, 66], true),
    ] {
        let field = field(size, gaps, 7);
        let tree = ObbTree::of_field(field.clone());
        let leaves = leaves(&field, &tree);
        assert!(leaves.windows(2).all(|pair| pair[0] < pair[1]), "{size:?}: leaves rise");
        let mut found: Vec<u32> = leaves.iter().flat_map(|&leaf| tree.leaf_triangles(leaf)).collect();
        found.sort_unstable();
        let expected: Vec<u32> = field.triangles().collect();
        assert_eq!(found, expected, "{size:?}");
        assert!(leaves.iter().all(|&leaf| !tree.leaf_triangles(leaf).is_empty()));
        let reach = tree.reach();
        assert!(expected.iter().flat_map(|&t| field.corners(t)).all(|p| f64::from(p.coords.amax()) <= reach));
    }
}

fn meets(corners: &[Point3<f64>; 3], low: &Point3<f64>, high: &Point3<f64>) -> bool {
    (0..3).all(|k| {
        let at = corners.map(|p| p[k]);
        at.iter().any(|x| *x <= high[k]) && at.iter().any(|x| *x >= low[k])
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Pairs of triangles whose boxes meet are in pairs of leaves, whichever side the field is on.
    #[test]
    fn no_pair_of_triangles_is_lost(
        size in prop::array::uniform2(2u32..60),
        gaps in any::<bool>(),
        at in prop::array::uniform3(-0.2f64..1.2),
        turn in prop::array::uniform3(-3.0f64..3.0),
        scale in 0.2f32..4.0,
    ) {
        let field = field(size, gaps, 3);
        let mesh: TriMesh = torus(0.7, 0.3, 12, 7).scaled(f64::from(scale)).unwrap();
        let (tree, other) = (ObbTree::of_field(field.clone()), ObbTree::build(&mesh));
        let aabb = field.aabb();
        let place = |k: usize| f64::from(aabb.min[k]) + at[k] * f64::from(aabb.max[k] - aabb.min[k]);
        let shift = Translation3::new(place(0), place(1), 0.5 + at[2]);
        let pose = Isometry3::from_parts(shift, UnitQuaternion::from_scaled_axis(turn.into()));
        let ground = Isometry3::from_parts(Translation3::new(3.0, -2.0, 1.0), UnitQuaternion::from_scaled_axis(Vector3::from(turn) * 0.3));
        let frame = PairFrame::new(&ground, &(ground * pose));
        let placed = |t: u32, of_field: bool| {
            let (side, corners) = match of_field {
                true => (impinge_geometry::Side::A, field.corners(t)),
                false => (impinge_geometry::Side::B, mesh.corners(t)),
            };
            corners.map(|p| frame.place(side, &p))
        };
        let mut found = BTreeSet::new();
        let mut counts = DescentCounts::default();
        let _ = descend(&tree, &other, &frame, 0.0, &mut |a, b| {
            for s in tree.leaf_triangles(a) {
                found.extend(other.leaf_triangles(b).iter().map(|&t| [s, t]));
            }
            ControlFlow::Continue(())
        }, &mut counts);
        let mut turned = BTreeSet::new();
        let _ = descend(&other, &tree, &frame.swapped(), 0.0, &mut |b, a| {
            for s in tree.leaf_triangles(a) {
                turned.extend(other.leaf_triangles(b).iter().map(|&t| [s, t]));
            }
            ControlFlow::Continue(())
        }, &mut DescentCounts::default());
        for s in field.triangles() {
            let own = placed(s, true);
            for t in 0..mesh.triangles().len() as u32 {
                let other = placed(t, false);
                if impinge_geometry::predicate::triangles_touch(&own, &other) {
                    prop_assert!(found.contains(&[s, t]), "{s} {t}");
                    prop_assert!(turned.contains(&[s, t]), "{s} {t}, exchanged");
                }
            }
        }
    }

    /// What a box meets, what lies below a plane, and what a line crosses.
    #[test]
    fn searches_find_what_brute_force_finds(
        size in prop::array::uniform2(2u32..60),
        gaps in any::<bool>(),
        at in prop::array::uniform3(-0.1f64..1.1),
        half in prop::array::uniform3(0.05f32..6.0),
        direction in prop::array::uniform3(-1.0f64..1.0),
    ) {
        let field = field(size, gaps, 5);
        let tree = ObbTree::of_field(field.clone());
        let aabb = field.aabb();
        let corner = |k: usize| f64::from(aabb.min[k]) + at[k] * f64::from(aabb.max[k] - aabb.min[k]);
        let center = Point3::new(corner(0), corner(1), at[2]);
        let mut leaves = Vec::new();
        let _ = tree.overlapping(&Obb { center: center.cast(), axes: Matrix3::identity(), half }, 0.0, &mut leaves);
        let found: BTreeSet<u32> = leaves.iter().flat_map(|&leaf| tree.leaf_triangles(leaf)).collect();
        let reach = Vector3::from(half).cast::<f64>();
        let center32 = center.cast::<f32>().cast::<f64>();
        for t in field.triangles() {
            let corners = field.corners(t).map(|p| p.cast::<f64>());
            if meets(&corners, &(center32 - reach), &(center32 + reach)) && corners.iter().any(|p| (p - center32).abs().iter().zip(reach.iter()).all(|(d, r)| d <= r)) {
                prop_assert!(found.contains(&t), "{t}");
            }
        }
        leaves.clear();
        let normal = Vector3::from(direction).try_normalize(1e-3).unwrap_or_else(Vector3::z);
        let offset = normal.dot(&center.coords);
        let _ = tree.below_plane(&normal, offset, 0.0, &mut leaves);
        let found: BTreeSet<u32> = leaves.iter().flat_map(|&leaf| tree.leaf_triangles(leaf)).collect();
        for t in field.triangles() {
            if field.corners(t).iter().any(|p| normal.dot(&p.coords.cast()) <= offset) {
                prop_assert!(found.contains(&t), "{t} below");
            }
        }
        // A line, and a ray along it, meet the triangles that Möller and Trumbore's test says.
        let right = if normal.x.abs() < 0.9 { Vector3::x() } else { Vector3::y() }.cross(&normal).normalize();
        let lines = Lines {
            origin: center, right, up: normal.cross(&right), forward: normal,
            spacing: [1.0; 2], count: [1; 2], slack: 1e-12, far: f64::INFINITY,
        };
        let (mut listed, mut visited) = (Vec::new(), BTreeSet::new());
        let _ = tree.lines(&lines, &mut LineScratch::default(), &mut listed);
        let ray = TreeRay { origin: center, direction: normal, from: -1e3, until: 1e3, slack: 0.0 };
        let _ = tree.ray(&ray, &mut RayScratch::default(), &mut |t| { visited.insert(t); f64::INFINITY });
        for t in field.triangles() {
            let [a, b, c] = field.corners(t).map(|p| p.cast::<f64>());
            let (e, f) = (b - a, c - a);
            let (p, s) = (normal.cross(&f), center - a);
            let det = e.dot(&p);
            let (u, v) = (s.dot(&p) / det, normal.dot(&s.cross(&e)) / det);
            if det.abs() > 1e-9 && u >= 0.0 && v >= 0.0 && u + v <= 1.0 {
                prop_assert!(listed.contains(&t) && visited.contains(&t), "{t}");
            }
        }
    }
}

/// A body over a field costs the same tests, whatever the field's size.
#[test]
fn a_search_begins_where_the_body_is() {
    let mesh = torus(0.7, 0.3, 24, 14);
    let other = ObbTree::build(&mesh);
    let mut tests = Vec::new();
    for side in [64u32, 512, 2048] {
        let heights = (0..side * side).map(|k| ((k % side % 16 + k / side % 16) % 5) as f32 * 0.1).collect();
        let field = Arc::new(HeightField::new([side; 2], heights, &HeightFieldSettings::default()).unwrap());
        let tree = ObbTree::of_field(field);
        let at = f64::from(side / 2) + 3.3;
        let frame = PairFrame::new(&Isometry3::identity(), &Isometry3::translation(at, at, 0.3));
        let mut counts = DescentCounts::default();
        let _ = descend(&tree, &other, &frame, 0.0, &mut |_, _| ControlFlow::Continue(()), &mut counts);
        assert!(counts.leaf_pairs > 10, "{counts:?}");
        tests.push(counts.wide_tests);
    }
    let (least, most) = (tests.iter().min().unwrap(), tests.iter().max().unwrap());
    assert!(most - least <= 6, "{tests:?}");
}
