//! How deep a triangle is at the centres of pixels.

use super::fragment::{nearest, steps};
use crate::view::SUB_PIXELS;

/// Bits behind the point of the depths over a triangle.
const FRACTION: u32 = 12;

/// Steps from pixel to pixel, and at the first pixel, beyond which a triangle is seen from its side.
const STEEPEST: f64 = (1u64 << 38) as f64;
const DEEPEST: f64 = (1u64 << 48) as f64;

/// The plane of a triangle over the view, in whole numbers: depth at a pixel's centre, held within the
/// triangle's own range of depths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Depth {
    /// At the first pixel, and half a step, in steps of 2⁻¹².
    pub at: i64,
    /// From one pixel to the next, to the right and up.
    pub along: [i64; 2],
    /// Steps.
    pub least: i32,
    /// See `least`.
    pub most: i32,
}

impl Depth {
    /// Of a triangle in sub-pixels from the first pixel's centre, and depth steps.
    #[inline]
    pub fn new(c: &[[f64; 3]; 3]) -> Depth {
        let (least, most) = range(c, 2);
        let (u, v) = (sub(&c[1], &c[0]), sub(&c[2], &c[0]));
        let flat = u[0] * v[1] - v[0] * u[1];
        let gx = (u[2] * v[1] - v[2] * u[1]) / flat;
        let gy = (u[0] * v[2] - v[0] * u[2]) / flat;
        let at = c[0][2] - gx * c[0][0] - gy * c[0][1];
        let (gx, gy) = (gx * SUB_PIXELS, gy * SUB_PIXELS);
        // Seen from its side, a triangle has no slope to speak of: any depth of its own will do.
        // (Not a number is not less.)
        let sloped = gx.abs() < STEEPEST && gy.abs() < STEEPEST && at.abs() < DEEPEST;
        let (at, along) = if sloped { (at, [gx, gy]) } else { (c[0][2], [0.0; 2]) };
        let fixed = |x: f64| nearest(x * f64::from(1 << FRACTION)) as i64;
        Depth {
            at: fixed(at.clamp(-DEEPEST, DEEPEST)) + (1 << (FRACTION - 1)),
            along: along.map(fixed),
            least: steps(least),
            most: steps(most),
        }
    }

    /// Steps at pixel `(i, j)`, both below 2^10.
    #[inline]
    pub fn at(&self, i: i64, j: i64) -> i32 {
        let z = (self.at + self.along[0] * i + self.along[1] * j) >> FRACTION;
        z.clamp(self.least.into(), self.most.into()) as i32
    }
}

/// The least and the greatest of a coordinate.
#[inline]
pub(super) fn range(c: &[[f64; 3]; 3], k: usize) -> (f64, f64) {
    // All are numbers: the library's `min` and `max` would ask.
    let lesser = |x: f64, y: f64| if x < y { x } else { y };
    let greater = |x: f64, y: f64| if x > y { x } else { y };
    (lesser(lesser(c[0][k], c[1][k]), c[2][k]), greater(greater(c[0][k], c[1][k]), c[2][k]))
}

#[inline]
fn sub(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}
