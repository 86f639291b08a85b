//! The search for the least translation, against exact shifts along many directions.

use std::sync::Arc;

use impinge_exact::OffsetTest;
use impinge_exact::intersect::Surfaces;
use impinge_exact::translation::{ClearanceScratch, is_common};
use impinge_geometry::{PairFrame, TriMesh};
use impinge_midphase::Surface;
use impinge_scenes::fixtures::{box_mesh, torus};
use impinge_scenes::mesh::Knot;
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use super::least_translation::*;
use super::swept::Swept;
use crate::tunables;

/// A knot, a torus and a box (half its size, m).
fn bodies(half: [f32; 3]) -> [Arc<TriMesh>; 3] {
    let knot = Knot { along: 40, across: 7, ..Knot::default() }.mesh().unwrap();
    [knot, torus(0.4, 0.15, 14, 8), box_mesh(half)].map(Arc::new)
}

/// Two bodies about each other's middle.
fn frame(numbers: &mut Random) -> PairFrame {
    let turn = UnitQuaternion::from_scaled_axis(Vector3::from_fn(|_, _| 3.0 * numbers.signed()));
    let at = Vector3::from_fn(|_, _| 0.3 * numbers.signed());
    PairFrame::new(&Isometry3::identity(), &Isometry3::from_parts(at.into(), turn))
}

/// Two of three bodies: each two of them once in nine cases.
fn pair<'a>(surfaces: &'a [Surface; 3], case: usize, frame: &'a PairFrame) -> Surfaces<'a> {
    Surfaces::new([&surfaces[case % 3], &surfaces[case / 3 % 3]], frame)
}

/// Directions (unit).
fn directions(numbers: &mut Random, count: usize) -> Vec<Vector3<f64>> {
    (0..count).map(|_| Vector3::from_fn(|_, _| numbers.signed()).normalize()).collect()
}

/// With balls that bound the directions and without them the same translation is found; where a direction ends on several planes at
/// once, the search may go down from another of them.
#[test]
fn balls_change_nothing_of_what_is_found() {
    let mut numbers = Random::new(3);
    let meshes = bodies([0.3, 0.2, 0.4]);
    let with = meshes.each_ref().map(|mesh| Surface::new(Arc::clone(mesh)));
    let without = meshes.each_ref().map(|mesh| Surface::new(Arc::clone(mesh)));
    for surface in &without {
        // Those that are kept first stay.
        assert!(surface.tree.inner_balls(Vec::new).is_empty());
    }
    let seeds: Vec<Vector3<f64>> = (0..60)
        .flat_map(|_| {
            let seed = Vector3::from_fn(|_, _| numbers.signed()).normalize();
            [seed, -seed]
        })
        .collect();
    let (mut found, mut same, mut fewer) = (0, 0, 0);
    for case in 0..120 {
        let frame = frame(&mut numbers);
        let bound = if case % 2 == 0 { f64::INFINITY } else { 0.4 };
        let places: Vec<Point3<f64>> =
            (0..400).map(|_| Point3::from(Vector3::from_fn(|_, _| 0.7 * numbers.signed()))).collect();
        let [with, without] = [&with, &without].map(|surfaces| {
            let both = pair(surfaces, case, &frame);
            let common = places.iter().filter(|p| is_common(&both, p)).take(4).copied().collect();
            let mut scratch = ClearanceScratch::default();
            let scratches = (&mut scratch, &mut OffsetTest::default());
            let least = least_translation(&Swept::Surfaces(both), &seeds, common, bound, scratches).least;
            (least, scratch.counts.wide_tests)
        });
        assert_eq!(with.0.is_some(), without.0.is_some(), "case {case}");
        if let (Some(own), Some(other)) = (with.0, without.0) {
            let apart = (own.normal * own.length - other.normal * other.length).norm();
            assert!(apart <= 1e-5 * own.length, "case {case}: {own:?} and {other:?}");
            same += usize::from(apart <= 1e-12 * own.length);
        }
        found += usize::from(with.0.is_some_and(|of| of.length > 0.0));
        fewer += usize::from(with.1 < without.1);
    }
    assert!(found > 60 && 10 * same > 9 * found && fewer > 40, "{found} {same} {fewer}");
}

