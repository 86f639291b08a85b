use super::*;
use impinge_geometry::{HeightField, HeightFieldSettings};
use impinge_scenes::fixtures::{box_mesh, sphere_mesh, torus};

fn floor() -> Shape {
    box_mesh([3.0, 3.0, 0.5]).into()
}

/// A ball of radius ½ sunk by d in a floor of two triangles: a cap of volume π d² (R − d ⁄ 3) and area
/// π (2 R d − d²).
#[test]
fn a_ball_sinks_into_a_floor() {
    let ball = Shape::sphere(0.5).unwrap();
    for d in [1e-1, 1e-2, 1e-3, 1e-4, 1e-6] {
        let out = ask_shapes(&floor(), &ball, shift(0.2, 0.1, 1.0 - d));
        let cap = only(&out);
        assert_normal(cap, Vector3::z(), 1.0);
        assert_near(cap.depth, d, 0.01);
        assert_near(cap.volume, std::f64::consts::PI * d * d * (0.5 - d / 3.0), 0.02);
        let sunk = 1.0 - (1.0 - d);
        assert_near(cap.gradient.norm(), std::f64::consts::PI * (sunk - sunk * sunk), 1e-9);
    }
    let out = ask_shapes(&floor(), &ball, shift(0.25, 0.125, 1.0));
    assert!(only(&out).depth.abs() < 1e-9);
    assert!(!ask_shapes(&floor(), &ball, shift(0.25, 0.125, 1.001)).touching);
}

/// A ridge whose sides fall by ¼, of square cells of this size (m), 4 m along each side, on a block 1 m high at its feet.
fn ridge(cell: f32) -> Shape {
    let count = (4.0 / cell) as u32 + 1;
    let height = |k: u32| 1.5 - 0.25 * ((k % count) as f32 * cell - 2.0).abs();
    let settings =
        HeightFieldSettings { spacing: [cell; 2], bottom: Some(0.0), ..HeightFieldSettings::default() };
    HeightField::new([count; 2], (0..count * count).map(height).collect(), &settings).unwrap().into()
}

/// However fine the cells of two planes are, a ball on the edge between them has the same normal, and the same area vector; above the
/// edge it is upright.
#[test]
fn a_ball_on_an_edge_sees_planes_and_no_cells() {
    let ball = Shape::sphere(0.5).unwrap();
    let rounds = (0..24).flat_map(|k| [1e-1f64, 1e-3].map(|sunk| (k, sunk)));
    for (k, sunk) in rounds {
        let across = 0.012 * sunk.sqrt() * f64::from(k);
        let pose = shift(2.0 + across, 1.3 + 0.06 * f64::from(k), 2.0 - 0.25 * across - sunk);
        let [coarse, fine] = [2.0, 0.25].map(|cell| only(&ask_shapes(&ridge(cell), &ball, pose)).clone());
        let apart = (coarse.gradient - fine.gradient).norm();
        assert!(apart <= 1e-9 * fine.gradient.norm(), "{k} {sunk}: {apart}");
        assert!((coarse.normal - fine.normal).norm() <= 1e-9, "{k} {sunk}");
        assert!((coarse.torque - fine.torque).norm() <= 1e-9 * fine.torque.norm(), "{k} {sunk}");
        if k == 0 {
            assert_normal(&fine, Vector3::z(), 1e-6);
        }
    }
}

/// A ball that is sunk in two blocks of one mesh that overlap each other: what counts is what they are together, not each.
#[test]
fn a_ball_on_shells_that_overlap_sees_their_union() {
    let block = box_mesh([1.0, 1.0, 0.5]);
    let mut vertices = block.vertices().to_vec();
    let mut triangles = block.triangles().to_vec();
    let count = vertices.len() as u32;
    vertices.extend(block.vertices().iter().map(|p| Point3::new(p.x + 1.0, p.y, p.z)));
    triangles.extend(block.triangles().iter().map(|t| t.map(|v| v + count)));
    let both = TriMesh::new(vertices, triangles).unwrap();
    let whole = box_mesh([1.5, 1.0, 0.5]);
    let ball = Shape::sphere(0.5).unwrap();
    let [of_both, of_one] = [(both, 0.5), (whole, 0.0)]
        .map(|(mesh, at)| only(&ask_shapes(&mesh.into(), &ball, shift(at + 0.1, 0.2, 0.8))).clone());
    assert_near(of_both.gradient.norm(), of_one.gradient.norm(), 0.05);
}

