//! The grid of columns: two axes are cut into cells, the third is swept.

pub(crate) mod cell_assignment;
pub(crate) mod layout;
pub(crate) mod lists;
pub(crate) mod plan;
pub(crate) mod quantize;

use crate::grid::quantize::Quantizer;
use crate::registry::proxy::Extent;

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
    /// Boxes over more columns than this are huge.
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

    /// The columns that a box meets, however many.
    #[inline]
    pub fn range(&self, extent: &Extent) -> CellRange {
        Quantizer::new(self).range(extent)
    }

    /// Where a box belongs; see [`Quantizer::classify`].
    #[inline]
    pub fn classify(&self, extent: &Extent, was_huge: bool) -> CellRange {
        Quantizer::new(self).classify(extent, was_huge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
