//! The buffers of common volumes, and the dispatches of their views, layers and columns.

use std::ops::Range;

use impinge_image_space::passes;

use super::CommonStep;
use crate::GpuFault;
use crate::buffer::{Allocator, GrowBuffer};
use crate::clock::Clock;
use crate::engine::{Engine, MOST_SUBMISSIONS};
use crate::layout::{TILE_RECORD_WORDS, TileParams, TileRow, TileUnit, ViewPair};
use crate::pipelines::{Bound, PARAMS_STRIDE, Pipeline};
use crate::step::{Buffers, ROW, no_buffer};
use crate::tiles::{Batch, COUNTS, FRAGMENTS, MOST_BATCHES};

/// The buffers on the device.
#[derive(Debug)]
pub(crate) struct CommonBuffers {
    pub pairs: GrowBuffer,
    units: GrowBuffer,
    rows: GrowBuffer,
    counts: GrowBuffer,
    fragments: GrowBuffer,
    pub answers: GrowBuffer,
}

impl CommonBuffers {
    pub fn new() -> CommonBuffers {
        use wgpu::BufferUsages as U;
        let sent = U::STORAGE | U::COPY_DST | U::COPY_SRC;
        CommonBuffers {
            pairs: GrowBuffer::new("pairs", sent),
            units: GrowBuffer::new("tiles of pairs", sent),
            rows: GrowBuffer::new("rows of pairs", U::STORAGE | U::COPY_SRC),
            counts: GrowBuffer::new("fragment counts of pairs", U::STORAGE | U::COPY_SRC),
            fragments: GrowBuffer::new("fragments of pairs", U::STORAGE | U::COPY_SRC),
            answers: GrowBuffer::new("records of pairs", sent),
        }
    }

    fn make_room(
        &mut self,
        step: &CommonStep,
        from: &mut Allocator<'_>,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<(), GpuFault> {
        if step.flushed == 0 {
            [&mut self.pairs, &mut self.units, &mut self.answers].into_iter().for_each(GrowBuffer::clear);
        }
        // Nothing stays in these from one batch to the next.
        [&mut self.rows, &mut self.counts, &mut self.fragments].into_iter().for_each(GrowBuffer::clear);
        let (mut tiles, mut rows) = (0, 0);
        for (_, batch) in step.batches.new_ones() {
            tiles = batch.tiles.len().max(tiles);
            rows = batch.triangles.len().max(rows);
        }
        self.pairs.hold(size_of_val(&step.pairs[..]) as u64, from, encoder)?;
        self.units.hold(size_of_val(&step.units[..]) as u64, from, encoder)?;
        self.rows.hold((rows * size_of::<TileRow>()) as u64, from, encoder)?;
        self.counts.hold(tiles as u64 * COUNTS, from, encoder)?;
        self.fragments.hold(tiles as u64 * FRAGMENTS, from, encoder)?;
        self.answers.hold(step.units.len() as u64 * u64::from(TILE_RECORD_WORDS) * 4, from, encoder)
    }

    /// The buffers of a pass, in the order of its bindings.
    fn bound<'b>(&'b self, pass: &str, all: &'b Buffers) -> Result<[Bound<'b>; 5], GpuFault> {
        let list = match pass {
            passes::VIEW => [&all.params, &all.meshes, &all.answers, &self.pairs, &self.rows],
            passes::LAYERS => [&all.params, &self.units, &self.rows, &self.counts, &self.fragments],
            _ => [&all.params, &self.units, &self.counts, &self.fragments, &self.answers],
        };
        let mut bound = Vec::with_capacity(5);
        for buffer in list {
            bound.push((buffer.get().ok_or_else(no_buffer)?, buffer.generation));
        }
        bound.try_into().map_err(|_| no_buffer())
    }
}

/// The first slot of the parameters that is of common volumes; two for each batch.
const FIRST_SLOT: u32 = MOST_SUBMISSIONS + 2 * MOST_BATCHES;

/// The slots of all passes.
pub(crate) const PARAMS_SLOTS: u32 = FIRST_SLOT + 2 * MOST_BATCHES;

impl Engine {
    /// Sends what is new, and has views, layers and columns of it found, a batch of pairs at a time. The stream
    /// of these pairs has run.
    pub(crate) fn encode_common(&mut self, encoder: &mut wgpu::CommandEncoder) -> Result<(), GpuFault> {
        let Engine { device, queue, buffers, step, capacities, .. } = self;
        let own = &mut step.common;
        let counts = &mut step.counts;
        let mut from =
            Allocator { device, limit: capacities.buffer_bytes, created: &mut counts.buffers_created };
        buffers.common.make_room(own, &mut from, encoder)?;
        let tiles_before =
            own.batches.new_ones().next().map_or(own.units.len(), |(_, b)| b.tiles.start as usize);
        let mut write = |buffer: &GrowBuffer, at: usize, bytes: &[u8]| {
            if let Some(buffer) = buffer.get().filter(|_| !bytes.is_empty()) {
                queue.write_buffer(buffer, at as u64, bytes);
                counts.bytes_up += bytes.len() as u64;
            }
        };
        let new_pairs = bytemuck::cast_slice(&own.pairs[own.flushed..]);
        write(&buffers.common.pairs, own.flushed * size_of::<ViewPair>(), new_pairs);
        let new_tiles = bytemuck::cast_slice(&own.units[tiles_before..]);
        write(&buffers.common.units, tiles_before * size_of::<TileUnit>(), new_tiles);
        let mut batches: Vec<(u32, Batch)> = own.batches.new_ones().map(|(n, b)| (n, b.clone())).collect();
        own.batches.sent();
        own.flushed = own.pairs.len();
        if batches.is_empty() {
            // The shaders run once on nothing, so that they are warm.
            batches.push((0, Batch::default()));
        }
        for (number, batch) in batches {
            let (slot, base) = (FIRST_SLOT + 2 * number, batch.triangles.start);
            self.common_pass(encoder, passes::VIEW, slot, batch.views, base)?;
            for pass in [passes::LAYERS, passes::COLUMNS] {
                self.common_pass(encoder, pass, slot + 1, batch.tiles.clone(), base)?;
            }
        }
        Ok(())
    }

    /// Runs a pass over some pairs, or tiles, whose rows begin with number `base`.
    fn common_pass(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        name: &str,
        slot: u32,
        range: Range<u32>,
        base: u32,
    ) -> Result<(), GpuFault> {
        let Engine { device, queue, pipelines, clock, buffers, step, .. } = self;
        let count = range.len() as u32;
        let row = count.clamp(1, ROW);
        let params = TileParams { tiles: count, row, first: range.start, sequence: step.sequence, base };
        let at = u64::from(slot) * PARAMS_STRIDE;
        queue.write_buffer(buffers.params.get().ok_or_else(no_buffer)?, at, bytemuck::bytes_of(&params));
        step.counts.bytes_up += size_of::<TileParams>() as u64;
        let Some(pipeline) = Pipeline::named(pipelines, name) else { return Err(no_buffer()) };
        let group = pipeline.bind(device, &buffers.common.bound(name, buffers)?).clone();
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(pipeline.pass.name),
            timestamp_writes: clock.as_mut().and_then(|clock| Clock::next(clock, pipeline.pass.name)),
        });
        pass.set_pipeline(&pipeline.pipeline);
        pass.set_bind_group(0, &group, &[at as u32]);
        pass.dispatch_workgroups(row, count.div_ceil(row).max(1), 1);
        Ok(())
    }
}
