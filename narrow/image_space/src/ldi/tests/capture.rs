use impinge_geometry::{PairFrame, Side};
use impinge_midphase::ObbTree;
use proptest::prelude::*;

use super::*;
use crate::layers::{Body, Layers};

/// The crossings of every line by exact rational arithmetic on the snapped corners, triangle by
/// triangle; `None` for a line that meets an edge.
fn by_hand(vertices: &[[i32; 3]], mesh: &TriMesh, view: &LdiView) -> Vec<Option<Vec<Crossing>>> {
    let [width, height] = view.pixels();
    let sub = 1i128 << view.sub_bits();
    let mut lines = Vec::new();
    for j in 0..height {
        for i in 0..width {
            let (x, y) = (i128::from(i) * sub, i128::from(j) * sub);
            let mut line = Some(Vec::new());
            for (t, corners) in mesh.triangles().iter().enumerate() {
                let c = corners.map(|v| vertices[v as usize].map(i128::from));
                let edge = |a: usize, b: usize| {
                    (c[b][0] - c[a][0]) * (y - c[a][1]) - (c[b][1] - c[a][1]) * (x - c[a][0])
                };
                let w = [edge(1, 2), edge(2, 0), edge(0, 1)];
                let (least, most) = (w.iter().min().unwrap(), w.iter().max().unwrap());
                let area: i128 = w.iter().sum();
                if *least > 0 || *most < 0 {
                    let over: i128 = (0..3).map(|k| w[k] * c[k][2]).sum();
                    let depth = (2 * over * area.signum() + area.abs()).div_euclid(2 * area.abs());
                    if let Some(line) = &mut line {
                        line.push(Crossing::new(
                            depth.clamp(0, LAST_DEPTH.into()) as i64,
                            area < 0,
                            Side::A,
                            t as u32,
                        ));
                    }
                } else if *least == 0 || *most == 0 {
                    line = None;
                }
            }
            lines.push(line.map(|mut line| {
                line.sort_unstable();
                line
            }));
        }
    }
    lines
}

#[test]
fn every_line_holds_what_exact_arithmetic_finds() {
    for mesh in bodies() {
        for (direction, pixels) in
            [([0.3, -0.5, 0.8], [32, 32]), ([0.0, 0.0, 1.0], [40, 9]), ([-1.0, 0.2, 0.1], [7, 200])]
        {
            let view = LdiView::of_body(&mesh, &askew(), Vector3::from(direction), pixels).unwrap();
            check_by_hand(&mesh, view);
            // A view so small that the triangles are far larger than it: the slow plane.
            let size = view.size().map(|s| s / 64.0);
            let part = LdiView::new(
                view.place(pixels[0] / 2, pixels[1] / 2, 2e6),
                Vector3::from(direction),
                size,
                [32, 16],
            );
            check_by_hand(&mesh, part.unwrap());
        }
    }
}

fn check_by_hand(mesh: &TriMesh, view: LdiView) {
    let mut vertices = Vec::new();
    snap(mesh, &askew(), &view, &mut vertices).unwrap();
    let image = captured(mesh, &askew(), view);
    let lines = by_hand(&vertices, mesh, &view);
    let sure = lines.iter().flatten().count();
    assert!(sure * 10 > lines.len() * 8, "{sure} of {}", lines.len());
    for (pixel, line) in lines.iter().enumerate() {
        if let Some(line) = line {
            assert_eq!(image.of_pixel(pixel), &line[..], "pixel {pixel}");
        }
    }
}

