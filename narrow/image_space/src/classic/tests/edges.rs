//! Knott and Pai against exact crossing parity and the exact test.

use impinge_geometry::{PairFrame, Side, TriMesh};
use impinge_scenes::fixtures::{box_mesh, sphere_mesh, torus};
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Point3, Vector3};

use super::super::knott_pai::faces_before_points;
use super::super::*;
use super::placements::{ExactPair, compare};
use crate::crossing::LAST_DEPTH;
use crate::ldi::LdiView;

/// Front faces less back faces before a point along `-direction`, in `f64`; `None` where the ray passes within `graze` of an
/// edge or begins within it of a face.
fn parity(
    mesh: &TriMesh,
    pose: &Isometry3<f64>,
    p: &Point3<f64>,
    direction: &Vector3<f64>,
    graze: f64,
) -> Option<i32> {
    let frame = PairFrame::new(&Isometry3::identity(), pose);
    let mut sum = 0;
    for t in 0..mesh.triangles().len() as u32 {
        let c = mesh.corners(t).map(|v| frame.to_world(&frame.place(Side::B, &v)));
        let normal = (c[1] - c[0]).cross(&(c[2] - c[0]));
        let across = |v: Vector3<f64>| v - direction * v.dot(direction);
        // Signed distances from the ray to the edges, seen along it.
        let from = |k: usize| {
            let (a, d) = (across(c[k] - p), across(c[(k + 1) % 3] - c[k]));
            d.cross(&-a).dot(direction) / d.norm().max(1e-300)
        };
        let sides = [from(0), from(1), from(2)];
        let turned = normal.dot(direction).signum();
        let least = sides.iter().map(|s| s * turned).fold(f64::INFINITY, f64::min);
        if least < -graze {
            continue;
        }
        let depth = (p - c[0]).dot(&normal) / normal.dot(direction);
        if least < graze || depth.abs() < graze {
            // Farther behind the point it cannot matter.
            if depth < -1.0 && least >= graze {
                continue;
            }
            return None;
        }
        // The face is before the point where the point is behind it along the view.
        sum += if depth > 0.0 { if normal.dot(direction) < 0.0 { 1 } else { -1 } } else { 0 };
    }
    Some(sum)
}

#[test]
fn counts_are_the_exact_crossing_parity_away_from_grazes() {
    let bodies = [box_mesh([0.5, 0.4, 0.6]), torus(0.6, 0.25, 20, 12), sphere_mesh(0.5, 14, 9)];
    let (mut random, mut checked, mut inside) = (Random::new(3), 0, 0);
    for _ in 0..40 {
        let poses =
            [0, 1, 2].map(|_| Isometry3::from_parts((random.direction() * 0.5).into(), random.rotation()));
        let direction = random.direction();
        let view = LdiView::new(Point3::origin(), direction, [3.0; 3], [64; 2]).unwrap();
        let mut scene = RasterScene { view, bodies: Vec::new() };
        for (mesh, pose) in bodies.iter().zip(&poses) {
            scene.bodies.push(LatticeBody::new(&ClassicBody::new(mesh, pose), &view).unwrap());
        }
        let mut points = LatticeBody::default();
        for pixel in (0..64 * 64).step_by(3) {
            let depth = (random.unit() * f64::from(LAST_DEPTH)) as u32;
            points.points.push(LatticePoint { pixel, depth });
        }
        scene.bodies.push(points);
        // Without an offset: free points.
        let mut program: Program = vec![
            RasterCommand::ClearDepth(BUFFER_FAR),
            RasterCommand::Draw(Draw::depths(3, Figure::Points, DepthTest::Less)),
        ];
        for body in 0..3 {
            for (faces, op) in [
                (crate::ldi::Faces::Front, StencilOp::Increment),
                (crate::ldi::Faces::Back, StencilOp::Decrement),
            ] {
                program.push(RasterCommand::Draw(Draw::stencil(
                    body,
                    Figure::Faces(faces),
                    DepthTest::Less,
                    op,
                )));
            }
        }
        let plain = FrameBuffer::default().run(&scene, &program).unwrap().stencil;
        let counts = faces_before_points(&scene, 0, &mut FrameBuffer::default()).unwrap();
        for point in &scene.bodies[3].points {
            let at = view.place(point.pixel % 64, point.pixel / 64, f64::from(point.depth));
            let own: Option<i32> =
                (0..3).map(|k| parity(&bodies[k], &poses[k], &at, &direction.normalize(), 2e-3)).sum();
            let Some(own) = own else { continue };
            checked += 1;
            inside += usize::from(own > 0);
            assert_eq!(i32::from(plain[point.pixel as usize] as i8), own);
            // Shrunk solids hold no more.
            assert!(i32::from(counts[point.pixel as usize] as i8) <= own);
        }
    }
    assert!(checked > 30_000 && inside > 2_000, "{checked} {inside}");
}

