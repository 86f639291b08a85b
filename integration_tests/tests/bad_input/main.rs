//! Whatever a caller hands in: a typed error that names it, and the world as it was.

mod shapes;

use impinge::prelude::*;
use impinge::{BuildError, PoseError, ShapeError, SolveError, WorldError};

/// A world with a ball half sunk into a box, stepped once.
fn world() -> (World, [ColliderId; 2]) {
    let mut world = World::builder().backend(Backend::Cpu).threads(1).build().unwrap();
    let table = world.add_shape(Shape::cuboid([1.0, 1.0, 0.5]).unwrap()).unwrap();
    let ball = world.add_shape(Shape::sphere(0.5).unwrap()).unwrap();
    let table = world.add_collider(Collider::new(table).fixed(true)).unwrap();
    let ball = world.add_collider(Collider::new(ball).position([0.0, 0.0, 0.75])).unwrap();
    world.step();
    assert_eq!(world.manifolds().len(), 1);
    (world, [table, ball])
}

/// What must not change: where the ball stands and what the next step finds.
fn assert_as_it_was(world: &mut World, ball: ColliderId) {
    assert_eq!(world.pose(ball).unwrap().translation.vector, Vector3::new(0.0, 0.0, 0.75));
    let before = world.manifolds().to_vec();
    world.step();
    assert_eq!(world.manifolds(), before);
}

#[test]
fn poses_that_are_not_numbers_are_refused() {
    let (mut world, [_, ball]) = world();
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for axis in 0..3 {
            let mut pose = Isometry3::identity();
            pose.translation.vector[axis] = bad;
            let error = world.set_pose(ball, pose).unwrap_err();
            assert!(matches!(error, WorldError::Pose(PoseError::NotFinite { .. })), "{error}");
            let shape = world.shape_of(ball).unwrap();
            assert!(world.add_collider(Collider::new(shape).pose(pose)).is_err());
        }
        let q = nalgebra::Quaternion::new(1.0, bad, 0.0, 0.0);
        let pose = Isometry3::from_parts(Translation3::identity(), UnitQuaternion::new_unchecked(q));
        assert!(matches!(world.set_pose(ball, pose), Err(WorldError::Pose(_))));
    }
    let zero = UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(0.0, 0.0, 0.0, 0.0));
    let error = world.set_pose(ball, Isometry3::from_parts(Translation3::identity(), zero)).unwrap_err();
    assert!(error.to_string().contains("quaternion"), "{error}");
    let far = Isometry3::translation(1e31, 0.0, 0.0);
    assert!(matches!(world.set_pose(ball, far), Err(WorldError::Pose(PoseError::TooFar { .. }))));
    assert_as_it_was(&mut world, ball);
}

#[test]
fn a_quaternion_that_is_not_of_unit_length_is_normalised() {
    let (mut world, [_, ball]) = world();
    let q = UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(2.0, 0.0, 0.0, 0.0));
    world.set_pose(ball, Isometry3::from_parts(Translation3::new(0.0, 0.0, 0.75), q)).unwrap();
    assert!((world.pose(ball).unwrap().rotation.quaternion().norm() - 1.0).abs() < 1e-15);
    world.step();
    assert_eq!(world.manifolds().len(), 1);
}

