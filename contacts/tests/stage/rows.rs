//! Manifolds become rows, impulses come back.

use impinge_contacts::{
    ContactError, ContactRow, ContactSettings, Impulse, Manifold, Material, MaterialTable, PairMaterial,
    ROWS_WORTH_SHARING, RowSide, SurfaceMotion, manifolds, rows, write_back,
};
use impinge_geometry::ColliderId;
use nalgebra::{Vector2, Vector3};

use crate::patches::{at_origin, colliders, frame, patch, result};

fn two_manifolds() -> Vec<Manifold> {
    let line = [(Vector2::new(0.0, 0.0), 0.01), (Vector2::new(1.0, 0.0), 0.02)];
    let point = [(Vector2::new(0.0, 3.0), 0.005)];
    let patches = vec![
        patch(Vector3::z(), &line, Vector2::new(0.5, 0.0), 1.0),
        patch(Vector3::x(), &point, Vector2::new(0.0, 3.0), 1.0),
    ];
    let mut out = Vec::new();
    manifolds(&result(patches), &at_origin(&frame()), &ContactSettings::default(), &mut out);
    out
}

#[test]
fn every_point_has_a_row_with_both_materials() {
    let mut list = two_manifolds();
    list[0].points[1].impulse = Impulse { normal: 3.0, tangent: [0.1, 0.2] };
    let [a, _] = colliders();
    let side = |id| {
        let material = Material { friction: if id == a { 0.2 } else { 0.8 }, ..Material::default() };
        RowSide { material, user_data: if id == a { 100 } else { 200 }, surface: SurfaceMotion::STILL }
    };
    let mut out = vec![];
    rows(&list, side, &MaterialTable::default(), &mut out);
    assert_eq!(out.iter().map(|r| r.manifold).collect::<Vec<_>>(), [0, 0, 1]);
    for row in &out {
        assert_eq!(row.user_data, [100, 200]);
        let points = &list[row.manifold as usize].points;
        let point = points.iter().find(|p| p.key == row.key).unwrap();
        assert_eq!((row.local_a, row.local_b, row.position), (point.local_a, point.local_b, point.position));
        assert!((row.friction - 0.4).abs() < 1e-12);
        assert!((row.tangents[0].cross(&row.tangents[1]) - row.normal).norm() < 1e-12);
    }
    assert_eq!(out[1].warm, Impulse { normal: 3.0, tangent: [0.1, 0.2] });
    assert_eq!(out.iter().map(|r| r.depth).collect::<Vec<_>>(), [0.02, 0.01, 0.005]);
}

#[test]
fn a_manifold_may_carry_a_material_of_its_own() {
    let mut list = two_manifolds();
    let ice = PairMaterial { friction: 0.02, restitution: 0.1, stiffness: Some(1e6), damping: None };
    list[1].material = Some(ice);
    let side = |_| RowSide { material: Material::default(), user_data: 0, surface: SurfaceMotion::STILL };
    let mut out = vec![];
    rows(&list, side, &MaterialTable::default(), &mut out);
    assert_eq!(out.iter().map(|r| r.friction).collect::<Vec<_>>(), [0.5, 0.5, 0.02]);
    assert_eq!((out[2].restitution, out[2].stiffness, out[2].damping), (0.1, Some(1e6), None));
}

#[test]
fn impulses_return_to_their_points() {
    let mut list = two_manifolds();
    let impulses = [1.0, 2.0, 3.0].map(|normal| Impulse { normal, tangent: [0.0; 2] });
    write_back(&impulses, &mut list).unwrap();
    let normals: Vec<_> = list.iter().flat_map(|m| &m.points).map(|p| p.impulse.normal).collect();
    assert_eq!(normals, [1.0, 2.0, 3.0]);
}

#[test]
fn impulses_that_cannot_be_are_refused_and_nothing_changes() {
    let mut list = two_manifolds();
    let before = list.clone();
    let short = [Impulse::default(); 2];
    assert_eq!(write_back(&short, &mut list), Err(ContactError::ImpulseCount { impulses: 2, points: 3 }));
    let mut bad = [Impulse::default(); 3];
    bad[1].tangent[1] = f64::NEG_INFINITY;
    let error = write_back(&bad, &mut list);
    assert_eq!(error, Err(ContactError::ImpulseNotFinite { row: 1, value: f64::NEG_INFINITY }));
    assert_eq!(list, before);
}

#[test]
fn rows_of_many_manifolds_are_those_of_each() {
    let pair = two_manifolds();
    let mut list: Vec<Manifold> = (0..3000).flat_map(|_| pair.clone()).collect();
    for (k, manifold) in list.iter_mut().enumerate() {
        manifold.points.truncate(k % 3);
        for point in &mut manifold.points {
            (point.key, point.depth) = (k as u64, 1e-3 * k as f64);
        }
    }
    assert!(list.len() > ROWS_WORTH_SHARING);
    let side = |id: ColliderId| RowSide {
        material: Material::default(),
        user_data: u64::from(id.index),
        surface: SurfaceMotion::STILL,
    };
    let mut expected = Vec::new();
    for (k, manifold) in list.iter().enumerate() {
        let mut own = vec![];
        rows(std::slice::from_ref(manifold), side, &MaterialTable::default(), &mut own);
        expected.extend(own.into_iter().map(|row| ContactRow { manifold: k as u32, ..row }));
    }
    // What was there before, more or less than there is now, leaves nothing behind.
    for before in [0, 10_000] {
        let mut out = vec![expected[0]; before];
        rows(&list, side, &MaterialTable::default(), &mut out);
        assert_eq!(out, expected);
    }
}
