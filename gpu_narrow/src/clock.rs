//! GPU time, by timestamps around every pass where the device has them.

use std::time::Duration;

use crate::engine::MOST_SUBMISSIONS;
use crate::passes::GPU_PASSES;

/// Bytes of one timestamp.
const STAMP: u64 = 8;

/// Queries of the passes of one step: two for each pass and submission.
const STAMPS: u32 = 2 * MOST_SUBMISSIONS * GPU_PASSES.len() as u32;

/// Takes timestamps.
#[derive(Debug)]
pub(crate) struct Clock {
    set: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    /// Nanoseconds of a tick.
    period: f64,
    /// Timestamps taken in this step.
    taken: u32,
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
        Some(Clock { set, resolved, period: queue.get_timestamp_period().into(), taken: 0 })
    }

    /// Begins a step.
    pub fn begin(&mut self) {
        self.taken = 0;
    }

    /// Where the next pass writes its times.
    pub fn next(&mut self) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        let first = self.taken;
        if first + 2 > STAMPS {
            return None;
        }
        self.taken += 2;
        Some(wgpu::ComputePassTimestampWrites {
            query_set: &self.set,
            beginning_of_pass_write_index: Some(first),
            end_of_pass_write_index: Some(first + 1),
        })
    }

    /// Bytes that this step's timestamps take.
    pub fn bytes(&self) -> u64 {
        u64::from(self.taken) * STAMP
    }

    /// Copies the timestamps to `to`, from `offset` on.
    pub fn resolve(&self, encoder: &mut wgpu::CommandEncoder, to: &wgpu::Buffer, offset: u64) {
        if self.taken > 0 {
            encoder.resolve_query_set(&self.set, 0..self.taken, &self.resolved, 0);
            encoder.copy_buffer_to_buffer(&self.resolved, 0, to, offset, self.bytes());
        }
    }

    /// The time of all passes together.
    pub fn read(&self, bytes: &[u8]) -> Duration {
        let ticks = bytes.chunks_exact(2 * STAMP as usize).map(|pair| {
            let at = |k: usize| bytemuck::pod_read_unaligned::<u64>(&pair[k * 8..k * 8 + 8]);
            at(1).saturating_sub(at(0))
        });
        Duration::from_nanos((ticks.sum::<u64>() as f64 * self.period) as u64)
    }
}
