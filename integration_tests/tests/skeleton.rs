//! Bodies of parts that joints connect, and contacts that name their bones and triangles.

use impinge::geometry::{Joint, Linkage};
use impinge::prelude::*;
use impinge::{Skeleton, Skin, WorldError};
use impinge_scenes::mesh::{Hand, HandModel, Knot};
use impinge_scenes::random::Random;

fn world() -> World {
    World::builder().backend(Backend::Cpu).build().unwrap()
}

/// Bars of a metre, each at the end of the one before it, which turn about z and y by turns.
fn arm(world: &mut World, links: usize, shape: ShapeId) -> Skeleton {
    let axis = |link: usize| if link.is_multiple_of(2) { Vector3::z() } else { Vector3::y() };
    let joint = |link: usize| match link {
        0 => Joint::revolute(axis(0)),
        _ => Joint::revolute(axis(link)).on(link - 1).at(Isometry3::translation(1.0, 0.0, 0.0)),
    };
    let joints: Vec<Joint> = (0..links).map(joint).collect();
    let arm = world.add_skeleton(Linkage::new(&joints).unwrap()).unwrap();
    for &part in arm.parts() {
        world.add_collider(Collider::new(shape).of(part, Isometry3::translation(0.5, 0.0, 0.0))).unwrap();
    }
    arm
}

/// In random configurations exactly those links touch that pairs of shapes say do, neighbours left out.
#[test]
fn neighbours_do_not_meet_and_all_others_do() {
    const LINKS: usize = 6;
    let mut world = world();
    let shape = Shape::cuboid([0.55, 0.22, 0.25]).unwrap();
    let bar = world.add_shape(shape.clone()).unwrap();
    let arm = arm(&mut world, LINKS, bar);
    let query = PairQuery::new(&shape, &shape, QuerySettings::default()).unwrap();
    let mut random = Random::new(5);
    let (mut touching, mut apart) = (0, 0);
    for _ in 0..150 {
        let values: Vec<f64> = (0..LINKS).map(|_| 2.9 * random.signed()).collect();
        arm.place(&mut world, &values).unwrap();
        world.step();
        let mut poses = Vec::new();
        arm.linkage().poses(&values, &mut poses);
        let middle = Isometry3::translation(0.5, 0.0, 0.0);
        let mut expected = Vec::new();
        for a in 0..LINKS {
            for b in a + 1..LINKS {
                let touches = query.touching(&(poses[a] * middle), &(poses[b] * middle)).unwrap();
                if b == a + 1 {
                    assert!(touches, "neighbours overlap at their joint");
                } else if touches {
                    expected.push([a, b]);
                }
            }
        }
        let mut found: Vec<[usize; 2]> = world
            .contacts()
            .map(|contact| contact.colliders.map(|id| arm.link_of(&world, id).unwrap()))
            .collect();
        found.sort_unstable();
        touching += expected.len();
        apart += usize::from(expected.is_empty());
        assert_eq!(found, expected);
    }
    assert!(touching > 100 && apart > 10, "{touching} {apart}");
}

#[test]
fn neighbours_can_be_made_and_unmade_while_nothing_moves() {
    let mut world = world();
    let ball = world.add_shape(Shape::sphere(0.5).unwrap()).unwrap();
    let parts = [0.0, 0.8].map(|x| world.add_part(Isometry3::translation(x, 0.0, 0.0)).unwrap());
    for part in parts {
        world.add_collider(Collider::new(ball).of(part, Isometry3::identity())).unwrap();
    }
    for (neighbours, manifolds) in [(false, 1), (true, 0), (true, 0), (false, 1)] {
        world.set_neighbours(parts[0], parts[1], neighbours).unwrap();
        for _ in 0..2 {
            let counts = world.step().counts;
            assert_eq!((counts.manifolds, counts.ignored_pairs), (manifolds, 1 - manifolds));
        }
    }
    world.set_neighbours(parts[1], parts[0], true).unwrap();
    // A path through a neighbour meets nothing.
    for &id in world.members_of(parts[0]).unwrap().to_vec().iter() {
        world.set_fast(id, true).unwrap();
    }
    world.set_part_pose(parts[0], Isometry3::translation(-3.0, 0.0, 0.0)).unwrap();
    let motion = Motion::translation(world.part_pose(parts[0]).unwrap(), Vector3::new(6.0, 0.0, 0.0));
    world.set_part_path(parts[0], motion).unwrap();
    assert_eq!(world.step_motion().impacts, 0);
    world.set_neighbours(parts[1], parts[0], false).unwrap();
    world.set_part_path(parts[0], motion).unwrap();
    assert_eq!(world.step_motion().impacts, 1);
    world.remove_part(parts[1]).unwrap();
    let gone = world.set_neighbours(parts[0], parts[1], true);
    assert_eq!(gone, Err(WorldError::UnknownPart { id: parts[1] }));
}

