//! Composites of many subshapes: the tree over them finds what asking about every pair of subshapes finds.

use impinge::geometry::Shape;
use impinge::{Backend, Collider, Manifold, Motion, PairQuery, PartId, QuerySettings, World, WorldError};
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Vector3};
use proptest::prelude::*;

mod scattered {
    use impinge::TriMesh;
    use impinge::geometry::Shape;
    use impinge_scenes::random::Random;
    use nalgebra::{Isometry3, Point3, Vector3};

    pub fn pose(random: &mut Random, reach: f64) -> Isometry3<f64> {
        let mut within = |reach: f64| Vector3::from_fn(|_, _| (random.signed()) * reach);
        Isometry3::new(within(reach), within(3.0))
    }

    /// A closed wedge, an open quad, primitives: all that a composite may hold.
    pub fn simple(random: &mut Random, size: f32) -> Shape {
        let tetrahedron = || {
            let p = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
            let corners = p.map(|[x, y, z]| Point3::new(x * size, y * size * 0.3, z * size * 2.0));
            TriMesh::new(corners.to_vec(), vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]).unwrap()
        };
        let flat = || {
            let p = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
            let corners = p.map(|[x, y]| Point3::new(x * size, y * size * 3.0, 0.0));
            TriMesh::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap()
        };
        match random.index(6) {
            0 => Shape::sphere(size).unwrap(),
            1 => Shape::cuboid([size, 0.2 * size, 2.0 * size]).unwrap(),
            2 => Shape::capsule(0.3 * size, size).unwrap(),
            3 => Shape::cylinder(0.5 * size, size).unwrap(),
            4 => flat().into(),
            _ => tetrahedron().into(),
        }
    }

    /// The children, too: shapes and where they stand.
    pub fn composite(random: &mut Random, count: usize, reach: f64) -> Vec<(Isometry3<f64>, Shape)> {
        let size = (0.4 * reach / (count as f64).cbrt()) as f32;
        (0..count).map(|_| (pose(random, reach), simple(random, size))).collect()
    }
}

/// Touching and the distance, asked about every pair of children.
fn by_hand(children: [&[(Isometry3<f64>, Shape)]; 2], at: [&Isometry3<f64>; 2]) -> (Vec<[u32; 2]>, f64) {
    let (mut touching, mut least) = (Vec::new(), f64::INFINITY);
    for (i, (pose_a, a)) in children[0].iter().enumerate() {
        for (j, (pose_b, b)) in children[1].iter().enumerate() {
            let query = PairQuery::new(a, b, QuerySettings::default()).unwrap();
            let (p, q) = (at[0] * pose_a, at[1] * pose_b);
            if query.touching(&p, &q).unwrap() {
                touching.push([i as u32, j as u32]);
            }
            least = least.min(query.distance(&p, &q).unwrap().distance());
        }
    }
    (touching, least)
}

fn check(seed: u64, counts: [usize; 2], scale: f64, far: f64) {
    let mut random = Random::new(seed);
    let children = counts.map(|n| scattered::composite(&mut random, n, scale));
    let [a, b] = children.each_ref().map(|parts| Shape::composite(parts.clone()).unwrap());
    let query = PairQuery::new(&a, &b, QuerySettings::default()).unwrap();
    let mut tracker = query.tracker();
    let shift = Vector3::new(far, -0.7 * far, 0.3 * far);
    for k in 0..6 {
        let [mut p, mut q] = [0.5, 2.0 + 0.3 * f64::from(k)].map(|r| scattered::pose(&mut random, r * scale));
        (p.translation.vector, q.translation.vector) =
            (p.translation.vector + shift, q.translation.vector + shift);
        let (touching, least) = by_hand([&children[0], &children[1]], [&p, &q]);
        assert_eq!(query.touching(&p, &q).unwrap(), !touching.is_empty(), "{touching:?}");
        assert_eq!(tracker.touching(&p, &q).unwrap(), !touching.is_empty(), "{touching:?}");
        let answer = query.at(&p, &q).unwrap();
        assert_eq!(answer.touching, !touching.is_empty());
        for found in &answer.manifolds {
            assert!(touching.contains(&found.subshapes), "{:?} of {touching:?}", found.subshapes);
        }
        for distance in [query.distance(&p, &q).unwrap(), tracker.distance(&p, &q).unwrap()] {
            let off = (distance.distance() - least).abs();
            assert!(off <= 1e-9 * (scale + far), "{} for {least}", distance.distance());
        }
        if least > 0.0 {
            assert!(query.distance_within(&p, &q, 0.99 * least).unwrap().is_none());
            assert!(query.distance_within(&p, &q, 1.01 * least).unwrap().is_some());
        }
    }
}

