//! Shinya and Forgue, Myszkowski, RECODE, Baciu and Wong.

use impinge_geometry::TriMesh;
use impinge_scenes::fixtures::{box_mesh, sphere_mesh, torus};
use impinge_scenes::mesh::Knot;
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Vector3};

use super::super::*;
use super::placements::{ExactPair, compare};
use crate::ldi::LayeredDepthImage;

const PLACEMENTS: usize = 250;

fn convex() -> ExactPair {
    ExactPair::new(box_mesh([0.5, 0.3, 0.7]), sphere_mesh(0.6, 16, 8))
}

fn direction() -> Vector3<f64> {
    Vector3::new(0.3, -0.4, 0.8)
}

fn images(bodies: &[ClassicBody<'_>; 2], pixels: u32) -> Option<[LayeredDepthImage; 2]> {
    let placed = bodies.map(|b| (b.mesh, b.pose));
    let view = overlap_view(bodies, direction(), pixels).unwrap()?;
    Some(placed.map(|(mesh, pose)| LayeredDepthImage::capture(mesh, pose, view).unwrap()))
}

fn by_bits(bodies: &[ClassicBody<'_>; 2], pixels: u32) -> PixelHits {
    images(bodies, pixels).map_or_else(PixelHits::default, |[a, b]| myszkowski(&a, &b).unwrap())
}

#[test]
fn convex_bodies_are_found_as_the_exact_test_finds_them() {
    let raster = &mut FrameBuffer::default();
    for (pixels, most) in [(64, 6), (256, 3)] {
        let mut shinya =
            |b: &[ClassicBody<'_>; 2]| shinya_forgue(b, direction(), pixels, raster).unwrap().hit;
        let of_shinya = compare(&mut convex(), PLACEMENTS, &mut shinya);
        let of_baciu =
            compare(&mut convex(), PLACEMENTS, |b| baciu_wong(b, direction(), pixels, raster).unwrap().hit);
        let of_recode = compare(&mut convex(), PLACEMENTS, |b| recode(b, pixels, raster).unwrap().hit);
        let of_bits = compare(&mut convex(), PLACEMENTS, |b| by_bits(b, pixels).hit);
        for (name, errors) in
            [("shinya", of_shinya), ("baciu", of_baciu), ("recode", of_recode), ("bits", of_bits)]
        {
            println!("{name} {pixels}: {errors:?}");
            assert!((50..220).contains(&errors.touching), "{errors:?}");
            assert!(errors.falsely <= 2 && errors.missed <= most, "{name} {pixels}: {errors:?}");
        }
    }
}

#[test]
fn concave_bodies_are_found_by_the_order_of_their_faces() {
    let rings = || ExactPair::new(torus(1.0, 0.3, 24, 12), torus(1.0, 0.3, 24, 12));
    let knots = || ExactPair::new(Knot::default().with_triangles(1200).unwrap(), torus(1.0, 0.3, 24, 12));
    let pairs: [(&str, &dyn Fn() -> ExactPair); 2] = [("rings", &rings), ("knots", &knots)];
    for (name, pair) in pairs {
        for (pixels, most) in [(64, 6), (256, 3)] {
            let errors = compare(&mut pair(), PLACEMENTS, |b| by_bits(b, pixels).hit);
            println!("{name} {pixels}: {errors:?}");
            assert!((50..220).contains(&errors.touching), "{errors:?}");
            assert!(errors.falsely <= 2 && errors.missed <= most, "{name} {pixels}: {errors:?}");
        }
    }
}

/// A pixel hits where an independent walk along its line is in both bodies over some length.
#[test]
fn the_pixels_are_those_whose_lines_are_in_both_bodies() {
    let (pair, mut random, mut hits) = (convex(), Random::new(5), 0);
    let raster = &mut FrameBuffer::default();
    for _ in 0..60 {
        let poses = pair.place(&mut random);
        let bodies = pair.bodies(&poses);
        let Some(images) = images(&bodies, 48) else { continue };
        let inside = |pixel: u32, at: f64| {
            images.iter().all(|image| {
                let line = image.line(pixel % 48, pixel / 48).iter();
                let turns = line.filter(|c| f64::from(c.depth()) <= at);
                turns.map(|c| if c.is_front() { 1 } else { -1 }).sum::<i32>() > 0
            })
        };
        let wanted: Vec<u32> = (0..48 * 48)
            .filter(|&pixel| {
                let depths = images.iter().flat_map(|image| image.line(pixel % 48, pixel / 48));
                depths.into_iter().any(|c| inside(pixel, f64::from(c.depth()) + 0.5))
            })
            .collect();
        hits += wanted.len();
        assert_eq!(shinya_forgue(&bodies, direction(), 48, raster).unwrap().pixels, wanted);
        assert_eq!(baciu_wong(&bodies, direction(), 48, raster).unwrap().pixels, wanted);
        let [a, b] = &images;
        assert_eq!(myszkowski(a, b).unwrap().pixels, wanted);
    }
    assert!(hits > 2000, "{hits}");
}

#[test]
fn recode_ends_after_the_pass_that_decides() {
    let cube = box_mesh([0.5; 3]);
    let [here, deep, behind] = [[0.0, 0.0, 0.0], [0.1, 0.2, 0.3], [0.2, 0.0, 0.9999]]
        .map(|[x, y, z]| Isometry3::translation(x, y, z));
    let small = box_mesh([0.1; 3]);
    let raster = &mut FrameBuffer::default();
    let mut ask = |a: (&TriMesh, &Isometry3<f64>), b: (&TriMesh, &Isometry3<f64>)| {
        recode(&[ClassicBody::new(a.0, a.1), ClassicBody::new(b.0, b.1)], 64, raster).unwrap()
    };
    // One of B's faces is before A's back.
    let one = ask((&cube, &here), (&cube, &deep));
    assert!(one.hit && one.passes == 1);
    assert!(ask((&cube, &here), (&cube, &behind)).hit);
    // Both are: the second pass finds A's front before B's back.
    let two = ask((&cube, &here), (&small, &deep));
    assert!(two.hit && two.passes == 2);
    // Boxes that are apart need no pass.
    let far = Isometry3::translation(3.0, 0.0, 0.0);
    assert_eq!(ask((&cube, &here), (&cube, &far)), PixelHits::default());
}

#[test]
fn bad_input_is_refused_with_its_reason() {
    let cube = box_mesh([0.5; 3]);
    let open = TriMesh::new(cube.vertices().to_vec(), cube.triangles()[2..].to_vec()).unwrap();
    let pose = Isometry3::identity();
    let raster = &mut FrameBuffer::default();
    let bodies = [ClassicBody::new(&cube, &pose), ClassicBody::new(&open, &pose)];
    let refused = shinya_forgue(&bodies, Vector3::z(), 16, raster).unwrap_err();
    assert!(matches!(refused, ClassicError::NotClosed { body: 1, .. }), "{refused}");
    let both = [bodies[0]; 2];
    let refused = baciu_wong(&both, Vector3::zeros(), 16, raster).unwrap_err();
    assert!(refused.to_string().contains("direction"), "{refused}");
    let refused = recode(&both, 0, raster).unwrap_err();
    assert!(refused.to_string().contains("from 1 to 1024"), "{refused}");
}

#[test]
fn programs_that_draw_what_is_not_there_are_refused() {
    let cube = box_mesh([0.5; 3]);
    let pose = Isometry3::identity();
    let view = crate::ldi::LdiView::of_body(&cube, &pose, Vector3::z(), [8; 2]).unwrap();
    let body = || LatticeBody::new(&ClassicBody::new(&cube, &pose), &view).unwrap();
    let draw = |body, figure| vec![RasterCommand::Draw(Draw::query(body, figure, DepthTest::Less))];
    let faces = Figure::Faces(crate::ldi::Faces::Both);
    let ask = |bodies: Vec<LatticeBody>, program: Program| {
        FrameBuffer::default().run(&RasterScene { view, bodies }, &program).map(|readout| readout.passed)
    };
    assert_eq!(ask(vec![body()], draw(0, faces)), Ok(vec![true]));
    let refused = ask(vec![body()], draw(1, faces)).unwrap_err();
    assert_eq!(refused.to_string(), "the figure 0 of body 1 does not exist: there are 1");
    let mut wrong = body();
    wrong.triangles.push([0, 1, 8]);
    assert!(matches!(
        ask(vec![wrong], draw(0, faces)),
        Err(ClassicError::Missing { index: 8, count: 8, .. })
    ));
    let mut wrong = body();
    wrong.points.push(LatticePoint { pixel: 64, depth: 0 });
    assert!(matches!(
        ask(vec![wrong], draw(0, Figure::Points)),
        Err(ClassicError::Missing { index: 64, .. })
    ));
}
