//! Rows that come to be, change their columns, and go.

use crate::broad_phase::BroadPhase;
use crate::column::REST;
use crate::grid::CellRange;
use crate::pair::Filter;
use crate::row::{Extent, Row};

/// A row whose columns change with the next update.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crossing {
    pub id: u32,
    /// Where the last update left it.
    pub from: CellRange,
}

impl BroadPhase {
    /// Makes a row that enters with the next update.
    pub(crate) fn enter(&mut self, slot: u32, new: Extent, filter: Filter) -> u32 {
        let row = Row {
            new,
            old: Extent::NONE,
            cells: self.plan.grid.classify(&new, false),
            stamp: self.epoch << 1 | 1,
            slot,
        };
        let id = match self.free.pop() {
            Some(id) => {
                self.rows[id as usize] = row;
                self.filters[id as usize] = filter;
                id
            }
            None => {
                self.rows.push(row);
                self.filters.push(filter);
                (self.rows.len() - 1) as u32
            }
        };
        self.moved.push(id);
        self.crossings.push(Crossing { id, from: CellRange::NOWHERE });
        self.slots[slot as usize].row = id;
        if self.settings.margin.is_some() {
            self.set_anchor(id, new.aabb(self.plan.grid.axes).min);
        }
        id
    }

    /// Notes that a row is about to change: where it is now is where it was.
    #[inline(always)]
    pub(crate) fn note_moved(&mut self, id: u32) {
        let row = &mut self.rows[id as usize];
        if row.moved(self.epoch) {
            return;
        }
        let age = row.age(self.epoch);
        // It rests in its columns if it is old enough, or if an update laid all to rest since.
        if age >= REST || self.few_before & ((1 << age) - 1) != 0 {
            self.aged += usize::from(age >= REST);
            self.woken.push(id);
        }
        row.stamp = self.epoch << 1;
        row.old = row.new;
        self.moved.push(id);
    }

    /// Lets a row leave with the next update.
    pub(crate) fn leave(&mut self, id: u32) {
        self.note_moved(id);
        let row = &mut self.rows[id as usize];
        row.new = Extent::NONE;
        self.leaving.push(id);
        self.list_crossing(id, CellRange::NOWHERE);
    }

    /// Notes that a row's columns change.
    #[inline]
    fn list_crossing(&mut self, id: u32, cells: CellRange) {
        let row = &mut self.rows[id as usize];
        if row.stamp & 1 == 0 {
            row.stamp |= 1;
            self.crossings.push(Crossing { id, from: row.cells });
        }
        row.cells = cells;
    }

    pub(crate) fn change_cells(&mut self, id: u32, cells: CellRange, was_huge: bool) {
        let huge = cells == CellRange::HUGE;
        // A row does not change from the columns to the set of huge boxes: it leaves the one, and
        // another enters the other. What they report together is right again.
        let id = if huge == was_huge { id } else { self.renew(id) };
        self.list_crossing(id, cells);
    }

    /// A row of the same collider that the last update did not know: the given one if that is so,
    /// else a new one, and the given one leaves.
    pub(crate) fn renew(&mut self, id: u32) -> u32 {
        let row = self.rows[id as usize];
        if row.moved(self.epoch) && row.old.is_none() {
            return id;
        }
        let filter = self.filters[id as usize];
        let anchor = self.anchors.get(id as usize).copied();
        self.leave(id);
        let id = self.enter(row.slot, row.new, filter);
        if let Some(anchor) = anchor {
            self.set_anchor(id, anchor);
        }
        id
    }
}
