//! The least and greatest heights of blocks of cells, and which blocks have walls.
//!
//! A block of level 0 is 4 × 4 cells; those of the levels above hold 4 × 2 and 2 × 4 blocks in turn, so that every block has eight parts.

use super::HeightField;
use super::bit_set::BitSet;
use super::level::{BLOCK_BITS, Level};
use super::samples::Samples;

const NOTHING: [f32; 2] = [f32::INFINITY, f32::NEG_INFINITY];

fn merged(a: [f32; 2], b: [f32; 2]) -> [f32; 2] {
    [if b[0] < a[0] { b[0] } else { a[0] }, if b[1] > a[1] { b[1] } else { a[1] }]
}

/// So many cells of a row and more are measured side by side.
const FEW: u32 = 4;
/// How many.
const LANES: usize = 8;
/// Blocks of level 0 that are measured side by side, and the samples of a row of them.
const STRIP: usize = 16;
const STRIP_SAMPLES: usize = 4 * STRIP + 1;

/// The least and greatest of rows of heights (m); the first is greater where there is none.
fn bounds_of<'r>(rows: impl Iterator<Item = &'r [f32]>) -> [f32; 2] {
    let (mut low, mut high) = ([NOTHING[0]; LANES], [NOTHING[1]; LANES]);
    // No comparison holds of NaN.
    let mut take = |heights: &[f32]| {
        for (k, &h) in heights.iter().enumerate().take(LANES) {
            low[k] = if h < low[k] { h } else { low[k] };
            high[k] = if h > high[k] { h } else { high[k] };
        }
    };
    for row in rows {
        let (whole, rest) = row.as_chunks::<LANES>();
        whole.iter().for_each(|heights| take(heights));
        take(rest);
    }
    low.iter().zip(&high).fold(NOTHING, |all, (&low, &high)| merged(all, [low, high]))
}

impl HeightField {
    /// The highest level of blocks: there is one of it.
    pub fn top_level(&self) -> usize {
        self.levels.len() - 1
    }

    /// Blocks of a level along x and y.
    pub fn blocks(&self, level: usize) -> [u32; 2] {
        self.levels[level].size
    }

    /// The least and greatest height of a block (m); the first is greater where it has no sample.
    #[inline]
    pub fn bounds(&self, level: usize, [x, y]: [u32; 2]) -> [f32; 2] {
        let level = &self.levels[level];
        level.bounds[(y * level.size[0] + x) as usize]
    }

    /// Whether walls stand under edges that begin in a block.
    #[inline]
    pub fn has_walls(&self, level: usize, [x, y]: [u32; 2]) -> bool {
        let level = &self.levels[level];
        level.walls.get((y * level.size[0] + x) as usize)
    }

    /// Bytes held by the blocks.
    pub(super) fn level_bytes(&self) -> usize {
        let of = |level: &Level| level.bounds.capacity() * size_of::<[f32; 2]>() + level.walls.bytes();
        self.levels.iter().map(of).sum()
    }

    /// Makes all blocks.
    pub(super) fn make_levels(&mut self) {
        self.levels.clear();
        for bits in BLOCK_BITS {
            let size = [0, 1].map(|k| self.size[k].div_ceil(1 << bits[k]));
            let count = (size[0] * size[1]) as usize;
            self.levels.push(Level { size, bounds: vec![NOTHING; count], walls: BitSet::new(count) });
            if count == 1 {
                break;
            }
        }
        let all = [[0, 0], self.size.map(|n| n - 1)];
        self.measure(all);
        self.find_walls(all);
    }

    /// Measures the blocks that have a sample between two again, both included.
    pub(super) fn measure(&mut self, [first, last]: [[u32; 2]; 2]) {
        // A block has the samples at its upper borders, too.
        let mut range = [first.map(|k| k.saturating_sub(1) >> 2), last.map(|k| k >> 2)];
        for y in range[0][1]..=range[1][1] {
            let row = y * self.levels[0].size[0];
            for x in (range[0][0]..=range[1][0]).step_by(STRIP) {
                let count = STRIP.min((range[1][0] + 1 - x) as usize);
                let bounds = self.strip([x, y], count);
                let at = (row + x) as usize;
                self.levels[0].bounds[at..at + count].copy_from_slice(&bounds[..count]);
            }
        }
        for above in 1..self.levels.len() {
            let bits = parts(above);
            range = range.map(|at| [at[0] >> bits[0], at[1] >> bits[1]]);
            for y in range[0][1]..=range[1][1] {
                for x in range[0][0]..=range[1][0] {
                    let bounds = self
                        .parts_of(above, [x, y])
                        .fold(NOTHING, |all, part| merged(all, self.bounds(above - 1, part)));
                    let level = &mut self.levels[above];
                    level.bounds[(y * level.size[0] + x) as usize] = bounds;
                }
            }
        }
    }

