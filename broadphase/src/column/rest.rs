//! The members of a column that do not move, apart from those that do.
//!
//! Who has not moved for some updates, whatever the reason, is taken out of the sweep: its box is neither
//! gathered nor swept, and only those that move are tested against it. A scene that stands still costs
//! nothing so, however much moves through it.

use super::{Column, Place, Scene, Settled, Sweep, few, full, put};
use crate::lanes::LANES;
use crate::row::{Extent, Row};

/// Updates without motion after which a member is at rest.
pub(crate) const REST: u32 = 4;
/// Members are laid to rest where they are at least one in this many, and woken together where one in
/// [`few::FEW`] moves.
const WORTH: usize = 8;

/// Members at rest, and their boxes in the same order: by least bound along the sweep axis, then id.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rest {
    pub ids: Vec<u32>,
    pub boxes: Settled,
}

impl Rest {
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Takes members in as the last update left them, or as they are; `keys` is room for sorting.
    fn take(
        &mut self,
        members: impl Iterator<Item = u32> + Clone,
        at: impl Fn(u32) -> Extent,
        keys: &mut Vec<u64>,
    ) {
        let count = members.clone().count();
        if count <= self.len() / WORTH + WORTH {
            for id in members {
                few::put_in(&mut self.ids, &mut self.boxes, id, &at(id));
            }
            self.boxes.summarize_reach();
            return;
        }
        keys.clear();
        keys.extend(self.ids.iter().copied().chain(members).map(|id| full::key(at(id).min[0], id)));
        keys.sort_unstable();
        self.ids.clear();
        self.ids.extend(keys.iter().map(|&key| key as u32));
        self.boxes.fill(self.ids.iter().map(|&id| at(id)));
        self.boxes.summarize();
    }

    /// Takes all members in as they are; nobody rests until now, and they are nearly in order.
    pub fn take_all(&mut self, rows: &[Row], members: &mut Vec<u32>) {
        self.ids.append(members);
        self.boxes.fill(self.ids.iter().map(|&id| rows[id as usize].new));
        few::repair(&mut self.ids, &mut self.boxes);
    }
}

/// Lets the rows of `moved` that rest here come back among the members that are swept, or all where
/// many do: their ids are left in `sweep.woken`.
pub(super) fn wake(scene: &Scene<'_>, rest: &mut Rest, moved: &[u32], sweep: &mut Sweep) {
    let Sweep { woken, places, .. } = sweep;
    woken.clear();
    if rest.ids.is_empty() {
        return;
    }
    if scene.few || !scene.lay || few::FEW * moved.len() > rest.len() {
        woken.append(&mut rest.ids);
        rest.boxes.clear();
        return;
    }
    few::find(scene, rest, moved, places);
    for (&id, &at) in moved.iter().zip(&*places).filter(|x| *x.1 != few::NO_PLACE) {
        rest.boxes.blank(at as usize);
        woken.push(id);
    }
    if !woken.is_empty() {
        rest.boxes.drop_blank(&mut rest.ids);
    }
}

/// Lays all members to rest as the last update left them.
pub(super) fn lay_all(scene: &Scene<'_>, column: &mut Column, sweep: &mut Sweep) {
    if !column.ids.is_empty() {
        let at = |id: u32| *scene.rows[id as usize].settled(scene.epoch);
        column.rest.take(column.ids.iter().copied(), at, &mut sweep.keys);
        column.ids.clear();
        column.loosen();
    }
}

/// Lays those to rest that have not moved for some time; `still` members did not move in this update.
pub(super) fn lay(scene: &Scene<'_>, column: &mut Column, still: usize, sweep: &mut Sweep) {
    if !scene.lay || !scene.epoch.is_multiple_of(REST) || WORTH * still <= column.ids.len() {
        return;
    }
    let rests = |id: u32| scene.rows[id as usize].age(scene.epoch) >= REST;
    let resting = column.ids.iter().copied().filter(|&id| rests(id));
    if WORTH * resting.clone().count() > column.ids.len() {
        column.rest.take(resting, |id| scene.rows[id as usize].new, &mut sweep.keys);
        column.ids.retain(|&id| !rests(id));
        column.loosen();
    }
}

/// Tests the members that moved, and huge boxes that did, against those at rest.
pub(super) fn against_rest(scene: &Scene<'_>, column: &Column, place: Place<'_>, sweep: &mut Sweep) {
    if column.rest.ids.is_empty() {
        return;
    }
    let Column { ids, rest, .. } = column;
    let Sweep { moving, hits, work, .. } = sweep;
    for (b, &moving) in moving.iter().enumerate() {
        let mut lanes = moving;
        while lanes != 0 {
            let id = ids[b * LANES + lanes.trailing_zeros() as usize];
            lanes &= lanes - 1;
            let change = place.change(&scene.rows[id as usize], scene.epoch);
            work.tests += rest.boxes.probe(scene.simd, &change, id, hits);
        }
    }
    work.resting += rest.len() as u64;
    finish(scene, rest, place, sweep);
}

/// Tests huge boxes that moved against members at rest, and notes what these and all tests before found.
pub(super) fn finish(scene: &Scene<'_>, rest: &Rest, place: Place<'_>, sweep: &mut Sweep) {
    let Place::Cell(_, cell) = place else { return };
    let Sweep { hits, changed, work, .. } = sweep;
    for huge in scene.huge.iter().filter(|huge| huge.moved && huge.over.contains(cell)) {
        work.tests += rest.boxes.probe(scene.simd, &huge.change, huge.id, hits);
    }
    for hit in hits.drain(..) {
        hit.places().for_each(|j| put(changed, scene, place, hit.probe, rest.ids[j]));
    }
}
