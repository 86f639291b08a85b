//! Triangles to pixels.
//!
//! Corners are snapped to 1/256 of a pixel and coverage is decided in integers with the top-left
//! rule, so that two triangles that share an edge share no pixel and leave none out. (Pineda, "A
//! parallel algorithm for polygon rasterization", 1988.) A row's pixels are found by its ends, not one
//! by one. A value is interpolated between the corners' own and never leaves their range.

use std::ops::Range;

/// Sub-pixels per pixel.
pub(crate) const SUB: i64 = 256;

/// 1.5 · 2⁵²: added to a number below 2⁵¹, and taken off again, it leaves the nearest whole number.
const NEAREST: f64 = 6_755_399_441_055_744.0;

/// The nearest sub-pixel of a coordinate (pixels).
#[inline(always)]
pub(crate) fn snap(x: f64) -> f64 {
    let sub = x * SUB as f64;
    // Beyond this all is far beside any picture, and whole anyhow.
    if sub.abs() < (1i64 << 50) as f64 { sub + NEAREST - NEAREST } else { sub }
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
    if !(outside_only && i64::cross(along(1), along(2)) > 0) {
        scan::<i64>(p, corners.map(|c| f64::from(c[2])), window, |span| out.push(span));
    }
}

/// The integers that edge functions are computed in.
trait Integer: Copy + Ord {
    const ZERO: Self;
    const ONE: Self;
    fn cross(u: [i64; 2], v: [i64; 2]) -> Self;
    fn plus(self, times: i64, step: Self) -> Self;
    fn real(self) -> f64;
}

macro_rules! integer {
    ($of:ty) => {
        impl Integer for $of {
            const ZERO: $of = 0;
            const ONE: $of = 1;
            #[inline(always)]
            fn cross(u: [i64; 2], v: [i64; 2]) -> $of {
                u[0] as $of * v[1] as $of - u[1] as $of * v[0] as $of
            }
            #[inline(always)]
            fn plus(self, times: i64, step: $of) -> $of {
                self + times as $of * step
            }
            #[inline(always)]
            fn real(self) -> f64 {
                self as f64
            }
        }
    };
}

integer!(i64);
integer!(i128);

/// One side of the triangle: positive inside, and what it changes by from pixel to pixel.
#[derive(Clone, Copy)]
struct Edge<I> {
    /// At the centre of the window's first pixel, less one where the edge does not own its points:
    /// inside is then where it is not negative.
    at: I,
    right: I,
    down: I,
    /// What was taken off.
    off: f64,
}

impl<I: Integer> Edge<I> {
    fn real(&self) -> f64 {
        self.at.real() + self.off
    }
}

#[inline(always)]
fn scan<I: Integer>(p: [[i64; 2]; 3], values: [f64; 3], window: &Window, mut span: impl FnMut(Span)) {
    let reach = |axis: usize, allowed: &Range<u32>| {
        let low = p[0][axis].min(p[1][axis]).min(p[2][axis]);
        let high = p[0][axis].max(p[1][axis]).max(p[2][axis]);
        // Pixels whose centres are not before the least and not behind the greatest.
        let first = (low + SUB / 2 - 1).div_euclid(SUB).max(i64::from(allowed.start));
        let end = ((high - SUB / 2).div_euclid(SUB) + 1).min(i64::from(allowed.end));
        first..end
    };
    let (columns, rows) = (reach(0, &window.columns), reach(1, &window.rows));
    if columns.is_empty() || rows.is_empty() {
        return;
    }
    let along = |i: usize, j: usize| [p[j][0] - p[i][0], p[j][1] - p[i][1]];
    let area = I::cross(along(0, 1), along(0, 2));
    if area.real() == 0.0 {
        return;
    }
    // Walk the corners so that the inside is where edge functions are positive.
    let order = if area.real() > 0.0 { [0, 1, 2] } else { [0, 2, 1] };
    let origin = [columns.start * SUB + SUB / 2, rows.start * SUB + SUB / 2];
    let edge = |from: usize, to: usize| {
        let (i, j) = (order[from], order[to]);
        let [dx, dy] = along(i, j);
        // Of an edge's two sides the same one owns it, whichever way it is walked.
        let owns = dy < 0 || (dy == 0 && dx > 0);
        let at = I::cross([dx, dy], [origin[0] - p[i][0], origin[1] - p[i][1]]);
        let (right, down) = (I::cross([dx, dy], [SUB, 0]), I::cross([dx, dy], [0, SUB]));
        let (at, off) = if owns { (at, 0.0) } else { (at.plus(-1, I::ONE), 1.0) };
        Edge { at, right, down, off }
    };
    // Each lies opposite the corner of its place.
    let mut edges = [edge(1, 2), edge(2, 0), edge(0, 1)];
    let total = 1.0 / area.real().abs();
    let inner = order.map(|k| values[k]);
    let rise = [(inner[1] - inner[0]) * total, (inner[2] - inner[0]) * total];
    let step = edges[1].right.real() * rise[0] + edges[2].right.real() * rise[1];
    let least = values[0].min(values[1]).min(values[2]);
    let most = values[0].max(values[1]).max(values[2]);
    let width = columns.end - columns.start;
    for y in rows {
        let (mut first, mut end) = (0, width);
        for e in &edges {
            narrow(e, &mut first, &mut end);
        }
        if first < end {
            let start = inner[0] + edges[1].real() * rise[0] + edges[2].real() * rise[1];
            span(Span {
                y: y as u32,
                first: (columns.start + first) as u32,
                end: (columns.start + end) as u32,
                start: start + step * first as f64,
                step,
                range: [least, most],
            });
        }
        for e in &mut edges {
            e.at = e.at.plus(1, e.down);
        }
    }
}

/// Cuts a row's pixels, counted from the window's first, to those on the inner side of an edge.
#[inline(always)]
fn narrow<I: Integer>(e: &Edge<I>, first: &mut i64, end: &mut i64) {
    let inside = |x: i64| e.at.plus(x, e.right) >= I::ZERO;
    if *first >= *end {
        return;
    }
    if e.right == I::ZERO {
        if !inside(*first) {
            *end = *first;
        }
        return;
    }
    // Where it is zero, by floating point: about a pixel off, which the exact test then mends.
    let zero = (-e.at.real() / e.right.real()).clamp(*first as f64 - 1.0, *end as f64 + 1.0) as i64;
    if e.right > I::ZERO {
        let mut x = zero.clamp(*first, *end);
        while x > *first && inside(x - 1) {
            x -= 1;
        }
        while x < *end && !inside(x) {
            x += 1;
        }
        *first = x;
    } else {
        let mut x = (zero + 1).clamp(*first, *end);
        while x < *end && inside(x) {
            x += 1;
        }
        while x > *first && !inside(x - 1) {
            x -= 1;
        }
        *end = x;
    }
}
