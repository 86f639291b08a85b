use nalgebra::Translation3;
use proptest::prelude::*;

use super::*;
use crate::fixtures::{ball, box_arrays, joined, pose, sheet, torus, turned};
use crate::mesh::{Arrays, RepairSettings};
use crate::{PoseError, Primitive};

fn made((vertices, triangles): Arrays) -> TriMesh {
    TriMesh::new(vertices, triangles).unwrap()
}

fn volume(mesh: &TriMesh) -> f64 {
    mesh.mass_properties().unwrap().volume
}

/// A ball with a smaller one as a cavity, and a torus beside them: three shells.
fn with_cavity() -> TriMesh {
    let arrays = |mesh: &TriMesh| (mesh.vertices().to_vec(), mesh.triangles().to_vec());
    let inner = arrays(&ball(1).scaled(0.5).unwrap());
    let beside =
        arrays(&torus(1.0, 0.3, 9, 7).transformed(&Translation3::new(4.0, 0.0, 0.0).into()).unwrap());
    made(joined(joined(arrays(&ball(2)), turned(inner)), beside))
}

/// A cube without its lid, closed by virtual faces.
fn closed_hole() -> TriMesh {
    let (vertices, mut triangles) = box_arrays([0.0; 3], [1.0; 3]);
    triangles.retain(|t| !t.iter().all(|&v| vertices[v as usize].z == 1.0));
    TriMesh::repaired(vertices, triangles, &RepairSettings::default().close_holes(1.0)).unwrap()
}

/// The same vertices and triangles as a new mesh: everything that is derived must be the same.
fn assert_as_if_made_anew(mesh: &TriMesh) {
    let rebuilt = TriMesh::new(mesh.vertices().to_vec(), mesh.triangles().to_vec()).unwrap();
    assert!(rebuilt.report().defects.is_empty(), "{:?}", rebuilt.report().defects);
    assert_eq!(mesh.triangles(), rebuilt.triangles());
    assert_eq!(mesh.edges(), rebuilt.edges());
    assert_eq!(mesh.triangle_edges(), rebuilt.triangle_edges());
    assert_eq!((mesh.topology(), mesh.shells()), (rebuilt.topology(), rebuilt.shells()));
    assert_eq!(mesh.components(), rebuilt.components());
    assert_eq!((mesh.aabb(), mesh.bounding_sphere()), (rebuilt.aabb(), rebuilt.bounding_sphere()));
}

#[test]
fn factors_and_poses_that_cannot_be_used_are_named() {
    let cube = made(box_arrays([-1.0; 3], [1.0; 3]));
    for bad in [0.0, -0.0, f64::NAN, f64::INFINITY] {
        let error = cube.scaled_by([1.0, bad, 1.0]).unwrap_err();
        assert!(matches!(error, MeshError::Factor { axis: "y", .. }), "{bad}: {error}");
        assert!(matches!(cube.scaled(bad), Err(MeshError::Factor { axis: "x", .. })));
    }
    // Too large for the reach, too large for f32, and too small for f32.
    for large in [1.1e30, -1e39, 1e300] {
        assert!(matches!(cube.scaled(large), Err(MeshError::VertexTooFar { index: 0, .. })), "{large}");
    }
    let error = cube.scaled(1e-60).unwrap_err();
    assert_eq!(error, MeshError::NothingSound { triangles: 12, degenerate: 12, duplicate: 0 });
    let lost = Translation3::new(0.0, f64::NAN, 0.0).into();
    let error = cube.transformed(&lost).unwrap_err();
    assert!(matches!(error, MeshError::Pose(PoseError::NotFinite { component: "y", .. })), "{error}");
    let far = Translation3::new(1e25, 1e25, 0.0).into();
    assert!(matches!(cube.transformed(&far), Err(MeshError::NothingSound { .. })));
}

#[test]
fn a_power_of_two_and_no_move_lose_nothing() {
    let mesh = with_cavity();
    let again = mesh.scaled(0.25).unwrap().scaled(4.0).unwrap().transformed(&Isometry3::identity()).unwrap();
    assert_eq!(again.vertices(), mesh.vertices());
    assert_eq!(again.triangles(), mesh.triangles());
}

#[test]
fn a_mirrored_mesh_faces_outward() {
    let mesh = with_cavity();
    for factors in [[-1.0, 1.0, 1.0], [1.0, -2.0, 0.5], [-1.0; 3]] {
        let mirrored = mesh.scaled_by(factors).unwrap();
        assert_as_if_made_anew(&mirrored);
        assert!((volume(&mirrored) / volume(&mesh) - 1.0).abs() < 1e-6, "{factors:?}");
        let back = mirrored.scaled_by(factors.map(|f| 1.0 / f)).unwrap();
        assert_eq!((back.triangles(), back.vertices()), (mesh.triangles(), mesh.vertices()));
        assert_eq!((back.edges(), back.triangle_edges()), (mesh.edges(), mesh.triangle_edges()));
    }
    // Two mirrors are a turn.
    assert_eq!(mesh.scaled_by([-1.0, -1.0, 1.0]).unwrap().triangles(), mesh.triangles());
}

