//! Events and sensors of a world against a model that asks every pair again.

use std::collections::{BTreeMap, BTreeSet};

use impinge::prelude::*;
use impinge::{Receiver, WorldError};
use impinge_oracle::solids::{block, hollow_block, pin, shape};
use impinge_scenes::mesh::Torus;
use impinge_scenes::random::Random;

/// A collider as the model knows it.
#[derive(Clone)]
struct Known {
    shape: usize,
    pose: Isometry3<f64>,
    sensor: bool,
    fixed: bool,
    part: Option<u32>,
    user_data: u64,
}

/// A world and what should be in it.
struct Model {
    world: World,
    shapes: Vec<ShapeId>,
    /// A query for every two shapes.
    queries: Vec<Vec<PairQuery>>,
    known: BTreeMap<ColliderId, Known>,
    events: Receiver<ContactEvent>,
    touching: BTreeSet<[ColliderId; 2]>,
    next: u64,
}

/// Solids of every kind of work: closed forms, surfaces, meshes against round things, one body with a
/// cavity in which another can be, one sheet that counts from above only.
fn shapes() -> Vec<Shape> {
    let sheet = TriMesh::new(
        [[-0.6, -0.6, 0.0], [0.6, -0.6, 0.0], [0.6, 0.6, 0.0], [-0.6, 0.6, 0.0]].map(Point3::from).to_vec(),
        vec![[0, 1, 2], [0, 2, 3]],
    );
    vec![
        Shape::sphere(0.3).unwrap(),
        Shape::cuboid([0.3, 0.2, 0.25]).unwrap(),
        Shape::capsule(0.2, 0.15).unwrap(),
        shape(block([0.25, 0.25, 0.25])),
        shape(hollow_block([0.6; 3], [0.5; 3])),
        shape(pin(0.1, 0.4, 12)),
        shape(Torus::default().mesh().unwrap()),
        shape(sheet.unwrap().one_sided(0.3, Vector3::z()).unwrap()),
    ]
}

impl Model {
    fn new(threads: usize) -> Model {
        let mut world = World::builder().backend(Backend::Cpu).threads(threads).build().unwrap();
        let all = shapes();
        let query = |p, q| PairQuery::new(p, q, QuerySettings::default()).unwrap();
        let queries = all.iter().map(|p| all.iter().map(|q| query(p, q)).collect()).collect();
        let shapes = all.into_iter().map(|s| world.add_shape(s).unwrap()).collect();
        let events = world.subscribe(Subscription::new());
        Model { world, shapes, queries, known: BTreeMap::new(), events, touching: BTreeSet::new(), next: 0 }
    }

    fn add(&mut self, random: &mut Random) {
        let known = Known {
            shape: random.index(self.shapes.len()),
            pose: pose(random),
            sensor: random.index(3) == 0,
            fixed: random.index(4) == 0,
            part: (random.index(4) == 0).then_some(7),
            user_data: self.next,
        };
        self.next += 1;
        let mut collider = Collider::new(self.shapes[known.shape])
            .pose(known.pose)
            .sensor(known.sensor)
            .fixed(known.fixed)
            .user_data(known.user_data);
        if let Some(part) = known.part {
            collider = collider.part(part);
        }
        let id = self.world.add_collider(collider).unwrap();
        self.known.insert(id, known);
    }

    fn remove(&mut self, random: &mut Random) {
        if let Some(&id) = self.known.keys().nth(random.index(self.known.len().max(1))) {
            self.known.remove(&id);
            self.world.remove_collider(id).unwrap();
            assert!(self.world.contacts().all(|c| !c.colliders.contains(&id)));
            assert_eq!(self.world.set_groups(id, 1, 1), Err(WorldError::UnknownCollider { id }));
        }
    }

    fn shift(&mut self, random: &mut Random) {
        let (world, known) = (&mut self.world, &mut self.known);
        for (&id, known) in known.iter_mut() {
            if random.index(2) == 0 {
                known.pose.translation.vector += 0.2 * random.direction();
                world.set_pose(id, known.pose).unwrap();
            }
        }
    }

