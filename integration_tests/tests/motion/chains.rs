//! Articulated chains against samples of exact touching.

use impinge::chain::{Chain, ChainError, ChainObstacle, ChainPartner, ChainScratch, ChainSweep};
use impinge::geometry::{Joint, LinkageError};
use impinge::prelude::*;
use impinge::query::QueryScratch;
use impinge::{PairSweep, QueryFilter, WorldError};
use impinge_geometry::SimdLevel;
use impinge_scenes::random::Random;

use crate::shapes::{cases, default_gap, meshes, random_pose, shapes};

/// Bounded shapes, prepared.
fn prepared() -> Vec<PreparedShape> {
    shapes()[..10].iter().map(PreparedShape::new).collect()
}

fn direction(random: &mut Random) -> Vector3<f64> {
    Vector3::from_fn(|_, _| random.signed()).normalize()
}

/// A chain of 2 to 15 links with shapes of all kinds, some joints prismatic, some fixed, some links bare.
fn random_chain(random: &mut Random, shapes: &[PreparedShape]) -> Chain {
    let links = 2 + (random.unit() * 14.0) as usize;
    let mut joints: Vec<Joint> = Vec::new();
    let mut all = Vec::new();
    for k in 0..links {
        let joint = match (random.unit() * 6.0) as u32 {
            0 => Joint::prismatic(direction(random)),
            1 if k > 0 => Joint::fixed(),
            _ => Joint::revolute(direction(random)),
        };
        let mut at = random_pose(random, 0.1);
        at.translation.vector += direction(random) * 1.9;
        // Mostly behind the last one, sometimes a branch.
        let parent = if random.unit() < 0.8 { k.max(1) - 1 } else { (random.unit() * k as f64) as usize };
        joints.push(if k == 0 { joint } else { joint.on(parent).at(at) });
        let shape = shapes[(random.unit() * shapes.len() as f64) as usize].clone();
        all.push((random.unit() < 0.7).then_some(shape));
    }
    Chain::new(all, &joints).unwrap()
}

fn configuration(random: &mut Random, chain: &Chain, size: f64) -> Vec<f64> {
    (0..chain.linkage().degrees()).map(|_| size * random.signed()).collect()
}

/// Obstacles beside where links come by.
fn obstacles_near<'s>(
    random: &mut Random,
    chain: &Chain,
    [from, to]: [&[f64]; 2],
    shapes: &'s [PreparedShape],
    count: usize,
) -> Vec<ChainObstacle<'s>> {
    (0..count)
        .map(|k| {
            let poses = chain.poses(&between(from, to, 0.3 + 0.7 * random.unit())).unwrap();
            let beside = poses[(random.unit() * poses.len() as f64) as usize].translation.vector;
            let mut pose = random_pose(random, 0.2);
            pose.translation.vector += beside + direction(random) * (0.5 + 0.7 * random.unit());
            ChainObstacle { shape: &shapes[k % shapes.len()], pose }
        })
        .collect()
}

fn between(from: &[f64], to: &[f64], time: f64) -> Vec<f64> {
    from.iter().zip(to).map(|(from, to)| from + (to - from) * time).collect()
}

/// A question, and the exact test of single configurations that judges the answer.
struct Case<'c> {
    chain: &'c Chain,
    obstacles: &'c [ChainObstacle<'c>],
    scratch: QueryScratch,
}

