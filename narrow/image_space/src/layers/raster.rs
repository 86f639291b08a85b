//! Coverage of pixels by a triangle, and its depth at their centres.

use std::ops::{Add, Mul, Sub};

use impinge_geometry::Side;

use super::depth::{Depth, range};
use super::fragment::{Fragment, nearest, whole};
use crate::view::SUB_PIXELS;

pub(super) const SUB: i64 = SUB_PIXELS as i64;

/// Where fragments go.
pub(super) struct Target<'a> {
    pub counts: &'a mut [u32],
    pub fragments: &'a mut [Fragment],
    /// Of every pixel, whether its line is asked about.
    pub asked: &'a [bool],
    pub room: usize,
    pub count: u32,
}

/// Pixels whose centres a triangle may cover, borders included.
struct Box2 {
    i: [i64; 2],
    j: [i64; 2],
}

/// A triangle in whole numbers: its snapped corners (sub-pixels from the first pixel's centre) and the
/// pixels that it may cover.
pub struct Snapped {
    x: [i64; 3],
    y: [i64; 3],
    area: Box2,
    /// Whether `i64` has room for its edges: below 2^30 every product of differences stays below 2^62.
    pub small: bool,
}

impl Snapped {
    /// `c`: sub-pixels from the first pixel's centre, and depth steps. `None` where nothing of it can be
    /// seen.
    #[inline]
    pub fn new(c: &[[f64; 3]; 3], far: f64, count: u32) -> Option<Snapped> {
        let limit = (i64::from(count) * SUB) as f64;
        let ((x0, x1), (y0, y1)) = (range(c, 0), range(c, 1));
        if x1 < -1.0 || y1 < -1.0 || x0 > limit || y0 > limit || range(c, 2).0 > far {
            return None;
        }
        const FAR: f64 = 1_073_741_823.0;
        let small = x0 > -FAR && y0 > -FAR && x1 < FAR && y1 < FAR;
        let snapped = |k: usize| match small {
            true => [whole(c[0][k]), whole(c[1][k]), whole(c[2][k])],
            false => [nearest(c[0][k]) as i64, nearest(c[1][k]) as i64, nearest(c[2][k]) as i64],
        };
        let (x, y) = (snapped(0), snapped(1));
        let area = candidates(&x, &y, count)?;
        Some(Snapped { x, y, area, small })
    }

    /// The first and the last pixel to the right, and up, whose centre it may cover.
    pub fn pixels(&self) -> [[u32; 2]; 2] {
        [self.area.i, self.area.j].map(|range| range.map(|x| x as u32))
    }

    /// The edges as they are at the first pixel; `None` of a triangle without an area.
    pub fn edges(&self) -> Option<Edges<i64>> {
        Edges::new(&self.x, &self.y, [0, 0])
    }
}

/// The pixels whose centres lie in the box of the snapped corners; `None` where there are none.
#[inline]
fn candidates(x: &[i64; 3], y: &[i64; 3], count: u32) -> Option<Box2> {
    let last = i64::from(count) - 1;
    let range = |v: &[i64; 3]| {
        let (lo, hi) = (v[0].min(v[1]).min(v[2]), v[0].max(v[1]).max(v[2]));
        [((lo + SUB - 1) >> 8).max(0), (hi >> 8).min(last)]
    };
    let (i, j) = (range(x), range(y));
    (i[0] <= i[1] && j[0] <= j[1]).then_some(Box2 { i, j })
}

/// The edge functions of a triangle: a pixel's centre is covered where none is negative.
pub struct Edges<T> {
    pub back: bool,
    /// At a pixel.
    pub start: [T; 3],
    /// From one pixel to the next, to the right and up.
    pub by_i: [T; 3],
    pub by_j: [T; 3],
}

