//! One dispatch of a pass over some tiles, views or pairs.

use std::ops::Range;

use super::layout::TileParams;
use crate::GpuFault;
use crate::device::buffer::GrowBuffer;
use crate::device::clock::Clock;
use crate::device::no_buffer;
use crate::device::pipeline::{PARAMS_STRIDE, Pipeline};
use crate::engine::Engine;
use crate::step::{Buffers, ROW};

/// A dispatch of the pass of a name.
pub(crate) struct Dispatch<'n> {
    pub pass: &'n str,
    /// Which set of the parameters is its own.
    pub slot: u32,
    /// The tiles, views or pairs that it is about.
    pub range: Range<u32>,
    /// The number of the triangle whose row is the first on the device.
    pub base: u32,
}

impl Engine {
    /// Runs a pass; `buffers` are those that it binds, in the order of its slots.
    pub(crate) fn dispatch(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        pass: Dispatch<'_>,
        buffers: impl FnOnce(&Buffers) -> [&GrowBuffer; 5],
    ) -> Result<(), GpuFault> {
        let groups = pass.range.len() as u32;
        self.dispatch_groups(encoder, pass, groups, buffers)
    }

    /// Runs a pass of so many workgroups, which divide the range as they like.
    pub(crate) fn dispatch_groups(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        Dispatch { pass: name, slot, range, base }: Dispatch<'_>,
        groups: u32,
        buffers: impl FnOnce(&Buffers) -> [&GrowBuffer; 5],
    ) -> Result<(), GpuFault> {
        let Engine { device, queue, pipelines, clock, buffers: all, step, .. } = self;
        let count = range.len() as u32;
        let row = groups.clamp(1, ROW);
        let params = TileParams { tiles: count, row, first: range.start, sequence: step.sequence, base };
        let at = u64::from(slot) * PARAMS_STRIDE;
        queue.write_buffer(all.params.get().ok_or_else(no_buffer)?, at, bytemuck::bytes_of(&params));
        step.counts.bytes_up += size_of::<TileParams>() as u64;
        let mut bound = Vec::with_capacity(5);
        for buffer in buffers(all) {
            bound.push((buffer.get().ok_or_else(no_buffer)?, buffer.generation));
        }
        let Some(pipeline) = Pipeline::named(pipelines, name) else { return Err(no_buffer()) };
        let group = pipeline.bind(device, &bound).clone();
        let all_groups = row * groups.div_ceil(row).max(1);
        let counters = pipeline.tally.as_mut().map(|tally| tally.bind(device, all_groups));
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(pipeline.pass.name),
            timestamp_writes: clock.as_mut().and_then(|clock| Clock::next(clock, pipeline.pass.name)),
        });
        pass.set_pipeline(&pipeline.pipeline);
        pass.set_bind_group(0, &group, &[at as u32]);
        if counters.is_some() {
            pass.set_bind_group(1, &counters, &[]);
        }
        pass.dispatch_workgroups(row, groups.div_ceil(row).max(1), 1);
        Ok(())
    }
}
