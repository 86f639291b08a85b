//! The engine of `impinge-gpu-narrow`, and what becomes of a step when it fails.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use impinge_gpu_narrow::image::capture::LAYER_PASSES;
use impinge_gpu_narrow::manifold::passes::CONTACT_PASSES;
use impinge_gpu_narrow::operations::PassOperations;
use impinge_gpu_narrow::passes::STEP_PASSES;
use impinge_gpu_narrow::{
    AdapterChoice, AdapterSummary, CaptureReport, Engine, EngineSettings, GpuFault, PassSpan, Received,
};
use impinge_image_space::passes;
use impinge_midphase::CandidateBatch;

use super::device_answers::cull;
use super::tickets::{Wish, surfaces, surfaces_left};
use super::{DeviceAnswers, DeviceSummary, GpuOptions, Plan, Share, Taken, Tickets};
use crate::clock::Stopwatch;
use crate::report::{StepCounts, StepTimes};
use crate::{Backend, Parity, World};

/// Steps between two attempts to get a lost device back, at most.
const LONGEST_PAUSE: u32 = 1024;

/// A part of a step.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    /// Leaves and pairs of leaves handed over, jobs pushed, and jobs that had to be redone on the CPU.
    leaves: u64,
    pushed: u64,
    redone: u64,
    /// When it was submitted, from the beginning of the step on.
    submitted: Duration,
}

