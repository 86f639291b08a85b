//! Meshes that deform, as a caller has them.

use impinge::geometry::{MeshError, SimdLevel};
use impinge::prelude::*;
use impinge::query::{
    DeformingMesh, FeatureClearance, PairSweep, QueryError, QueryScratch, edge_edge, vertex_face,
};
use impinge_scenes::random::Random;

use crate::shapes::{cases, meshes, shapes};

/// A square sheet of `cells` cells a side, 4 m wide, at a height (m).
fn sheet(cells: u32, height: f32) -> TriMesh {
    let n = cells + 1;
    let at = |k: u32| [k % n, k / n].map(|x| 4.0 * (x as f32 / cells as f32 - 0.5));
    let place = |k: u32| Point3::new(at(k)[0], at(k)[1], height);
    let cell = |k: u32| {
        let a = k / cells * n + k % cells;
        [[a, a + 1, a + n + 1], [a, a + n + 1, a + n]]
    };
    TriMesh::new((0..n * n).map(place).collect(), (0..cells * cells).flat_map(cell).collect()).unwrap()
}

fn moved(places: &[Point3<f32>], by: Vector3<f32>) -> Vec<Point3<f32>> {
    places.iter().map(|p| p + by).collect()
}

const GAP: Option<f64> = Some(1e-5);

#[test]
fn a_falling_sheet_meets_every_shape_at_its_top() {
    let mut scratch = QueryScratch::default();
    for (n, shape) in shapes().iter().enumerate() {
        let shape = PreparedShape::new(shape);
        let half_space = !shape.aabb_at(&Isometry3::identity()).max[2].is_finite();
        let mut cloth = DeformingMesh::new(sheet(5, 2.0));
        let end = moved(cloth.from(), Vector3::new(0.0, 0.0, -4.0));
        cloth.move_to(&end).unwrap();
        let here = Isometry3::identity();
        let still = Motion::still(here);
        let time =
            |found: PairSweep| found.impact().map(|impact| (impact.time, impact.normal, impact.on_b.z));
        let (found, normal, top) =
            time(cloth.sweep_shape(&here, &shape, &still, GAP, &mut scratch).unwrap()).expect("it meets");
        // Both fall: half as fast each.
        assert!(normal.z < -0.999, "shape {n}: {normal}");
        assert!((2.0 - 4.0 * found - top).abs() <= 1.1e-5, "shape {n}: {found}, top at {top}");
        if !half_space {
            // The top of the box is that of the shape, but for the sphere around a cuboid's or a mesh's rounding.
            let highest = f64::from(shape.aabb_at(&here).max[2]);
            assert!(top <= highest + 1e-6, "shape {n}: {top} above {highest}");
        }
        let rising = Motion::translation(here, Vector3::new(0.0, 0.0, 0.5));
        let (sooner, ..) =
            time(cloth.sweep_shape(&here, &shape, &rising, GAP, &mut scratch).unwrap()).expect("it meets");
        assert!((sooner * 4.5 - found * 4.0).abs() < 1e-4, "shape {n}: {sooner} and {found}");
        let aside = Motion::still(Isometry3::translation(0.0, 0.0, -9.0));
        let below = cloth.sweep_shape(&here, &shape, &aside, GAP, &mut scratch).unwrap();
        assert_eq!(below, PairSweep::Free, "shape {n}");
        let within = Motion::still(Isometry3::translation(0.0, 0.0, 2.0));
        let start = cloth.sweep_shape(&here, &shape, &within, GAP, &mut scratch).unwrap();
        assert!(matches!(start, PairSweep::AtStart { .. }), "shape {n}: {start:?}");
    }
}

#[test]
fn a_plane_that_turns_meets_a_sheet_in_time() {
    let cloth = DeformingMesh::new(sheet(4, 1.0));
    let turning = Motion::still(Isometry3::identity()).turn(Vector3::y() * std::f64::consts::FRAC_PI_2);
    let plane = PreparedShape::new(&Shape::half_space());
    let here = Isometry3::identity();
    let found = cloth.sweep_shape(&here, &plane, &turning, GAP, &mut QueryScratch::default()).unwrap();
    // Its normal (sin φ, 0, cos φ) has the corner (−2, ·, 1) in the plane at tan φ = ½.
    let expected = 0.5f64.atan() / std::f64::consts::FRAC_PI_2;
    let time = found.time().expect("it meets");
    assert!(time <= expected && expected - time < 1e-4, "{time} for {expected}");
}

