//! The sweep of a whole column.

use super::{Changes, Column, Place, Scene, Sweep, few};
use crate::lanes::{self, Block, LANES};
use crate::row::Row;

/// Marks, in a key, a row that leaves the column with this step.
const LEAVES: u64 = 1 << 31;

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
    let members = &mut column.ids;
    if 8 * entering.len() < members.len() {
        entering.iter().for_each(|&id| insert(scene, members, place, id));
        gather(scene, members, place, sweep);
        repair(scene, place, sweep);
    } else {
        members.extend_from_slice(entering);
        gather_sorted(scene, members, place, sweep);
    }
    summarize(sweep);
    among_members(scene, sweep);
    members.clear();
    members.extend(sweep.keys.iter().filter(|&&key| key & LEAVES == 0).map(|&key| key as u32));
    if scene.settle {
        let staying = sweep.keys.iter().enumerate().filter(|(_, key)| *key & LEAVES == 0);
        column.settled.fill(staying.map(|(at, _)| sweep.blocks[at / LANES].new.get(at % LANES)));
        // The sweep's order is that of both states together.
        few::repair(members, &mut column.settled);
    } else {
        column.settled.forget();
    }
    sweep.work.columns += 1;
    sweep.work.members += sweep.ids.len() as u64;
}

/// Puts an id near its place in a list that is nearly sorted.
fn insert(scene: &Scene<'_>, members: &mut Vec<u32>, place: Place<'_>, id: u32) {
    let start = |id: u32| place.change(&scene.rows[id as usize], scene.epoch).sweep().0;
    let min = start(id);
    let at = members.partition_point(|&other| start(other) < min);
    members.insert(at, id);
}

#[inline]
fn key_of(row: &Row, id: u32, start: f32, place: Place<'_>) -> u64 {
    key(start, id) | if place.holds(row) { 0 } else { LEAVES }
}

/// Lays the members out in blocks, in the order given.
fn gather(scene: &Scene<'_>, members: &[u32], place: Place<'_>, sweep: &mut Sweep) {
    sweep.blocks.clear();
    sweep.keys.clear();
    for ids in members.chunks(LANES) {
        let mut block = Block::NONE;
        for (lane, &id) in ids.iter().enumerate() {
            let row = &scene.rows[id as usize];
            let change = place.change(row, scene.epoch);
            block.set(lane, &change);
            sweep.keys.push(key_of(row, id, change.sweep().0, place));
        }
        sweep.blocks.push(block);
    }
}

/// Sorts the members by (least bound along the sweep axis, id), then lays them out.
fn gather_sorted(scene: &Scene<'_>, members: &[u32], place: Place<'_>, sweep: &mut Sweep) {
    sweep.keys.clear();
    sweep.keys.extend(members.iter().map(|&id| {
        let row = &scene.rows[id as usize];
        key_of(row, id, place.change(row, scene.epoch).sweep().0, place)
    }));
    sweep.keys.sort_unstable();
    lay_out(scene, place, sweep);
}

/// Lays the members out in the order of the keys.
fn lay_out(scene: &Scene<'_>, place: Place<'_>, sweep: &mut Sweep) {
    sweep.blocks.clear();
    for keys in sweep.keys.chunks(LANES) {
        let mut block = Block::NONE;
        for (lane, &key) in keys.iter().enumerate() {
            let id = (key & !LEAVES) as u32;
            block.set(lane, &place.change(&scene.rows[id as usize], scene.epoch));
        }
        sweep.blocks.push(block);
    }
}

/// Brings members that are nearly in order into order by insertion. Gives up on the coherence, and
/// sorts as any list, where they move by more than a few places each.
fn repair(scene: &Scene<'_>, place: Place<'_>, sweep: &mut Sweep) {
    let Sweep { keys, blocks, work, .. } = sweep;
    let most = 2 * keys.len() as u64 + 64;
    let mut shifts = 0;
    for i in 1..keys.len() {
        let key = keys[i];
        if keys[i - 1] <= key {
            continue;
        }
        let change = blocks[i / LANES].get(i % LANES);
        let mut j = i;
        while j > 0 && keys[j - 1] > key {
            keys[j] = keys[j - 1];
            let left = blocks[(j - 1) / LANES].get((j - 1) % LANES);
            blocks[j / LANES].set(j % LANES, &left);
            j -= 1;
        }
        keys[j] = key;
        blocks[j / LANES].set(j % LANES, &change);
        shifts += (i - j) as u64;
        if shifts > most {
            let ids: Vec<u32> = keys.iter().map(|&key| (key & !LEAVES) as u32).collect();
            gather_sorted(scene, &ids, place, sweep);
            sweep.work.shifts += shifts;
            return;
        }
    }
    work.shifts += shifts;
}

/// Ids, and the bounds of blocks along the sweep axis.
fn summarize(sweep: &mut Sweep) {
    sweep.ids.clear();
    sweep.ids.extend(sweep.keys.iter().map(|&key| (key & !LEAVES) as u32));
    sweep.tips.clear();
    sweep.reach.clear();
    sweep.first.clear();
    let mut reach = f32::NEG_INFINITY;
    for block in &sweep.blocks {
        let tip = block.tip();
        reach = reach.max(tip);
        sweep.tips.push(tip);
        sweep.reach.push(reach);
        sweep.first.push(block.start(0));
    }
}

/// Lays out and tests rows among themselves; what stays of the sweep is as after a whole column.
pub(super) fn sweep_ids(scene: &Scene<'_>, place: Place<'_>, ids: &[u32], sweep: &mut Sweep) {
    gather_sorted(scene, ids, place, sweep);
    summarize(sweep);
    among_members(scene, sweep);
}

/// Tests every member against those after it, as far as it reaches. The eight members of a block
/// share the last block to be tested, so that the inner loop has the same length for all of them.
fn among_members(scene: &Scene<'_>, sweep: &mut Sweep) {
    let Sweep { ids, blocks, first, tips, hits, begun, ended, work, .. } = sweep;
    for (b, &tip) in tips.iter().enumerate() {
        let mut end = b + 1;
        while end < blocks.len() && first[end] <= tip {
            end += 1;
        }
        work.tests += ((end - b) * LANES * LANES) as u64;
        lanes::sweep_block(scene.path, blocks, b, end, hits);
    }
    let mut out = Changes { scene, begun, ended };
    for hit in hits.drain(..) {
        let i = hit.probe as usize;
        for j in hit.places().filter(|&j| j > i) {
            out.put(ids[i], ids[j]);
        }
    }
}
