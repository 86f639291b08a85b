//! The update: from what was set to pairs that begin and end.

use rayon::prelude::*;

use crate::broad_phase::{BroadPhase, Crossing, NO_ROW};
use crate::column::{self, Column, Huge, Place, Scene, Sweep, Work};
use crate::events;
use crate::grid::CellRange;
use crate::pair::Pair;
use crate::plan::Plan;
use crate::row::Extent;

/// Only moved boxes are tested where they are fewer than one in this many.
const FEW: usize = 14;
/// Updates between looks at whether the grid still suits the boxes, at first.
const PATIENCE: u32 = 64;
/// The same, where looks have brought nothing.
const MOST_PATIENCE: u32 = 4096;

/// When to look at the grid again.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Review {
    /// Cost per collider of the first full update after the grid was laid out.
    baseline: f64,
    patience: u32,
    waited: u32,
}

impl BroadPhase {
    /// Brings pairs, begun and ended up to date. Runs in rayon's current pool; the result does not
    /// depend on its size.
    pub fn update(&mut self) {
        let span = tracing::debug_span!(
            "broadphase",
            colliders = self.len(),
            moved = tracing::field::Empty,
            crossed = tracing::field::Empty,
            shifts = tracing::field::Empty,
            columns = tracing::field::Empty,
            swept = tracing::field::Empty,
            few = tracing::field::Empty,
            members = tracing::field::Empty,
            tests = tracing::field::Empty,
            huge = tracing::field::Empty,
            rebuilds = tracing::field::Empty,
            pairs = tracing::field::Empty,
            begun = tracing::field::Empty,
            ended = tracing::field::Empty,
        );
        let _entered = span.enter();
        self.list.take(&self.begun, &self.ended);
        self.review();
        self.find_changes();
        self.commit();
        let stats = self.stats;
        span.record("moved", stats.moved)
            .record("crossed", stats.crossed)
            .record("shifts", stats.shifts)
            .record("columns", stats.columns)
            .record("swept", stats.swept)
            .record("few", stats.few)
            .record("members", stats.members)
            .record("tests", stats.tests)
            .record("huge", stats.huge)
            .record("rebuilds", stats.rebuilds)
            .record("pairs", stats.pairs)
            .record("begun", stats.begun)
            .record("ended", stats.ended);
    }

    /// Lays out a new grid where the old one was made for other boxes.
    fn review(&mut self) {
        let population = self.rows_held();
        if self.is_sparse() {
            self.close_up();
            let plan = Plan::choose(&self.extents());
            self.lay_out(plan);
            return;
        }
        let grown = population > 2 * self.plan.population + 32;
        let shrunk = 4 * population + 64 < self.plan.population;
        if grown || shrunk {
            let plan = Plan::choose(&self.extents());
            self.lay_out(plan);
            return;
        }
        let review = &mut self.review;
        review.waited += 1;
        if self.work.members < population as u64 || population < 256 {
            return;
        }
        let cost = self.work.cost() / population as f64;
        if review.baseline == 0.0 {
            review.baseline = cost;
        }
        if cost < 1.5 * review.baseline || review.waited < review.patience.max(PATIENCE) {
            return;
        }
        let patience = review.patience.max(PATIENCE);
        let extents = self.extents();
        let plan = Plan::choose(&extents);
        if plan.cost < 0.75 * Plan::cost_of(&self.plan.grid, &extents) {
            self.lay_out(plan);
        } else {
            self.review = Review { patience: (2 * patience).min(MOST_PATIENCE), waited: 0, ..self.review };
        }
    }

    /// The boxes held, with their axes in the order x, y, z.
    fn extents(&self) -> Vec<Extent> {
        let axes = self.grid().axes;
        let held = self.rows.iter().filter(|row| !row.new.is_none());
        held.map(|row| Extent::new(&row.new.aabb(axes), [0, 1, 2])).collect()
    }