/// Hardly anything that lies beside what is found is shorter: exact shifts along directions all round it, and all over.
#[test]
fn nothing_beside_what_is_found_is_much_shorter() {
    let mut numbers = Random::new(8);
    let surfaces = bodies([0.05, 0.3, 0.6]).map(Surface::new);
    // Evenly all over the sphere: a spiral of the golden angle.
    let all_round = |count: u32| {
        (0..count).map(move |k| {
            let z = 1.0 - (2.0 * f64::from(k) + 1.0) / f64::from(count);
            let (sin, cos) = (2.399_963_229_728_653 * f64::from(k)).sin_cos();
            Vector3::new(cos * (1.0 - z * z).sqrt(), sin * (1.0 - z * z).sqrt(), z)
        })
    };
    let seeds: Vec<Vector3<f64>> = all_round(96).collect();
    let mut ratios = Vec::new();
    while ratios.len() < 60 {
        let frame = frame(&mut numbers);
        let case = ratios.len();
        let swept = Swept::Surfaces(pair(&surfaces, case, &frame));
        let mut scratch = ClearanceScratch::default();
        let scratches = (&mut scratch, &mut OffsetTest::default());
        let found = least_translation(&swept, &seeds, Vec::new(), f64::INFINITY, scratches).least.unwrap();
        if found.length == 0.0 {
            continue;
        }
        let mut least = found.length;
        for direction in all_round(1500) {
            let shift = swept.clearance(&direction, least, &mut scratch);
            least = shift.map_or(least, |shift| shift.length);
        }
        ratios.push(found.length / least);
    }
    ratios.sort_by(f64::total_cmp);
    assert!(ratios[54] < 1.02 && ratios[59] < 1.1, "{ratios:?}");
}

/// What was searched before with the same scratch, of other bodies, changes nothing.
#[test]
fn searches_know_nothing_of_others() {
    let mut numbers = Random::new(9);
    let surfaces = bodies([0.3, 0.2, 0.4]).map(Surface::new);
    let (mut used, mut test) = (ClearanceScratch::default(), OffsetTest::default());
    let mut moved = 0;
    for case in 0..120 {
        let frame = frame(&mut numbers);
        let swept = Swept::Surfaces(pair(&surfaces, case, &frame));
        // Many have balls for bounds, few have not.
        let count = if case % 2 == 0 { 60 } else { 4 };
        let seeds = directions(&mut numbers, count);
        let of = |scratches: (&mut ClearanceScratch, &mut OffsetTest)| {
            let found = least_translation(&swept, &seeds, Vec::new(), f64::INFINITY, scratches);
            found.least.map(|least| (least.normal, least.length))
        };
        let own = of((&mut used, &mut test));
        assert_eq!(own, of((&mut ClearanceScratch::default(), &mut OffsetTest::default())), "case {case}");
        moved += usize::from(own.is_some_and(|(_, length)| length > 0.0));
    }
    assert!(moved > 60, "{moved}");
}

/// What a search says of the first of its seeds is what an exact shift along it does.
#[test]
fn the_first_seed_is_followed_as_far_as_it_counts() {
    let mut numbers = Random::new(10);
    let surfaces = bodies([0.3, 0.2, 0.4]).map(Surface::new);
    let (mut short, mut long) = (0, 0);
    for case in 0..300 {
        let frame = frame(&mut numbers);
        let swept = Swept::Surfaces(pair(&surfaces, case, &frame));
        let mut seeds = directions(&mut numbers, 40);
        let mut scratch = ClearanceScratch::default();
        let mut of = |seeds: &[Vector3<f64>]| {
            let scratches = (&mut scratch, &mut OffsetTest::default());
            least_translation(&swept, seeds, Vec::new(), f64::INFINITY, scratches)
        };
        if case % 2 == 0 {
            // The least one itself, mostly.
            seeds.insert(0, of(&seeds).least.unwrap().normal);
        }
        let found = of(&seeds);
        let least = found.least.unwrap();
        if least.length == 0.0 {
            continue;
        }
        let limit = least.length / tunables::TRANSLATION_GAIN;
        let said = found.first.filter(|own| own.length < limit);
        let exact = swept.clearance(&seeds[0], limit, &mut scratch);
        assert_eq!(said.is_some(), exact.is_some(), "case {case}: {said:?} and {exact:?} of {least:?}");
        if let (Some(said), Some(exact)) = (said, exact) {
            assert!((said.length - exact.length).abs() <= 1e-5 * exact.length, "case {case}");
            short += 1;
        } else {
            long += 1;
        }
    }
    assert!(short > 60 && long > 60, "{short} {long}");
}
