//! The engine of `impinge-gpu-narrow`, and what becomes of a step when it fails.

use std::time::Duration;

use impinge_gpu_narrow::manifold::passes::CONTACT_PASSES;
use impinge_gpu_narrow::operations::PassOperations;
use impinge_gpu_narrow::passes::STEP_PASSES;
use impinge_gpu_narrow::{
    AdapterChoice, AdapterSummary, Capacities, Engine, EngineSettings, GpuFault, PassSpan, wgpu,
};
use impinge_image_space::passes;
use impinge_midphase::{CandidateBatch, PairKind};

use super::tickets::{Wish, surfaces, surfaces_left};
use super::{DeviceSummary, Plan, Share, Taken, Tickets};
use crate::clock::Stopwatch;
use crate::report::{StepCounts, StepTimes};
use crate::{Backend, Parity, World, WorldBuilder};

/// Steps between two attempts to get a lost device back, at most.
const LONGEST_PAUSE: u32 = 1024;

/// What the caller chose.
#[derive(Clone, Debug, Default)]
pub(crate) struct GpuOptions {
    pub adapter: Option<String>,
    device: Option<(wgpu::Device, wgpu::Queue)>,
    capacities: Option<Capacities>,
    count_operations: bool,
    patience: Option<Duration>,
    pub parity: Option<Parity>,
}

impl GpuOptions {
    /// A software adapter is taken when it is named, or when the GPU is asked for and there is no other.
    fn choice(&self, backend: Backend) -> AdapterChoice {
        match (&self.adapter, backend) {
            (Some(name), _) => AdapterChoice::Named(name.clone()),
            (None, Backend::Gpu) => AdapterChoice::Any,
            (None, _) => AdapterChoice::Hardware,
        }
    }

    fn settings(&self, backend: Backend) -> EngineSettings {
        EngineSettings {
            patience: self.patience.unwrap_or(EngineSettings::default().patience),
            adapter: self.choice(backend),
            device: self.device.clone(),
            capacities: self.capacities.unwrap_or_default(),
            contacts: self.parity == Some(Parity::Meaning),
            count_operations: self.count_operations,
        }
    }
}

/// The GPU half of a world.
#[derive(Debug)]
pub(crate) struct Gpu {
    /// `None` while the device is lost.
    engine: Option<Engine>,
    about: AdapterSummary,
    settings: EngineSettings,
    /// What happened to the last step that was not finished on the GPU.
    fault: Option<String>,
    /// Whether it makes contacts.
    contacts: bool,
    /// How steps are divided; `None` where all of them is the GPU's.
    share: Option<Share>,
    /// Steps until the next attempt to get a lost device back, and the pause after that.
    wait: u32,
    pause: u32,
    /// Whether a lost device was replaced in this step.
    back: bool,
    /// Of this step: leaves and pairs of leaves handed over, jobs pushed, jobs that had to be redone on the CPU, when the first
    /// was pushed, how long it was from there to the answers, and how much of that was waiting.
    leaves: u64,
    pushed: u64,
    redone: u64,
    first_push: Option<Stopwatch>,
    wall: Duration,
    waited: Duration,
}

impl Gpu {
    pub fn open(backend: Backend, options: &GpuOptions) -> Result<Gpu, String> {
        let settings = options.settings(backend);
        let engine = Engine::new(settings.clone()).map_err(|error| error.to_string())?;
        let about = engine.adapter().clone();
        let software = about.is_software();
        tracing::debug!(adapter = %about, "the exact stream runs on the GPU");
        Ok(Gpu {
            contacts: engine.has_contacts(),
            engine: Some(engine),
            about,
            settings,
            fault: None,
            share: (backend == Backend::Hybrid).then(|| Share::new(software)),
            wait: 0,
            pause: 1,
            back: false,
            leaves: 0,
            pushed: 0,
            redone: 0,
            first_push: None,
            wall: Duration::ZERO,
            waited: Duration::ZERO,
        })
    }

