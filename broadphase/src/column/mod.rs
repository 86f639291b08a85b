//! One column: its members in the order of their minima along the sweep axis, and the sweep.
//!
//! The order is kept from step to step and repaired by insertion, which coherence makes nearly
//! free. The sweep does not list the pairs that overlap: it tests each neighbour twice, as both
//! were and as both are, and reports only where the two answers differ. The pairs that persist,
//! which are nearly all, so cost no branch and no memory, and filters are asked only about changes.
//!
//! Where few members moved, only these are tested (`few`), against a copy of the column.
//!
//! Sources: Cohen, Lin, Manocha, Ponamgi, "I-COLLIDE", 1995 (sweep and prune with coherence);
//! Tracy, Buss, Woods, "Efficient large-scale sweep and prune methods with AABB insertion and
//! removal", 2009 (segmented intervals). Ours differs in that changes are found by comparing two
//! states and not by counting swaps.

mod few;
mod full;
mod settled;

use crate::grid::{CellRange, Grid};
use crate::lanes::{self, Block, Change, Hit, Path};
use crate::pair::{Filter, Pair};
use crate::row::{Extent, Row};

pub(crate) use few::sweep_few;
pub(crate) use full::sweep;
pub(crate) use settled::Settled;

/// A column between updates.
#[derive(Clone, Debug, Default)]
pub(crate) struct Column {
    /// The rows in it, nearly sorted by least bound along the sweep axis, then id; quite so where
    /// there is a copy.
    pub ids: Vec<u32>,
    /// Their boxes in the same order, while few move.
    pub settled: Settled,
}

/// What the sweeps of one update share.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub rows: &'a [Row],
    pub filters: &'a [Filter],
    pub path: Path,
    /// The epoch of this update; rows stamped with it have changed.
    pub epoch: u32,
    /// Few boxes moved: columns should keep a copy of their boxes.
    pub settle: bool,
    /// The boxes that stand apart.
    pub huge: &'a [Huge],
}

/// A box that stands apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Huge {
    pub id: u32,
    pub change: Change,
    pub moved: bool,
    /// The columns that it is over or was over.
    pub over: CellRange,
}

impl Huge {
    pub fn new(row: &Row, id: u32, epoch: u32, grid: &Grid) -> Huge {
        let change = change(row, epoch);
        let finite = |x: f32| x.clamp(-f32::MAX, f32::MAX);
        let bound = |x: f32, y: f32, f: fn(f32, f32) -> f32| finite(f(x, y));
        let (new, old) = (&change.new, &change.old);
        let hull = Extent {
            min: std::array::from_fn(|k| bound(new.min[k], old.min[k], f32::min)),
            max: std::array::from_fn(|k| bound(new.max[k], old.max[k], f32::max)),
        };
        Huge { id, change, moved: row.moved(epoch), over: grid.range(&hull) }
    }
}

/// Which column is swept.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'a> {
    /// A column of the grid.
    Cell(&'a Grid, [u16; 2]),
    /// The set of huge boxes.
    Apart,
}

impl Place<'_> {
    /// Whether a row stays in the column with this step.
    #[inline]
    fn holds(&self, row: &Row) -> bool {
        match self {
            Place::Cell(_, cell) => row.cells.contains(*cell),
            Place::Apart => row.cells == CellRange::HUGE,
        }
    }

    /// A row in both states, as far as they concern this column. Of a row that jumped, the state in
    /// which it is not in the column is left out, for the two together would reach over all between.
    /// A test may then see a change where there is none; [`Changes::put`] looks again.
    #[inline]
    fn change(&self, row: &Row, epoch: u32) -> Change {
        let change = change(row, epoch);
        if row.moved(epoch) { self.trimmed(row, change) } else { change }
    }

    #[inline]
    fn trimmed(&self, row: &Row, change: Change) -> Change {
        let (new, old) = (&change.new, &change.old);
        let apart = new.min[0] > old.max[0] || old.min[0] > new.max[0];
        match self {
            Place::Cell(grid, cell) if apart => {
                if !self.holds(row) {
                    Change { new: Extent::NONE, ..change }
                } else if !grid.range(old).contains(*cell) {
                    Change { old: Extent::NONE, ..change }
                } else {
                    change
                }
            }
            _ => change,
        }
    }
}

