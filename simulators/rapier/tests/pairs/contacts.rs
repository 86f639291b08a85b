//! Contacts, and what is remembered of them.

use std::collections::BTreeMap;

use impinge::parry::{from_pose, prepared};
use impinge::{Manifold, PairQuery};
use impinge_rapier::MeshDispatcher;
use nalgebra::Isometry3;
use proptest::prelude::*;
use rapier3d::math::Pose;

use crate::shapes::{Followed, Written, partners, pose, torus};

/// The number a point was given, by its key.
type Numbers = BTreeMap<(u32, u32), u32>;

fn numbers(manifolds: &[Written]) -> Numbers {
    manifolds.iter().flat_map(|m| &m.points).map(|p| ((p.fid1.0, p.fid2.0), p.data)).collect()
}

/// Compares to the last bit of `f32`, but for normals turned into the bodies' frames.
fn assert_written(written: &[Written], ours: &[Manifold], there: &Isometry3<f64>) {
    assert_eq!(written.len(), ours.len());
    for (written, ours) in written.iter().zip(ours) {
        let n = ours.normal.cast::<f32>();
        assert!((written.local_n1.to_array()[..] == n.as_slice()[..]), "{:?} {n}", written.local_n1);
        let back =
            from_pose(&Pose::IDENTITY).rotation * there.rotation.inverse_transform_vector(&ours.normal);
        let n2 = impinge::parry::to_vector(&-back);
        assert!((written.local_n2 - n2).length() < 1e-6);
        assert_eq!(written.points.len(), ours.points.len());
        for (point, ours) in written.points.iter().zip(&ours.points) {
            assert_eq!(point.local_p1.to_array(), <[f32; 3]>::from(ours.local_a));
            assert_eq!(point.local_p2.to_array(), <[f32; 3]>::from(ours.local_b));
            assert_eq!(point.dist, -ours.depth as f32);
            assert_eq!(u64::from(point.fid1.0) | u64::from(point.fid2.0) << 32, ours.key);
            // The points are where the distance says: on the surfaces, that far apart along the normal.
            let apart = (there * ours.local_b.cast::<f64>() - ours.local_a.cast::<f64>())
                .dot(&impinge::parry::from_vector(written.local_n1));
            assert!((apart + ours.depth).abs() < 1e-5 + 0.05 * ours.depth.abs(), "{apart} {}", ours.depth);
        }
    }
}

fn places() -> impl Strategy<Value = ([f32; 3], [f32; 3])> {
    (prop::array::uniform3(-0.7f32..0.7), prop::array::uniform3(-3.0f32..3.0))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Both orders of every kind of pair, with the margin of a new pair where they are apart.
    #[test]
    fn a_new_pair_has_the_contacts_of_a_query((at, turn) in places(), partner in 0usize..8) {
        let (torus, partner) = (torus(), partners().swap_remove(partner));
        let dispatcher = MeshDispatcher::default();
        for shapes in [[&torus, &partner], [&partner, &torus]] {
            let [g1, g2] = shapes.map(|shape| &**shape);
            let there = pose(at, turn);
            let mut pair = Followed::default();
            pair.ask(&dispatcher, &there, [g1, g2], 0.02).unwrap();
            let query = PairQuery::between(&prepared(g1).unwrap(), &prepared(g2).unwrap());
            let (a, b) = (Isometry3::identity(), from_pose(&there));
            let mut ours = query.contacts(&a, &b).unwrap();
            if ours.is_empty() {
                ours = query.contacts_within(&a, &b, f64::from(0.02f32)).unwrap();
            }
            assert_written(&pair.manifolds, &ours, &b);
        }
    }

    /// What rapier wrote to a point is there as long as its key is; a point with a new key has nothing.
    #[test]
    fn impulses_stay_with_their_points((at, turn) in places(), drift in prop::array::uniform3(-1e-3f32..1e-3)) {
        let (torus, dispatcher) = (torus(), MeshDispatcher::default());
        let mut pair = Followed::default();
        let mut at = at;
        let mut next = 1;
        for _ in 0..5 {
            let before = numbers(&pair.manifolds);
            pair.ask(&dispatcher, &pose(at, turn), [&*torus, &*torus], 0.02).unwrap();
            for (key, number) in numbers(&pair.manifolds) {
                prop_assert_eq!(number, before.get(&key).copied().unwrap_or(0));
            }
            for point in pair.manifolds.iter_mut().flat_map(|m| &mut m.points) {
                point.data = next;
                next += 1;
            }
            at = [0, 1, 2].map(|k| at[k] + drift[k]);
        }
    }
}

