//! Contacts of meshes that were repaired: as those of the unbroken ones, and what closes a hole is never touched.

use impinge::StepStatus;
use impinge::geometry::{Containment, RepairSettings};
use impinge::prelude::*;
use impinge_oracle::solids::block;
use nalgebra::Point3;

/// A cube of half size 0.5, every side of 6 × 6 quads, of which those that `keep` refuses are missing. `keep`
/// gets the middle of a quad.
fn cube(keep: impl Fn(&Point3<f32>) -> bool) -> (Vec<Point3<f32>>, Vec<[u32; 3]>) {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for side in 0..6 {
        let (axis, sign) = (side / 2, if side % 2 == 0 { 1.0 } else { -1.0 });
        for quad in 0..36 {
            let at = |i: i32, j: i32| {
                let mut place = Vector3::zeros();
                place[axis] = 0.5 * sign;
                place[(axis + 1) % 3] = sign * (i as f32 / 6.0 - 0.5);
                place[(axis + 2) % 3] = j as f32 / 6.0 - 0.5;
                Point3::from(place)
            };
            let (i, j) = (quad % 6, quad / 6);
            let corners = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            let middle = nalgebra::center(&corners[0], &corners[2]);
            if keep(&middle) {
                let first = vertices.len() as u32;
                vertices.extend(corners);
                triangles.extend([[0, 1, 2], [0, 2, 3]].map(|t| t.map(|v: u32| v + first)));
            }
        }
    }
    (vertices, triangles)
}

/// The cube with a hole of 2 × 2 quads in the middle of its upper side, closed.
fn with_lid() -> TriMesh {
    let (vertices, triangles) = cube(|middle| middle.z < 0.49 || middle.x.abs().max(middle.y.abs()) > 0.2);
    let mesh = TriMesh::repaired(vertices, triangles, &RepairSettings::default().close_holes(0.5)).unwrap();
    assert!(mesh.has_closed_holes() && mesh.repairs().holes[0].edges == 8, "{:?}", mesh.repairs());
    mesh
}

#[test]
fn a_lid_bounds_volume_and_the_answer_says_so() {
    let (vertices, triangles) = cube(|_| true);
    let unbroken = TriMesh::repaired(vertices, triangles, &RepairSettings::default()).unwrap();
    assert!(unbroken.is_closed() && !unbroken.has_closed_holes());
    let [lid, unbroken, other] = [with_lid(), unbroken, block([0.3; 3])].map(Shape::from);
    let settings = QuerySettings::default();
    let at = Isometry3::translation(0.1, 0.05, 0.7);
    let [answer, expected] = [&lid, &unbroken].map(|shape| {
        PairQuery::new(shape, &other, settings).unwrap().at(&Isometry3::identity(), &at).unwrap()
    });
    let [volume, of_unbroken] = [&answer, &expected].map(|answer| answer.volume.unwrap());
    assert!((volume / of_unbroken - 1.0).abs() < 1e-6, "{volume} {of_unbroken}");
    assert!(answer.status.contains(StepStatus::CLOSED_HOLES) && !answer.status.contains(StepStatus::SOUP));
    assert!(!expected.status.contains(StepStatus::CLOSED_HOLES));
    let [manifold, of_unbroken] = [&answer, &expected].map(|answer| &answer.manifolds[0]);
    assert!((manifold.depth - of_unbroken.depth).abs() < 1e-3 && manifold.normal.z > 0.999, "{manifold:?}");
}

#[test]
fn what_crosses_a_lid_alone_does_not_touch() {
    let [lid, pin] = [with_lid(), block([0.1; 3])].map(Shape::from);
    let query = PairQuery::new(&lid, &pin, QuerySettings::default()).unwrap();
    let at =
        |height: f64| query.at(&Isometry3::identity(), &Isometry3::translation(0.0, 0.0, height)).unwrap();
    assert!(!at(0.55).touching && at(0.55).manifolds.is_empty());
    // Wholly inside, it is contained.
    assert!(at(0.2).touching && at(0.2).contained);
}

#[test]
fn a_step_and_a_composite_say_that_holes_were_closed() {
    let floor = || Shape::from(block([2.0, 2.0, 0.1]));
    let one = Shape::from(with_lid());
    let composite = Shape::composite(vec![(Isometry3::identity(), one.clone())]).unwrap();
    for shape in [one, composite] {
        let mut world = World::builder().backend(Backend::Cpu).build().unwrap();
        let [floor, lid] = [floor(), shape].map(|of| world.add_shape(of).unwrap());
        world.add_collider(Collider::new(floor)).unwrap();
        world.add_collider(Collider::new(lid).position([0.0, 0.0, 0.59])).unwrap();
        let report = world.step();
        assert!(report.status.contains(StepStatus::CLOSED_HOLES), "{:?}", report.status);
        assert_eq!((report.counts.closed_hole_pairs, report.counts.soup_pairs), (1, 0));
    }
}

#[test]
fn containment_in_a_surface_with_gaps_is_told_by_winding_numbers() {
    // Every fifth quad of the cube is missing: far too much to close.
    let mut quad = 0;
    let quads: Vec<Point3<f32>> = {
        let (vertices, _) = cube(|_| true);
        vertices.chunks(4).map(|c| nalgebra::center(&c[0], &c[2])).collect()
    };
    let kept: Vec<Point3<f32>> = quads
        .into_iter()
        .filter(|_| {
            quad += 1;
            quad % 5 != 0
        })
        .collect();
    let (vertices, triangles) = cube(|middle| kept.contains(middle));
    let soup = TriMesh::welded(vertices, triangles).unwrap();
    assert!(!soup.is_closed());
    let small = block([0.1; 3]);
    let [soup, small] = [soup, small].map(Shape::from);
    let query = PairQuery::new(&soup, &small, QuerySettings::default()).unwrap();
    let back = PairQuery::new(&small, &soup, QuerySettings::default()).unwrap();
    let ball = PairQuery::new(&soup, &Shape::sphere(0.1).unwrap(), QuerySettings::default()).unwrap();
    let here = Isometry3::identity();
    for (at, inside) in
        [([0.0; 3], true), ([0.3, -0.2, 0.3], true), ([0.9, 0.0, 0.0], false), ([0.5, 0.1, 0.1], false)]
    {
        let there = Isometry3::from(Translation3::from(at));
        let expected = |containment| if inside { containment } else { Containment::None };
        assert_eq!(query.containment_by_winding(&here, &there), Ok(expected(Containment::BInA)), "{at:?}");
        assert_eq!(back.containment_by_winding(&there, &here), Ok(expected(Containment::AInB)), "{at:?}");
        assert_eq!(ball.containment_by_winding(&here, &there), Ok(expected(Containment::BInA)), "{at:?}");
        // As before, a surface with gaps has no inside for contacts.
        assert!(!query.at(&here, &there).unwrap().contained);
    }
}
