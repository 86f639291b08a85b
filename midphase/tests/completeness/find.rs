//! Jobs for pairs of shapes, against what the shapes are.

use std::sync::Arc;

use impinge_geometry::{PairFrame, Shape, Side, TriMesh};
use impinge_midphase::{
    CandidateBatch, MidphaseCounts, PairJob, PairKind, Placed, PreparedShape, Solid, TreeCache, find,
};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use proptest::prelude::*;

use crate::input::{meeting, mesh, placed, pose, rotation, scale, torus};

fn jobs<'s>(
    a: &'s PreparedShape,
    b: &'s PreparedShape,
    poses: [Isometry3<f64>; 2],
    margin: f64,
) -> (CandidateBatch<'s>, MidphaseCounts) {
    let (mut batch, mut counts) = (CandidateBatch::default(), MidphaseCounts::default());
    let [a, b] = [(a, poses[0]), (b, poses[1])].map(|(shape, pose)| Placed { shape, pose });
    find(7, a, b, margin, &mut batch, &mut counts);
    assert_eq!(counts.jobs, batch.jobs.len() as u64);
    for job in pair_jobs(&batch) {
        assert_eq!(job.pair, 7);
        let [min, max] = job.interest;
        assert!((0..3).all(|k| min[k].is_finite() && min[k] <= max[k] && max[k].is_finite()));
    }
    (batch, counts)
}

fn pair_jobs<'b, 's>(batch: &'b CandidateBatch<'s>) -> Vec<&'b PairJob<'s>> {
    batch.jobs.iter().collect()
}

/// Triangles of the mesh in the leaves of a job against a primitive.
fn triangles_of(job: &PairJob<'_>, batch: &CandidateBatch<'_>) -> Vec<u32> {
    let PairKind::MeshSolid { surface, .. } = job.kind else { panic!("not a mesh and a solid: {job:?}") };
    batch.leaves_of(job).iter().flat_map(|&leaf| surface.tree.leaf_triangles(leaf)).collect()
}

fn inside([min, max]: [Point3<f64>; 2], p: &Point3<f64>) -> bool {
    (0..3).all(|k| min[k] <= p[k] && p[k] <= max[k])
}

/// Whether a point of a primitive's own frame lies in it, or no farther out than `margin`.
fn holds(solid: &Solid, p: &Point3<f64>, margin: f64) -> bool {
    use impinge_geometry::Primitive as P;
    let Solid::Primitive(primitive) = solid else { panic!("not a primitive: {solid:?}") };
    match *primitive {
        P::HalfSpace => p.z <= margin,
        P::Sphere { radius } => p.coords.norm() <= f64::from(radius) + margin,
        P::Cuboid { half } => (0..3).all(|k| p[k].abs() <= f64::from(half[k])),
        P::Capsule { half_height, radius } => {
            let h = f64::from(half_height);
            (p - Point3::new(0.0, 0.0, p.z.clamp(-h, h))).norm() <= f64::from(radius) + margin
        }
        P::Cylinder { half_height, radius } => {
            p.z.abs() <= f64::from(half_height) && p.x.hypot(p.y) <= f64::from(radius)
        }
    }
}

