//! The buffers of intersection volumes, and the dispatches of their views, layers and intervals.

use super::VolumeStep;
use crate::GpuFault;
use crate::device::buffer::{Allocator, GrowBuffer};
use crate::engine::{Engine, MOST_SUBMISSIONS};
use crate::image::batch::{Batch, COUNTS, CROSSINGS, MOST_BATCHES};
use crate::image::dispatch::Dispatch;
use crate::image::layout::{TILE_RECORD_WORDS, TileRow, TileUnit, ViewPair};
use crate::image::passes::{INTERVALS, LAYERS, VIEW};

/// The buffers on the device.
#[derive(Debug)]
pub(crate) struct VolumeBuffers {
    pub pairs: GrowBuffer,
    units: GrowBuffer,
    rows: GrowBuffer,
    counts: GrowBuffer,
    crossings: GrowBuffer,
    pub answers: GrowBuffer,
}

impl VolumeBuffers {
    pub fn new() -> VolumeBuffers {
        use wgpu::BufferUsages as U;
        let sent = U::STORAGE | U::COPY_DST | U::COPY_SRC;
        VolumeBuffers {
            pairs: GrowBuffer::new("pairs", sent),
            units: GrowBuffer::new("tiles of pairs", sent),
            rows: GrowBuffer::new("rows of pairs", U::STORAGE | U::COPY_SRC),
            counts: GrowBuffer::new("crossing counts of pairs", U::STORAGE | U::COPY_SRC | U::COPY_DST),
            crossings: GrowBuffer::new("crossings of pairs", U::STORAGE | U::COPY_SRC),
            answers: GrowBuffer::new("records of pairs", sent),
        }
    }

    fn make_room(
        &mut self,
        step: &VolumeStep,
        from: &mut Allocator<'_>,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<(), GpuFault> {
        if step.flushed == 0 {
            [&mut self.pairs, &mut self.units, &mut self.answers].into_iter().for_each(GrowBuffer::clear);
        }
        // Nothing stays in these from one batch to the next.
        [&mut self.rows, &mut self.counts, &mut self.crossings].into_iter().for_each(GrowBuffer::clear);
        let (mut tiles, mut rows) = (0, 0);
        for (_, batch) in step.batches.new_ones() {
            tiles = batch.tiles.len().max(tiles);
            rows = batch.triangles.len().max(rows);
        }
        self.pairs.hold(size_of_val(&step.pairs[..]) as u64, from, encoder)?;
        self.units.hold(size_of_val(&step.units[..]) as u64, from, encoder)?;
        self.rows.hold((rows * size_of::<TileRow>()) as u64, from, encoder)?;
        self.counts.hold(tiles as u64 * COUNTS, from, encoder)?;
        self.crossings.hold(tiles as u64 * CROSSINGS, from, encoder)?;
        self.answers.hold(step.units.len() as u64 * u64::from(TILE_RECORD_WORDS) * 4, from, encoder)
    }
}

/// The first slot of the parameters that is of intersection volumes; two for each batch.
const FIRST_SLOT: u32 = MOST_SUBMISSIONS + 2 * MOST_BATCHES;

/// The slots of all passes.
pub(crate) const PARAMS_SLOTS: u32 = FIRST_SLOT + 2 * MOST_BATCHES;

impl Engine {
    /// Sends what is new, and has views, layers and intervals of it found, a batch of pairs at a time. The
    /// triangle intersection of these pairs has run.
    pub(crate) fn encode_volumes(&mut self, encoder: &mut wgpu::CommandEncoder) -> Result<(), GpuFault> {
        let Engine { device, queue, buffers, step, capacities, .. } = self;
        let own = &mut step.volumes;
        let counts = &mut step.counts;
        let mut from =
            Allocator { device, limit: capacities.buffer_bytes, created: &mut counts.buffers_created };
        buffers.volumes.make_room(own, &mut from, encoder)?;
        let tiles_before =
            own.batches.new_ones().next().map_or(own.units.len(), |(_, b)| b.tiles.start as usize);
        let mut write = |buffer: &GrowBuffer, at: usize, bytes: &[u8]| {
            if let Some(buffer) = buffer.get().filter(|_| !bytes.is_empty()) {
                queue.write_buffer(buffer, at as u64, bytes);
                counts.bytes_up += bytes.len() as u64;
            }
        };
        let new_pairs = bytemuck::cast_slice(&own.pairs[own.flushed..]);
        write(&buffers.volumes.pairs, own.flushed * size_of::<ViewPair>(), new_pairs);
        let new_tiles = bytemuck::cast_slice(&own.units[tiles_before..]);
        write(&buffers.volumes.units, tiles_before * size_of::<TileUnit>(), new_tiles);
        let mut batches: Vec<(u32, Batch)> = own.batches.new_ones().map(|(n, b)| (n, b.clone())).collect();
        own.batches.sent();
        own.flushed = own.pairs.len();
        if batches.is_empty() {
            // The shaders run once on nothing, so that they are warm.
            batches.push((0, Batch::default()));
        }
        for (number, batch) in batches {
            let (slot, base) = (FIRST_SLOT + 2 * number, batch.triangles.start);
            let view = Dispatch { pass: VIEW.name, slot, range: batch.views, base };
            self.dispatch(encoder, view, |all| {
                let own = &all.volumes;
                [&all.params, &all.meshes, &all.answers, &own.pairs, &own.rows]
            })?;
            let layers = Dispatch { pass: LAYERS.name, slot: slot + 1, range: batch.tiles.clone(), base };
            self.capture_layers(encoder, &layers, |all| {
                let own = &all.volumes;
                [&all.params, &own.units, &own.rows, &own.counts, &own.crossings]
            })?;
            let intervals = Dispatch { pass: INTERVALS.name, slot: slot + 1, range: batch.tiles, base };
            self.dispatch(encoder, intervals, |all| {
                let own = &all.volumes;
                [&all.params, &own.units, &own.counts, &own.crossings, &own.answers]
            })?;
        }
        Ok(())
    }
}
