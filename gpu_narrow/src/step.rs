//! One step of work: what is sent, and what is dispatched.

use crate::buffer::{Allocator, GrowBuffer};
use crate::clock::Clock;
use crate::common::{CommonBuffers, CommonStep, PARAMS_SLOTS};
use crate::engine::Engine;
use crate::layout::{StreamParams, StreamUnit};
use crate::pipelines::PARAMS_STRIDE;
use crate::readback::ReadbackRing;
use crate::tiles::{TileBuffers, TileStep};
use crate::{GpuCounts, GpuFault};

/// The most workgroups along one dimension of a dispatch.
pub(crate) const ROW: u32 = 65_535;

/// The buffers on the device.
#[derive(Debug)]
pub(crate) struct Buffers {
    pub params: GrowBuffer,
    pub meshes: GrowBuffer,
    units: GrowBuffer,
    leaf_pairs: GrowBuffer,
    pub answers: GrowBuffer,
    pub tiles: TileBuffers,
    pub common: CommonBuffers,
    pub ring: ReadbackRing,
}

impl Buffers {
    pub fn new() -> Buffers {
        use wgpu::BufferUsages as U;
        let sent = U::STORAGE | U::COPY_DST | U::COPY_SRC;
        Buffers {
            params: GrowBuffer::new("params", U::UNIFORM | U::COPY_DST | U::COPY_SRC),
            meshes: GrowBuffer::new("meshes", sent),
            units: GrowBuffer::new("units", sent),
            leaf_pairs: GrowBuffer::new("leaf pairs", sent),
            answers: GrowBuffer::new("answers", sent),
            tiles: TileBuffers::new(),
            common: CommonBuffers::new(),
            ring: ReadbackRing::new(),
        }
    }
}

/// The work of one step, as the CPU keeps it.
#[derive(Debug, Default)]
pub(crate) struct Step {
    /// Its number, never zero once begun.
    pub sequence: u32,
    pub units: Vec<StreamUnit>,
    pub leaf_pairs: Vec<[u32; 2]>,
    /// Words of answers asked for.
    pub words: u32,
    pub flushed_units: usize,
    flushed_leaf_pairs: usize,
    flushes: u32,
    /// Words of answers that have come.
    pub answers: Vec<u32>,
    pub tiles: TileStep,
    pub common: CommonStep,
    pub counts: GpuCounts,
}

impl Step {
    pub fn begin(&mut self) {
        self.sequence = self.sequence.wrapping_add(1).max(1);
        self.units.clear();
        self.leaf_pairs.clear();
        self.words = 0;
        (self.flushed_units, self.flushed_leaf_pairs, self.flushes) = (0, 0, 0);
        self.answers.clear();
        self.tiles.begin();
        self.common.begin();
        self.counts = GpuCounts::default();
    }
}

impl Engine {
    /// Sends what is new, and has all passes run over it.
    pub(crate) fn encode(&mut self, encoder: &mut wgpu::CommandEncoder) -> Result<(), GpuFault> {
        self.encode_stream(encoder)?;
        // A step of nothing at all warms the shaders up.
        if self.step.tiles.is_new() || self.step.units.is_empty() {
            self.encode_tiles(encoder)?;
        }
        if self.step.common.is_new() || self.step.units.is_empty() {
            self.encode_common(encoder)?;
        }
        Ok(())
    }

