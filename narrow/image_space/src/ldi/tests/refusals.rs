use super::*;

#[test]
fn views_that_cannot_be_are_refused_by_name() {
    let o = Point3::origin();
    let view = |center, direction: [f64; 3], size, pixels| {
        LdiView::new(center, Vector3::from(direction), size, pixels)
    };
    let z = [0.0, 0.0, 1.0];
    for pixels in [[0, 8], [8, 0], [1025, 8], [8, u32::MAX]] {
        assert!(matches!(view(o, z, [1.0; 3], pixels), Err(LdiError::Pixels { .. })));
    }
    for size in [[0.0, 1.0, 1.0], [1.0, -1.0, 1.0], [1.0, 1.0, f64::NAN], [f64::INFINITY, 1.0, 1.0]] {
        assert!(matches!(view(o, z, size, [8, 8]), Err(LdiError::Length { .. })), "{size:?}");
    }
    for direction in [[0.0; 3], [f64::NAN, 0.0, 1.0], [f64::INFINITY, 0.0, 0.0]] {
        assert!(matches!(view(o, direction, [1.0; 3], [8, 8]), Err(LdiError::Direction { .. })));
    }
    let nowhere = Point3::new(0.0, f64::NAN, 0.0);
    assert!(matches!(view(nowhere, z, [1.0; 3], [8, 8]), Err(LdiError::NotFinite { .. })));
}

#[test]
fn bodies_and_points_that_cannot_be_are_refused_by_name() {
    let (mesh, view) = (box_mesh([1.0; 3]), straight(4.0, 16));
    let mut pose = Isometry3::identity();
    pose.translation.vector.x = f64::NAN;
    assert!(matches!(LayeredDepthImage::capture(&mesh, &pose, view), Err(LdiError::Pose(_))));
    pose.translation.vector.x = 1e30;
    let error = LayeredDepthImage::capture(&mesh, &pose, view).unwrap_err();
    assert!(matches!(error, LdiError::TooFar { vertex: 0, .. }), "{error}");
    assert!(error.to_string().contains("larger bounds"), "{error}");

    let image = captured(&mesh, &Isometry3::identity(), view);
    let points = [Point3::origin(), Point3::new(f64::NAN, 0.0, 0.0)];
    let error = image.points_inside(&points, &mut Vec::new()).unwrap_err();
    assert!(matches!(error, LdiError::NotFinite { what: "a point", .. }), "{error}");
}

#[test]
fn open_surfaces_and_other_views_are_refused() {
    let (mesh, view) = (box_mesh([1.0; 3]), straight(4.0, 16));
    let open = TriMesh::new(mesh.vertices().to_vec(), mesh.triangles()[2..].to_vec()).unwrap();
    let closed = captured(&mesh, &Isometry3::identity(), view);
    let image = captured(&open, &Isometry3::identity(), view);
    assert!(!image.is_closed() && image.odd_lines() > 0);
    assert!(matches!(image.volume(), Err(LdiError::NotClosed { .. })));
    assert!(matches!(image.self_collision(), Err(LdiError::NotClosed { .. })));
    assert!(matches!(closed.intersection_volume(&image), Err(LdiError::NotClosed { .. })));
    assert!(matches!(image.points_inside(&[], &mut Vec::new()), Err(LdiError::NotClosed { .. })));
    let elsewhere = captured(&mesh, &Isometry3::identity(), straight(4.0, 17));
    assert_eq!(closed.combined(Boolean::Or, &elsewhere), Err(LdiError::ViewsDiffer));
    assert_eq!(closed.line(16, 0), &[]);
}
