//! Coverage: which pixels a triangle covers, and how deep it is at their centres. All of image space reads
//! its surfaces through this module.
//!
//! Corners lie on an integer lattice: whole sub-pixels across, whole steps deep. A pixel is covered where its
//! centre lies inside the triangle. A centre on an edge belongs to the side that a shift by (+ε, −ε²) takes it
//! to (the top-left rule), so two triangles that share an edge never both cover a centre on it and never both
//! miss it, and on a closed mesh the faces along every line come in pairs, front and back. (Pineda, "A parallel
//! algorithm for polygon rasterization", 1988.) Depth is that of the plane through the three corners, rounded
//! to the nearest step, halves up. Since all of this is decided in integers, scalar code, SIMD code and a
//! device come to the same bits.
//!
//! Pictures (height maps, clouds) want no crossings but a value in every pixel: [`rows`] covers a row at a time and
//! interpolates in floating point, [`eight`] does so for eight pixels at once. What they cover is the same. Where nothing
//! between the centres may be missed, [`dilated`] covers every pixel that a triangle may meet.
//!
//! How far a corner may lie from the view decides only how it is computed: below 2²⁵ sub-pixels four triangles
//! at once in `f64`, whose 53 bits hold every edge function exactly ([`four`]), or four pixels of a triangle that has room for more than one
//! ([`wide`]); below 2²⁹ in 64-bit integers;
//! else in 128-bit integers ([`scalar`]). Coordinates beyond 2⁵⁵ are held there: that is 2³⁵ widths of a view of
//! 16 pixels, and a vertex is held at the same place for all its triangles, so closed meshes stay closed.

mod dilated;
mod edge;
pub(crate) mod eight;
mod four;
mod integer;
mod mesh;
pub(crate) mod rows;
mod scalar;
mod wide;

#[cfg(test)]
mod oracle;
#[cfg(test)]
mod tests;

pub(crate) use dilated::{Slope, cover_dilated};
pub(crate) use four::{FourCorners, LANES};
pub(crate) use integer::{nearest, steps};
pub(crate) use mesh::{Place, cover_mesh, cover_snapped};
pub(crate) use scalar::Corners;
#[cfg(test)]
pub(crate) use scalar::cover;

/// The pixels of a view on the lattice: centres are whole pixels apart, and the first one's is at zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grid {
    /// Pixels to the right, and up.
    pub pixels: [u32; 2],
    /// Binary digits of the sub-pixels of a pixel.
    pub sub_bits: u32,
    /// Triangles that lie wholly behind this depth are not seen (steps).
    pub far: i64,
}

/// Takes the crossings of triangles and the lines through pixels' centres.
pub(crate) trait Sink {
    /// Whether faces that are turned this way are drawn.
    #[inline(always)]
    fn draws(&self, _front: bool) -> bool {
        true
    }

    /// Whether a crossing of this pixel is wanted.
    #[inline(always)]
    fn wants(&self, _pixel: usize) -> bool {
        true
    }

    /// A crossing: pixel (row after row), depth (steps), face, triangle.
    fn put(&mut self, pixel: usize, depth: i64, front: bool, triangle: u32);
}
