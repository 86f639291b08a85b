//! All pairs from nothing: for a list that was not asked for in so long that its changes were let go.

use rayon::prelude::*;

use crate::broad_phase::BroadPhase;
use crate::column::{Column, block_range};
use crate::events;
use crate::grid::CellRange;
use crate::lanes::{self, Change, Hit};
use crate::pair::Pair;
use crate::row::Extent;

impl BroadPhase {
    /// The pairs as the last update left them, sorted.
    pub(crate) fn list_all(&mut self) -> Vec<Pair> {
        self.queries();
        let this = &*self;
        let columns = this.columns.par_iter().enumerate().with_min_len(4);
        let mut pairs = columns
            .fold(Found::default, |mut found, (c, column)| {
                this.list_column(column, this.grid().cell_of(c), &mut found);
                found
            })
            .map(|found| found.pairs)
            .reduce(Vec::new, |mut x, mut y| {
                x.append(&mut y);
                x
            });
        this.list_apart(&mut pairs);
        events::sort_unique(&mut pairs, &mut Vec::new());
        pairs
    }

    /// The pairs of a column's members that no other column shares.
    fn list_column(&self, column: &Column, cell: [u16; 2], found: &mut Found) {
        let Column { ids, settled, .. } = column;
        let lowest = |extent: &Extent| self.grid().range(extent).lo;
        found.lowest.clear();
        found.lowest.extend((0..ids.len()).map(|place| lowest(&settled.get(place))));
        for place in 0..ids.len() {
            let change = Change { new: settled.get(place), old: Extent::NONE };
            let (_, end) = block_range(&settled.first, &settled.reach, &change);
            let start = place / lanes::LANES;
            let (path, boxes) = (self.settings.simd.path(), &settled.boxes[start..end.max(start)]);
            lanes::probe_settled(path, &change, 0, boxes, start as u32, &mut found.hits);
            for other in found.hits.drain(..).flat_map(Hit::places).filter(|&other| other > place) {
                // The cell that holds the greater of the two lower corners reports the pair.
                let (x, y) = (found.lowest[place], found.lowest[other]);
                if [x[0].max(y[0]), x[1].max(y[1])] == cell {
                    found.pairs.extend(self.pair(ids[place], ids[other]));
                }
            }
        }
    }

    /// The pairs of which one stands apart, or both; some more than once.
    fn list_apart(&self, pairs: &mut Vec<Pair>) {
        let mut hits: Vec<Hit> = Vec::new();
        for (at, &id) in self.huge.ids.iter().enumerate() {
            let extent = *self.rows[id as usize].settled(self.epoch);
            let change = Change { new: extent, old: Extent::NONE };
            let cells: CellRange = self.grid().range(&extent);
            for cell in cells.cells() {
                let Column { ids, settled, .. } = &self.columns[self.grid().index(cell)];
                let (start, end) = block_range(&settled.first, &settled.reach, &change);
                let path = self.settings.simd.path();
                lanes::probe_settled(path, &change, 0, &settled.boxes[start..end], start as u32, &mut hits);
                pairs.extend(hits.drain(..).flat_map(Hit::places).filter_map(|x| self.pair(id, ids[x])));
            }
            for &other in &self.huge.ids[at + 1..] {
                if self.rows[other as usize].settled(self.epoch).overlaps(&extent) {
                    pairs.extend(self.pair(id, other));
                }
            }
        }
    }

    /// The pair of two rows, if their filters allow it.
    fn pair(&self, x: u32, y: u32) -> Option<Pair> {
        let allowed = self.filters[x as usize].allows(&self.filters[y as usize]);
        allowed.then(|| Pair::new(self.rows[x as usize].slot, self.rows[y as usize].slot))
    }
}

/// What one thread found, and its room for it.
#[derive(Default)]
struct Found {
    lowest: Vec<[u16; 2]>,
    hits: Vec<Hit>,
    pairs: Vec<Pair>,
}
