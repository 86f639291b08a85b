//! The buffers of views that are handed over, and the dispatches of their triangles, layers and intervals.

use super::ReferenceStep;
use crate::GpuFault;
use crate::device::buffer::{Allocator, GrowBuffer};
use crate::device::error_scope::in_error_scope;
use crate::device::no_buffer;
use crate::engine::{Engine, MOST_SUBMISSIONS};
use crate::image::batch::{Batch, COUNTS, CROSSINGS};
use crate::image::dispatch::Dispatch;
use crate::image::layout::{SnapView, TileRow, TileUnit};
use crate::image::passes::{INTERVALS, LAYERS, SNAP};

/// The buffers on the device.
#[derive(Debug)]
pub(crate) struct ReferenceBuffers {
    units: GrowBuffer,
    views: GrowBuffer,
    triangles: GrowBuffer,
    rows: GrowBuffer,
    counts: GrowBuffer,
    crossings: GrowBuffer,
    pub answers: GrowBuffer,
}

impl ReferenceBuffers {
    pub fn new() -> ReferenceBuffers {
        use wgpu::BufferUsages as U;
        let sent = U::STORAGE | U::COPY_DST | U::COPY_SRC;
        ReferenceBuffers {
            units: GrowBuffer::new("tiles", sent),
            views: GrowBuffer::new("views", sent),
            triangles: GrowBuffer::new("triangles of views", sent),
            rows: GrowBuffer::new("tile rows", U::STORAGE | U::COPY_SRC),
            counts: GrowBuffer::new("crossing counts", U::STORAGE | U::COPY_SRC | U::COPY_DST),
            crossings: GrowBuffer::new("crossings", U::STORAGE | U::COPY_SRC),
            answers: GrowBuffer::new("intervals", sent),
        }
    }

    fn make_room(
        &mut self,
        step: &ReferenceStep,
        from: &mut Allocator<'_>,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<(), GpuFault> {
        if step.flushed_units == 0 {
            let sent = [&mut self.units, &mut self.views, &mut self.triangles, &mut self.answers];
            sent.into_iter().for_each(GrowBuffer::clear);
        }
        // Nothing stays in these from one batch to the next.
        [&mut self.rows, &mut self.counts, &mut self.crossings].into_iter().for_each(GrowBuffer::clear);
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
        self.crossings.hold(tiles as u64 * CROSSINGS, from, encoder)?;
        self.answers.hold(u64::from(step.words) * 4, from, encoder)
    }
}

impl Engine {
    /// Sends what is new, and has it snapped, and layers and intervals found, a batch of views at a time.
    pub(crate) fn encode_reference_views(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<(), GpuFault> {
        let Engine { device, buffers, step, capacities, .. } = self;
        let mut from =
            Allocator { device, limit: capacities.buffer_bytes, created: &mut step.counts.buffers_created };
        buffers.reference.make_room(&step.reference, &mut from, encoder)?;
        self.send_views();
        let mut batches: Vec<(u32, Batch)> =
            self.step.reference.batches.new_ones().map(|(number, batch)| (number, batch.clone())).collect();
        if batches.is_empty() {
            // The shaders run once on nothing, so that they are warm.
            batches.push((0, Batch::default()));
        }
        for (number, batch) in batches {
            let (slot, base) = (MOST_SUBMISSIONS + 2 * number, batch.triangles.start);
            let snap = Dispatch { pass: SNAP.name, slot, range: batch.views, base };
            self.dispatch(encoder, snap, |all| {
                let own = &all.reference;
                [&all.params, &all.meshes, &own.views, &own.triangles, &own.rows]
            })?;
            let layers = Dispatch { pass: LAYERS.name, slot: slot + 1, range: batch.tiles.clone(), base };
            self.capture_layers(encoder, &layers, |all| {
                let own = &all.reference;
                [&all.params, &own.units, &own.rows, &own.counts, &own.crossings]
            })?;
            let intervals = Dispatch { pass: INTERVALS.name, slot: slot + 1, range: batch.tiles, base };
            self.dispatch(encoder, intervals, |all| {
                let own = &all.reference;
                [&all.params, &own.units, &own.counts, &own.crossings, &own.answers]
            })?;
        }
        let own = &mut self.step.reference;
        self.step.counts.tile_rows = own.triangles.len() as u64;
        own.batches.sent();
        (own.flushed_units, own.flushed_views) = (own.units.len(), own.views.len());
        own.flushed_triangles = own.triangles.len();
        Ok(())
    }

    /// Sends tiles, views and triangles that are new.
    fn send_views(&mut self) {
        let Engine { queue, buffers, step, .. } = self;
        let (own, counts, buffers) = (&step.reference, &mut step.counts, &buffers.reference);
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

    /// What the layers of the last batch left on the device, for whoever compares them: the number of
    /// crossings of every pixel of every tile, and room for
    /// [`DEEPEST_PIXEL`](crate::image::layout::DEEPEST_PIXEL) crossings of each, in no order. Waits once more.
    ///
    /// # Errors
    /// [`GpuFault`]: they did not come.
    pub fn read_layers(&mut self) -> Result<(Vec<u32>, Vec<[u32; 2]>), GpuFault> {
        let (device, errors) = (self.device.clone(), self.errors.clone());
        in_error_scope(&device, &errors, || {
            let own = &self.buffers.reference;
            Ok((self.read_buffer(&own.counts)?, self.read_buffer(&own.crossings)?))
        })
    }

    /// The rows that the last batch left of the triangles of its views, for whoever compares them. Waits once
    /// more.
    ///
    /// # Errors
    /// [`GpuFault`]: they did not come.
    pub fn read_rows(&mut self) -> Result<Vec<TileRow>, GpuFault> {
        let (device, errors) = (self.device.clone(), self.errors.clone());
        in_error_scope(&device, &errors, || self.read_buffer(&self.buffers.reference.rows))
    }

    pub(crate) fn read_buffer<T: bytemuck::Pod>(&self, buffer: &GrowBuffer) -> Result<Vec<T>, GpuFault> {
        self.read_words(buffer.get().ok_or_else(no_buffer)?)
    }

    /// What a buffer holds, in elements of a type. Waits for the device.
    pub(crate) fn read_words<T: bytemuck::Pod>(&self, from: &wgpu::Buffer) -> Result<Vec<T>, GpuFault> {
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
