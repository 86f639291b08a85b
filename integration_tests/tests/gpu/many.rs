//! Many small pairs in one step, and what is in each other's way by their number.

use impinge::gpu_narrow::Capacities;
use impinge::prelude::*;
use impinge::{ColliderId, Redo, StepStatus};
use impinge_scenes::fixtures::sphere_mesh;

use crate::{on_cpu, on_gpu};

/// Bodies of a row. A row of n bodies has n − 1 pairs.
const LONGEST: usize = 257;

/// Small bodies in rows, each a little in the next.
struct Rows {
    world: World,
    ids: Vec<ColliderId>,
}

impl Rows {
    fn new(mut world: World, pairs: usize) -> Rows {
        let ball = world.add_shape(sphere_mesh(0.5, 6, 4)).unwrap();
        let count = pairs + pairs.div_ceil(LONGEST - 1);
        let ids = (0..count).map(|_| world.add_collider(Collider::new(ball)).unwrap()).collect();
        Rows { world, ids }
    }

    fn step(&mut self, step: usize) -> StepReport {
        for (k, &id) in self.ids.iter().enumerate() {
            let (row, place) = (k / LONGEST, k % LONGEST);
            let turn =
                UnitQuaternion::from_euler_angles(0.7 * k as f64, 0.3 * k as f64 + 0.01 * step as f64, 0.0);
            let at = Translation3::new(0.8 * place as f64, 2.0 * row as f64, 0.0);
            self.world.set_pose(id, Isometry3::from_parts(at, turn)).unwrap();
        }
        self.world.step()
    }
}

/// How many pairs: `IMPINGE_MANY_PAIRS`, or some that take a second. 32,768 fill the places for views.
fn pairs() -> usize {
    std::env::var("IMPINGE_MANY_PAIRS").ok().and_then(|n| n.parse().ok()).unwrap_or(512)
}

#[test]
fn many_pairs_are_one_step_with_either_parity() {
    let Some(builder) = on_gpu("many pairs") else { return };
    let pairs = pairs();
    let mut cpu = Rows::new(on_cpu().build().unwrap(), pairs);
    let mut bits = Rows::new(builder.clone().build().unwrap(), pairs);
    let mut meaning = Rows::new(builder.parity(Parity::Meaning).build().unwrap(), pairs);
    let touching = |world: &World| world.contacts().map(|contact| contact.colliders).collect::<Vec<_>>();
    for step in 0..2 {
        let expected = cpu.step(step).counts;
        assert_eq!(expected.pairs, pairs as u64);
        for own in [&mut bits, &mut meaning] {
            let report = own.step(step);
            let counts = &report.counts;
            assert_eq!((counts.pairs, counts.touching), (expected.pairs, expected.touching));
            let fault = own.world.gpu_fault();
            assert_eq!((counts.gpu_redone, counts.gpu_jobs), (0, counts.jobs), "{fault:?}");
            // Parts that come while others are found are not waited for.
            assert!(counts.gpu_waits <= counts.gpu_submissions, "{}", counts.gpu_waits);
            assert!(report.status.is_none(), "{}", report.status);
            assert_eq!(counts.redone.of(Redo::Capacity), 0);
            assert_eq!(touching(&own.world), touching(&cpu.world));
            println!(
                "step {step}, {}: {pairs} pairs, {} touch; {} of {} without a view on the CPU, {} over capacity; {} submissions, {} up, {} B back",
                own.world.parity(),
                counts.touching,
                counts.gpu_manifolds,
                counts.gpu_touching,
                counts.redone.of(Redo::Capacity),
                counts.gpu_submissions,
                counts.gpu_bytes_up,
                counts.gpu_bytes_back
            );
        }
        assert_eq!(bits.world.manifolds(), cpu.world.manifolds());
        let few = meaning.world.manifolds().len().abs_diff(cpu.world.manifolds().len());
        assert!(few * 100 <= cpu.world.manifolds().len(), "{few}");
    }
}

#[test]
fn pairs_beyond_the_places_for_views_are_the_cpu_s_and_the_others_the_device_s() {
    // Four views to a pair: ten pairs have places.
    let capacities = Capacities { tiles: 40, ..Capacities::default() };
    let Some(builder) = on_gpu("few places for views") else { return };
    let builder = builder.parity(Parity::Meaning).gpu_capacities(capacities);
    let mut gpu = Rows::new(builder.build().unwrap(), 32);
    let mut cpu = Rows::new(on_cpu().build().unwrap(), 32);
    let (report, expected) = (gpu.step(0), cpu.step(0).counts);
    let counts = &report.counts;
    assert!(report.status.contains(StepStatus::GPU_FULL), "{}", report.status);
    assert_eq!(report.status.names().collect::<Vec<_>>(), ["gpu-full"]);
    assert_eq!(counts.touching, expected.touching);
    assert_eq!(counts.gpu_touching, counts.touching);
    assert!(counts.gpu_manifolds > 0 && counts.gpu_manifolds <= 10, "{counts:?}");
    assert_eq!(counts.redone.of(Redo::Capacity), counts.gpu_touching - 10, "{:?}", counts.redone);
}
