//! The sweep of a whole column.
//!
//! Members are laid out in the order of the last step, with bounds per block that hold in any order.
//! Disorder costs tests and never a pair, so a column is only sorted again when the tests that it
//! asks for have grown: the many exchanges of close neighbours, which are most of the swaps of a
//! sweep-and-prune, are never made.

use super::gather::{gather, hull_of};
use super::{Column, Place, Scene, Sweep, few, put};
use crate::lanes::{self, LANES};

/// `x` as an integer with the same order (NaN is not expected), above `id` for ties.
#[inline]
fn key(x: f32, id: u32) -> u64 {
    let bits = x.to_bits();
    let ordered = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
    u64::from(ordered) << 32 | u64::from(id)
}

/// Sweeps a column; `entering` are the rows that come in.
pub(crate) fn sweep(
    scene: &Scene<'_>,
    column: &mut Column,
    place: Place<'_>,
    entering: &[u32],
    sweep: &mut Sweep,
) {
    take_in(scene, column, place, entering);
    gather(scene, &column.ids, place, sweep);
    let mut tests = summarize(sweep);
    if tests as f32 > 1.2 * column.spread * sweep.blocks.len() as f32 + 2.0 {
        sort(&mut column.ids, sweep);
        gather(scene, &column.ids, place, sweep);
        tests = summarize(sweep);
        column.spread = tests as f32 / sweep.blocks.len() as f32;
    }
    among_members(scene, &column.ids, sweep);
    super::against_huge(scene, place, &column.ids, sweep);
    sweep.report(scene);
    drop_leaving(column, sweep);
    if scene.settle {
        column.settled.fill(column.ids.iter().map(|&id| scene.rows[id as usize].new));
        few::repair(&mut column.ids, &mut column.settled);
        column.starts = Vec::new();
    } else {
        column.settled.forget();
    }
    sweep.work.columns += 1;
    sweep.work.members += column.ids.len() as u64;
}

/// Puts the rows that come in near their places among members that are nearly in order.
fn take_in(scene: &Scene<'_>, column: &mut Column, place: Place<'_>, entering: &[u32]) {
    let Column { ids, starts, .. } = column;
    if 8 * entering.len() >= ids.len() || starts.len() != ids.len() {
        ids.extend_from_slice(entering);
        return;
    }
    for &id in entering {
        let start = hull_of(scene, place, id).extent.min[0];
        let at = starts.partition_point(|&other| other < start);
        starts.insert(at, start);
        ids.insert(at, id);
    }
}

/// Sorts the members by (least bound along the sweep axis, id), by insertion while they are nearly
/// in order.
fn sort(members: &mut [u32], sweep: &mut Sweep) {
    let Sweep { keys, starts, work, .. } = sweep;
    keys.clear();
    keys.extend(members.iter().zip(starts.iter()).map(|(&id, &start)| key(start, id)));
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
    let mut tests = 0;
    for (b, tips) in tips.iter().enumerate() {
        let end = tips.map(|tip| {
            let mut end = b + 1;
            while end < first.len() && first[end] <= tip {
                end += 1;
            }
            tests += end - b;
            end as u32
        });
        ends.push(end);
    }
    tests
}

/// Lays out and tests rows among themselves; what stays of the sweep is as after a whole column.
/// `ids` are put in order.
pub(super) fn sweep_ids(scene: &Scene<'_>, place: Place<'_>, ids: &mut [u32], sweep: &mut Sweep) {
    gather(scene, ids, place, sweep);
    if ids.len() > LANES {
        sort(ids, sweep);
        gather(scene, ids, place, sweep);
    }
    summarize(sweep);
    among_members(scene, ids, sweep);
}

/// Tests every member against those after it, as far as it reaches. The eight members of a block
/// share the last block to be tested, so that the inner loop has the same length for all of them.
fn among_members(scene: &Scene<'_>, ids: &[u32], sweep: &mut Sweep) {
    let Sweep { blocks, ends, hits, changed, work, .. } = sweep;
    for (b, &ends) in ends.iter().enumerate() {
        let blocks_tested = ends[0] as usize + ends[1] as usize - 2 * b;
        work.tests += (blocks_tested * LANES * LANES / 2) as u64;
        lanes::sweep_block(scene.path, blocks, b, ends, hits);
        for hit in hits.drain(..) {
            let i = hit.probe as usize;
            for j in hit.places().filter(|&j| j > i) {
                put(changed, scene, ids[i], ids[j]);
            }
        }
    }
}

/// Takes out the members that leave with this step, and notes where the others begin.
fn drop_leaving(column: &mut Column, sweep: &Sweep) {
    let Column { ids, starts, .. } = column;
    starts.clear();
    starts.extend_from_slice(&sweep.starts[..ids.len()]);
    if sweep.leaving.iter().all(|&lanes| lanes == 0) {
        return;
    }
    let mut to = 0;
    for at in 0..ids.len() {
        (ids[to], starts[to]) = (ids[at], starts[at]);
        to += usize::from(sweep.leaving[at / LANES] >> (at % LANES) & 1 == 0);
    }
    ids.truncate(to);
    starts.truncate(to);
}
