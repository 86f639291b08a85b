//! The buffers of contacts, and the dispatches of their passes.

use super::ManifoldStep;
use super::layout::{ContactPair, ContactPairHead, KeptContactView, PatchRecord};
use super::passes::{CONTACT_VIEW, GROUP, PATCHES, PLACE_PAIRS};
use crate::GpuFault;
use crate::device::buffer::{Allocator, GrowBuffer};
use crate::device::error_scope::in_error_scope;
use crate::engine::{Engine, MOST_SUBMISSIONS};
use crate::image::batch::{Batch, COUNTS, CROSSINGS, MOST_BATCHES};
use crate::image::dispatch::Dispatch;
use crate::image::layout::{TileRow, TileUnit};
use crate::image::passes::LAYERS;
use crate::image::volume;
use crate::intersect::layout::WORKGROUP;

/// The buffers on the device.
#[derive(Debug)]
pub(crate) struct ManifoldBuffers {
    heads: GrowBuffer,
    kept: GrowBuffer,
    pairs: GrowBuffer,
    tiles: GrowBuffer,
    rows: GrowBuffer,
    counts: GrowBuffer,
    crossings: GrowBuffer,
    pub records: GrowBuffer,
}

impl ManifoldBuffers {
    pub fn new() -> ManifoldBuffers {
        use wgpu::BufferUsages as U;
        let sent = U::STORAGE | U::COPY_DST | U::COPY_SRC;
        ManifoldBuffers {
            heads: GrowBuffer::new("contact pairs sent", sent),
            kept: GrowBuffer::new("kept views", sent),
            pairs: GrowBuffer::new("contact pairs", sent),
            tiles: GrowBuffer::new("tiles of contacts", sent),
            rows: GrowBuffer::new("rows of contacts", U::STORAGE | U::COPY_SRC),
            counts: GrowBuffer::new("crossing counts of contacts", U::STORAGE | U::COPY_SRC),
            crossings: GrowBuffer::new("crossings of contacts", U::STORAGE | U::COPY_SRC),
            records: GrowBuffer::new("patch records", sent),
        }
    }

    fn make_room(
        &mut self,
        step: &ManifoldStep,
        from: &mut Allocator<'_>,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<(), GpuFault> {
        if step.flushed == 0 {
            let sent = [&mut self.heads, &mut self.kept, &mut self.pairs, &mut self.tiles, &mut self.records];
            sent.into_iter().for_each(GrowBuffer::clear);
        }
        // Nothing stays in these from one batch to the next.
        [&mut self.rows, &mut self.counts, &mut self.crossings].into_iter().for_each(GrowBuffer::clear);
        let (mut tiles, mut rows) = (0, 0);
        for (_, batch) in step.batches.new_ones() {
            tiles = batch.tiles.len().max(tiles);
            rows = batch.triangles.len().max(rows);
        }
        self.heads.hold(size_of_val(&step.heads[..]) as u64, from, encoder)?;
        self.kept.hold(size_of_val(&step.kept[..]) as u64, from, encoder)?;
        // At least one, so that the shaders can be warmed up.
        self.pairs.hold((step.heads.len().max(1) * size_of::<ContactPair>()) as u64, from, encoder)?;
        self.tiles.hold(size_of_val(&step.tiles[..]) as u64, from, encoder)?;
        self.rows.hold((rows * size_of::<TileRow>()) as u64, from, encoder)?;
        self.counts.hold(tiles as u64 * COUNTS, from, encoder)?;
        self.crossings.hold(tiles as u64 * CROSSINGS, from, encoder)?;
        self.records.hold(step.bytes().max(size_of::<PatchRecord>() as u64), from, encoder)
    }
}

/// The first slot of the parameters that is of contacts: one for each submission, and two for each batch.
const FIRST_SLOT: u32 = volume::PARAMS_SLOTS;
const FIRST_BATCH: u32 = FIRST_SLOT + MOST_SUBMISSIONS;

/// The slots of all passes.
pub(crate) const PARAMS_SLOTS: u32 = FIRST_BATCH + 2 * MOST_BATCHES;

