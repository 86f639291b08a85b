//! The choice of the grid: which axis is swept, and how large the cells are.
//!
//! Every candidate is judged by what it would cost on a sample of the boxes: memberships, box
//! tests, columns and huge boxes. Nothing is assumed of how extents or places are
//! distributed, and the sample is taken by stride, so the choice depends on the boxes alone.

use impinge_geometry::Aabb;

use crate::grid::quantize::Quantizer;
use crate::grid::{CellRange, Grid, MAX_CELLS};
use crate::registry::proxy::Extent;

/// The most boxes that are sampled for the choice.
const SAMPLE: usize = 1024;
/// The sweep axis, then those of the grid.
const ORDERS: [[usize; 3]; 3] = [[0, 1, 2], [1, 2, 0], [2, 0, 1]];

/// Boxes of the sample whose tests are counted.
const PROBES: usize = 96;
/// Cost of a membership, of a box test, of a column, and of a huge box over a column, in
/// nanoseconds as measured on a current machine; only the ratios matter.
const MEMBER: f64 = 12.0;
const TEST: f64 = 0.3;
const COLUMN: f64 = 60.0;
const HUGE: f64 = 4.0;
/// A grid with fewer columns than this cannot be distributed over threads.
const FEW_COLUMNS: usize = 32;
/// Boxes over more columns than this are huge, whatever the grid.
const MOST_CELLS: usize = 64;

/// A grid, and what it was made for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub grid: Grid,
    /// Colliders when the plan was made.
    pub population: usize,
    /// What a step is expected to cost; see the constants above.
    pub cost: f64,
}

impl Plan {
    pub const EMPTY: Plan = Plan { grid: Grid::SINGLE, population: 0, cost: 0.0 };

    /// The best plan for boxes of which a sample is given.
    pub fn choose(sample: &Sample) -> Plan {
        let mut best = Plan { grid: Grid::SINGLE, population: sample.population, cost: f64::INFINITY };
        if sample.is_empty() {
            return best;
        }
        for axes in ORDERS {
            let mut size = sample.least_size;
            for _ in 0..sample.steps {
                let grid = sample.grid(axes, size);
                let cost = sample.cost(&grid);
                if cost < best.cost {
                    best = Plan { grid, cost, ..best };
                }
                size *= 1.5;
            }
        }
        best
    }
}

/// A sample of the boxes, and how they are distributed.
pub(crate) struct Sample {
    /// Finite boxes, for each sweep axis with that axis first, by their lower bounds along it.
    boxes: [Vec<Extent>; 3],
    /// How many boxes each of the sample stands for.
    weight: f64,
    population: usize,
    /// The 1st and 99th percentile of the centres (m).
    low: [f32; 3],
    high: [f32; 3],
    least_size: f32,
    steps: usize,
}

impl Sample {
    /// From the boxes of all proxies, by stride: some of them are missing, `population` are not.
    pub fn new(proxies: usize, population: usize, at: impl Fn(usize) -> Aabb) -> Sample {
        let stride = proxies.div_ceil(SAMPLE).max(1);
        let all = (0..proxies).step_by(stride).map(at);
        let boxes: Vec<Aabb> = all.filter(Aabb::is_finite).collect();
        let mut low = [0.0; 3];
        let mut high = [0.0; 3];
        for axis in 0..3 {
            let mut centers: Vec<f32> = boxes.iter().map(|x| 0.5 * x.min[axis] + 0.5 * x.max[axis]).collect();
            centers.sort_unstable_by(f32::total_cmp);
            let at = |part: usize| centers.get((centers.len().max(1) - 1) * part / 100).copied();
            (low[axis], high[axis]) = (at(1).unwrap_or(0.0), at(99).unwrap_or(0.0));
        }
        let mut sizes: Vec<f32> =
            boxes.iter().map(|x| (0..3).map(|k| x.max[k] - x.min[k]).fold(0.0, f32::max)).collect();
        sizes.sort_unstable_by(f32::total_cmp);
        let median = sizes.get(sizes.len() / 2).copied().unwrap_or(0.0);
        let greatest = sizes.last().copied().unwrap_or(0.0);
        let spread = (0..3).map(|k| high[k] - low[k]).fold(0.0, f32::max);
        // From a little above the median box to far above the greatest, or to the whole spread.
        let least_size = (1.5 * median).max(spread / 2048.0).clamp(1e-30, 1e37);
        let most = (4.0 * greatest).max(16.0 * least_size).min(spread.max(least_size));
        let steps = 1 + (f64::from(most / least_size).ln() / 1.5f64.ln()).clamp(0.0, 24.0) as usize;
        let weight = stride as f64;
        let boxes = ORDERS.map(|axes| {
            let mut boxes: Vec<Extent> = boxes.iter().map(|x| Extent::new(x, axes)).collect();
            boxes.sort_by(|x, y| x.min[0].total_cmp(&y.min[0]));
            boxes
        });
        Sample { boxes, weight, population, low, high, least_size, steps }
    }

