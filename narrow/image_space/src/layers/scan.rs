//! Four triangles of a surface at once, from their corners to the pixels that they cover.
//!
//! What a triangle covers is decided in the same whole numbers as by [`Target::cover`], which takes what is left over:
//! whatever has room for more than one pixel's centre, and what is too large for `f64` to hold its edges.

use impinge_geometry::simd::{Kernel, Simd};
use impinge_geometry::{Side, TriMesh};

use super::depth::Depth;
use super::fragment::{Fragment, MAGIC};
use super::raster::{SUB, Target};
use crate::snap::Snap;

/// Below this many sub-pixels in size (2²⁴) the products of two differences stay below 2⁵², and `f64` holds
/// every edge as it is.
const NEAR: f64 = 16_777_216.0;

/// Triangles at once.
const LANES: usize = 4;

/// A number for each.
type Four = [f64; LANES];

/// Writes the fragments of some triangles of a mesh.
pub(super) struct Scan<'a, 't> {
    pub target: &'a mut Target<'t>,
    pub snap: &'a Snap,
    pub mesh: &'a TriMesh,
    pub triangles: &'a [u32],
    pub side: Side,
}

impl Kernel for Scan<'_, '_> {
    type Output = ();

    /// The lanes are plain arrays: the compiler has the level's instructions for them, whose bits are the same.
    #[inline(always)]
    fn run<S: Simd>(self) {
        let Scan { target, snap, mesh, triangles, side } = self;
        for own in triangles.chunks(LANES) {
            four(target, snap, mesh, own, side);
        }
    }
}

#[inline(always)]
fn four(target: &mut Target<'_>, snap: &Snap, mesh: &TriMesh, own: &[u32], side: Side) {
    let placed = place(snap, mesh, own);
    let last = f64::from(target.count) - 1.0;
    let limit = f64::from(target.count) * SUB as f64;
    // Whether something of a triangle can be seen, and whether it is near enough for this.
    let (mut seen, mut near) = ([true; LANES], [true; LANES]);
    // Snapped corners, and the first and the last pixel that they have room for.
    let mut at = [[[0.0; LANES]; 3]; 2];
    let mut first = [[0i32; LANES]; 2];
    let mut end = [[0i32; LANES]; 2];
    for k in 0..2 {
        let [a, b, c] = [&placed[0][k], &placed[1][k], &placed[2][k]];
        for lane in 0..LANES {
            let (low, high) =
                (lesser(lesser(a[lane], b[lane]), c[lane]), greater(greater(a[lane], b[lane]), c[lane]));
            seen[lane] &= (high >= -1.0) & (low <= limit);
            near[lane] &= (low > -NEAR) & (high < NEAR);
            first[k][lane] = (whole(low) + (SUB as i32 - 1)) >> 8;
            end[k][lane] = whole(high) >> 8;
            first[k][lane] = first[k][lane].max(0);
            end[k][lane] = end[k][lane].min(last as i32);
        }
        for i in 0..3 {
            for lane in 0..LANES {
                at[k][i][lane] = f64::from(whole(placed[i][k][lane]));
            }
        }
    }
    let mut single = [true; LANES];
    let mut covers = [false; LANES];
    let mut back = [false; LANES];
    for lane in 0..LANES {
        let fits = (first[0][lane] <= end[0][lane]) & (first[1][lane] <= end[1][lane]);
        seen[lane] = !near[lane] | (seen[lane] & fits);
        single[lane] = near[lane] & (first[0][lane] == end[0][lane]) & (first[1][lane] == end[1][lane]);
    }
    let [x, y] = &at;
    let mut pixel = [[0.0; LANES]; 2];
    for k in 0..2 {
        for lane in 0..LANES {
            pixel[k][lane] = f64::from(first[k][lane] << 8);
        }
    }
    for lane in 0..LANES {
        let turn = (x[1][lane] - x[0][lane]) * (y[2][lane] - y[0][lane])
            - (x[2][lane] - x[0][lane]) * (y[1][lane] - y[0][lane]);
        back[lane] = turn > 0.0;
        covers[lane] = turn != 0.0;
    }
    for k in 0..3 {
        let to = (k + 1) % 3;
        for lane in 0..LANES {
            let (dx, dy) = (x[to][lane] - x[k][lane], y[to][lane] - y[k][lane]);
            let edge = dx * (pixel[1][lane] - y[k][lane]) - dy * (pixel[0][lane] - x[k][lane]);
            // The other way round for front faces, whose corners go clockwise: all signs change.
            let turned = if back[lane] { 1.0 } else { -1.0 };
            let (dx, dy, edge) = (dx * turned, dy * turned, edge * turned);
            let own = (dy > 0.0) | ((dy == 0.0) & (dx > 0.0));
            covers[lane] &= (edge > 0.0) | ((edge == 0.0) & own);
        }
    }
    for (lane, &triangle) in own.iter().enumerate() {
        if !seen[lane] {
            continue;
        }
        let c = [0, 1, 2].map(|i| [0, 1, 2].map(|k| placed[i][k][lane]));
        if !single[lane] {
            target.cover(&c, snap.far, side, triangle);
            continue;
        }
        let [i, j] = [first[0][lane], first[1][lane]];
        let pixel = (j * target.count as i32 + i) as usize;
        if covers[lane] && target.asked[pixel] && lesser(lesser(c[0][2], c[1][2]), c[2][2]) <= snap.far {
            let depth = Depth::new(&c).at(i.into(), j.into());
            target.push(pixel, Fragment::at_step(depth, !back[lane], side, triangle));
        }
    }
}

/// The corners of up to four triangles in the view: corner, axis, triangle. Those that are missing are like the last.
#[inline(always)]
fn place(snap: &Snap, mesh: &TriMesh, own: &[u32]) -> [[Four; 3]; 3] {
    let (vertices, corners) = (mesh.vertices(), mesh.triangles());
    let mut from = [[[0.0; LANES]; 3]; 3];
    for lane in 0..LANES {
        let triangle = corners[own[lane.min(own.len() - 1)] as usize];
        for i in 0..3 {
            let v = &vertices[triangle[i] as usize];
            from[i][0][lane] = f64::from(v.x);
            from[i][1][lane] = f64::from(v.y);
            from[i][2][lane] = f64::from(v.z);
        }
    }
    let mut placed = [[[0.0; LANES]; 3]; 3];
    for i in 0..3 {
        let [x, y, z] = &from[i];
        for (k, placed) in placed[i].iter_mut().enumerate() {
            let ([a, b, c], s) = (&snap.rows[k], snap.shift[k]);
            for lane in 0..LANES {
                // In the order of `Snap::place`.
                placed[lane] = (a * x[lane] + b * y[lane] + c * z[lane]) + s;
            }
        }
    }
    placed
}

/// The nearest whole number of one below 2²⁴ in size: it is in the last bits.
#[inline(always)]
fn whole(x: f64) -> i32 {
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
