//! When and how the grid is rebuilt.

use crate::broad_phase::BroadPhase;
use crate::grid::CellRange;
use crate::grid::cell_assignment::Crossing;
use crate::grid::plan::{Plan, Sample};
use crate::registry::proxy::Extent;
use crate::sweep::Column;

/// Updates between checks of whether the grid still suits the boxes, at first.
const PATIENCE: u32 = 64;
/// The most updates between checks, reached where checks change nothing.
const MOST_PATIENCE: u32 = 4096;

/// Updates after which excess memory of the first one is freed.
const SHRINK_AFTER: u32 = 4;

/// When to check the grid again.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Review {
    /// Cost per collider of the first full update after the grid was built.
    baseline: f64,
    patience: u32,
    waited: u32,
}

impl BroadPhase {
    /// Rebuilds the grid where the boxes have changed too much for it.
    pub(crate) fn review(&mut self) {
        let population = self.proxies_held();
        if self.is_mostly_free() {
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
        if review.waited == SHRINK_AFTER {
            self.shrink_room();
            return;
        }
        if self.work.members + self.work.inactive < population as u64 || population < 256 {
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

    /// A sample of the boxes held.
    fn sample(&self) -> Sample {
        let axes = self.grid().axes;
        // A missing box is all NaN, and so not finite.
        Sample::new(self.proxies.len(), self.proxies_held(), |id| self.proxies[id].new.aabb(axes))
    }

    /// Puts every proxy into the columns of another grid, as the last update left it.
    pub(crate) fn lay_out(&mut self, plan: Plan) {
        let grid = plan.grid;
        let from = self.plan.grid.axes;
        let turn = |x: &Extent| if x.is_none() { *x } else { Extent::new(&x.aabb(from), grid.axes) };
        self.plan = plan;
        self.review = Review { patience: self.review.patience / 2, ..Review::default() };
        self.stats.rebuilds += 1;
        self.crossings.clear();
        // New columns have no inactive members.
        self.woken.clear();
        self.sparse_before = 0;
        self.huge = Column::default();
        let mut members = std::mem::take(&mut self.room.members);
        members.clear();
        for (id, proxy) in self.proxies.iter_mut().enumerate() {
            proxy.new = turn(&proxy.new);
            if proxy.moved(self.epoch) {
                proxy.old = turn(&proxy.old);
            }
            let reported = *proxy.reported(self.epoch);
            let mut before = grid.classify(&reported, false);
            proxy.cells = grid.classify(&proxy.new, false);
            let apart = [before, proxy.cells].contains(&CellRange::HUGE);
            if apart {
                // A proxy that is huge in one state is huge in both: it never changes sets.
                before = if reported.is_none() { before } else { CellRange::HUGE };
                proxy.cells = if proxy.new.is_none() { proxy.cells } else { CellRange::HUGE };
            }
            if before == CellRange::HUGE {
                self.huge.ids.push(id as u32);
            }
            members.extend(before.cells().map(|cell| (grid.index(cell) as u32, id as u32)));
            proxy.stamp &= !1;
            if before != proxy.cells {
                proxy.stamp |= 1;
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
