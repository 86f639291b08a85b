//! Submissions, and waiting for their answers.

use std::sync::Arc;
use std::time::Instant;

use impinge_image_space::passes;

use crate::GpuFault;
use crate::device::clock::Clock;
use crate::device::fault_injection::InjectedFault;
use crate::engine::Engine;
use crate::manifold::passes::{CONTACT_VIEW, GROUP, PATCHES, VIEW_INTERVALS};
use crate::part::Part;
use crate::received::Received;
use crate::step::Step;

impl Engine {
    /// Submits what is new as a part of its own, whose answers are copied as soon as they are there.
    pub(crate) fn submit_part(&mut self) -> Result<(), GpuFault> {
        let mut encoder = self.encoder();
        self.encode(&mut encoder)?;
        let from = self.step.marks;
        let to = self.step.marks_now(self.clock.as_ref().map_or(0, Clock::timed));
        self.encode_answers(&mut encoder, (&from, &to))?;
        let commands = encoder.finish();
        let pending = self.buffers.ring.map(&commands, from.all_bytes(&to))?;
        let submitted = Instant::now();
        match self.submit(commands) {
            Ok(submission) => {
                self.step.in_flight.push_back(Part { from, to, pending, submission, submitted });
                self.step.marks = to;
                Ok(())
            }
            Err(fault) => {
                self.buffers.ring.forget(&pending);
                Err(fault)
            }
        }
    }

    fn submit(&mut self, commands: wgpu::CommandBuffer) -> Result<wgpu::SubmissionIndex, GpuFault> {
        let fault = self.injected.take_if(|_| !self.step.is_empty());
        let index = match fault {
            Some(InjectedFault::Panic) => panic!("injected"),
            Some(InjectedFault::DropSubmission) => {
                drop(commands);
                return Err(GpuFault::NoAnswer { reason: "the submission was dropped".to_owned() });
            }
            Some(InjectedFault::RefuseSubmission) => {
                let bad = self.refused();
                self.queue.submit([bad, commands])
            }
            Some(InjectedFault::LoseDevice | InjectedFault::LoseIdleDevice | InjectedFault::AnswerLate)
            | None => self.queue.submit([commands]),
        };
        self.step.counts.submissions += 1;
        if fault == Some(InjectedFault::LoseDevice) {
            self.device.destroy();
            // A fast device has answered by now: the loss is what counts.
            let _ = self.device.poll(wgpu::PollType::Poll);
        }
        if fault == Some(InjectedFault::AnswerLate) {
            let reason = "nothing came in the time that it had".to_owned();
            return Err(GpuFault::NoAnswer { reason });
        }
        Ok(index)
    }

    /// Takes in the answers of the part that was submitted first of those on their way. `None` where none is on its way, or where it
    /// has not come and is not to be waited for.
    pub(crate) fn take_part(&mut self, wait: bool) -> Result<Option<Arc<Received>>, GpuFault> {
        let Some(part) = self.step.in_flight.front() else { return Ok(None) };
        let no_answer = |error: wgpu::PollError| GpuFault::NoAnswer { reason: error.to_string() };
        self.step.counts.waits += u64::from(wait);
        self.device.poll(wgpu::PollType::Poll).map_err(no_answer)?;
        if !part.pending.is_over() {
            if !wait {
                return Ok(None);
            }
            let submission_index = Some(part.submission.clone());
            let wait = wgpu::PollType::Wait { submission_index, timeout: Some(self.patience) };
            self.device.poll(wait).map_err(no_answer)?;
        }
        let Some(part) = self.step.in_flight.pop_front() else { return Ok(None) };
        self.receive(&part).map(Some)
    }

    /// Submits what is new, and takes in all answers.
    pub(crate) fn submit_rest(&mut self) -> Result<(), GpuFault> {
        let span = step_span(&self.step);
        let _entered = span.enter();
        if self.has_new() || self.step.flushes == 0 {
            self.submit_part()?;
        }
        while self.take_part(true)?.is_some() {}
        self.step.manifolds.learn_room();
        self.step.counts.leaf_pairs = self.step.leaf_pairs.len() as u64;
        record(&self.step, &span);
        Ok(())
    }

    /// A command that the device must refuse: it reads a buffer that has been destroyed.
    fn refused(&self) -> wgpu::CommandBuffer {
        let gone = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("destroyed"),
            size: 16,
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        let mut encoder = self.encoder();
        encoder.clear_buffer(&gone, 0, None);
        let commands = encoder.finish();
        gone.destroy();
        commands
    }
}

/// The span of the triangle intersection, which also counts what the whole step cost.
fn step_span(step: &Step) -> tracing::Span {
    tracing::info_span!(
        impinge_exact::intersect::INTERSECT,
        backend = "gpu",
        jobs = step.counts.jobs,
        leaf_pairs = step.leaf_pairs.len(),
        triangle_tests = tracing::field::Empty,
        hits = tracing::field::Empty,
        uncertain = tracing::field::Empty,
        submissions = tracing::field::Empty,
        waits = tracing::field::Empty,
        buffers_created = tracing::field::Empty,
        bytes_up = tracing::field::Empty,
        bytes_back = tracing::field::Empty,
        gpu_us = tracing::field::Empty,
    )
}

/// Fills that span, and leaves one for each other pass.
fn record(step: &Step, span: &tracing::Span) {
    let counts = &step.counts;
    span.record("triangle_tests", counts.triangle_tests)
        .record("hits", counts.hits)
        .record("uncertain", counts.uncertain)
        .record("submissions", counts.submissions)
        .record("waits", counts.waits)
        .record("buffers_created", counts.buffers_created)
        .record("bytes_up", counts.bytes_up)
        .record("bytes_back", counts.bytes_back)
        .record("gpu_us", counts.time_of(impinge_exact::intersect::INTERSECT).as_secs_f64() * 1e6);
    let micros = |pass: &str| counts.time_of(pass).as_secs_f64() * 1e6;
    let (pairs, gpu_us) = (counts.volumes, micros(passes::VIEW));
    tracing::info_span!(passes::VIEW, backend = "gpu", pairs, gpu_us).in_scope(|| ());
    for pass in [GROUP, CONTACT_VIEW, PATCHES, VIEW_INTERVALS] {
        let (pairs, gpu_us) = (counts.manifolds, micros(pass));
        match pass {
            GROUP => tracing::info_span!(GROUP, backend = "gpu", pairs, gpu_us),
            CONTACT_VIEW => tracing::info_span!(CONTACT_VIEW, backend = "gpu", pairs, gpu_us),
            PATCHES => tracing::info_span!(PATCHES, backend = "gpu", pairs, gpu_us),
            _ => tracing::info_span!(VIEW_INTERVALS, backend = "gpu", pairs, gpu_us),
        }
        .in_scope(|| ());
    }
    let (tiles, rows, crossings) = (counts.tiles, counts.tile_rows, counts.crossings);
    let (views, gpu_us) = (step.reference.view_count(), micros(passes::SNAP));
    tracing::info_span!(passes::SNAP, backend = "gpu", views, rows, gpu_us).in_scope(|| ());
    let gpu_us = micros(passes::LAYERS);
    tracing::info_span!(passes::LAYERS, backend = "gpu", tiles, rows, crossings, gpu_us).in_scope(|| ());
    let (over_layers, over_intervals) = (counts.over_layers, counts.over_intervals);
    let gpu_us = micros(passes::INTERVALS);
    tracing::info_span!(passes::INTERVALS, backend = "gpu", tiles, over_layers, over_intervals, gpu_us)
        .in_scope(|| ());
}
