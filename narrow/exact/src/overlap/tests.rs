use std::f64::consts::FRAC_PI_2;

use impinge_geometry::{Containment, PairFrame, TriMesh};
use impinge_midphase::ObbTree;
use impinge_oracle::common_volume;
use impinge_oracle::solids::{block, hollow_block, pin, ring, scaled, slot};
use impinge_scenes::fixtures::{sphere_mesh, torus};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use proptest::prelude::*;

use super::{FacetScratch, FilledOverlaps, OverlapScratch, OverlapSettings, Overlaps, overlaps};
use crate::containment::{ContainmentScratch, containment};
use crate::contour::{self, ContourScratch, Contours};
use crate::intersect::{IntersectScratch, Intersections, Surfaces, intersect_surfaces};

const ALL: OverlapSettings = OverlapSettings { most_triangles: usize::MAX, with_error: true };

fn found_at(a: &TriMesh, b: &TriMesh, frame: &PairFrame) -> Overlaps {
    let trees = [ObbTree::build(a), ObbTree::build(b)];
    let surfaces = Surfaces { meshes: [a.into(), b.into()], trees: [&trees[0], &trees[1]], frame };
    let [m, n] = [0, 1].map(|k| trees[k].leaf_count() as u32);
    let pairs: Vec<[u32; 2]> = (0..m).flat_map(|i| (0..n).map(move |j| [i, j])).collect();
    let (mut crossing, mut contours, mut out) =
        (Intersections::default(), Contours::default(), Overlaps::default());
    intersect_surfaces(&surfaces, &pairs, &mut IntersectScratch::default(), &mut crossing);
    contour::assemble(&crossing, &mut ContourScratch::default(), &mut contours);
    let contained = containment(&surfaces, &crossing, &mut ContainmentScratch::default());
    let mut scratch = OverlapScratch::default();
    let filled = overlaps(&surfaces, (&crossing, &contours), contained, &ALL, &mut scratch, &mut out);
    assert!(out.whole);
    without_errors_it_is_the_same(&surfaces, (&crossing, &contours), contained, &out);
    if contained == Containment::None {
        facets_add_up(&filled, &out);
    }
    out
}

/// Where no errors are asked about, polygons are summed up from a corner of their triangles.
fn without_errors_it_is_the_same(
    surfaces: &Surfaces<'_>,
    known: (&Intersections, &Contours),
    contained: Containment,
    found: &Overlaps,
) {
    let settings = OverlapSettings { with_error: false, ..ALL };
    let mut out = Overlaps::default();
    overlaps(surfaces, known, contained, &settings, &mut OverlapScratch::default(), &mut out);
    if out.of_contour != found.of_contour || out.list.len() != found.list.len() {
        // Where there is hardly a volume, rounding tells whether it is a cavity's.
        assert!(found.list.iter().any(|overlap| overlap.volume <= 2.0 * overlap.error), "{out:?} {found:?}");
        return;
    }
    for (own, exact) in out.list.iter().zip(&found.list) {
        let [low, high] = exact.aabb;
        let (size, reach) = ((high - low).norm(), low.coords.amax().max(high.coords.amax()));
        let area = 1e-9 * size * size + f64::MIN_POSITIVE;
        assert!((own.volume - exact.volume).abs() <= 2.0 * exact.error, "{own:?} {exact:?}");
        assert!((own.gradient - exact.gradient).norm() <= area, "{own:?} {exact:?}");
        assert!((own.torque - exact.torque).norm() <= area * (size + reach), "{own:?} {exact:?}");
        assert_eq!(own.aabb, exact.aabb);
    }
}

