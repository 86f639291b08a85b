//! The common volume, its gradient and its centroid against closed forms, and the gradient against volumes
//! at poses nearby.

use std::f64::consts::FRAC_PI_2;

use impinge::prelude::*;
use impinge_oracle::solids::{block, shape, slot};
use impinge_scenes::mesh::{Hook, Torus};
use impinge_scenes::random::Random;

fn query(a: &Shape, b: &Shape, resolution: u32) -> PairQuery {
    PairQuery::new(a, b, QuerySettings::default().resolution(resolution)).unwrap()
}

fn up(x: f64, y: f64, z: f64) -> Isometry3<f64> {
    Isometry3::translation(x, y, z)
}

#[test]
fn corners_of_boxes_share_a_box() {
    let here = up(0.0, 0.0, 0.0);
    for (a, b) in [
        (shape(block([0.5; 3])), shape(block([0.5; 3]))),
        (Shape::cuboid([0.5; 3]).unwrap(), Shape::cuboid([0.5; 3]).unwrap()),
    ] {
        for [x, y, z] in [[0.8, 0.3, 0.1], [0.7, 0.7, 0.6], [0.95, 0.5, 0.5]] {
            let common = query(&a, &b, 32).intersection_volume(&here, &up(x, y, z)).unwrap().unwrap();
            let [u, v, w] = [1.0 - x, 1.0 - y, 1.0 - z];
            assert!((common.volume / (u * v * w) - 1.0).abs() < 1e-6, "{common:?}");
            assert!((common.volume - u * v * w).abs() <= common.error, "{common:?}");
            assert!(common.error < 1e-6 * common.volume, "{common:?}");
            // Of closed forms it is the area along the normal of the least depth.
            let exact = (common.gradient - Vector3::new(v * w, u * w, u * v)).norm() < 1e-6;
            assert!(exact || matches!(a, Shape::Primitive(_)), "{common:?}");
            let middle = Point3::new(x / 2.0, y / 2.0, z / 2.0);
            assert!((common.centroid.unwrap() - middle).norm() < 0.02 * (u * v * w).cbrt(), "{common:?}");
        }
    }
}

#[test]
fn contours_that_oppose_each_other_leave_no_gradient_but_a_volume() {
    let slot = shape(slot(0.48, 1.5, 0.6));
    let cylinder = Shape::cylinder(0.4, 0.5).unwrap();
    let lying = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), FRAC_PI_2);
    let pose = Isometry3::from_parts(Translation3::new(0.0, 0.05, 0.7), lying);
    let common = query(&slot, &cylinder, 64).intersection_volume(&up(0.0, 0.0, 0.0), &pose).unwrap().unwrap();
    // Two segments of a circle of radius ½, 0.02 high, 0.8 long.
    let (r, near): (f64, f64) = (0.5, 0.48);
    let segment = r * r * (near / r).acos() - near * (r * r - near * near).sqrt();
    assert!((common.volume / (2.0 * 0.8 * segment) - 1.0).abs() < 0.02, "{common:?}");
    assert!(common.gradient.norm() < 1e-3, "{common:?}");
}

#[test]
fn what_is_inside_shares_all_it_has() {
    let small = query(&shape(block([1.0; 3])), &shape(block([0.1, 0.2, 0.3])), 32);
    let common = small.intersection_volume(&up(0.0, 0.0, 0.0), &up(0.4, -0.2, 0.3)).unwrap().unwrap();
    assert!((common.volume / 0.048 - 1.0).abs() < 1e-6 && common.error < 1e-12, "{common:?}");
    assert!(
        common.gradient.norm() < 1e-3
            && (common.centroid.unwrap() - Point3::new(0.4, -0.2, 0.3)).norm() < 1e-2
    );
    let apart = small.intersection_volume(&up(0.0, 0.0, 0.0), &up(4.0, 0.0, 0.0)).unwrap().unwrap();
    assert_eq!((apart.volume, apart.centroid, apart.thickness), (0.0, None, 0.0));
}

