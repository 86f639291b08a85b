//! Overlap intervals: where both bodies are along the line through a pixel's centre.
//!
//! Each object has a signed counter, +1 at a front face and −1 at a back face, so nested shells and
//! bodies wholly inside others need no special case. Where both counters are positive the bodies
//! overlap. Depths are whole steps of the view's lattice, and sums over intervals are whole numbers.

mod interval;
mod sums;

pub use interval::Interval;
pub use sums::Sums;

use crate::crossing::FARTHEST;
use crate::layers::Layers;
use crate::passes;
use interval::LineIntervals;

/// An interval of a pixel's line in which both bodies are, or in which one is left where the other is
/// entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverlapInterval {
    /// Pixel to the right and up.
    pub i: u16,
    /// See `i`.
    pub j: u16,
    /// The whole intervals of A and of B that meet here.
    pub solid: [Interval; 2],
}

impl OverlapInterval {
    /// Where the overlap begins (steps).
    #[inline]
    pub fn begin(&self) -> i32 {
        self.solid[0].open.max(self.solid[1].open)
    }

    /// Where the overlap ends (steps).
    #[inline]
    pub fn end(&self) -> i32 {
        self.solid[0].close.min(self.solid[1].close)
    }

    /// How long the overlap is (steps); from −1 to 1 where the bodies only touch.
    #[inline]
    pub fn length(&self) -> i64 {
        i64::from(self.end()) - i64::from(self.begin())
    }

    /// Whether the bodies only touch: what is not longer than the lattice can tell is no overlap.
    #[inline]
    pub fn is_touch(&self) -> bool {
        self.length() <= 1
    }

    /// Whether the far end of the overlap lies behind what the view sees.
    #[inline]
    pub fn is_cut(&self) -> bool {
        self.end() > FARTHEST
    }

    /// How far B has to move along the view (`sign` 1), or against it (−1), until this line's
    /// interval of A and of B are apart (steps).
    #[inline]
    pub fn separation(&self, sign: f64) -> i64 {
        let [a, b] = &self.solid;
        let (exit, entry) = if sign > 0.0 { (a.close, b.open) } else { (b.close, a.open) };
        i64::from(exit) - i64::from(entry)
    }

    /// Twice the number of times A's surface closes the overlap less the times it opens it: 2 where
    /// one surface does so alone, 1 where both do within a step.
    #[inline]
    pub fn gradient(&self) -> i64 {
        let [a, b] = &self.solid;
        let share = |d: i64| {
            if d > 1 {
                2
            } else if d < -1 {
                0
            } else {
                1
            }
        };
        share(i64::from(b.close) - i64::from(a.close)) - share(i64::from(a.open) - i64::from(b.open))
    }
}

/// The intervals of one view, in the order of their pixels and then of depth.
#[derive(Debug, Default)]
pub struct OverlapIntervals {
    /// Row after row.
    pub list: Vec<OverlapInterval>,
    /// First interval of every pixel, and one more at the end.
    pub starts: Vec<u32>,
    /// Pixels across the view and up.
    pub size: [usize; 2],
    /// Lines along which a body was left more often than entered, or the reverse. Only counted where
    /// the view sees everything.
    pub odd: u64,
    /// Overlaps whose end the view does not see.
    pub cut: u64,
    intervals: LineIntervals,
}

impl OverlapIntervals {
    /// Finds the intervals of captured layers. `open`: which sides are surfaces without an inside: these
    /// are taken to go on for ever behind what the view meets from their front, and to come from ever
    /// before what it meets from their back. `whole`: whether the view sees everything, so that every
    /// line through a closed body has to end outside.
    pub fn find(&mut self, layers: &mut Layers, open: [bool; 2], whole: bool) {
        let span = tracing::trace_span!(passes::INTERVALS, intervals = tracing::field::Empty).entered();
        self.list.clear();
        self.starts.clear();
        self.size = layers.size();
        (self.odd, self.cut) = (0, 0);
        let counted = whole && open == [false; 2];
        for j in 0..self.size[1] {
            for i in 0..self.size[0] {
                self.starts.push(self.list.len() as u32);
                if !counted && !layers.has_both(i, j) {
                    continue;
                }
                let fragments = layers.sorted(i, j);
                if fragments.is_empty() {
                    continue;
                }
                let even = self.intervals.read(fragments, open);
                self.odd += u64::from(counted && !even);
                self.meet(i as u16, j as u16);
            }
        }
        self.starts.push(self.list.len() as u32);
        span.record("intervals", self.list.len());
    }

    /// Takes over intervals that were found elsewhere, in the order of their pixels, in a view of so many pixels across and up; of
    /// others than its pixels there are none.
    pub fn set(&mut self, size: [usize; 2], intervals: &[OverlapInterval]) {
        (self.odd, self.cut, self.size) = (0, 0, size);
        self.list.clear();
        self.starts.clear();
        let mut left = intervals.iter().peekable();
        for pixel in 0..size[0] * size[1] {
            self.starts.push(self.list.len() as u32);
            let own = |c: &&OverlapInterval| usize::from(c.j) * size[0] + usize::from(c.i) == pixel;
            while let Some(interval) = left.next_if(own) {
                self.list.push(*interval);
            }
        }
        self.starts.push(self.list.len() as u32);
    }

    /// The intervals of one pixel.
    #[inline]
    pub fn of_pixel(&self, i: usize, j: usize) -> std::ops::Range<usize> {
        let pixel = j * self.size[0] + i;
        self.starts[pixel] as usize..self.starts[pixel + 1] as usize
    }

    fn meet(&mut self, i: u16, j: u16) {
        let [of_a, of_b] = &self.intervals.of;
        let (mut a, mut b) = (0, 0);
        while a < of_a.len() && b < of_b.len() {
            let interval = OverlapInterval { i, j, solid: [of_a[a], of_b[b]] };
            if interval.is_cut() {
                // Of what has no end there is no overlap to speak of, and of what has one it will be
                // seen when the view sees everything.
                self.cut += u64::from(interval.begin() < FARTHEST);
            } else if interval.length() >= -1 {
                self.list.push(interval);
            }
            let (ends_a, ends_b) = (of_a[a].close, of_b[b].close);
            a += usize::from(ends_a <= ends_b);
            b += usize::from(ends_b <= ends_a);
        }
    }
}

#[cfg(test)]
mod tests;
