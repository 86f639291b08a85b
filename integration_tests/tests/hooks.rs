//! Hooks decide what pairs are looked at and what solvers get; the answer does not depend on threads.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use impinge::prelude::*;
use impinge::{ContactHooks, HookedPair, PairResponse};
use impinge_scenes::random::Random;

/// What a hook has been asked, in order.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<[ColliderId; 2]>>>);

impl Log {
    fn take(&self) -> Vec<[ColliderId; 2]> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// By the sum of the user data: ignored, touching alone, or with contacts; every manifold is turned a little,
/// some lose a point or all. It counts its calls and lets what it does depend on them.
struct Rules {
    filtered: Log,
    modified: Log,
    calls: u64,
}

impl ContactHooks for Rules {
    fn filter_pair(&mut self, pair: &HookedPair) -> PairResponse {
        self.filtered.0.lock().unwrap().push(pair.colliders.map(|c| c.id));
        match pair.colliders.map(|c| c.user_data).iter().sum::<u64>() % 4 {
            0 => PairResponse::Ignore,
            1 => PairResponse::Touching,
            _ => PairResponse::Contacts,
        }
    }

    fn modify_manifold(&mut self, pair: &HookedPair, manifold: &mut Manifold) -> bool {
        assert_eq!(manifold.colliders, pair.colliders.map(|c| c.id));
        self.modified.0.lock().unwrap().push(manifold.colliders);
        self.calls += 1;
        manifold.depth *= 0.5;
        if self.calls.is_multiple_of(5) {
            manifold.points.pop();
        }
        !self.calls.is_multiple_of(7)
    }
}

fn crowd(threads: usize, hooked: bool) -> (World, Vec<ColliderId>, [Log; 2]) {
    let mut world = World::builder().backend(Backend::Cpu).threads(threads).build().unwrap();
    let shapes = [Shape::sphere(0.3).unwrap(), Shape::cuboid([0.3, 0.25, 0.2]).unwrap()];
    let shapes = shapes.map(|shape| world.add_shape(shape).unwrap());
    let random = &mut Random::new(5);
    let ids = (0..60)
        .map(|k| {
            let at = Translation3::new(random.signed(), random.signed(), random.signed());
            let pose = Isometry3::from_parts(at, random.rotation());
            let collider = Collider::new(shapes[k % 2]).pose(pose).user_data(k as u64).sensor(k % 11 == 0);
            world.add_collider(collider).unwrap()
        })
        .collect();
    let logs = [Log::default(), Log::default()];
    if hooked {
        let [filtered, modified] = logs.clone();
        assert!(world.set_hooks(Some(Box::new(Rules { filtered, modified, calls: 0 }))).is_none());
    }
    (world, ids, logs)
}

type Pairs = Vec<[ColliderId; 2]>;

/// Six steps, the last two of which move nothing: manifolds, contacts and what the hooks were asked.
fn history(threads: usize) -> Vec<(Vec<Manifold>, Pairs, [Pairs; 2])> {
    let (mut world, ids, logs) = crowd(threads, true);
    let random = &mut Random::new(9);
    (0..6)
        .map(|step| {
            for &id in &ids[..if step < 4 { 20 } else { 0 }] {
                let mut pose = world.pose(id).unwrap();
                pose.translation.vector += 0.1 * random.direction();
                world.set_pose(id, pose).unwrap();
            }
            world.step();
            let contacts = world.contacts().map(|c| c.colliders).collect();
            (world.manifolds().to_vec(), contacts, logs.each_ref().map(Log::take))
        })
        .collect()
}

#[test]
fn hooks_are_asked_in_one_order_for_any_number_of_threads() {
    let one = history(1);
    for threads in [2, 3, 8] {
        assert_eq!(history(threads), one, "{threads} threads");
    }
    for (_, _, [filtered, modified]) in &one {
        assert!(filtered.len() > 100 && modified.len() > 50);
        assert!(filtered.is_sorted() && modified.is_sorted());
    }
}

/// The pairs that are left are those that the rule leaves of the world without hooks.
#[test]
fn what_is_ignored_has_no_contact_and_the_rest_is_as_without_hooks() {
    let (mut free, ids, _) = crowd(2, false);
    let (mut hooked, _, [filtered, _]) = crowd(2, true);
    let sum = |pair: &[ColliderId; 2]| pair.map(|id| free_index(&ids, id)).iter().sum::<u64>() % 4;
    free.step();
    let report = hooked.step();
    let asked = filtered.take();
    assert_eq!(asked.len(), hooked.pairs().len());
    let ignored = asked.iter().filter(|pair| sum(pair) == 0).count();
    assert_eq!(report.counts.ignored_pairs, ignored as u64);
    assert!(ignored > 20);
    let left: Vec<_> = free.contacts().filter(|c| sum(&c.colliders) != 0).collect();
    let touching: Vec<_> = hooked.contacts().collect();
    assert_eq!(
        touching.iter().map(|c| c.colliders).collect::<Vec<_>>(),
        left.iter().map(|c| c.colliders).collect::<Vec<_>>()
    );
    for (contact, was) in touching.iter().zip(&left) {
        assert_eq!(contact.sensor, was.sensor || sum(&contact.colliders) == 1);
    }
    let changed: BTreeSet<_> = hooked.manifolds().iter().map(|m| m.colliders).collect();
    assert!(changed.iter().all(|pair| sum(pair) > 1));
    for manifold in hooked.manifolds() {
        let was = free.manifolds_between(manifold.colliders[0], manifold.colliders[1]).unwrap();
        assert!(was.iter().any(|m| m.normal == manifold.normal && 0.5 * m.depth == manifold.depth));
    }
    // Taken away, the hooks leave nothing behind.
    assert!(hooked.set_hooks(None).is_some());
    let report = hooked.step();
    assert_eq!(report.counts.ignored_pairs, 0);
    free.step();
    let geometry = |world: &World| -> Vec<_> {
        world.manifolds().iter().map(|m| (m.colliders, m.normal, m.depth, m.points.len())).collect()
    };
    assert_eq!(geometry(&hooked), geometry(&free));
    assert!(hooked.contacts().eq(free.contacts()));
    assert_eq!(hooked.step().counts.kept_pairs, hooked.pairs().len() as u64);
}

fn free_index(ids: &[ColliderId], id: ColliderId) -> u64 {
    ids.iter().position(|other| *other == id).unwrap() as u64
}

/// A gate that lets pairs through or not, switched from outside while nothing moves.
#[test]
fn a_hook_that_changes_its_mind_is_heard_although_nothing_moves() {
    struct Gate(Arc<Mutex<PairResponse>>);
    impl ContactHooks for Gate {
        fn filter_pair(&mut self, _: &HookedPair) -> PairResponse {
            *self.0.lock().unwrap()
        }
    }
    let mut world = World::builder().threads(1).build().unwrap();
    let ball = world.add_shape(Shape::sphere(0.5).unwrap()).unwrap();
    world.add_collider(Collider::new(ball)).unwrap();
    world.add_collider(Collider::new(ball).position([0.9, 0.0, 0.0])).unwrap();
    let gate = Arc::new(Mutex::new(PairResponse::Contacts));
    world.set_hooks(Some(Box::new(Gate(Arc::clone(&gate)))));
    let mut seen = Vec::new();
    for response in [
        PairResponse::Contacts,
        PairResponse::Contacts,
        PairResponse::Ignore,
        PairResponse::Touching,
        PairResponse::Contacts,
    ] {
        *gate.lock().unwrap() = response;
        let report = world.step();
        let phases: Vec<_> = world.events().iter().map(|e| e.phase).collect();
        seen.push((report.counts.manifolds, world.contacts().count(), report.counts.kept_pairs, phases));
    }
    let (begin, end) = (vec![ContactPhase::Begin], vec![ContactPhase::End]);
    let wanted =
        [(1, 1, 0, begin.clone()), (1, 1, 1, vec![]), (0, 0, 0, end), (0, 1, 0, begin), (1, 1, 0, vec![])];
    assert_eq!(seen, wanted);
}

/// Impulses come back to the points that a hook has left, whatever it dropped before them.
#[test]
fn impulses_find_their_points_past_what_a_hook_drops() {
    /// Drops the first point of every manifold.
    struct First;
    impl ContactHooks for First {
        fn modify_manifold(&mut self, _: &HookedPair, manifold: &mut Manifold) -> bool {
            manifold.points.remove(0);
            true
        }
    }
    /// Gives each point an impulse by its key.
    struct ByKey;
    impl Solver for ByKey {
        type Error = std::convert::Infallible;
        fn solve(&mut self, rows: &[ContactRow], to: &mut [Impulse], _: f64) -> Result<(), Self::Error> {
            for (row, to) in rows.iter().zip(to) {
                to.normal = 1.0 + (row.key % 1000) as f64;
            }
            Ok(())
        }
    }
    let mut world = World::builder().threads(1).build().unwrap();
    let shapes = [[2.0, 2.0, 0.5], [0.3, 0.3, 0.3]].map(|half| Shape::cuboid(half).unwrap());
    let [floor, block] = shapes.map(|shape| world.add_shape(shape).unwrap());
    world.add_collider(Collider::new(floor).fixed(true)).unwrap();
    world.add_collider(Collider::new(block).position([0.1, 0.2, 0.79])).unwrap();
    world.set_hooks(Some(Box::new(First)));
    world.step();
    assert_eq!(world.manifolds()[0].points.len(), 3);
    world.solve(&mut ByKey, 0.01).unwrap();
    world.step();
    for point in &world.manifolds()[0].points {
        assert_eq!(point.impulse.normal, 1.0 + (point.key % 1000) as f64);
    }
    // The point that was dropped got nothing.
    world.set_hooks(None);
    world.step();
    let impulses: Vec<f64> = world.manifolds()[0].points.iter().map(|p| p.impulse.normal).collect();
    assert_eq!(impulses.iter().filter(|x| **x == 0.0).count(), 1, "{impulses:?}");
    assert_eq!(impulses.len(), 4);
}