fn found(bodies: &[ClassicBody<'_>; 2], pixels: u32, passes: u32) -> EdgeHits {
    let direction = Vector3::new(0.3, -0.4, 0.8);
    let Some(view) = overlap_view(bodies, direction, pixels).unwrap() else { return EdgeHits::default() };
    let settings = CinderSettings { passes, ..CinderSettings::default() };
    knott_pai(bodies, &view, settings, &mut FrameBuffer::default()).unwrap()
}

#[test]
fn edges_are_found_as_the_exact_test_finds_them() {
    let boxes = || ExactPair::new(box_mesh([0.5, 0.3, 0.7]), box_mesh([0.4, 0.6, 0.3]));
    let rings = || ExactPair::new(torus(1.0, 0.3, 24, 12), sphere_mesh(0.8, 16, 8));
    let pairs: [(&str, &dyn Fn() -> ExactPair); 2] = [("boxes", &boxes), ("ring", &rings)];
    for (name, pair) in pairs {
        for (pixels, falsely, missed) in [(64, 1, 3), (256, 1, 2)] {
            let errors = compare(&mut pair(), 120, |b| !found(b, pixels, 8).hits.is_empty());
            println!("knott-pai {name} {pixels}: {errors:?}");
            assert!((25..110).contains(&errors.touching), "{errors:?}");
            assert!(errors.falsely <= falsely && errors.missed <= missed, "{name} {pixels}: {errors:?}");
        }
    }
}

#[test]
fn a_body_alone_is_in_no_solid_whatever_the_direction() {
    let mut random = Random::new(9);
    for mesh in [box_mesh([0.5, 0.3, 0.7]), torus(1.0, 0.4, 24, 16), sphere_mesh(1.0, 24, 12)] {
        for _ in 0..40 {
            let pose = Isometry3::from_parts(random.direction().into(), random.rotation());
            let body = [ClassicBody::new(&mesh, &pose)];
            let view = LdiView::of_body(&mesh, &pose, random.direction(), [96; 2]).unwrap();
            let settings = CinderSettings { passes: 64, ..CinderSettings::default() };
            let found = knott_pai(&body, &view, settings, &mut FrameBuffer::default()).unwrap();
            assert!(found.tested > 50 && found.hidden == 0);
            assert_eq!(found.hits, [], "{} triangles", mesh.triangles().len());
        }
    }
}

#[test]
fn n_bodies_are_tested_at_once_and_edges_are_named() {
    let cube = box_mesh([0.5; 3]);
    let at = |x: f64| Isometry3::translation(x, 0.1 * x, 0.05 * x);
    let poses = [at(0.0), at(0.9), at(3.0), at(6.0), at(6.9)];
    let bodies = poses.each_ref().map(|pose| ClassicBody::new(&cube, pose));
    let view = LdiView::around(
        Point3::new(-1.0, -1.0, -1.0),
        Point3::new(8.0, 2.0, 1.5),
        Vector3::new(0.1, 0.2, 1.0),
        [512; 2],
    )
    .unwrap();
    let settings = CinderSettings { passes: 8, ..CinderSettings::default() };
    let found = knott_pai(&bodies, &view, settings, &mut FrameBuffer::default()).unwrap();
    let mut hit: Vec<u32> = found.hits.iter().map(|hit| hit.body).collect();
    hit.sort_unstable();
    hit.dedup();
    assert_eq!(hit, [0, 1, 3, 4]);
    assert!(found.hits.iter().all(|hit| hit.solids == 1 && (hit.edge as usize) < cube.edges().len()));
    // In one pass edges that lie behind others are not seen, and that is said.
    let once = knott_pai(&bodies, &view, CinderSettings::default(), &mut FrameBuffer::default()).unwrap();
    assert!(once.hidden > 0 && once.tested + once.hidden == found.tested + found.hidden);
}