impl Case<'_> {
    /// The pairs of shapes that are asked about, by partner and link.
    fn pairs(&self) -> Vec<(ChainPartner, usize)> {
        let links = self.chain.shapes().len();
        let of_scene = (0..self.obstacles.len())
            .flat_map(|k| (0..links).map(move |link| (ChainPartner::Obstacle(k), link)))
            .filter(|&(_, link)| self.chain.shapes()[link].is_some());
        let of_chain = self.chain.pairs().iter().map(|&[a, b]| (ChainPartner::Link(a), b));
        of_scene.chain(of_chain).collect()
    }

    /// The partner's shape and the link's.
    fn shapes(&self, (partner, link): (ChainPartner, usize)) -> [&PreparedShape; 2] {
        let of_link = |link: usize| self.chain.shapes()[link].as_ref().unwrap();
        match partner {
            ChainPartner::Link(other) => [of_link(other), of_link(link)],
            ChainPartner::Obstacle(k) => [self.obstacles[k].shape, of_link(link)],
            ChainPartner::Collider(_) => panic!("no world here"),
        }
    }

    fn query(&self, pair: (ChainPartner, usize)) -> PairQuery {
        let [a, b] = self.shapes(pair);
        PairQuery::between(a, b)
    }

    fn poses(&self, (partner, link): (ChainPartner, usize), all: &[Isometry3<f64>]) -> [Isometry3<f64>; 2] {
        match partner {
            ChainPartner::Link(other) => [all[other], all[link]],
            ChainPartner::Obstacle(k) => [self.obstacles[k].pose, all[link]],
            ChainPartner::Collider(_) => panic!("no world here"),
        }
    }

    /// Whether a pair stands still beside each other the whole way.
    fn rests(&self, pair: (ChainPartner, usize), [from, to]: [&[f64]; 2]) -> bool {
        let ends = [from, to].map(|values| self.poses(pair, &self.chain.poses(values).unwrap()));
        let [first, last] = ends.map(|[a, b]| a.inverse() * b);
        matches!(pair.0, ChainPartner::Link(_))
            && (first.to_homogeneous() - last.to_homogeneous()).norm() < 1e-12
    }

    /// What touches in a configuration.
    fn touching(
        &mut self,
        values: &[f64],
        queries: &[((ChainPartner, usize), PairQuery)],
    ) -> Option<(ChainPartner, usize)> {
        let poses = self.chain.poses(values).unwrap();
        queries.iter().find_map(|(pair, query)| {
            let [a, b] = self.poses(*pair, &poses);
            query.touching_with(&a, &b, &mut self.scratch).unwrap().then_some(*pair)
        })
    }

    /// Nothing touches before the time found, at which the two that are named are near each other.
    fn holds(
        &mut self,
        found: &ChainSweep,
        [from, to]: [&[f64]; 2],
        gap: Option<f64>,
        samples: u32,
        label: &str,
    ) {
        let pairs = self.pairs().into_iter().filter(|&pair| !self.rests(pair, [from, to]));
        let queries: Vec<_> = pairs.map(|pair| (pair, self.query(pair))).collect();
        let end = match found {
            ChainSweep::AtStart { .. } => {
                assert!(self.touching(from, &queries).is_some(), "{label}: touches at the start");
                return;
            }
            ChainSweep::Free => 1.0,
            ChainSweep::Impact(met) => {
                let pair = (met.partner, met.link);
                let query = self.query(pair);
                let poses = self.chain.poses(&between(from, to, met.impact.time)).unwrap();
                let [a, b] = self.poses(pair, &poses);
                let there = query.distance_with(&a, &b, &mut self.scratch).unwrap().distance();
                let shapes = self.shapes(pair);
                let allowed = gap.unwrap_or_else(|| default_gap(shapes[0].shape(), shapes[1].shape()));
                let impact = &met.impact;
                assert!(there <= allowed + 1e-9, "{label}: {there} apart, {allowed} asked: {found:?}");
                assert!((there - impact.gap).abs() <= 1e-9, "{label}: {there} is not {}", impact.gap);
                let apart = (impact.on_b - impact.on_a).dot(&impact.normal);
                assert!((apart - impact.gap).abs() < 1e-6, "{label}: {apart} for {}", impact.gap);
                assert!((a * impact.local_a - impact.on_a).norm() < 1e-9, "{label}");
                assert!((b * impact.local_b - impact.on_b).norm() < 1e-9, "{label}");
                impact.time
            }
        };
        for k in 0..samples {
            let time = end * f64::from(k) / f64::from(samples) * (1.0 - 1e-9);
            let touching = self.touching(&between(from, to, time), &queries);
            assert!(touching.is_none(), "{label}: {touching:?} touches at {time}, found {found:?}");
        }
    }
}

