//! The dual descent against all pairs of triangles.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use impinge_geometry::{PairFrame, Side, SimdLevel, TriMesh, predicate::triangles_touch};
use impinge_midphase::{BuildSettings, DescentCounts, ObbTree, descend};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use proptest::prelude::*;

use crate::distance::triangle_distance;
use crate::input::{meeting, mesh, placed, pose, scale, torus};

fn leaf_pairs(a: &ObbTree, b: &ObbTree, frame: &PairFrame, margin: f64) -> (Vec<[u32; 2]>, DescentCounts) {
    let (mut pairs, mut counts) = (Vec::new(), DescentCounts::default());
    let flow = descend(
        a,
        b,
        frame,
        margin,
        &mut |x, y| {
            pairs.push([x, y]);
            ControlFlow::Continue(())
        },
        &mut counts,
    );
    assert_eq!(flow, ControlFlow::Continue(()));
    assert_eq!(counts.leaf_pairs, pairs.len() as u64);
    (pairs, counts)
}

/// Pairs of triangles in the leaf pairs visited; no pair of leaves may come twice.
fn triangle_pairs(a: &ObbTree, b: &ObbTree, pairs: &[[u32; 2]]) -> BTreeSet<(u32, u32)> {
    let mut found = BTreeSet::new();
    for &[x, y] in pairs {
        for s in a.leaf_triangles(x) {
            for t in b.leaf_triangles(y) {
                assert!(found.insert((s, t)), "leaves {x} and {y} come twice");
            }
        }
    }
    found
}

/// Asserts that every touching pair, and every pair closer than the margin, is visited; gives how many
/// there are.
fn check(a: &TriMesh, b: &TriMesh, frame: &PairFrame, margin: f64) -> Result<usize, TestCaseError> {
    let trees = [ObbTree::build(a), ObbTree::build_with(b, &BuildSettings::QUICK)];
    let (pairs, _) = leaf_pairs(&trees[0], &trees[1], frame, margin);
    let found = triangle_pairs(&trees[0], &trees[1], &pairs);
    let (pa, pb) = (placed(a, frame, Side::A), placed(b, frame, Side::B));
    let mut wanted = 0;
    for (s, corners_s) in pa.iter().enumerate() {
        for (t, corners_t) in pb.iter().enumerate() {
            let touching = triangles_touch(corners_s, corners_t);
            if touching || triangle_distance(corners_s, corners_t) < margin {
                wanted += 1;
                let visited = found.contains(&(s as u32, t as u32));
                prop_assert!(visited, "triangles {s} and {t} meet (touching: {touching}) but were culled");
            }
        }
    }
    Ok(wanted)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Two bodies of the same size, anywhere from a micrometre to a thousand kilometres, at the
    /// origin or far away.
    #[test]
    fn every_pair_of_triangles_that_meets_is_visited(
        (a, b, unit, pose) in scale().prop_flat_map(|unit| {
            (mesh(48, unit), mesh(48, unit), Just(unit), pose([0.0; 3], 0.7 * unit))
        }),
        far in prop_oneof![Just(0.0), Just(4096.0)],
        margin in prop_oneof![Just(0.0), 0.0..0.3],
    ) {
        let shift = Translation3::new(far * unit, -far * unit, far * unit);
        let at_b = shift * meeting(&a, &b, &pose);
        let at_a = shift * Isometry3::identity();
        check(&a, &b, &PairFrame::new(&at_a, &at_b), margin * unit)?;
    }

    /// A body a thousand to a million times smaller than the other, somewhere inside its box.
    #[test]
    fn every_pair_of_bodies_of_very_different_size_is_visited(
        (a, b, pose) in (3..=6).prop_flat_map(|k: i32| {
            (mesh(48, 1.0), mesh(48, 10f64.powi(-k)), pose([0.0; 3], 0.5))
        }),
        swap in any::<bool>(),
    ) {
        let (at_a, at_b) = (Isometry3::identity(), meeting(&a, &b, &pose));
        if swap {
            check(&b, &a, &PairFrame::new(&at_b, &at_a), 0.0)?;
        } else {
            check(&a, &b, &PairFrame::new(&at_a, &at_b), 0.0)?;
        }
    }

    /// A mesh against itself, turned by nothing or very little: coincident and near-coincident faces.
    #[test]
    fn every_pair_of_a_mesh_laid_onto_itself_is_visited(
        (a, unit) in scale().prop_flat_map(|unit| (mesh(40, unit), Just(unit))),
        angle in prop_oneof![Just(0.0), 1e-9..1e-3],
    ) {
        let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), angle);
        let at_b = meeting(&a, &a, &Isometry3::from_parts(Translation3::identity(), turn));
        let wanted = check(&a, &a, &PairFrame::new(&Isometry3::identity(), &at_b), 1e-6 * unit)?;
        prop_assert!(angle > 0.0 || wanted >= a.triangles().len());
    }
}