    /// Puts every row into the columns of another grid, as the last update left it.
    pub(crate) fn lay_out(&mut self, plan: Plan) {
        let grid = plan.grid;
        let from = self.plan.grid.axes;
        let turn = |x: &Extent| if x.is_none() { *x } else { Extent::new(&x.aabb(from), grid.axes) };
        self.plan = plan;
        self.review = Review { patience: self.review.patience / 2, ..Review::default() };
        self.stats.rebuilds += 1;
        self.crossings.clear();
        self.huge = Column::default();
        let mut members = Vec::new();
        for (id, row) in self.rows.iter_mut().enumerate() {
            row.new = turn(&row.new);
            if row.moved(self.epoch) {
                row.old = turn(&row.old);
            }
            let settled = *row.settled(self.epoch);
            let mut before = grid.classify(&settled, false);
            row.cells = grid.classify(&row.new, false);
            let apart = [before, row.cells].contains(&CellRange::HUGE);
            if apart {
                // One that stands apart in one state does so in both: a row never changes sets.
                before = if settled.is_none() { before } else { CellRange::HUGE };
                row.cells = if row.new.is_none() { row.cells } else { CellRange::HUGE };
            }
            if before == CellRange::HUGE {
                self.huge.ids.push(id as u32);
            }
            members.extend(before.cells().map(|cell| (grid.index(cell) as u32, id as u32)));
            row.stamp &= !1;
            if before != row.cells {
                row.stamp |= 1;
                self.crossings.push(Crossing { id: id as u32, from: before });
            }
        }
        self.columns.clear();
        self.columns.resize_with(grid.len(), Column::default);
        self.touched.clear();
        self.touched.resize(grid.len(), false);
        self.entering.fill(&members, grid.len());
        for (c, column) in self.columns.iter_mut().enumerate() {
            column.ids.extend_from_slice(self.entering.of(c));
        }
    }

    /// Sweeps the columns in which anything moved; fills `begun` and `ended`.
    fn find_changes(&mut self) {
        let huge_entering = self.cross();
        let few = FEW * self.moved.len() < self.rows_held();
        if few {
            self.list_dirty();
        }
        self.touch();
        let apart = self.huge.ids.iter().chain(&huge_entering);
        let apart: Vec<Huge> =
            apart.map(|&id| Huge::new(&self.rows[id as usize], id, self.epoch, &self.plan.grid)).collect();
        let scene = Scene {
            rows: &self.rows,
            filters: &self.filters,
            path: self.settings.simd.path(),
            epoch: self.epoch,
            settle: false,
            huge: &apart,
        };
        let mut first = Sweep::default();
        if apart.iter().any(|huge| huge.moved) {
            column::sweep(&scene, &mut self.huge, Place::Apart, &huge_entering, &mut first);
        }
        let scene = Scene { settle: few, ..scene };
        let grid = &self.plan.grid;
        let (touched, entering, dirty) = (&self.touched, &self.entering, &self.dirty);
        let swept = self
            .columns
            .par_iter_mut()
            .enumerate()
            .with_min_len(4)
            .filter(|(c, _)| touched[*c])
            .fold(Sweep::default, |mut sweep, (c, column)| {
                let place = Place::Cell(grid, grid.cell_of(c));
                if !(few && column::sweep_few(&scene, column, dirty.of(c), place, &mut sweep)) {
                    column::sweep(&scene, column, place, entering.of(c), &mut sweep);
                }
                sweep
            })
            .map(|sweep| (sweep.begun, sweep.ended, sweep.work))
            .reduce(Default::default, join);
        (self.begun, self.ended, self.work) = join((first.begun, first.ended, first.work), swept);
    }

    /// Sorts the rows that moved into the columns that they are in or were in.
    fn list_dirty(&mut self) {
        let grid = &self.plan.grid;
        let mut members = Vec::new();
        for &id in &self.moved {
            let row = &self.rows[id as usize];
            // Those that cross stand in the other list.
            if row.stamp & 1 == 0 {
                members.extend(row.cells.cells().map(|cell| (grid.index(cell) as u32, id)));
            }
        }
        for &Crossing { id, from } in &self.crossings {
            let entered = self.rows[id as usize].cells.cells().filter(|&cell| !from.contains(cell));
            members.extend(from.cells().chain(entered).map(|cell| (grid.index(cell) as u32, id)));
        }
        self.dirty.fill(&members, grid.len());
    }

