//! Every scene can be made, is the same every time, and its bodies stand apart at the start.

use std::path::PathBuf;

use impinge_geometry::Shape;
use impinge_scenes::{Scene, SceneError, SceneParams, mesh::Terrain, scene, scenes};
use nalgebra::Point3;

fn usual(name: &str) -> Scene {
    scene(name, &SceneParams::default()).unwrap()
}

/// World centre and radius of a body's bounding sphere.
fn sphere(scene: &Scene, body: usize) -> Option<(Point3<f64>, f64)> {
    let body = &scene.bodies[body];
    let sphere = scene.sphere(body.shape)?;
    Some((body.pose * sphere.center.cast::<f64>(), f64::from(sphere.radius)))
}

fn assert_apart(scene: &Scene) {
    let moving: Vec<_> = (0..scene.bodies.len())
        .filter(|&k| !scene.bodies[k].fixed)
        .map(|k| sphere(scene, k).expect("a body that moves has an end"))
        .collect();
    for (k, (p, r)) in moving.iter().enumerate() {
        for (q, s) in &moving[..k] {
            assert!((p - q).norm() > r + s, "{}: {k}", scene.name);
        }
    }
}

#[test]
fn the_bin_holds_150_bodies_of_seven_non_convex_kinds_that_stand_apart() {
    let scene = usual("bin");
    assert_eq!(scene.moving(), 150);
    assert_apart(&scene);
    let container = scene.container.unwrap();
    for k in 0..scene.bodies.len() {
        if scene.bodies[k].fixed {
            continue;
        }
        let (p, r) = sphere(&scene, k).unwrap();
        for i in 0..3 {
            assert!(p[i] - r > container.min[i], "body {k}");
        }
        for i in 0..2 {
            assert!(p[i] + r < container.max[i], "body {k}");
        }
    }
    for shape in 0..7 {
        let placed = scene.bodies.iter().filter(|b| b.shape == shape).count();
        assert!(placed >= 8, "{} stands {placed} times", scene.shapes[shape].name);
    }
    for shape in &scene.shapes {
        let Shape::Mesh(mesh) = &shape.shape else { panic!("{} is no mesh", shape.name) };
        assert!(mesh.is_closed(), "{}", shape.name);
        assert!(mesh.report().defects.is_empty(), "{}: {:?}", shape.name, mesh.report());
        if shape.name != "bin" {
            assert!((500..=5000).contains(&mesh.triangles().len()), "{}", shape.name);
        }
    }
}

#[test]
fn any_number_of_bodies_stands_apart() {
    for bodies in [0, 1, 2, 9, 10, 63, 400] {
        for name in ["bin", "pile"] {
            let params = SceneParams { bodies: Some(bodies), seed: 5, ..SceneParams::default() };
            let scene = scene(name, &params).unwrap();
            assert_eq!(scene.moving(), bodies);
            assert_apart(&scene);
        }
    }
}

#[test]
fn every_scene_is_the_same_every_time() {
    for (name, about) in scenes() {
        assert!(!about.is_empty());
        let (one, other) = (usual(name), usual(name));
        assert_eq!(one.name, name);
        assert_eq!(one.bodies, other.bodies);
        assert!((one.camera.direction.norm() - 1.0).abs() < 1e-12);
        assert!(one.bodies.iter().all(|b| b.shape < one.shapes.len()));
    }
    let seeded = scene("bin", &SceneParams { seed: 1, ..SceneParams::default() }).unwrap();
    assert_ne!(seeded.bodies, usual("bin").bodies);
}

#[test]
fn what_is_missing_is_named_with_a_remedy() {
    let unknown = scene("tower", &SceneParams::default()).unwrap_err().to_string();
    assert_eq!(
        unknown,
        "there is no scene `tower`; there are bin, gears, nut-bolt, hanging-nut, chain, bowls, peg-in-hole, drilled, terrain, field, level-set, digging, hand, particles, vehicle, pile-1000, mixed, bullets, pile, two-knots, arm, arm-machines, nested, tissue, cloth-avatar, cloth, flag, rope"
    );
    let params = SceneParams { assets: Some(PathBuf::from("/nowhere")), ..SceneParams::default() };
    let missing = scene("bin", &params).unwrap_err().to_string();
    assert!(missing.contains("/nowhere") && missing.contains("knot.obj"), "{missing}");
    assert!(missing.contains("IMPINGE_ASSETS") && missing.contains("make_assets"), "{missing}");
    let params = SceneParams { bodies: Some(usize::MAX), ..SceneParams::default() };
    assert!(matches!(scene("bin", &params), Err(SceneError::Bodies { most: 100_000, .. })));
}

#[test]
fn a_caller_s_meshes_are_scaled_to_fit_and_a_soup_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("huge.obj");
    impinge_scenes::mesh::Torus { major: 300.0, minor: 90.0, ..Default::default() }
        .mesh()
        .unwrap()
        .save(&path)
        .unwrap();
    let params = SceneParams { meshes: vec![path], bodies: Some(12), ..SceneParams::default() };
    let scene = scene("bin", &params).unwrap();
    assert_eq!(scene.shapes[0].name, "huge");
    assert_apart(&scene);
    assert!((scene.sphere(0).unwrap().radius - 0.42).abs() < 1e-3);

    let sheet = folder.path().join("sheet.ply");
    Terrain::default().mesh().unwrap().save(&sheet).unwrap();
    let params = SceneParams { meshes: vec![sheet], ..SceneParams::default() };
    let refused = impinge_scenes::scene("bin", &params).unwrap_err();
    assert!(matches!(refused, SceneError::Soup { defects: 192, .. }), "{refused}");
}

#[test]
fn arms_stand_as_their_first_sample_says_among_as_many_triangles_as_they_tell() {
    for (name, triangles) in [("arm", 38_000..39_000), ("arm-machines", 172_000..174_500)] {
        let scene = usual(name);
        let arm = scene.arm.as_ref().unwrap();
        assert_eq!((arm.bodies.len(), arm.joints.len()), (7, 7));
        let among = scene.triangles()
            - arm
                .bodies
                .iter()
                .map(|&body| triangles_of(&scene.shapes[scene.bodies[body].shape].shape))
                .sum::<usize>();
        assert!(triangles.contains(&among), "{name}: {among} triangles");
        assert!(scene.triangles() > 38_000, "{name}");
        let linkage = impinge_geometry::Linkage::new(&arm.joints).unwrap();
        assert!(arm.samples.len() > 10 && arm.samples.iter().all(|sample| linkage.check(sample).is_ok()));
        let mut poses = Vec::new();
        linkage.poses(&arm.samples[0], &mut poses);
        for (&body, pose) in arm.bodies.iter().zip(&poses) {
            let stands = scene.bodies[body].pose;
            assert!((stands.to_homogeneous() - pose.to_homogeneous()).norm() < 1e-12, "{name}: body {body}");
        }
    }
}

fn triangles_of(shape: &Shape) -> usize {
    match shape {
        Shape::Mesh(mesh) => mesh.triangles().len(),
        Shape::Composite(composite) => {
            composite.children().iter().map(|(_, child)| triangles_of(child)).sum()
        }
        _ => 0,
    }
}