    /// The least and greatest heights of some blocks of level 0 in a row.
    fn strip(&self, [x, y]: [u32; 2], count: usize) -> [[f32; 2]; STRIP] {
        let mut bounds = [NOTHING; STRIP];
        let Samples::F32(values) = &self.samples else {
            for (bounds, x) in bounds.iter_mut().zip(x..).take(count) {
                *bounds = self.heights_of([4 * x, 4 * y], [4, 4]);
            }
            return bounds;
        };
        let width = (4 * count + 1).min((self.size[0] - 4 * x) as usize);
        // The rows of a block first, all columns side by side; no comparison holds of NaN.
        let (mut low, mut high) = ([NOTHING[0]; STRIP_SAMPLES], [NOTHING[1]; STRIP_SAMPLES]);
        for j in 4 * y..=(4 * y + 4).min(self.size[1] - 1) {
            let heights = &values[self.index([4 * x, j])..][..width];
            for ((low, high), &h) in low.iter_mut().zip(&mut high).zip(heights) {
                *low = if h < *low { h } else { *low };
                *high = if h > *high { h } else { *high };
            }
        }
        for (k, bounds) in bounds.iter_mut().enumerate().take(count) {
            let columns = low[4 * k..].iter().zip(&high[4 * k..]).take(5);
            *bounds = columns.fold(NOTHING, |all, (&low, &high)| merged(all, [low, high]));
        }
        bounds
    }

    /// Finds again in which blocks walls stand at the vertices between two, both included.
    pub(super) fn find_walls(&mut self, [first, last]: [[u32; 2]; 2]) {
        let mut range = [first.map(|k| k >> 2), last.map(|k| k >> 2)];
        for y in range[0][1]..=range[1][1] {
            for x in range[0][0]..=range[1][0] {
                let found = self.any_wall([x, y]);
                let level = &mut self.levels[0];
                level.walls.set((y * level.size[0] + x) as usize, found);
            }
        }
        for above in 1..self.levels.len() {
            let bits = parts(above);
            range = range.map(|at| [at[0] >> bits[0], at[1] >> bits[1]]);
            for y in range[0][1]..=range[1][1] {
                for x in range[0][0]..=range[1][0] {
                    let found = self.parts_of(above, [x, y]).any(|part| self.has_walls(above - 1, part));
                    let level = &mut self.levels[above];
                    level.walls.set((y * level.size[0] + x) as usize, found);
                }
            }
        }
    }

    /// The parts of a block of a level above 0 that there are.
    fn parts_of(&self, level: usize, [x, y]: [u32; 2]) -> impl Iterator<Item = [u32; 2]> + use<> {
        let (bits, size) = (parts(level), self.levels[level - 1].size);
        let range = |at: u32, k: usize| (at << bits[k])..((at + 1) << bits[k]).min(size[k]);
        let columns = range(x, 0);
        range(y, 1).flat_map(move |y| columns.clone().map(move |x| [x, y]))
    }

    /// The least and greatest height (m) of the samples from a cell on, as far as `cells` reach.
    #[inline]
    pub(super) fn heights_of(&self, [i, j]: [u32; 2], cells: [u32; 2]) -> [f32; 2] {
        let last = [(i + cells[0]).min(self.size[0] - 1), (j + cells[1]).min(self.size[1] - 1)];
        if let (Samples::F32(values), true) = (&self.samples, cells[0] >= FEW) {
            let row = |row: u32| &values[self.index([i, row])..][..(last[0] - i + 1) as usize];
            return bounds_of((j..=last[1]).map(row));
        }
        let mut bounds = NOTHING;
        for row in j..=last[1] {
            let at = self.index([i, row]);
            for index in at..=at + (last[0] - i) as usize {
                // No comparison holds of NaN.
                let h = self.samples.at(index);
                bounds = merged(bounds, [h, h]);
            }
        }
        bounds
    }

    fn any_wall(&self, [x, y]: [u32; 2]) -> bool {
        let outer = |at: u32, n: u32| at == 0 || 4 * at + 4 >= n;
        if !self.gaps && !outer(x, self.size[0]) && !outer(y, self.size[1]) {
            return false;
        }
        let last = [(4 * x + 4).min(self.size[0]), (4 * y + 4).min(self.size[1])];
        (4 * y..last[1]).any(|j| {
            (4 * x..last[0]).any(|i| {
                let v = self.vertex_at([i, j]);
                (0..3).any(|d| self.wall(3 * v + d).is_some())
            })
        })
    }
}

/// How many blocks of the level below a block holds along x and y, as powers of two.
pub(super) fn parts(level: usize) -> [u32; 2] {
    [0, 1].map(|k| BLOCK_BITS[level][k] - BLOCK_BITS[level - 1][k])
}
