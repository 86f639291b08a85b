//! Square cells over a patch's window, and which of the lines through their centres meet its overlap.

use super::lines::RegionLines;
use super::plane::At;
use super::window::Window;

/// How often a lattice is made larger by a cell on every side, at most, when the overlap reaches out of it.
const MOST_GROWN: u32 = 4;

/// Square cells in rows, with one more around them whose lines miss the overlap.
pub(super) struct Lattice {
    /// The corner of the first cell (m, across).
    low: At,
    /// Side of a cell (m).
    pub cell: f64,
    /// Cells to the right and up.
    pub count: [usize; 2],
    met: Vec<bool>,
}

impl Lattice {
    /// A lattice with `samples` cells along the longer side of a window.
    pub fn over(lines: &mut RegionLines<'_>, window: &Window, samples: u32) -> Lattice {
        let rectangle = &window.rectangle;
        let cell = rectangle.size(0).max(rectangle.size(1)) / f64::from(samples);
        // What rounding adds to a side makes no row of cells.
        let across = |k: usize| ((rectangle.size(k) / cell - 1e-6).ceil() as usize).max(1);
        let middle = rectangle.middle();
        let mut inner = [0, 1].map(across);
        let mut lattice = Lattice::cast(lines, middle, cell, inner);
        for _ in 0..MOST_GROWN {
            if !lattice.reaches_out() {
                break;
            }
            inner = inner.map(|n| n + 2);
            lattice = Lattice::cast(lines, middle, cell, inner);
        }
        lattice.close();
        lattice
    }

    fn cast(lines: &mut RegionLines<'_>, middle: At, cell: f64, inner: [usize; 2]) -> Lattice {
        let count = inner.map(|n| n + 2);
        let low = [0, 1].map(|k| middle[k] - 0.5 * cell * count[k] as f64);
        let mut lattice = Lattice { low, cell, count, met: Vec::new() };
        for k in 0..count[0] * count[1] {
            let at = lattice.center(k % count[0], k / count[0]);
            lattice.met.push(lines.meets(at));
        }
        lattice
    }

    /// Whether the line through a cell's centre meets the overlap.
    pub fn met(&self, i: usize, j: usize) -> bool {
        self.met[j * self.count[0] + i]
    }

    /// The centre of a cell.
    pub fn center(&self, i: usize, j: usize) -> At {
        [self.edge(0, i) + 0.5 * self.cell, self.edge(1, j) + 0.5 * self.cell]
    }

    /// Where the `n`-th cell along an axis begins.
    pub fn edge(&self, k: usize, n: usize) -> f64 {
        self.low[k] + n as f64 * self.cell
    }

    /// Whether a cell is one of those around.
    fn is_rim(&self, at: usize) -> bool {
        let [width, height] = self.count;
        let (i, j) = (at % width, at / width);
        i == 0 || j == 0 || i + 1 == width || j + 1 == height
    }

    fn reaches_out(&self) -> bool {
        (0..self.met.len()).any(|at| self.met[at] && self.is_rim(at))
    }

    /// Ends an overlap that reaches on and on at the lattice's rim.
    fn close(&mut self) {
        for at in 0..self.met.len() {
            if self.is_rim(at) {
                self.met[at] = false;
            }
        }
    }
}
