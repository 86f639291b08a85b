//! Boxes that move or change their size.

use impinge_geometry::Aabb;

use crate::broad_phase::{BroadPhase, NO_PROXY, Slot};
use crate::error::BroadPhaseError;
use crate::grid::CellRange;
use crate::grid::quantize::Quantizer;
use crate::registry::margin::Margin;
use crate::registry::proxy::{Extent, Proxy};
use crate::sweep::lanes;

/// Proxies are fetched this many boxes ahead of their use.
pub(crate) const AHEAD: usize = 16;

impl BroadPhase {
    /// Moves or resizes a collider's box (m).
    ///
    /// # Errors
    /// A slot that is not in use, or a box with NaN or a minimum above its maximum. Nothing has
    /// changed then.
    #[inline]
    pub fn set_aabb(&mut self, slot: u32, aabb: Aabb) -> Result<(), BroadPhaseError> {
        self.set_aabbs(&[(slot, aabb)])
    }

    /// Moves or resizes many boxes (m), as [`BroadPhase::set_aabb`] does one after another. Runs in rayon's current pool where there are
    /// thousands and their slots ascend; the result does not depend on its size.
    ///
    /// # Errors
    /// A slot that is not in use, or a box with NaN or a minimum above its maximum. Nothing has
    /// changed then.
    pub fn set_aabbs(&mut self, batch: &[(u32, Aabb)]) -> Result<(), BroadPhaseError> {
        // The order of the axes is known outside the loop, so that boxes are turned in registers.
        if self.are_shared(batch) {
            match self.plan.grid.axes[0] {
                0 => self.set_shared::<0>(batch),
                1 => self.set_shared::<1>(batch),
                _ => self.set_shared::<2>(batch),
            }
            return Ok(());
        }
        if !are_sound(&self.slots, batch) {
            for &(slot, aabb) in batch {
                valid(slot, &aabb)?;
                if !self.contains(slot) {
                    return Err(BroadPhaseError::UnknownSlot { slot });
                }
            }
        }
        match self.plan.grid.axes[0] {
            0 => self.set_turned::<0>(batch),
            1 => self.set_turned::<1>(batch),
            _ => self.set_turned::<2>(batch),
        }
        Ok(())
    }

    /// Sets boxes where the axis `FIRST` is swept.
    fn set_turned<const FIRST: usize>(&mut self, batch: &[(u32, Aabb)]) {
        match self.settings.margin {
            None => self.set_proxies::<FIRST>(batch, |_, _, _| false),
            Some(margin) => self.set_proxies::<FIRST>(batch, |this: &mut BroadPhase, id, new| {
                let held = margin.holds(&this.proxies[id as usize].new, new);
                if !held {
                    this.grow(id, new);
                }
                true
            }),
        }
    }

    /// Sets the boxes of slots that hold colliders, except those that `done` handles.
    #[inline(always)]
    fn set_proxies<const FIRST: usize>(
        &mut self,
        batch: &[(u32, Aabb)],
        done: impl Fn(&mut BroadPhase, u32, &Extent) -> bool,
    ) {
        let quantizer = Quantizer::new(&self.plan.grid);
        // Boxes are read where they are: copied, their bounds would be stored and loaded again in other pieces, which stalls.
        for (at, (slot, aabb)) in batch.iter().enumerate() {
            if let Some(&(slot, _)) = batch.get(at + AHEAD)
                && let Some(proxy) = self.proxies.get(self.slots[slot as usize].proxy as usize)
            {
                lanes::prefetch(proxy);
            }
            let id = self.slots[*slot as usize].proxy;
            let new = Extent::turned::<FIRST>(aabb);
            if id == NO_PROXY {
                self.set_disabled_box(*slot, aabb);
            } else if !done(self, id, &new) {
                self.put(id, new, &quantizer);
            }
        }
    }

