//! Quantizes boxes to columns: the four bounds of a box across the grid, side by side.

use impinge_geometry::simd::{Base, F32Lanes, F32x4, Simd};

use crate::grid::{CellRange, Grid};
use crate::registry::proxy::Extent;

/// Four bounds.
type Four = <Base as Simd>::F32x4;

/// From here on floats are integers.
const INTEGERS: f32 = (1 << 23) as f32;

/// A grid's numbers, once for each bound: the lower two, then the upper two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quantizer {
    origin: [f32; 4],
    inverse: [f32; 4],
    last: [f32; 4],
    most_cells: usize,
}

impl Quantizer {
    #[inline]
    pub fn new(grid: &Grid) -> Quantizer {
        let ([o0, o1], [i0, i1]) = (grid.origin, grid.inverse);
        let [l0, l1] = grid.count.map(|count| f32::from(count - 1));
        let (origin, inverse, last) = ([o0, o1, o0, o1], [i0, i1, i0, i1], [l0, l1, l0, l1]);
        Quantizer { origin, inverse, last, most_cells: grid.most_cells }
    }

    /// The columns that a box meets, however many.
    #[inline(always)]
    pub fn range(&self, extent: &Extent) -> CellRange {
        let bounds = [extent.min[1], extent.min[2], extent.max[1], extent.max[2]];
        let [u0, v0, u1, v1] = self.cells(bounds);
        CellRange { lo: [u0, v0], hi: [u1, v1] }
    }

    /// Where a box belongs. A box that was huge stays so until it meets half the columns that make
    /// a box huge, so that one at the border does not change sets each step.
    #[inline(always)]
    pub fn classify(&self, extent: &Extent, was_huge: bool) -> CellRange {
        if !is_finite(extent) {
            return if extent.is_none() { CellRange::NOWHERE } else { CellRange::HUGE };
        }
        let range = self.range(extent);
        let most = if was_huge { (self.most_cells / 2).max(1) } else { self.most_cells };
        if range.len() > most { CellRange::HUGE } else { range }
    }

    #[inline(always)]
    fn cells(&self, bounds: [f32; 4]) -> [u16; 4] {
        let cells = Four::new(bounds).sub(Four::new(self.origin)).mul(Four::new(self.inverse));
        let cells = cells.sub(Four::splat(0.5)).max(Four::splat(0.0)).min(Four::new(self.last));
        // Added to 2^23, a number is rounded to an integer that stands in its lowest bits.
        cells.add(Four::splat(INTEGERS)).low_halves()
    }

    /// The meaning of [`Quantizer::cells`].
    #[cfg(test)]
    fn cells_one_by_one(&self, bounds: [f32; 4]) -> [u16; 4] {
        std::array::from_fn(|i| {
            let cell = (bounds[i] - self.origin[i]) * self.inverse[i] - 0.5;
            let cell = if cell > 0.0 { cell } else { 0.0 };
            (cell.min(self.last[i]) + INTEGERS).to_bits() as u16
        })
    }
}

/// Whether all bounds are numbers.
#[inline(always)]
pub(crate) fn is_finite(extent: &Extent) -> bool {
    let Extent { min: [a, b, c], max: [d, e, f] } = *extent;
    let infinity = Four::splat(f32::INFINITY);
    let bounded = Four::new([a, b, c, d]).abs().less(infinity);
    bounded.and(Four::new([c, d, e, f]).abs().less(infinity)).bits() == Four::ALL
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cell_never_decreases_and_stays_in_the_grid() {
        let grid = Grid { origin: [-3.0; 2], inverse: [0.7; 2], count: [17, 3], ..Grid::SINGLE };
        let mut xs = vec![-f32::MAX, -1e30, -3.0, -2.9, 0.0, 1e-30, 1.0, 5.0, 20.0, 21.3, 1e30, f32::MAX];
        xs.extend((0..if cfg!(miri) { 50 } else { 1000 }).map(|i| -4.0 + i as f32 * 0.03));
        xs.extend([f32::INFINITY, f32::NEG_INFINITY]);
        xs.sort_by(f32::total_cmp);
        let quantizer = Quantizer::new(&grid);
        for k in 0..2 {
            let cells: Vec<u16> = xs.iter().map(|&x| quantizer.cells([x; 4])[k]).collect();
            for (&x, &cell) in xs.iter().zip(&cells) {
                let range = grid.range(&Extent { min: [x; 3], max: [x; 3] });
                assert_eq!((range.lo[k], range.hi[k]), (cell, cell));
                assert_eq!(quantizer.cells_one_by_one([x; 4])[k], cell);
            }
            assert!(cells.is_sorted());
            assert_eq!((cells[0], cells[cells.len() - 1]), (0, grid.count[k] - 1));
        }
    }

    #[test]
    fn boxes_without_bounds_stand_apart_and_missing_ones_nowhere() {
        let quantizer = Quantizer::new(&Grid { count: [9, 9], most_cells: 4, ..Grid::SINGLE });
        let finite = Extent { min: [-f32::MAX, 0.0, 0.0], max: [f32::MAX, 1.0, 1.0] };
        assert_eq!(quantizer.classify(&finite, false), quantizer.range(&finite));
        for k in 0..3 {
            let (mut open, mut closed) = (finite, finite);
            (open.min[k], closed.max[k]) = (f32::NEG_INFINITY, f32::INFINITY);
            assert_eq!(quantizer.classify(&open, false), CellRange::HUGE);
            assert_eq!(quantizer.classify(&closed, false), CellRange::HUGE);
        }
        assert_eq!(quantizer.classify(&Extent::NONE, false), CellRange::NOWHERE);
    }
}
