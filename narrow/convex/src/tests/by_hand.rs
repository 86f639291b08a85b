//! Cases whose answers can be told in words.

use impinge_geometry::Shape;
use nalgebra::{Point3, Vector3};

use super::{Scene, at, turned};
use impinge_geometry::Containment;

const PI: f64 = std::f64::consts::PI;

fn close(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} against {b}");
}

#[test]
fn two_spheres_overlap_in_a_lens() {
    // Radii 1 and 1, centres 1.5 apart: depth 0.5, caps of height 0.25, circle of radius √(1 − 0.5625).
    let ball = Shape::sphere(1.0).unwrap();
    let out = Scene::new([&ball, &ball], [at(0.0, 0.0, 0.0), at(1.5, 0.0, 0.0)]).run(0.0);
    let patch = out.one();
    close(patch.depth, 0.5, 1e-12);
    close(out.volume.unwrap(), 2.0 * PI * 0.0625 * (3.0 - 0.25) / 3.0, 1e-12);
    close(patch.gradient.x, PI * (1.0 - 0.5625), 1e-12);
    close(patch.centroid.coords.norm(), 0.0, 1e-12);
    assert_eq!(patch.normal, Vector3::x());
    assert_eq!(out.containment, Containment::None);
}

#[test]
fn a_sphere_in_a_sphere_is_contained_and_freed_sideways() {
    let (large, small) = (Shape::sphere(1.0).unwrap(), Shape::sphere(0.25).unwrap());
    for x in [0.0, 0.5] {
        let scene = Scene::new([&large, &small], [at(0.0, 0.0, 0.0), at(x, 0.0, 0.0)]);
        let out = scene.run(0.0);
        assert_eq!(out.containment, Containment::BInA);
        close(out.one().depth, 1.25 - x, 1e-12);
        close(out.volume.unwrap(), 4.0 / 3.0 * PI * 0.25f64.powi(3), 1e-12);
        assert_eq!(scene.swapped().run(0.0).containment, Containment::AInB);
        assert!(!scene.moved(out.one().normal * (1.25 - x + 1e-9)).run(0.0).touching);
    }
}

#[test]
fn a_box_standing_on_a_box_touches_with_four_corners() {
    // The upper box is smaller: its lower face lies exactly in the other's upper face.
    let (base, top) = (Shape::cuboid([2.0, 2.0, 0.5]).unwrap(), Shape::cuboid([0.5, 0.25, 1.0]).unwrap());
    let scene = Scene::new([&base, &top], [at(0.0, 0.0, 0.0), at(0.25, 0.5, 1.5)]);
    let out = scene.run(0.0);
    assert!(out.touching);
    let patch = out.one();
    assert_eq!((patch.normal, patch.depth, patch.points.len()), (Vector3::z(), 0.0, 4));
    close(patch.gradient.z, 0.5, 1e-12);
    assert_eq!(out.volume, Some(0.0));
    // A hair above it does not touch, and gives points only with a margin.
    let lifted = scene.moved(Vector3::z() * 1e-9);
    assert!(!lifted.run(0.0).touching && lifted.run(0.0).region.is_none());
    let near = lifted.run(0.01);
    assert!(!near.touching);
    close(near.one().depth, -1e-9, 1e-12);
    assert_eq!(near.one().points.len(), 4);
    // Pressed in by 0.1 the overlap is the lower box's end.
    let pressed = scene.moved(Vector3::z() * -0.1).run(0.0);
    close(pressed.volume.unwrap(), 0.05, 1e-12);
    close(pressed.one().depth, 0.1, 1e-12);
    close(pressed.one().gradient.z, 0.5, 1e-12);
    close((pressed.one().pressure_center - Point3::new(0.125, 0.25, 0.0)).xy().norm(), 0.0, 1e-9);
}

#[test]
fn boxes_in_the_same_place_are_freed_along_their_thinnest_side() {
    let shape = Shape::cuboid([1.0, 0.5, 2.0]).unwrap();
    let pose = turned(at(3.0, 1.0, -2.0), Vector3::new(1.0, 2.0, 3.0), 0.7);
    let scene = Scene::new([&shape, &shape], [pose, pose]);
    let out = scene.run(0.0);
    close(out.one().depth, 1.0, 1e-12);
    close(out.volume.unwrap(), 8.0, 1e-9);
    assert!(!scene.moved(out.one().normal * 1.000001).run(0.0).touching);
}