#[test]
fn an_open_sheet_mirrored_faces_the_side_it_faced() {
    // It faces +z; mirrored in x it still does, in z it faces −z.
    let open = made(sheet(3, |x, _| 0.1 * x));
    assert!(!open.is_closed());
    assert!(open.scaled_by([-1.0, 1.0, 1.0]).unwrap().one_sided(0.5, Vector3::z()).is_ok());
    assert!(open.scaled_by([1.0, 1.0, -1.0]).unwrap().one_sided(0.5, -Vector3::z()).is_ok());
}

#[test]
fn repairs_virtual_faces_and_sources_are_kept() {
    let mesh = closed_hole();
    assert!(mesh.has_closed_holes() && mesh.has_virtual_faces());
    let turn = Isometry3::new(Vector3::new(1.0, 2.0, 3.0), Vector3::new(0.3, -0.2, 0.9));
    let moved = mesh.scaled_by([-10.0, 10.0, 10.0]).unwrap().transformed(&turn).unwrap();
    assert!(moved.is_closed() && moved.has_closed_holes());
    assert!((volume(&moved) - 1000.0).abs() < 1e-2);
    assert_eq!(moved.source_triangles(), mesh.source_triangles());
    assert_eq!(moved.report(), mesh.report());
    let count = mesh.triangles().len() as u32;
    assert!((0..count).all(|t| moved.is_virtual(t) == mesh.is_virtual(t)));
    let [before, after] = [&mesh, &moved].map(|m| m.repairs().holes[0]);
    assert_eq!((after.edges, after.vertex, after.part), (before.edges, before.vertex, before.part));
    assert!((after.size / before.size - 10.0).abs() < 1e-12);

    // A vertex apart by rounding: how far it moved grows with the mesh.
    let (mut vertices, mut triangles) = box_arrays([0.0; 3], [1.0; 3]);
    vertices.push(vertices[triangles[0][0] as usize] + Vector3::new(1e-7, 0.0, 0.0));
    triangles[0][0] = 8;
    let merged = TriMesh::repaired(vertices, triangles, &RepairSettings::default()).unwrap();
    assert!(merged.is_closed() && merged.repairs().moved > 0.0);
    let scaled = merged.scaled(1000.0).unwrap();
    assert!((scaled.repairs().moved / merged.repairs().moved - 1000.0).abs() < 1e-9);
    assert_ne!(scaled.repairs().done, merged.repairs().done);
    assert_eq!(merged.transformed(&turn).unwrap().repairs(), merged.repairs());
}

#[test]
fn the_centroid_is_the_solid_s_where_there_is_one() {
    // A pyramid of height 1 over a square: its solid is centred at 1/4, its surface elsewhere.
    let places = [[-1., -1., 0.], [1., -1., 0.], [1., 1., 0.], [-1., 1., 0.], [0., 0., 1.]];
    let faces = vec![[0, 2, 1], [0, 3, 2], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]];
    let pyramid = made((places.map(Point3::from).to_vec(), faces.clone()));
    assert!((pyramid.centroid() - Point3::new(0.0, 0.0, 0.25)).norm() < 1e-15);
    // Without its floor: four faces of area √2, each centred at a third of the height.
    let open = made((places.map(Point3::from).to_vec(), faces[2..].to_vec()));
    assert!(!open.is_closed());
    assert!((open.centroid() - Point3::new(0.0, 0.0, 1.0 / 3.0)).norm() < 1e-15);
    // Closed around nothing: two triangles back to back.
    let leaf = made((places.map(Point3::from).to_vec(), vec![[0, 1, 2], [0, 2, 1]]));
    assert!(leaf.is_closed());
    assert!((leaf.centroid() - Point3::new(1.0 / 3.0, -1.0 / 3.0, 0.0)).norm() < 1e-15);
}

#[test]
fn a_deformed_mesh_without_area_has_a_centroid_and_cannot_be_moved() {
    let flat = ball(0).with_vertices(vec![Point3::new(1.0, 2.0, 3.0); 6]).unwrap();
    assert_eq!(flat.centroid(), Point3::new(1.0, 2.0, 3.0));
    assert!(matches!(flat.recentered(), Err(MeshError::NothingSound { .. })));
}

