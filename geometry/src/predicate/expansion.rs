//! The one sign that needs four points in the plane: the cross product of two exact differences.
//!
//! Error-free transformations after Dekker, "A Floating-Point Technique for Extending the Available
//! Precision", 1971, and Shewchuk (1997); no fused operations.

use nalgebra::Point3;

/// `x + y` as a rounded sum and its error.
#[inline]
fn two_sum(x: f64, y: f64) -> (f64, f64) {
    let s = x + y;
    let back = s - x;
    (s, (x - (s - back)) + (y - back))
}

/// `x · y` as a rounded product and its error.
#[inline]
fn two_product(x: f64, y: f64) -> (f64, f64) {
    const SPLITTER: f64 = 134_217_729.0; // 2²⁷ + 1
    let split = |v: f64| {
        let c = SPLITTER * v;
        let high = c - (c - v);
        (high, v - high)
    };
    let p = x * y;
    let ((xh, xl), (yh, yl)) = (split(x), split(y));
    (p, xl * yl - (((p - xh * yh) - xl * yh) - xh * yl))
}

/// Adds `value` to an expansion of `len` components in order of rising magnitude.
fn grow(expansion: &mut [f64], len: &mut usize, value: f64) {
    let mut carry = value;
    for component in &mut expansion[..*len] {
        let (sum, error) = two_sum(carry, *component);
        *component = error;
        carry = sum;
    }
    expansion[*len] = carry;
    *len += 1;
}

/// Sign (−1, 0 or 1) of the component along `axis` of (b − a) × (d − c), exact for the points as
/// given, although neither difference need be an `f64`.
pub fn cross_sign(axis: usize, [a, b]: [&Point3<f64>; 2], [c, d]: [&Point3<f64>; 2]) -> i8 {
    let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
    let (ui, vj) = (b[i] - a[i], d[j] - c[j]);
    let (uj, vi) = (b[j] - a[j], d[i] - c[i]);
    let (left, right) = (ui * vj, uj * vi);
    // Two roundings of differences, one of a product, one of their difference: under 4.1 · 2⁻⁵³ of
    // the magnitudes each; five leaves room for rounding the bound. The constant covers underflow.
    let bound = 5.0 * (f64::EPSILON / 2.0) * (left.abs() + right.abs()) + 1e-290;
    let det = left - right;
    if det.abs() > bound {
        return if det > 0.0 { 1 } else { -1 };
    }
    let (u, v) = (|k: usize| two_sum(b[k], -a[k]), |k: usize| two_sum(d[k], -c[k]));
    let mut terms = [0.0; 16];
    let mut len = 0;
    for (x, y, sign) in [(u(i), v(j), 1.0), (u(j), v(i), -1.0)] {
        for (p, q) in [(x.1, y.1), (x.0, y.1), (x.1, y.0), (x.0, y.0)] {
            let (product, error) = two_product(p, sign * q);
            grow(&mut terms, &mut len, error);
            grow(&mut terms, &mut len, product);
        }
    }
    // The last nonzero component of a nonoverlapping expansion has the sign of the sum.
    match terms.iter().rev().find(|&&t| t != 0.0) {
        Some(&t) if t > 0.0 => 1,
        Some(_) => -1,
        None => 0,
    }
}
