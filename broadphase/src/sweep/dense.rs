//! The sweep of all active members of a column.
//!
//! Members are laid out in the order of the last step, with bounds per block that hold in any order.
//! Disorder costs tests and never a pair, so a column is only sorted again when the number of
//! tests has grown: the many exchanges of close neighbours, which are most of the swaps of a
//! sweep-and-prune, are never made.

use super::gather::{AHEAD, gather};
use super::{Column, Place, Scene, Sweep, inactive, put};
use crate::sweep::lanes::{self, Coarse, Frame, LANES, Reach};

/// Exact states cost less than hulls above one hit for each square; back to hulls below one change in
/// this many.
const EXACT_SHARE: usize = 4;

/// `x` as an integer with the same order (NaN is not expected), above `id` for ties.
#[inline]
pub(super) fn key(x: f32, id: u32) -> u64 {
    let bits = x.to_bits();
    let ordered = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
    u64::from(ordered) << 32 | u64::from(id)
}

/// Sweeps a column; `entering` are the proxies that enter it, and `moved` holds all that were inactive.
pub(crate) fn sweep(
    scene: &Scene<'_>,
    column: &mut Column,
    place: Place<'_>,
    entering: &[u32],
    moved: &[u32],
    sweep: &mut Sweep,
) {
    let exact = column.exact && matches!(place, Place::Cell(..));
    inactive::wake(scene, &mut column.inactive, moved, sweep);
    sweep.woken.extend_from_slice(entering);
    let woken = std::mem::take(&mut sweep.woken);
    let sorted = take_in(scene, column, &woken, sweep);
    sweep.woken = woken;
    gather(scene, &column.ids, place, exact, sweep);
    let mut tests = summarize(sweep);
    if sorted {
        column.spread = tests as f32 / sweep.blocks.len() as f32;
    } else if tests as f32 > 1.2 * column.spread * sweep.blocks.len() as f32 + 2.0 {
        sort(&mut column.ids, sweep);
        gather(scene, &column.ids, place, exact, sweep);
        tests = summarize(sweep);
        column.spread = tests as f32 / sweep.blocks.len() as f32;
    }
    coarsen(scene, place, column.ids.len(), sweep);
    let hits = among_members(scene, place, &column.ids, sweep);
    column.exact = hits * if exact { EXACT_SHARE } else { 1 } > tests;
    super::against_huge(scene, place, &column.ids, sweep);
    inactive::against_inactive(scene, column, place, sweep);
    sweep.report(scene);
    sweep.work.members += column.ids.len() as u64;
    let still = column.ids.len() - sweep.moved_count;
    drop_leaving(column, sweep);
    column.cached.forget();
    match place {
        Place::Cell(..) if scene.sparse => {
            column.inactive.take_all(scene.proxies, &mut column.ids);
            column.loosen();
        }
        Place::Cell(..) => inactive::deactivate(scene, column, still, sweep),
        Place::Apart => {}
    }
    sweep.work.columns += 1;
}

/// Inserts entering proxies near their places among members that are nearly in order. Sorts all and returns
/// true where many enter.
fn take_in(scene: &Scene<'_>, column: &mut Column, entering: &[u32], sweep: &mut Sweep) -> bool {
    let Column { ids, first, .. } = column;
    // Of a proxy that enters, only its new box concerns this column; of the others, both boxes do.
    let start = |id: u32| {
        let proxy = &scene.proxies[id as usize];
        proxy.new.min[0].min(proxy.reported(scene.epoch).min[0])
    };
    if 8 * entering.len() > ids.len() {
        ids.extend_from_slice(entering);
        sweep.keys.clear();
        let ahead = ids.iter().skip(AHEAD).map(Some).chain(std::iter::repeat(None));
        sweep.keys.extend(ids.iter().zip(ahead).map(|(&id, ahead)| {
            ahead.into_iter().for_each(|&id| lanes::prefetch(&scene.proxies[id as usize]));
            key(start(id), id)
        }));
        sweep.keys.sort_unstable();
        ids.iter_mut().zip(&sweep.keys).for_each(|(id, &key)| *id = key as u32);
        return true;
    }
    if first.len() != ids.len().div_ceil(LANES) {
        ids.extend_from_slice(entering);
        return false;
    }
    let place = |id: u32| {
        let start = scene.proxies[id as usize].new.min[0];
        let block = first.partition_point(|&x| x <= start);
        (block.max(1) * LANES - LANES / 2).min(ids.len()) as u64
    };
    sweep.keys.clear();
    sweep.keys.extend(entering.iter().map(|&id| place(id) << 32 | u64::from(id)));
    sweep.keys.sort_unstable();
    let mut from = ids.len();
    let mut to = from + entering.len();
    ids.resize(to, 0);
    for &key in sweep.keys.iter().rev() {
        let at = (key >> 32) as usize;
        ids.copy_within(at..from, to - (from - at));
        to -= from - at + 1;
        ids[to] = key as u32;
        from = at;
    }
    false
}

