//! One triangle, four pixels of a row at once: most of what a coarse mesh's triangles cover in a contact's view.
//!
//! `f64` holds edge functions as they are. Depths are first computed in it, off by less than [`DOUBT`]; where that
//! leaves two whole numbers open, integers decide, as in [`cover`](super::scalar::cover).

use super::edge::owns;
use super::integer::{Integer, MAGIC, whole};
use super::{Grid, Sink};

/// Pixels at once.
const PIXELS: usize = 4;

/// Rises up to this size (2⁴⁰ steps) leave depths off by less than [`DOUBT`].
pub(super) const STEEPEST: f64 = 1_099_511_627_776.0;

/// More than a depth may be off by in `f64` (steps). With edge functions *b* and *c* that are exact, and at most as
/// large as the area *a*, `(b · u + c · v) · (1 / a)` has five roundings: below 6 · 2⁻⁵³ (|u| + |v|) ≤ 6 · 2⁻¹².
const DOUBT: f64 = 1.0 / 256.0;

/// A triangle for [`cover`]: whole numbers, below 2²⁵ sub-pixels across; the pixels that it has room for; `turn` is
/// twice its area, positive of corners that go counter-clockwise.
pub(super) struct Near<'a> {
    pub x: [f64; 3],
    pub y: [f64; 3],
    pub z: [f64; 3],
    pub turn: f64,
    pub first: [i32; 2],
    pub last: [i32; 2],
    pub grid: &'a Grid,
}

/// Gives `sink` the crossings of a triangle; whether it could: its depths may rise too steeply for this.
#[inline(always)]
pub(super) fn cover<S: Sink>(near: &Near<'_>, triangle: u32, sink: &mut S) -> bool {
    let Near { x, y, z, turn, first, last, grid } = near;
    let front = *turn < 0.0;
    let [p, q, r] = if front { [0, 2, 1] } else { [0, 1, 2] };
    let rise = [z[q] - z[p], z[r] - z[p]];
    if rise[0].abs() > STEEPEST || rise[1].abs() > STEEPEST {
        return false;
    }
    if *turn == 0.0 || !sink.draws(front) {
        return true;
    }
    let sub = f64::from(1i32 << grid.sub_bits);
    let [left, low] = [0, 1].map(|k| f64::from(first[k]) * sub);
    // Of the side from one corner to the next: at the pixels of a group, by group, by row, and its least within.
    let mut at = [[0.0; PIXELS]; 3];
    let (mut right, mut up, mut least) = ([0.0; 3], [0.0; 3], [0.0; 3]);
    for (k, [a, b]) in [[p, q], [q, r], [r, p]].into_iter().enumerate() {
        let (dx, dy) = (x[b] - x[a], y[b] - y[a]);
        let here = dx * (low - y[a]) - dy * (left - x[a]);
        right[k] = -dy * sub * PIXELS as f64;
        up[k] = dx * sub;
        least[k] = f64::from(u8::from(!owns(dx as i64, dy as i64)));
        for (lane, at) in at[k].iter_mut().enumerate() {
            *at = here - dy * sub * lane as f64;
        }
    }
    let area = turn.abs();
    let part = 1.0 / area;
    let base = whole(z[p]);
    for j in first[1]..=last[1] {
        let row = j * grid.pixels[0] as i32;
        let mut e = at;
        let mut i = first[0];
        while i <= last[0] {
            let count = (last[0] - i + 1).min(PIXELS as i32) as u32;
            let mut inside = 0u32;
            let [of_first, of_second, of_third] = &e;
            for lane in 0..PIXELS {
                let within = (of_first[lane] >= least[0])
                    & (of_second[lane] >= least[1])
                    & (of_third[lane] >= least[2]);
                inside |= u32::from(within) << lane;
            }
            inside &= (1 << count) - 1;
            if inside != 0 {
                let mut depth = [0.0; PIXELS];
                let mut doubt = [false; PIXELS];
                for lane in 0..PIXELS {
                    let real = (e[2][lane] * rise[0] + e[0][lane] * rise[1]) * part;
                    depth[lane] = (real + MAGIC) - MAGIC;
                    doubt[lane] = (real - depth[lane]).abs() > 0.5 - DOUBT;
                }
                while inside != 0 {
                    let lane = inside.trailing_zeros() as usize;
                    inside &= inside - 1;
                    let pixel = (row + i) as usize + lane;
                    if !sink.wants(pixel) {
                        continue;
                    }
                    let depth = if doubt[lane] {
                        let weights = [e[2][lane] as i64, e[0][lane] as i64];
                        i64::quotient(weights, [rise[0] as i64, rise[1] as i64], area as i64)
                    } else {
                        whole(depth[lane])
                    };
                    sink.put(pixel, base + depth, front, triangle);
                }
            }
            for (e, right) in e.iter_mut().zip(right) {
                for e in e {
                    *e += right;
                }
            }
            i += PIXELS as i32;
        }
        for (at, up) in at.iter_mut().zip(up) {
            for at in at {
                *at += up;
            }
        }
    }
    true
}
