//! Pairs that are followed from step to step, against the same questions asked afresh.

use impinge::prelude::*;
use impinge::query::{Lookahead, QueryScratch, SteppedPair};
use impinge_scenes::random::Random;

use crate::{meshes, random_pose};

/// How far a body that is fixed in a ball of `radius` about its origin goes from one pose to another, at most (m).
fn displaced(from: &Isometry3<f64>, to: &Isometry3<f64>, radius: f64) -> f64 {
    let turn = (from.rotation.inverse() * to.rotation).angle();
    (to.translation.vector - from.translation.vector).norm() + turn * radius
}
/// Bodies that fly at each other, past each other, and turn: a pair that is followed has contacts in every step in which it touches; where it would
/// touch in the next step by going on as it came, it has points ahead; it has none at a distance. Touching and distances are asked afresh.
#[test]
fn a_pair_in_steps_has_contacts_where_it_touches_and_ahead_of_where_it_would() {
    let meshes: Vec<_> = meshes().into_iter().map(|mesh| PreparedShape::new(&mesh.into())).collect();
    let cases: usize = std::env::var("IMPINGE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    let (mut random, mut scratch) = (Random::new(11), QueryScratch::default());
    let [mut touched, mut ahead, mut quiet] = [0; 3];
    for case in 0..cases {
        let query = PairQuery::between(&meshes[case % 5], &meshes[(case / 5) % 5]);
        let mut pair = SteppedPair::new(&query);
        let here = random_pose(&mut random, 3.0);
        let (direction, spin) = (random.direction(), random.direction());
        // From a millimetre to a decimetre a step, past the other's middle or near it.
        let pace = 0.001 * 100f64.powf(random.unit());
        let aside = 0.4 * random.unit() * direction.cross(&random.direction());
        let turn = UnitQuaternion::from_scaled_axis(spin * pace * 2.0 * random.unit());
        let mut rotation = random.rotation();
        let start = 1.2 - 0.3 * random.unit();
        let lookahead = Lookahead::new(0.02);
        let mut before: Option<Isometry3<f64>> = None;
        for step in 0..(1.5 / pace).min(120.0) as usize {
            let place = aside - direction * (start - pace * step as f64);
            let there = here * Isometry3::from_parts(place.into(), rotation);
            rotation = turn * rotation;
            let manifolds = pair.contacts(&here, &there, lookahead, &mut scratch).unwrap().to_vec();
            let touching = query.touching(&here, &there).unwrap();
            let depth = manifolds.iter().map(|m| m.depth).fold(f64::NEG_INFINITY, f64::max);
            assert_eq!(touching, depth >= 0.0, "case {case}, step {step}: {depth}");
            touched += usize::from(touching);
            let Some(last) = before.replace(there) else { continue };
            let moved = displaced(&last, &there, 1.5);
            if !touching && !manifolds.is_empty() {
                // No farther than it has moved.
                assert!(-depth <= moved, "case {case}, step {step}: {depth} after {moved}");
                // Points of both where they stand now, with the gap that is left between them.
                for (manifold, point) in manifolds.iter().flat_map(|m| m.points.iter().map(move |p| (m, p))) {
                    let [on_a, on_b] = [here * point.local_a.cast(), there * point.local_b.cast()];
                    assert!((point.depth - manifold.normal.dot(&(on_a - on_b))).abs() < 1e-6);
                    assert!((point.position - nalgebra::center(&on_a, &on_b)).norm() < 1e-6);
                    assert!(point.depth < 0.0 && point.depth <= manifold.depth);
                }
                ahead += 1;
            }
            if !touching && manifolds.is_empty() && moved > 0.01 {
                let (from, to) = (here.inverse() * last, here.inverse() * there);
                let goes_on = here * to * (from.inverse() * to);
                let meets = query.touching(&here, &goes_on).unwrap();
                assert!(!meets, "case {case}, step {step}: it meets in the next one, {moved} on");
                quiet += 1;
            }
        }
    }
    assert!(touched > 5 * cases && ahead > cases / 4 && quiet > cases, "{touched}, {ahead}, {quiet}");
}

/// Bodies that sink into each other, slide and rock by hairs: a pair that refreshes its answers says of whether they touch what a pair that
/// never does says, and its depths are off by no more than the part that was asked for allows.
#[test]
fn a_pair_in_steps_that_hardly_moves_is_answered_from_its_last_answer_within_its_bound() {
    let meshes: Vec<_> = meshes().into_iter().map(|mesh| PreparedShape::new(&mesh.into())).collect();
    let cases: usize = std::env::var("IMPINGE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(40);
    let (mut random, mut scratch) = (Random::new(12), QueryScratch::default());
    let part = 0.02;
    let [mut same, mut other] = [0; 2];
    let mut worst: f64 = 0.0;
    for case in 0..cases {
        let query = PairQuery::between(&meshes[case % 5], &meshes[(case / 5) % 5]);
        let lookahead = Lookahead::new(0.02);
        // Pushed together until they overlap by a little.
        let here = random_pose(&mut random, 3.0);
        let (direction, rotation) = (random.direction(), random.rotation());
        let at = |distance: f64| here * Isometry3::from_parts((-direction * distance).into(), rotation);
        let Some(impact) =
            (0..2000).map(|k| 1.2 - 0.001 * f64::from(k)).find(|&d| query.touching(&here, &at(d)).unwrap())
        else {
            continue;
        };
        let mut there = at(impact - 0.002);
        let mut refreshed = SteppedPair::new(&query).with_coherence(part).unwrap();
        let mut full = SteppedPair::new(&query).with_coherence(0.0).unwrap();
        let pace = 1e-7 * 300f64.powf(random.unit());
        let (way, spin) = (random.direction() * pace, random.direction() * pace * 0.3);
        for step in 0..40 {
            there = Isometry3::from_parts(
                (there.translation.vector + way).into(),
                UnitQuaternion::from_scaled_axis(spin) * there.rotation,
            );
            let found = refreshed.contacts(&here, &there, lookahead, &mut scratch).unwrap().to_vec();
            let sure = full.contacts(&here, &there, lookahead, &mut scratch).unwrap().to_vec();
            let depth = |found: &[Manifold]| found.iter().map(|m| m.depth).fold(f64::NEG_INFINITY, f64::max);
            let [a, b] = [depth(&found), depth(&sure)];
            let touching = query.touching(&here, &there).unwrap();
            assert_eq!([a >= 0.0, b >= 0.0], [touching; 2], "case {case}, step {step}: {a}, {b}");
            if !touching {
                break;
            }
            worst = worst.max((a - b).abs() / b);
            if a == b { same += 1 } else { other += 1 }
        }
    }
    println!("{same} as found in full, {other} refreshed, the worst off by {worst:.4} of its depth");
    assert!(worst <= 2.0 * part, "off by {worst} of its depth");
    assert!(other > 5 * cases, "{other} of {} refreshed", same + other);
    let pair = SteppedPair::new(&PairQuery::between(&meshes[0], &meshes[1]));
    for wrong in [-0.01, 0.2, f64::NAN] {
        assert!(pair.begun_again().with_coherence(wrong).is_err());
    }
}
