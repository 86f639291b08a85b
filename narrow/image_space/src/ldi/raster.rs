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
    /// Of corners in positive order; `area`: twice the area.
    #[inline]
    fn new(p: &[i64; 3], q: &[i64; 3], r: &[i64; 3], area: i64) -> Plane {
        let d = |v: &[i64; 3]| [v[0] - p[0], v[1] - p[1], v[2] - p[2]];
        let (u, v) = (d(q), d(r));
        let along = [u[2] * v[1] - v[2] * u[1], u[0] * v[2] - v[0] * u[2]];
        let extent = |k: usize| p[k].max(q[k]).max(r[k]) - p[k].min(q[k]).min(r[k]);
        let flat = extent(0) <= FLAT_ACROSS && extent(1) <= FLAT_ACROSS && extent(2) <= FLAT_DEEP;
        Plane { area, along, at: *p, flat }
    }

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
    /// The pixels along an axis whose centres lie in a triangle's box, the first and the last; none
    /// where the first is beyond the last.
    #[inline]
    fn candidates(&self, c: &[[i32; 3]; 3], k: usize) -> (i32, i32) {
        let (lo, hi) = (c[0][k].min(c[1][k]).min(c[2][k]), c[0][k].max(c[1][k]).max(c[2][k]));
        let (last, up) = (self.pixels[k] as i32 - 1, (1 << self.sub_bits) - 1);
        (((lo + up) >> self.sub_bits).max(0), (hi >> self.sub_bits).min(last))
    }

    /// Whether any centre lies in a triangle's box; without branches, for most triangles of a fine mesh
    /// lie between the lines, and which is beyond guessing.
    #[inline]
    pub fn may_cover(&self, c: &[[i32; 3]; 3]) -> bool {
        let ((i0, i1), (j0, j1)) = (self.candidates(c, 0), self.candidates(c, 1));
        (i0 <= i1) & (j0 <= j1)
    }

    /// Calls `emit` with pixel, depth and whether the face is a front face, for every pixel whose centre
    /// the triangle covers.
    #[inline]
    pub fn cover(&self, c: &[[i32; 3]; 3], faces: Faces, mut emit: impl FnMut(u32, i32, bool)) {
        let sub = 1i64 << self.sub_bits;
        let (i0, i1) = self.candidates(c, 0);
        let (j0, j1) = self.candidates(c, 1);
        if i0 > i1 || j0 > j1 {
            return;
        }
        let wide = |k: usize| c[k].map(i64::from);
        let (p, mut q, mut r) = (wide(0), wide(1), wide(2));
        let turn = (q[0] - p[0]) * (r[1] - p[1]) - (r[0] - p[0]) * (q[1] - p[1]);
        // Counter-clockwise in (right, up) means a normal along the view: a back face.
        let front = turn < 0;
        if turn == 0 || !faces.has(front) {
            return;
        }
        if front {
            (q, r) = (r, q);
        }
        let start = [i64::from(i0) * sub, i64::from(j0) * sub];
        let edge = |a: &[i64; 3], b: &[i64; 3]| {
            let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
            let own = dy > 0 || (dy == 0 && dx > 0);
            let at = dx * (start[1] - a[1]) - dy * (start[0] - a[0]) - i64::from(!own);
            [at, -dy * sub, dx * sub]
        };
        let edges = [edge(&p, &q), edge(&q, &r), edge(&r, &p)];
        let mut row = edges.map(|e| e[0]);
        let mut plane = None;
        for j in j0..=j1 {
            let mut e = row;
            for i in i0..=i1 {
                if e[0] | e[1] | e[2] >= 0 {
                    let plane = plane.get_or_insert_with(|| Plane::new(&p, &q, &r, turn.abs()));
                    let depth = plane.at(i64::from(i) * sub, i64::from(j) * sub);
                    emit(j as u32 * self.pixels[0] + i as u32, depth, front);
                }
                e = [e[0] + edges[0][1], e[1] + edges[1][1], e[2] + edges[2][1]];
            }
            row = [row[0] + edges[0][2], row[1] + edges[1][2], row[2] + edges[2][2]];
        }
    }
}