/// A capsule and a cylinder lie on the floor, sunk little: strips as long as they are; the cylinder stands on
/// its end: a disc.
#[test]
fn round_bodies_lie_and_stand() {
    let lying = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_2);
    for d in [1e-2, 1e-4] {
        for shape in [Shape::capsule(0.5, 0.2).unwrap(), Shape::cylinder(0.5, 0.2).unwrap()] {
            let out = ask_shapes(&floor(), &shape, placed(0.2, 0.1, 0.7 - d, lying));
            assert_normal(only(&out), Vector3::z(), 0.5);
            assert_near(only(&out).depth, d, 0.01);
            assert!(spread(only(&out)).y > 0.9, "{}", spread(only(&out)));
        }
        let out = ask_shapes(&floor(), &Shape::cylinder(0.5, 0.2).unwrap(), shift(0.2, 0.1, 1.0 - d));
        assert_normal(only(&out), Vector3::z(), 0.1);
        assert_near(only(&out).gradient.norm(), std::f64::consts::PI * 0.04, 0.02);
        assert_near(only(&out).volume, std::f64::consts::PI * 0.04 * d, 0.02);
    }
}

/// Meshes on a half-space: a cube on its corner, a cube on its face (sunk, and not at all), and a torus
/// above which the half-space lies.
#[test]
fn meshes_stand_on_a_half_space() {
    let space = Shape::half_space();
    let corner = UnitQuaternion::rotation_between(&Vector3::new(1.0, 1.0, 1.0), &Vector3::z()).unwrap();
    let cube: Shape = box_mesh([0.5; 3]).into();
    let out = ask_shapes(&space, &cube, placed(0.2, 0.1, 0.5 * 3f64.sqrt() - 0.01, corner));
    assert_normal(only(&out), Vector3::z(), 1e-6);
    assert_near(only(&out).depth, 0.01, 0.01);
    assert_near(only(&out).volume, 1e-6 * 3f64.sqrt() / 2.0, 0.02);
    for sunk in [0.001, 0.0] {
        let out = ask_shapes(&space, &cube, shift(0.1, 0.2, 0.5 - sunk));
        assert_normal(only(&out), Vector3::z(), 1e-6);
        assert_near(only(&out).gradient.norm(), 1.0, 0.01);
        assert!((only(&out).depth - sunk).abs() < 1e-6);
    }
    let out = ask_shapes(&torus(1.0, 0.25, 64, 24).into(), &space, shift(0.1, 0.2, -0.24));
    assert_normal(only(&out), -Vector3::z(), 1e-6);
    assert_near(only(&out).depth, 0.01, 0.05);
}

/// A ball in a cube and a cube in a ball: out by the nearest wall.
#[test]
fn a_ball_in_a_cube_and_a_cube_in_a_ball() {
    let out = ask_shapes(&box_mesh([1.0; 3]).into(), &Shape::sphere(0.2).unwrap(), shift(0.5, 0.0, 0.0));
    assert_eq!(out.containment, Containment::BInA);
    assert_normal(only(&out), Vector3::x(), 1e-6);
    assert_near(only(&out).depth, 0.7, 0.01);
    let out = ask_shapes(&box_mesh([0.2; 3]).into(), &Shape::sphere(1.0).unwrap(), shift(0.5, 0.0, 0.0));
    assert_eq!(out.containment, Containment::AInB);
    assert_normal(only(&out), Vector3::x(), 10.0);
}

/// A cylinder lies in a slot between two walls, sunk by 0.02 in each and in the floor by 0.01: V and G by
/// the mesh's views agree with those of a finely divided cylinder's contours.
#[test]
fn a_cylinder_agrees_with_its_mesh() {
    let turn = UnitQuaternion::from_euler_angles(0.3, 0.1, 0.0);
    let pose = placed(0.3, 0.4, 0.95, turn);
    let by_views = ask_shapes(&box_mesh([1.0, 1.0, 0.5]).into(), &Shape::sphere(0.5).unwrap(), pose);
    let by_contour = ask_shapes(&box_mesh([1.0, 1.0, 0.5]).into(), &sphere_mesh(0.5, 128, 64).into(), pose);
    let (views, contour) = (only(&by_views), only(&by_contour));
    assert_near(views.gradient.norm(), contour.gradient.norm(), 0.02);
    assert_near(views.volume, contour.volume, 0.02);
    assert_near(views.depth, contour.depth, 0.02);
    assert!((views.pressure_center - contour.pressure_center).norm() < 0.01);
}
