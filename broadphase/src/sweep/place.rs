//! The column in which a sweep takes place, and what of a proxy concerns it there.

use super::change;
use crate::grid::{CellRange, Grid};
use crate::registry::proxy::{Extent, Proxy};
use crate::sweep::lanes::Change;

/// Which column is swept.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'a> {
    /// A column of the grid.
    Cell(&'a Grid, [u16; 2]),
    /// The set of huge boxes.
    Apart,
}

impl Place<'_> {
    /// Whether a proxy stays in the column with this step.
    #[inline]
    pub(super) fn holds(&self, proxy: &Proxy) -> bool {
        match self {
            Place::Cell(_, cell) => proxy.cells.contains(*cell),
            Place::Apart => proxy.cells == CellRange::HUGE,
        }
    }

    /// Whether two proxies that overlap in one state, the new one or the old, are reported from here.
    #[inline]
    pub(super) fn reports(&self, epoch: u32, x: &Proxy, y: &Proxy, new: bool) -> bool {
        let Place::Cell(grid, cell) = self else { return true };
        let corner = |proxy: &Proxy| {
            // The cells of a proxy that crosses, or that is huge, have to be computed.
            if proxy.cells.len() > 0 && (new || proxy.stamp != epoch << 1 | 1) {
                proxy.cells.lo
            } else {
                grid.range(if new { &proxy.new } else { proxy.reported(epoch) }).lo
            }
        };
        let (x, y) = (corner(x), corner(y));
        [x[0].max(y[0]), x[1].max(y[1])] == *cell
    }

    /// A proxy in both states, as far as they concern this column. Of a proxy that jumped, the state in
    /// which it is not in the column is left out, because the hull of both would span everything
    /// between. The remaining hull may show a change where there is none; `put` checks again.
    #[inline]
    pub(super) fn change(&self, proxy: &Proxy, epoch: u32) -> Change {
        let change = change(proxy, epoch);
        match self {
            Place::Cell(grid, cell) if !change.new.overlaps(&change.old) => {
                let was = !change.old.is_none() && grid.range(&change.old).contains(*cell);
                match (self.holds(proxy), was) {
                    (true, false) => Change { old: Extent::NONE, ..change },
                    (false, _) => Change { new: Extent::NONE, ..change },
                    (true, true) => change,
                }
            }
            _ => change,
        }
    }
}
