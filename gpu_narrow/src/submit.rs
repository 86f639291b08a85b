//! Submissions, and the step's one wait.

use std::time::Instant;

use impinge_image_space::passes;

use crate::GpuFault;
use crate::device::clock::Clock;
use crate::device::fault_injection::InjectedFault;
use crate::engine::Engine;
use crate::manifold::passes::{CONTACT_VIEW, GROUP, PATCHES, VIEW_INTERVALS};
use crate::step::Step;

impl Engine {
    /// Submits what is new, and goes on.
    pub(crate) fn submit_part(&mut self) -> Result<(), GpuFault> {
        let mut encoder = self.encoder();
        self.encode(&mut encoder)?;
        self.step.submitted.get_or_insert_with(Instant::now);
        let _ = self.queue.submit([encoder.finish()]);
        self.step.counts.submissions += 1;
        Ok(())
    }

    /// Submits what is new, has all answers copied, and waits for them.
    pub(crate) fn submit_last(&mut self) -> Result<(), GpuFault> {
        let span = step_span(&self.step);
        let _entered = span.enter();
        let mut encoder = self.encoder();
        self.encode(&mut encoder)?;
        let [pairs, records] = self.step.volumes.bytes();
        let words = |count: u32| u64::from(count) * 4;
        let [patches, listed] = self.step.manifolds.bytes();
        let (answers, views) = (words(self.step.words), words(self.step.reference.words));
        let bytes = [answers, views, pairs, records, patches, listed];
        let stamps = self.clock.as_ref().map_or(0, Clock::bytes);
        self.encode_answers(&mut encoder, bytes, stamps)?;
        let commands = encoder.finish();
        let pending = self.buffers.ring.map(&commands, (bytes.iter().sum::<u64>() + stamps).max(4))?;
        let waited = self.submit_and_wait(commands);
        if waited.is_err() {
            self.buffers.ring.forget(&pending);
        }
        waited?;
        self.receive(&pending, bytes)?;
        let counts = &mut self.step.counts;
        counts.leaf_pairs = self.step.leaf_pairs.len() as u64;
        record(&self.step, &span);
        Ok(())
    }

    /// The last submission, and the step's one wait.
    fn submit_and_wait(&mut self, commands: wgpu::CommandBuffer) -> Result<(), GpuFault> {
        let fault = self.injected.take_if(|_| !self.step.is_empty());
        self.step.submitted.get_or_insert_with(Instant::now);
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
        self.step.counts.waits += 1;
        if fault == Some(InjectedFault::AnswerLate) {
            let reason = "nothing came in the time that it had".to_owned();
            return Err(GpuFault::NoAnswer { reason });
        }
        let wait = wgpu::PollType::Wait { submission_index: Some(index), timeout: Some(self.patience) };
        match self.device.poll(wait) {
            Ok(_) => Ok(()),
            Err(error) => Err(GpuFault::NoAnswer { reason: error.to_string() }),
        }
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
