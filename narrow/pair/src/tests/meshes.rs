use super::*;
use crate::patch::PatchOrigin;
use crate::scene::Scene;
use impinge_image_space::view::Extent;
use impinge_scenes::fixtures::{box_mesh, sphere_mesh, torus};

fn cube(half: f32) -> TriMesh {
    box_mesh([half; 3])
}

fn up_on_corner() -> UnitQuaternion<f64> {
    UnitQuaternion::rotation_between(&Vector3::new(1.0, 1.0, 1.0), &Vector3::z()).unwrap()
}

/// Several meshes as one.
fn joined(parts: &[(&TriMesh, Vector3<f32>, bool)]) -> TriMesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for (mesh, at, turned) in parts {
        let base = vertices.len() as u32;
        vertices.extend(mesh.vertices().iter().map(|p| p + at));
        triangles.extend(mesh.triangles().iter().map(|t| {
            let [a, b, c] = t.map(|v| v + base);
            if *turned { [a, c, b] } else { [a, b, c] }
        }));
    }
    TriMesh::new(vertices, triangles).unwrap()
}

/// A slab of 2 × 2 × 0.02 rests on a wide block, sunk by 0.001.
#[test]
fn a_thin_slab_rests_on_a_block() {
    let out = ask(&box_mesh([3.0, 3.0, 0.5]), &box_mesh([1.0, 1.0, 0.01]), shift(0.3, -0.2, 0.509));
    let rest = only(&out);
    assert_normal(rest, Vector3::z(), 1e-6);
    assert_near(rest.depth, 0.001, 1e-3);
    assert_near(rest.gradient.norm(), 4.0, 1e-9);
    assert_near(rest.volume, 0.004, 2e-3);
    assert_near(out.volume.unwrap(), 0.004, 2e-3);
    assert!(spread(rest).x > 1.75 && spread(rest).y > 1.75);
    let middle = rest.pressure_center - Point3::new(0.15, -0.1, rest.pressure_center.z);
    assert!(middle.norm() < 1e-9);
}

/// Two tori of radii 1 and ¼ cross, B turned on its side: it is inside A's tube by d on either side.
#[test]
fn crossing_tori_are_freed_by_how_far_they_were_pushed() {
    for d in [0.02, 0.1, 0.2, 0.35] {
        let side = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_2);
        let out = ask(&torus(1.0, 0.25, 64, 24), &torus(1.0, 0.25, 64, 24), placed(0.5 - d, 0.0, 0.0, side));
        assert_eq!(out.patches.len(), 2);
        for patch in &out.patches {
            assert_normal(patch, Vector3::x(), 1e-6);
            assert_near(patch.depth, d, 0.02);
            assert_eq!(patch.origin, PatchOrigin::OverlapIntervals);
        }
    }
}

/// The gradient that three views measure is that of the contours; tori and turned boxes.
#[test]
fn three_views_agree_with_contours() {
    let turn = UnitQuaternion::from_euler_angles(0.4, 0.2, 0.7);
    let cases = [
        (torus(1.0, 0.25, 48, 24), torus(1.0, 0.25, 48, 24), placed(1.1, 0.2, 0.55, turn)),
        (cube(0.5), cube(0.4), placed(0.6, 0.3, 0.4, turn)),
        (sphere_mesh(0.5, 32, 16), cube(0.4), placed(0.5, 0.4, 0.5, turn)),
    ];
    for (a, b, pose) in cases {
        for (resolution, angle, part) in [(16, 5.0, 0.02), (32, 2.0, 0.01), (64, 0.8, 0.005)] {
            let settings = NarrowSettings { resolution, ..NarrowSettings::default() };
            let mut asked = Asked::new(&a.clone().into(), &b.clone().into(), &settings);
            asked.at([Pose::identity(), pose]);
            let contours =
                asked.scratch.mesh_mesh.contours.get_or_fill(|_| unreachable!("the surfaces cross"));
            let exact: Vector3<f64> = contours.loops.iter().map(|l| l.gradient).sum();
            let boxes: Vec<_> = contours.loops.iter().flat_map(|contour| contour.aabb).collect();
            let (gradient, volume) = asked.job([Pose::identity(), pose], |job, _, asked| {
                let scene = Scene::new(job, [false; 2], &asked.settings).unwrap();
                // A probe of eight pixels a side finds what is not too small for its region.
                let mut extent = Extent::EMPTY;
                for p in boxes {
                    extent.add(p.coords.into());
                }
                let extent = extent.grown(extent.longest());
                let region = region::Region { axes: scene::PAIR_AXES, extent };
                let found =
                    overlap::overlaps(&scene, &region, &mut asked.scratch.samplers, &mut asked.scratch.join);
                let gradient: Vector3<f64> = found.iter().map(|o| o.gradient).sum();
                (gradient, found.iter().map(|o| o.volume).sum::<f64>())
            });
            let off = degrees(&gradient, &exact);
            println!(
                "resolution {resolution}: {off:.3} degrees, length {:+.4}, volume {:.6}",
                gradient.norm() / exact.norm() - 1.0,
                volume
            );
            assert!(off < angle, "{off} degrees");
            assert_near(gradient.norm(), exact.norm(), 4.0 * part);
        }
    }
}

