//! One triangle at a time, of any size.

use super::edge::Edge;
#[cfg(test)]
use super::integer::nearest;
use super::integer::{DEEPEST, Integer, Quotient};
use super::{Grid, Sink};

/// Corners nearer than this (sub-pixels) leave room for edge functions in 64 bits: products of differences stay
/// below 2⁶⁰.
const NEAR: i64 = 1 << 29;

/// Coordinates are held within this.
const HELD: f64 = (1u64 << 55) as f64;

/// The corners of a triangle on the lattice: sub-pixels from the first pixel's centre to the right and up, and
/// steps of depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Corners {
    pub x: [i64; 3],
    pub y: [i64; 3],
    pub z: [i64; 3],
}

impl Corners {
    /// The lattice's places that are nearest to the corners.
    #[cfg(test)]
    pub fn nearest(c: &[[f64; 3]; 3]) -> Corners {
        Corners::whole(&c.map(|p| p.map(nearest)))
    }

    /// Of whole numbers.
    #[inline]
    pub fn whole(c: &[[f64; 3]; 3]) -> Corners {
        let of = |k: usize| [0, 1, 2].map(|i| c[i][k].clamp(-HELD, HELD) as i64);
        Corners { x: of(0), y: of(1), z: of(2) }
    }

    /// Twice the area as it is seen, positive of corners that go counter-clockwise (right, up); for corners near
    /// enough for 64 bits.
    pub fn turn(&self) -> i64 {
        let along = |k: usize| [self.x[k] - self.x[0], self.y[k] - self.y[0]];
        i64::cross(along(1), along(2))
    }

    /// Whether 64 bits have room for edge functions and depths.
    #[inline]
    fn is_near(&self) -> bool {
        let within = |v: &[i64; 3], most: i64| v.iter().all(|x| (-most..=most).contains(x));
        within(&self.x, NEAR - 1) && within(&self.y, NEAR - 1) && within(&self.z, DEEPEST)
    }
}

impl Grid {
    /// The first and the last pixel along an axis whose centres lie between the least and the greatest of
    /// three coordinates; none where the first is beyond the last.
    #[inline]
    pub fn candidates(&self, v: &[i64; 3], axis: usize) -> [i64; 2] {
        let (low, high) = (v[0].min(v[1]).min(v[2]), v[0].max(v[1]).max(v[2]));
        let up = (1i64 << self.sub_bits) - 1;
        let last = i64::from(self.pixels[axis]) - 1;
        [((low + up) >> self.sub_bits).max(0), (high >> self.sub_bits).min(last)]
    }
}

/// Gives `sink` a crossing for every pixel whose centre the triangle covers.
#[inline]
pub(crate) fn cover<S: Sink>(grid: &Grid, corners: &Corners, triangle: u32, sink: &mut S) {
    let (i, j) = (grid.candidates(&corners.x, 0), grid.candidates(&corners.y, 1));
    if i[0] > i[1] || j[0] > j[1] || corners.z.iter().all(|z| *z > grid.far) {
        return;
    }
    if corners.is_near() {
        scan::<i64, S>(grid, corners, [i, j], triangle, sink);
    } else {
        scan::<i128, S>(grid, corners, [i, j], triangle, sink);
    }
}

#[inline]
fn scan<T: Integer, S: Sink>(
    grid: &Grid,
    corners: &Corners,
    [columns, rows]: [[i64; 2]; 2],
    triangle: u32,
    sink: &mut S,
) {
    let Corners { x, y, z } = corners;
    let along = |a: usize, b: usize| [x[b] - x[a], y[b] - y[a]];
    let zero = T::from(0);
    let turn = T::cross(along(0, 1), along(0, 2));
    // Counter-clockwise in (right, up) means a normal along the view: a back face.
    let front = turn < zero;
    if turn == zero || !sink.draws(front) {
        return;
    }
    let [p, q, r] = if front { [0, 2, 1] } else { [0, 1, 2] };
    let sub = 1i64 << grid.sub_bits;
    let first = [columns[0] * sub, rows[0] * sub];
    let edge = |a: usize, b: usize| Edge::<T>::new([x[a], y[a]], [x[b], y[b]], first, sub);
    // The first weighs the third corner, the second the first, the third the second.
    let mut edges = [edge(p, q), edge(q, r), edge(r, p)];
    let area = T::cross(along(p, q), along(p, r));
    let rise = [z[q] - z[p], z[r] - z[p]];
    // What a depth changes by from one pixel to the next, once two beside each other are known.
    let mut step: Option<Quotient<T>> = None;
    let across = columns[1] - columns[0];
    for j in rows[0]..=rows[1] {
        let begins = edges.map(|e| e.at >= e.least);
        let ends = edges.map(|e| e.at.plus(across, e.right) >= e.least);
        let whole = begins == [true; 3] && ends == [true; 3];
        // What is outside of one side at both ends is outside all along.
        let missed = (0..3).any(|k| !begins[k] && !ends[k]);
        if !missed {
            let mut e = edges.map(|e| e.at);
            let mut within = false;
            // The depth at the last pixel, where it was asked for.
            let mut last: Option<Quotient<T>> = None;
            for i in columns[0]..=columns[1] {
                if whole || (0..3).all(|k| e[k] >= edges[k].least) {
                    within = true;
                    let pixel = (j * i64::from(grid.pixels[0]) + i) as usize;
                    if sink.wants(pixel) {
                        let here = match (last, step) {
                            (Some(last), Some(step)) => T::led(last, step, area),
                            _ => {
                                let at = |k: usize| edges[k].at.plus(i - columns[0], edges[k].right);
                                T::divided([at(2), at(0)], rise, area)
                            }
                        };
                        step = step.or(last.map(|last| T::step(last, here)));
                        last = Some(here);
                        sink.put(pixel, z[p] + here.whole, front, triangle);
                    } else {
                        last = None;
                    }
                } else if within {
                    break;
                }
                if !whole {
                    for k in 0..3 {
                        e[k] = e[k].plus(1, edges[k].right);
                    }
                }
            }
        }
        for edge in &mut edges {
            edge.at = edge.at.plus(1, edge.up);
        }
    }
}