    pub fn devices() -> (Vec<DeviceSummary>, Result<String, String>) {
        let list = impinge_gpu_narrow::adapters().iter().map(|adapter| DeviceSummary {
            description: adapter.to_string(),
            software: adapter.is_software(),
            lacks: adapter.lacks.as_ref().map(ToString::to_string),
        });
        let taken = impinge_gpu_narrow::choose(&AdapterChoice::Hardware);
        (list.collect(), taken.map(ToString::to_string).map_err(|error| error.to_string()))
    }

    /// The adapter in use.
    pub fn adapter(&self) -> String {
        self.about.to_string()
    }

    /// The parity that contacts have.
    pub fn parity(&self) -> Parity {
        if self.contacts { Parity::Meaning } else { Parity::Bits }
    }

    /// What happened to the last step that was not finished on the GPU.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// Begins a step. A device that was lost since the last one is noticed, and one that is lost is asked for
    /// again: at once, and then at growing intervals.
    pub fn begin(&mut self) {
        (self.leaves, self.pushed, self.redone) = (0, 0, 0);
        (self.wall, self.waited, self.first_push) = (Duration::ZERO, Duration::ZERO, None);
        self.back = false;
        if let Some(Err(fault)) = self.engine.as_mut().map(Engine::check) {
            tracing::warn!(%fault, adapter = %self.about, "the device has spoken between steps");
            self.note(&fault);
        }
        if self.engine.is_none() && self.settings.device.is_none() {
            if self.wait == 0 {
                self.reopen();
            }
            self.wait = self.wait.saturating_sub(1);
        }
        if let Some(engine) = &mut self.engine {
            engine.begin();
        }
    }

    /// Which chunks of this step are the GPU's.
    pub fn plan(&mut self, chunks: usize) -> Plan {
        self.share.as_mut().map_or(Plan::ALL, |share| share.plan(chunks))
    }

    /// Takes in what the CPU took for the chunks that were its own, and for what was left of the others, on `threads` workers.
    pub fn learn(&mut self, cpu: Taken, left: Duration, threads: usize) {
        let of_gpu = |time: Duration| Taken { leaves: self.leaves, time };
        if let Some(share) = &mut self.share {
            share.learn(cpu, of_gpu(self.wall), of_gpu(left), threads);
        }
    }

    fn reopen(&mut self) {
        match Engine::new(self.settings.clone()) {
            Ok(engine) => {
                tracing::info!(adapter = %engine.adapter(), "the GPU is back");
                self.about = engine.adapter().clone();
                (self.engine, self.pause, self.back) = (Some(engine), 1, true);
            }
            Err(error) => {
                tracing::debug!(%error, "the GPU is still away");
                self.wait = self.pause;
                self.pause = (self.pause * 2).min(LONGEST_PAUSE);
            }
        }
    }

    /// The device, while it is there.
    pub(super) fn engine(&self) -> Option<&Engine> {
        self.engine.as_ref()
    }

    /// The same, to be asked for more.
    pub(super) fn engine_mut(&mut self) -> Option<&mut Engine> {
        self.engine.as_mut()
    }

    /// Hands the surfaces' jobs of a batch to the device.
    pub fn push(&mut self, batch: &CandidateBatch<'_>, tickets: &mut Tickets) {
        self.first_push.get_or_insert_with(Stopwatch::start);
        self.leaves += Taken::leaves_of(batch);
        for job in &batch.jobs {
            tickets.jobs.push(surfaces(job, self.contacts).and_then(|(job, range)| {
                self.pushed += 1;
                let Some(engine) = &mut self.engine else {
                    self.redone += 1;
                    return None;
                };
                let pushed = engine.push(job, &batch.leaf_pairs[range]);
                self.redone += u64::from(pushed.is_err());
                pushed.ok().flatten()
            }));
        }
        let Some(engine) = &mut self.engine else { return };
        for ((job, hits), wish) in batch.jobs.iter().zip(&tickets.jobs).zip(&tickets.wishes) {
            tickets.manifolds.push(wish.as_ref().and_then(|wish| match (wish, hits) {
                (Wish::Solid(views), _) => {
                    let pushed = engine.push_solid(job, views);
                    self.pushed += u64::from(pushed.is_ok());
                    Some(pushed)
                }
                (Wish::Surfaces(wish), Some(hits)) => Some(engine.push_manifold(job, hits, wish)),
                (Wish::Surfaces(_), None) => surfaces_left(job, self.contacts),
            }));
        }
    }

