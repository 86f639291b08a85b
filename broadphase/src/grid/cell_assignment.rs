//! Assigns proxies to columns: when they enter, change their cells, and leave.

use crate::broad_phase::BroadPhase;
use crate::grid::CellRange;
use crate::pairs::pair::Filter;
use crate::registry::proxy::{Extent, Proxy};
use crate::sweep::INACTIVE_AFTER;

/// A proxy whose columns change with the next update.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crossing {
    pub id: u32,
    /// Where the last update left it.
    pub from: CellRange,
}

/// Whether a proxy that moved so many updates ago may be inactive, which it is if it is old enough, or if an update was sparse since; if so,
/// whether it is that old.
#[inline(always)]
pub(crate) fn is_inactive(age: u32, sparse_before: u8) -> Option<bool> {
    let old = age >= INACTIVE_AFTER;
    (old || sparse_before & ((1 << age) - 1) != 0).then_some(old)
}

impl BroadPhase {
    /// Makes a proxy that enters with the next update.
    pub(crate) fn enter(&mut self, slot: u32, new: Extent, filter: Filter) -> u32 {
        let proxy = Proxy {
            new,
            old: Extent::NONE,
            cells: self.plan.grid.classify(&new, false),
            stamp: self.epoch << 1 | 1,
            slot,
        };
        let id = match self.free.pop() {
            Some(id) => {
                self.proxies[id as usize] = proxy;
                self.filters[id as usize] = filter;
                id
            }
            None => {
                self.proxies.push(proxy);
                self.filters.push(filter);
                (self.proxies.len() - 1) as u32
            }
        };
        self.moved.push(id);
        self.crossings.push(Crossing { id, from: CellRange::NOWHERE });
        self.slots[slot as usize].proxy = id;
        if self.settings.margin.is_some() {
            self.set_anchor(id, new.aabb(self.plan.grid.axes).min);
        }
        id
    }

    /// Notes that a proxy is about to change: its new box becomes the old one.
    #[inline(always)]
    pub(crate) fn note_moved(&mut self, id: u32) {
        let Some(age) = self.proxies[id as usize].begin_to_move(self.epoch) else { return };
        if let Some(aged) = is_inactive(age, self.sparse_before) {
            self.aged += usize::from(aged);
            self.woken.push(id);
        }
        self.moved.push(id);
    }

    /// Makes a proxy leave with the next update.
    pub(crate) fn leave(&mut self, id: u32) {
        self.note_moved(id);
        let proxy = &mut self.proxies[id as usize];
        proxy.new = Extent::NONE;
        self.leaving.push(id);
        self.list_crossing(id, CellRange::NOWHERE);
    }

    /// Notes that a proxy's columns change.
    #[inline]
    fn list_crossing(&mut self, id: u32, cells: CellRange) {
        let proxy = &mut self.proxies[id as usize];
        if proxy.stamp & 1 == 0 {
            proxy.stamp |= 1;
            self.crossings.push(Crossing { id, from: proxy.cells });
        }
        proxy.cells = cells;
    }

    pub(crate) fn change_cells(&mut self, id: u32, cells: CellRange, was_huge: bool) {
        let huge = cells == CellRange::HUGE;
        // A proxy does not change between the columns and the set of huge boxes: it leaves the one, and
        // another proxy enters the other. Together they report the right changes.
        let id = if huge == was_huge { id } else { self.renew(id) };
        self.list_crossing(id, cells);
    }

    /// A proxy of the same collider that enters with the next update: the given one if it does, else a new
    /// one, and the given one leaves.
    pub(crate) fn renew(&mut self, id: u32) -> u32 {
        let proxy = self.proxies[id as usize];
        if proxy.moved(self.epoch) && proxy.old.is_none() {
            return id;
        }
        let filter = self.filters[id as usize];
        let anchor = self.anchors.get(id as usize).copied();
        self.leave(id);
        let id = self.enter(proxy.slot, proxy.new, filter);
        if let Some(anchor) = anchor {
            self.set_anchor(id, anchor);
        }
        id
    }
}
