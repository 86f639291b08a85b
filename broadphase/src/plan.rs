//! The choice of the grid: which axis is swept, and how large the cells are.
//!
//! Every candidate is judged by what it would cost on a sample of the boxes: memberships, box
//! tests, columns and boxes that stand apart. Nothing is assumed of how extents or places are
//! distributed, and the sample is taken by stride, so the choice depends on the boxes alone.

use crate::grid::{CellRange, Grid, MAX_CELLS};
use crate::row::Extent;

/// Boxes looked at for the choice, at most.
const SAMPLE: usize = 1024;
/// Boxes of the sample whose tests are counted.
const PROBES: usize = 96;
/// Cost of a membership, of a box test, of a column, and of a huge box over a column, in
/// nanoseconds as measured on a current machine; only the ratios matter.
const MEMBER: f64 = 12.0;
const TEST: f64 = 0.3;
const COLUMN: f64 = 60.0;
const HUGE: f64 = 4.0;
/// A grid with fewer columns than this cannot be shared out among threads.
const FEW_COLUMNS: usize = 32;
/// Boxes over more columns than this stand apart, whatever the grid.
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

    /// The best plan for boxes given with their axes in the order x, y, z.
    pub fn choose(boxes: &[Extent]) -> Plan {
        let sample = Sample::new(boxes);
        let mut best = Plan { grid: Grid::SINGLE, population: boxes.len(), cost: f64::INFINITY };
        if sample.boxes.is_empty() {
            return best;
        }
        for axes in [[0, 1, 2], [1, 2, 0], [2, 0, 1]] {
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

    /// What this plan's grid would cost for other boxes, given in the order x, y, z.
    pub fn cost_of(grid: &Grid, boxes: &[Extent]) -> f64 {
        Sample::new(boxes).cost(grid)
    }
}

struct Sample {
    /// Finite boxes in the order x, y, z.
    boxes: Vec<Extent>,
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
    fn new(all: &[Extent]) -> Sample {
        let stride = all.len().div_ceil(SAMPLE).max(1);
        let boxes: Vec<Extent> = all.iter().step_by(stride).filter(|x| x.is_finite()).copied().collect();
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
        Sample { boxes, weight: stride as f64, population: all.len(), low, high, least_size, steps }
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

    fn cost(&self, grid: &Grid) -> f64 {
        let boxes: Vec<(Extent, CellRange)> = self
            .boxes
            .iter()
            .map(|x| {
                let extent = Extent { min: grid.axes.map(|i| x.min[i]), max: grid.axes.map(|i| x.max[i]) };
                (extent, grid.classify(&extent, false))
            })
            .collect();
        let members: f64 = boxes.iter().map(|x| x.1.len() as f64).sum();
        let huge = boxes.iter().filter(|x| x.1 == CellRange::HUGE).count() as f64;
        let columns = grid.len() as f64;
        let small: Vec<_> = boxes.iter().filter(|x| x.1 != CellRange::HUGE).collect();
        let stride = small.len().div_ceil(PROBES).max(1);
        let tests: usize = small
            .iter()
            .step_by(stride)
            .map(|probe| {
                let others = small.iter().filter(|other| !std::ptr::eq(*other, probe));
                others.map(|other| shared_tests(probe, other)).sum::<usize>()
            })
            .sum();
        let tests = tests as f64 * 0.5 * stride as f64 * self.weight * self.weight;
        let apart = huge * self.weight * (columns * HUGE + TEST * members * self.weight * 0.25);
        let cost = MEMBER * members * self.weight + TEST * tests + COLUMN * columns + apart;
        if grid.len() < FEW_COLUMNS && self.population >= 4096 { 1.3 * cost } else { cost }
    }
}

/// How often two boxes are tested against each other.
fn shared_tests(x: &(Extent, CellRange), y: &(Extent, CellRange)) -> usize {
    if x.0.min[0] > y.0.max[0] || y.0.min[0] > x.0.max[0] {
        return 0;
    }
    let common = |k: usize| {
        (usize::from(x.1.hi[k].min(y.1.hi[k])) + 1).saturating_sub(usize::from(x.1.lo[k].max(y.1.lo[k])))
    };
    common(0) * common(1)
}