/// Velocities that solvers see are those of the poses, by differences.
#[test]
fn a_skeleton_that_moves_says_how_fast_each_link_is() {
    let mut world = world();
    let bar = world.add_shape(Shape::cuboid([0.5, 0.05, 0.05]).unwrap()).unwrap();
    let at = |x: f64| Isometry3::translation(x, 0.2, -0.1);
    let joints = [
        Joint::prismatic(Vector3::new(1.0, 2.0, 0.0)),
        Joint::revolute(Vector3::new(0.2, -0.4, 1.0)).on(0).at(at(0.3)),
        Joint::fixed().on(1).at(at(0.5)),
        Joint::revolute(Vector3::y()).on(2).at(at(0.7)),
    ];
    let arm = world.add_skeleton(Linkage::new(&joints).unwrap()).unwrap();
    let ids: Vec<ColliderId> = arm
        .parts()
        .iter()
        .map(|&part| world.add_collider(Collider::new(bar).fixed(true).of(part, at(0.1))).unwrap())
        .collect();
    let (values, rates, h) = ([0.4, 0.7, -0.9], [0.5, -1.2, 0.8], 1e-6);
    arm.move_to(&mut world, &values, &rates).unwrap();
    let moved = |sign: f64| {
        let values: Vec<f64> = values.iter().zip(rates).map(|(v, r)| v + sign * h * r).collect();
        let mut poses = Vec::new();
        arm.linkage().poses(&values, &mut poses);
        poses.iter().map(|pose| pose * at(0.1)).collect::<Vec<_>>()
    };
    let (before, after) = (moved(-1.0), moved(1.0));
    for (link, &id) in ids.iter().enumerate() {
        let view = world.collider(id).unwrap();
        let linear = (after[link].translation.vector - before[link].translation.vector) / (2.0 * h);
        let angular = (after[link].rotation * before[link].rotation.inverse()).scaled_axis() / (2.0 * h);
        assert!((view.linear_velocity - linear).norm() < 1e-6, "{link}: {linear} {}", view.linear_velocity);
        assert!((view.angular_velocity - angular).norm() < 1e-6, "{link}");
    }
    assert!(matches!(arm.place(&mut world, &[0.0]), Err(WorldError::Chain(_))));
    world.remove_skeleton(arm).unwrap();
    assert_eq!(world.colliders().count(), 0);
}

/// The triangles that contacts name are the nearest by brute force, and their bones those that the skin follows there.
#[test]
fn contacts_of_a_skinned_hand_name_bone_and_triangle() {
    let HandModel { mesh, joints, influences } = Hand::default().model().unwrap();
    let skin = Skin::new(&mesh, joints.len(), &influences).unwrap();
    let linkage = Linkage::new(&joints).unwrap();
    let mut rest = Vec::new();
    linkage.poses(&vec![0.0; linkage.degrees()], &mut rest);
    let mut world = world();
    let hand = world.add_shape(mesh.clone()).unwrap();
    let knot = world.add_shape(Knot { along: 60, across: 10, ..Knot::default() }.mesh().unwrap()).unwrap();
    world.add_collider(Collider::new(knot).position([0.0, 0.1, 0.31])).unwrap();
    let own = world.add_collider(Collider::new(hand).fixed(true)).unwrap();
    let (mut fingers, mut points) = ([0; 16], 0);
    for step in 0..12 {
        let bent: Vec<f64> = (0..linkage.degrees()).map(|_| 0.1 * f64::from(step)).collect();
        let mut bones = Vec::new();
        linkage.poses(&bent, &mut bones);
        bones.iter_mut().zip(&rest).for_each(|(bone, rest)| *bone *= rest.inverse());
        let mut places = Vec::new();
        skin.place(&bones, &mut places).unwrap();
        world.set_vertices(hand, &places).unwrap();
        world.step();
        let now = mesh.with_vertices(places).unwrap();
        for manifold in world.manifolds_of(own).unwrap() {
            let side = usize::from(manifold.colliders[1] == own);
            for point in &manifold.points {
                let triangle = world.contact_triangles(manifold, point).unwrap()[side].unwrap();
                let at = [point.local_a, point.local_b][side].cast::<f64>();
                let to = |t: u32| distance(&now.corners(t).map(|p| p.cast()), &at);
                let least = (0..now.triangles().len() as u32).map(to).fold(f64::INFINITY, f64::min);
                assert!(to(triangle) <= least + 1e-9, "{} {least}", to(triangle));
                fingers[skin.bone_of(&mesh, triangle) as usize] += 1;
                points += 1;
            }
        }
    }
    let touched = fingers.iter().filter(|&&n| n > 0).count();
    assert!(points > 40 && touched >= 4, "{points} points on {touched} bones: {fingers:?}");
}

/// From a point to a triangle, by the plane's foot and the edges.
fn distance(corners: &[Point3<f64>; 3], p: &Point3<f64>) -> f64 {
    let [a, b, c] = corners;
    let n = (b - a).cross(&(c - a));
    let over = |from: &Point3<f64>, to: &Point3<f64>| n.cross(&(to - from)).dot(&(p - from)) >= 0.0;
    if over(a, b) && over(b, c) && over(c, a) && n.norm() > 0.0 {
        return (n.dot(&(p - a)) / n.norm()).abs();
    }
    let edge = |from: &Point3<f64>, to: &Point3<f64>| {
        let along = to - from;
        let share = ((p - from).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
        (from + along * share - p).norm()
    };
    edge(a, b).min(edge(b, c)).min(edge(c, a))
}
