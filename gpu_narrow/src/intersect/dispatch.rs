//! The dispatch of the triangle intersection: what is sent for it, and the buffers that it needs.

use super::layout::{IntersectParams, IntersectUnit};
use super::passes::INTERSECT;
use crate::GpuFault;
use crate::device::buffer::{Allocator, GrowBuffer};
use crate::device::clock::Clock;
use crate::device::no_buffer;
use crate::device::pipeline::PARAMS_STRIDE;
use crate::engine::Engine;
use crate::manifold::PARAMS_SLOTS;
use crate::step::ROW;

impl Engine {
    /// Sends what is new, and has the triangles of it intersected.
    pub(crate) fn encode_intersect(&mut self, encoder: &mut wgpu::CommandEncoder) -> Result<(), GpuFault> {
        self.make_room(encoder)?;
        let units = (self.step.units.len() - self.step.flushed_units) as u32;
        let slot = u64::from(self.step.flushes) * PARAMS_STRIDE;
        let row = units.clamp(1, ROW);
        let params = IntersectParams {
            units,
            row,
            first: self.step.flushed_units as u32,
            sequence: self.step.sequence,
        };
        self.send(slot, &params);
        let Engine { device, pipelines, clock, buffers, step, .. } = self;
        let bound = [&buffers.params, &buffers.meshes, &buffers.units, &buffers.leaf_pairs, &buffers.answers];
        let mut list = Vec::with_capacity(bound.len());
        for buffer in bound {
            list.push((buffer.get().ok_or_else(no_buffer)?, buffer.generation));
        }
        for pipeline in pipelines.iter_mut().filter(|p| p.pass.name == INTERSECT.name) {
            let group = pipeline.bind(device, &list).clone();
            let all_groups = row * units.div_ceil(row).max(1);
            let counters = pipeline.tally.as_mut().map(|tally| tally.bind(device, all_groups));
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: Some(pipeline.pass.name),
                timestamp_writes: clock.as_mut().and_then(|clock| Clock::next(clock, INTERSECT.name)),
            });
            pass.set_pipeline(&pipeline.pipeline);
            pass.set_bind_group(0, &group, &[slot as u32]);
            if counters.is_some() {
                pass.set_bind_group(1, &counters, &[]);
            }
            pass.dispatch_workgroups(row, units.div_ceil(row).max(1), 1);
        }
        step.flushed_units = step.units.len();
        step.flushed_leaf_pairs = step.leaf_pairs.len();
        step.flushes += 1;
        Ok(())
    }

    /// Buffers large enough for the step so far.
    fn make_room(&mut self, encoder: &mut wgpu::CommandEncoder) -> Result<(), GpuFault> {
        let Engine { device, queue, buffers, step, meshes, capacities, .. } = self;
        if step.flushes == 0 {
            let own = [&mut buffers.units, &mut buffers.leaf_pairs, &mut buffers.answers];
            own.into_iter().for_each(GrowBuffer::clear);
        }
        let created = &mut step.counts.buffers_created;
        let mut from = Allocator { device, limit: capacities.buffer_bytes, created };
        // Parameters are of one size, whatever other buffers may hold.
        let params = u64::from(PARAMS_SLOTS) * PARAMS_STRIDE;
        let limit = std::mem::replace(&mut from.limit, capacities.buffer_bytes.max(params));
        buffers.params.hold(params, &mut from, encoder)?;
        from.limit = limit;
        // What is written next may stand where something was before: that has moved along by then.
        let mut moves =
            device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("meshes") });
        let before = buffers.meshes.generation;
        buffers.meshes.hold(u64::from(meshes.words()) * 4, &mut from, &mut moves)?;
        if buffers.meshes.generation != before {
            let _ = queue.submit([moves.finish()]);
        }
        buffers.units.hold(size_of_val(&step.units[..]) as u64, &mut from, encoder)?;
        buffers.leaf_pairs.hold(size_of_val(&step.leaf_pairs[..]) as u64, &mut from, encoder)?;
        buffers.answers.hold(u64::from(step.words) * 4, &mut from, encoder)
    }

    /// Sends parameters, and the meshes, units and leaf pairs that are new.
    fn send(&mut self, slot: u64, params: &IntersectParams) {
        let Engine { queue, buffers, step, meshes, .. } = self;
        let mut sent = 0;
        let mut write = |buffer: &GrowBuffer, at: u64, bytes: &[u8]| {
            if let Some(buffer) = buffer.get().filter(|_| !bytes.is_empty()) {
                queue.write_buffer(buffer, at, bytes);
                sent += bytes.len() as u64;
            }
        };
        write(&buffers.params, slot, bytemuck::bytes_of(params));
        for (at, words) in meshes.pending() {
            write(&buffers.meshes, u64::from(at) * 4, bytemuck::cast_slice(words));
        }
        let (units, pairs) = (&step.units[step.flushed_units..], &step.leaf_pairs[step.flushed_leaf_pairs..]);
        write(
            &buffers.units,
            (step.flushed_units * size_of::<IntersectUnit>()) as u64,
            bytemuck::cast_slice(units),
        );
        write(&buffers.leaf_pairs, (step.flushed_leaf_pairs * 8) as u64, bytemuck::cast_slice(pairs));
        meshes.written();
        step.counts.bytes_up += sent;
    }
}
