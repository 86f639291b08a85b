//! What is drawn, and where it goes.

use std::ops::Range;

use impinge_geometry::simd::F32x8 as Wide;

use crate::coverage::rows::snap;

/// A vertex on a picture: whole sub-pixels to the right and down, and its value. Not a number where the
/// lanes cannot hold it.
pub(crate) type Spot = [f32; 4];

/// Coordinates of spots stay below this (sub-pixels), 8,192 pixels.
const LIMIT: f64 = (1 << 21) as f64;

/// Lanes.
pub(super) const EIGHT: usize = 8;

/// Snaps a vertex: pixels to the right and down, and its value.
#[inline(always)]
pub(crate) fn spot(at: [f64; 3]) -> Spot {
    let [x, y] = [snap(at[0]), snap(at[1])];
    let held = x.abs() < LIMIT && y.abs() < LIMIT && at[2].is_finite();
    if held { [x as f32, y as f32, at[2] as f32, 0.0] } else { [f32::NAN; 4] }
}

/// Takes what is drawn. Which of two values of a pixel it keeps must not depend on their order.
pub(crate) trait PixelSink {
    /// Whether a small triangle's windows of eight pixels are always the same ones: what one triangle has
    /// written the next one then finds where the processor still holds it. From its own first pixel on most
    /// triangles need one window instead of two, which is better where a window costs much.
    const ALIGNED: bool = true;

    /// Values of eight pixels of a row from place `at` on, where `mask` is set, of triangle `number`.
    fn eight<W: Wide>(&mut self, at: usize, mask: W, value: W, number: u32);
}

/// Puts the bits of `own` into whole numbers where `mask` is set.
#[inline(always)]
pub(crate) fn put<W: Wide>(mask: W, own: W, to: &mut [u32; 8]) {
    let mut held = [0.0; EIGHT];
    for lane in 0..EIGHT {
        held[lane] = f32::from_bits(to[lane]);
    }
    let mut out = [0.0; EIGHT];
    mask.select(own, W::load(&held)).store(&mut out);
    // Seen through, it becomes a masked store, which takes some processors tens of cycles.
    let out = std::hint::black_box(out);
    for lane in 0..EIGHT {
        to[lane] = out[lane].to_bits();
    }
}

/// Triangles to be drawn into rows of a picture.
pub(crate) struct Batch<'a> {
    pub spots: &'a [Spot],
    pub triangles: &'a [[u32; 3]],
    /// Those of them that are drawn; all where there is none.
    pub listed: Option<&'a [u32]>,
    /// Whether triangles that turn their inner side to the viewer are passed over.
    pub outside_only: bool,
    pub width: u32,
    /// Columns beside which nothing has to be drawn.
    pub columns: Range<u32>,
    /// The rows; the sink's place 0 is the first pixel of the first.
    pub rows: Range<u32>,
}