    /// Sorts the crossing rows into the columns that they enter; returns those that come to stand apart.
    fn cross(&mut self) -> Vec<u32> {
        let grid = &self.plan.grid;
        let mut huge = Vec::new();
        let mut members = Vec::new();
        for &Crossing { id, from } in &self.crossings {
            let cells = self.rows[id as usize].cells;
            if cells == CellRange::HUGE && from != CellRange::HUGE {
                huge.push(id);
            }
            let entered = cells.cells().filter(|&cell| !from.contains(cell));
            members.extend(entered.map(|cell| (grid.index(cell) as u32, id)));
            for cell in from.cells() {
                self.touched[grid.index(cell)] = true;
            }
        }
        self.entering.fill(&members, grid.len());
        huge
    }

    /// Marks the columns that must be swept: those of every row that moved.
    fn touch(&mut self) {
        let grid = self.plan.grid;
        if 2 * self.moved.len() > self.rows.len() {
            self.touched.fill(true);
            return;
        }
        for &id in &self.moved {
            let row = &self.rows[id as usize];
            let cells = if row.cells == CellRange::HUGE {
                Huge::new(row, id, self.epoch, &grid).over
            } else {
                row.cells
            };
            for cell in cells.cells() {
                self.touched[grid.index(cell)] = true;
            }
        }
        // Whether a row that leaves stood apart is known from where it stood: its box need not be
        // large, for a new grid keeps those apart that stood apart under the old one.
        for &Crossing { id, .. } in self.crossings.iter().filter(|crossing| crossing.from == CellRange::HUGE)
        {
            for cell in Huge::new(&self.rows[id as usize], id, self.epoch, &grid).over.cells() {
                self.touched[grid.index(cell)] = true;
            }
        }
    }

    /// Ends the step: what was new is now known.
    fn commit(&mut self) {
        events::sort_unique(&mut self.begun);
        events::sort_unique(&mut self.ended);
        let (slots, epoch) = (&self.slots, self.epoch);
        let removed = |slot: u32| slots[slot as usize].removed == epoch;
        events::cancel(&mut self.begun, &mut self.ended, |pair| removed(pair.a) || removed(pair.b));
        self.list.count_changes(&self.begun, &self.ended);
        self.stats.moved = self.moved.len();
        self.stats.crossed = self.crossings.len();
        for id in self.leaving.drain(..) {
            self.rows[id as usize].slot = NO_ROW;
            self.free.push(id);
        }
        self.moved.clear();
        self.crossings.clear();
        self.touched.fill(false);
        self.next_epoch();
        self.stats.shifts = self.work.shifts;
        self.stats.columns = self.columns.len();
        self.stats.swept = self.work.columns;
        self.stats.few = self.work.few;
        self.stats.members = self.work.members;
        self.stats.tests = self.work.tests;
        self.stats.huge = self.huge.ids.len();
        self.stats.pairs = self.list.count();
        self.stats.begun = self.begun.len();
        self.stats.ended = self.ended.len();
    }

    fn next_epoch(&mut self) {
        self.epoch += 1;
        if self.epoch >= u32::MAX >> 1 {
            // Once in a billion updates the stamps begin again.
            self.epoch = 1;
            self.rows.iter_mut().for_each(|row| row.stamp = 0);
            self.slots.iter_mut().for_each(|slot| slot.removed = 0);
        }
    }
}

type Found = (Vec<Pair>, Vec<Pair>, Work);

fn join(mut x: Found, mut y: Found) -> Found {
    x.0.append(&mut y.0);
    x.1.append(&mut y.1);
    x.2.add(&y.2);
    x
}