/// A small cube inside a large one, at x = 0.5: out to the right, through 0.3 to the wall and its own 0.4.
#[test]
fn a_body_inside_another_leaves_by_the_nearest_wall() {
    let out = ask(&cube(1.0), &cube(0.2), shift(0.5, 0.0, 0.0));
    assert_eq!(out.containment, Containment::BInA);
    assert_near(out.volume.unwrap(), 0.064, 1e-3);
    assert_normal(only(&out), Vector3::x(), 1e-6);
    assert_near(only(&out).depth, 0.7, 1e-3);
    let turned = UnitQuaternion::from_euler_angles(0.5, 0.3, 0.2);
    let out = ask(&cube(1.0), &cube(0.2), placed(0.1, -0.55, 0.2, turned));
    assert_normal(only(&out), -Vector3::y(), 1.0);
    // 0.45 to the wall, and half the turned cube's height.
    let height = 0.2 * turned.to_rotation_matrix().matrix().row(1).iter().map(|x| x.abs()).sum::<f64>();
    assert_near(only(&out).depth, 0.45 + height, 0.03);
}

/// A shell with a cavity of half edge 0.8, and a cube of half edge 0.3 in it: free in the middle, sunk by
/// 0.01 in the cavity's floor, and another one wholly in the wall of a thicker shell.
#[test]
fn a_cavity_is_outside_and_its_wall_is_inside() {
    let none = Vector3::zeros();
    let shell = joined(&[(&cube(1.0), none, false), (&cube(0.8), none, true)]);
    assert!(!ask(&shell, &cube(0.3), shift(0.1, 0.2, -0.1)).touching);
    let out = ask(&shell, &cube(0.3), shift(0.1, 0.2, -0.51));
    assert_normal(only(&out), Vector3::z(), 1e-6);
    assert_near(only(&out).depth, 0.01, 1e-3);
    assert_near(only(&out).volume, 0.0036, 5e-3);
    let thick = joined(&[(&cube(1.0), none, false), (&cube(0.6), none, true)]);
    let out = ask(&thick, &cube(0.1), shift(0.8, 0.0, 0.0));
    assert_eq!(out.containment, Containment::BInA);
    assert_near(out.volume.unwrap(), 0.008, 1e-2);
    assert!(only(&out).normal.x.abs() > 0.999);
    assert_near(only(&out).depth, 0.3, 0.02);
}

/// A cube stands exactly on another (or sunk by a nanometre, or a picometre), off its middle.
#[test]
fn faces_in_one_plane_touch_over_all_they_share() {
    for sunk in [0.0, 1e-9, 1e-12] {
        let out = ask(&cube(0.5), &cube(0.5), shift(0.25, 0.25, 1.0 - sunk));
        let faces = only(&out);
        assert_normal(faces, Vector3::z(), 1e-4);
        assert!(faces.depth >= 0.0 && faces.depth < 1e-6);
        assert_near(faces.gradient.norm(), 0.5625, 1e-6);
        assert!(spread(faces).x > 0.6 && spread(faces).y > 0.6);
    }
    // The same the other way up and lying on the side: no way is preferred by the shift that breaks ties.
    for (at, normal) in [(shift(0.2, 0.1, -1.0), -Vector3::z()), (shift(1.0, 0.1, 0.3), Vector3::x())] {
        let out = ask(&cube(0.5), &cube(0.5), at);
        assert_normal(only(&out), normal, 1e-6);
        assert_eq!(only(&out).origin, PatchOrigin::Touch);
    }
}

/// Sides in one plane say nothing about the separating translation of a cube sunk by 0.01 in another.
#[test]
fn sides_in_one_plane_do_not_tilt_the_normal() {
    let out = ask(&cube(0.5), &cube(0.5), shift(0.0, 0.0, 0.99));
    assert_normal(only(&out), Vector3::z(), 1e-6);
    assert_near(only(&out).depth, 0.01, 1e-3);
    assert_near(out.volume.unwrap(), 0.01, 5e-3);
}