    pub(crate) fn encoder(&self) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("impinge") })
    }

    /// Sends what is new, and has the stream run over it.
    fn encode_stream(&mut self, encoder: &mut wgpu::CommandEncoder) -> Result<(), GpuFault> {
        self.make_room(encoder)?;
        let units = (self.step.units.len() - self.step.flushed_units) as u32;
        let slot = u64::from(self.step.flushes) * PARAMS_STRIDE;
        let row = units.clamp(1, ROW);
        let params =
            StreamParams { units, row, first: self.step.flushed_units as u32, sequence: self.step.sequence };
        self.send(slot, &params);
        let Engine { device, pipelines, clock, buffers, step, .. } = self;
        let bound = [&buffers.params, &buffers.meshes, &buffers.units, &buffers.leaf_pairs, &buffers.answers];
        let mut list = Vec::with_capacity(bound.len());
        for buffer in bound {
            list.push((buffer.get().ok_or_else(no_buffer)?, buffer.generation));
        }
        for pipeline in pipelines.iter_mut().filter(|p| p.pass.name == impinge_exact::intersect::STREAM) {
            let group = pipeline.bind(device, &list).clone();
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: Some(pipeline.pass.name),
                timestamp_writes: clock
                    .as_mut()
                    .and_then(|clock| Clock::next(clock, impinge_exact::intersect::STREAM)),
            });
            pass.set_pipeline(&pipeline.pipeline);
            pass.set_bind_group(0, &group, &[slot as u32]);
            pass.dispatch_workgroups(row, units.div_ceil(row).max(1), 1);
        }
        step.flushed_units = step.units.len();
        step.flushed_leaf_pairs = step.leaf_pairs.len();
        step.flushes += 1;
        Ok(())
    }

    /// Buffers large enough for the step so far.
    fn make_room(&mut self, encoder: &mut wgpu::CommandEncoder) -> Result<(), GpuFault> {
        let Engine { device, buffers, step, meshes, capacities, .. } = self;
        if step.flushes == 0 {
            let own = [&mut buffers.units, &mut buffers.leaf_pairs, &mut buffers.answers];
            own.into_iter().for_each(GrowBuffer::clear);
        }
        let created = &mut step.counts.buffers_created;
        let mut from = Allocator { device, limit: capacities.buffer_bytes, created };
        buffers.params.hold(u64::from(PARAMS_SLOTS) * PARAMS_STRIDE, &mut from, encoder)?;
        buffers.meshes.hold(u64::from(meshes.words()) * 4, &mut from, encoder)?;
        buffers.units.hold(size_of_val(&step.units[..]) as u64, &mut from, encoder)?;
        buffers.leaf_pairs.hold(size_of_val(&step.leaf_pairs[..]) as u64, &mut from, encoder)?;
        buffers.answers.hold(u64::from(step.words) * 4, &mut from, encoder)
    }

    /// Sends parameters, and the meshes, units and leaf pairs that are new.
    fn send(&mut self, slot: u64, params: &StreamParams) {
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
            (step.flushed_units * size_of::<StreamUnit>()) as u64,
            bytemuck::cast_slice(units),
        );
        write(&buffers.leaf_pairs, (step.flushed_leaf_pairs * 8) as u64, bytemuck::cast_slice(pairs));
        meshes.written();
        step.counts.bytes_up += sent;
    }

    /// Has answers and timestamps copied to where the CPU can read them.
    pub(crate) fn encode_answers(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        bytes: [u64; 4],
        stamps: u64,
    ) -> Result<(), GpuFault> {
        let Engine { device, buffers, step, capacities, clock, .. } = self;
        let created = &mut step.counts.buffers_created;
        let mut from = Allocator { device, limit: 2 * capacities.buffer_bytes + 4096, created };
        let Buffers { ring, answers, tiles, common, .. } = buffers;
        let all = bytes.iter().sum::<u64>();
        let to = ring.reserve((all + stamps).max(4), &mut from, encoder)?;
        let mut at = 0;
        let sources = [&*answers, &tiles.answers, &common.pairs, &common.answers];
        for (answers, bytes) in sources.into_iter().zip(bytes).filter(|(_, bytes)| *bytes > 0) {
            encoder.copy_buffer_to_buffer(answers.get().ok_or_else(no_buffer)?, 0, to, at, bytes);
            at += bytes;
        }
        if let Some(clock) = clock {
            clock.resolve(encoder, to, all);
        }
        Ok(())
    }
}

pub(crate) fn no_buffer() -> GpuFault {
    GpuFault::NoAnswer { reason: "a buffer is missing".to_owned() }
}
