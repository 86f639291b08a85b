//! Files part by part.

use std::sync::Arc;

use nalgebra::{Isometry3, Matrix3, Point3, Translation3, UnitQuaternion, Vector3};
use proptest::prelude::*;

use super::*;
use crate::fixtures::pose;
use crate::mesh::RepairSettings;
use crate::{Composite, Shape, ShapeError};

#[test]
fn nodes_of_a_gltf_file_are_parts_with_names_and_places() {
    let folder = Folder::new();
    let nodes = r#"{"children":[1,2],"translation":[1,0,0]},{"mesh":0,"name":"left"},{"mesh":0,"name":"right","scale":[-2,2,2]}"#;
    let path = folder.write("pair.gltf", gltf_text(nodes, PRIMITIVE));
    let settings = RepairSettings::default();
    let parts = TriMesh::load_parts(&path, &settings).unwrap();
    let names: Vec<&str> = parts.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["left", "right"]);
    assert!((volume(&parts[0].1) - 1.0 / 6.0).abs() < 1e-7 && (volume(&parts[1].1) - 8.0 / 6.0).abs() < 1e-6);
    assert_eq!((parts[0].1.aabb().min, parts[1].1.aabb().min), ([1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]));
    assert!((volume(&TriMesh::load(&path).unwrap()) - 1.5).abs() < 1e-6);
    // Of other formats the file is the one part.
    let parts = TriMesh::load_parts(folder.write("corner.stl", STL), &settings).unwrap();
    assert!(parts.len() == 1 && parts[0].0 == "corner" && parts[0].1.is_closed());
    assert!(TriMesh::load_parts(folder.0.path().join("none.glb"), &settings).is_err());
}

fn composite(shape: &Shape) -> &Composite {
    let Shape::Composite(composite) = shape else { panic!("files give composites") };
    composite
}

fn mesh_of(shape: &Shape) -> &Arc<TriMesh> {
    let Shape::Mesh(mesh) = shape else { panic!("files give meshes") };
    mesh
}

#[test]
fn each_file_is_a_child_with_its_name() {
    let folder = Folder::new();
    let base = folder.write("base.stl", STL);
    let arm = folder.write("arm.ply", PLY);
    let robot = Shape::from_files([&base, &arm]).unwrap();
    assert_eq!(composite(&robot).names(), ["base", "arm"]);
    assert_eq!((robot.subshape_name(0), robot.subshape_name(2)), (Some("base"), None));
    for ((pose, child), file) in composite(&robot).children().iter().zip([&base, &arm]) {
        assert_eq!(*pose, Isometry3::identity());
        assert_eq!(corners(mesh_of(child)), corners(&TriMesh::load(file).unwrap()));
    }
    let alone = Shape::from_file(&arm).unwrap();
    assert_eq!((composite(&alone).names().len(), alone.subshape_name(0)), (1, Some("arm")));
}

