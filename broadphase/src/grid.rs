//! The grid of columns: two axes are cut into cells, the third is swept.

use crate::row::Extent;

/// The rectangle of columns that a box meets, bounds included; or a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct CellRange {
    pub lo: [u16; 2],
    pub hi: [u16; 2],
}

impl CellRange {
    /// In no column: there is no box.
    pub const NOWHERE: CellRange = CellRange { lo: [u16::MAX; 2], hi: [0; 2] };
    /// In no column, but in the set of huge boxes.
    pub const HUGE: CellRange = CellRange { lo: [u16::MAX; 2], hi: [1; 2] };

    #[inline]
    pub fn contains(&self, cell: [u16; 2]) -> bool {
        self.lo[0] <= cell[0] && cell[0] <= self.hi[0] && self.lo[1] <= cell[1] && cell[1] <= self.hi[1]
    }

    /// The number of columns; 0 for a mark.
    #[inline]
    pub fn len(&self) -> usize {
        if self.lo[0] > self.hi[0] {
            return 0;
        }
        (0..2).map(|k| usize::from(self.hi[k] - self.lo[k]) + 1).product()
    }

    /// The columns, row by row; none for a mark.
    pub fn cells(self) -> impl Iterator<Item = [u16; 2]> {
        // The lower bound of a mark is above its upper bound on both axes.
        (self.lo[1]..=self.hi[1]).flat_map(move |v| (self.lo[0]..=self.hi[0]).map(move |u| [u, v]))
    }
}

/// From here on floats are integers.
const INTEGERS: f32 = (1 << 23) as f32;

/// The most cells per axis.
pub(crate) const MAX_CELLS: u16 = 8192;

/// A grid over two axes. Boxes beyond its border belong to its border cells, so a wrong size costs
/// time and never a pair: the cell of a coordinate never decreases with the coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Grid {
    /// The sweep axis, then the axes of the grid.
    pub axes: [usize; 3],
    /// Where the grid begins (m).
    pub origin: [f32; 2],
    /// 1 / cell edge (1/m), positive and finite.
    pub inverse: [f32; 2],
    /// Cells per axis, at least 1.
    pub count: [u16; 2],
    /// Boxes over more columns than this stand apart.
    pub most_cells: usize,
}

impl Grid {
    /// One column for everything.
    pub const SINGLE: Grid =
        Grid { axes: [0, 1, 2], origin: [0.0; 2], inverse: [1.0; 2], count: [1; 2], most_cells: 1 };

    /// The number of columns.
    pub fn len(&self) -> usize {
        usize::from(self.count[0]) * usize::from(self.count[1])
    }

    /// The index of a column.
    #[inline]
    pub fn index(&self, cell: [u16; 2]) -> usize {
        usize::from(cell[1]) * usize::from(self.count[0]) + usize::from(cell[0])
    }

    /// The column of an index.
    #[inline]
    pub fn cell_of(&self, index: usize) -> [u16; 2] {
        let width = usize::from(self.count[0]);
        [(index % width) as u16, (index / width) as u16]
    }

    /// The cell of a coordinate (m) along grid axis `k`.
    #[cfg(test)]
    pub fn cell(&self, k: usize, x: f32) -> u16 {
        // An overflow to infinity is clamped like any other place beyond the border.
        let cell = (x - self.origin[k]) * self.inverse[k] - 0.5;
        cell.clamp(0.0, f32::from(self.count[k] - 1)).round_ties_even() as u16
    }

    /// The columns that a box meets, however many.
    #[inline(always)]
    pub fn range(&self, extent: &Extent) -> CellRange {
        // The same arithmetic as in `cell`, which the tests compare.
        let cell = |x: f32, k: usize| {
            let cell = (x - self.origin[k]) * self.inverse[k] - 0.5;
            // Added to 2^23, a number is rounded to an integer that stands in its lowest bits.
            (cell.max(0.0).min(f32::from(self.count[k] - 1)) + INTEGERS).to_bits() as u16
        };
        let (u0, v0) = (cell(extent.min[1], 0), cell(extent.min[2], 1));
        let (u1, v1) = (cell(extent.max[1], 0), cell(extent.max[2], 1));
        CellRange { lo: [u0, v0], hi: [u1, v1] }
    }

    /// Where a box belongs. A box that was huge stays so until it meets half the columns that make
    /// a box huge, so that one at the border does not change sets each step.
    #[inline(always)]
    pub fn classify(&self, extent: &Extent, was_huge: bool) -> CellRange {
        if !extent.is_finite() {
            return if extent.is_none() { CellRange::NOWHERE } else { CellRange::HUGE };
        }
        let range = self.range(extent);
        let most = if was_huge { (self.most_cells / 2).max(1) } else { self.most_cells };
        if range.len() > most { CellRange::HUGE } else { range }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cell_never_decreases_and_stays_in_the_grid() {
        let grid = Grid { origin: [-3.0; 2], inverse: [0.7; 2], count: [17, 3], ..Grid::SINGLE };
        let mut xs = vec![-f32::MAX, -1e30, -3.0, -2.9, 0.0, 1e-30, 1.0, 5.0, 20.0, 21.3, 1e30, f32::MAX];
        xs.extend((0..1000).map(|i| -4.0 + i as f32 * 0.03));
        xs.sort_by(f32::total_cmp);
        for k in 0..2 {
            let cells: Vec<u16> = xs.iter().map(|&x| grid.cell(k, x)).collect();
            for (&x, &cell) in xs.iter().zip(&cells) {
                let range = grid.range(&Extent { min: [x; 3], max: [x; 3] });
                assert_eq!((range.lo[k], range.hi[k]), (cell, cell));
            }
            assert!(cells.is_sorted());
            assert_eq!((cells[0], cells[cells.len() - 1]), (0, grid.count[k] - 1));
        }
    }

    #[test]
    fn a_range_lists_its_columns_and_a_mark_lists_none() {
        let range = CellRange { lo: [2, 5], hi: [3, 6] };
        assert_eq!(range.cells().collect::<Vec<_>>(), [[2, 5], [3, 5], [2, 6], [3, 6]]);
        assert_eq!(range.len(), 4);
        for mark in [CellRange::NOWHERE, CellRange::HUGE] {
            assert_eq!((mark.cells().count(), mark.len()), (0, 0));
            assert!(!mark.contains([0, 0]) && !mark.contains([u16::MAX, 1]));
        }
    }
}