#[test]
fn names_that_are_unknown_or_removed_are_refused() {
    let (mut world, [table, ball]) = world();
    let shape = world.shape_of(ball).unwrap();
    assert!(matches!(world.remove_shape(shape), Err(WorldError::ShapeInUse { colliders: 1, .. })));
    let never = ColliderId { index: 77, generation: 0 };
    let pose = Isometry3::identity();
    assert_eq!(world.set_pose(never, pose), Err(WorldError::UnknownCollider { id: never }));
    assert_eq!(world.pose(never), Err(WorldError::UnknownCollider { id: never }));
    assert_eq!(world.set_groups(never, 1, 1), Err(WorldError::UnknownCollider { id: never }));
    let no_shape = ShapeId { index: 9, generation: 3 };
    let error = world.add_collider(Collider::new(no_shape)).unwrap_err();
    assert_eq!(error, WorldError::UnknownShape { id: no_shape });
    assert_as_it_was(&mut world, ball);

    world.remove_collider(ball).unwrap();
    assert!(world.manifolds().is_empty());
    assert_eq!(world.remove_collider(ball), Err(WorldError::UnknownCollider { id: ball }));
    assert_eq!(world.set_pose(ball, pose), Err(WorldError::UnknownCollider { id: ball }));
    let again = world.add_collider(Collider::new(shape).position([0.0, 0.0, 0.75])).unwrap();
    assert_eq!(again.index, ball.index, "the slot is used again");
    assert_ne!(again, ball, "under a new name");
    assert_eq!(world.pose(ball), Err(WorldError::UnknownCollider { id: ball }));
    world.step();
    assert_eq!(world.manifolds()[0].colliders, [table, again]);

    world.remove_collider(again).unwrap();
    world.remove_shape(shape).unwrap();
    assert_eq!(world.shape(shape).unwrap_err(), WorldError::UnknownShape { id: shape });
    world.step();
    assert!(world.manifolds().is_empty() && world.pairs().is_empty());
}

#[test]
fn sizes_that_are_not_positive_numbers_are_refused() {
    for bad in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let made = [
            Shape::sphere(bad),
            Shape::cuboid([1.0, bad, 1.0]),
            Shape::capsule(bad, 1.0),
            Shape::capsule(1.0, bad),
            Shape::cylinder(bad, 1.0),
            Shape::cylinder(1.0, bad),
        ];
        for shape in made {
            assert!(matches!(shape, Err(ShapeError::Size { .. })), "{bad} was taken");
        }
    }
    assert!(matches!(Shape::composite(vec![]), Err(ShapeError::EmptyComposite)));
    assert!(matches!(Shape::hull(&[Point3::origin(); 5]), Err(ShapeError::FlatHull { points: 5 })));
    assert!(matches!(
        Shape::hull(&[Point3::new(f32::NAN, 0.0, 0.0)]),
        Err(ShapeError::HullPoint { index: 0, .. })
    ));
}

#[test]
fn a_shape_that_was_not_made_by_a_constructor_is_checked_too() {
    use impinge::geometry::Primitive;
    let (mut world, [_, ball]) = world();
    for radius in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let error = world.add_shape(Primitive::Sphere { radius }).unwrap_err();
        assert!(matches!(error, WorldError::Shape(ShapeError::Size { .. })), "{error}");
    }
    assert_as_it_was(&mut world, ball);
}

#[test]
fn meshes_that_cannot_be_used_are_refused() {
    let corner = |x: f32, y: f32, z: f32| Point3::new(x, y, z);
    let vertices = vec![corner(0.0, 0.0, 0.0), corner(1.0, 0.0, 0.0), corner(0.0, 1.0, 0.0)];
    assert!(TriMesh::new(vec![], vec![]).unwrap_err().to_string().contains("no triangles"));
    let error = TriMesh::new(vertices.clone(), vec![[0, 1, 2], [0, 1, 3]]).unwrap_err().to_string();
    assert!(error.contains("triangle 1") && error.contains('3'), "{error}");
    let error = TriMesh::new(vertices.clone(), vec![[0, 1, 1]]).unwrap_err().to_string();
    assert!(error.contains("degenerate"), "{error}");
    let mut bad = vertices.clone();
    bad[2].y = f32::NAN;
    let error = TriMesh::new(bad, vec![[0, 1, 2]]).unwrap_err().to_string();
    assert!(error.contains("vertex 2"), "{error}");
    let twice = TriMesh::new(vertices, vec![[0, 1, 2], [1, 2, 0]]).unwrap();
    assert_eq!(twice.triangles().len(), 1, "a triangle that repeats another is passed over");
    assert!(!twice.is_closed());
}