impl Part {
    fn add(&mut self, other: &Part) {
        self.leaves += other.leaves;
        self.pushed += other.pushed;
        self.redone += other.redone;
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
    /// The part of this step that is being pushed, those on their way, and those answered.
    open: Part,
    on_the_way: VecDeque<Part>,
    answered: Part,
    /// What each of these took, and when the last was answered.
    taken: Vec<Taken>,
    last_answer: Duration,
    /// Of this step: since when it runs, whether the device has failed, and how long it was waited for.
    running: Stopwatch,
    failed: bool,
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
            open: Part::default(),
            on_the_way: VecDeque::new(),
            answered: Part::default(),
            taken: Vec::new(),
            last_answer: Duration::ZERO,
            running: Stopwatch::start(),
            failed: false,
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
        (self.open, self.answered, self.failed) = (Part::default(), Part::default(), false);
        (self.last_answer, self.waited) = (Duration::ZERO, Duration::ZERO);
        self.on_the_way.clear();
        self.taken.clear();
        self.running = Stopwatch::start();
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

    /// Whether steps are divided.
    pub fn is_hybrid(&self) -> bool {
        self.share.is_some()
    }

    /// Which chunks of this step, of `chunk` pairs each, are the GPU's.
    pub fn plan(&mut self, chunks: usize, chunk: usize) -> Plan {
        self.share.as_mut().map_or(Plan::ALL, |share| share.plan(chunks, chunk))
    }

    /// Takes in what the CPU took for the chunks of a step of so many pairs that were its own, and for what was left of the others, on
    /// `threads` workers.
    pub fn learn(&mut self, pairs: usize, cpu: Taken, left: Taken, threads: usize) {
        if let Some(share) = &mut self.share {
            share.learn(pairs, cpu, &self.taken, left, threads);
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
        let Gpu { open, failed, contacts, .. } = self;
        open.leaves += Taken::leaves_of(batch);
        let mut engine = self.engine.as_mut().filter(|_| !*failed);
        for job in &batch.jobs {
            tickets.jobs.push(surfaces(job, *contacts).and_then(|(job, range)| {
                open.pushed += 1;
                let Some(engine) = &mut engine else {
                    open.redone += 1;
                    return None;
                };
                let pushed = engine.push(job, &batch.leaf_pairs[range]);
                open.redone += u64::from(pushed.is_err());
                pushed.ok().flatten()
            }));
        }
        let Some(engine) = engine else { return };
        for ((job, hits), wish) in batch.jobs.iter().zip(&tickets.jobs).zip(&tickets.wishes) {
            tickets.manifolds.push(wish.as_ref().and_then(|wish| match (wish, hits) {
                (Wish::Solid(views), _) => {
                    let pushed = engine.push_solid(job, views);
                    open.pushed += u64::from(pushed.is_ok());
                    Some(pushed)
                }
                (Wish::Surfaces(wish), Some(hits)) => Some(engine.push_manifold(job, hits, wish)),
                (Wish::Surfaces(_), None) => surfaces_left(job, *contacts),
            }));
        }
    }

    /// Has the device begin with what was pushed since the last time, as a part of its own. Whether it has: of nothing there is no
    /// answer.
    pub fn flush(&mut self) -> bool {
        let sent = match self.engine.as_mut().filter(|_| !self.failed) {
            Some(engine) => engine.flush(),
            None => Ok(false),
        };
        let sent = self.settle(sent).unwrap_or(false);
        let part = Part { submitted: self.running.elapsed(), ..std::mem::take(&mut self.open) };
        if sent {
            self.on_the_way.push_back(part);
        } else {
            self.answered.add(&part);
        }
        sent
    }

    /// The answers of the part that was submitted first of those on their way, if they are there. Of parts that a fault has taken there
    /// is nothing in them.
    pub fn poll(&mut self) -> Option<DeviceAnswers> {
        let next = self.engine.as_mut().filter(|_| !self.failed).map_or(Ok(None), Engine::poll);
        self.take(next).or_else(|| self.failed.then(DeviceAnswers::none))
    }

    /// The same, which are waited for.
    pub fn wait(&mut self) -> DeviceAnswers {
        let started = Stopwatch::start();
        let next = self.engine.as_mut().filter(|_| !self.failed).map_or(Ok(None), Engine::wait);
        self.waited += started.elapsed();
        self.take(next).unwrap_or_else(DeviceAnswers::none)
    }

    /// What the device says of what it was not asked.
    pub fn no_answers(&self) -> DeviceAnswers {
        DeviceAnswers::none()
    }

    fn take(&mut self, next: Result<Option<Arc<Received>>, GpuFault>) -> Option<DeviceAnswers> {
        let received = self.settle(next)??;
        if let Some(part) = self.on_the_way.pop_front() {
            let now = self.running.elapsed();
            let time = now.saturating_sub(part.submitted.max(self.last_answer));
            self.taken.push(Taken { leaves: part.leaves, time });
            self.last_answer = now;
            self.answered.add(&part);
        }
        Some(DeviceAnswers::of(received))
    }

    /// Ends the step: what was not submitted is, and all answers are waited for.
    pub fn finish(&mut self) {
        let started = Stopwatch::start();
        let done = match self.engine.as_mut().filter(|_| !self.failed) {
            Some(engine) => engine.finish(),
            None => Ok(()),
        };
        self.settle(done);
        self.waited += started.elapsed();
        let open = std::mem::take(&mut self.open);
        self.answered.add(&open);
    }

    /// After a fault all of the step that has not come is the CPU's; a device that is gone is let go.
    fn settle<T>(&mut self, done: Result<T, GpuFault>) -> Option<T> {
        done.map_err(|fault| {
            tracing::warn!(%fault, adapter = %self.about, "the step is finished on the CPU");
            self.failed = true;
            let lost = self.on_the_way.drain(..).chain([std::mem::take(&mut self.open)]);
            for part in lost.collect::<Vec<_>>() {
                self.answered.add(&Part { redone: part.pushed, ..part });
            }
            self.note(&fault);
        })
        .ok()
    }

    pub(super) fn note(&mut self, fault: &GpuFault) {
        self.fault = Some(fault.to_string());
        match &mut self.engine {
            Some(engine) if fault.device_survives() => engine.begin(),
            _ => self.engine = None,
        }
    }

    /// As [`DeviceAnswers::cull`], of a step that was finished.
    pub fn cull(&self, batch: &mut CandidateBatch<'_>, tickets: &Tickets) {
        let Some(engine) = &self.engine else { return };
        cull(batch, tickets, |ticket, visit| engine.survivors(ticket, |index, _| visit(index)));
    }

    /// What the device did in this step.
    pub fn report(&self, counts: &mut StepCounts, times: &mut StepTimes) {
        counts.gpu_redone += self.answered.redone;
        counts.gpu_lost += u64::from(self.engine.is_none());
        counts.gpu_back += u64::from(self.back);
        times.gpu_wait += self.waited;
        let Some(engine) = &self.engine else { return };
        let gpu = engine.counts();
        counts.gpu_jobs += self.answered.pushed - self.answered.redone;
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
        for pass in LAYER_PASSES {
            times.gpu_layers += gpu.time_of(pass);
        }
        times.gpu_columns += gpu.time_of(passes::INTERVALS);
    }

    #[cfg(feature = "fault-injection")]
    fn inject(&mut self, fault: impinge_gpu_narrow::InjectedFault) {
        if let Some(engine) = &mut self.engine {
            engine.inject(fault);
        }
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

    /// How the layers of views are captured on the GPU, and what the ways took where that was measured; `None` without a GPU.
    pub fn gpu_capture(&self) -> Option<CaptureReport> {
        self.state.gpu.as_ref().and_then(Gpu::engine).map(Engine::capture_report)
    }

    /// What each pass of the GPU did in the last step; empty unless [`WorldBuilder::count_gpu_operations`](crate::WorldBuilder::count_gpu_operations) was asked for. Waits for the
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
