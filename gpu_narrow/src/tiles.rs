//! Views on the device: from the pairs' views to tiles and rows of triangles, and from records to columns.

use impinge_narrow::{Tile, TileColumn, TileTriangle, Tiles, passes};

use crate::buffer::{Allocator, GrowBuffer};
use crate::clock::Clock;
use crate::engine::{Engine, MOST_SUBMISSIONS};
use crate::layout::{
    DEEPEST_PIXEL, NARROW_BITS, OPEN_A, OPEN_B, OVER_COLUMNS, OVER_LAYERS, TILE_PIXELS, TILE_RECORD_WORDS,
    TILE_SIDE, TileParams, TileRecord, TileRow, TileUnit, WHOLE, WIDE, WIDE_BITS,
};
use crate::pipelines::{Bound, PARAMS_STRIDE};
use crate::step::{ROW, no_buffer};
use crate::stream::Overflow;
use crate::watch::guarded;
use crate::{Capacities, GpuCounts, GpuFault};

/// Dispatches of the layers in one step, at most.
pub(crate) const MOST_BATCHES: u32 = 32;

/// Tiles whose fragments stand on the device at a time, at most: 64 MiB.
const BATCH: u64 = 2048;

/// Bytes of the fragments of a tile, and of their counts.
const FRAGMENTS: u64 = 8 * TILE_PIXELS as u64 * DEEPEST_PIXEL as u64;
const COUNTS: u64 = 4 * TILE_PIXELS as u64;

/// Room for this many columns more than there were in the last step, and for an eighth of them.
const SPARE: u32 = 8;

/// Where a view stands in the step: its tiles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TileTicket {
    tiles: std::ops::Range<u32>,
    sequence: u32,
}

/// What the device saw in a view, apart from the columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TileTotals {
    /// Surfaces crossed.
    pub fragments: u64,
    /// Lines on which a counter did not return to zero.
    pub odd: u64,
    /// Sum of the lengths of the overlaps (steps).
    pub length: u64,
}

/// The tiles of one step, as the CPU keeps them.
#[derive(Debug, Default)]
pub(crate) struct TileStep {
    pub units: Vec<TileUnit>,
    rows: Vec<TileRow>,
    /// Words of answers asked for.
    pub words: u32,
    flushed_units: usize,
    flushed_rows: usize,
    batches: u32,
    /// Words of answers that have come.
    pub answers: Vec<u32>,
}

impl TileStep {
    pub fn begin(&mut self) {
        self.units.clear();
        self.rows.clear();
        self.answers.clear();
        (self.words, self.batches) = (0, 0);
        (self.flushed_units, self.flushed_rows) = (0, 0);
    }

    /// Whether there is something to send.
    pub fn is_new(&self) -> bool {
        self.units.len() > self.flushed_units
    }
}

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

/// Tiles of one dispatch.
fn batch(capacities: &Capacities) -> u64 {
    BATCH.min(capacities.buffer_bytes / FRAGMENTS)
}

impl Engine {
    /// Adds a view to the step.
    ///
    /// # Errors
    /// [`Overflow`]: the view is the CPU's.
    pub fn push_tile(&mut self, tiles: &Tiles, tile: &Tile) -> Result<TileTicket, Overflow> {
        let pushed = self.try_push_tile(tiles, tile);
        let counts = &mut self.step.counts;
        match &pushed {
            Ok(ticket) => counts.tiles += u64::from(ticket.tiles.end - ticket.tiles.start),
            Err(_) => counts.tiles_refused += 1,
        }
        pushed
    }

    fn try_push_tile(&mut self, tiles: &Tiles, tile: &Tile) -> Result<TileTicket, Overflow> {
        let Engine { capacities, step, .. } = self;
        let own = &mut step.tiles;
        let parts = tile.side().div_ceil(TILE_SIDE);
        let rows = &tiles.triangles[tile.triangles.start as usize..tile.triangles.end as usize];
        let (of_a, of_b) = (tile.of_a, rows.len() as u32 - tile.of_a);
        let wide = of_a.max(of_b) >= (1 << NARROW_BITS);
        let expected = tile.columns + tile.columns / 8 + SPARE;
        let capacity = expected.min(capacities.columns);
        let words = TILE_RECORD_WORDS + (capacity * if wide { 2 } else { 1 }).next_multiple_of(4);
        let tiles_after = own.units.len() as u64 + u64::from(parts * parts);
        let room = of_a.max(of_b) < (1 << WIDE_BITS) - 1
            && tiles_after <= u64::from(capacities.tiles)
            && tiles_after.div_ceil(batch(capacities).max(1)) + u64::from(MOST_SUBMISSIONS)
                <= u64::from(MOST_BATCHES)
            && batch(capacities) > 0
            && (own.rows.len() + rows.len()) as u64 * size_of::<TileRow>() as u64 <= capacities.buffer_bytes
            && 4 * (u64::from(own.words) + u64::from(words * parts * parts)) <= capacities.buffer_bytes;
        if !room {
            return Err(Overflow::WorkList);
        }
        let flag = |on: bool, bit: u32| if on { bit } else { 0 };
        let first = own.rows.len() as u32;
        own.rows.extend(rows.iter().map(TileRow::from));
        let from = own.units.len() as u32;
        for part in 0..parts * parts {
            own.units.push(TileUnit {
                first,
                count: rows.len() as u32,
                of_a,
                side: tile.side(),
                origin: [part % parts * TILE_SIDE, part / parts * TILE_SIDE],
                flags: flag(tile.open[0], OPEN_A)
                    | flag(tile.open[1], OPEN_B)
                    | flag(tile.is_whole(), WHOLE)
                    | flag(wide, WIDE),
                capacity,
                answer: own.words,
                deepest: capacities.layers.min(DEEPEST_PIXEL),
                spare: [0; 2],
            });
            own.words += words;
        }
        Ok(TileTicket { tiles: from..own.units.len() as u32, sequence: step.sequence })
    }

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
    /// fragments of every pixel of every tile, and the fragments, [`DEEPEST_PIXEL`] times the pixels of a
    /// tile. Waits once more.
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

