//! The tiles' buffers, and the dispatches of snapping, layers and columns.

use std::ops::Range;

use impinge_image_space::passes;

use super::batch::Batch;
use super::{COUNTS, FRAGMENTS, TileStep};
use crate::GpuFault;
use crate::buffer::{Allocator, GrowBuffer};
use crate::clock::Clock;
use crate::engine::{Engine, MOST_SUBMISSIONS};
use crate::layout::{SnapView, TileParams, TileRow, TileUnit};
use crate::pipelines::{Bound, PARAMS_STRIDE};
use crate::step::{Buffers, ROW, no_buffer};
use crate::watch::guarded;

/// The tiles' buffers on the device.
#[derive(Debug)]
pub(crate) struct TileBuffers {
    units: GrowBuffer,
    views: GrowBuffer,
    triangles: GrowBuffer,
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
            views: GrowBuffer::new("views", sent),
            triangles: GrowBuffer::new("triangles of views", sent),
            rows: GrowBuffer::new("tile rows", U::STORAGE | U::COPY_SRC),
            counts: GrowBuffer::new("fragment counts", U::STORAGE | U::COPY_SRC),
            fragments: GrowBuffer::new("fragments", U::STORAGE | U::COPY_SRC),
            answers: GrowBuffer::new("columns", sent),
        }
    }

    fn make_room(
        &mut self,
        step: &TileStep,
        from: &mut Allocator<'_>,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<(), GpuFault> {
        if step.flushed_units == 0 {
            let sent = [&mut self.units, &mut self.views, &mut self.triangles, &mut self.answers];
            sent.into_iter().for_each(GrowBuffer::clear);
        }
        // Nothing stays in these from one batch to the next.
        [&mut self.rows, &mut self.counts, &mut self.fragments].into_iter().for_each(GrowBuffer::clear);
        let (mut tiles, mut rows) = (0, 0);
        for (_, batch) in step.batches.new_ones() {
            tiles = batch.tiles.len().max(tiles);
            rows = batch.triangles.len().max(rows);
        }
        self.units.hold(size_of_val(&step.units[..]) as u64, from, encoder)?;
        self.views.hold(size_of_val(&step.views[..]) as u64, from, encoder)?;
        self.triangles.hold(size_of_val(&step.triangles[..]) as u64, from, encoder)?;
        self.rows.hold((rows * size_of::<TileRow>()) as u64, from, encoder)?;
        self.counts.hold(tiles as u64 * COUNTS, from, encoder)?;
        self.fragments.hold(tiles as u64 * FRAGMENTS, from, encoder)?;
        self.answers.hold(u64::from(step.words) * 4, from, encoder)
    }
}

/// The buffers of a pass over tiles, in the order of its bindings.
fn bound<'b>(pass: &str, all: &'b Buffers) -> Result<[Bound<'b>; 5], GpuFault> {
    let own = &all.tiles;
    let list = match pass {
        passes::SNAP => [&all.params, &all.meshes, &own.views, &own.triangles, &own.rows],
        passes::LAYERS => [&all.params, &own.units, &own.rows, &own.counts, &own.fragments],
        _ => [&all.params, &own.units, &own.counts, &own.fragments, &own.answers],
    };
    let mut bound = Vec::with_capacity(5);
    for buffer in list {
        bound.push((buffer.get().ok_or_else(no_buffer)?, buffer.generation));
    }
    bound.try_into().map_err(|_| no_buffer())
}