#[test]
fn settings_out_of_range_name_the_setting_and_the_remedy() {
    let setting = |error: BuildError| match error {
        BuildError::Setting { setting, .. } => setting,
        other => panic!("{other}"),
    };
    for columns in [0, 1, 3, 33, 512, u32::MAX] {
        let error = World::builder().image_resolution(columns).build().unwrap_err();
        assert!(error.to_string().contains("power of two"), "{error}");
        assert_eq!(setting(error), "image_resolution");
    }
    for threads in [1025, 10_000_000, usize::MAX] {
        let error = World::builder().threads(threads).build().unwrap_err();
        assert!(error.to_string().contains("at most 1024"), "{error}");
        assert_eq!(setting(error), "threads");
    }
    assert!(World::builder().threads(0).build().unwrap().threads() >= 1, "0 is one per core");
    for points in [0, 5] {
        assert_eq!(setting(World::builder().max_points(points).build().unwrap_err()), "max_points");
    }
    assert_eq!(setting(World::builder().max_manifolds(0).build().unwrap_err()), "max_manifolds");
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(
            setting(World::builder().contact_tolerance(bad).build().unwrap_err()),
            "contact_tolerance"
        );
        assert_eq!(setting(World::builder().contact_margin(bad).build().unwrap_err()), "contact_margin");
    }
    for backend in [Backend::Gpu, Backend::Hybrid] {
        let error = World::builder().backend(backend).adapter("no such card").build().unwrap_err();
        assert!(error.to_string().contains("no such card"), "{error}");
    }
    assert_eq!(World::builder().backend(Backend::Auto).build().unwrap().backend(), Backend::Cpu);
    assert!("warp".parse::<Backend>().unwrap_err().to_string().contains("auto, cpu, gpu, hybrid"));
}

#[test]
fn materials_and_tolerances_that_cannot_be_used_are_refused() {
    let (mut world, [_, ball]) = world();
    let shape = world.shape_of(ball).unwrap();
    for bad in [-0.5, f64::NAN, f64::INFINITY] {
        let material = Material { friction: bad, ..Material::default() };
        let error = world.add_collider(Collider::new(shape).material(material)).unwrap_err();
        assert!(error.to_string().contains("friction"), "{error}");
        let error = world.add_collider(Collider::new(shape).tolerance(bad)).unwrap_err();
        assert!(error.to_string().contains("tolerance"), "{error}");
    }
    assert_eq!(world.colliders().count(), 2);
    assert_as_it_was(&mut world, ball);
}

#[test]
fn a_solver_that_fails_leaves_the_impulses_as_they_were() {
    struct Bad(&'static str);
    impl Solver for Bad {
        type Error = &'static str;
        fn solve(&mut self, _: &[ContactRow], impulses: &mut [Impulse], _: f64) -> Result<(), &'static str> {
            for impulse in impulses.iter_mut() {
                impulse.normal = if self.0 == "nan" { f64::NAN } else { 1.0 };
            }
            if self.0 == "fails" { Err("no") } else { Ok(()) }
        }
    }
    let (mut world, _) = world();
    for dt in [0.0, -0.1, f64::NAN, f64::INFINITY] {
        assert!(matches!(world.solve(&mut Bad("good"), dt), Err(SolveError::Dt { .. })));
    }
    world.solve(&mut Bad("good"), 0.01).unwrap();
    let before = world.manifolds().to_vec();
    assert_eq!(before[0].points[0].impulse.normal, 1.0);
    assert_eq!(world.solve(&mut Bad("fails"), 0.01), Err(SolveError::Solver("no")));
    assert!(matches!(world.solve(&mut Bad("nan"), 0.01), Err(SolveError::Impulses(_))));
    assert_eq!(world.manifolds(), before);
}

#[test]
fn a_query_names_the_side_whose_pose_is_bad() {
    let ball = Shape::sphere(1.0).unwrap();
    let query = PairQuery::new(&ball, &ball, QuerySettings::default()).unwrap();
    let bad = Isometry3::translation(f64::NAN, 0.0, 0.0);
    let good = Isometry3::identity();
    assert!(query.at(&bad, &good).unwrap_err().to_string().starts_with("pose of A: pose component x is NaN"));
    assert!(query.at(&good, &bad).unwrap_err().to_string().starts_with("pose of B"));
    let settings = QuerySettings::default().resolution(0);
    assert!(PairQuery::new(&ball, &ball, settings).is_err());
}