#[test]
fn chains_are_never_late_and_end_near() {
    let (shapes, mut random) = (prepared(), Random::new(51));
    let (mut scratch, mut counts) = (ChainScratch::default(), [0; 4]);
    for n in 0..cases(240) {
        let chain = random_chain(&mut random, &shapes);
        let base = random_pose(&mut random, 2.0);
        let chain = chain.based_at(&base).unwrap();
        let turn = [0.1, 0.6, 3.2][n as usize % 3];
        let from = configuration(&mut random, &chain, 1.5);
        let to: Vec<f64> = from.iter().map(|value| value + turn * random.signed()).collect();
        let obstacles =
            obstacles_near(&mut random, &chain, [&from, &to], &shapes, if n % 3 == 0 { 0 } else { 3 });
        let gap = (n % 2 == 1).then_some(1e-6);
        let found = chain.sweep_with(&from, &to, &obstacles, gap, &mut scratch).unwrap();
        let mut case = Case { chain: &chain, obstacles: &obstacles, scratch: QueryScratch::default() };
        case.holds(&found, [&from, &to], gap, 60, &format!("case {n}"));
        match found {
            ChainSweep::Free => counts[0] += 1,
            ChainSweep::AtStart { .. } => counts[1] += 1,
            ChainSweep::Impact(met) if matches!(met.partner, ChainPartner::Link(_)) => counts[2] += 1,
            ChainSweep::Impact(_) => counts[3] += 1,
        }
    }
    let often = counts[0].min(counts[3]) > cases(240) / 10;
    assert!(often && counts[2] > cases(240) / 60, "{counts:?}: free, at start, links, obstacles");
}

/// A seven-link arm with meshes as links.
fn arm() -> Chain {
    let mesh: Vec<PreparedShape> = meshes().iter().map(PreparedShape::new).collect();
    let axes =
        [Vector3::z(), Vector3::y(), Vector3::x(), Vector3::y(), Vector3::x(), Vector3::y(), Vector3::x()];
    let joints: Vec<Joint> = (0..7)
        .map(|k| {
            let joint = Joint::revolute(axes[k]);
            if k == 0 { joint } else { joint.on(k - 1).at(Isometry3::translation(0.0, 0.0, 1.3)) }
        })
        .collect();
    Chain::new((0..7).map(|k| Some(mesh[k % 4].clone())).collect(), &joints).unwrap()
}

#[test]
fn impacts_are_entered_right_behind() {
    let (chain, mut random) = (arm(), Random::new(52));
    let mesh: Vec<PreparedShape> = meshes().iter().map(PreparedShape::new).collect();
    let (mut hits, mut grazed) = (0, 0);
    for n in 0..cases(60) {
        let from = configuration(&mut random, &chain, 0.6);
        let to: Vec<f64> = from.iter().map(|value| value + 0.8 * random.signed()).collect();
        let obstacles = obstacles_near(&mut random, &chain, [&from, &to], &mesh, 4);
        let found = chain.sweep(&from, &to, &obstacles).unwrap();
        let mut case = Case { chain: &chain, obstacles: &obstacles, scratch: QueryScratch::default() };
        case.holds(&found, [&from, &to], None, 40, &format!("case {n}"));
        let Some(met) = found.impact() else { continue };
        hits += 1;
        assert!(met.speed > 0.0, "case {n}: {met:?}");
        let pair = (met.partner, met.link);
        let queries = [(pair, case.query(pair))];
        let behind = 10.0 * met.impact.gap / met.speed + 1e-9;
        let entered = (1..=20).any(|k| {
            let time = met.impact.time + behind * f64::from(k) / 20.0;
            case.touching(&between(&from, &to, time), &queries).is_some()
        });
        grazed += u32::from(!entered);
    }
    assert!(hits > cases(60) / 4, "{hits} meet");
    assert!(grazed * 10 <= hits, "{grazed} of {hits} are not entered");
}

#[test]
fn a_chain_of_one_joint_is_a_rigid_motion() {
    let (shapes, mut random) = (prepared(), Random::new(53));
    let mut hits = 0;
    for n in 0..cases(120) as usize {
        let (link, obstacle) = (&shapes[n % shapes.len()], &shapes[(n / 3) % shapes.len()]);
        let axis = direction(&mut random);
        let at = random_pose(&mut random, 0.5);
        let turning = n % 2 == 0;
        let joint = if turning { Joint::revolute(axis) } else { Joint::prismatic(axis) };
        // The link stands aside of its joint.
        let arm = random_pose(&mut random, 0.8);
        let joints = [joint.at(at), Joint::fixed().on(0).at(arm)];
        let chain = Chain::new(vec![None, Some(link.clone())], &joints).unwrap();
        let (from, to) = ([0.5 * random.signed()], [2.5 * random.signed()]);
        let mut pose = random_pose(&mut random, 0.4);
        pose.translation.vector += chain.poses(&to).unwrap()[1].translation.vector;
        let found = chain.sweep(&from, &to, &[ChainObstacle { shape: obstacle, pose }]).unwrap();
        let [start, end] = [&from, &to].map(|values| chain.poses(values).unwrap()[1]);
        let motion = Motion::between(start, end);
        let motion = if turning {
            motion.about(arm.inverse() * Point3::origin()).turn(at.rotation * axis * (to[0] - from[0]))
        } else {
            motion.turn(Vector3::zeros())
        };
        let rigid = PairQuery::between(obstacle, link).sweep(&Motion::still(pose), &motion).unwrap();
        match (found, rigid) {
            (ChainSweep::Free, PairSweep::Free) | (ChainSweep::AtStart { .. }, PairSweep::AtStart { .. }) => {
            }
            (ChainSweep::Impact(met), PairSweep::Impact(impact)) => {
                hits += 1;
                assert!((met.impact.time - impact.time).abs() < 1e-6, "case {n}: {met:?} for {impact:?}");
            }
            // What parts again within the gap is an impact of the rigid motion alone.
            (ChainSweep::Free, PairSweep::Impact(impact)) if impact.gap > 0.0 => {}
            (found, rigid) => panic!("case {n}: {found:?} for {rigid:?}"),
        }
    }
    assert!(hits > cases(120) / 8, "{hits}");
}

