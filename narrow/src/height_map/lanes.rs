//! Many triangles to pixels, eight at a time.
//!
//! Corners are snapped once for each vertex, boxes, edges and planes are made for eight triangles side by
//! side, and a small triangle's pixels are decided eight of a row at once. While twice a triangle's box
//! is below 2²⁴ square sub-pixels, edge functions are whole numbers that `f32` holds exactly, so what is
//! covered is what [`super::raster`] says; a larger triangle's rows are found there. Every operation
//! rounds once, so all levels of instructions give the same bits.

use std::ops::Range;

use impinge_midphase::SimdLevel;
use impinge_midphase::wide::{self, Kernel, Wide};

use super::raster::{SUB, Span, Window, snap, spans_of};

/// A vertex on a picture: whole sub-pixels to the right and down, and its value. Not a number where the
/// lanes cannot hold it.
pub(crate) type Spot = [f32; 4];

/// Coordinates of spots stay below this (sub-pixels), 8,192 pixels.
const LIMIT: f64 = (1 << 21) as f64;

/// 1.5 · 2²³: added to a number below 2²², and taken off again, it leaves the nearest whole number.
const NEAREST: f32 = 12_582_912.0;

/// Lanes.
const EIGHT: usize = 8;

/// Snaps a vertex: pixels to the right and down, and its value.
#[inline(always)]
pub(crate) fn spot(at: [f64; 3]) -> Spot {
    let [x, y] = [snap(at[0]), snap(at[1])];
    let held = x.abs() < LIMIT && y.abs() < LIMIT && at[2].is_finite();
    if held { [x as f32, y as f32, at[2] as f32, 0.0] } else { [f32::NAN; 4] }
}

/// Takes what is drawn. Which of two values of a pixel it keeps must not depend on their order.
pub(crate) trait Sink {
    /// Whether a small triangle's windows of eight pixels are always the same ones: what one triangle has
    /// written the next one then finds where the processor still holds it. From its own first pixel on most
    /// triangles need one window instead of two, which is better where a window costs much.
    const ALIGNED: bool = true;

    /// Values of eight pixels of a row from place `at` on, where `mask` is set, of triangle `number`.
    fn eight<W: Wide>(&mut self, at: usize, mask: W, value: W, number: u32);
}

/// Puts the bits of `own` into whole numbers where `mask` is set.
#[inline(always)]
pub(crate) fn put<W: Wide>(mask: W, own: W, to: &mut [u32; 8]) {
    let mut held = [0.0; EIGHT];
    for lane in 0..EIGHT {
        held[lane] = f32::from_bits(to[lane]);
    }
    let mut out = [0.0; EIGHT];
    mask.select(own, W::load(&held)).store(&mut out);
    // Seen through, it becomes a masked store, which takes some processors tens of cycles.
    let out = std::hint::black_box(out);
    for lane in 0..EIGHT {
        to[lane] = out[lane].to_bits();
    }
}

/// Triangles to be drawn into rows of a picture.
pub(crate) struct Batch<'a> {
    pub spots: &'a [Spot],
    pub triangles: &'a [[u32; 3]],
    /// Those of them that are drawn; all where there is none.
    pub listed: Option<&'a [u32]>,
    /// Whether triangles that turn their inner side to the viewer are passed over.
    pub outside_only: bool,
    pub width: u32,
    /// Columns beside which nothing has to be drawn.
    pub columns: Range<u32>,
    /// The rows; the sink's place 0 is the first pixel of the first.
    pub rows: Range<u32>,
}

/// Draws them. What the lanes cannot do (a corner far beside the picture, a picture narrower than
/// eight pixels) is put into `left`; how many triangles may have been seen is told.
pub(crate) fn draw<S: Sink>(batch: &Batch<'_>, sink: &mut S, left: &mut Vec<u32>) -> u64 {
    left.clear();
    if batch.width < EIGHT as u32 || batch.rows.is_empty() {
        match batch.listed {
            Some(listed) => left.extend_from_slice(listed),
            None => left.extend(0..batch.triangles.len() as u32),
        }
        return 0;
    }
    wide::run(Drawing { batch, sink, left }, SimdLevel::current())
}

struct Drawing<'a, S> {
    batch: &'a Batch<'a>,
    sink: &'a mut S,
    left: &'a mut Vec<u32>,
}

type Rows = [[f32; EIGHT]; 3];

