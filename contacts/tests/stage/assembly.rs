//! Patches become manifolds.

use impinge_contacts::{ContactCounts, ContactSettings, PairPlacement, manifolds};
use impinge_geometry::PairFrame;
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector2, Vector3};

use crate::patches::{at_origin, colliders, frame, patch, result};

fn square(depth: f64) -> impinge_pair::Patch {
    square_across(Vector3::z(), depth)
}

fn square_across(normal: Vector3<f64>, depth: f64) -> impinge_pair::Patch {
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let columns = corners.map(|(x, y)| (Vector2::new(x, y), depth));
    patch(normal, &columns, Vector2::zeros(), 4.0)
}

/// A child of A, turned and off its collider's origin, meets B far from the world's origin. Every point
/// must be the same place seen from the world, from A and from B.
#[test]
fn points_agree_in_the_world_and_in_both_colliders() {
    let a = Isometry3::from_parts(
        Translation3::new(1.0e4, 20.0, -3.0),
        UnitQuaternion::from_euler_angles(0.4, 1.0, -2.0),
    );
    let b = Isometry3::from_parts(
        Translation3::new(1.0e4 + 1.0, 21.0, -2.5),
        UnitQuaternion::from_euler_angles(-0.4, 0.2, 0.9),
    );
    let child = Isometry3::from_parts(
        Translation3::new(0.3, -0.2, 0.1),
        UnitQuaternion::from_euler_angles(0.0, 0.5, 0.1),
    );
    let frame = PairFrame::new(&(a * child), &b);
    let placement = PairPlacement { subshape_poses: [child, Isometry3::identity()], ..at_origin(&frame) };
    let mut out = Vec::new();
    let patch = square(0.02);
    manifolds(&result(vec![patch.clone()]), &placement, &ContactSettings::default(), &mut out);
    let [manifold] = out.as_slice() else { panic!("{} manifolds", out.len()) };
    assert_eq!((manifold.colliders, manifold.subshapes), (colliders(), [2, 3]));
    assert_eq!(manifold.points.len(), 4);
    assert!((manifold.area - 4.0).abs() < 1e-12);
    for point in &manifold.points {
        let on_a = a * point.local_a.cast::<f64>();
        let on_b = b * point.local_b.cast::<f64>();
        assert!((nalgebra::center(&on_a, &on_b) - point.position).norm() < 1e-6);
        assert!(((on_a - on_b).dot(&manifold.normal) - point.depth).abs() < 1e-6);
        let candidate = &patch.points[point.key as usize];
        let middle = nalgebra::center(&candidate.on_a, &candidate.on_b);
        assert!((point.position - frame.to_world(&middle)).norm() < 1e-9);
    }
}

/// Poses shifted by an exactly representable amount give the same local points to the last bit.
#[test]
fn local_points_do_not_know_where_the_world_is() {
    let local = |shift: f64| {
        let at = |x: f64| Isometry3::translation(x + shift, 0.25, 0.5);
        let frame = PairFrame::new(&at(0.0), &at(0.75));
        let mut out = Vec::new();
        manifolds(&result(vec![square(0.02)]), &at_origin(&frame), &ContactSettings::default(), &mut out);
        out[0].points.iter().map(|p| (p.local_a, p.local_b)).collect::<Vec<_>>()
    };
    assert_eq!(local(0.0), local(16384.0));
}

/// Four squares that push along x, y, z and -x, 1, 3, 2 and 3 mm deep: deepest first, equals in the order
/// of the patches, the rest counted.
#[test]
fn the_deepest_are_kept_and_the_rest_are_counted() {
    let frame = frame();
    let normals = [Vector3::x(), Vector3::y(), Vector3::z(), -Vector3::x()];
    let depths = [1e-3, 3e-3, 2e-3, 3e-3];
    let mut patches: Vec<_> = normals.into_iter().zip(depths).map(|(n, d)| square_across(n, d)).collect();
    patches[3].volume = 42.0;
    let mut out = Vec::new();
    let settings = ContactSettings::default().max_manifolds(3);
    let counts = manifolds(&result(patches), &at_origin(&frame), &settings, &mut out);
    assert_eq!(out.iter().map(|m| m.depth).collect::<Vec<_>>(), [3e-3, 3e-3, 2e-3]);
    assert_eq!(out[1].volume, 42.0);
    let mut expected = ContactCounts::default();
    expected.patches = 4;
    expected.candidates = 16;
    expected.manifolds = 3;
    expected.points = 12;
    expected.below_tolerance = 0;
    expected.merged = 0;
    expected.over_limit = 1;
    assert_eq!(counts, expected);
}

/// Views that are not kept number their pixels alike: no two points of a pair share a key for it.
#[test]
fn no_two_points_of_a_pair_share_a_key() {
    let frame = frame();
    let patches = [Vector3::x(), Vector3::y(), Vector3::y()].map(|n| square_across(n, 1e-3));
    for max_manifolds in [1, 2, 3] {
        let mut out = Vec::new();
        let settings = ContactSettings::default().max_manifolds(max_manifolds);
        manifolds(&result(patches.to_vec()), &at_origin(&frame), &settings, &mut out);
        let mut keys: Vec<u64> = out.iter().flat_map(|m| &m.points).map(|p| p.key).collect();
        let count = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!((out.len(), keys.len()), (max_manifolds, count));
    }
}