#[test]
fn parts_and_reversal_and_shift_tell_the_same() {
    let (chain, mut random) = (arm(), Random::new(54));
    let mesh: Vec<PreparedShape> = meshes().iter().map(PreparedShape::new).collect();
    let mut compared = 0;
    for n in 0..cases(40) {
        let from = configuration(&mut random, &chain, 0.6);
        let to: Vec<f64> = from.iter().map(|value| value + 0.7 * random.signed()).collect();
        let obstacles = obstacles_near(&mut random, &chain, [&from, &to], &mesh, 4);
        let found = chain.sweep(&from, &to, &obstacles).unwrap();
        // On the way back nothing is met that was not there.
        let back = chain.sweep(&to, &from, &obstacles).unwrap();
        if found == ChainSweep::Free {
            let grazes = back.impact().is_some_and(|met| met.impact.gap > 0.0);
            assert!(back == ChainSweep::Free || grazes, "case {n}: {back:?}");
        }
        let Some(met) = found.impact() else { continue };
        compared += 1;
        assert!(back != ChainSweep::Free, "case {n}: {found:?} and nothing on the way back");
        let cut = 0.5 * met.impact.time;
        let middle = between(&from, &to, cut);
        assert_eq!(chain.sweep(&from, &middle, &obstacles).unwrap(), ChainSweep::Free, "case {n}");
        let rest = chain.sweep(&middle, &to, &obstacles).unwrap();
        let again = cut + rest.time().map_or(f64::INFINITY, |time| time * (1.0 - cut));
        let allowed = 20.0 * 1e-4 / met.speed;
        assert!((again - met.impact.time).abs() <= allowed, "case {n}: {again} for {met:?}");
        // By 64 m, which every coordinate takes without rounding much.
        let shift = Translation3::new(64.0, -32.0, 16.0);
        let moved: Vec<_> = obstacles.iter().map(|o| ChainObstacle { pose: shift * o.pose, ..*o }).collect();
        let there = chain.clone().based_at(&shift.into()).unwrap();
        let shifted = there.sweep(&from, &to, &moved).unwrap().time().unwrap();
        assert!((shifted - met.impact.time).abs() <= allowed, "case {n}: {shifted} for {met:?}");
    }
    assert!(compared > cases(40) / 4, "{compared}");
}

#[test]
fn a_chain_that_stopped_may_turn_back() {
    let (chain, mut random) = (arm(), Random::new(55));
    let mesh: Vec<PreparedShape> = meshes().iter().map(PreparedShape::new).collect();
    let mut turned = 0;
    for n in 0..cases(40) {
        let from = configuration(&mut random, &chain, 0.6);
        let to: Vec<f64> = from.iter().map(|value| value + 0.7 * random.signed()).collect();
        let obstacles = obstacles_near(&mut random, &chain, [&from, &to], &mesh, 4);
        let found = chain.sweep(&from, &to, &obstacles).unwrap();
        let Some(met) = found.impact() else { continue };
        turned += 1;
        let stopped = between(&from, &to, met.impact.time);
        let back = chain.sweep(&stopped, &from, &obstacles).unwrap();
        assert_eq!(back, ChainSweep::Free, "case {n}: from {met:?}");
        let on = chain.sweep(&stopped, &to, &obstacles).unwrap();
        assert!(on.time().is_some_and(|time| time < 0.1), "case {n}: {on:?} behind {met:?}");
    }
    assert!(turned > cases(40) / 4, "{turned}");
}

