//! A column of which few members moved that had all been inactive: only these are tested, and stay inactive.

use super::{CachedBoxes, Column, Inactive, Place, Scene, Sweep, against_huge, dense, inactive};
use crate::registry::proxy::Extent;
use crate::sweep::lanes::{self, LANES};

/// Above one in this many members, a dense sweep costs less.
pub(super) const SPARSE: usize = 6;

/// Finds the pairs that `moved` (all proxies in this column, or to enter it, that changed) begin and end, and
/// brings the column up to date. Returns false and does nothing where a dense sweep is due.
pub(crate) fn sweep_sparse(
    scene: &Scene<'_>,
    column: &mut Column,
    moved: &[u32],
    place: Place<'_>,
    sweep: &mut Sweep,
) -> bool {
    if column.ids.len() > column.inactive.len() || SPARSE * moved.len() > column.len() {
        return false;
    }
    inactive::deactivate_all(scene, column, sweep);
    let inactive = &mut column.inactive;
    find(scene, inactive, moved, &mut sweep.places);
    for &at in sweep.places.iter().filter(|&&at| at != NO_PLACE) {
        inactive.boxes.blank(at as usize);
    }
    let mut ids = std::mem::take(&mut sweep.moved);
    ids.clear();
    ids.extend_from_slice(moved);
    dense::sweep_ids(scene, place, &mut ids, sweep);
    against_huge(scene, place, &ids, sweep);
    sweep.moved = ids;
    for &id in moved {
        let change = place.change(&scene.proxies[id as usize], scene.epoch);
        sweep.work.tests += inactive.boxes.probe(scene.simd, &change, id, &mut sweep.hits);
    }
    inactive::finish(scene, inactive, place, sweep);
    sweep.report(scene);
    write_back(scene, inactive, moved, place, sweep);
    sweep.work.sparse += 1;
    true
}

/// Blocks that are fetched before they are tested, from that of a moved proxy on.
const AHEAD: usize = 6;

/// Of a proxy that is not there.
pub(super) const NO_PLACE: u32 = u32::MAX;

/// The places of the moved proxies among others, by bisection for where they were: first among the
/// blocks by their first members, then, when all of these are on their way here, within one block.
pub(super) fn find(scene: &Scene<'_>, inactive: &Inactive, moved: &[u32], places: &mut Vec<u32>) {
    let Inactive { ids, boxes: cached } = inactive;
    let at = |id: u32| (scene.proxies[id as usize].old.min[0], id);
    places.clear();
    places.extend(moved.iter().map(|&id| {
        let at = at(id);
        if at.0.is_nan() {
            return NO_PLACE;
        }
        let block = partition(cached.first.len(), |b| cached.first[b].total_cmp(&at.0).is_lt());
        let block = block.saturating_sub(1);
        for boxes in cached.boxes[block..].iter().take(AHEAD) {
            boxes.min.iter().chain(&boxes.max).step_by(2).for_each(lanes::prefetch);
        }
        ids.get(block * LANES).into_iter().for_each(lanes::prefetch);
        block as u32
    }));
    for (place, &id) in places.iter_mut().zip(moved).filter(|x| *x.0 != NO_PLACE) {
        let at = at(id);
        let mut low = *place as usize * LANES;
        while low < ids.len() && before((cached.start(low), ids[low]), at) {
            low += 1;
        }
        *place = if ids.get(low) == Some(&id) { low as u32 } else { NO_PLACE };
    }
}

/// The number of leading indices below `len` for which `holds`, which must be true up to some index
/// and false from there on.
fn partition(len: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = (low + high) / 2;
        (low, high) = if holds(middle) { (middle + 1, high) } else { (low, middle) };
    }
    low
}

/// The order of a column: by least bound along the sweep axis, then id.
#[inline]
fn before(x: (f32, u32), y: (f32, u32)) -> bool {
    x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)).is_lt()
}

/// Moves the changed proxies to where they now belong, removes those that leave, and inserts those that
/// enter.
fn write_back(
    scene: &Scene<'_>,
    inactive: &mut Inactive,
    moved: &[u32],
    place: Place<'_>,
    sweep: &mut Sweep,
) {
    let Inactive { ids, boxes: cached } = inactive;
    let mut leave = false;
    for (&id, &at) in moved.iter().zip(&sweep.places) {
        let proxy = &scene.proxies[id as usize];
        match (at != NO_PLACE, place.holds(proxy)) {
            (true, true) => {
                let at = near(ids, at as usize, id);
                sweep.work.shifts += relocate(ids, cached, at, &proxy.new);
            }
            (true, false) => leave = true,
            (false, true) => {
                sweep.work.shifts += put_in(ids, cached, id, &proxy.new);
            }
            (false, false) => {}
        }
    }
    if leave {
        // Those that leave are still blank.
        cached.drop_blank(ids);
    } else {
        cached.summarize_reach();
    }
}

/// Inserts a proxy where it belongs among the others, which are in order; returns by how many places others
/// moved.
pub(super) fn put_in(ids: &mut Vec<u32>, cached: &mut CachedBoxes, id: u32, extent: &Extent) -> u64 {
    ids.push(id);
    cached.push(extent);
    let last = ids.len() - 1;
    relocate(ids, cached, last, extent)
}

/// The place of a proxy that stood at `at` before others near it were moved.
fn near(ids: &[u32], at: usize, id: u32) -> usize {
    let offsets = (0..ids.len()).flat_map(|d| [at.checked_sub(d), Some(at + d)]);
    offsets.flatten().find(|&x| ids.get(x) == Some(&id)).unwrap_or(at)
}

/// Gives the member at `at` a new box and moves it to where it belongs among the others, which are
/// in order; returns by how many places.
fn relocate(ids: &mut [u32], cached: &mut CachedBoxes, at: usize, extent: &Extent) -> u64 {
    let this = (extent.min[0], ids[at]);
    let mut to = at;
    let step = |from: usize, to: usize, ids: &mut [u32], cached: &mut CachedBoxes| {
        cached.copy(from, to);
        ids[to] = ids[from];
    };
    while to > 0 && before(this, (cached.start(to - 1), ids[to - 1])) {
        step(to - 1, to, ids, cached);
        to -= 1;
    }
    while to + 1 < ids.len() && before((cached.start(to + 1), ids[to + 1]), this) {
        step(to + 1, to, ids, cached);
        to += 1;
    }
    cached.set(to, extent);
    ids[to] = this.1;
    cached.summarize_blocks(at.min(to), at.max(to));
    at.abs_diff(to) as u64
}

/// Sorts ids and boxes that are nearly in order; returns by how many places they moved.
pub(super) fn repair(ids: &mut [u32], cached: &mut CachedBoxes) -> u64 {
    let mut shifts = 0;
    for i in 1..ids.len() {
        let this = (cached.start(i), ids[i]);
        if !before(this, (cached.start(i - 1), ids[i - 1])) {
            continue;
        }
        let extent = cached.get(i);
        let mut j = i;
        while j > 0 && before(this, (cached.start(j - 1), ids[j - 1])) {
            let left = cached.get(j - 1);
            cached.set(j, &left);
            ids[j] = ids[j - 1];
            j -= 1;
        }
        cached.set(j, &extent);
        ids[j] = this.1;
        shifts += (i - j) as u64;
    }
    cached.summarize();
    shifts
}
