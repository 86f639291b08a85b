//! Steps that run while the caller works, on a pool that may be the caller's.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use impinge::prelude::*;
use impinge::{ContactHooks, HookedPair, PairResponse, ThreadPool};
use impinge_scenes::mesh::Torus;

/// Long enough for any machine, and short enough to fail a test.
const LONG: Duration = Duration::from_secs(60);

fn pool(threads: usize) -> Arc<ThreadPool> {
    Arc::new(rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap())
}

fn on(pool: &Arc<ThreadPool>) -> World {
    World::builder().backend(Backend::Cpu).thread_pool(Arc::clone(pool)).build().unwrap()
}

/// Tori in a row, each touching the next.
fn row(mut world: World) -> (World, Vec<ColliderId>) {
    let torus = world.add_shape(Torus::default().mesh().unwrap()).unwrap();
    let ids = (0..8)
        .map(|k| {
            let turn = UnitQuaternion::from_euler_angles(0.1 * f64::from(k), 0.0, 0.0);
            let pose = Isometry3::from_parts(Translation3::new(0.76 * f64::from(k), 0.0, 0.0), turn);
            world.add_collider(Collider::new(torus).pose(pose)).unwrap()
        })
        .collect();
    (world, ids)
}

fn stir(world: &mut World, ids: &[ColliderId], step: u32) {
    for (k, &id) in ids.iter().enumerate() {
        let mut pose = world.pose(id).unwrap();
        pose.translation.y = 0.02 * (f64::from(step) * k as f64).sin();
        world.set_pose(id, pose).unwrap();
    }
}

/// Asked about a pair, it says so and waits for the caller's answer.
struct Meeting {
    here: Sender<()>,
    go_on: std::sync::Mutex<Receiver<()>>,
}

impl ContactHooks for Meeting {
    fn filter_pair(&mut self, _: &HookedPair) -> PairResponse {
        self.here.send(()).unwrap();
        let met = self.go_on.get_mut().unwrap().recv_timeout(LONG);
        if met.is_ok() { PairResponse::Contacts } else { PairResponse::Ignore }
    }
}

/// A hook inside the step waits for the caller, who waits for the hook: neither would come if the step did not
/// run while the caller does.
#[test]
fn the_step_runs_while_the_caller_works() {
    let mut world = on(&pool(1));
    let ball = world.add_shape(Shape::sphere(0.5).unwrap()).unwrap();
    world.add_collider(Collider::new(ball)).unwrap();
    world.add_collider(Collider::new(ball).position([0.9, 0.0, 0.0])).unwrap();
    let (here, in_step) = channel();
    let (go, go_on) = channel();
    world.set_hooks(Some(Box::new(Meeting { here, go_on: go_on.into() })));
    let step = world.begin_step();
    in_step.recv_timeout(LONG).expect("the step has begun");
    assert!(!step.is_finished());
    go.send(()).unwrap();
    assert_eq!(step.finish().counts.manifolds, 1);
    // Dropped, the step is waited for, too.
    let step = world.begin_step();
    in_step.recv_timeout(LONG).expect("the step has begun");
    go.send(()).unwrap();
    drop(step);
    assert_eq!((world.steps(), world.manifolds().len()), (2, 1));
}

/// The same manifolds, counts and events as by [`World::step`], for any number of threads.
#[test]
fn begun_and_finished_is_stepped() {
    for threads in [1, 2, 3, 8] {
        let (mut split, _) = row(on(&pool(threads)));
        let (mut whole, ids) = row(on(&pool(2)));
        for step in 0..4 {
            stir(&mut whole, &ids, step);
            stir(&mut split, &ids, step);
            let wanted = whole.step();
            let in_flight = split.begin_step();
            let sum: u64 = (0..1000).sum();
            assert_eq!((in_flight.finish().counts, sum), (wanted.counts, 499_500));
            assert_eq!(split.manifolds(), whole.manifolds());
            assert_eq!(split.events(), whole.events());
        }
    }
}

/// One that is forgotten is waited for by whatever is called next.
#[test]
fn a_forgotten_step_is_waited_for() {
    let (mut whole, ids) = row(on(&pool(2)));
    let (mut split, _) = row(on(&pool(2)));
    for step in 0..3 {
        stir(&mut whole, &ids, step);
        stir(&mut split, &ids, step);
        whole.step();
        std::mem::forget(split.begin_step());
        assert_eq!(split.manifolds(), whole.manifolds());
        std::mem::forget(split.begin_step());
        split.set_user_data(ids[0], u64::from(step)).unwrap();
        std::mem::forget(split.begin_step());
        let report = split.begin_step().finish();
        assert_eq!(report.counts.kept_pairs, report.counts.pairs);
        assert_eq!(split.steps(), 4 * u64::from(step + 1));
    }
    // And by nobody, where the world goes.
    std::mem::forget(split.begin_step());
    drop(split);
}

/// Two worlds on one pool, stepped from within it: by one worker that has to do all the work itself.
#[test]
fn a_pool_is_shared_and_may_be_stepped_from_within() {
    for threads in [1, 3] {
        let shared = pool(threads);
        let (mut alone, ids) = row(on(&pool(2)));
        let ((mut one, _), (mut other, _)) = (row(on(&shared)), row(on(&shared)));
        assert_eq!(one.threads(), threads);
        for step in 0..3 {
            for world in [&mut alone, &mut one, &mut other] {
                stir(world, &ids, step);
            }
            alone.step();
            shared.install(|| {
                rayon::join(|| one.step(), || other.begin_step().finish());
            });
            assert_eq!(one.manifolds(), alone.manifolds());
            assert_eq!(other.manifolds(), alone.manifolds());
        }
    }
}

/// A hook that panics does so in the caller's thread, and the world goes on.
#[test]
fn a_panic_in_a_hook_reaches_the_caller() {
    struct Bang;
    impl ContactHooks for Bang {
        fn filter_pair(&mut self, _: &HookedPair) -> PairResponse {
            panic!("bang");
        }
    }
    let (mut world, ids) = row(on(&pool(2)));
    world.set_hooks(Some(Box::new(Bang)));
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| world.begin_step().finish()));
    assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"bang"));
    world.set_hooks(None);
    let (mut fresh, _) = row(on(&pool(2)));
    stir(&mut world, &ids, 1);
    stir(&mut fresh, &ids, 1);
    world.step();
    fresh.step();
    assert_eq!(world.manifolds(), fresh.manifolds());
}

/// Worlds can be sent to other threads and looked at from many.
#[test]
fn a_world_is_send_and_sync() {
    fn holds<T: Send + Sync>(_: &T) {}
    holds(&World::builder().backend(Backend::Cpu).build().unwrap());
}
