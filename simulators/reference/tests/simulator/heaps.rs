//! Meshes that fall on each other.

use impinge::prelude::*;
use impinge_reference::{BodyDesc, BodyId, Simulator, SimulatorSettings};

use crate::scene::{self, DT};

/// Two tori, the second linked through the first and turned across it, fall half a metre.
fn linked_tori(threads: usize) -> Simulator {
    let world = World::builder().backend(Backend::Cpu).threads(threads).build().unwrap();
    let mut sim = Simulator::new(world, SimulatorSettings::default()).unwrap();
    scene::add_floor(&mut sim, Isometry3::identity(), Material::default());
    let ring = scene::shape(&mut sim, scene::torus(0.4, 0.12, 24, 12));
    let flat = Isometry3::translation(0.0, 0.0, 0.6);
    let across = Isometry3::new(Vector3::new(0.4, 0.0, 0.65), Vector3::x() * 1.5);
    sim.add_body(BodyDesc::new(ring).pose(flat)).unwrap();
    sim.add_body(BodyDesc::new(ring).pose(across)).unwrap();
    sim
}

/// They come to rest, still linked, and nothing is deeper than 2 % of a ring's radius.
#[test]
fn linked_tori_come_to_rest() {
    let mut sim = linked_tori(2);
    let mut deepest = 0.0f64;
    let mut last = None;
    for step in 0..400 {
        let summary = sim.step(DT).unwrap();
        if step >= 100 {
            deepest = deepest.max(summary.deepest);
        }
        last = Some(summary);
    }
    let last = last.unwrap();
    assert!(last.mean_speed < 1e-2, "{} m/s", last.mean_speed);
    assert!(deepest < 0.02 * 0.52, "{deepest} m deep");
    let at: Vec<_> = sim.bodies().skip(1).map(|(_, b)| b.center()).collect();
    assert!((at[0] - at[1]).norm() < 0.7, "the rings have come apart: {at:?}");
    assert!(at.iter().all(|p| p.z > 0.1), "{at:?}");
}

/// The same bits for any number of threads.
#[test]
fn threads_do_not_change_a_bit() {
    let poses = |threads| {
        let mut sim = linked_tori(threads);
        for _ in 0..40 {
            sim.step(DT).unwrap();
        }
        sim.bodies().map(|(_, body)| *body.pose()).collect::<Vec<_>>()
    };
    assert_eq!(poses(1), poses(3));
}

/// How far linked tori at rest go in half a second in which they are kept awake (m), and how many pairs were carried along; beside
/// a ring that flies by, if it does.
fn wander(flies_by: bool) -> (f64, u64) {
    let mut sim = linked_tori(2);
    scene::run(&mut sim, 5.0);
    let rings: Vec<_> = sim.bodies().skip(1).map(|(id, body)| (id, *body.pose())).collect();
    if flies_by {
        let bullet = scene::shape(&mut sim, scene::torus(0.1, 0.03, 12, 8));
        let far = Isometry3::translation(-20.0, 5.0, 3.0);
        let flying = BodyDesc { linear_velocity: Vector3::x() * 40.0, ..BodyDesc::new(bullet).pose(far) };
        sim.add_body(flying).unwrap();
    }
    let mut carried = 0;
    for _ in 0..30 {
        rings.iter().for_each(|(id, _)| sim.wake(*id).unwrap());
        let summary = sim.step(DT).unwrap();
        assert_eq!(summary.detections, if flies_by { 4 } else { 1 });
        carried += summary.report.counts.carried_pairs;
    }
    let gone = |(id, before): &(BodyId, Isometry3<f64>)| {
        (sim.body(*id).unwrap().pose().translation.vector - before.translation.vector).norm()
    };
    (rings.iter().map(gone).fold(0.0, f64::max), carried)
}

/// A step that something fast splits finds again only what is fast: what lies still is carried along, and lies as still.
#[test]
fn what_lies_still_is_carried_along_while_something_flies_by() {
    let ((alone, none), (beside, carried)) = (wander(false), wander(true));
    // Two rings on the floor and in each other: three pairs in each of the steps, but for one that comes apart now and then.
    assert!(none == 0 && (80..=90).contains(&carried), "{none} {carried}");
    assert!(beside < 1.2 * alone + 1e-6, "{beside} m beside it, {alone} m alone");
}
