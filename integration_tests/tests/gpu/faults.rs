//! A step that the GPU does not finish is finished on the CPU, says so, and is not the last.

use impinge::gpu_narrow::{Capacities, InjectedFault};
use impinge::prelude::*;
use impinge::{BuildError, ColliderId, StepStatus};
use impinge_scenes::mesh::Torus;

use crate::{gpu_work, on_cpu, on_gpu};

/// Tori in a row, each touching the next.
struct Row {
    world: World,
    ids: Vec<ColliderId>,
    time: f64,
}

impl Row {
    fn new(mut world: World, count: usize) -> Row {
        let torus = world.add_shape(Torus::default().mesh().unwrap()).unwrap();
        let ids = (0..count).map(|_| world.add_collider(Collider::new(torus)).unwrap()).collect();
        Row { world, ids, time: 0.0 }
    }

    /// Moves every torus a little and takes a step.
    fn step(&mut self) -> StepReport {
        self.time += 0.01;
        for (k, &id) in self.ids.iter().enumerate() {
            // Along x, each rolled a little farther; the tori are 0.8 m wide.
            let turn = UnitQuaternion::from_euler_angles(0.1 * k as f64, 0.0, 0.0);
            let at = Translation3::new(0.76 * k as f64, 0.02 * (self.time * k as f64).sin(), 0.0);
            self.world.set_pose(id, Isometry3::from_parts(at, turn)).unwrap();
        }
        self.world.step()
    }
}

#[test]
fn a_fault_leaves_the_step_to_the_cpu_and_the_next_step_recovers() {
    let Some(builder) = on_gpu("world faults") else { return };
    let (mut gpu, mut cpu) = (Row::new(builder.build().unwrap(), 5), Row::new(on_cpu().build().unwrap(), 5));
    let mut both = |fault: Option<InjectedFault>| {
        if let Some(fault) = fault {
            gpu.world.inject_gpu_fault(fault);
        }
        let (report, _) = (gpu.step(), cpu.step());
        assert!(!gpu.world.manifolds().is_empty());
        assert_eq!(gpu.world.manifolds(), cpu.world.manifolds(), "{fault:?}");
        (report, gpu.world.gpu_fault().map(str::to_owned))
    };
    let (first, fault) = both(None);
    let jobs = first.counts.gpu_jobs;
    assert!(jobs >= 4 && first.status.is_none() && fault.is_none(), "{first:?} {fault:?}");
    for (injected, lost, word) in [
        (InjectedFault::RefuseSubmission, 0, "refused"),
        (InjectedFault::DropSubmission, 0, "dropped"),
        (InjectedFault::LoseDevice, 1, "lost"),
        (InjectedFault::Panic, 1, "panicked"),
    ] {
        let (report, fault) = both(Some(injected));
        assert_eq!(gpu_work(&report)[1..], [jobs, lost], "{injected:?}");
        assert!(report.status.contains(StepStatus::GPU_REDONE), "{injected:?}");
        assert_eq!(report.status.contains(StepStatus::GPU_LOST), lost == 1, "{injected:?}");
        assert!(fault.is_some_and(|fault| fault.contains(word)), "{injected:?}");
        let (next, _) = both(None);
        assert_eq!(gpu_work(&next), [jobs, 0, 0], "after {injected:?}");
        let wanted = if lost == 1 { StepStatus::GPU_BACK } else { StepStatus::NONE };
        assert_eq!((next.status, next.counts.gpu_back), (wanted, lost), "after {injected:?}");
        let (after, fault) = both(None);
        assert!(after.status.is_none(), "after {fault:?}: {} {fault:?}", after.status);
    }
}

#[test]
fn a_device_lost_between_steps_or_in_a_step_without_work_is_noticed_and_taken_anew() {
    let Some(builder) = on_gpu("idle device lost") else { return };
    let (mut gpu, mut cpu) = (Row::new(builder.build().unwrap(), 5), Row::new(on_cpu().build().unwrap(), 5));
    let jobs = gpu.step().counts.gpu_jobs;
    cpu.step();
    gpu.world.inject_gpu_fault(InjectedFault::LoseIdleDevice);
    let (report, _) = (gpu.step(), cpu.step());
    // The step began with a new device, and nothing had to be redone.
    assert_eq!(gpu_work(&report), [jobs, 0, 0]);
    assert_eq!(report.status, StepStatus::GPU_BACK);
    assert!(gpu.world.gpu_fault().is_some_and(|fault| fault.contains("lost")));
    assert_eq!(gpu.world.manifolds(), cpu.world.manifolds());
    // Nothing moves: there is nothing to do for the device that is lost.
    gpu.world.inject_gpu_fault(InjectedFault::LoseDevice);
    let report = gpu.world.step();
    assert_eq!((gpu_work(&report), report.status), ([0, 0, 1], StepStatus::GPU_LOST));
    let (report, _) = (gpu.step(), cpu.step());
    assert_eq!((gpu_work(&report), report.status), ([jobs, 0, 0], StepStatus::GPU_BACK));
    assert_eq!(gpu.world.manifolds(), cpu.world.manifolds());
}

#[test]
fn what_exceeds_a_capacity_is_done_on_the_cpu_and_counted() {
    let usual = Capacities::default();
    let tight = [
        (Capacities { units: 1, ..usual }, true),
        (Capacities { leaf_pairs: 1, ..usual }, true),
        (Capacities { mesh_words: 1, ..usual }, true),
        // Enough for the answers, not for the meshes: a fault of the whole step.
        (Capacities { buffer_bytes: 1 << 15, ..usual }, false),
    ];
    let mut cpu = Row::new(on_cpu().build().unwrap(), 5);
    cpu.step();
    for (capacities, counted) in tight {
        let Some(builder) = on_gpu("world capacities") else { return };
        let mut gpu = Row::new(builder.gpu_capacities(capacities).build().unwrap(), 5);
        let report = gpu.step();
        assert_eq!(gpu.world.manifolds(), cpu.world.manifolds(), "{capacities:?}");
        assert!(report.counts.gpu_redone > 0, "{capacities:?}");
        assert!(report.status.contains(StepStatus::GPU_REDONE));
        assert_eq!(report.counts.gpu_over_capacity > 0, counted, "{capacities:?}");
        if !counted {
            assert!(gpu.world.gpu_fault().is_some_and(|fault| fault.contains("out of GPU memory")));
        }
    }
}

#[test]
fn an_adapter_that_is_not_there_is_an_error_for_gpu_and_none_for_auto() {
    let named = |backend| World::builder().backend(backend).adapter("no such adapter").threads(1);
    for backend in [Backend::Gpu, Backend::Hybrid] {
        let error = named(backend).build().unwrap_err();
        assert!(matches!(&error, BuildError::Backend { backend: b, .. } if *b == backend), "{error}");
        assert!(error.to_string().contains("no such adapter"), "{error}");
    }
    let world = named(Backend::Auto).build().unwrap();
    assert_eq!((world.backend(), world.adapter()), (Backend::Cpu, None));
}
