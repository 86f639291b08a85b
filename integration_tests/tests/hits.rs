//! What contacts and events say of a touch: normal, depth, point, and the impulses that a solver found.

use impinge::prelude::*;
use impinge::{SolveError, TouchSummary};
use impinge_reference::{BodyDesc, BodyId, Simulator, SimulatorSettings};

const DT: f64 = 1.0 / 60.0;
const G: f64 = 9.81;

fn touch(event: &ContactEvent) -> TouchSummary {
    event.contact.touch.unwrap()
}

/// Balls of radii r and s whose centres are d apart along a unit vector u: the normal is u, the depth r + s − d, and the
/// point halfway between the surfaces, at (r + d − s)/2 from the first.
#[test]
fn two_balls_touch_where_the_closed_form_says() {
    let mut world = World::builder().backend(Backend::Cpu).build().unwrap();
    let shapes = [0.5, 0.3].map(|r| world.add_shape(Shape::sphere(r).unwrap()).unwrap());
    let u = Vector3::new(2.0, -1.0, 2.0) / 3.0;
    let a = world.add_collider(Collider::new(shapes[0]).position([1.0, 2.0, 3.0])).unwrap();
    let b = world.add_collider(Collider::new(shapes[1])).unwrap();
    let channel = world.subscribe(Subscription::new());
    let center = Vector3::new(1.0, 2.0, 3.0);
    let phases = [ContactPhase::Begin, ContactPhase::Persist, ContactPhase::End];
    let mut last = None;
    for (d, phase) in [0.75, 0.7, 0.9].into_iter().zip(phases) {
        world.set_pose(b, Isometry3::from(Translation3::from(center + u * d))).unwrap();
        world.step();
        let event = channel.try_recv().unwrap();
        assert_eq!((event.phase, event.contact.colliders), (phase, [a, b]));
        let touch = touch(&event);
        if phase == ContactPhase::End {
            assert_eq!(Some(touch), last, "as it was");
            assert_eq!(world.contact_between(a, b), Ok(None));
            break;
        }
        assert!((touch.normal - u).norm() < 1e-6, "{touch:?}");
        assert!((touch.depth - (0.8 - d)).abs() < 1e-6, "{touch:?}");
        assert!((touch.point.coords - center - u * (0.5 * (0.5 + d - 0.3))).norm() < 1e-6, "{touch:?}");
        assert_eq!(touch.impulse, 0.0);
        assert_eq!(world.contact_between(b, a).unwrap().unwrap().touch, Some(touch));
        last = Some(touch);
    }
    // A sensor only touches.
    world.set_sensor(a, true).unwrap();
    world.set_pose(b, Isometry3::from(Translation3::from(center + u * 0.7))).unwrap();
    world.step();
    assert_eq!(channel.try_recv().unwrap().contact.touch, None);
}

/// A simulator with a floor, and a box of a cubic metre (1000 kg) `height` above it.
fn box_over_floor(height: f64, threads: usize) -> (Simulator, BodyId) {
    let mut world = World::builder().backend(Backend::Cpu).threads(threads).build().unwrap();
    let floor = world.add_shape(Shape::half_space()).unwrap();
    let cube = world.add_shape(Shape::cuboid([0.5; 3]).unwrap()).unwrap();
    let mut sim = Simulator::new(world, SimulatorSettings::default()).unwrap();
    sim.add_body(BodyDesc::fixed(floor)).unwrap();
    let body = sim.add_body(BodyDesc::new(cube).position([0.0, 0.0, 0.5 + height])).unwrap();
    (sim, body)
}

/// In every step the impulses that are told are the momentum that the box gained, and that which its weight took: as it
/// hits the ground and as it rests.
#[test]
fn impulses_are_what_changes_the_momentum() {
    let (mut sim, body) = box_over_floor(0.3, 1);
    let channel = sim.world_mut().subscribe(Subscription::impulses_above(0.0));
    let (mut hit, mut rest) = (0.0f64, 0.0);
    for _ in 0..120 {
        if sim.body(body).unwrap().asleep() {
            break;
        }
        let before = sim.body(body).unwrap().momentum().z;
        sim.step(DT).unwrap();
        // What falls asleep is stopped, and not by the ground.
        if sim.body(body).unwrap().asleep() {
            break;
        }
        let gained = sim.body(body).unwrap().momentum().z - before + 1000.0 * G * DT;
        let told: f64 = channel.try_iter().map(|event| touch(&event).impulse).sum();
        assert!((told - gained).abs() < 1e-6 * 1000.0, "{told} told, {gained} N·s gained");
        (hit, rest) = (hit.max(told), told);
    }
    // √(2 g h) · m at least, and the weight of the step.
    assert!(hit > 1000.0 * (2.0 * G * 0.3f64).sqrt() * 0.95, "{hit} N·s");
    assert!((rest / (1000.0 * G * DT) - 1.0).abs() < 0.01, "{rest} N·s at rest");
    let contact = sim.world().contacts().next().unwrap();
    let asleep = contact.touch.unwrap().impulse;
    assert!((asleep / rest - 1.0).abs() < 0.01, "asleep, it bears what it bore: {asleep} N·s");
}