    /// Has the device begin with what it has.
    pub fn flush(&mut self) {
        let done = self.engine.as_mut().map_or(Ok(()), Engine::flush);
        self.settle(done);
    }

    /// Waits for the answers of the step.
    pub fn finish(&mut self) {
        let started = Stopwatch::start();
        let done = self.engine.as_mut().map_or(Ok(()), Engine::finish);
        self.settle(done);
        self.waited = started.elapsed();
        self.wall = self.first_push.map_or(Duration::ZERO, |first| first.elapsed());
    }

    /// After a fault all of the step is the CPU's; a device that is gone is let go.
    fn settle(&mut self, done: Result<(), GpuFault>) {
        let Err(fault) = done else { return };
        tracing::warn!(%fault, adapter = %self.about, "the step is finished on the CPU");
        self.redone = self.pushed;
        self.note(&fault);
    }

    pub(super) fn note(&mut self, fault: &GpuFault) {
        self.fault = Some(fault.to_string());
        match &mut self.engine {
            Some(engine) if fault.device_survives() => engine.begin(),
            _ => self.engine = None,
        }
    }

    /// Takes the leaf pairs in which nothing meets out of a batch. Those of jobs without an answer stay,
    /// and are the CPU's.
    pub fn cull(&self, batch: &mut CandidateBatch<'_>, tickets: &Tickets) {
        let Some(engine) = &self.engine else { return };
        let CandidateBatch { jobs, leaf_pairs, .. } = batch;
        let all = std::mem::take(leaf_pairs);
        for (job, ticket) in jobs.iter_mut().zip(&tickets.jobs) {
            if !matches!(job.kind, PairKind::Surfaces(_)) {
                continue;
            }
            let own = &all[job.candidates.start as usize..job.candidates.end as usize];
            let start = leaf_pairs.len();
            let answered = ticket
                .as_ref()
                .and_then(|ticket| engine.survivors(ticket, |index, _| leaf_pairs.push(own[index])));
            if answered.is_none() {
                leaf_pairs.truncate(start);
                leaf_pairs.extend_from_slice(own);
            }
            job.candidates = start as u32..leaf_pairs.len() as u32;
        }
    }

    /// What the device did in this step.
    pub fn report(&self, counts: &mut StepCounts, times: &mut StepTimes) {
        counts.gpu_redone += self.redone;
        counts.gpu_lost += u64::from(self.engine.is_none());
        counts.gpu_back += u64::from(self.back);
        times.gpu_wait += self.waited;
        let Some(engine) = &self.engine else { return };
        let gpu = engine.counts();
        counts.gpu_jobs += self.pushed - self.redone;
        counts.gpu_triangle_tests += gpu.triangle_tests;
        counts.gpu_uncertain += gpu.uncertain;
        counts.gpu_over_capacity += gpu.over_work_list + gpu.over_range;
        counts.gpu_common += gpu.volumes;
        counts.gpu_submissions += gpu.submissions;
        counts.gpu_waits += gpu.waits;
        counts.gpu_buffers_created += gpu.buffers_created;
        counts.gpu_bytes_up += gpu.bytes_up;
        counts.gpu_bytes_back += gpu.bytes_back;
        times.gpu += gpu.gpu_time;
        times.gpu_stream += gpu.time_of(impinge_exact::intersect::INTERSECT);
        times.gpu_view += gpu.time_of(passes::VIEW);
        for pass in CONTACT_PASSES {
            times.gpu_contacts += gpu.time_of(pass.name);
        }
        times.gpu_layers += gpu.time_of(passes::LAYERS);
        times.gpu_columns += gpu.time_of(passes::INTERVALS);
    }