/// `IMPINGE_CASES`, or the default.
fn cases(default: u32) -> ProptestConfig {
    let asked = std::env::var("IMPINGE_CASES").ok().and_then(|text| text.parse().ok());
    ProptestConfig::with_cases(asked.unwrap_or(default))
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn a_tree_over_subshapes_finds_what_every_pair_of_them_says(
        seed in any::<u64>(), a in 1usize..12, b in 1usize..40, scale in -3i32..3, far in prop_oneof![Just(0.0), Just(1e4)]
    ) {
        check(seed, [a, b], 10f64.powi(scale), far * 10f64.powi(scale));
    }
}

#[test]
fn a_half_space_among_subshapes_is_never_left_out() {
    let mut random = Random::new(5);
    let mut children = scattered::composite(&mut random, 20, 1.0);
    children.insert(7, (Isometry3::translation(0.0, 0.0, -5.0), Shape::half_space()));
    let balls = (0..10).map(|k| {
        (Isometry3::translation(f64::from(k) * 0.5 + 40.0, 0.0, f64::from(k)), Shape::sphere(0.25).unwrap())
    });
    let balls: Vec<_> = balls.collect();
    let [world, row] = [children, balls].map(|parts| Shape::composite(parts).unwrap());
    for (query, swapped) in [
        (PairQuery::new(&world, &row, QuerySettings::default()).unwrap(), false),
        (PairQuery::new(&row, &world, QuerySettings::default()).unwrap(), true),
    ] {
        let ask = |z: f64| {
            let at = [Isometry3::identity(), Isometry3::translation(0.0, 0.0, z)];
            let [p, q] = if swapped { [at[1], at[0]] } else { at };
            (query.touching(&p, &q).unwrap(), query.distance(&p, &q).unwrap().distance())
        };
        assert_eq!(ask(-4.8), (true, 0.0));
        assert_eq!(ask(-4.5), (false, 0.25));
    }
}

/// Depths and normals of what touches a body, sorted.
fn depths(manifolds: &[Manifold]) -> Vec<[f64; 4]> {
    let mut all: Vec<[f64; 4]> =
        manifolds.iter().map(|m| [m.depth, m.normal.x, m.normal.y, m.normal.z]).collect();
    all.sort_by(|p, q| p[0].total_cmp(&q[0]));
    all
}

