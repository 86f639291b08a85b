use proptest::prelude::*;

use super::*;

#[test]
fn sound_bodies_do_not_collide_with_themselves() {
    for mesh in bodies() {
        for direction in [[0.1, 0.2, 1.0], [1.0, 0.0, 0.0], [-0.4, 0.8, 0.3]] {
            let view = LdiView::of_body(&mesh, &askew(), Vector3::from(direction), [100, 100]).unwrap();
            let answer = captured(&mesh, &askew(), view).self_collision().unwrap();
            assert_eq!(answer, SelfCollision::default());
        }
    }
}

#[test]
fn two_shells_of_a_body_overlap_in_a_lens() {
    let sphere = sphere_mesh(1.0, 160, 80);
    let radius = (sphere.mass_properties().unwrap().volume * 0.75 / std::f64::consts::PI).cbrt();
    let mesh = joined(&sphere, &sphere, Vector3::new(0.0, 1.2, 0.0));
    let view =
        LdiView::of_body(&mesh, &Isometry3::identity(), Vector3::new(0.3, 0.2, 1.0), [200, 200]).unwrap();
    let image = captured(&mesh, &Isometry3::identity(), view);
    let answer = image.self_collision().unwrap();
    assert!((answer.overlap / lens(radius, 1.2) - 1.0).abs() < 5e-3, "{}", answer.overlap);
    assert_eq!(answer.inside_out, 0.0);
    for stretch in &answer.stretches {
        assert!(stretch.times == 2 && stretch.depths[0] + 2 < stretch.depths[1]);
    }
}

#[test]
fn a_cavity_is_none_and_an_inverted_body_is_inside_out() {
    let (outer, inner) = (box_mesh([1.0; 3]), box_mesh([0.5; 3]));
    let first = outer.vertices().len() as u32;
    let mut vertices = outer.vertices().to_vec();
    vertices.extend(inner.vertices());
    let turned = inner.triangles().iter().map(|&[a, b, c]| [a, c, b].map(|v| v + first));
    let triangles = outer.triangles().iter().copied().chain(turned).collect();
    let hollow = TriMesh::new(vertices, triangles).unwrap();
    let image = captured(&hollow, &Isometry3::identity(), straight(4.0, 64));
    assert_eq!(image.volume().unwrap(), 7.0);
    assert!(!image.self_collision().unwrap().found());
    // Drawn through a point, a body is turned inside out.
    let through = outer.with_vertices(outer.vertices().iter().map(|v| -v).collect()).unwrap();
    let answer = captured(&through, &Isometry3::identity(), straight(4.0, 64)).self_collision().unwrap();
    assert_eq!((answer.overlap, answer.inside_out), (0.0, 8.0));
}

/// Whether any two triangles without a common vertex cross: every edge of each against the other, exactly.
fn crosses(vertices: &[[i32; 3]], mesh: &TriMesh) -> bool {
    type Point = [i128; 3];
    let orient = |a: &Point, b: &Point, c: &Point, d: &Point| {
        let s = |p: &Point| [p[0] - d[0], p[1] - d[1], p[2] - d[2]];
        let (a, b, c) = (s(a), s(b), s(c));
        (a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
            + a[2] * (b[0] * c[1] - b[1] * c[0]))
            .signum()
    };
    let corners = |t: &[u32; 3]| t.map(|v| vertices[v as usize].map(i128::from));
    let triangles = mesh.triangles();
    let meets = |p: &[Point; 3], q: &[Point; 3]| {
        (0..3).any(|k| {
            let (a, b) = (&p[k], &p[(k + 1) % 3]);
            let (from, to) = (orient(&q[0], &q[1], &q[2], a), orient(&q[0], &q[1], &q[2], b));
            let turns: Vec<_> = (0..3).map(|m| orient(a, b, &q[m], &q[(m + 1) % 3])).collect();
            from * to <= 0 && (turns.iter().all(|&s| s >= 0) || turns.iter().all(|&s| s <= 0))
        })
    };
    triangles.iter().enumerate().any(|(k, s)| {
        triangles[..k].iter().any(|t| {
            let p = corners(s);
            let q = corners(t);
            let apart = (0..3).any(|a| {
                let range = |c: &[Point; 3]| (c.iter().map(|v| v[a]).min(), c.iter().map(|v| v[a]).max());
                range(&p).1 < range(&q).0 || range(&q).1 < range(&p).0
            });
            !apart && !s.iter().any(|v| t.contains(v)) && (meets(&p, &q) || meets(&q, &p))
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// A torus with dents of any size: wherever faces are out of order its triangles cross, and a dent that
    /// pushes a good part of the tube through its far side is found.
    #[test]
    fn faces_out_of_order_are_triangles_that_cross(dent in -1.5f32..1.5, near in 0.1f32..0.5, d in [-1.0f64..1.0, -1.0f64..1.0, -1.0f64..1.0]) {
        let direction = Vector3::from(d);
        prop_assume!(direction.norm() > 0.1);
        let sound = torus(1.0, 0.4, 20, 12);
        let middle = Point3::new(1.4f32, 0.0, 0.0);
        let moved = sound.vertices().iter().map(|v| {
            let far = (v - middle).norm() / near;
            let push = dent * (-far * far).exp();
            Point3::new(v.x - push, v.y, v.z)
        });
        let mesh = sound.with_vertices(moved.collect()).unwrap();
        let view = LdiView::of_body(&mesh, &Isometry3::identity(), direction, [64, 64]).unwrap();
        let image = captured(&mesh, &Isometry3::identity(), view);
        let answer = image.self_collision().unwrap();
        let mut vertices = Vec::new();
        snap(&mesh, &Isometry3::identity(), &view, &mut vertices).unwrap();
        let crossing = crosses(&vertices, &mesh);
        prop_assert!(crossing || !answer.found(), "{} stretches", answer.stretches.len());
        // The vertex at the dent's middle is through the tube by more than a pixel.
        if dent > 0.95 && near > 0.3 {
            prop_assert!(crossing && answer.found());
        }
    }
}
