//! The translations of B that do not free it: all of them, out of one view.
//!
//! Where a line of the view meets A in [a, a'] and B in [b, b'], B is in A's way while it is moved along
//! the view by more than a − b' and less than a' − b. Moved across the view by whole pixels, other lines
//! meet. So one view holds the whole set of translations at which the bodies overlap (the obstacle in
//! configuration space, the Minkowski difference), sampled across and on the depth lattice along; its
//! nearest border is the least translation. Kim, Otaduy, Lin and Manocha, "Fast Penetration Depth
//! Computation for Physically-based Animation", 2002, do so with a view of convex pieces' sums; here no
//! pieces and no sums are made.

use nalgebra::Vector3;

use super::OverlapInterval;
use super::interval::{Interval, LineIntervals};
use crate::layers::Layers;
use crate::view::View;

/// No way is as long as this: an end was only a bound (steps).
const NEVER: i64 = 1 << 30;

/// Comparisons of two intervals that the shifts tried for one pair may take, passes not counted, and the
/// rings of shifts that are tried even so. Pairs of threads would take ten times as many.
const ALLOWED: u64 = 4_000_000;
const NEAR: i32 = 2;

/// The intervals of both bodies along every line of a view.
#[derive(Debug, Default)]
pub struct TranslationObstacle {
    /// Pixels across the view and up.
    size: [i32; 2],
    starts: [Vec<u32>; 2],
    intervals: [Vec<Interval>; 2],
    line: LineIntervals,
    /// Comparisons that the pair at hand is still allowed.
    left: u64,
}

/// A translation of B at which no line of the view meets both bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeTranslation {
    /// Across the view, in pixels to the right and up.
    pub across: [i32; 2],
    /// Along the view (steps).
    pub along: i64,
    /// Its length (m).
    pub length: f64,
}

impl FreeTranslation {
    /// As a vector (m, pair frame).
    pub fn translation(&self, view: &View) -> Vector3<f64> {
        let across = |k: usize| f64::from(self.across[k]) * view.pixel[k];
        view.axes.vector([across(0), across(1), self.along as f64 * view.step])
    }
}

impl TranslationObstacle {
    /// Reads the layers of a view; `open` as for intervals. What has no end in sight is taken to end at
    /// `far` (steps).
    pub fn read(&mut self, layers: &mut Layers, open: [bool; 2], far: i32) {
        let [width, height] = layers.size();
        self.size = [width as i32, height as i32];
        self.starts.iter_mut().for_each(Vec::clear);
        self.intervals.iter_mut().for_each(Vec::clear);
        for pixel in 0..width * height {
            let fragments = layers.sorted(pixel % width, pixel / width);
            let seen = !fragments.is_empty();
            if seen {
                self.line.read(fragments, open);
            }
            for k in 0..2 {
                self.starts[k].push(self.intervals[k].len() as u32);
                if seen {
                    let ended = |s: &Interval| Interval { close: s.close.min(far.max(s.open)), ..*s };
                    self.intervals[k].extend(self.line.of[k].iter().map(ended));
                }
            }
        }
        for k in 0..2 {
            self.starts[k].push(self.intervals[k].len() as u32);
        }
    }

    /// How far B, moved across by whole pixels and then by `from` steps along the view (`sign` 1) or
    /// against it (−1), has to go on that way until it is free (steps from where it stands); `None` where
    /// that takes `limit` or more.
    pub fn separation(&self, across: [i32; 2], sign: i64, from: i64, limit: i64) -> Option<i64> {
        let mut way = from;
        let limit = limit.min(NEVER);
        let [width, height] = self.size;
        let columns = across[0].max(0)..(width + across[0]).min(width);
        let rows = across[1].max(0)..(height + across[1]).min(height);
        loop {
            let before = way;
            // From the middle outwards: where the overlap is, the limit is soon passed.
            for k in 0..rows.len() as i32 {
                let half = (k + 1) / 2;
                let j = rows.start + rows.len() as i32 / 2 + if k % 2 == 0 { half } else { -half };
                for i in columns.clone() {
                    let a = self.of(0, j * width + i);
                    if a.is_empty() {
                        continue;
                    }
                    for b in self.of(1, (j - across[1]) * width + i - across[0]) {
                        for a in a {
                            let [low, high] = blocked(a, b, sign);
                            if low < way && way < high {
                                way = high;
                            }
                        }
                    }
                }
                // It only grows.
                if way >= limit {
                    return None;
                }
            }
            if way >= limit {
                return None;
            }
            if way == before {
                return Some(way);
            }
        }
    }