#[test]
fn edges_that_cross_meet_in_one_point() {
    // Two long boxes, each turned by 45° about its own length, edge on edge, 0.01 deep.
    let shape = Shape::cuboid([0.5, 0.5, 4.0]).unwrap();
    let quarter = std::f64::consts::FRAC_PI_4;
    let lower = turned(at(0.0, 0.0, 0.0), Vector3::z(), quarter);
    let half = 0.5f64 * 2f64.sqrt();
    let upper =
        turned(turned(at(0.0, 2.0 * half - 0.01, 0.0), Vector3::y(), 2.0 * quarter), Vector3::z(), quarter);
    let out = Scene::new([&shape, &shape], [lower, upper]).run(0.0);
    let patch = out.one();
    close(patch.depth, 0.01, 1e-9);
    close(patch.normal.y, 1.0, 1e-9);
    let deepest = patch.points.iter().find(|p| (p.depth - 0.01).abs() < 1e-9).unwrap();
    close((deepest.on_a - deepest.on_b).norm(), 0.01, 1e-9);
    close(nalgebra::center(&deepest.on_a, &deepest.on_b).x, 0.0, 1e-6);
}

#[test]
fn capsules_whose_axes_cross_are_freed_across_both() {
    let shape = Shape::capsule(1.0, 0.25).unwrap();
    let turned = turned(at(0.25, 0.0, 0.5), Vector3::y(), 1.0);
    let scene = Scene::new([&shape, &shape], [at(0.0, 0.0, 0.0), turned]);
    let out = scene.run(0.0);
    close(out.one().depth, 0.5, 1e-9);
    close(out.one().normal.y.abs(), 1.0, 1e-9);
    // In one line, half a length apart, and in the very same place.
    for z in [0.0, 1.0] {
        let scene = Scene::new([&shape, &shape], [at(0.0, 0.0, 0.0), at(0.0, 0.0, z)]);
        let found = scene.run(0.0);
        let patch = found.one();
        close(patch.depth, 0.5, 1e-9);
        close(patch.normal.z, 0.0, 1e-9);
        assert!(!scene.moved(patch.normal * 0.500001).run(0.0).touching);
    }
}

#[test]
fn capsules_side_by_side_touch_along_the_stretch_they_share() {
    let shape = Shape::capsule(1.0, 0.25).unwrap();
    let out = Scene::new([&shape, &shape], [at(0.0, 0.0, 0.0), at(0.49, 0.0, 0.5)]).run(0.0);
    let patch = out.one();
    assert_eq!(patch.points.len(), 2);
    let mut z: Vec<f64> = patch.points.iter().map(|p| p.on_a.z + 0.25).collect();
    z.sort_by(f64::total_cmp);
    close(z[0], -0.5, 1e-9);
    close(z[1], 1.0, 1e-9);
}

#[test]
fn a_sphere_in_a_box_is_freed_through_the_nearest_face() {
    let (block, ball) = (Shape::cuboid([1.0, 2.0, 3.0]).unwrap(), Shape::sphere(0.25).unwrap());
    let scene = Scene::new([&block, &ball], [at(0.0, 0.0, 0.0), at(-0.4, 0.5, 0.5)]);
    let out = scene.run(0.0);
    assert_eq!(out.containment, Containment::BInA);
    close(out.one().depth, 0.6 + 0.25, 1e-9);
    close(out.one().normal.x, -1.0, 1e-9);
    close(out.volume.unwrap(), 4.0 / 3.0 * PI * 0.25f64.powi(3), 1e-12);
}

#[test]
fn cylinders_rest_on_faces_and_on_their_sides() {
    let (floor, can) = (Shape::cuboid([2.0, 2.0, 0.5]).unwrap(), Shape::cylinder(1.0, 0.5).unwrap());
    let upright = Scene::new([&floor, &can], [at(0.0, 0.0, 0.0), at(0.1, 0.2, 1.49)]).run(0.0);
    close(upright.one().depth, 0.01, 1e-9);
    assert!(upright.one().points.len() >= 4);
    close(upright.one().gradient.norm(), PI * 0.25, 0.11 * PI * 0.25);
    let quarter = std::f64::consts::FRAC_PI_2;
    let lying =
        Scene::new([&floor, &can], [at(0.0, 0.0, 0.0), turned(at(0.1, 0.2, 0.99), Vector3::x(), quarter)]);
    let out = lying.run(0.0);
    close(out.one().depth, 0.01, 1e-9);
    assert_eq!(out.one().points.len(), 2, "a line: its two ends");
    close((out.one().points[0].on_b - out.one().points[1].on_b).norm(), 2.0, 1e-6);
}

