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
#[derive(Clone)]
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

    /// Sends the parameters of a pass of so many workgroups.
    pub(crate) fn write_params(&mut self, pass: &Dispatch<'_>, groups: u32) -> Result<(), GpuFault> {
        let Engine { queue, buffers, step, .. } = self;
        let Dispatch { slot, range, base, .. } = pass;
        let params = TileParams {
            tiles: range.len() as u32,
            row: groups.clamp(1, ROW),
            first: range.start,
            sequence: step.sequence,
            base: *base,
        };
        let to = buffers.params.get().ok_or_else(no_buffer)?;
        queue.write_buffer(to, u64::from(*slot) * PARAMS_STRIDE, bytemuck::bytes_of(&params));
        step.counts.bytes_up += size_of::<TileParams>() as u64;
        Ok(())
    }

    /// Runs a pass of so many workgroups, which divide the range as they like.
    pub(crate) fn dispatch_groups(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        Dispatch { pass: name, slot, range, base }: Dispatch<'_>,
        groups: u32,
        buffers: impl FnOnce(&Buffers) -> [&GrowBuffer; 5],
    ) -> Result<(), GpuFault> {
        self.write_params(&Dispatch { pass: name, slot, range, base }, groups)?;
        let Engine { device, pipelines, clock, buffers: all, .. } = self;
        let row = groups.clamp(1, ROW);
        let at = u64::from(slot) * PARAMS_STRIDE;
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
