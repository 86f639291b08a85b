//! Coverage of pixels by a triangle on the lattice, and its depth at their centres: whole numbers
//! throughout, so that every way of capturing gives the same crossings to the last bit.
//!
//! A centre on an edge belongs to the side that a shift by (−ε, +ε²) takes it to: two triangles that
//! share an edge never both cover a centre on it and never both miss it. Depth is the plane through the
//! snapped corners, rounded to the nearest step, half a step up.

use super::snap::MAGIC;

/// Which faces are seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Faces {
    /// All.
    #[default]
    Both,
    /// Those whose outward normal points against the view.
    Front,
    /// Those whose outward normal points along it.
    Back,
}

impl Faces {
    /// Whether a face is among them.
    #[inline]
    pub fn has(self, front: bool) -> bool {
        match self {
            Faces::Both => true,
            Faces::Front => front,
            Faces::Back => !front,
        }
    }
}

/// The greatest extent of a triangle across the view (sub-pixels), and in depth (steps), for which
/// the plane is evaluated in single operations: then all products are below 2⁵³, and twice the area is
/// at most 2²⁸.
pub const FLAT_ACROSS: i64 = 1 << 14;
/// See [`FLAT_ACROSS`].
pub const FLAT_DEEP: i64 = 1 << 22;

/// Less than half of what a fraction with a denominator of at most 2²⁹ can lie from a half, and more
/// than the error of a quotient below 2²³: it takes halves up, and nothing else.
const UP: f64 = 1.0 / (1u64 << 30) as f64;

/// The pixels of a view.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    pub pixels: [u32; 2],
    pub sub_bits: u32,
}

/// The plane of a triangle: depth times `area` relative to the first corner.
struct Plane {
    /// Twice the area, positive.
    area: i64,
    along: [i64; 2],
    at: [i64; 3],
    flat: bool,
}

impl Plane {
    /// `x`, `y` (sub-pixels).
    #[inline]
    fn at(&self, x: i64, y: i64) -> i32 {
        let (dx, dy) = (x - self.at[0], y - self.at[1]);
        let up = if self.flat {
            let over = (self.along[0] * dx + self.along[1] * dy) as f64;
            i64::from((over / self.area as f64 + UP + MAGIC).to_bits() as i32)
        } else {
            let over = |k: usize, d: i64| i128::from(self.along[k]) * i128::from(d);
            let (over, area) = (over(0, dx) + over(1, dy), i128::from(self.area));
            (2 * over + area).div_euclid(2 * area) as i64
        };
        // A plane stays within its corners, which are below 2^30.
        (self.at[2] + up) as i32
    }
}

impl Grid {
    /// Calls `emit` with pixel, depth and whether the face is a front face, for every pixel whose centre
    /// the triangle covers.
    #[inline]
    pub fn cover(&self, c: &[[i32; 3]; 3], faces: Faces, mut emit: impl FnMut(u32, i32, bool)) {
        let sub = 1i64 << self.sub_bits;
        let range = |k: usize| (c[0][k].min(c[1][k]).min(c[2][k]), c[0][k].max(c[1][k]).max(c[2][k]));
        let candidates = |k: usize| {
            let (lo, hi) = range(k);
            let last = self.pixels[k] as i32 - 1;
            (((lo + sub as i32 - 1) >> self.sub_bits).max(0), (hi >> self.sub_bits).min(last))
        };
        let (i0, i1) = candidates(0);
        let (j0, j1) = candidates(1);
        if i0 > i1 || j0 > j1 {
            return;
        }
        let [x, y, z] = [0, 1, 2].map(|k| [c[0][k], c[1][k], c[2][k]].map(i64::from));
        let turn = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
        // Counter-clockwise in (right, up) means a normal along the view: a back face.
        let front = turn < 0;
        if turn == 0 || !faces.has(front) {
            return;
        }
        let order = if front { [0, 2, 1] } else { [0, 1, 2] };
        let (mut row, mut by_i, mut by_j) = ([0i64; 3], [0i64; 3], [0i64; 3]);
        let start = [i64::from(i0) * sub, i64::from(j0) * sub];
        for k in 0..3 {
            let (a, b) = (order[k], order[(k + 1) % 3]);
            let (dx, dy) = (x[b] - x[a], y[b] - y[a]);
            let own = dy > 0 || (dy == 0 && dx > 0);
            row[k] = dx * (start[1] - y[a]) - dy * (start[0] - x[a]) - i64::from(!own);
            by_i[k] = -dy * sub;
            by_j[k] = dx * sub;
        }
        let mut plane = None;
        for j in j0..=j1 {
            let mut e = row;
            for i in i0..=i1 {
                if e[0] | e[1] | e[2] >= 0 {
                    let plane = plane.get_or_insert_with(|| self.plane(&x, &y, &z, turn));
                    let depth = plane.at(i64::from(i) * sub, i64::from(j) * sub);
                    emit(j as u32 * self.pixels[0] + i as u32, depth, front);
                }
                e = [e[0] + by_i[0], e[1] + by_i[1], e[2] + by_i[2]];
            }
            row = [row[0] + by_j[0], row[1] + by_j[1], row[2] + by_j[2]];
        }
    }

    #[inline]
    fn plane(&self, x: &[i64; 3], y: &[i64; 3], z: &[i64; 3], turn: i64) -> Plane {
        let d = |v: &[i64; 3], k: usize| v[k] - v[0];
        let along = [d(z, 1) * d(y, 2) - d(z, 2) * d(y, 1), d(x, 1) * d(z, 2) - d(x, 2) * d(z, 1)];
        let extent = |v: &[i64; 3]| v[0].max(v[1]).max(v[2]) - v[0].min(v[1]).min(v[2]);
        let flat = extent(x) <= FLAT_ACROSS && extent(y) <= FLAT_ACROSS && extent(z) <= FLAT_DEEP;
        let sign = turn.signum();
        Plane { area: turn * sign, along: along.map(|a| a * sign), at: [x[0], y[0], z[0]], flat }
    }
}