#[test]
fn files_and_parts_that_cannot_be_used_are_named() {
    let folder = Folder::new();
    assert_eq!(Shape::from_files(Vec::<PathBuf>::new()).unwrap_err(), ShapeError::EmptyComposite);
    let good = folder.write("good.stl", STL);
    let missing = folder.0.path().join("missing.stl");
    let error = Shape::from_files([&good, &missing]).unwrap_err();
    assert!(matches!(&error, ShapeError::Mesh(MeshError::Io { path, .. }) if *path == missing), "{error}");
    // A node so far away, or so large, that nothing can stand there.
    for (far, what) in [(r#""translation":[1e35,0,0]"#, "x"), (r#""scale":[1e35,1,1]"#, "magnitude")] {
        let nodes =
            format!(r#"{{"children":[1,2]}},{{"mesh":0,"name":"base"}},{{"mesh":0,"name":"arm",{far}}}"#);
        let path = folder.write("robot.gltf", gltf_text(&nodes, PRIMITIVE));
        let error = Shape::from_file(&path).unwrap_err();
        assert!(
            matches!(&error, ShapeError::Mesh(MeshError::InPart { part: 1, name, .. }) if name == "arm"),
            "{error}"
        );
        let text = error.to_string();
        assert!(text.contains("robot.gltf: part 1 `arm`: ") && text.contains(what), "{text}");
        let error = TriMesh::load_parts(&path, &RepairSettings::default()).unwrap_err();
        assert!(matches!(error, MeshError::InPart { part: 1, .. }), "{error}");
    }
    // A part that loses its area is passed over; where it is the only one, the file is refused.
    let flat = r#"{"children":[1,2]},{"mesh":0,"scale":[0,0,1]},{"mesh":0,"name":"arm"}"#;
    let robot = Shape::from_file(folder.write("flat.gltf", gltf_text(flat, PRIMITIVE))).unwrap();
    assert_eq!(composite(&robot).names(), ["arm"]);
    let flat = folder.write("line.gltf", gltf_text(r#"{"mesh":0,"scale":[0,0,1]}"#, PRIMITIVE));
    assert!(matches!(Shape::from_file(flat), Err(ShapeError::Mesh(MeshError::Parse { .. }))));
}

#[test]
fn nodes_of_one_mesh_share_it_unless_they_scale_it() {
    let folder = Folder::new();
    let nodes = r#"{"children":[1,2,3,4]},{"mesh":0,"name":"a","translation":[1,2,3]},{"mesh":0,"name":"b","rotation":[0.5,0.5,0.5,0.5]},
        {"mesh":0,"name":"c","scale":[2,2,-2]},{"mesh":0}"#;
    let car = Shape::from_file(folder.write("car.gltf", gltf_text(nodes, PRIMITIVE))).unwrap();
    let composite = composite(&car);
    assert_eq!(composite.names(), ["a", "b", "c", "car"]);
    let [a, b, c, d] = [0, 1, 2, 3].map(|k| &composite.children()[k]);
    assert!(Arc::ptr_eq(mesh_of(&a.1), mesh_of(&b.1)) && Arc::ptr_eq(mesh_of(&a.1), mesh_of(&d.1)));
    assert!(!Arc::ptr_eq(mesh_of(&a.1), mesh_of(&c.1)));
    assert_eq!(a.0, Translation3::new(1.0, 2.0, 3.0).into());
    // A third of a turn about the diagonal takes x to y.
    assert!((b.0 * Vector3::x() - Vector3::y()).norm() < 1e-7);
    assert!((volume(mesh_of(&c.1)) - 8.0 / 6.0).abs() < 1e-6 && mesh_of(&c.1).is_closed());
}

/// The JSON of a node's matrix, column after column.
fn matrix(pose: &Isometry3<f64>, axes: &Matrix3<f64>) -> String {
    let mut all = pose.to_homogeneous() * axes.to_homogeneous();
    all.m44 = 1.0;
    let numbers: Vec<String> = all.iter().map(|x| format!("{:?}", *x as f32)).collect();
    format!(r#""matrix":[{}]"#, numbers.join(","))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever turns, scales, shears and mirrors of a node and the one above: the child stands where `load_parts`, which
    /// puts all of it into the vertices, has it.
    #[test]
    fn children_stand_where_their_nodes_put_them(
        above in pose(5.0),
        own in pose(5.0),
        axes in prop::array::uniform9(-1.0f64..1.0),
        only_scale in any::<bool>(),
    ) {
        let full = Matrix3::from_column_slice(&axes) + Matrix3::identity() * 0.2;
        let axes = if only_scale { Matrix3::from_diagonal(&full.diagonal()) } else { full };
        prop_assume!(axes.determinant().abs() > 0.01);
        let folder = Folder::new();
        let nodes = format!(
            r#"{{"children":[1],{}}},{{"mesh":0,"name":"link",{}}}"#,
            matrix(&above, &Matrix3::identity()),
            matrix(&own, &axes)
        );
        let path = folder.write("link.gltf", gltf_text(&nodes, PRIMITIVE));
        let baked = TriMesh::load_parts(&path, &RepairSettings::default()).unwrap().remove(0).1;
        let shape = Shape::from_file(&path).unwrap();
        let (pose, child) = &composite(&shape).children()[0];
        let mesh = mesh_of(child);
        prop_assert!(mesh.is_closed());
        prop_assert!((volume(mesh) / volume(&baked) - 1.0).abs() < 1e-3);
        for t in 0..4 {
            for (p, q) in mesh.corners(t).into_iter().zip(baked.corners(t)) {
                let p: Point3<f64> = pose * p.cast::<f64>();
                prop_assert!((p - q.cast::<f64>()).norm() < 1e-5, "{} {}", p, q);
            }
        }
        // A transform without scale leaves the mesh as the file has it.
        let rigid = format!(r#"{{"mesh":0,{}}}"#, matrix(&own, &Matrix3::identity()));
        let shape = Shape::from_file(folder.write("rigid.gltf", gltf_text(&rigid, PRIMITIVE))).unwrap();
        let (pose, child) = &composite(&shape).children()[0];
        let aabb = mesh_of(child).aabb();
        prop_assert_eq!((aabb.min, aabb.max), ([0.0; 3], [1.0; 3]));
        prop_assert!((pose.translation.vector - own.translation.vector).norm() < 1e-6);
        let turn: UnitQuaternion<f64> = pose.rotation.inverse() * own.rotation;
        prop_assert!(turn.angle() < 1e-5);
    }
}