#[test]
fn chains_in_a_world_meet_what_they_meet_in_a_list() {
    let (chain, mut random) = (arm(), Random::new(56));
    let mesh: Vec<PreparedShape> = meshes().iter().map(PreparedShape::new).collect();
    let places: Vec<_> = (0..60)
        .map(|_| {
            let mut pose = random_pose(&mut random, 4.0);
            pose.translation.vector.z += 5.0;
            pose
        })
        .collect();
    let ways: Vec<[Vec<f64>; 2]> = (0..24)
        .map(|_| {
            let from = configuration(&mut random, &chain, 0.6);
            let to = from.iter().map(|value| value + 0.7 * random.signed()).collect();
            [from, to]
        })
        .collect();
    let ways: Vec<[&[f64]; 2]> = ways.iter().map(|[from, to]| [&from[..], &to[..]]).collect();
    let mut all = Vec::new();
    for threads in [1, 2, 3, 8] {
        let mut world = World::builder().backend(Backend::Cpu).threads(threads).build().unwrap();
        let ids: Vec<_> = mesh.iter().map(|shape| world.add_prepared(shape).unwrap()).collect();
        let colliders: Vec<ColliderId> = (0..60)
            .map(|k| {
                world.add_collider(Collider::new(ids[k % 4]).pose(places[k]).groups(1 << (k % 2))).unwrap()
            })
            .collect();
        let queries = world.shape_queries();
        let filter = QueryFilter::new().mask(1);
        let answers = queries.sweep_chains(&chain, &ways, &filter).unwrap();
        let obstacles: Vec<_> =
            (0..60).step_by(2).map(|k| ChainObstacle { shape: &mesh[k % 4], pose: places[k] }).collect();
        for ([from, to], answer) in ways.iter().zip(&answers) {
            let listed = chain.sweep(from, to, &obstacles).unwrap();
            assert_eq!(listed.time().map(f64::to_bits), answer.time().map(f64::to_bits));
            if let (Some(p), Some(q)) = (listed.impact(), answer.impact()) {
                let collider = |partner| match partner {
                    ChainPartner::Obstacle(k) => ChainPartner::Collider(colliders[2 * k]),
                    other => other,
                };
                assert_eq!((collider(p.partner), p.link, p.impact), (q.partner, q.link, q.impact));
            }
        }
        all.push(answers);
    }
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]));
    assert!(all[0].iter().filter(|answer| answer.impact().is_some()).count() > 5);
}

#[test]
fn links_meet_each_other_but_not_their_neighbours() {
    // Three bars of a metre; the third turns back onto the first.
    let bar = Shape::composite(vec![(
        Isometry3::translation(0.5, 0.0, 0.0),
        Shape::cuboid([0.5, 0.05, 0.05]).unwrap(),
    )]);
    let bar = PreparedShape::new(&bar.unwrap());
    let joint = Joint::revolute(Vector3::z());
    let next = |k: usize| joint.on(k).at(Isometry3::translation(1.0, 0.0, 0.0));
    let chain = Chain::new(vec![Some(bar.clone()); 3], &[joint, next(0), next(1)]).unwrap();
    assert_eq!(chain.pairs(), [[0, 2]]);
    let (from, to) = ([0.0, 2.0, 0.5], [1.0, 2.0, 2.5]);
    let found = chain.sweep(&from, &to, &[]).unwrap();
    let met = found.impact().unwrap();
    assert_eq!((met.link, met.partner), (2, ChainPartner::Link(0)));
    let poses = chain.poses(&between(&from, &to, met.impact.time)).unwrap();
    let apart = PairQuery::between(&bar, &bar).distance(&poses[0], &poses[2]).unwrap().distance();
    assert!(apart <= 1e-4 && (apart - met.impact.gap).abs() < 1e-9, "{apart}");
    let alone = chain.clone().without_pair(2, 0).unwrap();
    assert_eq!(alone.sweep(&from, &to, &[]).unwrap(), ChainSweep::Free);
    // A bare link between two does not make them strangers.
    let joints =
        [joint, joint.on(0).at(Isometry3::translation(1.0, 0.0, 0.0)), Joint::revolute(Vector3::y()).on(1)];
    let ball_joint = Chain::new(vec![Some(bar.clone()), None, Some(bar)], &joints).unwrap();
    assert!(ball_joint.pairs().is_empty());
}