/// What eight triangles need to be drawn.
#[derive(Default)]
struct Made {
    /// First and last column and row.
    columns: [[f32; EIGHT]; 2],
    rows: [[f32; EIGHT]; 2],
    /// Edge functions at the first pixel, positive inside, and from pixel to pixel; each lies opposite
    /// the corner of its place.
    at: Rows,
    right: Rows,
    down: Rows,
    /// What an edge function must at least be.
    least: Rows,
    /// The first corner's value, and what the others' edge functions are worth.
    value: Rows,
    /// Least and greatest value.
    range: [[f32; EIGHT]; 2],
}

/// One bit for each of eight triangles.
struct Which {
    small: u32,
    large: u32,
    held: u32,
}

/// Corners of eight triangles: corner, coordinate, lane.
type Corners = [[[f32; EIGHT]; 3]; 3];

impl<S: Sink> Kernel for Drawing<'_, S> {
    type Output = u64;

    #[inline(always)]
    fn run<W: Wide>(self) -> u64 {
        let Drawing { batch, sink, left } = self;
        let count = match batch.listed {
            Some(listed) => listed.len(),
            None => batch.triangles.len(),
        };
        let mut corners: Corners = [[[f32::NAN; EIGHT]; 3]; 3];
        let mut numbers = [0u32; EIGHT];
        let mut made = Made::default();
        let mut spans: Vec<Span> = Vec::new();
        let mut drawn = 0;
        let mut from = 0;
        while from < count {
            let some = EIGHT.min(count - from);
            for lane in 0..some {
                let number = match batch.listed {
                    Some(listed) => listed[from + lane],
                    None => (from + lane) as u32,
                };
                numbers[lane] = number;
                let triangle = batch.triangles[number as usize];
                for corner in 0..3 {
                    let spot = batch.spots[triangle[corner] as usize];
                    corners[corner][0][lane] = spot[0];
                    corners[corner][1][lane] = spot[1];
                    corners[corner][2][lane] = spot[2];
                }
            }
            from += some;
            let there = (1 << some) - 1;
            let which = prepare::<W>(&corners, batch, &mut made);
            let mut rest = (which.small | which.large | !which.held) & there;
            while rest != 0 {
                let lane = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                if which.small >> lane & 1 == 1 {
                    small::<W, S>(&made, lane, batch, sink, numbers[lane]);
                    drawn += 1;
                } else if which.held >> lane & 1 == 1 {
                    large::<W, S>((&corners, &made), lane, batch, sink, numbers[lane], &mut spans);
                    drawn += 1;
                } else {
                    left.push(numbers[lane]);
                }
            }
        }
        drawn
    }
}

