//! One triangle, row by row, with a value over it: for pictures, whose rows are counted from the top.
//!
//! Corners are snapped to 1/256 of a pixel. A row's pixels are found by its ends, not one by one. The value is
//! interpolated between the corners' own and never leaves their range.

use std::ops::Range;

use super::edge::Edge;
use super::integer::{Integer, nearest};

/// Sub-pixels per pixel.
pub(crate) const SUB: i64 = 256;

/// The nearest sub-pixel of a coordinate (pixels).
#[inline(always)]
pub(crate) fn snap(x: f64) -> f64 {
    nearest(x * SUB as f64)
}

/// Neighbouring pixels of a row that a triangle covers, and a value over them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    /// The row, from the top.
    pub y: u32,
    /// The first pixel.
    pub first: u32,
    /// One past the last.
    pub end: u32,
    /// The value at the first pixel, before it is held in the range.
    pub(super) start: f64,
    /// What it grows by from pixel to pixel.
    pub(super) step: f64,
    /// Least and greatest value of the corners.
    pub(super) range: [f64; 2],
}

impl Span {
    /// The value at pixel `x` of the span.
    #[inline(always)]
    pub fn value(&self, x: u32) -> f64 {
        let free = self.start + self.step * f64::from(x - self.first);
        free.max(self.range[0]).min(self.range[1])
    }
}

/// The pixels that may be filled: columns and rows.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    pub columns: Range<u32>,
    pub rows: Range<u32>,
}

/// Calls `span` for the pixels whose centres the triangle covers, row by row. Corners are in pixels to
/// the right and down, each with its value; nothing is called for one that is not finite.
#[inline]
pub(crate) fn cover(corners: &[[f64; 3]; 3], window: &Window, span: impl FnMut(Span)) {
    let p = corners.map(|c| [snap(c[0]), snap(c[1])]);
    if !corners.iter().flatten().all(|x| x.is_finite()) {
        return;
    }
    let values = corners.map(|c| c[2]);
    // Differences below 2³⁰ keep products within 62 bits; all else is rare and takes 128.
    if p.iter().flatten().all(|x| x.abs() < (1 << 29) as f64) {
        scan::<i64>(p.map(|c| c.map(|x| x as i64)), values, window, span);
    } else {
        // Coordinates beyond 2⁶⁰ sub-pixels are out of any picture's reach and are held there.
        let limit = (1i64 << 60) as f64;
        scan::<i128>(p.map(|c| c.map(|x| x.clamp(-limit, limit) as i64)), values, window, span);
    }
}

/// Puts the rows of pixels that a triangle covers into `out`: corners are whole sub-pixels below 2²³, each
/// with its value. With `outside_only` nothing of one that turns its inner side to the viewer.
pub(super) fn spans_of(corners: &[[f32; 3]; 3], outside_only: bool, window: &Window, out: &mut Vec<Span>) {
    let p = corners.map(|c| [c[0] as i64, c[1] as i64]);
    let along = |i: usize| [p[i][0] - p[0][0], p[i][1] - p[0][1]];
    // Rows go down: this is positive of corners that go clockwise.
    if !(outside_only && i64::cross(along(1), along(2)) > 0) {
        scan::<i64>(p, corners.map(|c| f64::from(c[2])), window, |span| out.push(span));
    }
}

/// `p`: sub-pixels to the right of and below the picture's corner.
#[inline(always)]
fn scan<T: Integer>(p: [[i64; 2]; 3], values: [f64; 3], window: &Window, mut span: impl FnMut(Span)) {
    // From the first pixel's centre, to the right and up.
    let p = p.map(|[x, y]| [x - SUB / 2, SUB / 2 - y]);
    let reach = |low: i64, high: i64, allowed: &Range<u32>| {
        // Pixels whose centres are not before the least and not behind the greatest.
        let first = (low + SUB - 1).div_euclid(SUB).max(i64::from(allowed.start));
        first..(high.div_euclid(SUB) + 1).min(i64::from(allowed.end))
    };
    let least = |k: usize| p[0][k].min(p[1][k]).min(p[2][k]);
    let most = |k: usize| p[0][k].max(p[1][k]).max(p[2][k]);
    let columns = reach(least(0), most(0), &window.columns);
    let rows = reach(-most(1), -least(1), &window.rows);
    if columns.is_empty() || rows.is_empty() {
        return;
    }
    let along = |i: usize, j: usize| [p[j][0] - p[i][0], p[j][1] - p[i][1]];
    let area = T::cross(along(0, 1), along(0, 2));
    if area == T::from(0) {
        return;
    }
    let order = if area > T::from(0) { [0, 1, 2] } else { [0, 2, 1] };
    let centre = [columns.start * SUB, -rows.start * SUB];
    let edge = |i: usize, j: usize| Edge::<T>::new(p[order[i]], p[order[j]], centre, SUB);
    // Each lies opposite the corner of its place.
    let mut edges = [edge(1, 2), edge(2, 0), edge(0, 1)];
    let total = 1.0 / area.real().abs();
    let inner = order.map(|k| values[k]);
    let rise = [(inner[1] - inner[0]) * total, (inner[2] - inner[0]) * total];
    let step = edges[1].right.real() * rise[0] + edges[2].right.real() * rise[1];
    let range = [values[0].min(values[1]).min(values[2]), values[0].max(values[1]).max(values[2])];
    let width = columns.end - columns.start;
    for y in rows {
        let (mut first, mut end) = (0, width);
        for e in &edges {
            narrow(e, &mut first, &mut end);
        }
        if first < end {
            let start = inner[0] + edges[1].at.real() * rise[0] + edges[2].at.real() * rise[1];
            span(Span {
                y: y as u32,
                first: (columns.start + first) as u32,
                end: (columns.start + end) as u32,
                start: start + step * first as f64,
                step,
                range,
            });
        }
        for e in &mut edges {
            e.at = e.at.plus(-1, e.up);
        }
    }
}

/// Cuts a row's pixels, counted from the window's first, to those on the inner side of an edge.
#[inline(always)]
fn narrow<T: Integer>(e: &Edge<T>, first: &mut i64, end: &mut i64) {
    let zero = T::from(0);
    let inside = |x: i64| e.at.plus(x, e.right) >= e.least;
    if *first >= *end {
        return;
    }
    if e.right == zero {
        if !inside(*first) {
            *end = *first;
        }
        return;
    }
    // Where it is zero, by floating point: about a pixel off, which the exact test then mends.
    let near = (-e.at.real() / e.right.real()).clamp(*first as f64 - 1.0, *end as f64 + 1.0) as i64;
    if e.right > zero {
        let mut x = near.clamp(*first, *end);
        while x > *first && inside(x - 1) {
            x -= 1;
        }
        while x < *end && !inside(x) {
            x += 1;
        }
        *first = x;
    } else {
        let mut x = (near + 1).clamp(*first, *end);
        while x < *end && inside(x) {
            x += 1;
        }
        while x > *first && !inside(x - 1) {
            x -= 1;
        }
        *end = x;
    }
}
