//! When and how the grid is laid out anew.

use crate::broad_phase::BroadPhase;
use crate::column::Column;
use crate::grid::CellRange;
use crate::membership::Crossing;
use crate::plan::{Plan, Sample};
use crate::row::Extent;

/// Updates between looks at whether the grid still suits the boxes, at first.
const PATIENCE: u32 = 64;
/// The same, where looks have brought nothing.
const MOST_PATIENCE: u32 = 4096;

/// Updates after which the room that the first one took is given back.
const SETTLED: u32 = 4;

/// When to look at the grid again.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Review {
    /// Cost per collider of the first full update after the grid was laid out.
    baseline: f64,
    patience: u32,
    waited: u32,
}

impl BroadPhase {
    /// Lays out a new grid where the old one was made for other boxes.
    pub(crate) fn review(&mut self) {
        let population = self.rows_held();
        if self.is_sparse() {
            self.close_up();
            let plan = Plan::choose(&self.sample());
            self.lay_out(plan);
            return;
        }
        let grown = population > 2 * self.plan.population + 32;
        let shrunk = 4 * population + 64 < self.plan.population;
        if grown || shrunk {
            let plan = Plan::choose(&self.sample());
            self.lay_out(plan);
            return;
        }
        let review = &mut self.review;
        review.waited += 1;
        if review.waited == SETTLED {
            self.shrink_room();
            return;
        }
        if self.work.members + self.work.resting < population as u64 || population < 256 {
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
        let sample = self.sample();
        let plan = Plan::choose(&sample);
        if plan.cost < 0.75 * sample.cost(&self.plan.grid) {
            self.lay_out(plan);
        } else {
            self.review = Review { patience: (2 * patience).min(MOST_PATIENCE), waited: 0, ..self.review };
        }
    }

    /// Some of the boxes held.
    fn sample(&self) -> Sample {
        let axes = self.grid().axes;
        // A missing box is all NaN, and so not finite.
        Sample::new(self.rows.len(), self.rows_held(), |id| self.rows[id].new.aabb(axes))
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
        // In new columns nobody rests.
        self.woken.clear();
        self.few_before = 0;
        self.huge = Column::default();
        let mut members = std::mem::take(&mut self.room.members);
        members.clear();
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
        self.room.members = members;
        for (c, column) in self.columns.iter_mut().enumerate() {
            column.ids.extend_from_slice(self.entering.of(c));
        }
    }
}
