//! One column: its members in the order of their minima along the sweep axis, and the sweep.
//!
//! The order is kept from step to step and repaired by insertion, which coherence makes nearly
//! free. The sweep does not list the pairs that overlap. A member stands for where it was and where
//! it is: the hull of both boxes, and how far its bounds moved. Two whose hulls overlap by more than
//! both moved overlapped before and do so still; what is left is a thin shell of pairs that may have
//! changed, and these are looked at twice, as both were and as both are. The pairs that persist,
//! which are nearly all, so cost no branch and no memory, and filters are asked only about changes.
//!
//! Members that do not move are set apart (`rest`). Where few moved that had been at rest, only these are
//! tested (`few`), against a copy of the column.
//!
//! Sources: Cohen, Lin, Manocha, Ponamgi, "I-COLLIDE", 1995 (sweep and prune with coherence);
//! Tracy, Buss, Woods, "Efficient large-scale sweep and prune methods with AABB insertion and
//! removal", 2009 (segmented intervals). Ours differs in that changes are found by comparing two
//! states and not by counting swaps.

mod few;
mod full;
mod gather;
mod place;
mod rest;
mod settled;
mod work;

use impinge_geometry::SimdLevel;

use crate::grid::{CellRange, Grid};
use crate::lanes::{self, Block, Change, Coarse, Hit, Hull, Squares, States};
use crate::pair::{Filter, Pair};
use crate::row::Row;

pub(crate) use few::sweep_few;
pub(crate) use full::sweep;
pub(crate) use place::Place;
pub(crate) use rest::{REST, Rest};
pub(crate) use settled::Settled;
pub(crate) use work::Work;

/// A column between updates.
#[derive(Clone, Debug, Default)]
pub(crate) struct Column {
    /// The rows in it that may move, nearly sorted by least bound along the sweep axis, then id; quite so
    /// where there is a copy.
    pub ids: Vec<u32>,
    /// Their boxes in the same order, where questions were asked.
    pub settled: Settled,
    /// Where its blocks begin along the sweep axis, as the last whole sweep saw them; empty if it is not
    /// known.
    pub first: Vec<f32>,
    /// Blocks tested per block when the members were last put in order.
    pub spread: f32,
    /// Whether so much changes that both states are tested exactly, and not their hulls.
    pub exact: bool,
    /// The other rows in it: they have not moved for some time.
    pub rest: Rest,
}

impl Column {
    /// Bytes held.
    pub fn memory(&self) -> usize {
        size_of::<Column>()
            + 4 * (self.ids.capacity() + self.first.capacity() + self.rest.ids.capacity())
            + self.settled.memory()
            + self.rest.boxes.memory()
    }

    /// The number of members.
    pub fn len(&self) -> usize {
        self.ids.len() + self.rest.len()
    }

    /// Those that may move and those at rest, with their boxes as the last update left them; there must
    /// be a copy of the former.
    pub fn parts(&self) -> [(&[u32], &Settled); 2] {
        [(&self.ids, &self.settled), (&self.rest.ids, &self.rest.boxes)]
    }

    /// Notes that the rows that may move are not those of the last sweep any more.
    fn loosen(&mut self) {
        self.settled.forget();
        self.first.clear();
        self.spread = 0.0;
    }

    /// Takes a copy of the boxes as the last update left them, unless there is one.
    pub fn settle(&mut self, rows: &[Row], epoch: u32) {
        if !self.settled.is_known() {
            self.settled.fill(self.ids.iter().map(|&id| *rows[id as usize].settled(epoch)));
            few::repair(&mut self.ids, &mut self.settled);
            // The members may stand in another order now.
            self.first.clear();
        }
    }
}

/// What the sweeps of one update share.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub rows: &'a [Row],
    pub filters: &'a [Filter],
    pub simd: SimdLevel,
    /// The epoch of this update; rows stamped with it have changed.
    pub epoch: u32,
    /// Few boxes moved, and these had been at rest: all members should be.
    pub few: bool,
    /// Those that move did so before: members that have not moved for some time may be laid to rest.
    pub lay: bool,
    /// The boxes that stand apart.
    pub huge: &'a [Huge],
}

/// A box that stands apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Huge {
    pub id: u32,
    pub change: Change,
    /// What the sweep sees of it.
    pub hull: Hull,
    pub moved: bool,
    /// The columns that it is over or was over.
    pub over: CellRange,
}

impl Huge {
    pub fn new(row: &Row, id: u32, epoch: u32, grid: &Grid) -> Huge {
        let change = change(row, epoch);
        let hull = Hull::apart(&change.new, &change.old);
        Huge { id, change, hull, moved: row.moved(epoch), over: grid.range(&hull.extent) }
    }
}

