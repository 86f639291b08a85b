//! The tree of a level set: every triangle is in one leaf, every search finds all that brute force finds, and few boxes are opened however large
//! the grid is.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use impinge_geometry::{LevelSet, LevelSetSettings, Obb, PairFrame, Side, TriMesh};
use impinge_midphase::obb_tree::{LineScratch, Lines, RayScratch, TreeRay};
use impinge_midphase::{DescentCounts, ObbTree, descend};
use nalgebra::{Isometry3, Matrix3, Point3, Translation3, UnitQuaternion, Vector3};
use proptest::prelude::*;

use crate::input::torus;

/// Lumps of a wave, rough at the size of a cell, of half a metre a cell.
fn lumps(size: [u32; 3], seed: u32) -> Arc<LevelSet> {
    let settings = LevelSetSettings { spacing: [0.5, 0.45, 0.6], origin: [-3.0, 1.0, 0.25] };
    let mut at = 0u32;
    let values =
        (0..size[2]).flat_map(|k| (0..size[1]).flat_map(move |j| (0..size[0]).map(move |i| [i, j, k])));
    let values = values
        .map(|place| {
            at = at.wrapping_add(1);
            let rough = at.wrapping_mul(2_654_435_761).wrapping_add(seed.wrapping_mul(40_503)) >> 16;
            let [x, y, z] = place.map(|n| f64::from(n) * 0.7);
            let wave = (x + f64::from(seed)).sin() + y.cos() + (0.8 * z).sin();
            let value = wave as f32 + rough as f32 / 65_536.0 - 0.5;
            let border = (0..3).any(|k| place[k] == 0 || place[k] + 1 == size[k]);
            // Something is inside.
            let middle = (0..3).all(|k| place[k] == size[k] / 2);
            match (border, middle) {
                (_, true) => -0.5,
                (true, _) => value.abs(),
                _ => value,
            }
        })
        .collect();
    Arc::new(LevelSet::new(size, values, &settings).unwrap())
}

/// All leaves that there are, by a box that holds everything.
fn leaves(levels: &LevelSet, tree: &ObbTree) -> Vec<u32> {
    let aabb = levels.aabb();
    let half = [0, 1, 2].map(|k| aabb.max[k] - aabb.min[k]);
    let mut leaves = Vec::new();
    let _ =
        tree.overlapping(&Obb { center: aabb.center(), axes: Matrix3::identity(), half }, 0.0, &mut leaves);
    leaves
}

