//! The members of a column that do not move.
//!
//! Members that have not moved for some updates, for whatever reason, are excluded from the sweep: their
//! boxes are neither gathered nor swept, and only boxes that move are tested against them. So a static
//! scene costs nothing, however much moves through it.

use super::{CachedBoxes, Column, Place, Scene, Sweep, dense, put, sparse};
use crate::registry::proxy::{Extent, Proxy};
use crate::sweep::lanes::LANES;

/// Updates without motion after which a member is inactive.
pub(crate) const INACTIVE_AFTER: u32 = 4;
/// Members are deactivated where they are at least one in this many, and all activated together where one in
/// [`sparse::SPARSE`] moves.
const WORTH: usize = 8;

/// Inactive members, and their boxes in the same order: by least bound along the sweep axis, then id.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inactive {
    pub ids: Vec<u32>,
    pub boxes: CachedBoxes,
}

impl Inactive {
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Adds members, with their boxes before or after this update; `keys` is scratch space for sorting.
    fn take(
        &mut self,
        members: impl Iterator<Item = u32> + Clone,
        at: impl Fn(u32) -> Extent,
        keys: &mut Vec<u64>,
    ) {
        let count = members.clone().count();
        if count <= self.len() / WORTH + WORTH {
            for id in members {
                sparse::put_in(&mut self.ids, &mut self.boxes, id, &at(id));
            }
            self.boxes.summarize_reach();
            return;
        }
        keys.clear();
        keys.extend(self.ids.iter().copied().chain(members).map(|id| dense::key(at(id).min[0], id)));
        keys.sort_unstable();
        self.ids.clear();
        self.ids.extend(keys.iter().map(|&key| key as u32));
        self.boxes.fill(self.ids.iter().map(|&id| at(id)));
        self.boxes.summarize();
    }

    /// Adds all members with their new boxes; there must be no inactive ones yet, and the members must be
    /// nearly in order.
    pub fn take_all(&mut self, proxies: &[Proxy], members: &mut Vec<u32>) {
        self.ids.append(members);
        self.boxes.fill(self.ids.iter().map(|&id| proxies[id as usize].new));
        sparse::repair(&mut self.ids, &mut self.boxes);
    }
}

/// Activates the inactive proxies of `moved`, or all where many move: their ids are left in `sweep.woken`.
pub(super) fn wake(scene: &Scene<'_>, inactive: &mut Inactive, moved: &[u32], sweep: &mut Sweep) {
    let Sweep { woken, places, .. } = sweep;
    woken.clear();
    if inactive.ids.is_empty() {
        return;
    }
    if scene.sparse || !scene.deactivate || sparse::SPARSE * moved.len() > inactive.len() {
        woken.append(&mut inactive.ids);
        inactive.boxes.clear();
        return;
    }
    sparse::find(scene, inactive, moved, places);
    for (&id, &at) in moved.iter().zip(&*places).filter(|x| *x.1 != sparse::NO_PLACE) {
        inactive.boxes.blank(at as usize);
        woken.push(id);
    }
    if !woken.is_empty() {
        inactive.boxes.drop_blank(&mut inactive.ids);
    }
}

/// Deactivates all members, with their boxes of the last update.
pub(super) fn deactivate_all(scene: &Scene<'_>, column: &mut Column, sweep: &mut Sweep) {
    if !column.ids.is_empty() {
        let at = |id: u32| *scene.proxies[id as usize].reported(scene.epoch);
        column.inactive.take(column.ids.iter().copied(), at, &mut sweep.keys);
        column.ids.clear();
        column.loosen();
    }
}

/// Deactivates the members that have not moved for some time; `still` members did not move in this update.
pub(super) fn deactivate(scene: &Scene<'_>, column: &mut Column, still: usize, sweep: &mut Sweep) {
    if !scene.deactivate || !scene.epoch.is_multiple_of(INACTIVE_AFTER) || WORTH * still <= column.ids.len() {
        return;
    }
    let is_inactive = |id: u32| scene.proxies[id as usize].age(scene.epoch) >= INACTIVE_AFTER;
    let inactive = column.ids.iter().copied().filter(|&id| is_inactive(id));
    if WORTH * inactive.clone().count() > column.ids.len() {
        column.inactive.take(inactive, |id| scene.proxies[id as usize].new, &mut sweep.keys);
        column.ids.retain(|&id| !is_inactive(id));
        column.loosen();
    }
}

/// Tests the members that moved, and huge boxes that did, against the inactive ones.
pub(super) fn against_inactive(scene: &Scene<'_>, column: &Column, place: Place<'_>, sweep: &mut Sweep) {
    if column.inactive.ids.is_empty() {
        return;
    }
    let Column { ids, inactive, .. } = column;
    let Sweep { moving, hits, work, .. } = sweep;
    for (b, &moving) in moving.iter().enumerate() {
        let mut lanes = moving;
        while lanes != 0 {
            let id = ids[b * LANES + lanes.trailing_zeros() as usize];
            lanes &= lanes - 1;
            let change = place.change(&scene.proxies[id as usize], scene.epoch);
            work.tests += inactive.boxes.probe(scene.simd, &change, id, hits);
        }
    }
    work.inactive += inactive.len() as u64;
    finish(scene, inactive, place, sweep);
}

/// Tests huge boxes that moved against inactive members, and records what these and all earlier tests found.
pub(super) fn finish(scene: &Scene<'_>, inactive: &Inactive, place: Place<'_>, sweep: &mut Sweep) {
    let Place::Cell(_, cell) = place else { return };
    let Sweep { hits, changed, work, .. } = sweep;
    for huge in scene.huge.iter().filter(|huge| huge.moved && huge.over.contains(cell)) {
        work.tests += inactive.boxes.probe(scene.simd, &huge.change, huge.id, hits);
    }
    for hit in hits.drain(..) {
        hit.places().for_each(|j| put(changed, scene, place, hit.probe, inactive.ids[j]));
    }
}
