//! The buffers of contacts, and the dispatches of their passes.

use super::ManifoldStep;
use super::layout::{ContactPair, ContactPairHead, KeptContactView, PatchRecord, SolidSurface};
use super::passes::{CONTACT_VIEW, GROUP, INTERVAL_PLACES, PATCHES, PLACE_PAIRS, SOLIDS, VIEW_INTERVALS};
use crate::GpuFault;
use crate::device::buffer::{Allocator, GrowBuffer};
use crate::device::error_scope::in_error_scope;
use crate::engine::Engine;
use crate::image::batch::{Batch, COUNTS, CROSSINGS, MOST_CONTACT_BATCHES};
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
    solids: GrowBuffer,
    rows: GrowBuffer,
    counts: GrowBuffer,
    crossings: GrowBuffer,
    pub records: GrowBuffer,
    /// How many intervals the views before have.
    total: GrowBuffer,
    pub listed: GrowBuffer,
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
            solids: GrowBuffer::new("solids", sent),
            rows: GrowBuffer::new("rows of contacts", U::STORAGE | U::COPY_SRC),
            counts: GrowBuffer::new("crossing counts of contacts", U::STORAGE | U::COPY_SRC | U::COPY_DST),
            crossings: GrowBuffer::new("crossings of contacts", U::STORAGE | U::COPY_SRC),
            records: GrowBuffer::new("patch records", sent),
            total: GrowBuffer::new("number of view intervals", sent),
            listed: GrowBuffer::new("view intervals", sent),
        }
    }

    fn make_room(
        &mut self,
        step: &ManifoldStep,
        from: &mut Allocator<'_>,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<(), GpuFault> {
        if step.flushed == 0 {
            let sent =
                [&mut self.heads, &mut self.kept, &mut self.tiles, &mut self.records, &mut self.listed];
            self.solids.clear();
            sent.into_iter().for_each(GrowBuffer::clear);
        }
        // Nothing stays in these from one batch to the next.
        let own = [&mut self.pairs, &mut self.rows, &mut self.counts, &mut self.crossings];
        own.into_iter().for_each(GrowBuffer::clear);
        // At least one pair, so that the shaders can be warmed up.
        let (mut pairs, mut tiles, mut rows) = (1, 0, 0);
        for (_, batch) in step.batches.new_ones() {
            pairs = batch.views.len().max(pairs);
            tiles = batch.tiles.len().max(tiles);
            rows = batch.triangles.len().max(rows);
        }
        self.heads.hold(size_of_val(&step.heads[..]) as u64, from, encoder)?;
        self.kept.hold(size_of_val(&step.kept[..]) as u64, from, encoder)?;
        self.pairs.hold((pairs * size_of::<ContactPair>()) as u64, from, encoder)?;
        self.tiles.hold(size_of_val(&step.tiles[..]) as u64, from, encoder)?;
        let solids = size_of_val(&step.solids[..]).max(size_of::<SolidSurface>());
        self.solids.hold(solids as u64, from, encoder)?;
        self.rows.hold((rows * size_of::<TileRow>()) as u64, from, encoder)?;
        self.counts.hold(tiles as u64 * COUNTS, from, encoder)?;
        self.crossings.hold(tiles as u64 * CROSSINGS, from, encoder)?;
        let [records, listed] = step.bytes();
        self.records.hold(records.max(size_of::<PatchRecord>() as u64), from, encoder)?;
        self.total.hold(4, from, encoder)?;
        self.listed.hold(listed.max(4), from, encoder)
    }
}

/// Slots of the parameters of a batch.
const SLOTS: u32 = 3;

/// The first slot of the parameters that is of contacts.
const FIRST_BATCH: u32 = volume::PARAMS_SLOTS;

/// The slots of all passes.
pub(crate) const PARAMS_SLOTS: u32 = FIRST_BATCH + SLOTS * MOST_CONTACT_BATCHES;