/// Two tori that stand still, deep in each other: every key stays.
#[test]
fn points_at_rest_keep_their_keys_and_data() {
    let (torus, dispatcher) = (torus(), MeshDispatcher::default());
    let mut pair = Followed::default();
    let at = pose([0.55, 0.02, 0.01], [0.3, 0.2, 0.1]);
    pair.ask(&dispatcher, &at, [&*torus, &*torus], 0.02).unwrap();
    assert!(!pair.manifolds.is_empty());
    for (k, manifold) in pair.manifolds.iter_mut().enumerate() {
        manifold.data = 100 + k as u32;
        manifold.points.iter_mut().for_each(|point| point.data = 7);
    }
    let keys = numbers(&pair.manifolds);
    for _ in 0..4 {
        pair.ask(&dispatcher, &at, [&*torus, &*torus], 0.02).unwrap();
        assert_eq!(numbers(&pair.manifolds), keys);
        assert!(pair.manifolds.iter().zip(100..).all(|(manifold, data)| manifold.data == data));
    }
}

/// A pair at rest beside each other is asked without a margin; one that comes nearer, as far as it came.
#[test]
fn only_what_moves_has_contacts_ahead() {
    let (cube, dispatcher) = (crate::shapes::cube(0.5), MeshDispatcher::default());
    let mut pair = Followed::default();
    let mut gap = |gap: f32| {
        pair.ask(&dispatcher, &pose([0.0, 0.0, 1.0 + gap], [0.0; 3]), [&*cube, &*cube], 0.02).unwrap();
        pair.manifolds.iter().flat_map(|m| &m.points).map(|p| p.dist).reduce(f32::min)
    };
    assert!((gap(0.01).unwrap() - 0.01).abs() < 1e-6, "a new pair, within the prediction");
    assert_eq!(gap(0.01), None, "it has not moved");
    assert_eq!(gap(0.3), None, "it moved by less than what is between them");
    assert!((gap(0.15).unwrap() - 0.15).abs() < 1e-6, "as far again would be through");
    assert_eq!(gap(0.14), None, "it came by a centimetre");
    assert!((gap(-0.02).unwrap() + 0.02).abs() < 1e-6);
}

/// Skins of the colliders raise the prediction, and are then owed to every pair.
#[test]
fn skins_are_a_margin_for_all() {
    let (cube, dispatcher) = (crate::shapes::cube(0.5), MeshDispatcher::new(0.02));
    let mut pair = Followed::default();
    for _ in 0..3 {
        pair.ask(&dispatcher, &pose([0.0, 0.0, 1.04], [0.0; 3]), [&*cube, &*cube], 0.02 + 0.05).unwrap();
        let nearest =
            pair.manifolds.iter().flat_map(|m| &m.points).map(|p| p.dist).fold(f32::INFINITY, f32::min);
        assert!((nearest - 0.04).abs() < 1e-6, "{nearest}");
    }
}

#[test]
fn a_pose_that_is_none_has_no_contacts() {
    let (torus, dispatcher) = (torus(), MeshDispatcher::default());
    let mut pair = Followed::default();
    for x in [0.5, f32::NAN, 0.5, f32::INFINITY, 0.5] {
        pair.ask(&dispatcher, &pose([x, 0.0, 0.0], [0.0; 3]), [&*torus, &*torus], 0.02).unwrap();
        assert_eq!(pair.manifolds.is_empty(), !x.is_finite(), "{x}");
    }
}
