//! Every fault comes back as a value, and the next step, on this engine or a new one, is right again.

use impinge_gpu_narrow::{
    AdapterChoice, Capacities, Engine, EngineError, EngineSettings, GpuFault, InjectedFault, IntersectAnswer,
    Overflow, limits, wgpu,
};

use crate::scenes::{PairScene, scenes};
use crate::{engine, engine_with};

/// The answers of a scene's jobs.
fn answers(engine: &mut Engine, scene: &PairScene) -> Result<Vec<IntersectAnswer>, GpuFault> {
    let jobs = scene.jobs();
    engine.begin();
    let tickets: Vec<_> = jobs
        .surfaces()
        .filter_map(|(job, pairs)| engine.push(job, pairs).expect("no capacity is exceeded"))
        .collect();
    assert!(!tickets.is_empty());
    engine.finish()?;
    Ok(tickets.iter().map(|ticket| engine.answer(ticket).expect("an answer")).collect())
}

fn tori() -> PairScene {
    scenes().swap_remove(0)
}

#[test]
fn a_name_that_no_adapter_has_is_refused_with_a_list_of_those_there_are() {
    let adapter = AdapterChoice::Named("no such adapter".into());
    let error = Engine::new(EngineSettings { adapter, ..EngineSettings::default() }).unwrap_err();
    assert!(matches!(error, EngineError::NoAdapter { .. }), "{error:?}");
    assert!(error.to_string().contains("no adapter named `no such adapter` found"), "{error}");
}

#[test]
fn a_device_lost_in_mid_step_is_a_fault_and_a_new_engine_goes_on() {
    let Some(mut engine) = engine("device lost") else { return };
    let scene = tori();
    let before = answers(&mut engine, &scene).unwrap();
    engine.inject(InjectedFault::LoseDevice);
    let fault = answers(&mut engine, &scene).unwrap_err();
    assert!(!fault.device_survives(), "{fault:?}");
    // The lost engine stays lost, without a panic.
    assert!(answers(&mut engine, &scene).is_err());
    let mut next = crate::engine("device lost").expect("there was one");
    assert_eq!(answers(&mut next, &scene).unwrap(), before);
}

#[test]
fn a_device_lost_between_steps_is_noticed_before_the_next() {
    let Some(mut engine) = engine("idle device lost") else { return };
    engine.check().unwrap();
    engine.inject(InjectedFault::LoseIdleDevice);
    let fault = engine.check().unwrap_err();
    assert!(matches!(fault, GpuFault::Lost { .. }), "{fault:?}");
    // In a step without work, too.
    let mut next = crate::engine("idle device lost").expect("there was one");
    next.inject(InjectedFault::LoseDevice);
    next.begin();
    assert!(matches!(next.finish(), Err(GpuFault::Lost { .. })));
}

#[test]
fn a_refused_or_dropped_submission_is_a_fault_and_the_next_step_recovers() {
    let Some(mut engine) = engine("submission refused") else { return };
    let scene = tori();
    let before = answers(&mut engine, &scene).unwrap();
    for (fault, wanted) in
        [(InjectedFault::RefuseSubmission, "refused"), (InjectedFault::DropSubmission, "dropped")]
    {
        engine.inject(fault);
        let fault = answers(&mut engine, &scene).unwrap_err();
        assert!(fault.device_survives(), "{fault:?}");
        assert!(fault.to_string().contains(wanted), "{fault}");
        assert_eq!(answers(&mut engine, &scene).unwrap(), before);
    }
}

#[test]
fn a_panic_below_does_not_escape() {
    let Some(mut engine) = engine("panic below") else { return };
    engine.inject(InjectedFault::Panic);
    let fault = answers(&mut engine, &tori()).unwrap_err();
    assert_eq!(fault, GpuFault::Panicked { reason: "injected".into() });
    assert!(!fault.device_survives());
}

#[test]
fn out_of_memory_is_a_fault() {
    let cramped = |s: &mut EngineSettings| s.capacities.buffer_bytes = 1 << 15;
    let Some(mut engine) = engine_with("out of memory", cramped) else { return };
    let scene = tori();
    let jobs = scene.jobs();
    engine.begin();
    for (job, pairs) in jobs.surfaces() {
        // What does not fit the answers is refused one by one, as the work list is.
        let pushed = engine.push(job, pairs);
        assert!(matches!(pushed, Ok(_) | Err(Overflow::WorkList)), "{pushed:?}");
    }
    // The meshes alone are larger than a buffer may be.
    let fault = engine.finish().unwrap_err();
    assert!(matches!(fault, GpuFault::OutOfMemory { .. }), "{fault:?}");
    assert!(fault.device_survives());
}

#[test]
fn what_exceeds_the_work_list_is_refused_job_by_job_and_counted() {
    let usual = Capacities::default();
    for capacities in [
        Capacities { units: 1, ..usual },
        Capacities { leaf_pairs: 1, ..usual },
        Capacities { mesh_words: 1, ..usual },
    ] {
        let Some(mut engine) = engine_with("work list", |s| s.capacities = capacities) else { return };
        let scene = tori();
        let jobs = scene.jobs();
        engine.begin();
        let mut refused = 0;
        for (job, pairs) in jobs.surfaces() {
            match engine.push(job, pairs) {
                Err(Overflow::WorkList) => refused += 1,
                other => assert!(other.is_ok(), "{other:?}"),
            }
        }
        assert!(refused > 0, "{capacities:?}");
        engine.finish().unwrap();
        assert_eq!(engine.counts().over_work_list, refused);
    }
}

#[test]
fn coordinates_beyond_single_precision_are_refused() {
    let Some(mut engine) = engine("coordinate range") else { return };
    let mut scene = tori();
    let jobs = scene.jobs();
    let (mut job, pairs) = jobs.surfaces().map(|(job, pairs)| (job.clone(), pairs.to_vec())).next().unwrap();
    job.frame.offset = job.frame.offset.map(|h| h * 1e35);
    engine.begin();
    assert_eq!(engine.push(&job, &pairs), Err(Overflow::CoordinateRange));
    assert_eq!(engine.counts().over_range, 1);
    engine.finish().unwrap();
    drop(jobs);
    scene.poses.truncate(8);
    answers(&mut engine, &scene).unwrap();
}

#[test]
fn a_lent_device_must_allow_what_is_needed_and_keeps_its_own_handlers() {
    let Some(mut own) = engine("lent device") else { return };
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let all = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
    let name = &own.adapter().name;
    let adapter = all.iter().find(|a| a.get_info().name == *name).expect("the same adapter again");
    let lend = |required_limits: wgpu::Limits| {
        let descriptor = wgpu::DeviceDescriptor { required_limits, ..wgpu::DeviceDescriptor::default() };
        pollster::block_on(adapter.request_device(&descriptor)).expect("a device")
    };
    let few = wgpu::Limits { max_storage_buffers_per_shader_stage: 3, ..limits() };
    let settings = EngineSettings { device: Some(lend(few)), ..EngineSettings::default() };
    let error = Engine::new(settings).unwrap_err();
    assert!(matches!(&error, EngineError::Limit { has: 3, needs: 4, .. }), "{error:?}");

    let lent = lend(limits());
    let settings = EngineSettings { device: Some(lent.clone()), ..EngineSettings::default() };
    let mut engine = Engine::new(settings).unwrap();
    let scene = tori();
    assert_eq!(answers(&mut engine, &scene).unwrap(), answers(&mut own, &scene).unwrap());
    // The caller destroys what it lent: a fault, no panic.
    lent.0.destroy();
    assert!(answers(&mut engine, &scene).is_err());
}
