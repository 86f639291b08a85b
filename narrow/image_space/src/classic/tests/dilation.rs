//! Every point of a triangle is in a pixel that the triangle covers, at a depth within its bounds.

use impinge_geometry::TriMesh;
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Point3, Vector3};

use super::super::*;
use crate::coverage::cover_dilated;
use crate::ldi::LdiView;

#[test]
fn no_point_of_a_triangle_is_outside_its_bounds() {
    let (mut random, mut checked) = (Random::new(23), 0);
    for case in 0..3000 {
        let long = [2.0, 0.3, 0.02][case % 3];
        let corner = Point3::from([0, 1, 2].map(|_| random.signed() as f32 * 0.8));
        // Every fifth has no area as it is seen, every seventh none at all.
        let mut near = || Vector3::from([0, 1, 2].map(|_| random.signed() as f32 * long));
        let (u, mut v) = (near(), near());
        if case % 5 == 0 {
            v = u * 0.5;
        }
        let corners = [corner, corner + u, corner + v];
        let Ok(mesh) = TriMesh::new(corners.to_vec(), vec![[0, 1, 2]]) else { continue };
        let direction = if case % 5 == 1 { u.cast().cross(&Vector3::x()) } else { random.direction() };
        let pixels = [16, 64, 7][case % 3];
        let Ok(view) = LdiView::new(Point3::origin(), direction, [2.0, 2.0, 2.0], [pixels; 2]) else {
            continue;
        };
        let pose = Isometry3::identity();
        let lattice = LatticeBody::new(&ClassicBody::new(&mesh, &pose), &view).unwrap();
        let mut bounds = vec![None; (pixels * pixels) as usize];
        cover_dilated(&view.grid(), &lattice.corners(0), &lattice.slopes()[0], |pixel, depths| {
            assert!(bounds[pixel].replace(depths).is_none(), "each pixel once");
        });
        for _ in 0..40 {
            let (s, t) = (random.unit(), random.unit());
            let (s, t) = if s + t > 1.0 { (1.0 - s, 1.0 - t) } else { (s, t) };
            let p = corner.cast::<f64>() + u.cast() * s + v.cast() * t;
            let [x, y, z] = view.locate(&p);
            if x < 0.0 || y < 0.0 || x >= f64::from(pixels) || y >= f64::from(pixels) {
                continue;
            }
            let pixel = y as usize * pixels as usize + x as usize;
            let Some([near, far]) = bounds[pixel] else {
                panic!("case {case}: pixel {x} {y} is not covered")
            };
            assert!(near as f64 <= z && z <= far as f64, "case {case}: {z} is not from {near} to {far}");
            checked += 1;
        }
    }
    assert!(checked > 30_000, "{checked}");
}

/// What is covered by its centre is covered, and its depth is within the bounds; few pixels more are.
#[test]
fn bounds_hold_the_crossings_and_are_near_them() {
    let mesh = impinge_scenes::fixtures::sphere_mesh(1.0, 24, 12);
    let pose = Isometry3::identity();
    let view = LdiView::of_body(&mesh, &pose, Vector3::new(0.2, 0.3, 1.0), [64; 2]).unwrap();
    let image = crate::ldi::LayeredDepthImage::capture(&mesh, &pose, view).unwrap();
    let lattice = LatticeBody::new(&ClassicBody::new(&mesh, &pose), &view).unwrap();
    let mut of_triangle = vec![std::collections::BTreeMap::new(); mesh.triangles().len()];
    let mut thickness = Vec::new();
    for (t, slope) in lattice.slopes().iter().enumerate() {
        cover_dilated(&view.grid(), &lattice.corners(t), slope, |pixel, depths| {
            of_triangle[t].insert(pixel, depths);
            thickness.push(depths[1] - depths[0]);
        });
    }
    for pixel in 0..64 * 64u32 {
        for crossing in image.line(pixel % 64, pixel / 64) {
            let [near, far] = of_triangle[crossing.triangle() as usize][&(pixel as usize)];
            assert!((near..=far).contains(&i64::from(crossing.depth())));
        }
    }
    thickness.sort_unstable();
    // A pixel is 1/32 of the radius: half of the bounds are thinner than two of them.
    let median = thickness[thickness.len() / 2] as f64 * view.step();
    assert!(median < 2.0 / 32.0, "{median}");
    assert!(thickness.len() < 4 * image.crossings().len(), "{} {}", thickness.len(), image.crossings().len());
}

/// Pixel by pixel: the corner of the grown square that lies farthest to the inner side of each edge is not beyond it. Small
/// triangles, ones without area, and ones that reach far beyond the view.
#[test]
fn the_pixels_are_those_of_the_definition() {
    let (mut random, mut covered) = (Random::new(41), 0);
    let view = LdiView::new(Point3::origin(), Vector3::z(), [2.0; 3], [20, 13]).unwrap();
    let sub = 1i64 << view.sub_bits();
    let half = i128::from(sub / 2 + 1);
    for case in 0..4000 {
        let size = [3, 40, 600, 1 << 29][case % 4] as f64 * sub as f64 / 8.0;
        let size = size.min(f64::from(1 << 29));
        let middle = [10.0, 6.0].map(|x| x * sub as f64 * 2.0 * random.unit());
        let mut at = || [0, 1].map(|k| (middle[k] + size * random.signed()) as i32);
        let mut corners = [at(), at(), at()];
        if case % 5 == 0 {
            corners[2] =
                [0, 1].map(|k| corners[0][k] + 2 * (corners[1][k] - corners[0][k]).clamp(-9999, 9999));
        }
        if case % 35 == 0 {
            corners[1] = corners[0];
        }
        let body = LatticeBody::of(
            corners.map(|[x, y]| [x, y, x.rem_euclid(1000)]).to_vec(),
            vec![[0, 1, 2]],
            &view,
        );
        let mut found = vec![false; 20 * 13];
        cover_dilated(&view.grid(), &body.corners(0), &body.slopes()[0], |pixel, _| {
            assert!(!std::mem::replace(&mut found[pixel], true), "each pixel once");
        });
        let corners = corners.map(|corner| corner.map(i128::from));
        let cross = |u: [i128; 2], v: [i128; 2]| u[0] * v[1] - u[1] * v[0];
        let edge = |k: usize| {
            let (a, b) = (corners[k], corners[(k + 1) % 3]);
            (a, [b[0] - a[0], b[1] - a[1]])
        };
        let area = cross(edge(0).1, [corners[2][0] - corners[0][0], corners[2][1] - corners[0][1]]);
        let low = [0, 1].map(|d| corners.iter().map(|c| c[d]).min().unwrap() - half);
        let high = [0, 1].map(|d| corners.iter().map(|c| c[d]).max().unwrap() + half);
        for (pixel, found) in found.into_iter().enumerate() {
            let centre = [pixel % 20, pixel / 20].map(|k| k as i128 * i128::from(sub));
            let in_box = (0..2).all(|d| low[d] <= centre[d] && centre[d] <= high[d]);
            let meets = |sign: i128| {
                (0..3).all(|k| {
                    let (from, d) = edge(k);
                    let most = (d[0].abs() + d[1].abs()) * half;
                    sign * cross(d, [centre[0] - from[0], centre[1] - from[1]]) >= -most
                })
            };
            let wanted = in_box
                && match area.signum() {
                    0 => meets(1) && meets(-1),
                    sign => meets(sign),
                };
            assert_eq!(found, wanted, "case {case}, pixel {pixel}: {corners:?}");
            covered += usize::from(wanted);
        }
    }
    assert!(covered > 20_000, "{covered}");
}