/// Room for one sweep, and what the sweeps on one thread found; changes may stand there more than
/// once, in any order.
#[derive(Debug, Default)]
pub(crate) struct Sweep {
    keys: Vec<u64>,
    places: Vec<u32>,
    moved: Vec<u32>,
    /// Rows that come to be swept: they rested until now, or come into the column.
    woken: Vec<u32>,
    blocks: Vec<Block>,
    /// The same in whole numbers; empty where the column is not suited to them.
    coarse: Vec<Coarse>,
    /// The same in both states, where these are tested.
    states: Vec<States>,
    /// Per block: the lanes whose members leave the column with this step.
    leaving: Vec<u8>,
    /// Per block: the lanes whose members moved.
    moving: Vec<u8>,
    /// The number of members that moved.
    moved_count: usize,
    /// Per block: the greatest bounds along the sweep axis of its first and its second four members.
    tips: Vec<[f32; 2]>,
    /// Per block: the greatest bound along the sweep axis of all members so far.
    reach: Vec<f32>,
    /// Per block: the least bound along the sweep axis of all members from here on.
    first: Vec<f32>,
    /// Per block: the end of the blocks that its first and its second four members may overlap.
    ends: Vec<[u32; 2]>,
    squares: Squares,
    hits: Vec<Hit>,
    /// Pairs of rows whose overlap began (true) or ended, before filters.
    changed: Vec<(u32, u32, bool)>,
    pub begun: Vec<Pair>,
    pub ended: Vec<Pair>,
    pub work: Work,
}

/// The box of a row in both states.
#[inline]
pub(crate) fn change(row: &Row, epoch: u32) -> Change {
    Change { new: row.new, old: *row.settled(epoch) }
}

/// Tests the boxes that stand apart against the members `ids` laid out in the sweep, where one of
/// them is over this column of the grid.
pub(crate) fn against_huge(scene: &Scene<'_>, place: Place<'_>, ids: &[u32], sweep: &mut Sweep) {
    let Place::Cell(_, cell) = place else { return };
    let Sweep { blocks, first, reach, moved_count, hits, changed, work, .. } = sweep;
    for huge in scene.huge {
        if !(*moved_count > 0 || huge.moved) || !huge.over.contains(cell) {
            continue;
        }
        let (start, end) = block_range(first, reach, &huge.change);
        lanes::probe_blocks(scene.simd, &huge.hull, huge.id, &blocks[start..end], start as u32, hits);
        work.tests += ((end - start) * lanes::LANES) as u64;
    }
    for hit in hits.drain(..) {
        hit.places().for_each(|j| put(changed, scene, place, hit.probe, ids[j]));
    }
}

/// The blocks that a box may overlap, in either state.
fn block_range(first: &[f32], reach: &[f32], change: &Change) -> (usize, usize) {
    let (min, max) = change.sweep();
    let start = reach.partition_point(|&x| x < min);
    let end = first.partition_point(|&x| x <= max);
    (start, end.max(start))
}

impl Sweep {
    /// Bytes held.
    pub fn memory(&self) -> usize {
        8 * (self.keys.capacity() + self.tips.capacity() + self.ends.capacity())
            + 4 * (self.places.capacity() + self.moved.capacity() + self.woken.capacity())
            + self.blocks.capacity() * size_of::<Block>()
            + self.coarse.capacity() * size_of::<Coarse>()
            + self.states.capacity() * size_of::<States>()
            + self.leaving.capacity()
            + self.moving.capacity()
            + 4 * (self.reach.capacity() + self.first.capacity())
            + self.squares.memory()
            + self.hits.capacity() * size_of::<Hit>()
            + self.changed.capacity() * size_of::<(u32, u32, bool)>()
            + (self.begun.capacity() + self.ended.capacity()) * size_of::<Pair>()
    }

    /// Sends the changes that filters allow to where they are reported.
    fn report(&mut self, scene: &Scene<'_>) {
        for (x, y, is) in self.changed.drain(..) {
            if scene.filters[x as usize].allows(&scene.filters[y as usize]) {
                let pair = Pair::new(scene.rows[x as usize].slot, scene.rows[y as usize].slot);
                if is { self.begun.push(pair) } else { self.ended.push(pair) }
            }
        }
    }
}

/// Notes a change between two rows, if there is one and this column is the one to report it: that which
/// holds the greater of the two lower corners, in the state in which they overlap.
#[inline]
fn put(changed: &mut Vec<(u32, u32, bool)>, scene: &Scene<'_>, place: Place<'_>, x: u32, y: u32) {
    let (row_x, row_y) = (&scene.rows[x as usize], &scene.rows[y as usize]);
    let was = row_x.settled(scene.epoch).overlaps(row_y.settled(scene.epoch));
    let is = row_x.new.overlaps(&row_y.new);
    if was != is && place.reports(scene.epoch, row_x, row_y, is) {
        // The filters are asked when the column is done; by then they are near.
        lanes::prefetch(&scene.filters[x as usize]);
        lanes::prefetch(&scene.filters[y as usize]);
        changed.push((x, y, is));
    }
}
