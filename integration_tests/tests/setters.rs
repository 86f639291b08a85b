//! What a collider has can be changed: each change acts in the next step although nothing moved, a call that
//! is refused changes nothing, and a changed world says what a new one says.

use impinge::prelude::*;
use impinge::{ColliderView, StepReport, WorldError};
use impinge_oracle::solids::{block, shape};

/// A floor, a ball that is 2 cm deep in it, and a box that is 1 cm deep in the ball.
struct Three {
    world: World,
    floor: ColliderId,
    ball: ColliderId,
    block: ColliderId,
    shapes: [ShapeId; 3],
}

impl Three {
    fn new() -> Three {
        let mut world = World::builder().backend(Backend::Cpu).threads(2).build().unwrap();
        let solids = [
            Shape::cuboid([4.0, 4.0, 0.5]).unwrap(),
            Shape::sphere(0.5).unwrap(),
            shape(block([0.3, 0.3, 0.3])),
        ];
        let shapes = solids.map(|solid| world.add_shape(solid).unwrap());
        let [floor, ball, block] = shapes;
        let floor = world.add_collider(Collider::new(floor).position([0.0, 0.0, -0.5]).user_data(1)).unwrap();
        let ball = world.add_collider(Collider::new(ball).position([0.0, 0.0, 0.48]).user_data(2)).unwrap();
        let above = Collider::new(block).position([0.0, 0.0, 0.98 + 0.29]).user_data(3);
        let block = world.add_collider(above).unwrap();
        let mut three = Three { world, floor, ball, block, shapes };
        assert_eq!(three.step(), [[three.floor, three.ball], [three.ball, three.block]]);
        three
    }

    fn report(&mut self) -> StepReport {
        self.world.step()
    }

    /// The pairs with manifolds after a step.
    fn step(&mut self) -> Vec<[ColliderId; 2]> {
        self.world.step();
        self.world.manifolds().iter().map(|m| m.colliders).collect()
    }

    fn told(&self) -> Vec<(ContactPhase, [ColliderId; 2])> {
        self.world.events().iter().map(|e| (e.phase, e.contact.colliders)).collect()
    }
}

#[test]
fn groups_end_and_begin_pairs() {
    let mut three = Three::new();
    let [floor, ball, block] = [three.floor, three.ball, three.block];
    three.world.set_groups(ball, 2, 2).unwrap();
    assert_eq!(three.step(), [[ColliderId { index: 0, generation: 0 }; 2]; 0]);
    assert_eq!(three.told(), [(ContactPhase::End, [floor, ball]), (ContactPhase::End, [ball, block])]);
    three.world.set_groups(ball, 1, u32::MAX).unwrap();
    assert_eq!(three.step(), [[floor, ball], [ball, block]]);
    assert_eq!(three.told(), [(ContactPhase::Begin, [floor, ball]), (ContactPhase::Begin, [ball, block])]);
}

#[test]
fn fixed_colliders_and_those_of_one_part_do_not_meet() {
    let mut three = Three::new();
    let [floor, ball, block] = [three.floor, three.ball, three.block];
    three.world.set_fixed(floor, true).unwrap();
    assert_eq!(three.step().len(), 2);
    three.world.set_fixed(ball, true).unwrap();
    assert_eq!(three.step(), [[ball, block]]);
    assert_eq!(three.told(), [(ContactPhase::End, [floor, ball])]);
    three.world.set_fixed(ball, false).unwrap();
    assert_eq!(three.step().len(), 2);
    three.world.set_part(ball, Some(9)).unwrap();
    assert_eq!(three.step().len(), 2);
    three.world.set_part(block, Some(9)).unwrap();
    assert_eq!(three.step(), [[floor, ball]]);
    three.world.set_part(ball, None).unwrap();
    assert_eq!(three.step().len(), 2);
}