/// The weight of a box at rest, m·g·dt, is above one limit and below the other: that listener hears of the fall alone.
/// The slice of events has its impulse, too, and the persisting ones of a step have that of the step before.
#[test]
fn a_limit_tells_hits_from_loads() {
    let (mut sim, _) = box_over_floor(0.2, 1);
    let weight = 1000.0 * G * DT;
    let world = sim.world_mut();
    let loads = world.subscribe(Subscription::impulses_above(0.9 * weight));
    let hits = world.subscribe(Subscription::impulses_above(1.1 * weight).persist(false));
    let steps = world.subscribe(Subscription::new());
    let (mut begun, mut last) = (None, 0.0);
    for _ in 0..40 {
        sim.step(DT).unwrap();
        for event in steps.try_iter() {
            assert_eq!(touch(&event).impulse, last, "of the solve before");
        }
        last = sim.world().contacts().next().map_or(0.0, |contact| contact.touch.unwrap().impulse);
        if let [event] = sim.world().events() {
            assert!(begun.replace(*event).is_none());
        }
    }
    let begun = begun.unwrap();
    let told: Vec<ContactEvent> = hits.try_iter().collect();
    assert_eq!(told, [begun]);
    assert_eq!(begun.phase, ContactPhase::Begin);
    assert!(touch(&begun).impulse > 10.0 * weight && (touch(&begun).normal.z - 1.0).abs() < 1e-9);
    let told: Vec<ContactEvent> = loads.try_iter().collect();
    assert_eq!(told[0], begun);
    assert!(told.len() > 10 && told[1..].iter().all(|event| event.phase == ContactPhase::Persist));
}

/// Everything that is told of a heap of boxes, for any number of threads.
#[test]
fn hits_do_not_depend_on_threads() {
    let history = |threads: usize| {
        let mut world = World::builder().backend(Backend::Cpu).threads(threads).build().unwrap();
        let floor = world.add_shape(Shape::half_space()).unwrap();
        let cube = world.add_shape(Shape::cuboid([0.5; 3]).unwrap()).unwrap();
        let mut sim = Simulator::new(world, SimulatorSettings::default()).unwrap();
        sim.add_body(BodyDesc::fixed(floor)).unwrap();
        for k in 0..20 {
            let at = [0.7 * f64::from(k % 3), 0.6 * f64::from(k % 4), 0.6 + 1.1 * f64::from(k / 4)];
            sim.add_body(BodyDesc::new(cube).position(at)).unwrap();
        }
        let hits = sim.world_mut().subscribe(Subscription::impulses_above(20.0));
        for _ in 0..40 {
            sim.step(DT).unwrap();
        }
        hits.try_iter().collect::<Vec<_>>()
    };
    let one = history(1);
    assert!(one.len() > 100, "{}", one.len());
    assert!(one.is_sorted_by_key(|event| (event.step, event.contact.colliders)));
    for threads in [2, 5] {
        assert_eq!(history(threads), one, "{threads} threads");
    }
}

/// A solver that says of each row what `totals` has.
struct Totals(Vec<f64>);

impl Solver for Totals {
    type Error = std::convert::Infallible;

    fn solve(&mut self, _: &[ContactRow], out: &mut [Impulse], _: f64) -> Result<(), Self::Error> {
        out.iter_mut().for_each(|impulse| impulse.normal = 3.0);
        Ok(())
    }

    fn total_impulses(&self) -> Option<&[f64]> {
        Some(&self.0)
    }
}

/// Totals that are not one finite number for each row are refused, and nothing is kept; a full channel counts what it
/// had no room for with the next step.
#[test]
fn totals_are_checked_and_what_finds_no_room_is_counted() {
    let mut world = World::builder().backend(Backend::Cpu).build().unwrap();
    let ball = world.add_shape(Shape::sphere(0.5).unwrap()).unwrap();
    for k in 0..3 {
        world.add_collider(Collider::new(ball).position([0.9 * f64::from(k), 0.0, 0.0])).unwrap();
    }
    let hits = world.subscribe(Subscription::impulses_above(f64::NAN).capacity(1));
    world.step();
    for wrong in [vec![1.0], vec![1.0, f64::NAN]] {
        let error = world.solve(&mut Totals(wrong), DT);
        assert!(matches!(error, Err(SolveError::Impulses(_))), "{error:?}");
        assert!(hits.is_empty() && world.contacts().all(|contact| contact.touch.unwrap().impulse == 0.0));
        assert!(world.manifolds().iter().all(|manifold| manifold.impulse() == 0.0));
    }
    world.solve(&mut Totals(vec![0.0, 7.0]), DT).unwrap();
    let impulses: Vec<f64> = world.contacts().map(|contact| contact.touch.unwrap().impulse).collect();
    assert_eq!(impulses, [0.0, 7.0]);
    assert_eq!(world.manifolds()[0].impulse(), 3.0);
    // Only what is more than 0 is told; then there is no more room.
    world.solve(&mut Totals(vec![5.0, 7.0]), DT).unwrap();
    let told: Vec<f64> = hits.try_iter().map(|event| touch(&event).impulse).collect();
    assert_eq!(told, [7.0]);
    let report = world.step();
    assert_eq!((report.counts.events, report.counts.dropped_events), (1, 2));
}
