//! GPU time, by timestamps around every pass where the device has them.

use std::time::Duration;

use crate::engine::MOST_SUBMISSIONS;
use crate::image::batch::MOST_BATCHES;
use crate::passes::STEP_PASSES;

/// Bytes of one timestamp.
const STAMP: u64 = 8;

/// Passes of one step, at most: the triangle intersection of every submission, and of every batch of views three where they were
/// handed over or are for intersection volumes, seven where they are for contacts.
const MOST_PASSES: u32 = MOST_SUBMISSIONS + 13 * MOST_BATCHES;

/// Queries of one step: two for each pass.
const STAMPS: u32 = 2 * MOST_PASSES;

/// Takes timestamps.
#[derive(Debug)]
pub(crate) struct Clock {
    set: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    /// Nanoseconds of a tick.
    period: f64,
    /// Passes timed in this step, by their place in the table.
    timed: Vec<usize>,
}

impl Clock {
    /// A clock; `None` where the device has no timestamps.
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue) -> Option<Clock> {
        if !device.features().contains(wgpu::Features::TIMESTAMP_QUERY) {
            return None;
        }
        let set = device.create_query_set(&wgpu::QuerySetDescriptor {
            label: Some("pass times"),
            ty: wgpu::QueryType::Timestamp,
            count: STAMPS,
        });
        let resolved = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("pass times"),
            size: (u64::from(STAMPS) * STAMP).next_multiple_of(256),
            usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        Some(Clock { set, resolved, period: queue.get_timestamp_period().into(), timed: Vec::new() })
    }

    /// Begins a step.
    pub fn begin(&mut self) {
        self.timed.clear();
    }

    /// Where the next pass, of this name, writes its times.
    pub fn next(&mut self, pass: &str) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        let first = 2 * self.timed.len() as u32;
        if first + 2 > STAMPS {
            return None;
        }
        self.timed.push(STEP_PASSES.iter().position(|p| p.name == pass)?);
        Some(wgpu::ComputePassTimestampWrites {
            query_set: &self.set,
            beginning_of_pass_write_index: Some(first),
            end_of_pass_write_index: Some(first + 1),
        })
    }

    /// Bytes that this step's timestamps take.
    pub fn bytes(&self) -> u64 {
        2 * self.timed.len() as u64 * STAMP
    }

    /// Copies the timestamps to `to`, from `offset` on.
    pub fn resolve(&self, encoder: &mut wgpu::CommandEncoder, to: &wgpu::Buffer, offset: u64) {
        if !self.timed.is_empty() {
            encoder.resolve_query_set(&self.set, 0..2 * self.timed.len() as u32, &self.resolved, 0);
            encoder.copy_buffer_to_buffer(&self.resolved, 0, to, offset, self.bytes());
        }
    }

    /// The time of each pass of the table.
    pub fn read(&self, bytes: &[u8]) -> [Duration; STEP_PASSES.len()] {
        let mut times = [Duration::ZERO; STEP_PASSES.len()];
        for (pair, &pass) in bytes.chunks_exact(2 * STAMP as usize).zip(&self.timed) {
            let at = |k: usize| bytemuck::pod_read_unaligned::<u64>(&pair[k * 8..k * 8 + 8]);
            let ticks = at(1).saturating_sub(at(0));
            times[pass] += Duration::from_nanos((ticks as f64 * self.period) as u64);
        }
        times
    }
}