#[test]
fn a_sensor_keeps_its_contacts_and_loses_its_manifolds() {
    let mut three = Three::new();
    let [floor, ball, block] = [three.floor, three.ball, three.block];
    three.world.set_sensor(ball, true).unwrap();
    assert!(three.step().is_empty());
    let contacts: Vec<_> = three.world.contacts().map(|c| (c.colliders, c.sensor)).collect();
    assert_eq!(contacts, [([floor, ball], true), ([ball, block], true)]);
    assert!(three.told().is_empty(), "they touch as they did");
    three.world.set_sensor(ball, false).unwrap();
    assert_eq!(three.step(), [[floor, ball], [ball, block]]);
}

#[test]
fn a_tolerance_acts_on_what_lies_still() {
    let mut three = Three::new();
    let (ball, block) = (three.ball, three.block);
    // The ball is 2 cm deep in the floor and the block 1 cm deep in the ball.
    three.world.set_tolerance(ball, Some(0.015)).unwrap();
    assert_eq!(three.step(), [[three.floor, ball]]);
    assert_eq!(three.told(), [(ContactPhase::End, [ball, block])]);
    let report = three.report();
    assert_eq!((report.counts.tolerated, report.counts.kept_pairs), (1, report.counts.pairs));
    three.world.set_tolerance(ball, None).unwrap();
    assert_eq!(three.step().len(), 2);
}

/// Another shape: the pair's impulses are gone, its points are those of a world that never had the old one,
/// and the old shape can be removed.
#[test]
fn another_shape_starts_from_nothing() {
    struct One;
    impl Solver for One {
        type Error = std::convert::Infallible;
        fn solve(&mut self, _: &[ContactRow], to: &mut [Impulse], _: f64) -> Result<(), Self::Error> {
            to.iter_mut().for_each(|impulse| impulse.normal = 1.0);
            Ok(())
        }
    }
    let mut three = Three::new();
    let [floor, ball, block] = [three.floor, three.ball, three.block];
    three.world.solve(&mut One, 0.01).unwrap();
    three.step();
    let warm = |world: &World, a, b| {
        let manifolds = world.manifolds_between(a, b).unwrap();
        manifolds.iter().flat_map(|m| &m.points).map(|p| p.impulse.normal).collect::<Vec<_>>()
    };
    assert_eq!(warm(&three.world, floor, ball), [1.0]);
    let larger = three.world.add_shape(Shape::sphere(0.51).unwrap()).unwrap();
    three.world.set_shape(ball, larger).unwrap();
    assert_eq!(three.world.shape_of(ball), Ok(larger));
    assert_eq!(three.step(), [[floor, ball], [ball, block]]);
    assert_eq!(warm(&three.world, floor, ball), [0.0]);
    assert!((three.world.manifolds_between(ball, floor).unwrap()[0].depth - 0.03).abs() < 1e-6);
    assert!(three.told().is_empty(), "they touch as they did");
    three.world.remove_shape(three.shapes[1]).unwrap();
    assert_eq!(
        three.world.remove_shape(larger).err(),
        Some(WorldError::ShapeInUse { id: larger, colliders: 1 })
    );

    let mut fresh = Three::new();
    let larger = fresh.world.add_shape(Shape::sphere(0.51).unwrap()).unwrap();
    fresh.world.remove_collider(fresh.ball).unwrap();
    let at = Collider::new(larger).position([0.0, 0.0, 0.48]).user_data(2);
    fresh.ball = fresh.world.add_collider(at).unwrap();
    fresh.step();
    assert_eq!(fresh.world.manifolds().len(), three.world.manifolds().len());
    for (new, changed) in fresh.world.manifolds().iter().zip(three.world.manifolds()) {
        assert_eq!((new.normal, new.depth, &new.points), (changed.normal, changed.depth, &changed.points));
    }
    // A shape so small that nothing touches it.
    let small = three.world.add_shape(Shape::sphere(0.01).unwrap()).unwrap();
    three.world.set_shape(ball, small).unwrap();
    assert!(three.step().is_empty());
    assert_eq!(three.told().len(), 2);
}

