//! The pixels of one triangle, eight of a row at once.

use impinge_geometry::simd::F32x8 as Wide;

use super::batch::{Batch, EIGHT, PixelSink};
use super::prepare::{EightCorners, Made};
use crate::coverage::edge::owns;
use crate::coverage::rows::{SUB, Span, Window, spans_of};

/// The first of eight pixels that hold `x` and do not reach beyond a row: always the same eight.
#[inline(always)]
fn eight_from(x: u32, width: u32) -> u32 {
    (x & !(EIGHT as u32 - 1)).min(width - EIGHT as u32)
}

/// Triangles up to this high (sub-pixels) may be decided eight pixels at once whatever their width: over
/// seven pixels no edge function then changes by 2²⁴, so that one that `f32` must round keeps its sign.
const MIDDLE: i64 = 9_000;

/// Windows of eight pixels in a row, from which on its ends are looked for instead.
const WIDE: u32 = 6;

const COUNTED: [f32; EIGHT] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];

#[inline(always)]
pub(super) fn small<W: Wide, S: PixelSink>(
    made: &Made,
    lane: usize,
    batch: &Batch<'_>,
    sink: &mut S,
    number: u32,
) {
    let (first, last) = (made.columns[0][lane] as u32, made.columns[1][lane] as u32);
    let (top, bottom) = (made.rows[0][lane] as u32, made.rows[1][lane] as u32);
    let window = |x| if S::ALIGNED { eight_from(x, batch.width) } else { x.min(batch.width - EIGHT as u32) };
    let start = window(first);
    let shift = W::splat(start as f32 - first as f32).add(W::load(&COUNTED));
    let right = [W::splat(made.right[0][lane]), W::splat(made.right[1][lane]), W::splat(made.right[2][lane])];
    let down = [W::splat(made.down[0][lane]), W::splat(made.down[1][lane]), W::splat(made.down[2][lane])];
    let least = [W::splat(made.least[0][lane]), W::splat(made.least[1][lane]), W::splat(made.least[2][lane])];
    let mut row = [
        W::splat(made.at[0][lane]).add(right[0].mul(shift)),
        W::splat(made.at[1][lane]).add(right[1].mul(shift)),
        W::splat(made.at[2][lane]).add(right[2].mul(shift)),
    ];
    let value = [W::splat(made.value[0][lane]), W::splat(made.value[1][lane]), W::splat(made.value[2][lane])];
    let range = [W::splat(made.range[0][lane]), W::splat(made.range[1][lane])];
    let on = W::splat(EIGHT as f32);
    for y in top..=bottom {
        let place = ((y - batch.rows.start) * batch.width) as usize;
        let mut e = row;
        let mut x = start;
        loop {
            let mask = least[0].at_most(e[0]).and(least[1].at_most(e[1])).and(least[2].at_most(e[2]));
            let free = value[0].add(e[1].mul(value[1]).add(e[2].mul(value[2])));
            sink.eight(place + x as usize, mask, free.max(range[0]).min(range[1]), number);
            if x + EIGHT as u32 > last {
                break;
            }
            // The last eight may reach back over pixels that are done: they give the same again.
            let next = window(x + EIGHT as u32);
            let step = if next == x + EIGHT as u32 { on } else { W::splat((next - x) as f32) };
            x = next;
            e = [e[0].add(right[0].mul(step)), e[1].add(right[1].mul(step)), e[2].add(right[2].mul(step))];
        }
        row = [row[0].add(down[0]), row[1].add(down[1]), row[2].add(down[2])];
    }
}

