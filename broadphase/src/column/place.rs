//! Where a sweep takes place, and what of a row concerns it there.

use super::change;
use crate::grid::{CellRange, Grid};
use crate::lanes::Change;
use crate::row::{Extent, Row};

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
    pub(super) fn holds(&self, row: &Row) -> bool {
        match self {
            Place::Cell(_, cell) => row.cells.contains(*cell),
            Place::Apart => row.cells == CellRange::HUGE,
        }
    }

    /// Whether two rows that overlap in one state, the new one or the old, are reported from here.
    #[inline]
    pub(super) fn reports(&self, epoch: u32, x: &Row, y: &Row, new: bool) -> bool {
        let Place::Cell(grid, cell) = self else { return true };
        let corner = |row: &Row| {
            // The cells of a row that crosses, or that stands apart, have to be found out.
            if row.cells.len() > 0 && (new || row.stamp != epoch << 1 | 1) {
                row.cells.lo
            } else {
                grid.range(if new { &row.new } else { row.settled(epoch) }).lo
            }
        };
        let (x, y) = (corner(x), corner(y));
        [x[0].max(y[0]), x[1].max(y[1])] == *cell
    }

    /// A row in both states, as far as they concern this column. Of a row that jumped, the state in
    /// which it is not in the column is left out, for the two together would reach over all between.
    /// The hull of what is left may show a change where there is none; `put` looks again.
    #[inline]
    pub(super) fn change(&self, row: &Row, epoch: u32) -> Change {
        let change = change(row, epoch);
        match self {
            Place::Cell(grid, cell) if !change.new.overlaps(&change.old) => {
                let was = !change.old.is_none() && grid.range(&change.old).contains(*cell);
                match (self.holds(row), was) {
                    (true, false) => Change { old: Extent::NONE, ..change },
                    (false, _) => Change { new: Extent::NONE, ..change },
                    (true, true) => change,
                }
            }
            _ => change,
        }
    }
}