    /// The records of a view's tiles; `None` for a ticket of another step.
    pub fn tile_records(&self, ticket: &TileTicket) -> Option<Vec<TileRecord>> {
        self.tile_answers(ticket)?.map(|(_, answer)| Some(answer?.0)).collect()
    }

    /// The columns of a view of the step that was finished last, in the order of their pixels. `None` where
    /// the view is the CPU's: its answer has overflowed, an overlap goes on behind it, or the ticket is of
    /// another step.
    pub fn tile_columns(&self, ticket: &TileTicket, out: &mut Vec<TileColumn>) -> Option<TileTotals> {
        out.clear();
        let mut totals = TileTotals::default();
        let mut parts = 0;
        for (unit, answer) in self.tile_answers(ticket)? {
            let (record, words) = answer?;
            let cut = record.cut > 0 && unit.flags & WHOLE == 0;
            if record.status != 0 || cut || record.columns > unit.capacity {
                return None;
            }
            totals.fragments += u64::from(record.fragments);
            totals.odd += u64::from(record.odd);
            totals.length += u64::from(record.length[0]) | u64::from(record.length[1]) << 32;
            columns(unit, &record, words, out);
            parts += 1;
        }
        if parts > 1 {
            out.sort_by_key(|c| [c.pixel[1], c.pixel[0]]);
        }
        Some(totals)
    }

    /// The tiles of a ticket, each with its record and the words of its columns.
    fn tile_answers(
        &self,
        ticket: &TileTicket,
    ) -> Option<impl Iterator<Item = (&TileUnit, Option<(TileRecord, &[u32])>)>> {
        let own = &self.step.tiles;
        let range = ticket.tiles.start as usize..ticket.tiles.end as usize;
        let units = own.units.get(range).filter(|_| ticket.sequence == self.step.sequence)?;
        Some(units.iter().map(|unit| (unit, record(unit, &own.answers))))
    }
}

/// The record of a tile, and the words of its columns.
fn record<'a>(unit: &TileUnit, answers: &'a [u32]) -> Option<(TileRecord, &'a [u32])> {
    let words = unit.capacity * if unit.flags & WIDE == 0 { 1 } else { 2 };
    let own = answers.get(unit.answer as usize..)?.get(..(TILE_RECORD_WORDS + words) as usize)?;
    let (record, columns) = own.split_at(TILE_RECORD_WORDS as usize);
    Some((bytemuck::pod_read_unaligned(bytemuck::cast_slice(record)), columns))
}

/// Whether every tile was answered in this step; counts what they say.
pub(crate) fn take_in(tiles: &TileStep, sequence: u32, counts: &mut GpuCounts) -> bool {
    tiles.units.iter().all(|unit| {
        let Some((record, _)) = record(unit, &tiles.answers) else { return false };
        counts.over_layers += u64::from(record.status & OVER_LAYERS != 0);
        counts.over_columns += u64::from(record.status & (OVER_LAYERS | OVER_COLUMNS) == OVER_COLUMNS);
        counts.fragments += u64::from(record.fragments);
        record.sequence == sequence
    })
}

/// Adds the columns of a tile.
fn columns(unit: &TileUnit, record: &TileRecord, words: &[u32], out: &mut Vec<TileColumn>) {
    let wide = unit.flags & WIDE != 0;
    let bits = if wide { WIDE_BITS } else { NARROW_BITS };
    let none = (1 << bits) - 1;
    let number = |word: u32, k: u32| match word >> (k * bits) & none {
        n if n == none => TileColumn::NONE,
        n => n,
    };
    let mut words = words.iter();
    let mut left = record.columns;
    for lane in (0..TILE_PIXELS).filter(|l| record.pixels[(l / 32) as usize] >> (l % 32) & 1 == 1) {
        let pixel = [unit.origin[0] + lane % TILE_SIDE, unit.origin[1] + lane / TILE_SIDE].map(|x| x as u16);
        let mut more = true;
        while more && left > 0 {
            let Some(&first) = words.next() else { return };
            let (second, from) =
                if wide { (words.next().copied().unwrap_or_default(), 0) } else { (first, 2) };
            let ends = [number(first, 0), number(first, 1), number(second, from), number(second, from + 1)];
            out.push(TileColumn { pixel, ends });
            more = first >> 31 == 1;
            left -= 1;
        }
    }
}

impl From<&TileTriangle> for TileRow {
    fn from(t: &TileTriangle) -> TileRow {
        let words = |x: i64| [x as u32, (x >> 32) as u32];
        let [[a, b], [c, d]] = t.across;
        TileRow {
            edge: t.edge,
            front: t.front.into(),
            across: [a, b, c, d],
            at: words(t.at),
            along_i: words(t.along[0]),
            along_j: words(t.along[1]),
            least: t.least,
            most: t.most,
        }
    }
}