#[test]
fn a_part_meets_what_a_composite_of_the_same_shapes_meets() {
    let mut random = Random::new(31);
    for round in 0..8 {
        let children: Vec<_> = scattered::composite(&mut random, 6, 1.0)
            .into_iter()
            .filter(|(_, shape)| shape.mass_properties().is_ok())
            .collect();
        let worlds = || World::builder().backend(Backend::Cpu).threads(1).build().unwrap();
        let [mut apart, mut whole] = [worlds(), worlds()];
        for world in [&mut apart, &mut whole] {
            let ground = world.add_shape(Shape::cuboid([1.5, 1.5, 0.5]).unwrap()).unwrap();
            world.add_collider(Collider::new(ground).fixed(true)).unwrap();
        }
        let part = apart.add_part(Isometry3::identity()).unwrap();
        for (offset, shape) in &children {
            let shape = apart.add_shape(shape.clone()).unwrap();
            apart.add_collider(Collider::new(shape).of(part, *offset)).unwrap();
        }
        let composite = Shape::composite(children.clone()).unwrap();
        let mass = composite.mass_properties().unwrap();
        let shape = whole.add_shape(composite).unwrap();
        let body = whole.add_collider(Collider::new(shape)).unwrap();
        let own = apart.part_mass_properties(part).unwrap().unwrap();
        assert!((own.volume - mass.volume).abs() <= 1e-12 * mass.volume);
        assert!((own.center - mass.center).norm() < 1e-12 && (own.inertia - mass.inertia).norm() < 1e-12);
        for n in 0..6 {
            let mut pose = scattered::pose(&mut random, 0.5);
            pose.translation.z = 1.5 - 0.3 * f64::from(n);
            apart.set_part_pose(part, pose).unwrap();
            whole.set_pose(body, pose).unwrap();
            apart.step();
            whole.step();
            let [one, other] = [&apart, &whole].map(|world| depths(world.manifolds()));
            assert_eq!(one.len(), other.len(), "round {round}, pose {n}");
            for (p, q) in one.iter().zip(&other) {
                assert!(
                    (p[0] - q[0]).abs() < 1e-6 * (1.0 + p[0]),
                    "round {round}, pose {n}: {p:?}, not {q:?}"
                );
            }
        }
    }
}

/// A plate with two legs, which overlap it, over a floor.
fn table() -> (World, PartId, Vec<impinge::ColliderId>) {
    let mut world = World::builder().backend(Backend::Cpu).threads(1).build().unwrap();
    let floor = world.add_shape(Shape::half_space()).unwrap();
    world.add_collider(Collider::new(floor).fixed(true)).unwrap();
    let plate = world.add_shape(Shape::cuboid([1.0, 0.5, 0.1]).unwrap()).unwrap();
    let leg = world.add_shape(Shape::cuboid([0.1, 0.4, 0.5]).unwrap()).unwrap();
    let part = world.add_part(Isometry3::translation(0.0, 0.0, 3.0)).unwrap();
    let members = [(plate, 0.0, 0.0), (leg, -0.8, -0.5), (leg, 0.8, -0.5)].map(|(shape, x, z)| {
        world.add_collider(Collider::new(shape).of(part, Isometry3::translation(x, 0.0, z))).unwrap()
    });
    (world, part, members.to_vec())
}

#[test]
fn members_of_a_part_move_with_it_and_never_meet() {
    let (mut world, part, members) = table();
    assert_eq!(world.step().counts.touching, 0, "members overlap, and do not meet");
    world.set_part_pose(part, Isometry3::translation(0.0, 0.0, 0.99)).unwrap();
    let report = world.step();
    assert_eq!((report.counts.touching, world.manifolds().len()), (2, 2));
    assert!(world.manifolds().iter().all(|m| (m.depth - 0.01).abs() < 1e-6));
    assert_eq!(world.members_of(part).unwrap(), members);
    assert_eq!(world.collider(members[1]).unwrap().of.unwrap().0, part);
    // A leg is drawn in.
    world.set_offset(members[2], Isometry3::translation(0.8, 0.0, -0.4)).unwrap();
    assert_eq!(world.step().counts.touching, 1);
    // A part that turns.
    let turned = Isometry3::new(Vector3::new(0.0, 0.0, 0.99), Vector3::x() * std::f64::consts::FRAC_PI_2);
    world.set_part_pose(part, turned).unwrap();
    let pose = world.pose(members[1]).unwrap();
    assert!((pose.translation.vector - Vector3::new(-0.8, 0.5, 0.99)).norm() < 1e-12, "{pose:?}");
    world.set_part_velocity(part, Vector3::x(), Vector3::z()).unwrap();
    let view = world.collider(members[1]).unwrap();
    assert!((view.linear_velocity - Vector3::new(0.5, -0.8, 0.0)).norm() < 1e-12);
    world.remove_collider(members[0]).unwrap();
    assert_eq!(world.members_of(part).unwrap(), &members[1..]);
    world.remove_part(part).unwrap();
    assert_eq!((world.colliders().count(), world.parts().count()), (1, 0));
    assert_eq!(world.part_pose(part), Err(WorldError::UnknownPart { id: part }));
    // Its number is used again, under another name.
    let again = world.add_part(Isometry3::identity()).unwrap();
    assert!(again.index == part.index && again != part);
}

