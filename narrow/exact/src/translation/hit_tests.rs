use nalgebra::Vector3;

use super::tests::{Numbers, random};
use super::*;
use crate::OffsetTest;
use crate::intersect::Surfaces;

fn sweep(surfaces: &Surfaces<'_>, d: &Vector3<f64>) -> Clearance {
    clearance(surfaces, d, 0.0, f64::INFINITY, &mut ClearanceScratch::default())
}

/// Whatever is said to hold B: what it passes last, nothing, or any triangles, there or not.
#[test]
fn places_that_hold_a_body_lead_to_the_first_free_shift_of_the_sweep() {
    let mut numbers = Numbers(11);
    let mut test = OffsetTest::default();
    let mut found = [0; 3];
    for case in 0..1500 {
        let (pair, d) = random(&mut numbers);
        let surfaces = pair.surfaces();
        let whole = sweep(&surfaces, &d);
        if whole.normal.is_none() {
            continue;
        }
        let from = whole.length * (1.0 - 0.1 * numbers.next());
        let counts = surfaces.meshes.map(|mesh| f64::from(mesh.triangle_bound()));
        let any = counts.map(|count| (1.2 * count * numbers.next()) as u32);
        for (kind, last) in [whole.triangles, None, Some(any)].into_iter().enumerate() {
            test.begin();
            let Some(own) = clearance_by_hits(&surfaces, &d, [from, f64::INFINITY], last, &mut test) else {
                continue;
            };
            found[kind] += 1;
            assert!((own.length - whole.length).abs() <= 1e-8, "case {case}: {own:?}, swept {whole:?}");
            if let Some(normal) = own.normal {
                assert!((normal.norm() - 1.0).abs() < 1e-9 && normal.dot(&d) > 0.0, "case {case}: {own:?}");
                let [on_a, on_b] = own.points;
                assert!((on_b + d * own.length - on_a).norm() < 1e-7, "case {case}: {own:?}");
            } else {
                assert_eq!(own.length, from, "case {case}: nothing has raised it");
            }
            // Where that is too long, nothing is found.
            test.begin();
            let bound = from + 0.5 * (own.length - from);
            let short = clearance_by_hits(&surfaces, &d, [from, bound], last, &mut test);
            assert!(short.is_none() || own.length - from < 1e-8, "case {case}: {short:?} within {bound}");
        }
    }
    assert!(found.iter().all(|count| *count > 1000), "{found:?}");
}

/// It does not matter which of the bodies is called A.
#[test]
fn bodies_that_change_places_are_freed_by_the_opposite_shift() {
    let mut numbers = Numbers(12);
    let mut found = 0;
    for _ in 0..300 {
        let (pair, d) = random(&mut numbers);
        let surfaces = pair.surfaces();
        let whole = sweep(&surfaces, &d);
        let range = [0.95 * whole.length, f64::INFINITY];
        let ([a, b], [of_a, of_b]) = (surfaces.meshes, surfaces.trees);
        let other = Surfaces { meshes: [b, a], trees: [of_b, of_a], frame: &surfaces.frame.swapped() };
        let swapped = whole.triangles.map(|[a, b]| [b, a]);
        let mut test = OffsetTest::default();
        let one = clearance_by_hits(&surfaces, &d, range, whole.triangles, &mut test);
        test.begin();
        let two = clearance_by_hits(&other, &-d, range, swapped, &mut test);
        let turned = two.map(|two| {
            let ([b, a], triangles) = (two.points, two.triangles.map(|[b, a]| [a, b]));
            Clearance { normal: two.normal.map(|n| -n), triangles, points: [a, b], ..two }
        });
        assert_eq!(one, turned);
        found += u32::from(one.is_some());
    }
    assert!(found > 150, "{found}");
}
