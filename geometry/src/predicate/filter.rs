//! Orientation in `f32` beside a local origin, with a bound that never lies.
//!
//! The points that are judged are `f64`; what is evaluated are `f32` points near them. With `δ` the
//! greatest error of a coordinate (m), `u = 2⁻²⁴` and `L` the largest coordinate of the three
//! difference vectors as computed:
//!
//! - a computed difference is off by `η ≤ 2δ + u(1 + u)L`: both points are, and the subtraction
//!   rounds;
//! - the determinant's nine cofactors are at most `2L²`, so that `3·3·2L²·η = 36δL² + 18uL³` bounds
//!   the first order of what the differences' errors do to it; the second and third orders are
//!   at most `18η²L + 6η³`, under a sixteenth of that while `δ ≤ L/64`;
//! - evaluating it takes five roundings per product of three (two products, the difference inside
//!   the cofactor, two sums) and all products together are at most `6L³`: `30uL³`.
//!
//! Together `36δL² + 48uL³`, and a sixteenth more for the higher orders and for rounding the bound
//! itself. `L` must stay between 2⁻²⁰ and 2⁴⁰ so that nothing leaves the range of `f32`: scale
//! lengths by a power of two to about unit size. Outside these limits the answer is *uncertain*.

use nalgebra::Point3;

/// What a filter can say about a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilteredSign {
    /// Certainly above zero.
    Positive,
    /// Certainly below zero.
    Negative,
    /// The exact predicate must be asked.
    Uncertain,
}

/// Carries `f64` points to `f32` beside an origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalFilter {
    /// What becomes the origin (m).
    pub origin: Point3<f64>,
    /// A power of two that lengths are multiplied by.
    pub scale: f64,
}

impl LocalFilter {
    /// A filter for points that lie within about `reach` (m, positive) of `origin`: lengths are
    /// scaled so that `reach` becomes 1 to 2.
    pub fn new(origin: Point3<f64>, reach: f64) -> LocalFilter {
        let exponent = if reach > 0.0 && reach.is_finite() { libm::ilogb(reach) } else { 0 };
        LocalFilter { origin, scale: libm::scalbn(1.0, -exponent.clamp(-1000, 1000)) }
    }

    /// The local `f32` point of `p`, and a bound of the error of its coordinates (scaled lengths).
    #[inline]
    pub fn local(&self, p: &Point3<f64>) -> ([f32; 3], f32) {
        let x = [0, 1, 2].map(|k| ((p[k] - self.origin[k]) * self.scale) as f32);
        let largest = x[0].abs().max(x[1].abs()).max(x[2].abs());
        // Half a unit in the last place of f32, the subtraction in f64, and room; the constant
        // covers what falls below the least normal number.
        (x, largest * (1.01 * UNIT) + f32::MIN_POSITIVE)
    }
}

const UNIT: f32 = f32::EPSILON / 2.0;

/// The sign of `orient3d(a, b, c, d)` of the `f64` points that these `f32` points stand for, each
/// coordinate within `delta` of the true one.
#[inline]
pub fn orient3d_filtered(a: &[f32; 3], b: &[f32; 3], c: &[f32; 3], d: &[f32; 3], delta: f32) -> FilteredSign {
    let difference = |p: &[f32; 3]| [p[0] - d[0], p[1] - d[1], p[2] - d[2]];
    let (p, q, r) = (difference(a), difference(b), difference(c));
    let mut largest = 0.0f32;
    for v in [&p, &q, &r] {
        largest = largest.max(v[0].abs()).max(v[1].abs()).max(v[2].abs());
    }
    let in_range = (9.536_743e-7..=1.099_511_6e12).contains(&largest);
    // Written so that NaN is uncertain.
    if !(in_range && delta <= largest * (1.0 / 64.0)) {
        return FilteredSign::Uncertain;
    }
    let det = p[0] * (q[1] * r[2] - q[2] * r[1])
        + p[1] * (q[2] * r[0] - q[0] * r[2])
        + p[2] * (q[0] * r[1] - q[1] * r[0]);
    let square = largest * largest;
    let bound = (36.0 * delta * square + 48.0 * UNIT * square * largest) * (17.0 / 16.0);
    if det > bound {
        FilteredSign::Positive
    } else if det < -bound {
        FilteredSign::Negative
    } else {
        FilteredSign::Uncertain
    }
}