#[test]
fn members_stop_together() {
    let (mut world, part, members) = table();
    for &id in &members {
        world.set_fast(id, true).unwrap();
    }
    let start = world.part_pose(part).unwrap();
    let fall = Motion::translation(start, Vector3::new(0.0, 0.0, -5.0)).turn(Vector3::new(0.0, 0.3, 0.0));
    world.set_part_path(part, fall).unwrap();
    world.step_motion();
    let reached: Vec<f64> = members.iter().map(|&id| world.reached(id)).collect();
    assert!(reached[0] < 0.5 && reached.iter().all(|&time| time == reached[0]), "{reached:?}");
    world.set_part_pose(part, fall.pose(reached[0])).unwrap();
    assert_eq!(world.step().counts.touching, 0);
    world.set_part_pose(part, fall.pose(reached[0] + 1e-3)).unwrap();
    assert!(world.step().counts.touching > 0);
}

#[test]
fn parts_that_cannot_be_used_leave_the_world_as_it_was() {
    let (mut world, part, members) = table();
    let before = world.collider(members[1]).unwrap();
    let lost = Isometry3::translation(f64::NAN, 0.0, 0.0);
    let far = Isometry3::translation(9e29, 0.0, 0.0);
    assert!(matches!(world.add_part(lost), Err(WorldError::Pose(_))));
    assert!(matches!(world.set_part_pose(part, lost), Err(WorldError::Pose(_))));
    assert!(matches!(world.set_offset(members[1], lost), Err(WorldError::Pose(_))));
    let moved = WorldError::OfPart { id: members[1], part };
    assert_eq!(world.set_pose(members[1], far), Err(moved.clone()));
    assert_eq!(world.set_part(members[1], Some(3)), Err(moved.clone()));
    assert_eq!(world.set_path(members[1], Motion::still(far)), Err(moved));
    let velocity = world.set_part_velocity(part, Vector3::new(0.0, f64::NAN, 0.0), Vector3::zeros());
    assert!(matches!(velocity, Err(WorldError::Velocity { .. })));
    let floor = world.colliders().next().unwrap();
    assert_eq!(world.set_offset(floor, far), Err(WorldError::OfNoPart { id: floor }));
    let never = PartId { index: 9, generation: 0 };
    let unknown = WorldError::UnknownPart { id: never };
    let shape = world.shape_of(members[0]).unwrap();
    let colliders = world.colliders().count();
    assert_eq!(world.add_collider(Collider::new(shape).of(never, far)), Err(unknown.clone()));
    assert!(world.add_collider(Collider::new(shape).of(part, lost)).is_err());
    assert_eq!(world.set_part_pose(never, far), Err(unknown.clone()));
    assert_eq!(world.part_mass_properties(never), Err(unknown.clone()));
    assert_eq!(world.remove_part(never), Err(unknown));
    assert_eq!((world.colliders().count(), world.collider(members[1]).unwrap()), (colliders, before));
    assert_eq!(world.members_of(part).unwrap(), members);
    // A member that would stand beyond the end of the world.
    let end = world.set_offset(members[1], Isometry3::translation(9e29, 0.0, 0.0));
    end.unwrap();
    let error = world.set_part_pose(part, Isometry3::translation(9e29, 0.0, 0.0)).unwrap_err();
    assert!(matches!(error, WorldError::Pose(_)), "{error}");
    assert_eq!(world.part_pose(part).unwrap().translation.z, 3.0);
    assert_eq!(world.collider(members[0]).unwrap().pose.translation.z, 3.0);
    // A half-space weighs nothing that can be said.
    let ground = world.add_shape(Shape::half_space()).unwrap();
    let member = world.add_collider(Collider::new(ground).of(part, Isometry3::identity())).unwrap();
    assert!(matches!(world.part_mass_properties(part), Err(WorldError::Mass { id, .. }) if id == member));
}
