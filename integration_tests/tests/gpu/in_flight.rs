//! Steps on the GPU that run while the caller works, or from within the pool that they need.

use std::sync::Arc;

use impinge::prelude::*;
use impinge_scenes::mesh::Torus;

use crate::{on_cpu, on_gpu};

fn row(mut world: World) -> (World, Vec<ColliderId>) {
    let torus = world.add_shape(Torus::default().mesh().unwrap()).unwrap();
    let at = |k: u32| {
        let turn = UnitQuaternion::from_euler_angles(0.1 * f64::from(k), 0.0, 0.0);
        Isometry3::from_parts(Translation3::new(0.76 * f64::from(k), 0.0, 0.0), turn)
    };
    let ids = (0..4).map(|k| world.add_collider(Collider::new(torus).pose(at(k))).unwrap()).collect();
    (world, ids)
}

/// A pool of one worker: it takes the step and is needed by it.
#[test]
fn a_step_on_the_gpu_does_not_wait_for_itself() {
    let Some(builder) = on_gpu("steps in flight") else { return };
    let pool = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap());
    let (mut gpu, ids) = row(builder.thread_pool(Arc::clone(&pool)).build().unwrap());
    let (mut cpu, _) = row(on_cpu().build().unwrap());
    for step in 0..3 {
        for (k, &id) in ids.iter().enumerate() {
            for world in [&mut gpu, &mut cpu] {
                let mut pose = world.pose(id).unwrap();
                pose.translation.y = 0.01 * (step * k) as f64;
                world.set_pose(id, pose).unwrap();
            }
        }
        cpu.step();
        let report = match step {
            0 => gpu.begin_step().finish(),
            1 => pool.install(|| gpu.step()),
            _ => gpu.step(),
        };
        assert!(report.counts.gpu_jobs > 0 && report.counts.gpu_redone == 0, "{report:?}");
        assert_eq!(gpu.manifolds(), cpu.manifolds(), "step {step}");
    }
}
