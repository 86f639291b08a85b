//! Four triangles at once, where each has room for one pixel's centre at most: most triangles of a fine mesh.
//!
//! What they cover is decided in the same integers as by [`wide::cover`], which takes what has room for more than one
//! centre, and by [`cover`], which takes what is too large for `f64` to hold its edge functions. The lanes are plain
//! arrays: inside a kernel the compiler has the level's instructions for them, and the bits are the same.

use super::integer::{DEEPEST, Integer, MAGIC, whole};
use super::scalar::{Corners, cover};
use super::wide::{self, Near};
use super::{Grid, Sink};

/// Below this many sub-pixels in size (2²⁵) the products of two differences stay below 2⁵², and `f64` holds
/// every edge function as it is.
const NEAR: f64 = 33_554_432.0;

/// Triangles at once.
pub(crate) const LANES: usize = 4;

/// The corners of up to four triangles on the lattice: corner, axis, triangle. All are whole numbers.
pub(crate) type FourCorners = [[[f64; LANES]; 3]; 3];

/// As [`cover`], of up to four triangles; lanes beyond their number are passed over.
#[inline(always)]
pub(crate) fn four<S: Sink>(grid: &Grid, corners: &FourCorners, triangles: &[u32], sink: &mut S) {
    let up = (1i32 << grid.sub_bits) - 1;
    // Whether something of a triangle can be seen, and whether it is near enough for this.
    let (mut seen, mut near) = ([true; LANES], [true; LANES]);
    // The first and the last pixel that it has room for.
    let mut first = [[0i32; LANES]; 2];
    let mut last = [[0i32; LANES]; 2];
    for k in 0..2 {
        let [a, b, c] = [&corners[0][k], &corners[1][k], &corners[2][k]];
        for lane in 0..LANES {
            let low = lesser(lesser(a[lane], b[lane]), c[lane]);
            let high = greater(greater(a[lane], b[lane]), c[lane]);
            near[lane] &= (low > -NEAR) & (high < NEAR);
            // Far corners wrap around: `near` leaves them out.
            first[k][lane] = (bits(low).wrapping_add(up) >> grid.sub_bits).max(0);
            last[k][lane] = (bits(high) >> grid.sub_bits).min(grid.pixels[k] as i32 - 1);
        }
    }
    let (far, deepest) = (grid.far as f64, DEEPEST as f64);
    let [a, b, c] = [&corners[0][2], &corners[1][2], &corners[2][2]];
    for lane in 0..LANES {
        let low = lesser(lesser(a[lane], b[lane]), c[lane]);
        let high = greater(greater(a[lane], b[lane]), c[lane]);
        near[lane] &= (low >= -deepest) & (high <= deepest);
        seen[lane] = low <= far;
    }
    let mut single = [true; LANES];
    for lane in 0..LANES {
        let fits = (first[0][lane] <= last[0][lane]) & (first[1][lane] <= last[1][lane]);
        seen[lane] &= !near[lane] | fits;
        single[lane] = near[lane] & (first[0][lane] == last[0][lane]) & (first[1][lane] == last[1][lane]);
    }
    let [x, y]: [[&[f64; LANES]; 3]; 2] = [0, 1].map(|k| [0, 1, 2].map(|i| &corners[i][k]));
    let mut centre = [[0.0; LANES]; 2];
    for k in 0..2 {
        for lane in 0..LANES {
            centre[k][lane] = f64::from(first[k][lane] << grid.sub_bits);
        }
    }
    let mut turn = [0.0; LANES];
    let mut covers = [false; LANES];
    for lane in 0..LANES {
        turn[lane] = (x[1][lane] - x[0][lane]) * (y[2][lane] - y[0][lane])
            - (x[2][lane] - x[0][lane]) * (y[1][lane] - y[0][lane]);
        covers[lane] = turn[lane] != 0.0;
    }
    // Edge functions, positive inside; each weighs the corner that is not on it.
    let mut edges = [[0.0; LANES]; 3];
    for k in 0..3 {
        let to = (k + 1) % 3;
        for lane in 0..LANES {
            let (dx, dy) = (x[to][lane] - x[k][lane], y[to][lane] - y[k][lane]);
            let edge = dx * (centre[1][lane] - y[k][lane]) - dy * (centre[0][lane] - x[k][lane]);
            // The other way round for front faces, whose corners go clockwise: all signs change.
            let turned = if turn[lane] > 0.0 { 1.0 } else { -1.0 };
            let (dx, dy, edge) = (dx * turned, dy * turned, edge * turned);
            // As `owns` has it.
            let own = (dy < 0.0) | ((dy == 0.0) & (dx < 0.0));
            covers[lane] &= (edge > 0.0) | ((edge == 0.0) & own);
            edges[k][lane] = edge;
        }
    }
    for (lane, &triangle) in triangles.iter().enumerate() {
        if !seen[lane] {
            continue;
        }
        if !single[lane] {
            if near[lane] {
                let of = |k: usize| [0, 1, 2].map(|i: usize| corners[i][k][lane]);
                let near = Near {
                    x: of(0),
                    y: of(1),
                    z: of(2),
                    turn: turn[lane],
                    first: [first[0][lane], first[1][lane]],
                    last: [last[0][lane], last[1][lane]],
                    grid,
                };
                if wide::cover(&near, triangle, sink) {
                    continue;
                }
            }
            let c = [0, 1, 2].map(|i| [0, 1, 2].map(|k| corners[i][k][lane]));
            cover(grid, &Corners::whole(&c), triangle, sink);
            continue;
        }
        let pixel = (first[1][lane] * grid.pixels[0] as i32 + first[0][lane]) as usize;
        let front = turn[lane] < 0.0;
        if covers[lane] && sink.draws(front) && sink.wants(pixel) {
            let z = [0, 1, 2].map(|i| whole(corners[i][2][lane]));
            let weights = [edges[2][lane] as i64, edges[0][lane] as i64];
            let rise = [z[1] - z[0], z[2] - z[0]];
            let depth = z[0] + i64::quotient(weights, rise, turn[lane].abs() as i64);
            sink.put(pixel, depth, front, triangle);
        }
    }
}

/// A whole number below 2³¹ in size: it is in the last bits.
#[inline(always)]
fn bits(x: f64) -> i32 {
    (x + MAGIC).to_bits() as i32
}

#[inline(always)]
fn lesser(x: f64, y: f64) -> f64 {
    if x < y { x } else { y }
}

#[inline(always)]
fn greater(x: f64, y: f64) -> f64 {
    if x > y { x } else { y }
}