fn factor() -> impl Strategy<Value = f64> {
    (-3.0f64..3.0, any::<bool>()).prop_map(|(e, turn)| libm::pow(10.0, e) * if turn { -1.0 } else { 1.0 })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Volume by the product of the factors, centre by the factors, and all that is derived as of a new mesh.
    #[test]
    fn a_scaled_mesh_is_the_mesh_of_scaled_vertices(factors in prop::array::uniform3(factor())) {
        let mesh = with_cavity();
        let scaled = mesh.scaled_by(factors).unwrap();
        assert_as_if_made_anew(&scaled);
        let expected = volume(&mesh) * factors.iter().product::<f64>().abs();
        prop_assert!((volume(&scaled) / expected - 1.0).abs() < 1e-5);
        let center = mesh.centroid().coords.component_mul(&Vector3::from(factors));
        let size = f64::from(scaled.bounding_sphere().radius);
        prop_assert!((scaled.centroid().coords - center).norm() < 1e-6 * size);
        let back = scaled.scaled_by(factors.map(|f| 1.0 / f)).unwrap();
        for (p, q) in back.vertices().iter().zip(mesh.vertices()) {
            prop_assert!((p - q).amax() <= 2.0 * f32::EPSILON * q.coords.amax());
        }
    }

    /// A turned mesh has the same mass, at the pose, and the pose's inverse brings it back.
    #[test]
    fn a_transformed_mesh_stands_at_the_pose(pose in pose(100.0)) {
        let mesh = with_cavity();
        let moved = mesh.transformed(&pose).unwrap();
        assert_as_if_made_anew(&moved);
        let (own, there) = (mesh.mass_properties().unwrap(), moved.mass_properties().unwrap());
        prop_assert!((there.volume / own.volume - 1.0).abs() < 1e-4);
        prop_assert!((there.center - pose * own.center).norm() < 1e-4);
        let back = moved.transformed(&pose.inverse()).unwrap();
        for (p, q) in back.vertices().iter().zip(mesh.vertices()) {
            prop_assert!((p - q).norm() < 1e-4);
        }
    }

    /// Whatever the place and size: the centroid of what comes out is the origin, and the offset brings it back.
    #[test]
    fn a_recentered_mesh_has_its_centroid_at_the_origin(
        pose in pose(10.0),
        size in crate::fixtures::scale(),
        closed in any::<bool>(),
    ) {
        let mesh = if closed { with_cavity() } else { made(sheet(4, |x, y| 0.3 * x * y)) };
        prop_assert_eq!(mesh.is_closed(), closed);
        let moved = mesh.transformed(&pose).unwrap().scaled(size).unwrap();
        let (centered, centroid) = moved.recentered().unwrap();
        let radius = f64::from(centered.bounding_sphere().radius);
        prop_assert!(centered.centroid().coords.norm() < 1e-6 * radius);
        let back = centered.transformed(&Translation3::from(centroid).into()).unwrap();
        let rounding = f32::EPSILON * moved.vertices().iter().map(|p| p.coords.amax()).fold(0.0, f32::max);
        for (p, q) in back.vertices().iter().zip(moved.vertices()) {
            prop_assert!((p - q).amax() <= 2.0 * rounding);
        }
    }

    /// Every vertex that triangles use lies behind or on every face of the hull, which is closed and no smaller.
    #[test]
    fn the_hull_holds_the_mesh(pose in pose(10.0), factors in prop::array::uniform3(0.1f64..10.0)) {
        let mesh = with_cavity().scaled_by(factors).unwrap().transformed(&pose).unwrap();
        let hull = mesh.hull().unwrap();
        let hull = hull.mesh();
        prop_assert!(hull.is_closed() && volume(hull) > volume(&mesh));
        for t in 0..hull.triangles().len() as u32 {
            let [a, b, c] = hull.corners(t).map(|p| p.cast());
            for p in mesh.vertices() {
                // Positive on the side against the normal.
                prop_assert!(predicate::orient3d(&a, &b, &c, &p.cast()) >= 0.0);
            }
        }
        for p in hull.vertices() {
            prop_assert!(mesh.vertices().contains(p));
        }
    }
}

#[test]
fn vertices_that_no_triangle_uses_are_not_in_the_hull() {
    let (mut vertices, triangles) = box_arrays([-1.0; 3], [1.0; 3]);
    vertices.push(Point3::new(50.0, 0.0, 0.0));
    let hull = made((vertices, triangles)).hull().unwrap();
    assert_eq!(hull.mesh().aabb(), Primitive::Cuboid { half: [1.0; 3] }.aabb());
    let flat = made(sheet(2, |_, _| 0.0)).hull();
    assert!(matches!(flat, Err(crate::ShapeError::FlatHull { points: 9 })));
}
