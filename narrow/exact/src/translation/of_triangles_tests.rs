use impinge_geometry::Side;
use impinge_scenes::fixtures::box_mesh;
use nalgebra::{Isometry3, Vector3};

use super::tests::{Numbers, Placed, interval, random};
use super::*;
use crate::intersect::Surfaces;

/// By all pairs, with intervals that are found in another way.
fn by_brute_force(surfaces: &Surfaces<'_>, d: &Vector3<f64>, from: f64, of: [&[u32]; 2]) -> f64 {
    let corners = |side: Side| {
        let mesh = surfaces.meshes[side.index()];
        let place = move |t: &u32| mesh.corners(*t).map(|p| surfaces.frame.place(side, &p));
        of[side.index()].iter().map(place).collect::<Vec<_>>()
    };
    let (of_a, of_b) = (corners(Side::A), corners(Side::B));
    let mut intervals: Vec<[f64; 2]> =
        of_a.iter().flat_map(|a| of_b.iter().filter_map(|b| interval(a, b, d))).collect();
    intervals.sort_by(|p, q| p[0].total_cmp(&q[0]));
    let reach =
        |shift: f64, &[begin, end]: &[f64; 2]| if begin <= shift + 1e-8 { shift.max(end) } else { shift };
    intervals.iter().fold(from, reach)
}

/// Some of the triangles of both, from any shift on; and which of the two is called A does not matter.
#[test]
fn some_triangles_are_past_others_where_all_pairs_say() {
    let mut numbers = Numbers(21);
    let mut scratch = TrianglesScratch::default();
    let [mut raised, mut left] = [0; 2];
    for case in 0..2000 {
        let (pair, d) = random(&mut numbers);
        let surfaces = pair.surfaces();
        let part = numbers.next();
        let of = surfaces
            .meshes
            .map(|mesh| mesh.triangles().filter(|_| numbers.next() < part).collect::<Vec<_>>());
        let from = numbers.within(0.0, 0.4);
        let found = clearance_of_triangles(&surfaces, &d, from, [&of[0], &of[1]], &mut scratch);
        let truth = by_brute_force(&surfaces, &d, from, [&of[0], &of[1]]);
        assert!((found.length - truth).abs() <= 1e-7, "case {case}: {found:?}, by brute force {truth}");
        if found.length > from {
            raised += 1;
            let [on_a, on_b] = found.points;
            assert!((on_b + d * found.length - on_a).norm() < 1e-7, "case {case}: {found:?}");
            assert!(found.normal.is_some_and(|n| n.dot(&d) > 0.0), "case {case}: {found:?}");
            let [a, b] = found.triangles.unwrap();
            assert!(of[0].contains(&a) && of[1].contains(&b), "case {case}: {found:?}");
        } else {
            left += 1;
            assert!(found.length == from && found.normal.is_none(), "case {case}: {found:?}");
        }
        let ([a, b], [of_a, of_b]) = (surfaces.meshes, surfaces.trees);
        let other = Surfaces { meshes: [b, a], trees: [of_b, of_a], frame: &surfaces.frame.swapped() };
        let swapped = clearance_of_triangles(&other, &-d, from, [&of[1], &of[0]], &mut scratch);
        assert_eq!(swapped.length, found.length, "case {case}");
    }
    assert!(raised > 500 && left > 500, "{raised} raised, {left} left");
}

/// A plate under another one: what stands in the lower one is past it before it comes to the upper one.
#[test]
fn what_does_not_meet_yet_holds_nothing() {
    let plate = box_mesh([1.0, 1.0, 0.1]);
    let higher = plate.vertices().iter().map(|p| p + Vector3::z());
    let vertices = plate.vertices().iter().copied().chain(higher).collect();
    let other = plate.triangles().iter().map(|t| t.map(|v| v + 8));
    let triangles = plate.triangles().iter().copied().chain(other).collect();
    let plates = impinge_geometry::TriMesh::new(vertices, triangles).unwrap();
    for (half, truth) in [(0.2, 0.25), (0.5, 1.25)] {
        let at = Isometry3::translation(0.03, 0.02, 0.1 + f64::from(half) - 0.25);
        let pair = Placed::new([plates.clone(), box_mesh([0.2, 0.2, half])], at);
        let surfaces = pair.surfaces();
        let of = surfaces.meshes.map(|mesh| mesh.triangles().collect::<Vec<_>>());
        let found = clearance_of_triangles(
            &surfaces,
            &Vector3::z(),
            0.1,
            [&of[0], &of[1]],
            &mut TrianglesScratch::default(),
        );
        assert!((found.length - truth).abs() < 1e-6, "{half}: {found:?}, not {truth}");
    }
}
