//! The least and greatest values of blocks of cells: 4³ cells at level 0, eight blocks of the level below above it.

use super::LevelSet;
use super::cubes::{BLOCK_BITS, CubeLevel};

/// Below and above every value.
const NOTHING: [f32; 2] = [f32::INFINITY, f32::NEG_INFINITY];

fn merged(a: [f32; 2], b: [f32; 2]) -> [f32; 2] {
    [a[0].min(b[0]), a[1].max(b[1])]
}

/// Whether a surface passes between two values.
#[inline]
fn crossed([low, high]: [f32; 2]) -> bool {
    low < 0.0 && high >= 0.0
}

impl LevelSet {
    /// The highest level of blocks: there is one of it.
    pub fn top_level(&self) -> usize {
        self.levels.len() - 1
    }

    /// Blocks of a level along x, y and z: of level `l` each has 4 · 2ˡ cells along a side.
    pub fn blocks(&self, level: usize) -> [u32; 3] {
        self.levels[level].size
    }

    /// Whether the surface passes through a block.
    #[inline]
    pub fn is_crossed(&self, level: usize, at: [u32; 3]) -> bool {
        let level = &self.levels[level];
        crossed(level.bounds[level.index(at)])
    }

    /// Whether the surface passes through some cells, by the lowest one and how many there are along each axis.
    #[inline]
    pub fn crosses(&self, cell: [u32; 3], cells: u32) -> bool {
        crossed(self.range(cell, cells))
    }

    /// The least and greatest value of a block.
    #[cfg(test)]
    pub(super) fn bounds(&self, level: usize, at: [u32; 3]) -> [f32; 2] {
        let level = &self.levels[level];
        level.bounds[level.index(at)]
    }

    /// The least and greatest value of the samples round some cells.
    #[inline]
    pub(super) fn range(&self, cell: [u32; 3], cells: u32) -> [f32; 2] {
        let last: [u32; 3] = std::array::from_fn(|k| (cell[k] + cells).min(self.size[k] - 1));
        let mut bounds = NOTHING;
        for k in cell[2]..=last[2] {
            for j in cell[1]..=last[1] {
                let at = self.index([cell[0], j, k]);
                for index in at..=at + (last[0] - cell[0]) as usize {
                    let value = self.samples.at(index);
                    bounds = merged(bounds, [value, value]);
                }
            }
        }
        bounds
    }

    /// Bytes held by the blocks.
    pub(super) fn level_bytes(&self) -> usize {
        self.levels.iter().map(|level| level.bounds.capacity() * size_of::<[f32; 2]>()).sum()
    }

    /// Makes all blocks.
    pub(super) fn make_levels(&mut self) {
        self.levels.clear();
        let mut size = self.size.map(|n| (n - 1).div_ceil(1 << BLOCK_BITS));
        loop {
            let count = size.iter().map(|&n| n as usize).product();
            self.levels.push(CubeLevel { size, bounds: vec![NOTHING; count] });
            if count == 1 {
                break;
            }
            size = size.map(|n| n.div_ceil(2));
        }
        self.measure([[0; 3], self.size.map(|n| n - 1)]);
    }

    /// Measures the blocks again that have a sample between two, both included.
    pub(super) fn measure(&mut self, [first, last]: [[u32; 3]; 2]) {
        // A block has the samples at its upper borders, too.
        let size = self.levels[0].size;
        let low: [u32; 3] = first.map(|n| n.saturating_sub(1) >> BLOCK_BITS);
        let high: [u32; 3] = std::array::from_fn(|k| (last[k] >> BLOCK_BITS).min(size[k] - 1));
        let mut range = [low, high];
        for at in places(range) {
            let bounds = self.range(at.map(|n| n << BLOCK_BITS), 1 << BLOCK_BITS);
            let level = &mut self.levels[0];
            let index = level.index(at);
            level.bounds[index] = bounds;
        }
        for above in 1..self.levels.len() {
            range = range.map(|at| at.map(|n| n >> 1));
            for at in places(range) {
                let below = &self.levels[above - 1];
                let parts =
                    [at.map(|n| 2 * n), std::array::from_fn(|k| (2 * at[k] + 1).min(below.size[k] - 1))];
                let bounds =
                    places(parts).fold(NOTHING, |all, part| merged(all, below.bounds[below.index(part)]));
                let level = &mut self.levels[above];
                let index = level.index(at);
                level.bounds[index] = bounds;
            }
        }
    }

    /// The least and greatest places of cells that the surface passes, by descending only into blocks beyond those found; `None` where there is
    /// none.
    pub(super) fn find_used(&self) -> Option<[[u32; 3]; 2]> {
        let mut found: Option<[[u32; 3]; 2]> = None;
        let mut stack = vec![(self.levels.len() as i32 - 1, [0; 3])];
        while let Some((level, at)) = stack.pop() {
            let (bits, crossed) = match level {
                -1 => (0, self.crosses(at, 1)),
                level => (BLOCK_BITS + level as u32, self.is_crossed(level as usize, at)),
            };
            let low = at.map(|n: u32| n << bits);
            let high = at.map(|n| ((n + 1) << bits) - 1);
            let beyond =
                |[least, most]: [[u32; 3]; 2]| (0..3).any(|k| low[k] < least[k] || high[k] > most[k]);
            if !crossed || !found.is_none_or(beyond) {
                continue;
            }
            if level == -1 {
                let [least, most] = found.unwrap_or([at; 2]);
                found = Some([
                    std::array::from_fn(|k| least[k].min(at[k])),
                    std::array::from_fn(|k| most[k].max(at[k])),
                ]);
                continue;
            }
            let (parts, size) = match level {
                0 => (1 << BLOCK_BITS, self.size.map(|n| n - 1)),
                level => (2, self.levels[level as usize - 1].size),
            };
            let first = at.map(|n| n * parts);
            let last = std::array::from_fn(|k| (first[k] + parts - 1).min(size[k] - 1));
            stack.extend(places([first, last]).map(|part| (level - 1, part)));
        }
        found
    }
}

/// The places between two, both included, in the order of their numbers.
pub(super) fn places([low, high]: [[u32; 3]; 2]) -> impl Iterator<Item = [u32; 3]> {
    (low[2]..=high[2])
        .flat_map(move |k| (low[1]..=high[1]).flat_map(move |j| (low[0]..=high[0]).map(move |i| [i, j, k])))
}
