//! Sizes and poses at the ends of what floating point can hold: a typed error or an answer, never a panic.

use impinge::prelude::*;
use impinge::query::QueryScratch;
use impinge::{Margin, MeshError, PoseError, ShapeError, WorldBuilder, WorldError};
use impinge_geometry::Primitive;
use proptest::prelude::*;

/// A cube's surface with its corners at ±`half` (m).
fn cube(half: f32) -> Result<TriMesh, MeshError> {
    let unit = Primitive::Cuboid { half: [1.0; 3] }.surface().unwrap();
    TriMesh::new(unit.vertices().iter().map(|v| v * half).collect(), unit.triangles().to_vec())
}

#[test]
fn a_mesh_beyond_the_range_of_its_bounds_is_refused() {
    let error = cube(3.4e38).unwrap_err();
    assert!(matches!(error, MeshError::VertexTooFar { index: 0, .. }), "{error}");
    assert!(error.to_string().contains("vertex 0") && error.to_string().contains("1e30 m"), "{error}");
    let mesh = cube(1.0).unwrap();
    let far = mesh.vertices().iter().map(|v| v * 2e30).collect();
    assert!(matches!(mesh.with_vertices(far), Err(MeshError::VertexTooFar { index: 0, .. })));
    assert!(cube(1e30).is_ok(), "the bound itself can be used");
}

#[test]
fn shapes_and_poses_beyond_the_range_are_refused() {
    let huge = 2e30f32;
    for made in [
        Shape::sphere(huge),
        Shape::cuboid([1.0, huge, 1.0]),
        Shape::capsule(huge, 1.0),
        Shape::cylinder(1.0, huge),
    ] {
        let error = made.unwrap_err();
        assert!(matches!(error, ShapeError::Size { value, .. } if value == huge), "{error}");
        assert!(error.to_string().contains("1e30 m"), "{error}");
    }
    let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, huge]].map(Point3::from);
    assert!(matches!(Shape::hull(&corners), Err(ShapeError::HullPoint { index: 3, .. })));

    let ball = Shape::sphere(1.0).unwrap();
    let far = Isometry3::translation(0.0, -2e30, 0.0);
    let error = Shape::composite(vec![(far, ball.clone())]).unwrap_err();
    let ShapeError::ChildPose { child: 0, source } = error else { panic!("{error}") };
    assert!(matches!(source, PoseError::TooFar { component: "y", .. }), "{source}");
    // Each pose can be used; one after the other they lead too far.
    let far = Isometry3::translation(0.0, 0.0, 0.8e30);
    let inner = Shape::composite(vec![(far, ball.clone())]).unwrap();
    let error = Shape::composite(vec![(Isometry3::identity(), ball.clone()), (far, inner)]).unwrap_err();
    assert!(matches!(error, ShapeError::ChildPose { child: 1, .. }), "{error}");

    let query = PairQuery::new(&ball, &ball, QuerySettings::default()).unwrap();
    let error = query.touching(&Isometry3::identity(), &Isometry3::translation(1e31, 0.0, 0.0)).unwrap_err();
    assert!(error.to_string().starts_with("pose of B: pose component x is 1e31"), "{error}");
    let mut world = World::builder().backend(Backend::Cpu).threads(1).build().unwrap();
    let shape = world.add_shape(ball).unwrap();
    let error = world.add_collider(Collider::new(shape).position([0.0, 0.0, 1e300])).unwrap_err();
    assert!(matches!(error, WorldError::Pose(PoseError::TooFar { component: "z", .. })), "{error}");
}

#[test]
fn settings_beyond_the_range_are_refused() {
    let refused = |builder: WorldBuilder| builder.backend(Backend::Cpu).build().unwrap_err().to_string();
    let error = refused(World::builder().contact_margin(1e31));
    assert!(error.contains("contact_margin") && error.contains("1e30 m"), "{error}");
    let error = refused(World::builder().contact_tolerance(1e31));
    assert!(error.contains("contact_tolerance") && error.contains("1e30 m"), "{error}");
    let ball = Shape::sphere(1.0).unwrap();
    let settings = QuerySettings::default().margin(1e31);
    assert!(PairQuery::new(&ball, &ball, settings).is_err());
}