    /// Every pair that may meet, asked by itself.
    fn brute(&self) -> BTreeSet<[ColliderId; 2]> {
        let mut touching = BTreeSet::new();
        for (&a, one) in &self.known {
            for (&b, other) in self.known.range((std::ops::Bound::Excluded(a), std::ops::Bound::Unbounded)) {
                let filtered = one.fixed && other.fixed || one.part.is_some() && one.part == other.part;
                if filtered {
                    continue;
                }
                let query = &self.queries[one.shape][other.shape];
                if query.at(&one.pose, &other.pose).unwrap().touching {
                    touching.insert([a, b]);
                }
            }
        }
        touching
    }

    /// Steps, and holds what is told against the model.
    fn step(&mut self) -> Vec<ContactEvent> {
        let report = self.world.step();
        let told: Vec<ContactEvent> = self.events.try_iter().collect();
        let now = self.brute();
        let expected: Vec<([ColliderId; 2], ContactPhase)> = self
            .touching
            .union(&now)
            .map(|pair| {
                let phase = match (self.touching.contains(pair), now.contains(pair)) {
                    (false, _) => ContactPhase::Begin,
                    (true, true) => ContactPhase::Persist,
                    (true, false) => ContactPhase::End,
                };
                (*pair, phase)
            })
            .collect();
        assert_eq!(told.iter().map(|e| (e.contact.colliders, e.phase)).collect::<Vec<_>>(), expected);
        assert!(told.iter().all(|e| e.step == self.world.steps()));
        assert_eq!((report.counts.events, report.counts.dropped_events), (told.len() as u64, 0));
        for event in told.iter().filter(|e| e.phase != ContactPhase::End) {
            let sides = event.contact.colliders.map(|id| &self.known[&id]);
            assert_eq!(event.contact.user_data, sides.map(|s| s.user_data));
            assert_eq!(event.contact.sensor, sides.iter().any(|s| s.sensor));
        }
        // Sensors have no manifolds, everything else that touches has.
        let seen: BTreeSet<_> = self.world.manifolds().iter().map(|m| m.colliders).collect();
        let solid = |pair: &&[ColliderId; 2]| pair.iter().all(|id| !self.known[id].sensor);
        assert_eq!(seen, now.iter().filter(solid).copied().collect());
        assert_eq!(
            self.world.contacts().map(|c| c.colliders).collect::<Vec<_>>(),
            now.iter().copied().collect::<Vec<_>>()
        );
        self.touching = now;
        told
    }
}

fn pose(random: &mut Random) -> Isometry3<f64> {
    let at = Translation3::new(random.signed(), random.signed(), random.signed());
    Isometry3::from_parts(at, random.rotation())
}

/// Two dozen bodies come, move and go; slots are used again.
fn history(seed: u64, threads: usize) -> Vec<ContactEvent> {
    let mut random = Random::new(seed);
    let mut model = Model::new(threads);
    (0..14).for_each(|_| model.add(&mut random));
    let mut all = Vec::new();
    for _ in 0..12 {
        model.shift(&mut random);
        match random.index(3) {
            0 => model.add(&mut random),
            1 => model.remove(&mut random),
            _ => {
                model.remove(&mut random);
                model.add(&mut random);
            }
        }
        all.extend(model.step());
    }
    all
}

#[test]
fn what_is_told_is_what_every_pair_says_by_itself() {
    let mut phases = BTreeMap::new();
    for seed in 0..6 {
        for event in history(seed, 1) {
            *phases.entry((event.phase, event.contact.sensor)).or_insert(0) += 1;
        }
    }
    assert_eq!(phases.len(), 6, "every phase, with and without sensors: {phases:?}");
    assert!(phases.values().all(|&n| n > 20), "{phases:?}");
}

#[test]
fn the_order_does_not_depend_on_threads() {
    let one = history(11, 1);
    for threads in [2, 3, 8] {
        assert_eq!(history(11, threads), one);
    }
}

