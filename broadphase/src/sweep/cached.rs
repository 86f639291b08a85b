//! The boxes of a column as the last update left them, side by side in the column's order.

use impinge_geometry::SimdLevel;

use super::block_range;
use crate::registry::proxy::Extent;
use crate::sweep::lanes::{self, Boxes, Change, Hit, LANES};

/// A copy of a column's boxes, if there is one.
#[derive(Clone, Debug, Default)]
pub(crate) struct CachedBoxes {
    /// Whether the copy is up to date.
    known: bool,
    len: usize,
    pub boxes: Vec<Boxes>,
    /// Per block: the least bound along the sweep axis (m).
    pub first: Vec<f32>,
    /// Per block: the greatest bound along the sweep axis of its own boxes (m).
    tips: Vec<f32>,
    /// Per block: the greatest bound along the sweep axis of all boxes so far (m).
    pub reach: Vec<f32>,
}

impl CachedBoxes {
    pub fn is_known(&self) -> bool {
        self.known
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// Marks the copy as outdated.
    pub fn forget(&mut self) {
        self.known = false;
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.boxes.capacity() * size_of::<Boxes>()
            + 4 * (self.first.capacity() + self.tips.capacity() + self.reach.capacity())
    }

    /// Removes all boxes.
    pub fn clear(&mut self) {
        self.boxes.clear();
        self.len = 0;
        self.summarize();
    }

    /// Tests a box against all that it may overlap, in either state; returns the number of tests.
    pub fn probe(&self, level: SimdLevel, probe: &Change, name: u32, hits: &mut Vec<Hit>) -> u64 {
        let (start, end) = block_range(&self.first, &self.reach, probe);
        lanes::probe_cached(level, probe, name, &self.boxes[start..end], start as u32, hits);
        ((end - start) * LANES) as u64
    }

    /// Copies boxes; their bounds have to be summarized afterwards.
    pub fn fill(&mut self, extents: impl Iterator<Item = Extent>) {
        self.boxes.clear();
        self.len = 0;
        extents.for_each(|extent| self.push(&extent));
        self.known = true;
    }

    pub fn push(&mut self, extent: &Extent) {
        if self.len.is_multiple_of(LANES) {
            self.boxes.push(Boxes::NONE);
        }
        self.len += 1;
        self.set(self.len - 1, extent);
    }

    #[inline]
    pub fn get(&self, place: usize) -> Extent {
        self.boxes[place / LANES].get(place % LANES)
    }

    #[inline]
    pub fn set(&mut self, place: usize, extent: &Extent) {
        self.boxes[place / LANES].set(place % LANES, extent);
    }

    /// The least bound along the sweep axis (m).
    #[inline]
    pub fn start(&self, place: usize) -> f32 {
        self.boxes[place / LANES].min[0][place % LANES]
    }

    /// Makes a box overlap nothing and keeps its place in the order.
    #[inline]
    pub fn blank(&mut self, place: usize) {
        self.boxes[place / LANES].max[0][place % LANES] = f32::NAN;
    }

    fn is_blank(&self, place: usize) -> bool {
        self.boxes[place / LANES].max[0][place % LANES].is_nan()
    }

    /// Copies a box from one place to another, blank or not.
    #[inline]
    pub fn copy(&mut self, from: usize, to: usize) {
        let extent = self.get(from);
        self.set(to, &extent);
    }

    /// Removes the boxes that are blank, and their ids.
    pub fn drop_blank(&mut self, ids: &mut Vec<u32>) {
        let mut to = 0;
        for from in 0..ids.len() {
            if !self.is_blank(from) {
                if to < from {
                    self.copy(from, to);
                    ids[to] = ids[from];
                }
                to += 1;
            }
        }
        ids.truncate(to);
        self.truncate(to);
        self.summarize();
    }

    fn truncate(&mut self, len: usize) {
        for place in len..self.len {
            self.set(place, &Extent::NONE);
        }
        self.len = len;
        self.boxes.truncate(len.div_ceil(LANES));
    }

    /// The bounds of all blocks, from the boxes.
    pub fn summarize(&mut self) {
        self.first.resize(self.boxes.len(), 0.0);
        self.tips.resize(self.boxes.len(), 0.0);
        if self.len > 0 {
            self.summarize_blocks(0, self.len - 1);
        }
        self.summarize_reach();
    }

    /// The bounds of the blocks from one place to another, but for their reach.
    pub fn summarize_blocks(&mut self, from: usize, to: usize) {
        self.first.resize(self.boxes.len(), 0.0);
        self.tips.resize(self.boxes.len(), 0.0);
        for b in from / LANES..=to / LANES {
            let block = &self.boxes[b];
            self.first[b] = block.min[0][0];
            self.tips[b] = block.max[0].iter().fold(f32::NEG_INFINITY, |tip, &x| tip.max(x));
        }
    }

    /// How far the members reach, from the tips of the blocks.
    pub fn summarize_reach(&mut self) {
        self.reach.clear();
        self.reach.extend(self.tips.iter().scan(f32::NEG_INFINITY, |reach, &tip| {
            *reach = reach.max(tip);
            Some(*reach)
        }));
    }
}