/// Edge along edge, corner on corner, corner on face: a point or a line, no area.
#[test]
fn corners_and_edges_touch() {
    let out = ask(&cube(0.5), &cube(0.5), shift(1.0, 1.0, 0.3));
    assert_normal(only(&out), Vector3::new(1.0, 1.0, 0.0).normalize(), 1e-3);
    assert!((spread(only(&out)).z - 0.7).abs() < 1e-9);
    let out = ask(&cube(0.5), &cube(0.5), shift(1.0, 1.0, 1.0));
    assert_normal(only(&out), Vector3::new(1.0, 1.0, 1.0).normalize(), 1e-3);
    let tip = TriMesh::new(
        [[0.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [-1.0, -1.0, 1.0]].map(Point3::from).to_vec(),
        vec![[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]],
    )
    .unwrap();
    let out = ask(&box_mesh([2.0, 2.0, 0.5]), &tip, shift(0.1, 0.1, 0.5));
    assert_normal(only(&out), Vector3::z(), 1e-6);
    let at = only(&out).points[0].on_a - Point3::new(0.05, 0.05, 0.25);
    assert!(at.norm() < 1e-9 && only(&out).depth == 0.0);
}

/// A cube on its corner, sunk by h = 0.01: a corner of volume h³ √3 ⁄ 2.
#[test]
fn a_corner_sinks_into_a_plane() {
    let height = 0.5 + 0.5 * 3f64.sqrt() - 0.01;
    let out = ask(&box_mesh([3.0, 3.0, 0.5]), &cube(0.5), placed(0.2, 0.1, height, up_on_corner()));
    assert_normal(only(&out), Vector3::z(), 1e-3);
    assert_near(only(&out).depth, 0.01, 1e-3);
    assert_near(only(&out).volume, 1e-6 * 3f64.sqrt() / 2.0, 0.02);
    assert!(only(&out).radius < 0.03);
}

/// A rod stands through a plate, nearest to its right edge: its two contours oppose each other. The way
/// out is to the right: 0.7 to the edge and half the rod.
#[test]
fn a_rod_through_a_plate_leaves_by_the_nearest_edge() {
    let out = ask(&box_mesh([1.0, 1.0, 0.1]), &box_mesh([0.1, 0.1, 1.0]), shift(0.3, 0.2, 0.0));
    assert_normal(only(&out), Vector3::x(), 1e-6);
    assert_near(only(&out).depth, 0.8, 0.01);
    assert_near(out.volume.unwrap(), 0.008, 0.05);
}

/// A torus lies on a floor on a ridge so sharp that the ring of contact, 0.01 wide, is missed by every
/// column: it is one contact, straight up, as deep as it has sunk, with points all around.
#[test]
fn a_ring_thinner_than_any_lattice_is_one_contact() {
    let out = ask(&box_mesh([5.0, 5.0, 0.5]), &torus(1.0, 0.25, 64, 16), shift(0.3, 0.2, 0.749));
    let ring = only(&out);
    assert_normal(ring, Vector3::z(), 1e-6);
    assert_near(ring.depth, 0.001, 0.01);
    assert!(spread(ring).x > 1.5 && spread(ring).y > 1.5);
}

/// Four feet of a table: four contacts.
#[test]
fn every_foot_of_a_table_has_its_contact() {
    let foot = box_mesh([0.02, 0.02, 0.5]);
    let at = |x: f32, y: f32| Vector3::new(x, y, -0.5);
    let table = joined(&[
        (&foot, at(-0.9, -0.9), false),
        (&foot, at(0.9, -0.9), false),
        (&foot, at(-0.9, 0.9), false),
        (&foot, at(0.9, 0.9), false),
    ]);
    let tilt = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), 1e-4);
    let out = ask(&box_mesh([3.0, 3.0, 0.5]), &table, placed(0.0, 0.0, 1.499, tilt));
    assert_eq!(out.patches.len(), 4);
    assert!(out.patches.iter().all(|p| degrees(&p.normal, &Vector3::z()) < 0.1));
    let mut depths: Vec<f64> = out.patches.iter().map(|p| p.depth).collect();
    depths.sort_by(f64::total_cmp);
    assert!(depths[0] < 0.00092 && depths[0] > 0.0009 && depths[3] > 0.00108, "{depths:?}");
}

/// A box sunk by 0.05 in an open sheet, whose faces look up: the sheet has no inside, but there is a contact that
/// constraints the box out at the front of the sheet.
#[test]
fn a_sheet_without_inside_gives_a_contour_patch() {
    let corner = |x: f32, y: f32| Point3::new(x, y, 0.0);
    let sheet = TriMesh::new(
        vec![corner(-2.0, -2.0), corner(2.0, -2.0), corner(2.0, 2.0), corner(-2.0, 2.0)],
        vec![[0, 1, 2], [0, 2, 3]],
    )
    .unwrap();
    let out = ask(&sheet, &cube(0.5), shift(0.1, 0.3, 0.45));
    let contact = only(&out);
    assert_eq!(contact.origin, PatchOrigin::Contour);
    assert_eq!(out.volume, None);
    assert_normal(contact, Vector3::z(), 1e-6);
    assert_near(contact.depth, 0.05, 1e-3);
    let out = ask(&cube(0.5), &sheet, shift(0.1, 0.3, -0.45));
    assert_normal(only(&out), -Vector3::z(), 1e-6);
    assert_near(only(&out).depth, 0.05, 1e-3);
}