/// A body wholly inside a sensor, and one in the sensor's cavity: the first overlaps it, the second does
/// not. A body above a one-sided sheet's virtual underside crosses it and does not touch.
#[test]
fn a_sensor_holds_what_is_in_it_and_not_what_is_in_its_cavity() {
    let inside = |sensor: Shape, body: Shape, z: f64| {
        let mut world = World::builder().threads(1).build().unwrap();
        let [sensor, body] = [sensor, body].map(|s| world.add_shape(s).unwrap());
        world.add_collider(Collider::new(sensor).sensor(true)).unwrap();
        world.add_collider(Collider::new(body).position([0.0, 0.0, z])).unwrap();
        world.step();
        assert!(world.manifolds().is_empty());
        world.contacts().count() == 1
    };
    let small = || shape(block([0.1; 3]));
    for body in [small(), Shape::sphere(0.1).unwrap(), Shape::cuboid([0.1; 3]).unwrap()] {
        assert!(inside(shape(block([1.0; 3])), body.clone(), 0.0));
        assert!(inside(Shape::sphere(1.0).unwrap(), body.clone(), 0.2));
        assert!(!inside(shape(hollow_block([1.0; 3], [0.5; 3])), body, 0.0));
    }
    let sheet = shapes().pop().unwrap();
    assert!(inside(sheet.clone(), small(), 0.05));
    assert!(!inside(sheet, small(), -0.35));
}

/// A listener that reads nothing and has room for three.
#[test]
fn what_a_full_channel_drops_shows_in_the_report() {
    let mut world = World::builder().threads(1).build().unwrap();
    let ball = world.add_shape(Shape::sphere(0.5).unwrap()).unwrap();
    for i in 0..6 {
        world.add_collider(Collider::new(ball).position([0.9 * f64::from(i), 0.0, 0.0])).unwrap();
    }
    let events = world.subscribe(Subscription::new().capacity(3));
    let report = world.step();
    assert_eq!((report.counts.events, report.counts.dropped_events), (3, 2));
    assert!(report.status.contains(impinge::StepStatus::EVENTS_DROPPED));
    assert_eq!(events.try_iter().count(), 3);
    assert_eq!(world.contacts().count(), 5);
    drop(events);
    let report = world.step();
    assert_eq!((report.counts.events, report.counts.dropped_events), (0, 0));
    assert!(report.status.is_none());
}

/// Overlaps no deeper than the tolerance are no contacts; a sensor does not ask for tolerance.
#[test]
fn tolerated_overlaps_are_not_told() {
    for (sensor, contacts) in [(false, 0), (true, 1)] {
        let mut world = World::builder().threads(1).contact_tolerance(0.01).build().unwrap();
        let ball = world.add_shape(Shape::sphere(0.5).unwrap()).unwrap();
        let events = world.subscribe(Subscription::new());
        world.add_collider(Collider::new(ball).sensor(sensor)).unwrap();
        world.add_collider(Collider::new(ball).position([0.99, 0.0, 0.0])).unwrap();
        world.step();
        assert_eq!((events.try_iter().count(), world.contacts().count()), (contacts, contacts));
    }
}

/// Ice on steel: an entry of the table reaches the rows, and only theirs.
#[test]
fn the_table_of_materials_reaches_the_rows() {
    struct Frictions(Vec<f64>);
    impl Solver for Frictions {
        type Error = std::convert::Infallible;
        fn solve(&mut self, rows: &[ContactRow], _: &mut [Impulse], _: f64) -> Result<(), Self::Error> {
            self.0 = rows.iter().map(|row| row.friction).collect();
            Ok(())
        }
    }
    let mut world = World::builder().threads(1).build().unwrap();
    let ball = world.add_shape(Shape::sphere(0.5).unwrap()).unwrap();
    let of = |kind| Material { kind, friction: 0.36, ..Material::default() };
    let ids = [1, 2, 3].map(|kind| {
        let at = [0.9 * f64::from(kind), 0.0, 0.0];
        world.add_collider(Collider::new(ball).position(at).material(of(kind))).unwrap()
    });
    let slippery = PairMaterial { friction: 0.02, restitution: 0.0, stiffness: None, damping: None };
    assert_eq!(world.set_pair_material(2, 1, slippery), Ok(None));
    assert!(matches!(world.set_pair_material(0, 1, slippery), Err(WorldError::Material(_))));
    world.step();
    let mut solver = Frictions(Vec::new());
    world.solve(&mut solver, 0.01).unwrap();
    assert_eq!(solver.0, [0.02, 0.36]);
    world.set_material(ids[2], of(1)).unwrap();
    world.solve(&mut solver, 0.01).unwrap();
    assert_eq!(solver.0, [0.02, 0.02]);
    assert_eq!(world.remove_pair_material(1, 2), Some(slippery));
    world.solve(&mut solver, 0.01).unwrap();
    assert_eq!(solver.0, [0.36, 0.36]);
}