#[test]
fn the_layers_of_the_contact_passes_are_the_same_bits() {
    for mesh in bodies() {
        let tree = ObbTree::build(&mesh);
        let frame = PairFrame::new(&Isometry3::identity(), &Isometry3::identity());
        for direction in [[0.1, 0.2, 1.0], [1.0, -1.0, 0.3], [0.0, 1.0, 0.0]] {
            let direction = Vector3::from(direction).normalize();
            let view = LdiView::of_body(&mesh, &Isometry3::identity(), direction, [48, 48]).unwrap();
            let image = captured(&mesh, &Isometry3::identity(), view);
            let mut layers = Layers::default();
            let surface = || Body::Surface { mesh: (&mesh).into(), tree: &tree };
            let bodies = [surface(), surface()];
            layers.capture(&view, &frame, &bodies);
            for j in 0..48 {
                for i in 0..48 {
                    let of_a = layers.sorted(i, j).iter().filter(|f| f.body() == 0).copied();
                    assert_eq!(image.line(i as u32, j as u32), of_a.collect::<Vec<_>>());
                }
            }
        }
    }
}

#[test]
fn front_and_back_faces_are_seen_apart() {
    let mesh = torus(1.0, 0.4, 24, 16);
    let view = LdiView::of_body(&mesh, &askew(), Vector3::x(), [32, 32]).unwrap();
    let all = captured(&mesh, &askew(), view);
    let mut image = LayeredDepthImage::new(view);
    for (faces, front) in [(Faces::Front, true), (Faces::Back, false)] {
        image.recapture(&mesh, &askew(), view, faces, &mut LdiScratch::default()).unwrap();
        let wanted: Vec<_> = all.crossings().iter().filter(|c| c.is_front() == front).copied().collect();
        assert_eq!(image.crossings(), &wanted[..]);
        assert!(matches!(image.volume(), Err(LdiError::OneKindOfFaces { .. })));
    }
}

#[test]
fn what_lies_before_and_behind_the_view_is_held_at_its_ends() {
    // A box through which the view sees only a slice of a quarter.
    let mesh = box_mesh([1.0; 3]);
    let slice =
        |at: f64| LdiView::new(Point3::new(0.0, 0.0, at), Vector3::z(), [4.0, 4.0, 0.5], [64, 64]).unwrap();
    for (at, volume) in [(0.0, 2.0), (1.0, 1.0), (2.0, 0.0), (-3.0, 0.0)] {
        let image = captured(&mesh, &Isometry3::identity(), slice(at));
        assert_eq!(image.odd_lines(), 0);
        assert!((image.volume().unwrap() - volume).abs() < 1e-5, "{at}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A torus whose vertices are thrown onto a coarse lattice: coincident and degenerate faces, edges and
    /// vertices right on the lines.
    #[test]
    fn no_line_is_odd_on_a_closed_mesh(
        at in prop::collection::vec([-4i8..=4, -4i8..=4, -4i8..=4], 6 * 5),
        along in 0usize..4,
        pixels in [1u32..=40, 1u32..=40],
    ) {
        let mesh = torus(1.0, 0.4, 6, 5);
        let places = at.iter().map(|p| Point3::from(p.map(|x| f32::from(x) * 0.25))).collect();
        let mesh = mesh.with_vertices(places).unwrap();
        let direction = [Vector3::x(), Vector3::y(), -Vector3::z(), Vector3::new(1.0, 2.0, -3.0)][along];
        let view = LdiView::new(Point3::origin(), direction, [2.0; 3], pixels).unwrap();
        let image = captured(&mesh, &Isometry3::identity(), view);
        prop_assert_eq!(image.odd_lines(), 0);
        for pixel in 0..image.pixel_count() {
            prop_assert!(image.of_pixel(pixel).is_sorted());
        }
    }

    #[test]
    fn no_line_is_odd_from_any_direction(d in [-1.0f64..1.0, -1.0f64..1.0, -1.0f64..1.0], n in 8u32..80) {
        let direction = Vector3::from(d);
        prop_assume!(direction.norm() > 0.1);
        for mesh in bodies() {
            let view = LdiView::of_body(&mesh, &askew(), direction, [n; 2]).unwrap();
            let image = captured(&mesh, &askew(), view);
            prop_assert_eq!(image.odd_lines(), 0);
            let exact = mesh.mass_properties().unwrap().volume;
            prop_assert!((image.volume().unwrap() / exact - 1.0).abs() < 4.0 / f64::from(n));
        }
    }
}
