//! The engine: a device, its pipelines and buffers, and one step of work at a time.
//!
//! A step is `begin`, any number of `push` and `flush`, and `finish`. What was pushed up to a `flush` is a part: its answers come by
//! `poll` or `wait` as soon as the device has them, for any thread to read, or all together by `finish`. Everything else is
//! called from one thread. Whatever goes wrong comes back as a [`GpuFault`], and the caller does the
//! step's work on the CPU.

use std::sync::Arc;
use std::time::Duration;

use impinge_geometry::Side;
use impinge_midphase::{PairJob, Surface};
use nalgebra::Vector3;

use crate::device::adapter::{self, AdapterSummary};
use crate::device::clock::{Clock, PassSpan};
use crate::device::error_scope::{DeviceErrors, in_error_scope};
use crate::device::fault_injection::InjectedFault;
use crate::device::pass::{Pass, Stage};
use crate::device::pipeline::Pipeline;
use crate::device::{self, limits};
use crate::image::capture::{self, Choice, Raster};
use crate::intersect::{IntersectTicket, Overflow, Placement, farthest, units_and_words};
use crate::manifold::passes::CONTACT_PASSES;
use crate::meshes::{MeshPlace, MeshStore};
use crate::operations::PassOperations;
use crate::operations::tally::Tally;
use crate::passes::STEP_PASSES;
use crate::received::Received;
use crate::settings::{Capacities, EngineSettings};
use crate::step::{Buffers, Step};
use crate::surface_patch::patch_of;
use crate::{EngineError, GpuCounts, GpuFault};

/// Submissions of one step, at most.
pub const MOST_SUBMISSIONS: u32 = 32;

/// How long drivers may take to compile all shaders.
const COMPILED_WITHIN: Duration = Duration::from_secs(180);

/// The passes that an engine has pipelines for.
fn passes(contacts: bool) -> impl Iterator<Item = &'static Pass> {
    let runs = |pass: &&Pass| matches!(pass.entries, [(_, Stage::Compute(_)), ..]);
    STEP_PASSES
        .iter()
        .filter(runs)
        .filter(move |pass| contacts || CONTACT_PASSES.iter().all(|own| own.name != pass.name))
}

/// The GPU's half of the narrow phase.
#[derive(Debug)]
pub struct Engine {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    pub(crate) errors: DeviceErrors,
    pub(crate) pipelines: Vec<Pipeline>,
    /// What draws the layers of tiles, where they may be drawn.
    pub(crate) raster: Option<Raster>,
    /// Which way they are captured.
    pub(crate) capture: Choice,
    pub(crate) clock: Option<Clock>,
    pub(crate) meshes: MeshStore,
    pub(crate) buffers: Buffers,
    pub(crate) step: Step,
    pub(crate) capacities: Capacities,
    /// Whether contacts can be asked for.
    pub(crate) contacts: bool,
    /// How long to wait for a part.
    pub(crate) patience: Duration,
    /// The fault that is to be brought about.
    pub(crate) injected: Option<InjectedFault>,
    about: AdapterSummary,
}

impl Engine {
    /// An engine whose pipelines are warm: its first step is as fast as the next.
    ///
    /// # Errors
    /// [`EngineError`] says what there is instead of what was asked for, or what is lacking.
    pub fn new(settings: EngineSettings) -> Result<Engine, EngineError> {
        let errors = DeviceErrors::default();
        let mut draws = Ok(());
        let (device, queue) = match settings.device {
            Some(lent) => lent,
            None => {
                draws = limits::check_raster(adapter::take(&settings.adapter)?);
                let limits =
                    if settings.count_operations { limits::counting_limits() } else { limits::limits() };
                let (device, queue) = device::open_with(adapter::take(&settings.adapter)?, limits)?;
                errors.listen(&device);
                (device, queue)
            }
        };
        let about = AdapterSummary::of(&device.adapter_info(), None);
        limits::check_limits(&about.name, &device.limits())?;
        let contacts = settings.contacts;
        let not_ready = |fault| EngineError::NotReady { adapter: about.name.clone(), fault };
        let (pipelines, clock) = in_error_scope(&device, &errors, || {
            let pipeline = |pass| match settings.count_operations {
                false => Ok(Pipeline::new(&device, pass)),
                true => Pipeline::counted(&device, pass),
            };
            let pipelines = passes(contacts).map(pipeline).collect::<Result<Vec<_>, GpuFault>>()?;
            Ok((pipelines, Clock::new(&device, &queue)))
        })
        .map_err(not_ready)?;
        let measures = contacts && !settings.count_operations && clock.is_some();
        let (raster, capture) =
            capture::open((&device, &errors), &about.name, settings.capture, measures, draws)?;
        let mut engine = Engine {
            pipelines,
            raster,
            capture,
            clock,
            errors,
            meshes: MeshStore::default(),
            buffers: Buffers::new(),
            step: Step::default(),
            capacities: settings.capacities,
            contacts,
            patience: settings.patience,
            injected: None,
            about: about.clone(),
            device,
            queue,
        };
        engine.warm_up().map_err(not_ready)?;
        Ok(engine)
    }