    #[cfg(feature = "fault-injection")]
    fn inject(&mut self, fault: impinge_gpu_narrow::InjectedFault) {
        if let Some(engine) = &mut self.engine {
            engine.inject(fault);
        }
    }
}

impl WorldBuilder {
    /// A device and queue of the caller's for the GPU passes to share (with
    /// [`Backend::Gpu`] or [`Backend::Hybrid`]). It must allow
    /// what [`gpu_narrow::limits`](crate::gpu_narrow::limits) says; its error and loss handlers are left alone.
    pub fn gpu_device(mut self, device: wgpu::Device, queue: wgpu::Queue) -> WorldBuilder {
        self.gpu.device = Some((device, queue));
        self
    }

    /// What one step may hold on the GPU. What exceeds it is done on the CPU in the same step, and the
    /// status says so.
    pub fn gpu_capacities(mut self, capacities: Capacities) -> WorldBuilder {
        self.gpu.capacities = Some(capacities);
        self
    }

    /// How long a step waits for the GPU before it is finished on the CPU (default: 30 s). Ten thousand pairs take a device that is
    /// software about that long.
    pub fn gpu_patience(mut self, patience: Duration) -> WorldBuilder {
        self.gpu.patience = Some(patience);
        self
    }

    /// Has the GPU's passes count their operations while they run, for [`World::gpu_operations`] (default: no). Steps then take many
    /// times as long, and say what they said.
    pub fn count_gpu_operations(mut self, count: bool) -> WorldBuilder {
        self.gpu.count_operations = count;
        self
    }
}

impl World {
    /// How long each pass of the GPU took in the last step, by the device's timestamps; all zero where it has none, and empty without a GPU.
    pub fn gpu_pass_times(&self) -> Vec<(&'static str, Duration)> {
        let Some(engine) = self.state.gpu.as_ref().and_then(Gpu::engine) else { return Vec::new() };
        STEP_PASSES.iter().map(|pass| (pass.name, engine.counts().time_of(pass.name))).collect()
    }

    /// When each pass of the GPU ran in the last step, by the host's clock, so that it can stand beside the spans of workers; empty
    /// without a GPU, or where it has no timestamps. The clocks are fitted by submissions and answers: a pass may have run
    /// earlier than is said, by no more than the shortest way of an answer to the host in any step so far.
    pub fn gpu_pass_spans(&self) -> &[PassSpan] {
        self.state.gpu.as_ref().and_then(Gpu::engine).map_or(&[], Engine::pass_spans)
    }

    /// What each pass of the GPU did in the last step; empty unless [`WorldBuilder::count_gpu_operations`] was asked for. Waits for the
    /// GPU.
    ///
    /// # Errors
    /// [`GpuFault`]: the counts did not come.
    pub fn gpu_operations(&self) -> Result<Vec<PassOperations>, GpuFault> {
        self.state.gpu.as_ref().and_then(Gpu::engine).map_or(Ok(Vec::new()), Engine::operations)
    }
}

#[cfg(feature = "fault-injection")]
impl World {
    /// Brings a fault of the GPU about, to see that a program survives it: in the next step, or at once with
    /// [`InjectedFault::LoseIdleDevice`](crate::gpu_narrow::InjectedFault::LoseIdleDevice). Without a GPU in use
    /// nothing happens.
    pub fn inject_gpu_fault(&mut self, fault: crate::gpu_narrow::InjectedFault) {
        if let Some(gpu) = &mut self.state.gpu {
            gpu.inject(fault);
        }
    }
}
