use impinge_geometry::{PairFrame, Side};
use impinge_midphase::ObbTree;
use proptest::prelude::*;

use super::*;
use impinge_exact::containment::point_inside;

/// The distance from a point to a triangle, by projection onto its plane, edges and corners.
fn away(p: &Point3<f64>, c: &[Point3<f64>; 3]) -> f64 {
    let segment = |a: &Point3<f64>, b: &Point3<f64>| {
        let d = b - a;
        let t = ((p - a).dot(&d) / d.norm_squared()).clamp(0.0, 1.0);
        (p - (a + d * t)).norm()
    };
    let n = (c[1] - c[0]).cross(&(c[2] - c[0])).normalize();
    let within = (0..3).all(|k| (c[(k + 1) % 3] - c[k]).cross(&(p - c[k])).dot(&n) >= 0.0);
    let edges = (0..3).map(|k| segment(&c[k], &c[(k + 1) % 3])).fold(f64::INFINITY, f64::min);
    if within { (p - c[0]).dot(&n).abs().min(edges) } else { edges }
}

#[test]
fn points_away_from_the_surface_are_answered_exactly() {
    for mesh in bodies() {
        let (tree, pose) = (ObbTree::build(&mesh), askew());
        let frame = PairFrame::new(&pose, &pose);
        let corners: Vec<_> = (0..mesh.triangles().len() as u32)
            .map(|t| mesh.corners(t).map(|p| pose * p.cast::<f64>()))
            .collect();
        let view = LdiView::of_body(&mesh, &pose, Vector3::new(0.5, 0.1, -0.7), [64, 64]).unwrap();
        let image = captured(&mesh, &pose, view);
        let sub = 2.0 * view.half_diagonal() / f64::from(1 << view.sub_bits());
        let mut points = Vec::new();
        for k in 0..4096u32 {
            // Halton points over the body's surroundings.
            let halton = |base: u32| {
                let (mut f, mut r, mut i) = (1.0, 0.0, k + 1);
                while i > 0 {
                    f /= f64::from(base);
                    r += f * f64::from(i % base);
                    i /= base;
                }
                3.2 * r - 1.6
            };
            points
                .push(Point3::from(pose.translation.vector) + Vector3::new(halton(2), halton(3), halton(5)));
        }
        let mut inside = Vec::new();
        let count = image.points_inside(&points, &mut inside).unwrap();
        assert_eq!(count, inside.iter().filter(|&&x| x).count());
        let (mut sure, mut within) = (0, 0);
        for (p, &found) in points.iter().zip(&inside) {
            let distance = corners.iter().map(|c| away(p, c)).fold(f64::INFINITY, f64::min);
            if distance > view.half_diagonal() + sub {
                // The pair frame stands halfway between two bodies that stand at one place.
                let local = Point3::from(p.coords - pose.translation.vector);
                let exact = point_inside(&mesh, &tree, &frame, Side::A, &local);
                assert_eq!(found, exact, "{p}, {distance} from the surface");
                sure += 1;
                within += usize::from(exact);
            }
        }
        assert!(sure > 3000 && within > 100, "{sure} sure, {within} inside");
    }
}

#[test]
fn vertices_of_a_body_are_answered_as_points_are() {
    let (a, b) = (torus(1.0, 0.4, 24, 16), sphere_mesh(0.8, 24, 12));
    let pose = Isometry3::translation(0.5, 0.2, 0.1);
    let view = LdiView::of_body(&a, &askew(), Vector3::y(), [64, 64]).unwrap();
    let image = captured(&a, &askew(), view);
    let points: Vec<_> = b.vertices().iter().map(|v| pose * v.cast::<f64>()).collect();
    let (mut by_points, mut by_vertices) = (Vec::new(), Vec::new());
    let count = image.points_inside(&points, &mut by_points).unwrap();
    assert_eq!(image.vertices_inside(&b, &pose, &mut by_vertices).unwrap(), count);
    assert_eq!(by_points, by_vertices);
    assert!(count > 10 && count < points.len());
}

proptest! {
    #[test]
    fn places_on_the_lines_are_inside_between_their_crossings(x in 0u32..32, y in 0u32..32, z in 0.0f64..4e6) {
        let mesh = torus(1.0, 0.4, 24, 16);
        let view = LdiView::of_body(&mesh, &askew(), Vector3::new(0.3, 0.3, 0.9), [32, 32]).unwrap();
        let image = captured(&mesh, &askew(), view);
        let line = image.line(x, y);
        prop_assume!(line.iter().all(|c| (f64::from(c.depth()) - z).abs() > 1e-3));
        let mut inside = Vec::new();
        image.points_inside(&[view.place(x, y, z)], &mut inside).unwrap();
        let wanted = line.iter().filter(|c| f64::from(c.depth()) < z).map(|c| c.turn()).sum::<i32>() > 0;
        prop_assert_eq!(inside[0], wanted);
    }
}