/// As [`small`], with edge functions in whole numbers up to each eight pixels.
#[inline(always)]
fn middle<W: Wide, S: PixelSink>(
    made: &Made,
    lane: usize,
    (x, y, z): (&[i64; 3], &[i64; 3], &[f32; 3]),
    batch: &Batch<'_>,
    sink: &mut S,
    number: u32,
) {
    let area = (x[1] - x[0]) * (y[2] - y[0]) - (y[1] - y[0]) * (x[2] - x[0]);
    if area == 0 || (batch.outside_only && area > 0) {
        return;
    }
    // Walk the corners so that the inside is where edge functions are positive.
    let order = if area > 0 { [0, 1, 2] } else { [0, 2, 1] };
    let (first, last) = (made.columns[0][lane] as u32, made.columns[1][lane] as u32);
    let (top, bottom) = (made.rows[0][lane] as u32, made.rows[1][lane] as u32);
    let start = eight_from(first, batch.width);
    let origin = [i64::from(start) * SUB + SUB / 2, i64::from(top) * SUB + SUB / 2];
    let (mut row, mut right, mut down, mut least) = ([0i64; 3], [0i64; 3], [0i64; 3], [0f32; 3]);
    for k in 0..3 {
        let (i, j) = (order[(k + 1) % 3], order[(k + 2) % 3]);
        let (dx, dy) = (x[j] - x[i], y[j] - y[i]);
        row[k] = dx * (origin[1] - y[i]) - dy * (origin[0] - x[i]);
        right[k] = -dy * SUB;
        down[k] = dx * SUB;
        least[k] = if owns(-dx, dy) { 0.0 } else { 1.0 };
    }
    let counted = W::load(&COUNTED);
    let along = [
        W::splat(right[0] as f32).mul(counted),
        W::splat(right[1] as f32).mul(counted),
        W::splat(right[2] as f32).mul(counted),
    ];
    let least = [W::splat(least[0]), W::splat(least[1]), W::splat(least[2])];
    let total = 1.0 / area.unsigned_abs() as f32;
    let inner = [z[order[0]], z[order[1]], z[order[2]]];
    let value = [
        W::splat(inner[0]),
        W::splat((inner[1] - inner[0]) * total),
        W::splat((inner[2] - inner[0]) * total),
    ];
    let range = [W::splat(made.range[0][lane]), W::splat(made.range[1][lane])];
    for y in top..=bottom {
        let place = ((y - batch.rows.start) * batch.width) as usize;
        let mut at = row;
        let mut x = start;
        loop {
            let e = [
                W::splat(at[0] as f32).add(along[0]),
                W::splat(at[1] as f32).add(along[1]),
                W::splat(at[2] as f32).add(along[2]),
            ];
            let mask = least[0].at_most(e[0]).and(least[1].at_most(e[1])).and(least[2].at_most(e[2]));
            if mask.bits() != 0 {
                let free = value[0].add(e[1].mul(value[1]).add(e[2].mul(value[2])));
                sink.eight(place + x as usize, mask, free.max(range[0]).min(range[1]), number);
            }
            if x + EIGHT as u32 > last {
                break;
            }
            let next = eight_from(x + EIGHT as u32, batch.width);
            let step = i64::from(next - x);
            x = next;
            at = [at[0] + step * right[0], at[1] + step * right[1], at[2] + step * right[2]];
        }
        row = [row[0] + down[0], row[1] + down[1], row[2] + down[2]];
    }
}

#[inline(always)]
pub(super) fn large<W: Wide, S: PixelSink>(
    (corners, made): (&EightCorners, &Made),
    lane: usize,
    batch: &Batch<'_>,
    sink: &mut S,
    number: u32,
    spans: &mut Vec<Span>,
) {
    let mut own = [[0f32; 3]; 3];
    for corner in 0..3 {
        for k in 0..3 {
            own[corner][k] = corners[corner][k][lane];
        }
    }
    let x = [own[0][0], own[1][0], own[2][0]].map(|x| x as i64);
    let y = [own[0][1], own[1][1], own[2][1]].map(|y| y as i64);
    let z = [own[0][2], own[1][2], own[2][2]];
    let high = y[0].max(y[1]).max(y[2]) - y[0].min(y[1]).min(y[2]);
    let windows = eight_from(made.columns[1][lane] as u32, batch.width) / EIGHT as u32
        - eight_from(made.columns[0][lane] as u32, batch.width) / EIGHT as u32;
    if high <= MIDDLE && windows < WIDE {
        return middle::<W, S>(made, lane, (&x, &y, &z), batch, sink, number);
    }
    spans.clear();
    let window = Window { columns: 0..batch.width, rows: batch.rows.clone() };
    spans_of(&own, batch.outside_only, &window, spans);
    for span in spans.iter() {
        let place = ((span.y - batch.rows.start) * batch.width) as usize;
        let (start, step) = (W::splat(span.start as f32), W::splat(span.step as f32));
        let range = [W::splat(span.range[0] as f32), W::splat(span.range[1] as f32)];
        let length = W::splat((span.end - span.first) as f32);
        let mut x = span.first;
        while x < span.end {
            let from = eight_from(x, batch.width);
            let along = W::splat(from as f32 - span.first as f32).add(W::load(&COUNTED));
            let mask = W::splat(0.0).at_most(along).and(along.less(length));
            let free = start.add(step.mul(along));
            sink.eight(place + from as usize, mask, free.max(range[0]).min(range[1]), number);
            x = from + EIGHT as u32;
        }
    }
}