/// Makes eight triangles ready; says which of them may cover a pixel, and how they are drawn.
#[inline(always)]
fn prepare<W: Wide>(corners: &Corners, batch: &Batch<'_>, made: &mut Made) -> Which {
    let (zero, one, sub) = (W::splat(0.0), W::splat(1.0), W::splat(SUB as f32));
    let x = [W::load(&corners[0][0]), W::load(&corners[1][0]), W::load(&corners[2][0])];
    let y = [W::load(&corners[0][1]), W::load(&corners[1][1]), W::load(&corners[2][1])];
    let z = [W::load(&corners[0][2]), W::load(&corners[1][2]), W::load(&corners[2][2])];
    let held = x[0].at_most(x[0]).and(x[1].at_most(x[1])).and(x[2].at_most(x[2]));
    let low = [x[0].min(x[1]).min(x[2]), y[0].min(y[1]).min(y[2])];
    let high = [x[0].max(x[1]).max(x[2]), y[0].max(y[1]).max(y[2])];
    // Pixels whose centres are not before the least and not behind the greatest.
    let (nearest, hair) = (W::splat(NEAREST), W::splat(0.5 / SUB as f32));
    let part = W::splat(1.0 / SUB as f32);
    let bounds = [
        [batch.columns.start as f32, batch.columns.end as f32 - 1.0],
        [batch.rows.start as f32, batch.rows.end as f32 - 1.0],
    ];
    let mut first = [zero; 2];
    let mut last = [zero; 2];
    for k in 0..2 {
        let begins = low[k].mul(part).sub(hair).add(nearest).sub(nearest);
        let ends = high[k].mul(part).sub(one).add(hair).add(nearest).sub(nearest);
        first[k] = begins.max(W::splat(bounds[k][0]));
        last[k] = ends.min(W::splat(bounds[k][1]));
    }
    let covers = held.and(first[0].at_most(last[0])).and(first[1].at_most(last[1]));
    let fits = high[0].sub(low[0]).add(W::splat(EIGHT as f32 * SUB as f32)).mul(high[1].sub(low[1]));
    let small = fits.at_most(W::splat((1 << 23) as f32));
    // Twice the area; exact where it is small.
    let (u, v) = ([x[1].sub(x[0]), y[1].sub(y[0])], [x[2].sub(x[0]), y[2].sub(y[0])]);
    let area = u[0].mul(v[1]).sub(u[1].mul(v[0]));
    let turned = area.less(zero);
    let shown = if batch.outside_only { turned } else { turned.or(zero.less(area)) };
    // Walk the corners so that the inside is where edge functions are positive.
    let x = [x[0], turned.select(x[2], x[1]), turned.select(x[1], x[2])];
    let y = [y[0], turned.select(y[2], y[1]), turned.select(y[1], y[2])];
    let inner = [z[0], turned.select(z[2], z[1]), turned.select(z[1], z[2])];
    let half = W::splat(0.5 * SUB as f32);
    let origin = [first[0].mul(sub).add(half), first[1].mul(sub).add(half)];
    for k in 0..3 {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let (dx, dy) = (x[j].sub(x[i]), y[j].sub(y[i]));
        // Of an edge's two sides the same one owns it, whichever way it is walked.
        let level = dy.at_most(zero).and(zero.at_most(dy));
        let owns = dy.less(zero).or(level.and(zero.less(dx)));
        let at = dx.mul(origin[1].sub(y[i])).sub(dy.mul(origin[0].sub(x[i])));
        at.store(&mut made.at[k]);
        zero.sub(dy.mul(sub)).store(&mut made.right[k]);
        dx.mul(sub).store(&mut made.down[k]);
        owns.select(zero, one).store(&mut made.least[k]);
    }
    let total = one.div(area.abs());
    inner[0].store(&mut made.value[0]);
    inner[1].sub(inner[0]).mul(total).store(&mut made.value[1]);
    inner[2].sub(inner[0]).mul(total).store(&mut made.value[2]);
    z[0].min(z[1]).min(z[2]).store(&mut made.range[0]);
    z[0].max(z[1]).max(z[2]).store(&mut made.range[1]);
    for k in 0..2 {
        let to = [&mut made.columns, &mut made.rows];
        let [columns, rows] = to;
        [first[0], last[0]][k].store(&mut columns[k]);
        [first[1], last[1]][k].store(&mut rows[k]);
    }
    let of_small = covers.and(small).and(shown).bits();
    let large = covers.bits() & !small.bits();
    Which { small: of_small, large, held: held.bits() }
}

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
fn small<W: Wide, S: Sink>(made: &Made, lane: usize, batch: &Batch<'_>, sink: &mut S, number: u32) {
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
fn middle<W: Wide, S: Sink>(
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
        least[k] = if dy < 0 || (dy == 0 && dx > 0) { 0.0 } else { 1.0 };
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
fn large<W: Wide, S: Sink>(
    (corners, made): (&Corners, &Made),
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::raster::cover;
    use super::*;

    /// The least value of every pixel, with the triangle it is of.
    struct Least<const ALIGNED: bool> {
        value: Vec<f32>,
        number: Vec<u32>,
    }

    impl<const ALIGNED: bool> Sink for Least<ALIGNED> {
        const ALIGNED: bool = ALIGNED;

        #[inline(always)]
        fn eight<W: Wide>(&mut self, at: usize, mask: W, value: W, number: u32) {
            let mut values = [0.0; 8];
            value.store(&mut values);
            for (lane, value) in values.into_iter().enumerate() {
                let k = at + lane;
                let own = (value, number);
                if mask.bits() >> lane & 1 == 1 && own < (self.value[k], self.number[k]) {
                    (self.value[k], self.number[k]) = own;
                }
            }
        }
    }

    fn drawn<const ALIGNED: bool>(
        places: &[[f64; 3]],
        triangles: &[[u32; 3]],
        (width, rows): (u32, Range<u32>),
        outside_only: bool,
        level: SimdLevel,
    ) -> (Least<ALIGNED>, Vec<u32>) {
        let spots: Vec<Spot> = places.iter().map(|p| spot(*p)).collect();
        let count = (width * rows.len() as u32) as usize;
        let mut sink = Least { value: vec![f32::INFINITY; count], number: vec![u32::MAX; count] };
        let batch =
            Batch { spots: &spots, triangles, listed: None, outside_only, width, columns: 0..width, rows };
        let mut left = Vec::new();
        SimdLevel::force(Some(level));
        draw(&batch, &mut sink, &mut left);
        SimdLevel::force(None);
        (sink, left)
    }

    proptest! {
        /// Small and large triangles, slivers, corners in the middle of pixels and far beside: the pixels of
        /// the scan one triangle at a time, its values within rounding, and the same bits on every level
        /// and in whatever bands and windows.
        #[test]
        fn eight_at_once_cover_what_one_does(
            places in prop::collection::vec((-6.0f64..50.0, -6.0f64..40.0, -2.0f64..3.0, 0u32..4), 3..40),
            corners in prop::collection::vec([0usize..40, 0usize..40, 0usize..40], 1..40),
            width in 8u32..45,
            height in 1u32..34,
            outside_only in any::<bool>(),
        ) {
            let places: Vec<[f64; 3]> = places
                .iter()
                .map(|&(x, y, z, kind)| match kind {
                    0 => [x, y, z],
                    1 => [x.floor() + 0.5, y.floor() + 0.5, z.floor()],
                    2 => [20.0 + 0.1 * x, 15.0 + 0.1 * y, z],
                    _ => [x, y * 150.0, z],
                })
                .collect();
            let triangles: Vec<[u32; 3]> =
                corners.iter().map(|t| t.map(|k| (k % places.len()) as u32)).collect();
            let ask = |rows, level| drawn::<true>(&places, &triangles, (width, rows), outside_only, level);
            let (best, left) = ask(0..height, SimdLevel::best());
            prop_assert_eq!(left.len(), 0);
            for level in [SimdLevel::Portable, SimdLevel::Sse2] {
                let (other, _) = ask(0..height, level.min(SimdLevel::best()));
                prop_assert_eq!(&other.value, &best.value);
                prop_assert_eq!(&other.number, &best.number);
            }
            let (own, _) =
                drawn::<false>(&places, &triangles, (width, 0..height), outside_only, SimdLevel::best());
            prop_assert_eq!((&own.value, &own.number), (&best.value, &best.number));
            let half = height / 2;
            let (mut top, bottom) = (ask(0..half, SimdLevel::best()).0, ask(half..height, SimdLevel::best()).0);
            top.value.extend(bottom.value);
            prop_assert_eq!(&top.value, &best.value);
            // One triangle after the other.
            let window = Window { columns: 0..width, rows: 0..height };
            for k in 0..triangles.len() {
                let own = &triangles[k..=k];
                let (lanes, _) = drawn::<true>(&places, own, (width, 0..height), outside_only, SimdLevel::best());
                let c = triangles[k].map(|v| places[v as usize]);
                let s = c.map(|p| [snap(p[0]), snap(p[1])]);
                let area = (s[1][0] - s[0][0]) * (s[2][1] - s[0][1]) - (s[1][1] - s[0][1]) * (s[2][0] - s[0][0]);
                let mut wanted = vec![f32::INFINITY; lanes.value.len()];
                if !(outside_only && area > 0.0) {
                    cover(&c, &window, |span| {
                        for x in span.first..span.end {
                            wanted[(span.y * width + x) as usize] = span.value(x) as f32;
                        }
                    });
                }
                for (a, b) in lanes.value.iter().zip(&wanted) {
                    prop_assert_eq!(a.is_finite(), b.is_finite());
                    prop_assert!(!a.is_finite() || (a - b).abs() <= 4e-6, "{} {}", a, b);
                }
            }
        }
    }

    #[test]
    fn what_the_lanes_cannot_hold_is_left_over() {
        let places =
            [[0.0, 0.0, 1.0], [9000.0, 0.0, 1.0], [0.0, 9.0, 1.0], [9.0, 0.0, f64::NAN], [9.0, 9.0, 1.0]];
        let triangles = [[0, 1, 2], [0, 4, 2], [0, 3, 2]];
        let (sink, left) = drawn::<true>(&places, &triangles, (16, 0..16), false, SimdLevel::best());
        assert_eq!(left, [0, 2]);
        assert!(sink.number.iter().all(|n| [1, u32::MAX].contains(n)) && sink.number.contains(&1));
        let (_, left) = drawn::<true>(&places, &triangles, (7, 0..16), false, SimdLevel::best());
        assert_eq!(left, [0, 1, 2]);
    }
}
