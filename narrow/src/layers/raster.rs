//! Coverage of pixels by a triangle, and its depth at their centres.

use std::ops::{Add, Mul, Sub};

use impinge_geometry::{PairFrame, Side};
use nalgebra::Point3;

use super::fragment::{Fragment, nearest};
use crate::view::{SUB_PIXELS, View};

const SUB: i64 = SUB_PIXELS as i64;

/// From the frame of a side straight to a view: sub-pixels from the centre of the first pixel, and
/// depth steps.
pub(super) struct Snap {
    row: [[f64; 3]; 3],
    shift: [f64; 3],
    /// Depth beyond which nothing is seen (steps).
    pub far: f64,
}

impl Snap {
    pub fn new(view: &View, frame: &PairFrame, side: Side) -> Snap {
        let rotation = &frame.rotation[side.index()];
        let offset = frame.offset[side.index()] - view.anchor.coords;
        let half = 0.5 * SUB_PIXELS;
        let scales = [SUB_PIXELS / view.pixel[0], SUB_PIXELS / view.pixel[1], 1.0 / view.step];
        let starts = [
            view.first[0] as f64 * SUB_PIXELS + half,
            view.first[1] as f64 * SUB_PIXELS + half,
            view.near / view.step,
        ];
        let axes = [&view.axes.right, &view.axes.up, &view.axes.depth];
        Snap {
            row: std::array::from_fn(|k| {
                let r = rotation.tr_mul(axes[k]) * scales[k];
                [r.x, r.y, r.z]
            }),
            shift: std::array::from_fn(|k| axes[k].dot(&offset) * scales[k] - starts[k]),
            far: (view.far - view.near) / view.step,
        }
    }

    #[inline]
    pub fn place(&self, p: &Point3<f32>) -> [f64; 3] {
        let (x, y, z) = (f64::from(p.x), f64::from(p.y), f64::from(p.z));
        std::array::from_fn(|k| {
            let r = &self.row[k];
            (r[0] * x + r[1] * y + r[2] * z) + self.shift[k]
        })
    }
}

/// Where fragments go.
pub(super) struct Target<'a> {
    pub counts: &'a mut [u32],
    pub fragments: &'a mut [Fragment],
    pub room: usize,
    pub count: u32,
}

/// The plane of a triangle over the view: depth at a pixel's centre, held within the triangle's own
/// range of depths.
struct Depth {
    at: f64,
    along: [f64; 2],
    least: f64,
    most: f64,
}

impl Depth {
    #[inline]
    fn new(c: &[[f64; 3]; 3], least: f64, most: f64) -> Depth {
        let (u, v) = (sub(&c[1], &c[0]), sub(&c[2], &c[0]));
        let flat = u[0] * v[1] - v[0] * u[1];
        let gx = (u[2] * v[1] - v[2] * u[1]) / flat;
        let gy = (u[0] * v[2] - v[0] * u[2]) / flat;
        // Seen from its side, a triangle has no slope to speak of: any depth of its own will do.
        let along = if gx.is_finite() && gy.is_finite() { [gx, gy] } else { [0.0, 0.0] };
        Depth { at: c[0][2] - along[0] * c[0][0] - along[1] * c[0][1], along, least, most }
    }

    #[inline]
    fn at(&self, i: i64, j: i64) -> f64 {
        let (x, y) = ((i * SUB) as f64, (j * SUB) as f64);
        (self.at + self.along[0] * x + self.along[1] * y).max(self.least).min(self.most)
    }
}

#[inline]
fn sub(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Pixels whose centres a triangle may cover, borders included.
struct Box2 {
    i: [i64; 2],
    j: [i64; 2],
}

impl Target<'_> {
    /// Writes a fragment for every pixel whose centre the triangle covers. `c`: sub-pixels from the
    /// first pixel's centre, and depth steps.
    #[inline]
    pub fn cover(&mut self, c: &[[f64; 3]; 3], far: f64, side: Side, triangle: u32) {
        let range = |k: usize| (c[0][k].min(c[1][k]).min(c[2][k]), c[0][k].max(c[1][k]).max(c[2][k]));
        let limit = (i64::from(self.count) * SUB) as f64;
        let ((x0, x1), (y0, y1)) = (range(0), range(1));
        if x1 < -1.0 || y1 < -1.0 || x0 > limit || y0 > limit {
            return;
        }
        let (least, most) = range(2);
        if least > far {
            return;
        }
        let x = c.map(|p| nearest(p[0]) as i64);
        let y = c.map(|p| nearest(p[1]) as i64);
        let Some(area) = self.candidates(&x, &y) else { return };
        let depth = Depth::new(c, least, most);
        // Below 2^30 every product of differences stays below 2^62.
        let small = x.iter().chain(&y).all(|v| v.abs() < 1 << 30);
        if small {
            self.scan::<i64>(&x, &y, &area, &depth, side, triangle);
        } else {
            self.scan::<i128>(&x, &y, &area, &depth, side, triangle);
        }
    }

    /// The pixels whose centres lie in the box of the snapped corners; `None` where there are none.
    #[inline]
    fn candidates(&self, x: &[i64; 3], y: &[i64; 3]) -> Option<Box2> {
        let last = i64::from(self.count) - 1;
        let range = |v: &[i64; 3]| {
            let (lo, hi) = (v[0].min(v[1]).min(v[2]), v[0].max(v[1]).max(v[2]));
            [((lo + SUB - 1) >> 8).max(0), (hi >> 8).min(last)]
        };
        let (i, j) = (range(x), range(y));
        (i[0] <= i[1] && j[0] <= j[1]).then_some(Box2 { i, j })
    }

    #[inline]
    fn scan<T>(&mut self, x: &[i64; 3], y: &[i64; 3], area: &Box2, depth: &Depth, side: Side, triangle: u32)
    where
        T: Copy + From<i64> + Add<Output = T> + Sub<Output = T> + Mul<Output = T> + PartialOrd,
    {
        let zero = T::from(0);
        let t = T::from;
        let turn = t(x[1] - x[0]) * t(y[2] - y[0]) - t(x[2] - x[0]) * t(y[1] - y[0]);
        if turn == zero {
            return;
        }
        // Counter-clockwise in (right, up) means a normal along the view: a back face.
        let back = turn > zero;
        let order = if back { [0, 1, 2] } else { [0, 2, 1] };
        let (mut row, mut by_i, mut by_j) = ([zero; 3], [zero; 3], [zero; 3]);
        for k in 0..3 {
            let (a, b) = (order[k], order[(k + 1) % 3]);
            let (dx, dy) = (x[b] - x[a], y[b] - y[a]);
            // A centre on an edge belongs to the side that a shift by (−ε, +ε²) takes it to.
            let own = dy > 0 || (dy == 0 && dx > 0);
            let start = t(dx) * t(area.j[0] * SUB - y[a]) - t(dy) * t(area.i[0] * SUB - x[a]);
            row[k] = if own { start } else { start - t(1) };
            by_i[k] = t(-dy * SUB);
            by_j[k] = t(dx * SUB);
        }
        for j in area.j[0]..=area.j[1] {
            let mut e = row;
            let mut within = false;
            for i in area.i[0]..=area.i[1] {
                if e[0] >= zero && e[1] >= zero && e[2] >= zero {
                    within = true;
                    let pixel = (j * i64::from(self.count) + i) as usize;
                    self.push(pixel, Fragment::new(depth.at(i, j), !back, side, triangle));
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