impl<T> Edges<T>
where
    T: Copy + From<i64> + Add<Output = T> + Sub<Output = T> + Mul<Output = T> + PartialOrd,
{
    #[inline]
    fn new(x: &[i64; 3], y: &[i64; 3], [i, j]: [i64; 2]) -> Option<Edges<T>> {
        let zero = T::from(0);
        let t = T::from;
        let turn = t(x[1] - x[0]) * t(y[2] - y[0]) - t(x[2] - x[0]) * t(y[1] - y[0]);
        if turn == zero {
            return None;
        }
        // Counter-clockwise in (right, up) means a normal along the view: a back face.
        let back = turn > zero;
        let order = if back { [0, 1, 2] } else { [0, 2, 1] };
        let mut edges = Edges { back, start: [zero; 3], by_i: [zero; 3], by_j: [zero; 3] };
        for k in 0..3 {
            let (a, b) = (order[k], order[(k + 1) % 3]);
            let (dx, dy) = (x[b] - x[a], y[b] - y[a]);
            // A centre on an edge belongs to the side that a shift by (−ε, +ε²) takes it to.
            let own = dy > 0 || (dy == 0 && dx > 0);
            let start = t(dx) * t(j * SUB - y[a]) - t(dy) * t(i * SUB - x[a]);
            edges.start[k] = if own { start } else { start - t(1) };
            edges.by_i[k] = t(-dy * SUB);
            edges.by_j[k] = t(dx * SUB);
        }
        Some(edges)
    }
}

impl Target<'_> {
    /// Writes a fragment for every pixel whose centre the triangle covers. `c`: sub-pixels from the
    /// first pixel's centre, and depth steps.
    #[inline]
    pub fn cover(&mut self, c: &[[f64; 3]; 3], far: f64, side: Side, triangle: u32) {
        let Some(snapped) = Snapped::new(c, far, self.count) else { return };
        let Snapped { area, small, .. } = &snapped;
        if *small && area.i[0] == area.i[1] && area.j[0] == area.j[1] {
            self.one(&snapped, c, side, triangle);
        } else if *small {
            self.scan::<i64>(&snapped, &Depth::new(c), side, triangle);
        } else {
            self.scan::<i128>(&snapped, &Depth::new(c), side, triangle);
        }
    }

    /// As [`Target::scan`], of a triangle that has room for one centre.
    #[inline]
    fn one(&mut self, Snapped { x, y, area, .. }: &Snapped, c: &[[f64; 3]; 3], side: Side, triangle: u32) {
        let (i, j) = (area.i[0], area.j[0]);
        let pixel = (j * i64::from(self.count) + i) as usize;
        if !self.asked[pixel] {
            return;
        }
        let turn = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
        if turn == 0 {
            return;
        }
        let back = turn > 0;
        for k in 0..3 {
            let (from, to) = (k, (k + 1) % 3);
            // The other way round for front faces, whose corners go clockwise.
            let (a, b) = if back { (from, to) } else { (to, from) };
            let (dx, dy) = (x[b] - x[a], y[b] - y[a]);
            let own = dy > 0 || (dy == 0 && dx > 0);
            let e = dx * (j * SUB - y[a]) - dy * (i * SUB - x[a]);
            if e < i64::from(!own) {
                return;
            }
        }
        let depth = Depth::new(c).at(i, j);
        self.push(pixel, Fragment::at_step(depth, !back, side, triangle));
    }

    #[inline]
    fn scan<T>(&mut self, snapped: &Snapped, depth: &Depth, side: Side, triangle: u32)
    where
        T: Copy + From<i64> + Add<Output = T> + Sub<Output = T> + Mul<Output = T> + PartialOrd,
    {
        let Snapped { x, y, area, .. } = snapped;
        let Some(edges) = Edges::<T>::new(x, y, [area.i[0], area.j[0]]) else { return };
        let zero = T::from(0);
        let Edges { back, start: mut row, by_i, by_j } = edges;
        for j in area.j[0]..=area.j[1] {
            let mut e = row;
            let mut within = false;
            for i in area.i[0]..=area.i[1] {
                if e[0] >= zero && e[1] >= zero && e[2] >= zero {
                    within = true;
                    let pixel = (j * i64::from(self.count) + i) as usize;
                    if self.asked[pixel] {
                        self.push(pixel, Fragment::at_step(depth.at(i, j), !back, side, triangle));
                    }
                } else if within {
                    break;
                }
                e = [e[0] + by_i[0], e[1] + by_i[1], e[2] + by_i[2]];
            }
            row = [row[0] + by_j[0], row[1] + by_j[1], row[2] + by_j[2]];
        }
    }

    /// Writes a fragment; what has no room is counted.
    #[inline]
    pub fn push(&mut self, pixel: usize, fragment: Fragment) {
        let at = self.counts[pixel] as usize;
        if at < self.room {
            self.fragments[pixel * self.room + at] = fragment;
        }
        self.counts[pixel] += 1;
    }
}
