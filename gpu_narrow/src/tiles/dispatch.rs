//! The tiles' buffers, and the dispatches of layers and columns.

use impinge_narrow::passes;

use super::{COUNTS, FRAGMENTS, TileStep, batch};
use crate::GpuFault;
use crate::buffer::{Allocator, GrowBuffer};
use crate::clock::Clock;
use crate::engine::{Engine, MOST_SUBMISSIONS};
use crate::layout::{TileParams, TileRow, TileUnit};
use crate::pipelines::{Bound, PARAMS_STRIDE};
use crate::step::{ROW, no_buffer};
use crate::watch::guarded;

/// The tiles' buffers on the device.
#[derive(Debug)]
pub(crate) struct TileBuffers {
    units: GrowBuffer,
    rows: GrowBuffer,
    counts: GrowBuffer,
    fragments: GrowBuffer,
    pub answers: GrowBuffer,
}

impl TileBuffers {
    pub fn new() -> TileBuffers {
        use wgpu::BufferUsages as U;
        let sent = U::STORAGE | U::COPY_DST | U::COPY_SRC;
        TileBuffers {
            units: GrowBuffer::new("tiles", sent),
            rows: GrowBuffer::new("tile rows", sent),
            counts: GrowBuffer::new("fragment counts", U::STORAGE | U::COPY_SRC),
            fragments: GrowBuffer::new("fragments", U::STORAGE | U::COPY_SRC),
            answers: GrowBuffer::new("columns", sent),
        }
    }

    fn make_room(
        &mut self,
        step: &TileStep,
        batch: u64,
        from: &mut Allocator<'_>,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<(), GpuFault> {
        if step.flushed_units == 0 {
            [&mut self.units, &mut self.rows, &mut self.answers].into_iter().for_each(GrowBuffer::clear);
        }
        // Nothing stays in these from one dispatch to the next.
        [&mut self.counts, &mut self.fragments].into_iter().for_each(GrowBuffer::clear);
        let tiles = ((step.units.len() - step.flushed_units) as u64).min(batch);
        self.units.hold(size_of_val(&step.units[..]) as u64, from, encoder)?;
        self.rows.hold(size_of_val(&step.rows[..]) as u64, from, encoder)?;
        self.counts.hold(tiles * COUNTS, from, encoder)?;
        self.fragments.hold(tiles * FRAGMENTS, from, encoder)?;
        self.answers.hold(u64::from(step.words) * 4, from, encoder)
    }

    /// The buffers of a pass, in the order of its bindings.
    fn of<'b>(&'b self, pass: &str, params: &'b GrowBuffer) -> Result<[Bound<'b>; 5], GpuFault> {
        let list = if pass == passes::LAYERS {
            [params, &self.units, &self.rows, &self.counts, &self.fragments]
        } else {
            [params, &self.units, &self.counts, &self.fragments, &self.answers]
        };
        let mut bound = Vec::with_capacity(5);
        for buffer in list {
            bound.push((buffer.get().ok_or_else(no_buffer)?, buffer.generation));
        }
        bound.try_into().map_err(|_| no_buffer())
    }
}

impl Engine {
    /// Sends what is new, and has layers and columns run over it, a batch of tiles at a time.
    pub(crate) fn encode_tiles(&mut self, encoder: &mut wgpu::CommandEncoder) -> Result<(), GpuFault> {
        let most = batch(&self.capacities).max(1);
        let Engine { device, queue, pipelines, clock, buffers, step, capacities, .. } = self;
        let (own, counts) = (&mut step.tiles, &mut step.counts);
        let mut from =
            Allocator { device, limit: capacities.buffer_bytes, created: &mut counts.buffers_created };
        buffers.tiles.make_room(own, most, &mut from, encoder)?;
        let mut write = |buffer: &GrowBuffer, at: usize, bytes: &[u8]| {
            if let Some(buffer) = buffer.get().filter(|_| !bytes.is_empty()) {
                queue.write_buffer(buffer, at as u64, bytes);
                counts.bytes_up += bytes.len() as u64;
            }
        };
        let (units, rows) = (&own.units[own.flushed_units..], &own.rows[own.flushed_rows..]);
        write(&buffers.tiles.units, own.flushed_units * size_of::<TileUnit>(), bytemuck::cast_slice(units));
        write(&buffers.tiles.rows, own.flushed_rows * size_of::<TileRow>(), bytemuck::cast_slice(rows));
        // Without any tile the shaders run once on none, so that they are warm.
        let mut next = own.flushed_units;
        loop {
            let tiles = ((own.units.len() - next) as u64).min(most) as u32;
            let row = tiles.clamp(1, ROW);
            let params = TileParams { tiles, row, first: next as u32, sequence: step.sequence };
            let slot = u64::from(MOST_SUBMISSIONS + own.batches) * PARAMS_STRIDE;
            write(&buffers.params, slot as usize, bytemuck::bytes_of(&params));
            for pipeline in pipelines.iter_mut() {
                if pipeline.pass.name != passes::LAYERS && pipeline.pass.name != passes::COLUMNS {
                    continue;
                }
                let bound = buffers.tiles.of(pipeline.pass.name, &buffers.params)?;
                let group = pipeline.bind(device, &bound).clone();
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                    label: Some(pipeline.pass.name),
                    timestamp_writes: clock.as_mut().and_then(|clock| Clock::next(clock, pipeline.pass.name)),
                });
                pass.set_pipeline(&pipeline.pipeline);
                pass.set_bind_group(0, &group, &[slot as u32]);
                pass.dispatch_workgroups(row, tiles.div_ceil(row).max(1), 1);
            }
            own.batches += 1;
            next += tiles as usize;
            if next == own.units.len() {
                break;
            }
        }
        counts.tile_rows = own.rows.len() as u64;
        (own.flushed_units, own.flushed_rows) = (own.units.len(), own.rows.len());
        Ok(())
    }

    /// What the layers of the last dispatch left on the device, for whoever compares them: the number of
    /// fragments of every pixel of every tile, and room for
    /// [`DEEPEST_PIXEL`](crate::layout::DEEPEST_PIXEL) fragments of each. Waits once more.
    ///
    /// # Errors
    /// [`GpuFault`]: they did not come.
    pub fn read_layers(&mut self) -> Result<(Vec<u32>, Vec<[u32; 2]>), GpuFault> {
        let (device, watch) = (self.device.clone(), self.watch.clone());
        guarded(&device, &watch, || {
            let tiles = &self.buffers.tiles;
            Ok((self.read_buffer(&tiles.counts)?, self.read_buffer(&tiles.fragments)?))
        })
    }

    fn read_buffer<T: bytemuck::Pod>(&self, buffer: &GrowBuffer) -> Result<Vec<T>, GpuFault> {
        let from = buffer.get().ok_or_else(no_buffer)?;
        let to = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("layers read back"),
            size: from.size(),
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(from, 0, &to, 0, from.size());
        let _ = self.queue.submit([encoder.finish()]);
        to.map_async(wgpu::MapMode::Read, .., |_| ());
        let lost = |error: &dyn std::fmt::Display| GpuFault::NoAnswer { reason: error.to_string() };
        self.device.poll(wgpu::PollType::wait_indefinitely()).map_err(|error| lost(&error))?;
        let view = to.get_mapped_range(..).map_err(|error| lost(&error))?;
        Ok(view.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect())
    }
}