/// What A has in an overlap, polygon by polygon, is its gradient and its torque, and lies in its box.
fn facets_add_up(filled: &FilledOverlaps<'_>, found: &Overlaps) {
    let none = (Vector3::zeros(), Vector3::zeros());
    let (mut sums, mut areas) = (vec![none; found.list.len()], vec![0.0; found.list.len()]);
    filled.facets(&mut FacetScratch::default(), |facet| {
        let at = found.list.binary_search_by_key(&facet.overlap, |overlap| overlap.name).unwrap();
        sums[at].0 += facet.area;
        sums[at].1 += facet.torque;
        areas[at] += facet.area.norm();
        let [low, high] = found.list[at].aabb;
        assert!((0..3).all(|k| low[k] <= facet.middle[k] && facet.middle[k] <= high[k]));
    });
    for ((overlap, (area, torque)), all) in found.list.iter().zip(sums).zip(areas) {
        let reach = overlap.aabb.iter().fold(0.0f64, |most, p| most.max(p.coords.norm()));
        assert!((area - overlap.gradient).norm() <= 1e-9 * all + f64::MIN_POSITIVE, "{area} {overlap:?}");
        assert!(
            (torque - overlap.torque).norm() <= 1e-9 * all * reach + f64::MIN_POSITIVE,
            "{torque} {overlap:?}"
        );
    }
}

fn found(a: &TriMesh, b: &TriMesh, pose: Isometry3<f64>) -> Overlaps {
    found_at(a, b, &PairFrame::new(&Isometry3::identity(), &pose))
}

fn at(x: f64, y: f64, z: f64) -> Isometry3<f64> {
    Isometry3::translation(x, y, z)
}

fn volume_of(found: &Overlaps) -> f64 {
    found.list.iter().map(|overlap| overlap.volume).sum()
}

fn error_of(found: &Overlaps) -> f64 {
    found.list.iter().map(|overlap| overlap.error).sum()
}

#[test]
fn flush_boxes_share_a_box_exactly() {
    // Of two boxes of 16 x 16 x 16 the upper half of one and the lower half of the other, all sides flush.
    let one = block([8.0; 3]);
    let all = found(&one, &one, at(0.0, 0.0, 8.0));
    assert_eq!(all.list.len(), 1);
    assert_eq!(all.list[0].volume, 2048.0);
    assert_eq!(all.list[0].centroid, Point3::origin());
    assert!(all.list[0].error < 1e-12 * 2048.0, "{:?}", all.list);
    assert_eq!(volume_of(&found(&one, &one, at(0.0, 0.0, 0.0))), 4096.0);
    assert_eq!(volume_of(&found(&one, &one, at(0.0, 0.0, 16.0))), 0.0);
}

#[test]
fn bodies_inside_share_all_they_have() {
    let (one, small) = (block([1.0; 3]), block([0.25; 3]));
    for (x, touching) in [(0.1, false), (0.75, true)] {
        let all = found(&one, &small, at(x, 0.2, 0.0));
        assert_eq!(all.list.len(), 1, "{touching} {:?}", all.list);
        assert!((all.list[0].volume - 0.125).abs() <= all.list[0].error, "{touching} {:?}", all.list);
    }
    // The same seen from the other; in a cavity; partly in its wall; the cavity and its wall in a larger body.
    assert_eq!(volume_of(&found(&small, &one, at(0.1, 0.2, 0.0))), 0.125);
    let hollow = hollow_block([1.0; 3], [0.75; 3]);
    assert_eq!(volume_of(&found(&hollow, &small, at(0.1, 0.2, 0.0))), 0.0);
    assert_eq!(volume_of(&found(&hollow, &small, at(0.75, 0.0, 0.0))), 0.0625);
    let all = found(&hollow, &block([2.0; 3]), at(0.0, 0.0, 0.0));
    assert_eq!((all.list.len(), volume_of(&all)), (1, 8.0 - 3.375));
}

#[test]
fn legs_on_one_triangle_have_overlaps_of_their_own() {
    // Four pins stand in the same triangle of a floor, 1, 2, 3 and 4 mm deep.
    let floor = block([40.0, 40.0, 1.0]);
    let leg = block([0.02, 0.03, 0.5]);
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for k in 0..4u32 {
        let base = vertices.len() as u32;
        let aside = Vector3::new(5.0 + 2.0 * k as f32, 0.25, 1.5 - 0.001 * (k + 1) as f32);
        vertices.extend(leg.vertices().iter().map(|v| v + aside));
        triangles.extend(leg.triangles().iter().map(|t| t.map(|v| v + base)));
    }
    let legs = TriMesh::new(vertices, triangles).unwrap();
    let all = found(&floor, &legs, at(0.0, 0.0, 0.0));
    assert_eq!(all.list.len(), 4);
    let frame = PairFrame::new(&Isometry3::identity(), &Isometry3::identity());
    assert!((volume_of(&all) - common_volume([&floor, &legs], &frame)).abs() <= error_of(&all));
    for (k, overlap) in all.list.iter().enumerate() {
        let wanted = 0.04 * 0.06 * 0.001 * (k + 1) as f64;
        assert!((overlap.volume / wanted - 1.0).abs() < 1e-3, "{overlap:?}");
        assert!(overlap.error < 1e-9 * overlap.volume, "{overlap:?}");
        assert!((overlap.gradient - Vector3::z() * 0.0024).norm() < 1e-6, "{overlap:?}");
    }
}

