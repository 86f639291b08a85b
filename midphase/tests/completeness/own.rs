//! A surface against itself, against all pairs of its triangles' boxes.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use impinge_geometry::{SimdLevel, TriMesh};
use impinge_midphase::obb_tree::{FlatBoxes, OwnBoxes, OwnLeafPair, OwnSearch};
use impinge_midphase::{DescentCounts, ObbTree};
use nalgebra::Point3;
use proptest::prelude::*;

use crate::input::{mesh, scale, torus};

/// Pairs of triangles in the order in which a search visits them.
fn visited(tree: &ObbTree, mesh: &TriMesh, margin: f64, strangers: bool) -> Vec<[u32; 2]> {
    let (mut found, mut boxes) = (Vec::new(), OwnBoxes::default());
    let mut visit = |pair: OwnLeafPair<'_>| {
        let [of_a, of_b] = pair.leaves.map(|leaf| tree.leaf_triangles(leaf));
        for bit in (0..16).filter(|bit| pair.found >> bit & 1 == 1) {
            let (s, t) = (of_a[bit / 4], of_b[bit % 4]);
            assert_eq!(pair.vertices([bit / 4, bit % 4]), [s, t].map(|t| mesh.triangles()[t as usize]));
            found.push([s.min(t), s.max(t)]);
        }
        ControlFlow::Continue(())
    };
    let search = OwnSearch { tree, mesh, flat: &FlatBoxes::default(), margin, strangers };
    let flow = search.run(&mut boxes, &mut visit, &mut DescentCounts::default());
    assert_eq!(flow, ControlFlow::Continue(()));
    found
}

/// How far apart the boxes of two triangles are along the axis on which they are farthest (m; negative where they overlap), and whether
/// they share a vertex.
fn apart(mesh: &TriMesh, s: u32, t: u32) -> (f64, bool) {
    let bounds = |t: u32| {
        let [p, q, r] = mesh.corners(t).map(|p| p.coords.cast::<f64>());
        (p.inf(&q).inf(&r), p.sup(&q).sup(&r))
    };
    let ((low, high), (least, most)) = (bounds(s), bounds(t));
    let [of_s, of_t] = [s, t].map(|t| mesh.triangles()[t as usize]);
    ((least - high).sup(&(low - most)).max(), of_s.iter().any(|v| of_t.contains(v)))
}

fn assert_visits(mesh: &TriMesh, margin: f64, strangers: bool) {
    let mut tree = ObbTree::build(mesh);
    let first = visited(&tree, mesh, margin, strangers);
    let found: BTreeSet<[u32; 2]> = first.iter().copied().collect();
    assert_eq!(found.len(), first.len(), "each pair once");
    let count = mesh.triangles().len() as u32;
    let size = f64::from(mesh.bounding_sphere().radius)
        + mesh.vertices().iter().map(|p| f64::from(p.coords.amax())).fold(0.0, f64::max);
    for (s, t) in (0..count).flat_map(|s| (s + 1..count).map(move |t| (s, t))) {
        let (gap, neighbours) = apart(mesh, s, t);
        let is_found = found.contains(&[s, t]);
        if strangers && neighbours {
            assert!(!is_found, "{s} and {t} share a vertex");
        } else if gap <= margin {
            assert!(is_found, "{s} and {t} are {gap} apart");
        } else if gap > margin + 1e-6 * (size + margin) {
            assert!(!is_found, "{s} and {t} are {gap} apart");
        }
    }
    for level in SimdLevel::available() {
        tree.set_simd(level);
        assert_eq!(visited(&tree, mesh, margin, strangers), first, "{level:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pairs_whose_boxes_are_near_are_visited_and_no_others(
        (mesh, margin) in scale().prop_flat_map(|unit| (mesh(60, unit), (0.0..0.3).prop_map(move |part: f64| part * unit))),
        near in any::<bool>(),
        strangers in any::<bool>(),
    ) {
        assert_visits(&mesh, if near { margin } else { 0.0 }, strangers);
    }

    /// Boxes of a tree that was fitted to other places, again and again, hold their triangles, with any instructions to the bit.
    #[test]
    fn refits_hold_what_they_should(
        (mesh, unit) in scale().prop_flat_map(|unit| (mesh(120, unit), Just(unit))),
        bends in prop::collection::vec([-1.0f32..1.0, -1.0..1.0, -1.0..1.0], 1..12),
    ) {
        let mut trees: Vec<ObbTree> = SimdLevel::available().map(|level| {
            let mut tree = ObbTree::build(&mesh);
            tree.set_simd(level);
            tree
        }).collect();
        let (mut bent, unit) = ((*mesh).clone(), unit as f32);
        for [x, y, z] in bends {
            let place = |p: &Point3<f32>| {
                let q = p / unit;
                Point3::new(q.x + x * q.y * q.y, q.y + y * q.z * q.z, q.z + z * q.x * q.x) * unit
            };
            let places: Vec<_> = mesh.vertices().iter().map(place).collect();
            prop_assume!(bent.set_vertices(&places).is_ok());
            for tree in &mut trees {
                tree.refit(&bent).unwrap();
                prop_assert_eq!(tree.validate(&bent), Ok(()));
            }
            let boxes = |tree: &ObbTree| {
                let mut tree = tree.clone();
                tree.set_simd(SimdLevel::detect());
                format!("{tree:?}")
            };
            let first = boxes(&trees[0]);
            prop_assert!(trees.iter().all(|tree| boxes(tree) == first));
        }
    }
}

/// Triangles that share vertices, near each other and far.
#[test]
fn neighbours_are_left_out_where_strangers_are_asked_for() {
    let ring = torus(1.0, 0.3, 24, 9);
    let fold = |p: &Point3<f32>| Point3::new(p.x.abs(), 0.2 * p.y, p.z);
    let mut folded = ring.clone();
    folded.set_vertices(&ring.vertices().iter().map(fold).collect::<Vec<_>>()).unwrap();
    for mesh in [&ring, &folded] {
        for (margin, strangers) in [(0.0, true), (0.0, false), (0.05, true), (0.05, false)] {
            assert_visits(mesh, margin, strangers);
        }
    }
}

#[test]
fn refits_turn_boxes_an_eighth_at_a_time_before_a_tree_is_given_up() {
    let mesh = torus(1.0, 0.3, 100, 40);
    let twist = |p: &Point3<f32>| {
        let (sin, cos) = (1.5 * p.x).sin_cos();
        Point3::new(p.x, cos * p.y - sin * p.z, sin * p.y + cos * p.z)
    };
    let mut twisted = mesh.clone();
    twisted.set_vertices(&mesh.vertices().iter().map(twist).collect::<Vec<_>>()).unwrap();
    let mut tree = ObbTree::build(&mesh);
    let first = tree.refit(&twisted).unwrap();
    assert!(first > 1.3 && !tree.is_worn_out(first), "{first}");
    let mut last = first;
    for _ in 0..8 {
        let now = tree.refit(&twisted).unwrap();
        assert_eq!(tree.validate(&twisted), Ok(()));
        assert!(now <= last, "{now} after {last}");
        last = now;
    }
    println!("degradation {first} before, {last} after");
    assert!(last < 1.1, "{last} after {first}");
    assert!(!tree.is_worn_out(last) && tree.is_worn_out(3.0));
}