/// Two unit tori, one the other's link: they touch where their tubes meet.
#[test]
fn linked_tori_are_visited_where_they_touch_and_hardly_elsewhere() {
    let mesh = torus(1.0, 0.3, 60, 30);
    let tree = ObbTree::build(&mesh);
    let turn = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), 1.6);
    let at_b = Isometry3::from_parts(Translation3::new(0.45, 0.1, 0.05), turn);
    let frame = PairFrame::new(&Isometry3::identity(), &at_b);
    let (pairs, counts) = leaf_pairs(&tree, &tree, &frame, 0.0);
    let found = triangle_pairs(&tree, &tree, &pairs);
    let (pa, pb) = (placed(&mesh, &frame, Side::A), placed(&mesh, &frame, Side::B));
    let mut touching = 0;
    for (s, x) in pa.iter().enumerate() {
        for (t, y) in pb.iter().enumerate() {
            if triangles_touch(x, y) {
                touching += 1;
                assert!(found.contains(&(s as u32, t as u32)));
            }
        }
    }
    assert!(touching > 50, "the tori touch in {touching} pairs");
    assert!(found.len() < 60 * touching, "{} pairs visited for {touching} that touch", found.len());
    assert!(counts.box_tests < 40_000, "{} box tests", counts.box_tests);
}

/// A floor and four walls of two triangles each: a leaf of floor and wall would hold the whole room.
#[test]
fn what_stands_in_a_room_reaches_no_leaf_of_its_walls() {
    let corner = |k: u8| Point3::new(f32::from(k & 1), f32::from(k >> 1 & 1), f32::from(k >> 2 & 1));
    let quads = [[0u32, 1, 3, 2], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let room = TriMesh::new((0..8).map(corner).collect(), triangles).expect("sound");
    let body = torus(0.15, 0.05, 24, 12);
    let bodies = ObbTree::build(&body);
    for settings in [BuildSettings::default(), BuildSettings::QUICK] {
        let walls = ObbTree::build_with(&room, &settings);
        let visited = |x: f64| {
            let turn = UnitQuaternion::from_euler_angles(0.3, 0.4, 0.5);
            let at_body = Isometry3::from_parts(Translation3::new(x, 0.45, 0.55), turn);
            let frame = PairFrame::new(&Isometry3::identity(), &at_body);
            leaf_pairs(&walls, &bodies, &frame, 0.0).0.len()
        };
        assert_eq!(visited(0.5), 0, "{settings:?}");
        // Through one wall: of the bodies' leaves only those at the wall.
        assert!((1..bodies.leaf_count() / 2).contains(&visited(0.02)), "{settings:?}: {}", visited(0.02));
    }
}

/// Leaves with little room in them stay full: a test of four triangles costs as much as one of one.
#[test]
fn leaves_of_fine_meshes_are_full() {
    for (n, m) in [(24, 12), (60, 30), (200, 100)] {
        let (triangles, tree) = (2 * n * m, ObbTree::build(&torus(1.0, 0.3, n, m)));
        let per_leaf = f64::from(triangles) / tree.leaf_count() as f64;
        assert!(per_leaf > 3.2, "{per_leaf} triangles a leaf of {triangles}");
    }
}

/// A torus of a micrometre at the outermost vertex of a torus of a kilometre: of the large one only
/// the leaves around that vertex are visited, and none once the small one is ten metres away.
#[test]
fn a_micrometre_on_a_kilometre_is_culled_at_its_own_scale() {
    let (small, large) = (torus(1e-6, 0.3e-6, 16, 8), torus(1e3, 300.0, 64, 32));
    let (tree_s, tree_l) = (ObbTree::build(&small), ObbTree::build(&large));
    let vertex = f64::from(large.vertices()[0].x);
    let leaves = |gap: f64| {
        let pose = Isometry3::translation(vertex + 1.3e-6 + gap, 0.0, 0.0);
        let frame = PairFrame::new(&pose, &Isometry3::identity());
        let (pairs, _) = leaf_pairs(&tree_s, &tree_l, &frame, 0.0);
        pairs.iter().map(|p| p[1]).collect::<BTreeSet<u32>>().len()
    };
    assert!((1..=8).contains(&leaves(0.0)), "{} leaves", leaves(0.0));
    assert_eq!(leaves(10.0), 0);
}

/// The same visits in the same order, and the same counts, with any instructions.
#[test]
fn the_instructions_used_change_nothing() {
    let mut tree = ObbTree::build(&torus(1.0, 0.3, 60, 30));
    let turn = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), 1.6);
    let at_b = Isometry3::from_parts(Translation3::new(0.45, 0.1, 0.05), turn);
    let frame = PairFrame::new(&Isometry3::identity(), &at_b);
    let first = leaf_pairs(&tree, &tree, &frame, 0.01);
    assert!(!first.0.is_empty());
    for level in SimdLevel::available() {
        tree.set_simd(level);
        assert_eq!(leaf_pairs(&tree, &tree, &frame, 0.01), first, "{level:?}");
    }
}

#[test]
fn the_visit_can_be_broken_off() {
    let tree = ObbTree::build(&torus(1.0, 0.3, 20, 10));
    let frame = PairFrame::new(&Isometry3::identity(), &Isometry3::translation(0.1, 0.0, 0.0));
    let (all, _) = leaf_pairs(&tree, &tree, &frame, 0.0);
    let (mut first, mut counts) = (Vec::new(), DescentCounts::default());
    let mut visit = |x, y| {
        first.push([x, y]);
        if first.len() == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let flow = descend(&tree, &tree, &frame, 0.0, &mut visit, &mut counts);
    assert_eq!(flow, ControlFlow::Break(()));
    assert_eq!(first, all[..3]);
}