#[test]
fn a_half_space_gives_the_lowest_points() {
    let ground = Shape::half_space();
    let block = Shape::cuboid([0.5, 0.5, 0.5]).unwrap();
    let flat = Scene::new([&ground, &block], [at(0.0, 0.0, 0.0), at(0.0, 0.0, 0.45)]);
    let out = flat.run(0.0);
    let patch = out.one();
    assert_eq!((patch.points.len(), patch.normal), (4, Vector3::z()));
    close(patch.depth, 0.05, 1e-7);
    close(out.volume.unwrap(), 0.05, 1e-7);
    close(patch.gradient.z, 1.0, 1e-9);
    // The other way around the normal turns.
    let swapped = flat.swapped().run(0.0);
    assert_eq!(swapped.one().normal, -Vector3::z());
    close(swapped.volume.unwrap(), 0.05, 1e-7);
    close((swapped.one().centroid - patch.centroid).norm(), 0.0, 1e-12);
    close((swapped.one().pressure_center - patch.pressure_center).xy().norm(), 0.0, 1e-12);
    // Resting exactly on it touches; above it does not; within the margin it gives its four corners.
    let resting = flat.moved(Vector3::z() * 0.05).run(0.0);
    assert!(resting.touching && resting.one().points.len() == 4 && resting.one().depth == 0.0);
    let above = flat.moved(Vector3::z() * 0.06);
    assert!(!above.run(0.0).touching && above.run(0.0).region.is_none());
    let near = above.run(0.02);
    assert!(!near.touching && near.one().points.len() == 4);
    close(near.one().depth, -0.01, 1e-7);
    // Sunk wholly it is contained.
    let sunk = flat.moved(Vector3::z() * -5.0).run(0.0);
    assert_eq!(sunk.containment, Containment::BInA);
    close(sunk.volume.unwrap(), 1.0, 1e-9);
    close(sunk.one().depth, 0.5 + 4.55, 1e-7);
}

#[test]
fn a_half_space_cuts_caps_and_corners() {
    let ground = Shape::half_space();
    let ball = Shape::sphere(1.0).unwrap();
    let out = Scene::new([&ground, &ball], [at(0.0, 0.0, 0.0), at(2.0, 3.0, 0.7)]).run(0.0);
    close(out.volume.unwrap(), PI * 0.09 * (3.0 - 0.3) / 3.0, 1e-12);
    close(out.one().gradient.z, PI * (0.3 * 1.7), 1e-12);
    // A cube on its corner, sunk by h: a pyramid of volume (√3/2) h³ with three right angles at its tip.
    let cube = Shape::cuboid([0.5; 3]).unwrap();
    let tip =
        nalgebra::UnitQuaternion::rotation_between(&Vector3::new(-1.0, -1.0, -1.0), &-Vector3::z()).unwrap();
    let height = 0.75f64.sqrt() - 0.2;
    let out = Scene::new([&ground, &cube], [at(0.0, 0.0, 0.0), at(0.0, 0.0, height) * tip]).run(0.0);
    close(out.one().depth, 0.2, 1e-9);
    close(out.volume.unwrap(), 0.5 * 3f64.sqrt() * 0.008, 1e-9);
    assert_eq!(out.one().points.len(), 1);
    // Its section is a triangle of area dV/dh.
    close(out.one().gradient.z, 1.5 * 3f64.sqrt() * 0.04, 1e-9);
}

#[test]
fn facing_half_spaces_touch_unless_a_gap_parts_them() {
    let ground = Shape::half_space();
    let over = |z: f64| turned(at(0.0, 0.0, z), Vector3::x(), PI);
    let run = |z: f64, margin: f64| Scene::new([&ground, &ground], [at(0.0, 0.0, 0.0), over(z)]).run(margin);
    assert!(run(-0.5, 0.0).touching && !run(0.5, 0.0).touching);
    close(run(-0.5, 0.0).one().depth, 0.5, 1e-12);
    close(run(0.5, 1.0).one().depth, -0.5, 1e-12);
    assert!(
        Scene::new([&ground, &ground], [at(0.0, 0.0, 0.0), turned(at(0.0, 0.0, 9.0), Vector3::x(), 1.0)])
            .run(0.0)
            .touching
    );
}

#[test]
fn a_hull_that_is_a_box_answers_like_the_box() {
    let corners: Vec<Point3<f32>> =
        (0..8u8).map(|k| Point3::from([0, 1, 2].map(|b| if k >> b & 1 == 1 { 0.5 } else { -0.5 }))).collect();
    let (hull, cuboid) = (Shape::hull(&corners).unwrap(), Shape::cuboid([0.5; 3]).unwrap());
    let floor = Shape::cuboid([2.0, 2.0, 0.5]).unwrap();
    let pose = turned(at(0.3, 0.1, 0.99), Vector3::z(), 0.4);
    let [a, b] = [&hull, &cuboid].map(|s| Scene::new([&floor, s], [at(0.0, 0.0, 0.0), pose]).run(0.0));
    close(a.one().depth, b.one().depth, 1e-9);
    close((a.one().normal - b.one().normal).norm(), 0.0, 1e-9);
    close(a.volume.unwrap(), b.volume.unwrap(), 1e-9);
    assert_eq!((a.one().points.len(), b.one().points.len()), (4, 4));
}
