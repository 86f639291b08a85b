//! Memory: how much is held, and how it is freed.

use crate::broad_phase::{BroadPhase, NO_PROXY, Slot};
use crate::grid::cell_assignment::Crossing;
use crate::grid::lists::Lists;
use crate::pairs::pair::{Filter, Pair};
use crate::registry::disable::Disabled;
use crate::registry::proxy::Proxy;
use crate::sweep::Column;
use crate::sweep::shares::Room;

impl BroadPhase {
    /// Bytes held, room for growth included.
    pub fn memory(&self) -> usize {
        let pairs = [&self.begun, &self.ended];
        self.slots.capacity() * size_of::<Slot>()
            + self.proxies.capacity() * size_of::<Proxy>()
            + self.filters.capacity() * size_of::<Filter>()
            + self.anchors.capacity() * size_of::<[f32; 3]>()
            + self.disabled.len() * size_of::<(u32, Disabled)>()
            + self.motions.len() * size_of::<(u32, [f32; 3])>()
            + 4 * (self.free.capacity()
                + self.leaving.capacity()
                + self.moved.capacity()
                + self.woken.capacity())
            + self.crossings.capacity() * size_of::<Crossing>()
            + self.columns.iter().map(Column::memory).sum::<usize>()
            + self.huge.memory()
            + self.touched.capacity()
            + self.list.memory()
            + self.entering.memory()
            + self.dirty.memory()
            + self.room.memory()
            + pairs.iter().map(|list| list.capacity() * size_of::<Pair>()).sum::<usize>()
    }

    /// Whether so many proxies are free that memory should be freed.
    pub(crate) fn is_mostly_free(&self) -> bool {
        self.free.len() > self.proxies.len() / 2 + 64
    }

    /// Frees memory that a burst of pairs took and that was not needed since.
    pub(crate) fn shrink_room(&mut self) {
        let spare = |list: &Vec<Pair>| list.capacity() > 4 * list.len() + 4096;
        if spare(&self.begun) || spare(&self.ended) {
            self.room = Room::default();
            self.begun.shrink_to(2 * self.begun.len());
            self.ended.shrink_to(2 * self.ended.len());
            self.crossings.shrink_to(2 * self.crossings.len());
        }
    }

    /// Compacts the proxies and frees the memory of all lists. Proxies get new ids, so the grid must be
    /// rebuilt.
    pub(crate) fn close_up(&mut self) {
        let mut ids = vec![NO_PROXY; self.proxies.len()];
        let mut is_free = vec![false; self.proxies.len()];
        self.free.iter().for_each(|&id| is_free[id as usize] = true);
        let mut to = 0;
        for id in (0..self.proxies.len()).filter(|&id| !is_free[id]) {
            self.proxies[to] = self.proxies[id];
            self.filters[to] = self.filters[id];
            if let Some(&anchor) = self.anchors.get(id) {
                self.anchors[to] = anchor;
            }
            ids[id] = to as u32;
            to += 1;
        }
        self.proxies.truncate(to);
        self.filters.truncate(to);
        self.anchors.truncate(to);
        self.free.clear();
        let renamed = |id: &mut u32| *id = ids[*id as usize];
        self.leaving.iter_mut().for_each(renamed);
        self.moved.iter_mut().for_each(renamed);
        self.slots
            .iter_mut()
            .map(|slot| &mut slot.proxy)
            .filter(|proxy| **proxy != NO_PROXY)
            .for_each(renamed);
        // The crossings are listed again with the columns.
        self.crossings = Vec::new();
        let disabled = self.disabled.last_key_value().map_or(0, |(&slot, _)| slot as usize + 1);
        let used = |slot: &Slot| slot.proxy != NO_PROXY || slot.removed == self.epoch;
        let slots = self.slots.iter().rposition(used).map_or(0, |last| last + 1);
        self.slots.truncate(slots.max(disabled));
        self.slots.shrink_to_fit();
        self.proxies.shrink_to_fit();
        self.filters.shrink_to_fit();
        self.anchors.shrink_to_fit();
        self.free.shrink_to_fit();
        self.moved.shrink_to_fit();
        self.woken.shrink_to_fit();
        self.leaving.shrink_to_fit();
        self.dirty = Lists::default();
        self.entering = Lists::default();
        self.room = Room::default();
        self.begun = Vec::new();
        self.ended = Vec::new();
        self.list.shrink();
    }
}