impl Engine {
    /// Sends what is new, and has contours, views, layers and patches of it found, a batch of pairs at a time. The
    /// triangle intersection of these pairs has run.
    pub(crate) fn encode_manifolds(&mut self, encoder: &mut wgpu::CommandEncoder) -> Result<(), GpuFault> {
        let Engine { device, queue, buffers, step, capacities, .. } = self;
        let own = &mut step.manifolds;
        let counts = &mut step.counts;
        let mut from =
            Allocator { device, limit: capacities.buffer_bytes, created: &mut counts.buffers_created };
        buffers.manifolds.make_room(own, &mut from, encoder)?;
        let mut write = |buffer: &GrowBuffer, at: usize, bytes: &[u8]| {
            if let Some(buffer) = buffer.get().filter(|_| !bytes.is_empty()) {
                queue.write_buffer(buffer, at as u64, bytes);
                counts.bytes_up += bytes.len() as u64;
            }
        };
        let (pairs, kept) = (own.flushed, own.flushed_kept);
        let to = &buffers.manifolds;
        let heads = bytemuck::cast_slice(&own.heads[pairs..]);
        write(&to.heads, pairs * size_of::<ContactPairHead>(), heads);
        let views = bytemuck::cast_slice(&own.kept[kept..]);
        write(&to.kept, kept * size_of::<KeptContactView>(), views);
        let tiles = own.tiles.len() * pairs / own.heads.len().max(1);
        write(&to.tiles, tiles * size_of::<TileUnit>(), bytemuck::cast_slice(&own.tiles[tiles..]));
        let mut batches: Vec<(u32, Batch)> = own.batches.new_ones().map(|(n, b)| (n, b.clone())).collect();
        own.batches.sent();
        (own.flushed, own.flushed_kept) = (own.heads.len(), own.kept.len());
        let all = own.heads.len() as u32;
        if batches.is_empty() {
            // The shaders run once on nothing, so that they are warm.
            batches.push((0, Batch::default()));
        }
        // The triangle intersection has counted this submission.
        let slot = FIRST_SLOT + (self.step.flushes - 1) % MOST_SUBMISSIONS;
        let range = pairs as u32 / WORKGROUP..all.div_ceil(WORKGROUP);
        self.dispatch(encoder, Dispatch { pass: PLACE_PAIRS.name, slot, range, base: all }, |all| {
            let own = &all.manifolds;
            [&all.params, &own.heads, &own.pairs, &own.heads, &own.heads]
        })?;
        for (number, batch) in batches {
            self.encode_batch(encoder, number, batch)?;
        }
        Ok(())
    }

    fn encode_batch(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        number: u32,
        Batch { views, tiles, triangles }: Batch,
    ) -> Result<(), GpuFault> {
        let (slot, base) = (FIRST_BATCH + 2 * number, triangles.start);
        self.dispatch(encoder, Dispatch { pass: GROUP, slot, range: views.clone(), base }, |all| {
            [&all.params, &all.meshes, &all.leaf_pairs, &all.answers, &all.manifolds.pairs]
        })?;
        self.dispatch(encoder, Dispatch { pass: CONTACT_VIEW, slot, range: views, base }, |all| {
            let own = &all.manifolds;
            [&all.params, &all.meshes, &own.kept, &own.pairs, &own.rows]
        })?;
        let layers = Dispatch { pass: LAYERS.name, slot: slot + 1, range: tiles.clone(), base };
        self.dispatch(encoder, layers, |all| {
            let own = &all.manifolds;
            [&all.params, &own.tiles, &own.rows, &own.counts, &own.crossings]
        })?;
        self.dispatch(encoder, Dispatch { pass: PATCHES, slot: slot + 1, range: tiles, base }, |all| {
            let own = &all.manifolds;
            [&all.params, &own.pairs, &own.counts, &own.crossings, &own.records]
        })
    }

    /// What the passes kept of every pair of the last step, for tests that compare it. Waits once more.
    ///
    /// # Errors
    /// [`GpuFault`]: it did not come.
    pub fn read_contact_pairs(&mut self) -> Result<Vec<ContactPair>, GpuFault> {
        let (device, errors) = (self.device.clone(), self.errors.clone());
        let pairs = self.step.manifolds.heads.len();
        in_error_scope(&device, &errors, || {
            let mut all = self.read_buffer::<ContactPair>(&self.buffers.manifolds.pairs)?;
            all.truncate(pairs);
            Ok(all)
        })
    }
}