impl Engine {
    /// Sends what is new, and has it snapped, and layers and columns found, a batch of views at a time.
    pub(crate) fn encode_tiles(&mut self, encoder: &mut wgpu::CommandEncoder) -> Result<(), GpuFault> {
        let Engine { device, buffers, step, capacities, .. } = self;
        let mut from =
            Allocator { device, limit: capacities.buffer_bytes, created: &mut step.counts.buffers_created };
        buffers.tiles.make_room(&step.tiles, &mut from, encoder)?;
        self.send_tiles();
        let mut batches: Vec<(u32, Batch)> =
            self.step.tiles.batches.new_ones().map(|(number, batch)| (number, batch.clone())).collect();
        if batches.is_empty() {
            // The shaders run once on nothing, so that they are warm.
            batches.push((0, Batch::default()));
        }
        for (number, batch) in batches {
            let (slot, base) = (MOST_SUBMISSIONS + 2 * number, batch.triangles.start);
            self.dispatch(encoder, &[passes::SNAP], slot, batch.views, base)?;
            self.dispatch(encoder, &[passes::LAYERS, passes::COLUMNS], slot + 1, batch.tiles, base)?;
        }
        let own = &mut self.step.tiles;
        self.step.counts.tile_rows = own.triangles.len() as u64;
        own.batches.sent();
        (own.flushed_units, own.flushed_views) = (own.units.len(), own.views.len());
        own.flushed_triangles = own.triangles.len();
        Ok(())
    }

    /// Sends tiles, views and triangles that are new.
    fn send_tiles(&mut self) {
        let Engine { queue, buffers, step, .. } = self;
        let (own, counts, buffers) = (&step.tiles, &mut step.counts, &buffers.tiles);
        let mut write = |buffer: &GrowBuffer, at: usize, bytes: &[u8]| {
            if let Some(buffer) = buffer.get().filter(|_| !bytes.is_empty()) {
                queue.write_buffer(buffer, at as u64, bytes);
                counts.bytes_up += bytes.len() as u64;
            }
        };
        let (units, views) = (own.flushed_units, own.flushed_views);
        write(&buffers.units, units * size_of::<TileUnit>(), bytemuck::cast_slice(&own.units[units..]));
        write(&buffers.views, views * size_of::<SnapView>(), bytemuck::cast_slice(&own.views[views..]));
        let triangles = own.flushed_triangles;
        write(&buffers.triangles, triangles * 4, bytemuck::cast_slice(&own.triangles[triangles..]));
    }

    /// Runs passes over some tiles or views, whose rows begin with that of triangle `base`.
    fn dispatch(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        names: &[&str],
        slot: u32,
        range: Range<u32>,
        base: u32,
    ) -> Result<(), GpuFault> {
        let Engine { device, queue, pipelines, clock, buffers, step, .. } = self;
        let tiles = range.len() as u32;
        let row = tiles.clamp(1, ROW);
        let params = TileParams { tiles, row, first: range.start, sequence: step.sequence, base };
        let at = u64::from(slot) * PARAMS_STRIDE;
        queue.write_buffer(buffers.params.get().ok_or_else(no_buffer)?, at, bytemuck::bytes_of(&params));
        step.counts.bytes_up += size_of::<TileParams>() as u64;
        for pipeline in pipelines.iter_mut().filter(|p| names.contains(&p.pass.name)) {
            let group = pipeline.bind(device, &bound(pipeline.pass.name, buffers)?).clone();
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: Some(pipeline.pass.name),
                timestamp_writes: clock.as_mut().and_then(|clock| Clock::next(clock, pipeline.pass.name)),
            });
            pass.set_pipeline(&pipeline.pipeline);
            pass.set_bind_group(0, &group, &[at as u32]);
            pass.dispatch_workgroups(row, tiles.div_ceil(row).max(1), 1);
        }
        Ok(())
    }

    /// What the layers of the last batch left on the device, for whoever compares them: the number of
    /// fragments of every pixel of every tile, and room for
    /// [`DEEPEST_PIXEL`](crate::layout::DEEPEST_PIXEL) fragments of each, in no order. Waits once more.
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

    /// The rows that the last batch left of the triangles of its views, for whoever compares them. Waits once
    /// more.
    ///
    /// # Errors
    /// [`GpuFault`]: they did not come.
    pub fn read_rows(&mut self) -> Result<Vec<TileRow>, GpuFault> {
        let (device, watch) = (self.device.clone(), self.watch.clone());
        guarded(&device, &watch, || self.read_buffer(&self.buffers.tiles.rows))
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