    /// The adapter in use.
    pub fn adapter(&self) -> &AdapterSummary {
        &self.about
    }

    /// Whether contacts can be asked for.
    pub fn has_contacts(&self) -> bool {
        self.contacts
    }

    /// What the last finished step cost; while a step runs, what it has cost so far.
    pub fn counts(&self) -> &GpuCounts {
        &self.step.counts
    }

    /// When each pass of the last finished step ran, in the order of their submission; empty where the device has no timestamps.
    pub fn pass_spans(&self) -> &[PassSpan] {
        &self.step.pass_spans
    }

    /// What the device has said since the last step, of its loss above all. A caller's device tells its
    /// caller: there a loss is noticed by the next step that has work.
    ///
    /// # Errors
    /// [`GpuFault`]: what it said.
    pub fn check(&mut self) -> Result<(), GpuFault> {
        let (device, errors) = (self.device.clone(), self.errors.clone());
        let heard = in_error_scope(&device, &errors, || {
            let polled = device.poll(wgpu::PollType::Poll);
            polled.map(drop).map_err(|error| GpuFault::NoAnswer { reason: error.to_string() })
        });
        self.settle(heard)
    }

    /// What each pass did in the step that was finished last, as it counted; empty unless
    /// [`EngineSettings::count_operations`] was asked for. Waits for the device.
    ///
    /// # Errors
    /// [`GpuFault`]: the counts did not come.
    pub fn operations(&self) -> Result<Vec<PassOperations>, GpuFault> {
        let counted = self.pipelines.iter().filter_map(|own| Some((own.pass.name, own.tally.as_ref()?)));
        in_error_scope(&self.device, &self.errors, || {
            let read = |(pass, tally): (&'static str, &Tally)| {
                let buffers = tally.buffers().map(|buffer| self.read_words(buffer));
                Ok(tally.read(pass, &buffers.collect::<Result<Vec<_>, GpuFault>>()?))
            };
            counted.map(read).collect()
        })
    }

    /// Begins a step; what an unfinished one held is forgotten.
    pub fn begin(&mut self) {
        for part in &self.step.in_flight {
            self.buffers.ring.forget(&part.pending);
        }
        self.meshes.begin();
        self.step.begin();
        self.capture.begin();
        self.pipelines.iter_mut().filter_map(|pipeline| pipeline.tally.as_mut()).for_each(Tally::begin);
        if let Some(clock) = &mut self.clock {
            clock.begin();
        }
    }

    /// Adds the triangles of one job to the step; a job without surfaces or leaf pairs asks nothing. Of a height field
    /// or a level set it is the part near the other body.
    ///
    /// # Errors
    /// [`Overflow`]: the job is the CPU's.
    pub fn push(
        &mut self,
        job: &PairJob<'_>,
        leaf_pairs: &[[u32; 2]],
    ) -> Result<Option<IntersectTicket>, Overflow> {
        let [Some(a), Some(b)] = job.parts.map(|part| part.surface.as_ref()) else { return Ok(None) };
        if leaf_pairs.is_empty() {
            return Ok(None);
        }
        let pushed = self.try_push(job, [a, b], leaf_pairs);
        let counts = &mut self.step.counts;
        match pushed {
            Ok(_) => counts.jobs += 1,
            Err(Overflow::WorkList) => counts.over_work_list += 1,
            Err(Overflow::CoordinateRange) => counts.over_range += 1,
        }
        pushed.map(Some)
    }

    fn try_push(
        &mut self,
        job: &PairJob<'_>,
        surfaces: [&Surface; 2],
        leaf_pairs: &[[u32; 2]],
    ) -> Result<IntersectTicket, Overflow> {
        let Engine { capacities, meshes, step, .. } = self;
        let count = u32::try_from(leaf_pairs.len()).map_err(|_| Overflow::WorkList)?;
        let (units, words) = units_and_words(count);
        let first = step.leaf_pairs.len() as u32;
        let room = step.units.len() as u64 + u64::from(units) <= u64::from(capacities.units)
            && u64::from(first) + u64::from(count) <= u64::from(capacities.leaf_pairs)
            && 4 * (u64::from(step.words) + u64::from(words)) <= capacities.buffer_bytes;
        if !room {
            return Err(Overflow::WorkList);
        }
        let mut patches = [None; 2];
        let mut place = |side: Side| -> Result<(MeshPlace, Vector3<f64>), Overflow> {
            let surface = surfaces[side.index()];
            if surface.mesh().is_some() {
                let place = meshes.place(surface, capacities.mesh_words).ok_or(Overflow::WorkList)?;
                return Ok((place, farthest(surface)));
            }
            let patch = patch_of(job, side, surface, leaf_pairs);
            let patch = patch.ok_or(Overflow::WorkList)?;
            let place = meshes.place_patch(&patch, capacities.mesh_words).ok_or(Overflow::WorkList)?;
            patches[side.index()] = Some(step.patches.len() as u32);
            let reach = patch.reach();
            step.patches.push((Arc::new(patch), place));
            Ok((place, reach))
        };
        let [(of_a, reach_a), (of_b, reach_b)] = [place(Side::A)?, place(Side::B)?];
        let placement = Placement::new(job, [reach_a, reach_b], [of_a, of_b])?;
        let of = |side: usize| patches[side].and_then(|patch: u32| step.patches.get(patch as usize));
        let fields = [of(0), of(1)];
        let sent = |pair: &[u32; 2]| -> Option<[u32; 2]> {
            let leaf = |k: usize| fields[k].map_or(Some(pair[k]), |(patch, _)| patch.leaf(pair[k]));
            Some([leaf(0)?, leaf(1)?])
        };
        let own: Vec<[u32; 2]> =
            leaf_pairs.iter().map(sent).collect::<Option<_>>().ok_or(Overflow::WorkList)?;
        let from = step.units.len() as u32;
        step.words = placement.units(first, count, step.words, &mut step.units);
        step.leaf_pairs.extend(own);
        let to = step.units.len() as u32;
        let (sequence, part) = (step.sequence, step.part());
        Ok(IntersectTicket { units: from..to, sequence, part, leaf_pairs: count, patches })
    }

