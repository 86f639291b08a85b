//! Nodes of a field whose eight parts are all there, filled side by side: nearly all nodes of a field without gaps.

use impinge_geometry::HeightField;
use impinge_geometry::height_field::BLOCK_BITS;

use super::node::{Node, WIDTH};
use super::sat::GROWTH;

/// Which parts stand in a node: in columns and rows (as powers of two), the first of them on its own level.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    pub bits: [u32; 2],
    pub first: [u32; 2],
    /// The level of the parts; −1 for leaves of 2 × 1 cells.
    pub level: i32,
}

impl Parts {
    /// How many cells a part has along x and y, as powers of two.
    fn cells(&self) -> [u32; 2] {
        if self.level < 0 { [1, 0] } else { BLOCK_BITS[self.level as usize] }
    }

    /// Whether each of them has a cell of the field.
    pub fn all_there(&self, field: &HeightField) -> bool {
        let (cells, size) = (self.cells(), field.size());
        (0..2).all(|k| (self.first[k] + (1 << self.bits[k]) - 1) << cells[k] < size[k] - 1)
    }

    /// Which column and row a part is in.
    #[inline]
    fn place(&self, lane: usize) -> [usize; 2] {
        [lane & ((1 << self.bits[0]) - 1), lane >> self.bits[0]]
    }

    /// Writes the boxes of all eight, of the terrain or of the bottom below it, but for their axes.
    pub fn boxes(&self, field: &HeightField, bottom: bool, node: &mut Node) {
        let cells = self.cells();
        let (mut low, mut high) = ([[0.0f32; WIDTH]; 3], [[0.0f32; WIDTH]; 3]);
        for k in 0..2 {
            let last = field.size()[k] - 1;
            let mut ends = [0.0f32; 5];
            for (n, end) in (0..).zip(&mut ends).take((1 << self.bits[k]) + 1) {
                *end = field.along(k, ((self.first[k] + n) << cells[k]).min(last));
            }
            for lane in 0..WIDTH {
                let at = self.place(lane)[k] & 3;
                (low[k][lane], high[k][lane]) = (ends[at], ends[at + 1]);
            }
        }
        (low[2], high[2]) =
            if bottom { ([field.bottom(); WIDTH], [field.bottom(); WIDTH]) } else { self.heights(field) };
        write(&low, &high, node);
    }

    /// The least and greatest heights of all eight.
    fn heights(&self, field: &HeightField) -> ([f32; WIDTH], [f32; WIDTH]) {
        let (mut low, mut high) = ([0.0; WIDTH], [0.0; WIDTH]);
        if self.level < 0 {
            // Of every row of samples, over the two columns of leaves.
            let (mut rows, last) = ([[[0.0f32; 2]; 2]; 5], field.size()[1] - 1);
            for (n, row) in (0..).zip(&mut rows) {
                let y = (self.first[1] + n).min(last);
                *row = [0, 1].map(|column| {
                    let x = 2 * (self.first[0] + column);
                    field.heights([x, y], [2, 0])
                });
            }
            for lane in 0..WIDTH {
                let [column, row] = self.place(lane);
                let [a, b] = [rows[row & 3][column & 1], rows[(row & 3) + 1][column & 1]];
                low[lane] = if b[0] < a[0] { b[0] } else { a[0] };
                high[lane] = if b[1] > a[1] { b[1] } else { a[1] };
            }
            return (low, high);
        }
        for lane in 0..WIDTH {
            let [x, y] = self.place(lane);
            let part = [self.first[0] + x as u32, self.first[1] + y as u32];
            [low[lane], high[lane]] = field.bounds(self.level as usize, part);
        }
        (low, high)
    }
}

/// Writes the boxes between corners as [`around`](super::upright::around) has them, but for their axes.
fn write(low: &[[f32; WIDTH]; 3], high: &[[f32; WIDTH]; 3], node: &mut Node) {
    let mut reach = [[0.0f64; WIDTH]; 3];
    let mut growth = [0.0f64; WIDTH];
    for k in 0..3 {
        for lane in 0..WIDTH {
            let center = 0.5 * low[k][lane] + 0.5 * high[k][lane];
            node.center[k][lane] = center;
            let c = f64::from(center);
            let (up, down) = (f64::from(high[k][lane]) - c, c - f64::from(low[k][lane]));
            reach[k][lane] = if up > down { up } else { down };
        }
    }
    for lane in 0..WIDTH {
        growth[lane] = GROWTH * (reach[0][lane] + reach[1][lane] + reach[2][lane]);
    }
    for k in 0..3 {
        for lane in 0..WIDTH {
            node.half[k][lane] = rounded_up(reach[k][lane] + growth[lane]);
        }
    }
}

/// The least `f32` that is not below a finite number, itself not negative: without a branch.
#[inline]
fn rounded_up(x: f64) -> f32 {
    let y = x as f32;
    f32::from_bits(y.to_bits() + u32::from(f64::from(y) < x))
}
