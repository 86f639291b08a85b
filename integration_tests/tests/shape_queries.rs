//! Shapes placed for a question against the colliders of a world: what pair queries say one by one.

use impinge::prelude::*;
use impinge::{QueryFilter, WorldError};
use impinge_scenes::mesh::{Gear, Knot, Torus};
use impinge_scenes::random::Random;

fn random_pose(random: &mut Random, reach: f64) -> Isometry3<f64> {
    let place = Vector3::from_fn(|_, _| reach * random.signed());
    Isometry3::from_parts(place.into(), random.rotation())
}

type Standing = (ColliderId, Shape, Isometry3<f64>, Kind);

/// A condition on what is asked about.
type Accepts<'a> = &'a dyn Fn(&Kind) -> bool;

/// A world of 60 colliders of many kinds, and what stands in it.
struct Crowd {
    world: World,
    standing: Vec<Standing>,
}

#[derive(Clone, Copy, PartialEq)]
struct Kind {
    sensor: bool,
    fixed: bool,
    groups: u32,
}

fn shapes() -> Vec<Shape> {
    let knot = Knot { along: 48, across: 6, ..Knot::default() }.mesh().unwrap();
    let ring = Torus { around: 16, across: 6, ..Torus::default() }.mesh().unwrap();
    let two = vec![
        (Isometry3::translation(0.5, 0.0, 0.0), Shape::from(ring.clone())),
        (Isometry3::translation(-0.5, 0.2, 0.0), Shape::capsule(0.1, 0.3).unwrap()),
        (Isometry3::identity(), Shape::sphere(0.2).unwrap()),
    ];
    vec![
        knot.into(),
        ring.into(),
        Gear::default().mesh().unwrap().into(),
        Shape::cuboid([0.4, 0.2, 0.1]).unwrap(),
        Shape::cylinder(0.2, 0.4).unwrap(),
        Shape::composite(two).unwrap(),
    ]
}

fn crowd(threads: usize) -> Crowd {
    let mut world = World::builder().backend(Backend::Cpu).threads(threads).build().unwrap();
    let (shapes, mut random) = (shapes(), Random::new(3));
    let ids: Vec<_> = shapes.iter().map(|shape| world.add_shape(shape.clone()).unwrap()).collect();
    let mut standing = Vec::new();
    for k in 0..60 {
        let pose = random_pose(&mut random, 3.0);
        let kind = Kind { sensor: k % 5 == 0, fixed: k % 3 == 0, groups: 1 << (k % 4) };
        let collider = Collider::new(ids[k % 6]).pose(pose).sensor(kind.sensor).fixed(kind.fixed);
        let id = world.add_collider(collider.groups(kind.groups)).unwrap();
        standing.push((id, shapes[k % 6].clone(), pose, kind));
    }
    Crowd { world, standing }
}

#[test]
fn a_placed_shape_touches_what_pair_queries_say_it_touches() {
    let Crowd { mut world, standing } = crowd(2);
    let (shapes, mut random) = (shapes(), Random::new(8));
    let only = standing[7].0;
    let filters: [(QueryFilter, Accepts<'_>); 5] = [
        (QueryFilter::new(), &|_| true),
        (QueryFilter::new().sensors(false), &|kind| !kind.sensor),
        (QueryFilter::new().fixed(false), &|kind| !kind.fixed),
        (QueryFilter::new().mask(0b101), &|kind| kind.groups & 0b101 != 0),
        (QueryFilter::new().exclude(only), &|_| true),
    ];
    let (mut hits, mut misses) = (0, 0);
    for shape in &shapes {
        let id = world.add_shape(shape.clone()).unwrap();
        let poses: Vec<_> = (0..12).map(|_| random_pose(&mut random, 3.0)).collect();
        // Every pair on its own, whatever the filter.
        let touched: Vec<Vec<bool>> = standing
            .iter()
            .map(|(_, of, at, _)| {
                let query = PairQuery::new(shape, of, QuerySettings::default()).unwrap();
                poses.iter().map(|pose| query.touching(pose, at).unwrap()).collect()
            })
            .collect();
        let by_hand = |pose: usize, (filter, accepts): (QueryFilter, Accepts<'_>)| {
            let found = standing.iter().zip(&touched).filter(|((other, .., kind), touched)| {
                accepts(kind) && filter.exclude != Some(*other) && touched[pose]
            });
            found.map(|((id, ..), _)| *id).collect::<Vec<_>>()
        };
        let queries = world.shape_queries();
        for choice in filters {
            let expected: Vec<_> = (0..poses.len()).map(|pose| by_hand(pose, choice)).collect();
            let any: Vec<_> = expected.iter().map(|all| !all.is_empty()).collect();
            assert_eq!(queries.touching_many(id, &poses, &choice.0).unwrap(), expected);
            assert_eq!(queries.touches_many(id, &poses, &choice.0).unwrap(), any);
            // From threads of the caller's own, too.
            std::thread::scope(|scope| {
                for (pose, all) in poses.iter().zip(&expected) {
                    let filter = choice.0;
                    scope.spawn(move || {
                        assert_eq!(&queries.touching(id, pose, &filter).unwrap(), all);
                        assert_eq!(queries.touches(id, pose, &filter).unwrap(), !all.is_empty());
                    });
                }
            });
            hits += any.iter().filter(|&&touches| touches).count();
            misses += any.iter().filter(|&&touches| !touches).count();
        }
    }
    assert!(hits > 60 && misses > 60, "{hits} and {misses}");
}

#[test]
fn questions_see_colliders_where_they_stand_now() {
    let mut world = World::builder().backend(Backend::Cpu).build().unwrap();
    let ball = world.add_shape(Shape::sphere(0.5).unwrap()).unwrap();
    let (here, all) = (Isometry3::identity(), QueryFilter::new());
    assert!(!world.touches(ball, &here, &all).unwrap());
    let other = world.add_collider(Collider::new(ball).position([0.9, 0.0, 0.0])).unwrap();
    assert!(world.touches(ball, &here, &all).unwrap());
    world.set_pose(other, Isometry3::translation(1.1, 0.0, 0.0)).unwrap();
    assert!(!world.touches(ball, &here, &all).unwrap());
    world.set_pose(other, here).unwrap();
    world.remove_collider(other).unwrap();
    assert!(!world.touches(ball, &here, &all).unwrap());
    let floor = world.add_shape(Shape::half_space()).unwrap();
    world.add_collider(Collider::new(floor).position([0.0, 0.0, -0.25]).fixed(true)).unwrap();
    assert!(world.touches(ball, &here, &all).unwrap());
    assert!(world.touches(floor, &here, &all).unwrap());
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let mut world = World::builder().backend(Backend::Cpu).build().unwrap();
    let ball = world.add_shape(Shape::sphere(0.5).unwrap()).unwrap();
    let gone = world.add_shape(Shape::sphere(0.5).unwrap()).unwrap();
    world.remove_shape(gone).unwrap();
    let (here, all) = (Isometry3::identity(), QueryFilter::new());
    let nowhere = Isometry3::translation(0.0, f64::NAN, 0.0);
    let queries = world.shape_queries();
    assert!(matches!(queries.touches(gone, &here, &all), Err(WorldError::UnknownShape { id }) if id == gone));
    assert!(matches!(queries.touching(ball, &nowhere, &all), Err(WorldError::Pose(_))));
    assert!(matches!(queries.touches_many(ball, &[here, nowhere], &all), Err(WorldError::Pose(_))));
    assert!(matches!(queries.touches_many(gone, &[], &all), Err(WorldError::UnknownShape { .. })));
}
