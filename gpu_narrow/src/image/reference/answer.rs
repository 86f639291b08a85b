//! From records to intervals.

use super::{ReferenceStep, ViewTicket, packed};
use crate::GpuCounts;
use crate::engine::Engine;
use crate::image::layout::{
    OVER_INTERVALS, OVER_LAYERS, OVER_RANGE, TILE_PIXELS, TILE_RECORD_WORDS, TILE_SIDE, TileRecord, TileUnit,
    WHOLE,
};

/// An interval of a pixel's line that a device has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceInterval {
    /// The pixel, to the right and up.
    pub pixel: [u16; 2],
    /// The triangles at which the interval of A begins and ends, by their numbers among A's, and those of B by theirs;
    /// [`DeviceInterval::NONE`] where it has no beginning or no end.
    pub ends: [u32; 4],
}

impl DeviceInterval {
    /// No triangle.
    pub const NONE: u32 = u32::MAX;
}

/// What the device saw in a view, apart from the intervals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ViewTotals {
    /// Surfaces crossed.
    pub crossings: u64,
    /// Lines on which a counter did not return to zero.
    pub odd: u64,
    /// Sum of the lengths of the overlaps (steps).
    pub length: u64,
}

impl Engine {
    /// The records of a view's tiles; `None` for a ticket of another step.
    pub fn view_records(&self, ticket: &ViewTicket) -> Option<Vec<TileRecord>> {
        self.tile_answers(ticket)?.map(|(_, answer)| Some(answer?.0)).collect()
    }

    /// The intervals of a view of the step that was finished last, in the order of their pixels. `None` where
    /// the view is the CPU's: its answer has overflowed, an overlap goes on behind it, or the ticket is of
    /// another step.
    pub fn view_intervals(&self, ticket: &ViewTicket, out: &mut Vec<DeviceInterval>) -> Option<ViewTotals> {
        out.clear();
        let mut totals = ViewTotals::default();
        let mut parts = 0;
        for (unit, answer) in self.tile_answers(ticket)? {
            let (record, words) = answer?;
            let cut = record.cut > 0 && unit.flags & WHOLE == 0;
            if record.status != 0 || cut || record.intervals > unit.capacity {
                return None;
            }
            totals.crossings += u64::from(record.crossings);
            totals.odd += u64::from(record.odd);
            totals.length += u64::from(record.length[0]) | u64::from(record.length[1]) << 32;
            unpack(unit, &record, words, out);
            parts += 1;
        }
        if parts > 1 {
            out.sort_by_key(|c| [c.pixel[1], c.pixel[0]]);
        }
        Some(totals)
    }

    /// The tiles of a ticket, each with its record and the words of its intervals.
    fn tile_answers(
        &self,
        ticket: &ViewTicket,
    ) -> Option<impl Iterator<Item = (&TileUnit, Option<Answer<'_>>)>> {
        let own = &self.step.reference;
        let range = ticket.tiles.start as usize..ticket.tiles.end as usize;
        let units = own.units.get(range).filter(|_| ticket.sequence == self.step.sequence)?;
        Some(units.iter().map(|unit| (unit, record(unit, &own.answers))))
    }
}

/// What came for a tile: its record, and the words of its intervals.
type Answer<'a> = (TileRecord, &'a [u32]);

/// The answer of a tile.
fn record<'a>(unit: &TileUnit, answers: &'a [u32]) -> Option<Answer<'a>> {
    let words = TILE_RECORD_WORDS + packed(unit.capacity, unit.bits);
    let own = answers.get(unit.answer as usize..)?.get(..words as usize)?;
    let (record, intervals) = own.split_at(TILE_RECORD_WORDS as usize);
    Some((bytemuck::pod_read_unaligned(bytemuck::cast_slice(record)), intervals))
}

/// Whether every tile of a part of the step was answered in it; counts what they say.
pub(crate) fn take_in(
    tiles: &ReferenceStep,
    part: std::ops::Range<usize>,
    sequence: u32,
    counts: &mut GpuCounts,
) -> bool {
    tiles.units[part].iter().all(|unit| {
        let Some((record, _)) = record(unit, &tiles.answers) else { return false };
        counts.over_layers += u64::from(record.status & OVER_LAYERS != 0);
        counts.over_intervals += u64::from(record.status == OVER_INTERVALS);
        counts.tiles_over_range += u64::from(record.status & OVER_RANGE != 0);
        counts.crossings += u64::from(record.crossings);
        record.sequence == sequence
    })
}

/// Adds the intervals of a tile.
fn unpack(unit: &TileUnit, record: &TileRecord, words: &[u32], out: &mut Vec<DeviceInterval>) {
    let mut at = 0;
    let mut next = |bits: u32| {
        let (word, shift) = ((at / 32) as usize, at % 32);
        let pair = u64::from(words[word]) | u64::from(words.get(word + 1).copied().unwrap_or(0)) << 32;
        at += bits;
        (pair >> shift) as u32 & ((1 << bits) - 1)
    };
    let mut left = record.intervals;
    for lane in (0..TILE_PIXELS).filter(|l| record.pixels[(l / 32) as usize] >> (l % 32) & 1 == 1) {
        let pixel = [unit.origin[0] + lane % TILE_SIDE, unit.origin[1] + lane / TILE_SIDE].map(|x| x as u16);
        let mut more = true;
        while more && left > 0 {
            more = next(1) == 1;
            let ends = [0, 0, 1, 1].map(|side| {
                let bits = unit.bits[side];
                match next(bits) {
                    n if n == (1 << bits) - 1 => DeviceInterval::NONE,
                    n => n,
                }
            });
            out.push(DeviceInterval { pixel, ends });
            left -= 1;
        }
    }
}