#[test]
fn answers_of_deforming_meshes_do_not_depend_on_the_instructions() {
    let (mut random, meshes) = (Random::new(61), meshes());
    let clearance = FeatureClearance { separation: 0.01, gap: 1e-4 };
    let mut near = 0;
    for n in 0..cases(8) as usize {
        let Shape::Mesh(mesh) = &meshes[n % 4] else { continue };
        let mut ripple = |size: f64| -> Vec<Point3<f32>> {
            let (along, push) = (random.direction() * 5.0, random.direction() * size);
            let place = |p: &Point3<f32>| {
                let x = p.coords.cast::<f64>();
                Point3::from((x + push * along.dot(&x).sin()).cast::<f32>())
            };
            mesh.vertices().iter().map(place).collect()
        };
        let (end, other) = (ripple(0.3), ripple(0.2));
        let answers: Vec<_> = SimdLevel::available()
            .map(|level| {
                let mut scratch = QueryScratch::default();
                let [mut a, mut b] = [0; 2].map(|_| DeformingMesh::new(mesh.clone()));
                a.set_simd(level);
                b.set_simd(level);
                a.move_to(&end).unwrap();
                b.move_to(&other).unwrap();
                let poses = [Isometry3::identity(), Isometry3::translation(1.1, 0.1, 0.0)];
                let [here, there] = poses.each_ref();
                let sweep = a.sweep(&b, [here, there], None, &mut scratch).unwrap();
                let own = a.self_contact(&clearance, &mut scratch).unwrap();
                let (mut all, mut between) = (Vec::new(), Vec::new());
                a.self_contacts(&clearance, &mut all, &mut scratch).unwrap();
                a.contacts(&b, [here, there], &clearance, &mut between, &mut scratch).unwrap();
                (sweep, own, all, between)
            })
            .collect();
        assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "case {n}");
        near += answers[0].2.len() + answers[0].3.len();
    }
    assert!(near > 8, "{near} pairs of features come near");
}

#[test]
fn deformations_that_cannot_be_used_are_refused() {
    let mut cloth = DeformingMesh::new(sheet(2, 0.0));
    let before = cloth.to().to_vec();
    let few = cloth.move_to(&before[1..]);
    assert!(matches!(few, Err(MeshError::VertexCount { given: 8, expected: 9 })), "{few:?}");
    for (x, far) in [(f32::NAN, false), (f32::INFINITY, false), (2e30, true)] {
        let mut to = before.clone();
        to[4].x = x;
        let refused = cloth.move_to(&to);
        match refused {
            Err(MeshError::VertexTooFar { index: 4, .. }) if far => {}
            Err(MeshError::VertexNotFinite { index: 4, .. }) if !far => {}
            other => panic!("{x}: {other:?}"),
        }
    }
    assert_eq!(cloth.to(), before);
    let scratch = &mut QueryScratch::default();
    let here = Isometry3::identity();
    let nowhere = Isometry3::translation(f64::NAN, 0.0, 0.0);
    let pose = cloth.sweep(&cloth, [&here, &nowhere], None, scratch);
    assert!(matches!(pose, Err(QueryError::Pose { side: 'B', .. })), "{pose:?}");
    for gap in [0.0, -1.0, f64::NAN] {
        let refused = cloth.sweep(&cloth, [&here, &here], Some(gap), scratch);
        assert!(matches!(refused, Err(QueryError::Bound { .. })), "{refused:?}");
        let refused = cloth.self_contact(&FeatureClearance { separation: 0.0, gap }, scratch);
        assert!(matches!(refused, Err(QueryError::Bound { .. })), "{refused:?}");
    }
    let refused = cloth.self_contact(&FeatureClearance { separation: f64::NAN, gap: 1e-3 }, scratch);
    assert!(matches!(refused, Err(QueryError::Margin { .. })), "{refused:?}");
    let clearance = FeatureClearance { separation: 0.0, gap: 1e-3 };
    let mut places = [[0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Point3::from);
    assert!(vertex_face(&places, &places, &clearance).unwrap().is_none());
    places[2].y = f64::INFINITY;
    let refused = [vertex_face(&places, &places, &clearance), edge_edge(&places, &places, &clearance)];
    assert!(refused.iter().all(|refused| matches!(refused, Err(QueryError::Point(_)))), "{refused:?}");
}

#[test]
fn a_motion_begins_where_the_last_one_ended() {
    let mut cloth = DeformingMesh::new(sheet(3, 0.0));
    let floor = PreparedShape::new(&Shape::half_space());
    let (here, still) = (Isometry3::identity(), Motion::still(Isometry3::translation(0.0, 0.0, -2.5)));
    let scratch = &mut QueryScratch::default();
    let times: Vec<Option<f64>> = (0..4)
        .map(|_| {
            let to = moved(cloth.to(), Vector3::new(0.0, 0.0, -1.0));
            cloth.move_to(&to).unwrap();
            cloth.sweep_shape(&here, &floor, &still, GAP, scratch).unwrap().time()
        })
        .collect();
    assert_eq!((times[0], times[1], times[3]), (None, None, Some(0.0)));
    assert!(times[2].is_some_and(|time| (time - 0.5).abs() < 1e-4), "{times:?}");
    cloth.rebuild().unwrap();
    assert!((cloth.degradation() - 1.0).abs() < 0.5, "{}", cloth.degradation());
}
