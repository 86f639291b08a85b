//! Vassilev against winding numbers and closed forms.

use impinge_geometry::TriMesh;
use impinge_scenes::fixtures::{box_mesh, sphere_mesh};
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Point3, Vector3};

use super::super::*;

fn maps(mesh: &TriMesh, pose: &Isometry3<f64>, pixels: u32) -> AvatarMaps {
    let turning = |v: &Point3<f32>| Vector3::new(0.0, 0.0, 2.0).cross(&v.coords);
    let velocities: Vec<_> = mesh.vertices().iter().map(turning).collect();
    AvatarMaps::new(&ClassicBody::new(mesh, pose), &velocities, Vector3::new(0.1, 1.0, 0.2), pixels).unwrap()
}

#[test]
fn vertices_are_inside_as_their_winding_numbers_say() {
    let mut random = Random::new(17);
    for (mesh, name) in [(sphere_mesh(1.0, 32, 16), "sphere"), (box_mesh([0.8, 0.5, 0.6]), "box")] {
        for (pixels, most) in [(64, 30), (256, 10)] {
            let pose = Isometry3::from_parts(random.direction().into(), random.rotation());
            let maps = maps(&mesh, &pose, pixels);
            let cloth: Vec<Point3<f64>> =
                (0..1000).map(|_| pose * Point3::from([0, 1, 2].map(|_| random.signed()))).collect();
            let hits = maps.test(&cloth).unwrap();
            let mut found = vec![false; cloth.len()];
            hits.iter().for_each(|hit| found[hit.vertex as usize] = true);
            let exact = cloth.iter().map(|p| mesh.winding_number(&pose.inverse_transform_point(p)) > 0.5);
            let (mut inside, mut falsely, mut missed) = (0, 0, 0);
            for (exact, found) in exact.zip(found) {
                inside += usize::from(exact);
                falsely += usize::from(found && !exact);
                missed += usize::from(exact && !found);
            }
            println!("vassilev {name} {pixels}: {inside} inside, false {falsely}, missed {missed}");
            assert!(inside > 200 && falsely <= most && missed <= most);
        }
    }
}

#[test]
fn normals_and_velocities_are_those_of_a_turning_sphere() {
    let mesh = sphere_mesh(1.0, 64, 48);
    let pose = Isometry3::translation(3.0, -1.0, 0.5);
    let maps = maps(&mesh, &pose, 256);
    let mut random = Random::new(19);
    // Just inside of the surface.
    let cloth: Vec<Point3<f64>> = (0..500).map(|_| pose * Point3::from(random.direction() * 0.97)).collect();
    let hits = maps.test(&cloth).unwrap();
    assert!(hits.len() > 450, "{}", hits.len());
    let (mut sides, mut near) = ([0; 2], 0);
    for hit in &hits {
        let at = maps.view().place(0u32, 0u32, 0.0);
        assert!(at.coords.norm().is_finite());
        let out = pose.inverse_transform_point(&cloth[hit.vertex as usize]).coords.normalize();
        // Where the surface is steep, the nearest along the view is not the nearest.
        let slant = maps.view().direction().dot(&out);
        sides[usize::from(hit.back)] += 1;
        assert!(hit.back == (slant > 0.0) || slant.abs() < 0.1, "{slant}");
        if slant.abs() > 0.5 {
            near += 1;
            assert!(hit.surface.normal.cast().dot(&out) > 0.99);
            let velocity = Vector3::new(0.0, 0.0, 2.0).cross(&out);
            assert!((hit.surface.velocity.cast() - velocity).norm() < 0.15);
            assert!((hit.depth - 0.03).abs() < 0.012, "{}", hit.depth);
        }
    }
    assert!(sides[0] > 100 && sides[1] > 100 && near > 200);
}

/// Faces that lie on each other included.
#[test]
fn maps_of_captured_layers_are_the_same() {
    let ball = sphere_mesh(0.7, 20, 10);
    let twice = {
        let first = ball.vertices().len() as u32;
        let again = ball.triangles().iter().map(|t| t.map(|v| v + first));
        let triangles = ball.triangles().iter().copied().chain(again).collect();
        TriMesh::new([ball.vertices(), ball.vertices()].concat(), triangles).unwrap()
    };
    let mut random = Random::new(23);
    for mesh in [box_mesh([0.8, 0.5, 0.6]), ball, twice] {
        let pose = Isometry3::from_parts(random.direction().into(), random.rotation());
        let body = ClassicBody::new(&mesh, &pose);
        let velocities: Vec<Vector3<f32>> = mesh.vertices().iter().map(|v| v.coords * 2.0).collect();
        let direction = random.direction();
        let scanned = AvatarMaps::new(&body, &velocities, direction, 70).unwrap();
        let view = AvatarMaps::view_along(&body, &velocities, direction, 70).unwrap();
        let layers = crate::ldi::LayeredDepthImage::capture(&mesh, &pose, view).unwrap();
        let of_layers = AvatarMaps::of_layers(&body, &velocities, &layers).unwrap();
        let mut seen = 0;
        for (back, pixel) in [false, true].into_iter().flat_map(|back| (0..70 * 70).map(move |k| (back, k))) {
            assert_eq!(of_layers.sample(back, pixel), scanned.sample(back, pixel));
            seen += usize::from(scanned.sample(back, pixel).is_some());
        }
        assert!(seen > 1000, "{seen}");
    }
}

#[test]
fn bad_input_is_refused() {
    let mesh = box_mesh([0.5; 3]);
    let pose = Isometry3::identity();
    let body = ClassicBody::new(&mesh, &pose);
    let refused = AvatarMaps::new(&body, &[], Vector3::x(), 32).unwrap_err();
    assert_eq!(refused.to_string(), "0 velocities of vertices: give 8");
    let maps = maps(&mesh, &pose, 32);
    assert!(maps.test(&[Point3::new(0.0, f64::INFINITY, 0.0)]).is_err());
    assert_eq!(maps.test(&[Point3::new(9.0, 9.0, 9.0)]).unwrap(), []);
}