#[test]
fn user_data_and_material_reach_contacts_and_rows() {
    #[derive(Default)]
    struct Seen(Vec<([u64; 2], f64)>);
    impl Solver for Seen {
        type Error = std::convert::Infallible;
        fn solve(&mut self, rows: &[ContactRow], _: &mut [Impulse], _: f64) -> Result<(), Self::Error> {
            self.0 = rows.iter().map(|row| (row.user_data, row.friction)).collect();
            Ok(())
        }
    }
    let mut three = Three::new();
    three.world.set_user_data(three.ball, 77).unwrap();
    three.world.set_material(three.floor, Material { friction: 0.0, ..Material::default() }).unwrap();
    let contacts: Vec<_> = three.world.contacts().map(|c| c.user_data).collect();
    assert_eq!(contacts, [[1, 77], [77, 3]]);
    let mut seen = Seen::default();
    three.world.solve(&mut seen, 0.01).unwrap();
    assert_eq!(seen.0[0], ([1, 77], 0.0));
    assert_eq!(seen.0.last(), Some(&([77, 3], 0.5)));
    // An event carries it as it was in the last step.
    three.step();
    three.world.set_groups(three.ball, 0, 0).unwrap();
    three.step();
    assert_eq!(three.world.events()[0].contact.user_data, [1, 77]);
}

/// Everything that was set can be read.
#[test]
fn a_view_shows_what_was_set() {
    let mut three = Three::new();
    let (world, ball) = (&mut three.world, three.ball);
    let material = Material { friction: 0.25, kind: 4, ..Material::default() };
    let pose = Isometry3::translation(0.5, 0.25, 2.0);
    world.set_pose(ball, pose).unwrap();
    world.set_fixed(ball, true).unwrap();
    world.set_sensor(ball, true).unwrap();
    world.set_part(ball, Some(3)).unwrap();
    world.set_groups(ball, 6, 12).unwrap();
    world.set_material(ball, material).unwrap();
    world.set_tolerance(ball, Some(0.125)).unwrap();
    world.set_user_data(ball, 99).unwrap();
    let view: ColliderView = world.collider(ball).unwrap();
    assert_eq!((view.id, view.shape, view.pose), (ball, three.shapes[1], pose));
    assert_eq!((view.fixed, view.sensor, view.part, view.user_data), (true, true, Some(3), 99));
    assert_eq!((view.groups, view.mask, view.tolerance), (6, 12, Some(0.125)));
    assert_eq!(view.material, material);
    let aabb = world.aabb(ball).unwrap();
    let wanted = [[0.0, -0.25, 1.5], [1.0, 0.75, 2.5]];
    // Rounded outward by a step of f32.
    let below = |x: f32, limit: f32| (limit - 1e-6..=limit).contains(&x);
    assert!(aabb.min.iter().zip(wanted[0]).all(|(&x, limit)| below(x, limit)), "{aabb:?}");
    assert!(aabb.max.iter().zip(wanted[1]).all(|(&x, limit)| below(-x, -limit)), "{aabb:?}");
}