fn smooth(unit: f64) -> impl Strategy<Value = Shape> {
    let size = move || (0.05..0.6f64).prop_map(move |x| (x * unit) as f32);
    prop_oneof![
        Just(Shape::half_space()),
        size().prop_map(|r| Shape::sphere(r).expect("a radius")),
        (size(), size()).prop_map(|(h, r)| Shape::capsule(h, r).expect("sizes")),
        (size(), size()).prop_map(|(h, r)| Shape::cylinder(h, r).expect("sizes")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every corner of a mesh that lies in a primitive (or within the margin of a round one) is in a
    /// leaf of the job, and in the volume of interest.
    #[test]
    fn corners_inside_a_primitive_are_in_its_job(
        (a, solid, unit, pose) in scale().prop_flat_map(|unit| {
            (mesh(40, unit), smooth(unit), Just(unit), pose([0.0; 3], 0.8 * unit))
        }),
        turn in rotation(),
        far in prop_oneof![Just(0.0), Just(1024.0)],
        margin in prop_oneof![Just(0.0), 0.0..0.2f64],
        swap in any::<bool>(),
    ) {
        let margin = margin * unit;
        let (prepared, primitive) = (PreparedShape::new(&Shape::Mesh(a.clone())), PreparedShape::new(&solid));
        let shift = Translation3::new(far * unit, 0.0, -far * unit);
        let at_mesh = shift * Isometry3::from_parts(Translation3::identity(), turn);
        let middle = at_mesh * a.aabb().center().cast::<f64>();
        let at_solid = Isometry3::from_parts(
            Translation3::from(middle.coords + pose.translation.vector),
            pose.rotation,
        );
        let (side, (batch, _), frame) = if swap {
            let poses = [at_solid, at_mesh];
            (Side::B, jobs(&primitive, &prepared, poses, margin), PairFrame::new(&poses[0], &poses[1]))
        } else {
            let poses = [at_mesh, at_solid];
            (Side::A, jobs(&prepared, &primitive, poses, margin), PairFrame::new(&poses[0], &poses[1]))
        };
        let found = pair_jobs(&batch);
        for (t, corners) in placed(&a, &frame, side).iter().enumerate() {
            for p in corners {
                let own = frame.to_local(side.other(), p);
                if holds(&primitive.parts()[0].solid, &own, margin * (1.0 - 1e-9)) {
                    prop_assert_eq!(found.len(), 1, "corner {} of triangle {} is inside", p, t);
                    prop_assert!(triangles_of(found[0], &batch).contains(&(t as u32)));
                    prop_assert!(inside(found[0].interest, p), "{} outside {:?}", p, found[0].interest);
                }
            }
        }
    }

    /// A job holds what the descent visits; without one, nothing touches.
    #[test]
    fn two_meshes_have_one_job_with_all_leaf_pairs(
        (a, b, unit, pose) in scale().prop_flat_map(|unit| {
            (mesh(40, unit), mesh(40, unit), Just(unit), pose([0.0; 3], 0.9 * unit))
        }),
        margin in prop_oneof![Just(0.0), 0.0..0.2f64],
    ) {
        let poses = [Isometry3::identity(), meeting(&a, &b, &pose)];
        let frame = PairFrame::new(&poses[0], &poses[1]);
        let shapes = [&a, &b].map(|m| PreparedShape::new(&Shape::Mesh(m.clone())));
        let (batch, counts) = jobs(&shapes[0], &shapes[1], poses, margin * unit);
        let trees = shapes.each_ref().map(|s| &s.parts()[0].surface.as_ref().expect("a surface").tree);
        let mut expected = Vec::new();
        let mut visited = impinge_midphase::DescentCounts::default();
        let _ = impinge_midphase::descend(trees[0], trees[1], &frame, margin * unit, &mut |x, y| {
            expected.push([x, y]);
            std::ops::ControlFlow::Continue(())
        }, &mut visited);
        // Without a job the boxes may still overlap by their padding.
        prop_assert_eq!(counts.leaf_pairs, batch.leaf_pairs.len() as u64);
        prop_assert_eq!(&batch.leaf_pairs[..], if batch.jobs.is_empty() { &[] } else { &expected[..] });
        prop_assert!(batch.jobs.len() <= 1);
        for (s, x) in placed(&a, &frame, Side::A).iter().enumerate() {
            for (t, y) in placed(&b, &frame, Side::B).iter().enumerate() {
                if impinge_geometry::predicate::triangles_touch(x, y) {
                    prop_assert_eq!(batch.jobs.len(), 1, "triangles {} and {} touch", s, t);
                }
            }
        }
    }
}

fn shape(mesh: TriMesh) -> PreparedShape {
    PreparedShape::new(&Shape::from(mesh))
}

#[test]
fn a_small_body_inside_a_closed_one_has_a_job_without_leaf_pairs() {
    // A ball of 1 cm, as a mesh and as a primitive, in the tube of a torus.
    let outer = shape(torus(1.0, 0.3, 64, 32));
    let poses = [Isometry3::identity(), Isometry3::translation(1.0, 0.0, 0.0)];
    let inner = shape(torus(0.005, 0.002, 16, 8));
    let (batch, counts) = jobs(&outer, &inner, poses, 0.0);
    assert!(matches!(pair_jobs(&batch)[0].kind, PairKind::Surfaces(_)));
    assert!(pair_jobs(&batch)[0].candidates.is_empty());
    assert_eq!((counts.sphere_tests, counts.leaf_pairs), (1, 0));
    let ball = PreparedShape::new(&Shape::sphere(0.01).expect("a radius"));
    let (batch, _) = jobs(&outer, &ball, poses, 0.0);
    assert!(
        matches!(pair_jobs(&batch)[0], PairJob { kind: PairKind::MeshSolid { mesh: Side::A, .. }, candidates, .. } if candidates.is_empty())
    );
    let (batch, _) = jobs(&ball, &outer, [poses[1], poses[0]], 0.0);
    assert!(
        matches!(pair_jobs(&batch)[0], PairJob { kind: PairKind::MeshSolid { mesh: Side::B, .. }, candidates, .. } if candidates.is_empty())
    );
}

#[test]
fn a_body_beside_the_surface_of_a_soup_has_no_job() {
    // Half a torus bounds no volume: a ball in its tube touches nothing.
    let whole = torus(1.0, 0.3, 64, 32);
    let half = whole.triangles()[..whole.triangles().len() / 2].to_vec();
    let soup = shape(TriMesh::new(whole.vertices().to_vec(), half).expect("half a torus"));
    assert!(!soup.parts()[0].is_solid());
    let ball = PreparedShape::new(&Shape::sphere(0.01).expect("a radius"));
    let poses = [Isometry3::identity(), Isometry3::translation(0.0, 1.0, 0.0)];
    assert!(jobs(&soup, &ball, poses, 0.0).0.jobs.is_empty());
}

#[test]
fn bodies_apart_cost_one_test_of_spheres() {
    let ring = shape(torus(1.0, 0.3, 64, 32));
    let poses = [Isometry3::identity(), Isometry3::translation(2.7, 0.0, 0.0)];
    let (batch, counts) = jobs(&ring, &ring, poses, 0.0);
    assert!(batch.jobs.is_empty());
    assert_eq!(counts, MidphaseCounts { sphere_tests: 1, ..MidphaseCounts::default() });
    // The margin brings them together.
    assert_eq!(jobs(&ring, &ring, poses, 0.2).0.jobs.len(), 1);
}

#[test]
fn primitives_among_themselves_are_convex_pairs() {
    let cube = PreparedShape::new(&Shape::cuboid([1.0; 3]).expect("sizes"));
    let ball = PreparedShape::new(&Shape::sphere(1.0).expect("a radius"));
    let floor = PreparedShape::new(&Shape::half_space());
    let at = |x: f64, z: f64| Isometry3::translation(x, 0.0, z);
    let count = |a, b, poses| {
        let (batch, _) = jobs(a, b, poses, 0.0);
        assert!(pair_jobs(&batch).iter().all(|job| matches!(job.kind, PairKind::Convex)));
        batch.jobs.len()
    };
    // The cube's edge points at the other cube: their boxes meet along x, the oriented ones do not.
    let turned = Isometry3::from_parts(
        Translation3::new(2.0, 2.0, 0.0),
        UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::FRAC_PI_4),
    );
    assert_eq!(count(&cube, &cube, [at(0.0, 0.0), at(2.0, 0.0)]), 1);
    assert_eq!(count(&cube, &cube, [at(0.0, 0.0), turned]), 0);
    // A ball one metre above the floor touches it, a little higher it does not; the same for a cube
    // and with the floor first.
    for (body, name) in [(&ball, "ball"), (&cube, "cube")] {
        assert_eq!(count(body, &floor, [at(0.0, 1.0), at(0.0, 0.0)]), 1, "{name}");
        assert_eq!(count(body, &floor, [at(0.0, 1.001), at(0.0, 0.0)]), 0, "{name}");
        assert_eq!(count(&floor, body, [at(0.0, 0.0), at(0.0, 1.0)]), 1, "{name}");
    }
    // Whether two half-spaces meet, which have no box in common, is for the convex test to say.
    assert_eq!(count(&floor, &floor, [at(0.0, 0.0), at(0.0, 1.0)]), 1, "two half-spaces");
}

#[test]
fn the_children_of_a_composite_are_parts_at_their_poses() {
    // A dumb-bell: two tori four metres apart, sharing one mesh; a third torus meets only the second.
    let mesh = Arc::new(torus(1.0, 0.3, 32, 16));
    let children = [-2.0, 2.0].map(|x| (Isometry3::translation(x, 0.0, 0.0), Shape::Mesh(mesh.clone())));
    let pair = Shape::composite(children.to_vec()).expect("two children");
    let mut trees = TreeCache::default();
    let dumbbell = PreparedShape::with_trees(&pair, &mut trees);
    let single = PreparedShape::with_trees(&Shape::Mesh(mesh.clone()), &mut trees);
    let tree = |s: &PreparedShape, k: usize| s.parts()[k].surface.as_ref().expect("a surface").tree.clone();
    assert!(Arc::ptr_eq(&tree(&dumbbell, 0), &tree(&dumbbell, 1)));
    assert!(Arc::ptr_eq(&tree(&dumbbell, 0), &tree(&single, 0)));
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::FRAC_PI_2);
    let at = Isometry3::from_parts(Translation3::new(0.0, 10.0, 0.0), turn);
    // Turned by a quarter, the second child stands at (0, 12, 0).
    let other = Isometry3::translation(0.5, 12.0, 0.0);
    let (batch, counts) = jobs(&dumbbell, &single, [at, other], 0.0);
    let found = pair_jobs(&batch);
    assert_eq!((found.len(), counts.sphere_tests), (1, 2));
    assert_eq!(found[0].part_indices, [1, 0]);
    assert_eq!(found[0].frame, PairFrame::new(&(at * dumbbell.parts()[1].pose), &other));
    assert_eq!(dumbbell.aabb_at(&at), pair.aabb_at(&at));
}