    /// Begins a pair: as many shifts may be tried as `ALLOWED` comparisons take.
    pub fn allow(&mut self) {
        self.left = ALLOWED;
    }

    /// The least translation that frees B, where it is shorter than `bound` (m), no farther across the
    /// view either way than `reach` (m). Of a pair that has used up what it is allowed, only what is near.
    pub fn least(&mut self, view: &View, bound: f64, reach: f64) -> Option<FreeTranslation> {
        let lines = self.size[0] * self.size[1];
        let of_line = |p: i32| 1 + (self.of(0, p).len() * self.of(1, p).len()) as u64;
        let of_shift: u64 = (0..lines).map(of_line).sum();
        let mut best = FreeTranslation { across: [0; 2], along: 0, length: bound };
        let mut found = false;
        let narrow = view.pixel[0].min(view.pixel[1]);
        // Ring by ring around no shift.
        for ring in 0..self.size[0].max(self.size[1]) {
            if f64::from(ring) * narrow >= best.length.min(reach) {
                break;
            }
            let cost = of_shift * 8 * ring.max(1) as u64;
            if ring > NEAR && cost > self.left {
                break;
            }
            self.left = self.left.saturating_sub(cost);
            for v in -ring..=ring {
                let step = if v.abs() == ring { 1 } else { 2 * ring.max(1) };
                for u in (-ring..=ring).step_by(step as usize) {
                    let beyond = |k: usize, shift: i32| f64::from(shift.abs()) * view.pixel[k] > reach;
                    if !beyond(0, u) && !beyond(1, v) {
                        found |= self.shorten(view, [u, v], &mut best);
                    }
                }
            }
        }
        found.then_some(best)
    }

    /// Tries one shift across the view, both ways along it.
    fn shorten(&self, view: &View, across: [i32; 2], best: &mut FreeTranslation) -> bool {
        let [x, y] = [0, 1].map(|k| f64::from(across[k]) * view.pixel[k]);
        let mut found = false;
        for sign in [1, -1] {
            let left = best.length * best.length - x * x - y * y;
            if left <= 0.0 {
                break;
            }
            let limit = (left.sqrt() / view.step).ceil() as i64;
            if let Some(way) = self.separation(across, sign, 0, limit) {
                let z = way as f64 * view.step;
                let length = (x * x + y * y + z * z).sqrt();
                if length < best.length {
                    *best = FreeTranslation { across, along: sign * way, length };
                    found = true;
                }
            }
        }
        found
    }

    /// The line on which B, moved along the view (`sign` 1) or against it, is freed last: both
    /// intervals there, as an interval.
    pub fn last(&self, sign: i64, way: i64) -> Option<OverlapInterval> {
        for pixel in 0..self.size[0] * self.size[1] {
            for a in self.of(0, pixel) {
                for b in self.of(1, pixel) {
                    if blocked(a, b, sign)[1] == way {
                        let [i, j] = [pixel % self.size[0], pixel / self.size[0]].map(|x| x as u16);
                        return Some(OverlapInterval { i, j, solid: [*a, *b] });
                    }
                }
            }
        }
        None
    }

    #[inline]
    fn of(&self, side: usize, pixel: i32) -> &[Interval] {
        let starts = &self.starts[side][pixel as usize..];
        &self.intervals[side][starts[0] as usize..starts[1] as usize]
    }
}

/// The ways along the view (`sign` 1) or against it at which two intervals of one line overlap.
#[inline]
fn blocked(a: &Interval, b: &Interval, sign: i64) -> [i64; 2] {
    let low = i64::from(a.open) - i64::from(b.close);
    let high = i64::from(a.close) - i64::from(b.open);
    if sign > 0 { [low, high] } else { [-high, -low] }
}