    /// The number of the part that what is pushed now belongs to.
    pub fn part(&self) -> u32 {
        self.step.part()
    }

    /// Whether something was pushed that was not submitted.
    pub(crate) fn has_new(&self) -> bool {
        self.step.units.len() > self.step.flushed_units
            || self.step.reference.is_new()
            || self.step.volumes.is_new()
            || self.step.manifolds.is_new()
    }

    /// Submits what has been pushed so far as a part of its own, so that the device begins while the CPU goes on. Beyond
    /// [`MOST_SUBMISSIONS`] less one it stays for the last, which is made by [`Engine::finish`]. Whether it was submitted.
    ///
    /// # Errors
    /// [`GpuFault`]: the whole step is the CPU's.
    pub fn flush(&mut self) -> Result<bool, GpuFault> {
        if self.step.flushes + 1 >= MOST_SUBMISSIONS || !self.has_new() {
            return Ok(false);
        }
        let (device, errors) = (self.device.clone(), self.errors.clone());
        let done = in_error_scope(&device, &errors, || self.submit_part());
        self.settle(done).map(|()| true)
    }

    /// The answers of the next part, in the order of their submission, if they have come; does not wait.
    ///
    /// # Errors
    /// [`GpuFault`]: all parts that have not come are the CPU's.
    pub fn poll(&mut self) -> Result<Option<Arc<Received>>, GpuFault> {
        self.next_part(false)
    }

    /// The answers of the next part that was submitted, which are waited for; `None` where none is on its way.
    ///
    /// # Errors
    /// As [`Engine::poll`].
    pub fn wait(&mut self) -> Result<Option<Arc<Received>>, GpuFault> {
        self.next_part(true)
    }

    fn next_part(&mut self, wait: bool) -> Result<Option<Arc<Received>>, GpuFault> {
        if self.step.in_flight.is_empty() {
            return Ok(None);
        }
        let (device, errors) = (self.device.clone(), self.errors.clone());
        let next = in_error_scope(&device, &errors, || self.take_part(wait));
        if next.is_err() {
            self.meshes = MeshStore::default();
        }
        next
    }

    /// Submits the rest and waits for all answers that were not taken.
    ///
    /// # Errors
    /// [`GpuFault`]: the whole step is the CPU's.
    pub fn finish(&mut self) -> Result<(), GpuFault> {
        if self.step.is_empty() {
            if self.injected.take_if(|fault| *fault == InjectedFault::LoseDevice).is_none() {
                return Ok(());
            }
            self.device.destroy();
            return self.check();
        }
        let (device, errors) = (self.device.clone(), self.errors.clone());
        let done = in_error_scope(&device, &errors, || self.submit_rest());
        self.settle(done)
    }

    /// After a fault nobody knows what has reached the device: the meshes are sent again.
    fn settle(&mut self, done: Result<(), GpuFault>) -> Result<(), GpuFault> {
        match &done {
            // Looked at now and then: it takes longer the more meshes there are.
            Ok(()) if self.step.sequence.is_multiple_of(64) => self.meshes.count_dead(),
            Ok(()) => {}
            Err(_) => self.meshes = MeshStore::default(),
        }
        done
    }

    /// Every shader once, on nothing: drivers compile at the first dispatch.
    fn warm_up(&mut self) -> Result<(), GpuFault> {
        let (device, errors) = (self.device.clone(), self.errors.clone());
        self.begin();
        let patience = self.patience;
        self.patience = patience.max(COMPILED_WITHIN);
        let done = in_error_scope(&device, &errors, || self.submit_rest());
        self.patience = patience;
        self.begin();
        done
    }
}
