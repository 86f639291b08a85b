//! A simulation on the GPU goes where it goes on the CPU, with a device that is lost on the way.

use impinge::gpu_narrow::{AdapterChoice, InjectedFault};
use impinge::{Backend, Parity, StepStatus, World};
use impinge_reference::{BodyDesc, Simulator, SimulatorSettings};
use impinge_scenes::SceneParams;
use nalgebra::Isometry3;

use crate::{on_cpu, on_gpu};

/// Steps of 1/60 s, and the one in which the device is lost.
const STEPS: u32 = 60;
const LOST_AT: u32 = 30;

/// The poses after every twentieth step, the steps in which the device was lost, and the jobs that it did.
fn run(world: World, lose: bool) -> (Vec<Vec<Isometry3<f64>>>, Vec<u32>, u64) {
    let scene =
        impinge_scenes::scene("chain", &SceneParams { bodies: Some(8), ..SceneParams::default() }).unwrap();
    let settings = SimulatorSettings { gravity: scene.gravity, ..SimulatorSettings::default() };
    let mut simulator = Simulator::new(world, settings).unwrap();
    let shapes: Vec<_> = scene
        .shapes
        .iter()
        .map(|shape| simulator.world_mut().add_shape(shape.shape.clone()).unwrap())
        .collect();
    let ids: Vec<_> = scene
        .bodies
        .iter()
        .map(|body| {
            let density = (!body.fixed).then_some(body.density);
            let desc = BodyDesc { density, ..BodyDesc::new(shapes[body.shape]).pose(body.pose) };
            simulator.add_body(desc).unwrap()
        })
        .collect();
    let (mut poses, mut lost, mut jobs) = (Vec::new(), Vec::new(), 0);
    for step in 1..=STEPS {
        if lose && step == LOST_AT {
            simulator.world_mut().inject_gpu_fault(InjectedFault::LoseDevice);
        }
        let done = simulator.step(1.0 / 60.0).unwrap();
        if done.status.contains(StepStatus::GPU_LOST) {
            lost.push(step);
        }
        jobs += done.report.counts.gpu_jobs;
        if step % 20 == 0 {
            poses.push(ids.iter().map(|&id| *simulator.body(id).unwrap().pose()).collect());
        }
    }
    (poses, lost, jobs)
}

#[test]
fn a_chain_swings_alike_on_the_gpu_and_a_lost_device_does_not_stop_it() {
    let Some(builder) = on_gpu("simulate") else { return };
    let (cpu, none, _) = run(on_cpu().build().unwrap(), false);
    let (gpu, lost, jobs) = run(builder.build().unwrap(), true);
    assert!(none.is_empty() && jobs > 100, "{jobs}");
    assert_eq!(lost, [LOST_AT]);
    assert_eq!(cpu, gpu);
}

#[test]
fn a_chain_swings_alike_when_the_work_is_divided() {
    if on_gpu("simulate, divided").is_none() {
        return;
    }
    // Hybrid takes no software adapter unasked: the one that the tests run on is named.
    let name = impinge::gpu_narrow::choose(&AdapterChoice::Any).unwrap().name.clone();
    let builder = World::builder().backend(Backend::Hybrid).parity(Parity::Bits).adapter(name).threads(2);
    let (hybrid, _, _) = run(builder.build().unwrap(), false);
    let (cpu, _, _) = run(on_cpu().build().unwrap(), false);
    assert_eq!(cpu, hybrid);
}
