//! Finds all pairs from scratch: for a list that was not asked for in so long that its changes were dropped.

use rayon::prelude::*;

use crate::broad_phase::BroadPhase;
use crate::grid::CellRange;
use crate::pairs::events::{self, SortRoom};
use crate::pairs::pair::Pair;
use crate::registry::proxy::Extent;
use crate::sweep::lanes::{Change, Hit};
use crate::sweep::{CachedBoxes, Column};

impl BroadPhase {
    /// The pairs as of the last update, sorted.
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
        events::sort_unique(&mut pairs, &mut SortRoom::default());
        pairs
    }

    /// The pairs of a column's members that no other column shares.
    fn list_column(&self, column: &Column, cell: [u16; 2], found: &mut Found) {
        let [awake, inactive] = column.parts();
        for (part, others) in [(awake, awake), (awake, inactive), (inactive, inactive)] {
            self.list_part(part, others, cell, found);
        }
    }

    /// The pairs of members of one part of a column and another, or the same.
    fn list_part(
        &self,
        (ids, cached): (&[u32], &CachedBoxes),
        (other_ids, others): (&[u32], &CachedBoxes),
        cell: [u16; 2],
        found: &mut Found,
    ) {
        let lowest = |extent: &Extent| self.grid().range(extent).lo;
        let same = std::ptr::eq(cached, others);
        found.lowest.clear();
        found.lowest.extend((0..other_ids.len()).map(|place| lowest(&others.get(place))));
        for (place, &id) in ids.iter().enumerate() {
            let change = Change { new: cached.get(place), old: Extent::NONE };
            let mine = lowest(&change.new);
            others.probe(self.settings.simd, &change, 0, &mut found.hits);
            for other in found.hits.drain(..).flat_map(Hit::places).filter(|&other| !same || other > place) {
                // The cell that holds the greater of the two lower corners reports the pair.
                let theirs = found.lowest[other];
                if [mine[0].max(theirs[0]), mine[1].max(theirs[1])] == cell {
                    found.pairs.extend(self.pair(id, other_ids[other]));
                }
            }
        }
    }

    /// The pairs with one or two huge boxes; some more than once.
    fn list_apart(&self, pairs: &mut Vec<Pair>) {
        let mut hits: Vec<Hit> = Vec::new();
        for (at, &id) in self.huge.ids.iter().enumerate() {
            let extent = *self.proxies[id as usize].reported(self.epoch);
            let change = Change { new: extent, old: Extent::NONE };
            let cells: CellRange = self.grid().range(&extent);
            for cell in cells.cells() {
                for (ids, cached) in self.columns[self.grid().index(cell)].parts() {
                    cached.probe(self.settings.simd, &change, 0, &mut hits);
                    pairs.extend(hits.drain(..).flat_map(Hit::places).filter_map(|x| self.pair(id, ids[x])));
                }
            }
            for &other in &self.huge.ids[at + 1..] {
                if self.proxies[other as usize].reported(self.epoch).overlaps(&extent) {
                    pairs.extend(self.pair(id, other));
                }
            }
        }
    }

    /// The pair of two proxies, if their filters allow it.
    fn pair(&self, x: u32, y: u32) -> Option<Pair> {
        let allowed = self.filters[x as usize].allows(&self.filters[y as usize]);
        allowed.then(|| Pair::new(self.proxies[x as usize].slot, self.proxies[y as usize].slot))
    }
}

/// The results of one thread, and its scratch space.
#[derive(Default)]
struct Found {
    lowest: Vec<[u16; 2]>,
    hits: Vec<Hit>,
    pairs: Vec<Pair>,
}
