//! Many boxes that move, set by several threads.

use impinge_geometry::Aabb;
use rayon::prelude::*;

use crate::broad_phase::BroadPhase;
use crate::grid::cell_assignment::is_inactive;
use crate::grid::quantize::Quantizer;
use crate::registry::boxes::{AHEAD, are_sound};
use crate::registry::proxy::Extent;
use crate::registry::scattered::Scattered;
use crate::registry::set_share::SetShare;

/// From so many boxes on threads share the work.
const LEAST: usize = 4096;
/// Shares per thread, for balance.
const SHARES: usize = 4;

impl BroadPhase {
    /// Whether a batch of boxes is worth sharing, and can be: all are sound, and nothing is set twice where slots ascend.
    pub(crate) fn are_shared(&self, batch: &[(u32, Aabb)]) -> bool {
        if batch.len() < LEAST || self.settings.margin.is_some() || rayon::current_num_threads() == 1 {
            return false;
        }
        let (slots, shares) = (&self.slots, SHARES * rayon::current_num_threads());
        let size = batch.len().div_ceil(shares);
        (0..shares).into_par_iter().all(|share| {
            let [from, to] = [share * size, (share + 1) * size].map(|at| at.min(batch.len()));
            // With the first of the next.
            let ascend = batch[from..batch.len().min(to + 1)].is_sorted_by(|(a, _), (b, _)| a < b);
            ascend && are_sound(slots, &batch[from..to])
        })
    }

    /// Sets boxes of slots that ascend and hold enabled colliders, where the axis `FIRST` is swept.
    pub(crate) fn set_shared<const FIRST: usize>(&mut self, batch: &[(u32, Aabb)]) {
        let quantizer = Quantizer::new(&self.plan.grid);
        let shares = SHARES * rayon::current_num_threads();
        let mut room = std::mem::take(&mut self.room.set);
        room.resize_with(shares.max(room.len()), SetShare::default);
        let (slots, epoch, sparse_before) = (&self.slots, self.epoch, self.sparse_before);
        let proxies = Scattered::new(&mut self.proxies);
        let parts = batch.par_chunks(batch.len().div_ceil(shares)).zip(&mut room);
        parts.for_each(|(batch, share)| {
            for (at, (slot, aabb)) in batch.iter().enumerate() {
                if let Some(&(ahead, _)) = batch.get(at + AHEAD) {
                    proxies.prefetch(slots[ahead as usize].proxy as usize);
                }
                let id = slots[*slot as usize].proxy;
                let new = Extent::turned::<FIRST>(aabb);
                // SAFETY: slots ascend, so that each is met once, in one share, and no two slots have the same proxy.
                let proxy = unsafe { proxies.at(id as usize) };
                if proxy.new.same(&new) {
                    continue;
                }
                let stays = quantizer.range(&new) == proxy.cells && new.is_finite();
                if let Some(age) = proxy.begin_to_move(epoch) {
                    if let Some(aged) = is_inactive(age, sparse_before) {
                        share.aged += usize::from(aged);
                        share.woken.push(id);
                    }
                    share.moved.push(id);
                }
                proxy.new = new;
                if !stays {
                    share.strayed.push(id);
                }
            }
        });
        for share in &mut room {
            self.moved.append(&mut share.moved);
            self.woken.append(&mut share.woken);
            self.aged += std::mem::take(&mut share.aged);
            share.strayed.drain(..).for_each(|id| self.sort_out(id, &quantizer));
        }
        self.room.set = room;
    }
}