#[test]
fn a_hole_through_a_plate_is_of_the_overlap_around_it() {
    // The ring's hole lies in one triangle of either face and reaches from face to face but for rounding: it is told
    // from a cavity by what is around it.
    let (plate, ring) = (block([0.9, 0.8, 0.001]), ring(0.4, 0.9, 0.25, 8));
    for quarter in 0..4 {
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), f64::from(quarter) * FRAC_PI_2);
        for beside in [0.0, 1e-15, -1e-9] {
            let to = Translation3::new(-0.2 + beside, 0.4 + 0.7 * beside, 0.2 + 0.3 * beside);
            let frame = PairFrame::new(&Isometry3::identity(), &Isometry3::from_parts(to, turn));
            let all = found_at(&plate, &ring, &frame);
            assert_eq!(all.list.len(), 1, "{quarter} {beside:e}");
            assert!((volume_of(&all) - common_volume([&plate, &ring], &frame)).abs() <= error_of(&all));
        }
    }
}

#[test]
fn shells_that_share_a_corner_are_inside_or_outside_each_for_itself() {
    // Two cubes of 1 x 1 x 1 that share a corner; a body holds one of them and an end of the other.
    let cube = block([0.5; 3]);
    let mut vertices = cube.vertices().to_vec();
    vertices.extend(cube.vertices().iter().map(|v| v + Vector3::repeat(1.0)));
    let mut triangles = cube.triangles().to_vec();
    triangles.extend(cube.triangles().iter().map(|t| t.map(|v| v + 8)));
    let chain = TriMesh::welded(vertices, triangles).unwrap();
    assert_eq!((chain.components().len(), chain.shells().len()), (1, 2));
    for (a, b, x) in [(&chain, &block([2.0; 3]), 1.75), (&block([2.0; 3]), &chain, -1.75)] {
        let all = found(a, b, at(x, 0.0, 0.0));
        assert!((volume_of(&all) - 1.75).abs() <= error_of(&all) + 1e-15, "{:?}", all.list);
    }
}

/// Bodies of every kind: convex, with holes, of several shells.
fn bodies() -> Vec<TriMesh> {
    let joined = |meshes: &[(&TriMesh, [f32; 3])]| {
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for (mesh, at) in meshes {
            let base = vertices.len() as u32;
            vertices.extend(mesh.vertices().iter().map(|v| v + Vector3::from(*at)));
            triangles.extend(mesh.triangles().iter().map(|t| t.map(|v| v + base)));
        }
        TriMesh::new(vertices, triangles).unwrap()
    };
    let small = block([0.4, 0.3, 0.2]);
    vec![
        block([0.7, 0.6, 0.5]),
        sphere_mesh(0.8, 10, 6),
        torus(0.7, 0.3, 10, 6),
        ring(0.4, 0.9, 0.25, 8),
        hollow_block([0.8; 3], [0.5, 0.6, 0.4]),
        slot(0.3, 0.8, 0.6),
        pin(0.4, 0.9, 7),
        joined(&[(&small, [-0.6, 0.0, 0.0]), (&small, [0.6, 0.1, 0.0]), (&small, [0.0, 0.9, 0.3])]),
        // A thin plate, and parts that overlap each other.
        block([0.9, 0.8, 0.001]),
        joined(&[(&small, [-0.2, 0.0, 0.0]), (&small, [0.2, 0.1, 0.05])]),
    ]
}