/// Each manifold is found by each of its colliders and by its pair, and by nothing else.
#[test]
fn manifolds_are_found_by_collider_and_by_pair() {
    let mut world = World::builder().backend(Backend::Cpu).threads(1).build().unwrap();
    let ball = world.add_shape(Shape::sphere(0.5).unwrap()).unwrap();
    let ids: Vec<ColliderId> = (0..27)
        .map(|k| {
            // 7 and 27 have no common factor: neighbours in space are not neighbours by name.
            let k = k * 7 % 27;
            let at = [k % 3, k / 3 % 3, k / 9].map(|x| 0.9 * f64::from(x));
            world.add_collider(Collider::new(ball).position(at)).unwrap()
        })
        .collect();
    world.step();
    assert_eq!(world.manifolds().len(), 54);
    for gone in [None, Some(ids[13]), Some(ids[0])] {
        if let Some(gone) = gone {
            world.remove_collider(gone).unwrap();
            assert_eq!(world.manifolds_of(gone).err(), Some(WorldError::UnknownCollider { id: gone }));
        }
        let here: Vec<ColliderId> = world.colliders().collect();
        for &a in &here {
            let of = |m: &&Manifold| m.colliders.contains(&a);
            let wanted: Vec<&Manifold> = world.manifolds().iter().filter(of).collect();
            assert_eq!(world.manifolds_of(a).unwrap().collect::<Vec<_>>(), wanted);
            for &b in &here {
                let between: Vec<&Manifold> = world.manifolds_between(a, b).unwrap().iter().collect();
                let both = wanted.iter().copied().filter(|m| a != b && m.colliders.contains(&b));
                assert_eq!(between, both.collect::<Vec<_>>());
            }
        }
    }
}

/// Names of nothing and values that cannot be: a typed error, and the world as it was.
#[test]
fn what_cannot_be_is_refused_and_changes_nothing() {
    let mut three = Three::new();
    let gone = three.block;
    three.world.remove_collider(gone).unwrap();
    three.step();
    let (world, ball) = (&mut three.world, three.ball);
    let unknown = WorldError::UnknownCollider { id: gone };
    let none = three.shapes[2];
    world.remove_shape(none).unwrap();
    let before = world.collider(ball).unwrap();
    let same = Err(unknown.clone());
    assert_eq!(world.set_shape(gone, three.shapes[0]), same);
    assert_eq!(world.set_fixed(gone, true), same);
    assert_eq!(world.set_sensor(gone, true), same);
    assert_eq!(world.set_part(gone, None), same);
    assert_eq!(world.set_material(gone, Material::default()), same);
    assert_eq!(world.set_tolerance(gone, None), same);
    assert_eq!(world.set_user_data(gone, 1), same);
    assert_eq!(world.set_groups(gone, 1, 1), same);
    assert_eq!(world.collider(gone), Err(unknown.clone()));
    assert_eq!(world.aabb(gone), Err(unknown.clone()));
    assert_eq!(world.manifolds_between(ball, gone), Err(unknown.clone()));
    assert_eq!(world.set_shape(ball, none), Err(WorldError::UnknownShape { id: none }));
    for wrong in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(world.set_tolerance(ball, Some(wrong)), Err(WorldError::Tolerance { .. })));
        let material = Material { restitution: wrong, ..Material::default() };
        assert!(matches!(world.set_material(ball, material), Err(WorldError::Material(_))));
    }
    assert_eq!(world.collider(ball), Ok(before));
    let report = world.step();
    assert_eq!((report.counts.moved, report.counts.kept_pairs), (0, report.counts.pairs));
}

/// Setters act on disabled colliders, too: as they come back, so they are.
#[test]
fn what_is_set_while_disabled_holds_when_enabled() {
    use impinge::Disabling;
    for how in [Disabling::InPlace, Disabling::Removed] {
        let mut three = Three::new();
        let [floor, ball, block] = [three.floor, three.ball, three.block];
        three.world.disable(&[ball], how).unwrap();
        assert!(three.step().is_empty());
        three.world.set_part(ball, Some(1)).unwrap();
        three.world.set_part(block, Some(1)).unwrap();
        let larger = three.world.add_shape(Shape::sphere(0.6).unwrap()).unwrap();
        three.world.set_shape(ball, larger).unwrap();
        assert!(three.step().is_empty());
        three.world.enable(&[ball]).unwrap();
        assert_eq!(three.step(), [[floor, ball]]);
        assert!((three.world.manifolds()[0].depth - 0.12).abs() < 1e-6);
    }
}
