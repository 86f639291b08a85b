use impinge_geometry::Topology;
use proptest::prelude::*;

use super::*;

fn volume(result: &BooleanMesh) -> f64 {
    assert_eq!(result.mesh.topology(), Topology::Closed);
    result.mesh.mass_properties().unwrap().volume
}

#[test]
fn boxes_keep_their_edges_and_corners() {
    let mesh = box_mesh([1.0; 3]);
    let poses = [Isometry3::translation(3.0, 0.0, -2.0), Isometry3::translation(3.5, 0.25, -1.25)];
    let both = 1.5 * 1.75 * 1.25;
    for (boolean, wanted) in [(Boolean::And, both), (Boolean::Or, 16.0 - both), (Boolean::Minus, 8.0 - both)]
    {
        for cells in [16, 33, 64] {
            let result = boolean_mesh(boolean, [(&mesh, &poses[0]), (&mesh, &poses[1])], cells).unwrap();
            let found = volume(&result);
            assert!((found - wanted).abs() < 2e-3 * wanted, "{boolean:?}, {cells}: {found} for {wanted}");
            assert!((found - wanted).abs() < result.bound);
        }
    }
}

#[test]
fn the_lens_of_two_spheres_comes_closer_with_the_square_of_the_cells() {
    let mesh = sphere_mesh(1.0, 200, 100);
    let radius = (mesh.mass_properties().unwrap().volume * 0.75 / std::f64::consts::PI).cbrt();
    let poses = [askew(), askew() * Isometry3::translation(0.3, 0.9, 0.2)];
    let apart = (poses[0].translation.vector - poses[1].translation.vector).norm();
    let ball = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
    let both = lens(radius, apart);
    let wanted = [both, 2.0 * ball - both, ball - both];
    for (cells, error) in [(16, 2e-2), (32, 5e-3), (64, 1.5e-3)] {
        for (boolean, wanted) in Boolean::ALL.into_iter().zip(wanted) {
            let result = boolean_mesh(boolean, [(&mesh, &poses[0]), (&mesh, &poses[1])], cells).unwrap();
            let found = volume(&result);
            assert!((found / wanted - 1.0).abs() < error, "{boolean:?}, {cells}: {found} for {wanted}");
            assert!((found - wanted).abs() < result.bound);
        }
    }
}

#[test]
fn nothing_left_and_grids_that_cannot_be_are_refused() {
    let (mesh, here) = (box_mesh([1.0; 3]), Isometry3::identity());
    let far = Isometry3::translation(5.0, 0.0, 0.0);
    let of =
        |boolean, pose, cells| boolean_mesh(boolean, [(&mesh, &here), (&mesh, pose)], cells).unwrap_err();
    assert_eq!(of(Boolean::And, &far, 16), LdiError::Empty);
    assert_eq!(of(Boolean::Minus, &here, 16), LdiError::Empty);
    assert_eq!(of(Boolean::Or, &here, 0), LdiError::Cells { cells: 0 });
    assert_eq!(of(Boolean::Or, &here, 1 << 20), LdiError::Cells { cells: 1 << 20 });
    let open = TriMesh::new(mesh.vertices().to_vec(), mesh.triangles()[2..].to_vec()).unwrap();
    let error = boolean_mesh(Boolean::Or, [(&mesh, &here), (&open, &here)], 8).unwrap_err();
    assert!(matches!(error, LdiError::NotClosed { .. }), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever meets whatever: the mesh is closed, and its volume is that of the lines within the bound.
    #[test]
    fn every_result_is_closed(shift in [-1.2f64..1.2, -1.2f64..1.2, -1.2f64..1.2], turn in [-3.0f64..3.0, -3.0f64..3.0, -3.0f64..3.0], pair in 0usize..9, cells in 8u32..40) {
        let bodies = bodies();
        let pose = Isometry3::from_parts(Translation3::from(shift), UnitQuaternion::from_euler_angles(turn[0], turn[1], turn[2]));
        let pair = [(&bodies[pair / 3], &askew()), (&bodies[pair % 3], &pose)];
        for boolean in Boolean::ALL {
            let result = match boolean_mesh(boolean, pair, cells) {
                Ok(result) => result,
                Err(error) => {
                    prop_assert_eq!(error, LdiError::Empty);
                    continue;
                }
            };
            prop_assert!(result.mesh.is_closed());
            let view = LdiView::around(Point3::from([-3.0; 3]), Point3::from([3.0; 3]), Vector3::new(0.2, 0.3, 1.0), [200; 2]).unwrap();
            let [a, b] = pair.map(|(mesh, pose)| captured(mesh, pose, view));
            let wanted = a.combined(boolean, &b).unwrap().volume().unwrap();
            let found = result.mesh.mass_properties().map_or(0.0, |m| m.volume);
            prop_assert!((found - wanted).abs() < result.bound + 0.02, "{:?}: {} for {}", boolean, found, wanted);
        }
    }
}
