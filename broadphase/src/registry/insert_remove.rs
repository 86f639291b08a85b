//! Colliders that are inserted, removed, or change their filters.

use impinge_geometry::Aabb;

use crate::broad_phase::{BroadPhase, MAX_SLOT, NO_PROXY, Slot};
use crate::error::BroadPhaseError;
use crate::pairs::pair::Filter;
use crate::registry::boxes::valid;
use crate::registry::proxy::Extent;

impl BroadPhase {
    /// Inserts colliders into free slots: slot, box (m; bounds may be infinite), filter.
    ///
    /// # Errors
    /// A slot that is in use, too high or named twice, or a box with NaN or a minimum above its
    /// maximum. Nothing has changed then.
    pub fn insert(&mut self, batch: &[(u32, Aabb, Filter)]) -> Result<(), BroadPhaseError> {
        for &(slot, aabb, _) in batch {
            if slot > MAX_SLOT {
                return Err(BroadPhaseError::SlotTooHigh { slot });
            }
            if self.contains(slot) {
                return Err(BroadPhaseError::SlotInUse { slot });
            }
            valid(slot, &aabb)?;
        }
        distinct(batch.iter().map(|entry| entry.0))?;
        let slots = batch.iter().map(|entry| entry.0 as usize + 1).max().unwrap_or(0);
        if slots > self.slots.len() {
            self.slots.resize(slots, Slot { proxy: NO_PROXY, removed: 0 });
        }
        let fresh = batch.len().saturating_sub(self.free.len());
        self.proxies.reserve(fresh);
        self.filters.reserve(fresh);
        self.moved.reserve(batch.len());
        self.crossings.reserve(batch.len());
        for &(slot, aabb, filter) in batch {
            let fat = self.settings.margin.filter(|_| !filter.is_static);
            let fat = fat.map_or(aabb, |margin| margin.first(&aabb, slot));
            let new = Extent::new(&fat, self.grid().axes);
            let id = self.enter(slot, new, filter);
            if self.settings.margin.is_some() {
                self.set_anchor(id, aabb.min);
            }
        }
        Ok(())
    }

    /// Removes colliders. Their pairs end with the next update; their slots are free at once.
    ///
    /// # Errors
    /// A slot that is not in use, or is named twice. Nothing has changed then.
    pub fn remove(&mut self, slots: &[u32]) -> Result<(), BroadPhaseError> {
        for &slot in slots {
            if !self.contains(slot) {
                return Err(BroadPhaseError::UnknownSlot { slot });
            }
        }
        distinct(slots.iter().copied())?;
        for &slot in slots {
            self.disabled.remove(&slot);
            self.motions.remove(&slot);
            let entry = &mut self.slots[slot as usize];
            let id = std::mem::replace(&mut entry.proxy, NO_PROXY);
            entry.removed = self.epoch;
            if id != NO_PROXY {
                self.leave(id);
            }
        }
        Ok(())
    }

    /// Changes a collider's filter. Pairs that both filters allow persist.
    ///
    /// # Errors
    /// A slot that is not in use.
    pub fn set_filter(&mut self, slot: u32, filter: Filter) -> Result<(), BroadPhaseError> {
        if let Some(disabled) = self.disabled.get_mut(&slot) {
            disabled.filter = filter;
            return Ok(());
        }
        let id = self.proxy_of(slot)?;
        if self.filters[id as usize] != filter {
            let id = self.renew(id);
            self.filters[id as usize] = filter;
        }
        Ok(())
    }
}

/// Checks that no slot is named twice.
pub(crate) fn distinct(slots: impl Iterator<Item = u32> + Clone) -> Result<(), BroadPhaseError> {
    if slots.clone().zip(slots.clone().skip(1)).all(|(x, y)| x < y) {
        return Ok(());
    }
    let mut sorted: Vec<u32> = slots.collect();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(BroadPhaseError::DuplicateSlot { slot: pair[0] }),
        None => Ok(()),
    }
}
