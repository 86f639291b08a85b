//! Dilated coverage: every pixel whose square a triangle may meet, with bounds on its depths there.
//!
//! Coverage by centres misses what lies between them. Here a triangle covers a pixel where it meets the pixel's
//! square grown by a sub-pixel, so that a vertex that was snapped by half a sub-pixel is still in it. The depths it
//! has there lie between those of its plane at the centre less and plus what the plane may rise across the square,
//! and never outside of those of its corners. All of this is whole numbers: the slope of the plane is rounded to
//! 1/256 of a step, and what that may be off is part of the bounds. (Akenine-Möller, Aila, "Conservative and tiled
//! rasterization using a modified triangle set-up", 2005.)

use super::Grid;
use super::integer::Integer;
use super::scalar::Corners;

/// Binary digits behind the point of a slope.
pub(crate) const SLOPE_BITS: u32 = 8;

/// Depths are off by half a step after snapping and less than one after the shift: bounds are wider by this.
const ROUNDING: i64 = 2;

/// Triangles deeper than this (steps) are taken as deep everywhere: the slopes of others fit 32 bits.
const DEEP: i64 = 1 << 24;

/// Half the side of a grown pixel (sub-pixels).
#[inline]
pub(crate) fn reach(sub_bits: u32) -> i64 {
    (1i64 << sub_bits) / 2 + 1
}

/// How the depth of a triangle changes across a view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Slope {
    /// Steps to the right and up for a sub-pixel, in 1/256; 0 where the bounds are those of the corners.
    pub rise: [i32; 2],
    /// How far the depth within a grown pixel may be from the plane's at its centre (steps).
    pub slack: i32,
}

impl Slope {
    /// Of a triangle whose corners lie within 2³⁰ sub-pixels and steps.
    pub fn new(corners: &Corners, sub_bits: u32) -> Slope {
        let Corners { x, y, z } = corners;
        let extent = |v: &[i64; 3]| v[0].max(v[1]).max(v[2]) - v[0].min(v[1]).min(v[2]);
        let range = extent(z);
        let flat = Slope { rise: [0; 2], slack: range.clamp(0, i32::MAX.into()) as i32 };
        let (u, v) = ([x[1] - x[0], y[1] - y[0]], [x[2] - x[0], y[2] - y[0]]);
        let area = i128::cross(u, v);
        if area == 0 || range > DEEP {
            return flat;
        }
        let (w, t) = (z[1] - z[0], z[2] - z[0]);
        let over = [i128::cross([w, u[1]], [t, v[1]]), i128::cross([u[0], w], [v[0], t])];
        let half = reach(sub_bits);
        // What the rounded slope may be off by the farthest centre, and what the plane rises to the square's corners.
        let rounded = (extent(x) + extent(y) + 2 * half) / (1 << SLOPE_BITS) + 1;
        let across = (over[0].abs() + over[1].abs()) * i128::from(half) / area.abs() + 1;
        let slack = across + i128::from(rounded);
        if slack >= i128::from(range) {
            return flat;
        }
        let rise = over.map(|n| ((n << SLOPE_BITS) / area) as i32);
        Slope { rise, slack: slack as i32 }
    }
}

/// Calls `put` with every pixel that a triangle may meet, and the least and greatest depth that it may have there.
pub(crate) fn cover_dilated(grid: &Grid, corners: &Corners, slope: &Slope, put: impl FnMut(usize, [i64; 2])) {
    let near = |v: &[i64; 3]| v.iter().all(|x| x.abs() < 1 << 28);
    if near(&corners.x) && near(&corners.y) {
        scan::<i64>(grid, corners, slope, put);
    } else {
        scan::<i128>(grid, corners, slope, put);
    }
}

fn scan<T: Integer>(grid: &Grid, corners: &Corners, slope: &Slope, mut put: impl FnMut(usize, [i64; 2])) {
    let Corners { x, y, z } = corners;
    let half = reach(grid.sub_bits);
    let span = |v: &[i64; 3], axis: usize| {
        let (low, high) = (v[0].min(v[1]).min(v[2]) - half, v[0].max(v[1]).max(v[2]) + half);
        let up = (1i64 << grid.sub_bits) - 1;
        let last = i64::from(grid.pixels[axis]) - 1;
        [((low + up) >> grid.sub_bits).max(0), (high >> grid.sub_bits).min(last)]
    };
    let (columns, rows) = (span(x, 0), span(y, 1));
    if columns[0] > columns[1] || rows[0] > rows[1] {
        return;
    }
    let along = |a: usize, b: usize| [x[b] - x[a], y[b] - y[a]];
    let turn = T::cross(along(0, 1), along(0, 2));
    let zero = T::from(0);
    let order = if turn < zero { [0, 2, 1] } else { [0, 1, 2] };
    let sub = 1i64 << grid.sub_bits;
    // An edge with the most that its function grows from a centre to the corners of the square.
    let edges = [0, 1, 2].map(|k| {
        let (a, b) = (order[k], order[(k + 1) % 3]);
        let d = along(a, b);
        let more = T::cross([d[0].abs(), -d[1].abs()], [half, half]);
        (d, [x[a], y[a]], more)
    });
    let depths = [z[0].min(z[1]).min(z[2]), z[0].max(z[1]).max(z[2])];
    let [rise, up] = slope.rise.map(i64::from);
    for j in rows[0]..=rows[1] {
        // The pixels that meet lie side by side: each edge is a bound on them. Of a triangle without area it is one from both
        // sides, which leaves the strip along its edges.
        let [mut first, mut last] = columns;
        let mut bound = |d: [i64; 2], from: &[i64; 2], most: T| {
            let at = T::cross([-d[0], -d[1]], [-from[0], j * sub - from[1]]);
            let step = d[1] * sub;
            match step.signum() {
                1 => last = last.min(T::steps_up_to(most, at, step)),
                -1 => first = first.max(-T::steps_up_to(most, at, -step)),
                _ if at > most => last = -1,
                _ => {}
            }
        };
        for (d, from, most) in &edges {
            bound(*d, from, *most);
            if turn == zero {
                bound([-d[0], -d[1]], from, *most);
            }
        }
        for i in first..=last {
            let at = z[0] + ((rise * (i * sub - x[0]) + up * (j * sub - y[0])) >> SLOPE_BITS);
            let slack = i64::from(slope.slack);
            let near = depths[0].max(at - slack) - ROUNDING;
            let far = depths[1].min(at + slack) + ROUNDING;
            put((j * i64::from(grid.pixels[0]) + i) as usize, [near, far]);
        }
    }
}