impl Engine {
    /// Sends what is new, and has contours, views, layers and patches of it found, a batch of pairs at a time. The
    /// triangle intersection of these pairs has run.
    pub(crate) fn encode_manifolds(&mut self, encoder: &mut wgpu::CommandEncoder) -> Result<(), GpuFault> {
        let Engine { device, queue, buffers, step, capacities, .. } = self;
        let own = &mut step.manifolds;
        let counts = &mut step.counts;
        // The intervals of each part stand after those that there is room for in the parts before.
        let before = own.room;
        own.room += own.listed_room.of(own.listed - own.flushed_listed, before, capacities.buffer_bytes);
        own.flushed_listed = own.listed;
        let mut from =
            Allocator { device, limit: capacities.buffer_bytes, created: &mut counts.buffers_created };
        buffers.manifolds.make_room(own, &mut from, encoder)?;
        let mut write = |buffer: &GrowBuffer, at: usize, bytes: &[u8]| {
            if let Some(buffer) = buffer.get().filter(|_| !bytes.is_empty()) {
                queue.write_buffer(buffer, at as u64, bytes);
                counts.bytes_up += bytes.len() as u64;
            }
        };
        let (pairs, kept, solids) = (own.flushed, own.flushed_kept, own.flushed_solids);
        let to = &buffers.manifolds;
        write(&to.total, 0, bytemuck::bytes_of(&before));
        let heads = bytemuck::cast_slice(&own.heads[pairs..]);
        write(&to.heads, pairs * size_of::<ContactPairHead>(), heads);
        let views = bytemuck::cast_slice(&own.kept[kept..]);
        write(&to.kept, kept * size_of::<KeptContactView>(), views);
        let surfaces = bytemuck::cast_slice(&own.solids[solids..]);
        write(&to.solids, solids * size_of::<SolidSurface>(), surfaces);
        let tiles = own.heads.get(pairs).map_or(own.tiles.len(), |head| head.first_view as usize);
        write(&to.tiles, tiles * size_of::<TileUnit>(), bytemuck::cast_slice(&own.tiles[tiles..]));
        let mut batches: Vec<(u32, Batch)> = own.batches.new_ones().map(|(n, b)| (n, b.clone())).collect();
        own.batches.sent();
        (own.flushed, own.flushed_kept) = (own.heads.len(), own.kept.len());
        // Without a solid nothing of theirs is to be done, unless the shaders are warmed up.
        let solid = own.solids.len() > solids || batches.is_empty();
        own.flushed_solids = own.solids.len();
        if batches.is_empty() {
            // The shaders run once on nothing, so that they are warm.
            batches.push((0, Batch::default()));
        }
        for (number, batch) in batches {
            self.encode_batch(encoder, (number, batch), solid)?;
        }
        Ok(())
    }

    fn encode_batch(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        (number, Batch { views, tiles, triangles }): (u32, Batch),
        solid: bool,
    ) -> Result<(), GpuFault> {
        let (slot, base) = (FIRST_BATCH + SLOTS * number, triangles.start);
        let groups = (views.len() as u32).div_ceil(WORKGROUP);
        let place = Dispatch { pass: PLACE_PAIRS.name, slot, range: views.clone(), base };
        self.dispatch_groups(encoder, place, groups, |all| {
            let own = &all.manifolds;
            [&all.params, &own.heads, &own.pairs, &own.records, &own.heads]
        })?;
        self.dispatch(encoder, Dispatch { pass: GROUP, slot, range: views.clone(), base }, |all| {
            [&all.params, &all.meshes, &all.leaf_pairs, &all.answers, &all.manifolds.pairs]
        })?;
        self.dispatch(encoder, Dispatch { pass: CONTACT_VIEW, slot, range: views, base }, |all| {
            let own = &all.manifolds;
            [&all.params, &all.meshes, &own.kept, &own.pairs, &own.rows]
        })?;
        let layers = Dispatch { pass: LAYERS.name, slot: slot + 1, range: tiles.clone(), base };
        self.capture_layers(encoder, &layers, |all| {
            let own = &all.manifolds;
            [&all.params, &own.tiles, &own.rows, &own.counts, &own.crossings]
        })?;
        if solid {
            let solids = Dispatch { pass: SOLIDS, slot: slot + 1, range: tiles.clone(), base };
            self.dispatch(encoder, solids, |all| {
                let own = &all.manifolds;
                [&all.params, &own.tiles, &own.solids, &own.counts, &own.crossings]
            })?;
        }
        let patches = Dispatch { pass: PATCHES, slot: slot + 1, range: tiles.clone(), base };
        self.dispatch(encoder, patches, |all| {
            let own = &all.manifolds;
            [&all.params, &own.pairs, &own.counts, &own.crossings, &own.records]
        })?;
        let room = self.step.manifolds.room;
        let places = Dispatch { pass: INTERVAL_PLACES, slot: slot + 2, range: tiles.clone(), base: room };
        self.dispatch_groups(encoder, places, 1, |all| {
            let own = &all.manifolds;
            [&all.params, &own.records, &own.total, &own.records, &own.records]
        })?;
        self.dispatch(encoder, Dispatch { pass: VIEW_INTERVALS, slot: slot + 1, range: tiles, base }, |all| {
            let own = &all.manifolds;
            [&all.params, &own.records, &own.counts, &own.crossings, &own.listed]
        })
    }

    /// What the passes kept of every pair of the last batch of a step, for tests that compare it. Waits once more.
    ///
    /// # Errors
    /// [`GpuFault`]: it did not come.
    pub fn read_contact_pairs(&mut self) -> Result<Vec<ContactPair>, GpuFault> {
        let (device, errors) = (self.device.clone(), self.errors.clone());
        let pairs = self.step.manifolds.batches.last().map_or(0, |batch| batch.views.len());
        in_error_scope(&device, &errors, || {
            let mut all = self.read_buffer::<ContactPair>(&self.buffers.manifolds.pairs)?;
            all.truncate(pairs);
            Ok(all)
        })
    }
}
