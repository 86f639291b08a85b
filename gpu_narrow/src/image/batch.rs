//! Views whose rows and crossings stand on the device together.

use std::ops::Range;

use super::layout::{DEEPEST_PIXEL, TILE_PIXELS, TileRow};
use crate::Capacities;

/// Bytes of the crossings of a tile, and of their counts.
pub(crate) const CROSSINGS: u64 = 8 * TILE_PIXELS as u64 * DEEPEST_PIXEL as u64;
/// See [`CROSSINGS`].
pub(crate) const COUNTS: u64 = 4 * TILE_PIXELS as u64;

/// Batches of one step, at most, of views that are handed over and of intersection volumes.
pub(crate) const MOST_BATCHES: u32 = 17;
/// Those of contacts, at most: of 512 pairs each where these have the usual number of views.
pub(crate) const MOST_CONTACT_BATCHES: u32 = 68;

/// Tiles and rows of a batch, at most: 64 MiB of crossings, and as much of rows.
const TILES: u64 = 2048;
const ROWS: u64 = 1 << 20;

/// Views, one after another, with their tiles and triangles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Batch {
    pub views: Range<u32>,
    pub tiles: Range<u32>,
    pub triangles: Range<u32>,
}

/// What a batch may hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BatchRoom {
    tiles: u64,
    rows: u64,
    batches: u32,
}

impl BatchRoom {
    pub fn new(capacities: &Capacities) -> BatchRoom {
        BatchRoom {
            tiles: TILES.min(capacities.buffer_bytes / CROSSINGS.max(COUNTS)),
            rows: ROWS.min(capacities.buffer_bytes / size_of::<TileRow>() as u64),
            batches: MOST_BATCHES,
        }
    }

    /// Twice as much, for views whose triangles the device counts: there is room for all that they may show.
    pub fn wide(capacities: &Capacities) -> BatchRoom {
        BatchRoom {
            tiles: (2 * TILES).min(capacities.buffer_bytes / CROSSINGS.max(COUNTS)),
            rows: (2 * ROWS).min(capacities.buffer_bytes / size_of::<TileRow>() as u64),
            batches: MOST_BATCHES,
        }
    }

    /// The same with so many tiles at most, in batches of contacts.
    pub fn of_contacts(self, most: u64) -> BatchRoom {
        BatchRoom { tiles: self.tiles.min(most), batches: MOST_CONTACT_BATCHES, ..self }
    }

    /// Whether a batch may hold so much.
    fn holds(self, tiles: u32, rows: u32) -> bool {
        u64::from(tiles) <= self.tiles && u64::from(rows) <= self.rows
    }
}

/// The batches of a step.
#[derive(Debug, Default)]
pub(crate) struct Batches {
    list: Vec<Batch>,
    flushed: usize,
}

impl Batches {
    pub fn clear(&mut self) {
        self.list.clear();
        self.flushed = 0;
    }

    /// Adds a view with its tiles and rows, to the last batch that has not been sent or to a new one. Whether
    /// there is room.
    pub fn add(&mut self, tiles: u32, rows: u32, room: BatchRoom) -> bool {
        let flushed = self.list.len() == self.flushed;
        if let Some(last) = self.list.last_mut().filter(|_| !flushed) {
            let [of_tiles, of_rows] = [(&last.tiles, tiles), (&last.triangles, rows)]
                .map(|(range, more)| (range.end - range.start).saturating_add(more));
            if room.holds(of_tiles, of_rows) {
                last.views.end += 1;
                last.tiles.end += tiles;
                last.triangles.end += rows;
                return true;
            }
        }
        if self.list.len() >= room.batches as usize || !room.holds(tiles, rows) {
            return false;
        }
        let after = self.list.last().cloned().unwrap_or_default();
        self.list.push(Batch {
            views: after.views.end..after.views.end + 1,
            tiles: after.tiles.end..after.tiles.end + tiles,
            triangles: after.triangles.end..after.triangles.end + rows,
        });
        true
    }

    /// Batches that have not been sent, each with its number.
    pub fn new_ones(&self) -> impl Iterator<Item = (u32, &Batch)> {
        (self.flushed as u32..).zip(&self.list[self.flushed..])
    }

    /// The last one.
    pub fn last(&self) -> Option<&Batch> {
        self.list.last()
    }

    /// All are sent.
    pub fn sent(&mut self) {
        self.flushed = self.list.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_hold_what_they_may_and_never_split_a_view() {
        let room = BatchRoom { tiles: 8, rows: 100, batches: MOST_BATCHES };
        let mut batches = Batches::default();
        assert!(!batches.add(9, 1, room) && !batches.add(1, 101, room));
        for (tiles, rows) in [(4, 10), (4, 10), (1, 60), (1, 60), (1, 40)] {
            assert!(batches.add(tiles, rows, room));
        }
        let tiles: Vec<_> = batches.new_ones().map(|(_, b)| (b.tiles.clone(), b.triangles.clone())).collect();
        assert_eq!(tiles, [(0..8, 0..20), (8..9, 20..80), (9..11, 80..180)]);
        batches.sent();
        // What comes later is not added to what has been sent.
        assert!(batches.add(1, 1, room));
        let new: Vec<_> = batches.new_ones().map(|(n, b)| (n, b.views.clone())).collect();
        assert_eq!(new, [(3, 5..6)]);
        while batches.add(8, 1, room) {}
        assert_eq!(batches.list.len(), MOST_BATCHES as usize);
    }
}
