//! The triangles that a view may show, in whole numbers: where a device has nothing to round, it sees the same.
//!
//! This is what views' own rasteriser does, one triangle at a time (`layers/raster.rs`, `layers/depth.rs`); a
//! device does it over meshes that it has, from a [`Snap`] and the triangles' numbers alone.

use impinge_geometry::{PairFrame, Side, TriMesh};
use nalgebra::Point3;

use crate::layers::{Depth, Snapped};
use crate::view::{SUB_PIXELS, View};

/// A triangle of a view in whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnappedTriangle {
    /// Whether its outward normal points against the view.
    pub front: bool,
    /// The first and the last pixel to the right, and up, whose centre it may cover.
    pub area: [[u32; 2]; 2],
    /// The edge functions at the view's first pixel, in units of a pixel: the centre of a pixel is covered
    /// where none is negative. Held within ±2³⁰, where no pixel of the view can change their sign.
    pub edge: [i32; 3],
    /// What the first two of them change by from one pixel to the next, to the right and up; the third
    /// changes by the opposite of their sum.
    pub across: [[i32; 2]; 2],
    /// Depth at the first pixel, and half a step, in steps of 2⁻¹².
    pub at: i64,
    /// What it changes by from one pixel to the next, to the right and up.
    pub along: [i64; 2],
    /// Least and greatest depth (steps).
    pub least: i32,
    /// See `least`.
    pub most: i32,
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

/// No edge function leaves ±2³⁰ within a view where its start is within, and its changes add up to no more.
const EDGE: i64 = 1 << 30;

impl Snap {
    /// The map from one side of a pair.
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
    pub fn place(&self, p: &Point3<f32>) -> [f64; 3] {
        let (x, y, z) = (f64::from(p.x), f64::from(p.y), f64::from(p.z));
        let ([a, b, c], [s, t, u]) = (&self.rows, self.shift);
        [
            (a[0] * x + a[1] * y + a[2] * z) + s,
            (b[0] * x + b[1] * y + b[2] * z) + t,
            (c[0] * x + c[1] * y + c[2] * z) + u,
        ]
    }

    /// The corners of a triangle.
    #[inline]
    pub fn corners(&self, mesh: &TriMesh, triangle: u32) -> [[f64; 3]; 3] {
        mesh.corners(triangle).map(|p| self.place(&p))
    }

    /// A triangle of a mesh in a view of `count`² pixels.
    ///
    /// # Errors
    /// [`Unsnapped`] says why there is none.
    pub fn triangle(&self, mesh: &TriMesh, triangle: u32, count: u32) -> Result<SnappedTriangle, Unsnapped> {
        let corners = self.corners(mesh, triangle);
        let snapped = Snapped::new(&corners, self.far, count).ok_or(Unsnapped::Nothing)?;
        if !snapped.small {
            return Err(Unsnapped::NoRoom);
        }
        let edges = snapped.edges().ok_or(Unsnapped::Nothing)?;
        // The changes are whole pixels, so the fractions of a pixel at the start never matter.
        let pixels = |x: i64| x >> 8;
        let most = EDGE / 2 / i64::from(count);
        if edges.by_i.iter().chain(&edges.by_j).any(|&d| pixels(d).abs() > most) {
            return Err(Unsnapped::NoRoom);
        }
        let across = |k: usize| [pixels(edges.by_i[k]) as i32, pixels(edges.by_j[k]) as i32];
        let Depth { at, along, least, most } = Depth::new(&corners);
        Ok(SnappedTriangle {
            front: !edges.back,
            area: snapped.pixels(),
            edge: edges.start.map(|e| pixels(e).clamp(-EDGE, EDGE) as i32),
            across: [across(0), across(1)],
            at,
            along,
            least,
            most,
        })
    }
}