#[test]
fn the_gradient_is_what_the_volume_changes_by() {
    let mut random = Random::new(5);
    let [torus, hook] = [shape(Torus::default().mesh().unwrap()), shape(Hook::default().mesh().unwrap())];
    let mut seen = 0;
    for (a, b) in [(&torus, &torus), (&hook, &torus)] {
        let query = query(a, b, 256);
        for _ in 0..12 {
            let place = |random: &mut Random, reach: f64| {
                Isometry3::from_parts(Translation3::from(random.direction() * reach), random.rotation())
            };
            let (p, q) = (place(&mut random, 0.0), place(&mut random, 0.45));
            let common = query.intersection_volume(&p, &q).unwrap().unwrap();
            let step = 1e-3;
            let along = common.gradient.normalize();
            if common.volume == 0.0 || !along.x.is_finite() {
                continue;
            }
            let volume = |sign: f64| {
                let moved = Translation3::from(along * sign * step) * q;
                query.intersection_volume(&p, &moved).unwrap().unwrap().volume
            };
            let slope = (volume(-1.0) - volume(1.0)) / (2.0 * step);
            assert!((slope / common.gradient.norm() - 1.0).abs() < 0.05, "{slope} {common:?}");
            seen += 1;
        }
    }
    assert!(seen > 8, "{seen}");
}

#[test]
fn parts_add_up_and_what_bounds_no_volume_has_none() {
    let cube = block([0.5; 3]);
    let here = up(0.0, 0.0, 0.0);
    let two = Shape::composite(vec![
        (up(-2.0, 0.0, 0.0), shape(cube.clone())),
        (up(2.0, 0.0, 0.0), shape(cube.clone())),
    ]);
    let floor = shape(block([4.0, 4.0, 0.5]));
    let common =
        query(&floor, &two.unwrap(), 32).intersection_volume(&here, &up(0.0, 0.0, 0.9)).unwrap().unwrap();
    assert!(
        (common.volume - 0.2).abs() <= common.error
            && common.error < 1e-12
            && (common.gradient - Vector3::z() * 2.0).norm() < 2e-2,
        "{common:?}"
    );
    assert!((common.centroid.unwrap() - Point3::new(0.0, 0.0, 0.45)).norm() < 1e-2, "{common:?}");
    let sheet = TriMesh::new(
        [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]].map(Point3::from).to_vec(),
        vec![[0, 1, 2]],
    );
    let open = query(&shape(sheet.unwrap()), &shape(cube), 32);
    assert_eq!(open.intersection_volume(&here, &here).unwrap(), None);
    let nowhere = up(f64::NAN, 0.0, 0.0);
    assert!(open.intersection_volume(&here, &nowhere).is_err());
}

#[test]
fn shells_that_overlap_count_once() {
    // A cross of two bars, given as two boxes pushed through each other.
    let mut arrays: (Vec<Point3<f32>>, Vec<[u32; 3]>) = Default::default();
    for half in [[1.0, 0.2, 0.2], [0.2, 1.0, 0.2]] {
        let bar = block(half);
        let first = arrays.0.len() as u32;
        arrays.0.extend(bar.vertices());
        arrays.1.extend(bar.triangles().iter().map(|t| t.map(|v| v + first)));
    }
    let cross = TriMesh::new(arrays.0, arrays.1).unwrap();
    assert!(cross.is_closed() && cross.shells_overlap());
    let query = query(&shape(cross), &shape(block([0.5, 0.5, 0.1])), 64);
    // The upper half of the middle of the cross is in the block: two strips of 1 by 0.4, their square once.
    let common = query.intersection_volume(&up(0.0, 0.0, 0.0), &up(0.0, 0.0, 0.15)).unwrap().unwrap();
    let expected = (2.0 * 0.4 - 0.16) * 0.15;
    assert!((common.volume / expected - 1.0).abs() < 0.02, "{common:?}");
    assert!(common.error.is_infinite(), "{common:?}");
    let answer = query.at(&up(0.0, 0.0, 0.0), &up(0.0, 0.0, 0.15)).unwrap();
    let sum: f64 = answer.manifolds.iter().map(|m| m.volume).sum();
    assert!((sum / expected - 1.0).abs() < 0.1, "{sum}");
}