    fn is_empty(&self) -> bool {
        self.boxes[0].is_empty()
    }

    /// A grid with cells of about `size` (m), over the middle of the places, with no more columns
    /// than the population can use.
    fn grid(&self, axes: [usize; 3], size: f32) -> Grid {
        let most = (self.population / 4).max(4) as f64;
        let spread = [1, 2].map(|k| f64::from(self.high[axes[k]]) - f64::from(self.low[axes[k]]));
        let mut size = f64::from(size);
        let cells = |size: f64| spread.map(|x| (x / size).ceil().clamp(1.0, f64::from(MAX_CELLS)));
        while cells(size)[0] * cells(size)[1] > most {
            size *= 1.1;
        }
        let count = cells(size);
        let mut grid = Grid { axes, most_cells: MOST_CELLS, ..Grid::SINGLE };
        for k in 0..2 {
            grid.count[k] = count[k] as u16;
            grid.origin[k] = self.low[axes[k + 1]];
            grid.inverse[k] = (1.0 / size).clamp(1e-37, 1e30) as f32;
        }
        grid
    }

    /// What an update with this grid would cost.
    pub fn cost(&self, grid: &Grid) -> f64 {
        let quantizer = Quantizer::new(grid);
        let boxes = &self.boxes[grid.axes[0]];
        let mut small = Vec::with_capacity(boxes.len());
        let (mut members, mut huge) = (0.0, 0.0);
        for extent in boxes {
            let cells = quantizer.classify(extent, false);
            members += cells.len() as f64;
            if cells == CellRange::HUGE {
                huge += 1.0;
            } else {
                small.push((*extent, cells));
            }
        }
        let columns = grid.len() as f64;
        let stride = small.len().div_ceil(PROBES).max(1);
        // Each pair is met once: by the one of the two that begins first.
        let met = |at: usize| {
            let probe = &small[at];
            let others = small[at + 1..].iter().take_while(|other| other.0.min[0] <= probe.0.max[0]);
            others.map(|other| shared_cells(&probe.1, &other.1)).sum::<usize>()
        };
        let tests: usize = (0..small.len()).step_by(stride).map(met).sum();
        let tests = tests as f64 * stride as f64 * self.weight * self.weight;
        let apart = huge * self.weight * (columns * HUGE + TEST * members * self.weight * 0.25);
        let cost = MEMBER * members * self.weight + TEST * tests + COLUMN * columns + apart;
        if grid.len() < FEW_COLUMNS && self.population >= 4096 { 1.3 * cost } else { cost }
    }
}

/// The number of columns that two boxes are both in.
fn shared_cells(x: &CellRange, y: &CellRange) -> usize {
    let common =
        |k: usize| (usize::from(x.hi[k].min(y.hi[k])) + 1).saturating_sub(usize::from(x.lo[k].max(y.lo[k])));
    common(0) * common(1)
}