/// Sorts the members by (least bound along the sweep axis, id), by insertion while they are nearly
/// in order.
fn sort(members: &mut [u32], sweep: &mut Sweep) {
    let Sweep { keys, blocks, work, .. } = sweep;
    let starts = blocks.iter().flat_map(|block| &block.min[0]);
    keys.clear();
    keys.extend(members.iter().zip(starts).map(|(&id, &start)| key(start, id)));
    let most = 4 * keys.len() as u64 + 64;
    let mut shifts = 0;
    for i in 1..keys.len() {
        let key = keys[i];
        let mut j = i;
        while j > 0 && keys[j - 1] > key {
            keys[j] = keys[j - 1];
            j -= 1;
        }
        keys[j] = key;
        shifts += (i - j) as u64;
        if shifts > most {
            keys.sort_unstable();
            break;
        }
    }
    work.shifts += shifts;
    members.iter_mut().zip(keys.iter()).for_each(|(id, &key)| *id = key as u32);
}

/// From the bounds of single blocks to those of all before and after; returns how many half blocks
/// are to be tested against blocks. `first` and `reach` never decrease, whatever the order of the
/// members.
fn summarize(sweep: &mut Sweep) -> usize {
    let Sweep { tips, reach, first, ends, .. } = sweep;
    reach.clear();
    ends.clear();
    let mut far = f32::NEG_INFINITY;
    for tips in tips.iter() {
        far = far.max(tips[0]).max(tips[1]);
        reach.push(far);
    }
    let mut least = f32::INFINITY;
    for start in first.iter_mut().rev() {
        least = least.min(*start);
        *start = least;
    }
    let blocks = first.len();
    // So that eight can be compared at once everywhere.
    first.extend([f32::INFINITY; LANES]);
    let mut tests = 0;
    for (b, tips) in tips.iter().enumerate() {
        let end = tips.map(|tip| {
            let mut end = b + 1;
            while let Some(next) = first[end..].first_chunk::<LANES>() {
                let within = next.iter().map(|&start| u32::from(start <= tip)).sum::<u32>() as usize;
                end += within;
                if within < LANES {
                    break;
                }
            }
            tests += end - b;
            end as u32
        });
        ends.push(end);
    }
    first.truncate(blocks);
    tests
}

/// Rounds the hulls of a column of the grid to whole numbers, where that leaves enough of them.
fn coarsen(scene: &Scene<'_>, place: Place<'_>, members: usize, sweep: &mut Sweep) {
    let Sweep { blocks, coarse, states, first, reach, .. } = sweep;
    coarse.clear();
    let (Place::Cell(grid, cell), Some(&from), Some(&to)) = (place, first.first(), reach.last()) else {
        return;
    };
    let Some(frame) = Frame::new(grid, cell, from, to).filter(|_| states.is_empty()) else { return };
    // Boxes beyond the grid belong to the columns at its border.
    let at_border = (0..2).any(|k| cell[k] == 0 || cell[k] + 1 == grid.count[k]);
    if at_border && !frame.holds(blocks) {
        return;
    }
    coarse.resize(blocks.len(), Coarse::NONE);
    for (coarse, block) in coarse.iter_mut().zip(&*blocks) {
        lanes::coarsen(scene.simd, block, &frame, coarse);
    }
    if let (Some(last), lanes @ 1..) = (coarse.last_mut(), members % LANES) {
        last.clear_from(lanes);
    }
}

/// Lays out and tests proxies among themselves; what stays of the sweep is as after a whole column.
/// `ids` are put in order.
pub(super) fn sweep_ids(scene: &Scene<'_>, place: Place<'_>, ids: &mut [u32], sweep: &mut Sweep) {
    gather(scene, ids, place, false, sweep);
    if ids.len() > LANES {
        sort(ids, sweep);
        gather(scene, ids, place, false, sweep);
    }
    summarize(sweep);
    sweep.coarse.clear();
    among_members(scene, place, ids, sweep);
}

/// Tests every member against those after it, as far as it reaches; returns the number of hits. Four
/// members of a block share the last block to be tested.
fn among_members(scene: &Scene<'_>, place: Place<'_>, ids: &[u32], sweep: &mut Sweep) -> usize {
    let Sweep { blocks, coarse, states, ends, squares, changed, work, .. } = sweep;
    squares.clear();
    for (b, &ends) in ends.iter().enumerate() {
        let reach = Reach::new(b as u32, ends);
        work.tests += ((ends[0] + ends[1]) as usize - 2 * b) as u64 * (LANES * LANES / 2) as u64;
        if !coarse.is_empty() {
            lanes::sweep_coarse(scene.simd, coarse, reach, squares);
        } else if states.is_empty() {
            lanes::sweep_block(scene.simd, blocks, reach, squares);
        } else {
            lanes::sweep_states(scene.simd, states, reach, squares);
        }
    }
    let mut hits = 0;
    for square in squares.found() {
        for (i, j) in square.places() {
            put(changed, scene, place, ids[i], ids[j]);
            hits += 1;
        }
    }
    hits
}

/// Takes out the members that leave with this step, and notes where the blocks of the others begin.
fn drop_leaving(column: &mut Column, sweep: &Sweep) {
    let Column { ids, first, .. } = column;
    let mut to = 0;
    for (b, &leaving) in sweep.leaving.iter().enumerate() {
        let range = b * LANES..ids.len().min((b + 1) * LANES);
        if leaving == 0 {
            let len = range.len();
            if to < range.start {
                ids.copy_within(range, to);
            }
            to += len;
        } else {
            for at in range {
                ids[to] = ids[at];
                to += usize::from(leaving >> (at % LANES) & 1 == 0);
            }
        }
    }
    ids.truncate(to);
    first.clear();
    first.extend_from_slice(&sweep.first[..to.div_ceil(LANES)]);
}
