//! From records to columns.

use impinge_narrow::TileColumn;

use super::{TileStep, TileTicket, head, labels, packed};
use crate::GpuCounts;
use crate::engine::Engine;
use crate::layout::{
    OVER_COLUMNS, OVER_LAYERS, OVER_RANGE, TILE_PIXELS, TILE_SIDE, TileRecord, TileUnit, WHOLE, WITH_SUMS,
};

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

impl Engine {
    /// The records of a view's tiles; `None` for a ticket of another step.
    pub fn tile_records(&self, ticket: &TileTicket) -> Option<Vec<TileRecord>> {
        self.tile_answers(ticket)?.map(|(_, answer)| Some(answer?.0)).collect()
    }

    /// For every tile of a view, how its columns hang together: of each, in their order, the number of the first of its
    /// piece. A tile has none where it was discarded, has more columns than [`MOST_JOINED`](crate::layout::MOST_JOINED), or
    /// sums were not asked for ([`EngineSettings::tile_sums`](crate::EngineSettings)). `None` for a ticket of another step.
    pub fn tile_pieces(&self, ticket: &TileTicket) -> Option<Vec<Vec<u32>>> {
        let of_tile = |(unit, answer): (&TileUnit, Option<Answer<'_>>)| {
            let (record, words) = answer?;
            let known = record.status == 0 && record.pieces != u32::MAX && unit.flags & WITH_SUMS != 0;
            let halves = words.get(packed(unit.capacity, unit.bits) as usize..)?;
            let halves = halves.iter().flat_map(|word| [word & 0xffff, word >> 16]);
            Some(halves.take(if known { record.columns as usize } else { 0 }).collect())
        };
        self.tile_answers(ticket)?.map(of_tile).collect()
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
    ) -> Option<impl Iterator<Item = (&TileUnit, Option<Answer<'_>>)>> {
        let own = &self.step.tiles;
        let range = ticket.tiles.start as usize..ticket.tiles.end as usize;
        let units = own.units.get(range).filter(|_| ticket.sequence == self.step.sequence)?;
        Some(units.iter().map(|unit| (unit, record(unit, &own.answers))))
    }
}

/// What came for a tile: its record, and the words of its columns and of their pieces.
type Answer<'a> = (TileRecord, &'a [u32]);

/// The answer of a tile; sums that were not asked for are zero.
fn record<'a>(unit: &TileUnit, answers: &'a [u32]) -> Option<Answer<'a>> {
    let words = head(unit.flags) + packed(unit.capacity, unit.bits) + labels(unit.capacity, unit.flags);
    let own = answers.get(unit.answer as usize..)?.get(..words as usize)?;
    let (head, columns) = own.split_at(head(unit.flags) as usize);
    let mut record = TileRecord::default();
    let bytes: &[u8] = bytemuck::cast_slice(head);
    bytemuck::bytes_of_mut(&mut record)[..bytes.len()].copy_from_slice(bytes);
    Some((record, columns))
}

/// Whether every tile was answered in this step; counts what they say.
pub(crate) fn take_in(tiles: &TileStep, sequence: u32, counts: &mut GpuCounts) -> bool {
    tiles.units.iter().all(|unit| {
        let Some((record, _)) = record(unit, &tiles.answers) else { return false };
        counts.over_layers += u64::from(record.status & OVER_LAYERS != 0);
        counts.over_columns += u64::from(record.status == OVER_COLUMNS);
        counts.tiles_over_range += u64::from(record.status & OVER_RANGE != 0);
        counts.fragments += u64::from(record.fragments);
        record.sequence == sequence
    })
}

/// Adds the columns of a tile.
fn columns(unit: &TileUnit, record: &TileRecord, words: &[u32], out: &mut Vec<TileColumn>) {
    let mut at = 0;
    let mut next = |bits: u32| {
        let (word, shift) = ((at / 32) as usize, at % 32);
        let pair = u64::from(words[word]) | u64::from(words.get(word + 1).copied().unwrap_or(0)) << 32;
        at += bits;
        (pair >> shift) as u32 & ((1 << bits) - 1)
    };
    let mut left = record.columns;
    for lane in (0..TILE_PIXELS).filter(|l| record.pixels[(l / 32) as usize] >> (l % 32) & 1 == 1) {
        let pixel = [unit.origin[0] + lane % TILE_SIDE, unit.origin[1] + lane / TILE_SIDE].map(|x| x as u16);
        let mut more = true;
        while more && left > 0 {
            more = next(1) == 1;
            let ends = [0, 0, 1, 1].map(|side| {
                let bits = unit.bits[side];
                match next(bits) {
                    n if n == (1 << bits) - 1 => TileColumn::NONE,
                    n => n,
                }
            });
            out.push(TileColumn { pixel, ends });
            left -= 1;
        }
    }
}