#[test]
fn chains_that_cannot_be_used_are_refused() {
    let ball = PreparedShape::new(&Shape::sphere(0.1).unwrap());
    let joint = Joint::revolute(Vector3::z());
    let refused = |shapes, joints: &[Joint]| Chain::new(shapes, joints).err();
    assert_eq!(refused(vec![None; 2], &[joint]), Some(ChainError::Shapes { shapes: 2, joints: 1 }));
    assert!(matches!(refused(vec![None], &[joint.on(3)]), Some(ChainError::Linkage(_))));
    let plane = PreparedShape::new(&Shape::half_space());
    assert_eq!(refused(vec![Some(plane.clone())], &[joint]), Some(ChainError::Unbounded { link: 0 }));
    let chain = Chain::new(vec![Some(ball.clone())], &[joint]).unwrap();
    assert!(matches!(chain.clone().without_pair(0, 4), Err(ChainError::UnknownLink { link: 4, links: 1 })));
    let wrong = chain.sweep(&[0.0, 1.0], &[1.0], &[]);
    assert_eq!(wrong, Err(ChainError::Linkage(LinkageError::Values { given: 2, degrees: 1 })));
    for bad in [f64::NAN, 1e9] {
        let found = chain.sweep(&[0.0], &[bad], &[]);
        assert!(matches!(found, Err(ChainError::Linkage(LinkageError::Value { joint: 0, .. }))), "{found:?}");
    }
    let nowhere = ChainObstacle { shape: &ball, pose: Isometry3::translation(f64::NAN, 0.0, 0.0) };
    assert!(matches!(chain.sweep(&[0.0], &[1.0], &[nowhere]), Err(ChainError::Obstacle { index: 0, .. })));
    for gap in [0.0, -1.0, f64::NAN] {
        let found = chain.sweep_with(&[0.0], &[1.0], &[], Some(gap), &mut ChainScratch::default());
        assert!(matches!(found, Err(ChainError::Gap { .. })), "{found:?}");
    }
    let mut world = World::builder().backend(Backend::Cpu).threads(1).build().unwrap();
    let found = world.shape_queries().sweep_chain(&chain, &[], &[1.0], &QueryFilter::new());
    assert!(matches!(found, Err(WorldError::Chain(ChainError::Linkage(_)))), "{found:?}");
    // No motion at all.
    assert_eq!(chain.sweep(&[0.5], &[0.5], &[]), Ok(ChainSweep::Free));
    let here = ChainObstacle { shape: &ball, pose: Isometry3::identity() };
    assert!(matches!(chain.sweep(&[0.5], &[0.5], &[here]), Ok(ChainSweep::AtStart { link: 0, .. })));
    // A half-space may be in the way.
    let arm = joint.at(Isometry3::translation(0.0, 0.0, 1.0));
    let fall = Joint::revolute(Vector3::y()).on(0);
    let aside = Joint::fixed().on(1).at(Isometry3::translation(0.99, 0.0, 0.0));
    let swing = Chain::new(vec![None, None, Some(ball)], &[arm, fall, aside]).unwrap();
    let floor = ChainObstacle { shape: &plane, pose: Isometry3::identity() };
    let found = swing.sweep(&[0.0, 0.0], &[1.0, 2.0], &[floor]).unwrap();
    // 0.99 sin(2 t) = 0.9.
    let expected = 0.5 * (0.9f64 / 0.99).asin();
    let time = found.time().unwrap();
    assert!(time <= expected && expected - time < 1e-4, "{time} for {expected}");
}

#[test]
fn no_answer_depends_on_the_vector_instructions() {
    let answers: Vec<Vec<ChainSweep>> = SimdLevel::available()
        .map(|level| {
            let mut random = Random::new(57);
            let shapes: Vec<PreparedShape> =
                shapes()[..10].iter().map(|shape| PreparedShape::with_simd(shape, level)).collect();
            (0..40)
                .map(|n| {
                    let chain = random_chain(&mut random, &shapes);
                    let from = configuration(&mut random, &chain, 1.0);
                    let to: Vec<f64> = from.iter().map(|value| value + random.signed()).collect();
                    let count = if n % 3 == 0 { 0 } else { 3 };
                    let obstacles = obstacles_near(&mut random, &chain, [&from, &to], &shapes, count);
                    chain.sweep(&from, &to, &obstacles).unwrap()
                })
                .collect()
        })
        .collect();
    assert!(answers.len() > 1, "only {} kind of instructions", answers.len());
    assert!(answers[0].iter().filter(|answer| answer.impact().is_some()).count() > 5);
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]));
}