/// Counters of the sweeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Work {
    /// Places that members moved by while the order was repaired.
    pub shifts: u64,
    /// Members of the columns swept.
    pub members: u64,
    /// Box tests made, counted in whole blocks.
    pub tests: u64,
    /// Columns swept in full.
    pub columns: u64,
    /// Columns of which only the members that moved were tested.
    pub few: u64,
}

impl Work {
    /// About what this cost, in nanoseconds.
    pub fn cost(&self) -> f64 {
        12.0 * self.members as f64 + 0.8 * self.tests as f64 + 60.0 * self.columns as f64
    }

    pub fn add(&mut self, other: &Work) {
        self.shifts += other.shifts;
        self.members += other.members;
        self.tests += other.tests;
        self.columns += other.columns;
        self.few += other.few;
    }
}

/// Room for one sweep, and what the sweeps on one thread found; changes may stand there more than
/// once, in any order.
#[derive(Default)]
pub(crate) struct Sweep {
    keys: Vec<u64>,
    ids: Vec<u32>,
    places: Vec<u32>,
    blocks: Vec<Block>,
    /// Per block: the greatest bound along the sweep axis of its own members.
    tips: Vec<f32>,
    /// Per block: the greatest bound along the sweep axis of all members so far.
    reach: Vec<f32>,
    /// Per block: the least bound along the sweep axis.
    first: Vec<f32>,
    hits: Vec<Hit>,
    pub begun: Vec<Pair>,
    pub ended: Vec<Pair>,
    pub work: Work,
}

/// The box of a row in both states.
#[inline]
pub(crate) fn change(row: &Row, epoch: u32) -> Change {
    Change { new: row.new, old: *row.settled(epoch) }
}

/// Tests the boxes that stand apart against the members laid out in the sweep, where one of them
/// is over this column of the grid.
pub(crate) fn against_huge(scene: &Scene<'_>, place: Place<'_>, sweep: &mut Sweep) {
    let Place::Cell(_, cell) = place else { return };
    if scene.huge.is_empty() {
        return;
    }
    let Sweep { ids, blocks, first, reach, hits, begun, ended, work, .. } = sweep;
    let any_moved = ids.iter().any(|&id| scene.rows[id as usize].moved(scene.epoch));
    for huge in scene.huge {
        if !(any_moved || huge.moved) || !huge.over.contains(cell) {
            continue;
        }
        let (start, end) = range(first, reach, &huge.change);
        lanes::probe_blocks(scene.path, &huge.change, huge.id, &blocks[start..end], start as u32, hits);
        work.tests += ((end - start) * lanes::LANES) as u64;
    }
    let mut out = Changes { scene, begun, ended };
    for hit in hits.drain(..) {
        hit.places().for_each(|j| out.put(hit.probe, ids[j]));
    }
}

/// The blocks that a box may overlap, in either state.
fn range(first: &[f32], reach: &[f32], change: &Change) -> (usize, usize) {
    let (min, max) = change.sweep();
    let start = reach.partition_point(|&x| x < min);
    let end = first.partition_point(|&x| x <= max);
    (start, end.max(start))
}

/// Where changes go.
struct Changes<'a> {
    scene: &'a Scene<'a>,
    begun: &'a mut Vec<Pair>,
    ended: &'a mut Vec<Pair>,
}

impl Changes<'_> {
    /// Notes a change between two rows, unless there is none or their filters leave the pair out.
    fn put(&mut self, x: u32, y: u32) {
        let (filters, rows, epoch) = (self.scene.filters, self.scene.rows, self.scene.epoch);
        if filters[x as usize].allows(&filters[y as usize]) {
            let (x, y) = (&rows[x as usize], &rows[y as usize]);
            let pair = Pair::new(x.slot, y.slot);
            match (x.settled(epoch).overlaps(y.settled(epoch)), x.new.overlaps(&y.new)) {
                (false, true) => self.begun.push(pair),
                (true, false) => self.ended.push(pair),
                _ => {}
            }
        }
    }
}