#[test]
fn every_triangle_is_in_one_leaf() {
    for size in [[5, 5, 5], [6, 9, 12], [33, 5, 17], [8, 70, 5], [40, 40, 40]] {
        let levels = lumps(size, 7);
        let tree = ObbTree::of_levels(levels.clone());
        let leaves = leaves(&levels, &tree);
        let distinct: BTreeSet<u32> = leaves.iter().copied().collect();
        assert_eq!(distinct.len(), leaves.len(), "{size:?}");
        let mut found: Vec<u32> = leaves.iter().flat_map(|&leaf| tree.leaf_triangles(leaf)).collect();
        found.sort_unstable();
        let expected: Vec<u32> = levels.triangles().collect();
        assert!(expected.len() > 20);
        assert_eq!(found, expected, "{size:?}");
        assert!(leaves.iter().all(|&leaf| !tree.leaf_triangles(leaf).is_empty()));
        assert!(leaves.iter().all(|&leaf| (leaf as usize) < tree.leaf_count()));
        let reach = tree.reach();
        assert!(
            expected.iter().flat_map(|&t| levels.corners(t)).all(|p| f64::from(p.coords.amax()) <= reach)
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Pairs of triangles that touch are in pairs of leaves, whichever side the level set is on.
    #[test]
    fn no_pair_of_triangles_is_lost(
        size in prop::array::uniform3(5u32..18),
        seed in 0u32..100,
        at in prop::array::uniform3(-0.2f64..1.2),
        turn in prop::array::uniform3(-3.0f64..3.0),
        scale in 0.2f32..4.0,
    ) {
        let levels = lumps(size, seed);
        let mesh: TriMesh = torus(0.7, 0.3, 12, 7).scaled(f64::from(scale)).unwrap();
        let (tree, other) = (ObbTree::of_levels(levels.clone()), ObbTree::build(&mesh));
        let aabb = levels.aabb();
        let place = |k: usize| f64::from(aabb.min[k]) + at[k] * f64::from(aabb.max[k] - aabb.min[k]);
        let pose = Isometry3::from_parts(
            Translation3::new(place(0), place(1), place(2)),
            UnitQuaternion::from_scaled_axis(turn.into()),
        );
        let body = Isometry3::from_parts(
            Translation3::new(3.0, -2.0, 1.0),
            UnitQuaternion::from_scaled_axis(Vector3::from(turn) * 0.3),
        );
        let frame = PairFrame::new(&body, &(body * pose));
        let mut found = BTreeSet::new();
        let _ = descend(&tree, &other, &frame, 0.0, &mut |a, b| {
            for s in tree.leaf_triangles(a) {
                found.extend(other.leaf_triangles(b).iter().map(|&t| [s, t]));
            }
            ControlFlow::Continue(())
        }, &mut DescentCounts::default());
        let mut turned = BTreeSet::new();
        let _ = descend(&other, &tree, &frame.swapped(), 0.0, &mut |b, a| {
            for s in tree.leaf_triangles(a) {
                turned.extend(other.leaf_triangles(b).iter().map(|&t| [s, t]));
            }
            ControlFlow::Continue(())
        }, &mut DescentCounts::default());
        for s in levels.triangles() {
            let own = levels.corners(s).map(|p| frame.place(Side::A, &p));
            for t in 0..mesh.triangles().len() as u32 {
                let other = mesh.corners(t).map(|p| frame.place(Side::B, &p));
                if impinge_geometry::predicate::triangles_touch(&own, &other) {
                    prop_assert!(found.contains(&[s, t]), "{s} {t}");
                    prop_assert!(turned.contains(&[s, t]), "{s} {t}, exchanged");
                }
            }
        }
    }

    /// What lies below a plane, and what a line crosses.
    #[test]
    fn searches_find_what_brute_force_finds(
        size in prop::array::uniform3(5u32..18),
        seed in 0u32..100,
        at in prop::array::uniform3(-0.1f64..1.1),
        direction in prop::array::uniform3(-1.0f64..1.0),
    ) {
        let levels = lumps(size, seed);
        let tree = ObbTree::of_levels(levels.clone());
        let aabb = levels.aabb();
        let corner = |k: usize| f64::from(aabb.min[k]) + at[k] * f64::from(aabb.max[k] - aabb.min[k]);
        let center = Point3::new(corner(0), corner(1), corner(2));
        let mut leaves = Vec::new();
        let normal = Vector3::from(direction).try_normalize(1e-3).unwrap_or_else(Vector3::z);
        let offset = normal.dot(&center.coords);
        let _ = tree.below_plane(&normal, offset, 0.0, &mut leaves);
        let found: BTreeSet<u32> = leaves.iter().flat_map(|&leaf| tree.leaf_triangles(leaf)).collect();
        for t in levels.triangles() {
            if levels.corners(t).iter().any(|p| normal.dot(&p.coords.cast()) <= offset) {
                prop_assert!(found.contains(&t), "{t} below");
            }
        }
        let right = if normal.x.abs() < 0.9 { Vector3::x() } else { Vector3::y() }.cross(&normal).normalize();
        let lines = Lines {
            origin: center, right, up: normal.cross(&right), forward: normal,
            spacing: [1.0; 2], count: [1; 2], slack: 1e-12, far: f64::INFINITY,
        };
        let (mut listed, mut visited) = (Vec::new(), BTreeSet::new());
        let _ = tree.lines(&lines, &mut LineScratch::default(), &mut listed);
        let ray = TreeRay { origin: center, direction: normal, from: -1e3, until: 1e3, slack: 0.0 };
        let _ = tree.ray(&ray, &mut RayScratch::default(), &mut |t| { visited.insert(t); f64::INFINITY });
        for t in levels.triangles() {
            let [a, b, c] = levels.corners(t).map(|p| p.cast::<f64>());
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

/// A body on a plate costs the same tests, whatever the grid's size.
#[test]
fn a_search_begins_where_the_body_is() {
    let mesh = torus(0.7, 0.3, 24, 14);
    let other = ObbTree::build(&mesh);
    let mut tests = Vec::new();
    for side in [32u32, 128, 512] {
        let settings = LevelSetSettings { spacing: [0.25; 3], origin: [0.0; 3] };
        let last = f64::from(side - 1) * 0.25;
        let plate = LevelSet::from_function([side, side, 13], &settings, |p| {
            let border = (0.5 - p.x.min(p.y)).max(p.x.max(p.y) - last + 0.5);
            (p.z - 1.6).abs().max(border) - 0.4
        });
        let tree = ObbTree::of_levels(Arc::new(plate.unwrap()));
        let at = f64::from(side / 2) * 0.25 + 0.3;
        let frame = PairFrame::new(&Isometry3::identity(), &Isometry3::translation(at, at, 2.2));
        let mut counts = DescentCounts::default();
        let _ = descend(&tree, &other, &frame, 0.0, &mut |_, _| ControlFlow::Continue(()), &mut counts);
        assert!(counts.leaf_pairs > 10, "{counts:?}");
        tests.push(counts.wide_tests);
    }
    let (least, most) = (tests.iter().min().unwrap(), tests.iter().max().unwrap());
    assert!(most - least <= 8, "{tests:?}");
}
