//! Views on the device: from the pairs' views to tiles and rows of triangles, and from records to columns.

mod answer;
mod dispatch;

use impinge_narrow::{Tile, TileTriangle, Tiles};

use crate::Capacities;
use crate::engine::{Engine, MOST_SUBMISSIONS};
use crate::layout::{
    DEEPEST_PIXEL, MOST_BITS, OPEN_A, OPEN_B, TILE_HEAD_WORDS, TILE_PIXELS, TILE_RECORD_WORDS, TILE_SIDE,
    TileRow, TileUnit, WHOLE, WITH_SUMS,
};
use crate::stream::Overflow;

pub use answer::TileTotals;
pub(crate) use answer::take_in;
pub(crate) use dispatch::TileBuffers;

/// Dispatches of the layers in one step, at most.
pub(crate) const MOST_BATCHES: u32 = 32;

/// Tiles whose fragments stand on the device at a time, at most: 64 MiB.
const BATCH: u64 = 2048;

/// Bytes of the fragments of a tile, and of their counts.
const FRAGMENTS: u64 = 8 * TILE_PIXELS as u64 * DEEPEST_PIXEL as u64;
const COUNTS: u64 = 4 * TILE_PIXELS as u64;

/// Room for this many columns more than there were in the last step, and for a sixteenth of them.
const SPARE: u32 = 6;

/// Where a view stands in the step: its tiles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TileTicket {
    tiles: std::ops::Range<u32>,
    sequence: u32,
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

/// Words of a record.
fn head(flags: u32) -> u32 {
    if flags & WITH_SUMS == 0 { TILE_HEAD_WORDS } else { TILE_RECORD_WORDS }
}

/// Bits of a column: whether the next is of the same pixel, and the numbers of four triangles.
fn stride(bits: [u32; 2]) -> u32 {
    1 + 2 * (bits[0] + bits[1])
}

/// Words of some columns.
fn packed(columns: u32, bits: [u32; 2]) -> u32 {
    (columns * stride(bits)).div_ceil(32)
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
        let Engine { capacities, step, tile_sums, .. } = self;
        let own = &mut step.tiles;
        let parts = tile.side().div_ceil(TILE_SIDE);
        let rows = &tiles.triangles[tile.triangles.start as usize..tile.triangles.end as usize];
        let (of_a, of_b) = (tile.of_a, rows.len() as u32 - tile.of_a);
        let bits = [of_a, of_b].map(|own| u32::BITS - own.leading_zeros());
        let capacity = (tile.columns + tile.columns / 16 + SPARE).min(capacities.columns);
        let flag = |on: bool, bit: u32| if on { bit } else { 0 };
        let flags = flag(tile.open[0], OPEN_A)
            | flag(tile.open[1], OPEN_B)
            | flag(tile.is_whole(), WHOLE)
            | flag(*tile_sums, WITH_SUMS);
        let words = head(flags) + packed(capacity, bits);
        let tiles_after = own.units.len() as u64 + u64::from(parts * parts);
        let room = bits[0].max(bits[1]) <= MOST_BITS
            && tiles_after <= u64::from(capacities.tiles)
            && tiles_after.div_ceil(batch(capacities).max(1)) + u64::from(MOST_SUBMISSIONS)
                <= u64::from(MOST_BATCHES)
            && batch(capacities) > 0
            && (own.rows.len() + rows.len()) as u64 * size_of::<TileRow>() as u64 <= capacities.buffer_bytes
            && 4 * (u64::from(own.words) + u64::from(words * parts * parts)) <= capacities.buffer_bytes;
        if !room {
            return Err(Overflow::WorkList);
        }
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
                flags,
                capacity,
                answer: own.words,
                deepest: capacities.layers.min(DEEPEST_PIXEL),
                bits,
            });
            own.words += words;
        }
        Ok(TileTicket { tiles: from..own.units.len() as u32, sequence: step.sequence })
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