/// A rim of radius 2 on a floor: twelve small patches, deeper on one side. They become one manifold of
/// four points all around, which bears the load at the centre of pressure, and nothing is dropped.
#[test]
fn a_rim_of_many_patches_becomes_one_manifold() {
    let frame = frame();
    let rim: Vec<_> = (0..12)
        .map(|i| {
            let turn = f64::from(i) / 12.0 * std::f64::consts::TAU;
            let center = Vector2::new(2.0 * turn.cos(), 2.0 * turn.sin());
            let columns =
                [-0.01, 0.0, 0.01].map(|d| (center + Vector2::new(d, 0.0), 1e-3 + 1e-4 * turn.cos()));
            patch(Vector3::z(), &columns, center, 0.1)
        })
        .collect();
    let mut out = Vec::new();
    let counts = manifolds(&result(rim), &at_origin(&frame), &ContactSettings::default(), &mut out);
    assert_eq!((counts.manifolds, counts.merged, counts.over_limit), (1, 11, 0));
    let manifold = &out[0];
    assert_eq!(manifold.points.len(), 4);
    assert!((manifold.area - 1.2).abs() < 1e-9 && (manifold.depth - 1.1e-3).abs() < 1e-12);
    let center =
        manifold.points.iter().fold(Vector3::zeros(), |c, p| c + p.position.coords * (p.weight / 1.2));
    assert!(center.xy().norm() < 0.02, "the load is at {center}");
    for quarter in [Vector3::x(), Vector3::y(), -Vector3::x(), -Vector3::y()] {
        assert!(manifold.points.iter().any(|p| p.position.coords.dot(&quarter) > 1.0), "{quarter}");
    }
}

/// Three bumps on a floor, each a cap of radius 0.1 and a speck beside it: six patches become one manifold.
/// It holds each bump near its top, and not at its border.
#[test]
fn every_bump_is_held_where_it_is_deep() {
    let frame = frame();
    let tops = [2e-3, 1e-3, 0.9e-3];
    let bumps: Vec<_> =
        [0.3, 2.4, 4.5].map(|turn: f64| Vector2::new(turn.cos(), turn.sin())).into_iter().zip(tops).collect();
    let mut patches = Vec::new();
    for &(center, top) in &bumps {
        let grid = (0..49).map(|i| Vector2::new(f64::from(i % 7) - 3.0, f64::from(i / 7) - 3.0) / 30.0);
        let cap: Vec<_> = grid
            .filter(|at| at.norm() < 0.1)
            .map(|at| (center + at, top * (1.0 - at.norm_squared() / 0.01)))
            .collect();
        patches.push(patch(Vector3::z(), &cap, center, 0.1));
        let speck = center + Vector2::new(0.15, 0.0);
        patches.push(patch(Vector3::z(), &[(speck, 1e-6)], speck, 1e-4));
    }
    let mut out = Vec::new();
    let counts = manifolds(&result(patches), &at_origin(&frame), &ContactSettings::default(), &mut out);
    assert_eq!((counts.manifolds, counts.merged), (1, 5));
    for (center, top) in bumps {
        let deepest = out[0]
            .points
            .iter()
            .filter(|p| (p.position.coords.xy() - center).norm() < 0.11)
            .fold(0.0f64, |depth, p| depth.max(p.depth));
        assert!(deepest >= 0.9 * top, "the bump at {center} is held at {deepest} m of {top} m");
    }
}

/// A tolerance of 2 mm drops overlaps up to and including it, and no gaps; no tolerance drops nothing.
#[test]
fn tolerance_drops_what_is_not_deeper() {
    let frame = frame();
    let patches: Vec<_> = [-1e-3, 0.0, 1e-3, 2e-3, 2.5e-3].map(square).into();
    let depths = |tolerance| {
        let mut out = Vec::new();
        let placement = PairPlacement { tolerance, ..at_origin(&frame) };
        let settings = ContactSettings::default().max_manifolds(9);
        let counts = manifolds(&result(patches.clone()), &placement, &settings, &mut out);
        (out.iter().map(|m| m.depth).collect::<Vec<_>>(), counts.below_tolerance)
    };
    assert_eq!(depths(2e-3), (vec![2.5e-3, -1e-3], 3));
    assert_eq!(depths(0.0), (vec![2.5e-3, 2e-3, 1e-3, 0.0, -1e-3], 0));
}

/// Nothing in, nothing out; what was in the list stays.
#[test]
fn manifolds_are_appended() {
    let frame = frame();
    let mut out = Vec::new();
    let settings = ContactSettings::default();
    manifolds(&result(vec![square(1e-3)]), &at_origin(&frame), &settings, &mut out);
    let counts = manifolds(&result(Vec::new()), &at_origin(&frame), &settings, &mut out);
    assert_eq!(counts, ContactCounts::default());
    manifolds(&result(vec![square(2e-3)]), &at_origin(&frame), &settings, &mut out);
    assert_eq!(out.len(), 2);
    assert_eq!(out[0].centroid, Point3::origin());
}
