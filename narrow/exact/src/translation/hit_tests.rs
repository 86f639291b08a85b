use impinge_geometry::TriMesh;
use impinge_scenes::fixtures::box_mesh;
use nalgebra::{Isometry3, Vector3};

use super::tests::{Numbers, Placed, random};
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
            let Some(own) =
                clearance_by_hits(&surfaces, &d, [from, f64::INFINITY], last.as_slice(), &mut test)
            else {
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
            // Where that is too long, B is known not to be free as far as was asked.
            test.begin();
            let bound = from + 0.5 * (own.length - from);
            if let Some(short) = clearance_by_hits(&surfaces, &d, [from, bound], last.as_slice(), &mut test) {
                let known = bound..=whole.length + 1e-8;
                assert!(known.contains(&short.length), "case {case}: {short:?} within {bound}, not {own:?}");
            }
        }
    }
    assert!(found.iter().all(|count| *count > 1000), "{found:?}");
}

/// A triangle that was taken out since holds nothing: a box leaves a wall as if the other one that hung on it had never been there.
#[test]
fn triangles_that_are_gone_hold_nothing() {
    let [wall, box_] = [box_mesh([0.2, 1.0, 1.0]), box_mesh([0.1, 0.1, 0.1])];
    let count = box_.vertices().len() as u32;
    let beside = box_.vertices().iter().map(|p| p + Vector3::new(-0.15, 0.5, 0.0));
    let vertices = box_.vertices().iter().copied().chain(beside).collect();
    let other = box_.triangles().iter().map(|t| t.map(|v| v + count));
    let two =
        TriMesh::new(vertices, box_.triangles().iter().copied().chain(other.clone()).collect()).unwrap();
    let gone: Vec<u32> = (box_.triangles().len() as u32..).take(other.len()).collect();
    let at = Isometry3::translation(0.25, 0.0, 0.0);
    let range = [0.02, f64::INFINITY];
    for is_gone in [false, true] {
        let mut mesh = two.clone();
        if is_gone {
            mesh.remove_triangles(&gone).unwrap();
        }
        let pair = Placed::new([wall.clone(), mesh], at);
        let (surfaces, d) = (pair.surfaces(), Vector3::x());
        let whole = sweep(&surfaces, &d).length;
        assert!((whole - if is_gone { 0.05 } else { 0.2 }).abs() < 1e-6, "{whole}");
        for triangle in gone.iter().copied() {
            for face in 0..12 {
                let mut test = OffsetTest::default();
                let last = [[face, triangle]];
                let own = clearance_by_hits(&surfaces, &d, range, last.as_slice(), &mut test);
                assert!(own.is_none_or(|own| (own.length - whole).abs() < 1e-6), "{own:?}, not {whole}");
            }
        }
    }
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
        let one = clearance_by_hits(&surfaces, &d, range, whole.triangles.as_slice(), &mut test);
        test.begin();
        let two = clearance_by_hits(&other, &-d, range, swapped.as_slice(), &mut test);
        let turned = two.map(|two| {
            let ([b, a], triangles) = (two.points, two.triangles.map(|[b, a]| [a, b]));
            Clearance { normal: two.normal.map(|n| -n), triangles, points: [a, b], ..two }
        });
        assert_eq!(one, turned);
        found += u32::from(one.is_some());
    }
    assert!(found > 150, "{found}");
}