/// Compares with brute force; gives the bound as a part of the volume.
///
/// `counted`: whether there must be as many overlaps whichever body is called A. Where faces lie in one plane, ties are
/// broken by the order of the bodies, and overlaps that only touch are one or two.
fn check(a: &TriMesh, b: &TriMesh, frame: &PairFrame, counted: bool) -> Result<f64, TestCaseError> {
    let all = found_at(a, b, frame);
    let wanted = common_volume([a, b], frame);
    // What tetrahedra that cancel out leave of nothing.
    let noise = 1e-25 * impinge_oracle::volume(a, frame, impinge_geometry::Side::A);
    let (volume, error) = (volume_of(&all), error_of(&all) + noise);
    prop_assert!((volume - wanted).abs() <= error, "{volume:e} for {wanted:e}, within {error:e}");
    let swapped = found_at(b, a, &frame.swapped());
    let other: f64 = swapped.list.iter().map(|overlap| overlap.volume).sum();
    prop_assert!((volume - other).abs() <= error + error_of(&swapped));
    prop_assert!(!counted || all.list.len() == swapped.list.len(), "{:?} {:?}", all.list, swapped.list);
    // What is not in B is in a large body with a cavity that B fills: together they are A.
    let far = 8.0 * b.aabb().max.iter().chain(&b.aabb().min).fold(0f32, |m, x| m.max(x.abs()));
    let around = block([far; 3]);
    let mut vertices = around.vertices().to_vec();
    let first = vertices.len() as u32;
    vertices.extend_from_slice(b.vertices());
    let mut triangles = around.triangles().to_vec();
    triangles.extend(b.triangles().iter().map(|&[p, q, r]| [p, r, q].map(|v| v + first)));
    let beside = TriMesh::new(vertices, triangles).unwrap();
    // Shells that overlap each other are turned as they were.
    if beside.report().defects.is_empty() {
        let outside = found_at(a, &beside, frame);
        let whole = impinge_oracle::volume(a, frame, impinge_geometry::Side::A);
        let sum = volume + volume_of(&outside);
        let bound = error + error_of(&outside);
        prop_assert!((sum - whole).abs() <= bound, "{sum:e} for {whole:e}, within {bound:e}");
    }
    // Of next to nothing no part is.
    let least = 1e-12 * impinge_oracle::volume(a, frame, impinge_geometry::Side::A);
    Ok(if wanted > least { error / wanted } else { 0.0 })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn the_volume_is_within_its_bound(
        pair in [0..10usize, 0..10usize],
        turns in [[-3.0..3.0f64, -3.0..3.0f64, -3.0..3.0f64], [-3.0..3.0f64, -3.0..3.0f64, -3.0..3.0f64]],
        to in [-0.9..0.9f64, -0.9..0.9f64, -0.9..0.9f64],
        size in -6..=6i32,
    ) {
        let factor = 10f64.powi(size);
        let [a, b] = pair.map(|k| scaled(&bodies()[k], factor as f32));
        let [p, q] = turns.map(|turn| UnitQuaternion::from_scaled_axis(turn.into()));
        let frame = PairFrame::new(
            &Isometry3::from_parts(Translation3::identity(), p),
            &Isometry3::from_parts(Translation3::from(Vector3::from(to) * factor), q),
        );
        let bound = check(&a, &b, &frame, true)?;
        // Loose bounds are no use; what is thin is uncertain by more.
        prop_assert!(bound <= 1e-6, "{bound:e}");
    }

    #[test]
    fn faces_in_one_plane_change_nothing(
        pair in [0..10usize, 0..10usize],
        to in [-4..=4i32, -4..=4i32, -4..=4i32],
        quarter in 0..4i32,
    ) {
        // On a lattice, turned by quarters: faces in one plane, edges and corners on each other.
        let [a, b] = pair.map(|k| bodies().swap_remove(k));
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), f64::from(quarter) * FRAC_PI_2);
        let frame = PairFrame::new(
            &Isometry3::identity(),
            &Isometry3::from_parts(Translation3::from(Vector3::from(to.map(|x| 0.1 * f64::from(x)))), turn),
        );
        check(&a, &b, &frame, false)?;
    }
}