/// A length whose logarithm is spread evenly over that of positive `f32`s.
fn length() -> impl Strategy<Value = f32> {
    prop_oneof![
        6 => (-45.0..38.5f64).prop_map(|e| 10f64.powf(e) as f32),
        3 => (-3.0..3.0f64).prop_map(|e| 10f64.powf(e) as f32),
        1 => prop::sample::select(vec![f32::from_bits(1), f32::MIN_POSITIVE, 1e30, f32::MAX, 1e19, 1.9e19]),
    ]
}

fn signed() -> impl Strategy<Value = f64> {
    prop_oneof![4 => -1.0..1.0f64, 1 => prop::sample::select(vec![-1.0, 0.0, 1.0])]
}

fn points(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Point3<f32>>> {
    let point = prop::array::uniform3(signed());
    // One scale for all, or one for each axis.
    let scale = prop_oneof![length().prop_map(|s| [s; 3]), prop::array::uniform3(length())];
    (prop::collection::vec(point, count), scale).prop_map(|(points, s)| {
        points.iter().map(|p| Point3::from([0, 1, 2].map(|k| p[k] as f32 * s[k]))).collect()
    })
}

/// A closed box, torus-like ring or a soup of triangles, or none where it cannot be made.
fn mesh() -> impl Strategy<Value = Option<Shape>> {
    let scaled = (any::<bool>(), prop::array::uniform3(length()), prop::array::uniform3(signed())).prop_map(
        |(ring, scale, shift)| {
            let of = if ring { impinge_oracle::solids::ring(0.5, 1.0, 0.4, 8) } else { cube(1.0).unwrap() };
            let place =
                |v: &Point3<f32>| Point3::from([0, 1, 2].map(|k| (v[k] + shift[k] as f32) * scale[k]));
            TriMesh::new(of.vertices().iter().map(place).collect(), of.triangles().to_vec())
        },
    );
    let soup = (points(4..12), prop::collection::vec(prop::array::uniform3(0..4u32), 1..20))
        .prop_map(|(points, triangles)| TriMesh::new(points, triangles));
    prop_oneof![scaled, soup].prop_map(|mesh| mesh.ok().map(Shape::from))
}

fn simple() -> impl Strategy<Value = Option<Shape>> {
    let size = length;
    prop_oneof![
        1 => Just(Some(Shape::half_space())),
        2 => size().prop_map(|r| Shape::sphere(r).ok()),
        2 => prop::array::uniform3(size()).prop_map(|half| Shape::cuboid(half).ok()),
        2 => (size(), size()).prop_map(|(h, r)| Shape::capsule(h, r).ok()),
        2 => (size(), size()).prop_map(|(h, r)| Shape::cylinder(h, r).ok()),
        2 => points(4..12).prop_map(|points| Shape::hull(&points).ok()),
        6 => mesh(),
    ]
}

fn shape() -> impl Strategy<Value = Option<Shape>> {
    let children = prop::collection::vec((pose(), simple()), 1..4).prop_map(|children| {
        let made: Option<Vec<_>> = children.into_iter().map(|(pose, shape)| Some((pose, shape?))).collect();
        Shape::composite(made?).ok()
    });
    prop_oneof![5 => simple(), 1 => children]
}

fn pose() -> impl Strategy<Value = Isometry3<f64>> {
    let size = prop_oneof![
        4 => (-320.0..300.0f64).prop_map(|e| 10f64.powf(e)),
        4 => (-45.0..30.0f64).prop_map(|e| 10f64.powf(e)),
        4 => Just(1.0),
        2 => Just(0.0),
    ];
    let turn = prop_oneof![Just([0.0; 3]), prop::array::uniform3(-3.0..3.0f64)];
    (prop::array::uniform3(signed()), size, turn)
        .prop_map(|(t, size, turn)| Isometry3::new(Vector3::from(t) * size, Vector3::from(turn)))
}

/// Two shapes, often of like size and near each other.
fn pair() -> impl Strategy<Value = Option<(Shape, Shape, [Isometry3<f64>; 2])>> {
    (shape(), shape(), any::<bool>(), prop::array::uniform2(pose()), any::<bool>(), signed()).prop_map(
        |(a, b, same, mut poses, near, part)| {
            let a = a?;
            let b = if same { a.clone() } else { b? };
            if near {
                let reach = f64::from(a.bounding_sphere().radius) + f64::from(b.bounding_sphere().radius);
                let reach = if reach.is_finite() { reach } else { 1.0 };
                poses[1].translation.vector =
                    poses[0].translation.vector + poses[1].rotation * Vector3::z() * (reach * part);
            }
            Some((a, b, poses))
        },
    )
}

/// Cases of each property: as many as the environment asks for.
fn cases(default: u32) -> ProptestConfig {
    let asked = std::env::var("IMPINGE_CASES").ok().and_then(|n| n.parse().ok());
    ProptestConfig { max_global_rejects: 1 << 20, ..ProptestConfig::with_cases(asked.unwrap_or(default)) }
}

proptest! {
    #![proptest_config(cases(1_500))]

    #[test]
    fn no_query_panics(pair in pair(), margin in prop::option::of(length())) {
        let Some((a, b, [pa, pb])) = pair else { return Ok(()) };
        let settings = QuerySettings::default().resolution(8).count_triangle_pairs(true).margin(margin.map_or(0.0, f64::from));
        let Ok(query) = PairQuery::new(&a, &b, settings) else { return Ok(()) };
        let scratch = &mut QueryScratch::default();
        let touching = query.touching_with(&pa, &pb, scratch);
        let answer = query.at_with(&pa, &pb, scratch);
        prop_assert_eq!(touching.is_ok(), answer.is_ok());
        if let (Ok(touching), Ok(answer)) = (touching, &answer) {
            for manifold in &answer.manifolds {
                prop_assert!((manifold.normal.norm() - 1.0).abs() < 1e-9, "{}", manifold.normal);
                prop_assert!(manifold.depth.is_finite() && !manifold.points.is_empty());
            }
            // One predicate for all that may be asked.
            prop_assert_eq!(touching, answer.touching);
            let distance = query.distance_with(&pa, &pb, scratch).unwrap();
            prop_assert_eq!(touching, distance.nearest().is_none(), "{:?}", distance);
            prop_assert_eq!(touching, distance.distance() == 0.0, "{:?}", distance);
            prop_assert_eq!(touching, query.distance_within_with(&pa, &pb, 0.0, scratch).unwrap().is_some());
        }
        let _ = query.count_triangle_pairs(&pa, &pb);
        let _ = query.triangle_pairs_with(&pa, &pb, scratch);
        let _ = query.contours(&pa, &pb);
        let _ = query.distance_with(&pa, &pb, scratch);
        let _ = query.distance_within_with(&pa, &pb, 1e-3, scratch);
        let _ = query.intersection_volume_with(&pa, &pb, scratch);
    }

    #[test]
    fn no_step_panics(
        pairs in prop::collection::vec(pair(), 1..3),
        margin in prop::option::of(length()),
        fat in prop::option::of((length(), 0.0..2.0f32)),
        motion in prop::array::uniform3(signed()),
        speed in length(),
    ) {
        let mut builder = World::builder()
            .backend(Backend::Cpu)
            .threads(1)
            .image_resolution(8)
            .contact_margin(margin.map_or(0.0, f64::from));
        if let Some((metres, fraction)) = fat {
            builder = builder.fat_boxes(Margin { metres, fraction, ahead: 0.75 });
        }
        let Ok(mut world) = builder.build() else { return Ok(()) };
        let mut placed = Vec::new();
        for (a, b, poses) in pairs.into_iter().flatten() {
            for (shape, pose) in [a, b].into_iter().zip(poses) {
                let Ok(shape) = world.add_shape(shape) else { continue };
                placed.extend(world.add_collider(Collider::new(shape).pose(pose)));
            }
        }
        let _ = world.step();
        for (k, &id) in placed.iter().enumerate() {
            let _ = world.set_motion(id, motion.map(|x| x * f64::from(speed)));
            let mut pose = world.pose(id).unwrap();
            pose.translation.vector[k % 3] += motion[k % 3] * f64::from(speed);
            let _ = world.set_pose(id, pose);
        }
        let _ = world.step();
        let _ = world.step();
    }
}
