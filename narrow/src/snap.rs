//! The triangles that a view may show, in whole numbers: where a device has nothing to round, it sees the same.
//!
//! This is what views' own rasteriser does, one triangle at a time (`coverage/`); a
//! device does it over meshes that it has, from a [`Snap`] and the triangles' numbers alone.

use impinge_geometry::{PairFrame, Side, TriMesh};
use nalgebra::{Matrix3, Point3, Vector3};

use crate::coverage::{Corners, FourCorners, Grid, LANES, Place, nearest};
use crate::view::{SUB_BITS, View};

/// A triangle of a view in whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileTriangle {
    /// Whether its outward normal points against the view.
    pub front: bool,
    /// The first and the last pixel to the right, and up, whose centre it may cover.
    pub area: [[u32; 2]; 2],
    /// Its corners, counter-clockwise: sub-pixels from the first pixel's centre to the right.
    pub x: [i32; 3],
    /// The same upwards.
    pub y: [i32; 3],
    /// Depth (steps).
    pub z: [i32; 3],
}

/// From the frame of a body straight to a view: sub-pixels from the centre of the first pixel, and depth
/// steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Snap {
    /// Right, up, depth.
    pub rows: [[f64; 3]; 3],
    /// What is added to each.
    pub shift: [f64; 3],
    /// Depth beyond which nothing is seen (steps).
    pub far: f64,
}

/// A triangle that a view does not show, or that 32 bits have no room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsnapped {
    /// It covers no pixel's centre.
    Nothing,
    /// It is too large for the pixels of the view.
    NoRoom,
}

/// Whether a number is zero, or far from the ends of `f64`.
pub(crate) fn plain(x: &f64) -> bool {
    *x == 0.0 || (2f64.powi(-PLAIN)..2f64.powi(PLAIN)).contains(&x.abs())
}

/// Corners of a [`TileTriangle`] are nearer than this across (sub-pixels), and in depth (steps).
const ACROSS: i64 = 1 << 29;
const DEEP: i64 = 1 << 30;

/// Beyond these powers of two a product of a vertex and a row might leave the numbers that a device computes with.
const PLAIN: i32 = 200;

impl Snap {
    /// The map from one side of a pair.
    pub(crate) fn new(view: &View, frame: &PairFrame, side: Side) -> Snap {
        Snap::of_body(view, &frame.rotation[side.index()], &frame.offset[side.index()])
    }

    /// The map from a body whose frame is turned by `rotation` and stands at `position` (m), where the view does.
    pub(crate) fn of_body(view: &View, rotation: &Matrix3<f64>, position: &Vector3<f64>) -> Snap {
        let offset = position - view.anchor.coords;
        let sub = view.sub_pixels();
        let scales = [sub / view.pixel[0], sub / view.pixel[1], 1.0 / view.step];
        let starts = [
            view.first[0] as f64 * sub + 0.5 * sub,
            view.first[1] as f64 * sub + 0.5 * sub,
            view.near / view.step,
        ];
        let axes = [&view.axes.right, &view.axes.up, &view.axes.depth];
        Snap {
            rows: std::array::from_fn(|k| {
                let r = rotation.tr_mul(axes[k]) * scales[k];
                [r.x, r.y, r.z]
            }),
            shift: std::array::from_fn(|k| axes[k].dot(&offset) * scales[k] - starts[k]),
            far: (view.far - view.near) / view.step,
        }
    }

    /// Where a point of the body is.
    #[inline]
    pub(crate) fn place(&self, p: &Point3<f32>) -> [f64; 3] {
        self.at([p.x, p.y, p.z].map(f64::from))
    }

    /// Where a place in the body's frame is.
    #[inline]
    pub(crate) fn at(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let ([a, b, c], [s, t, u]) = (&self.rows, self.shift);
        [
            (a[0] * x + a[1] * y + a[2] * z) + s,
            (b[0] * x + b[1] * y + b[2] * z) + t,
            (c[0] * x + c[1] * y + c[2] * z) + u,
        ]
    }

    /// The corners of a triangle.
    #[inline]
    pub(crate) fn corners(&self, mesh: &TriMesh, triangle: u32) -> [[f64; 3]; 3] {
        mesh.corners(triangle).map(|p| self.place(&p))
    }

    /// Whether no product or sum of its numbers and a mesh's comes near the ends of `f64`.
    pub(crate) fn is_plain(&self) -> bool {
        self.rows.iter().flatten().chain(&self.shift).all(plain)
    }

    /// A triangle of a mesh in a view of `count`² pixels.
    ///
    /// # Errors
    /// [`Unsnapped`] says why there is none.
    pub fn triangle(&self, mesh: &TriMesh, triangle: u32, count: u32) -> Result<TileTriangle, Unsnapped> {
        let grid = Grid { pixels: [count; 2], sub_bits: SUB_BITS, far: self.far.floor() as i64 };
        let corners = Corners::nearest(&self.corners(mesh, triangle));
        let [[i, i_last], [j, j_last]] = [grid.candidates(&corners.x, 0), grid.candidates(&corners.y, 1)];
        if i > i_last || j > j_last || corners.z.iter().all(|z| *z > grid.far) {
            return Err(Unsnapped::Nothing);
        }
        let room = |v: &[i64; 3], most: i64| v.iter().all(|x| (1 - most..most).contains(x));
        if !(room(&corners.x, ACROSS) && room(&corners.y, ACROSS) && room(&corners.z, DEEP)) {
            return Err(Unsnapped::NoRoom);
        }
        let turn = corners.turn();
        if turn == 0 {
            return Err(Unsnapped::Nothing);
        }
        let front = turn < 0;
        let order = if front { [0, 2, 1] } else { [0, 1, 2] };
        let of = |v: [i64; 3]| order.map(|k| v[k] as i32);
        Ok(TileTriangle {
            front,
            area: [[i as u32, i_last as u32], [j as u32, j_last as u32]],
            x: of(corners.x),
            y: of(corners.y),
            z: of(corners.z),
        })
    }
}

impl Place for Snap {
    #[inline(always)]
    fn four(&self, vertices: &FourCorners) -> FourCorners {
        let mut placed = [[[0.0; LANES]; 3]; 3];
        for i in 0..3 {
            let [x, y, z] = &vertices[i];
            for k in 0..3 {
                let ([a, b, c], s) = (&self.rows[k], self.shift[k]);
                for lane in 0..LANES {
                    // In the order of `Snap::place`.
                    placed[i][k][lane] = nearest((a * x[lane] + b * y[lane] + c * z[lane]) + s);
                }
            }
        }
        placed
    }
}