    /// Gives a box that left its fat box a new one.
    #[inline(never)]
    fn grow(&mut self, id: u32, new: &Extent) {
        let Some(margin) = self.settings.margin else { return };
        let grid = self.plan.grid;
        let fat = self.grown(id, &new.aabb(grid.axes), &margin);
        self.put(id, Extent::new(&fat, grid.axes), &Quantizer::new(&grid));
    }

    /// Sets the box of a proxy.
    #[inline(always)]
    fn put(&mut self, id: u32, new: Extent, quantizer: &Quantizer) {
        let proxy = &self.proxies[id as usize];
        if proxy.new.same(&new) {
            return;
        }
        let before = proxy.cells;
        // Most boxes stay in their columns, and these are no mark.
        let range = quantizer.range(&new);
        let stays = range == before && new.is_finite();
        self.note_moved(id);
        self.proxies[id as usize].new = new;
        if !stays {
            self.sort_out(id, quantizer);
        }
    }

    /// Notes that a box may have come into other columns.
    #[inline(never)]
    pub(crate) fn sort_out(&mut self, id: u32, quantizer: &Quantizer) {
        let Proxy { new, cells: before, .. } = self.proxies[id as usize];
        let was_huge = before == CellRange::HUGE;
        let cells = quantizer.classify(&new, was_huge);
        if cells != before {
            self.change_cells(id, cells, was_huge);
        }
    }

    /// A new fat box for a box that left its old one; none for one that is static.
    fn grown(&mut self, id: u32, aabb: &Aabb, margin: &Margin) -> Aabb {
        if self.filters[id as usize].is_static {
            return *aabb;
        }
        let slot = self.proxies[id as usize].slot;
        let anchor = self.anchors[id as usize];
        let since = || std::array::from_fn(|k| aabb.min[k] - anchor[k]);
        let motion = self.motions.get(&slot).copied().unwrap_or_else(since);
        let fat = margin.along(aabb, motion, slot);
        self.set_anchor(id, aabb.min);
        fat
    }

    /// Sets the expected motion of a collider (m per step, or any other length in its direction): its next fat
    /// boxes have the greater part of their margin on that side, instead of the side to which it moved since
    /// its last one. A motion of zero resets it. Without margins it has no effect.
    ///
    /// # Errors
    /// A slot that is not in use, or a motion that is not finite.
    pub fn set_motion(&mut self, slot: u32, motion: [f32; 3]) -> Result<(), BroadPhaseError> {
        if !self.contains(slot) {
            return Err(BroadPhaseError::UnknownSlot { slot });
        }
        if !motion.iter().all(|x| x.is_finite()) {
            return Err(BroadPhaseError::Motion { slot, motion });
        }
        if motion == [0.0; 3] {
            self.motions.remove(&slot);
        } else {
            self.motions.insert(slot, motion);
        }
        Ok(())
    }

    /// Notes where a box was grown.
    pub(crate) fn set_anchor(&mut self, id: u32, corner: [f32; 3]) {
        self.anchors.resize(self.proxies.len(), [0.0; 3]);
        self.anchors[id as usize] = corner;
    }
}

/// Whether all boxes of a batch are valid and of enabled colliders. Nearly all batches are: checked without a branch, and again where something
/// is wrong.
pub(crate) fn are_sound(slots: &[Slot], batch: &[(u32, Aabb)]) -> bool {
    batch.iter().fold(true, |sound, (slot, aabb)| {
        let proxy = slots.get(*slot as usize).map_or(NO_PROXY, |entry| entry.proxy);
        sound & (proxy != NO_PROXY) & is_valid(aabb)
    })
}

#[inline]
fn is_valid(aabb: &Aabb) -> bool {
    (0..3).fold(true, |valid, k| valid & (aabb.min[k] <= aabb.max[k]))
}

#[inline]
pub(crate) fn valid(slot: u32, aabb: &Aabb) -> Result<(), BroadPhaseError> {
    if is_valid(aabb) { Ok(()) } else { Err(BroadPhaseError::InvalidAabb { slot, aabb: *aabb }) }
}
