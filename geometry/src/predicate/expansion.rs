//! Signs of more than 53 bits: the cross product of two exact differences, also as seen along a direction, and
//! orientation in about twice the precision for points that rounding alone has moved out of one plane.
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

/// A number as the sum of two, the second under half a unit in the last place of the first.
#[derive(Clone, Copy)]
pub(super) struct Double(f64, f64);

impl Double {
    #[inline]
    pub fn difference(x: f64, y: f64) -> Double {
        Double::sum(x, -y)
    }

    #[inline]
    pub fn from(x: f64) -> Double {
        Double(x, 0.0)
    }

    #[inline]
    pub fn sum(x: f64, y: f64) -> Double {
        let (high, low) = two_sum(x, y);
        Double(high, low)
    }

    /// The nearest `f64`.
    #[inline]
    pub fn value(self) -> f64 {
        self.0
    }

    /// `high + low` where `high` is no smaller, or zero.
    #[inline]
    fn renormalised(high: f64, low: f64) -> Double {
        let sum = high + low;
        Double(sum, low - (sum - high))
    }

    /// Off by less than 8 · 2⁻¹⁰⁶ of the product.
    #[inline]
    pub fn times(self, other: Double) -> Double {
        let (p, e) = two_product(self.0, other.0);
        Double::renormalised(p, e + (self.0 * other.1 + self.1 * other.0))
    }

    /// Off by less than 4 · 2⁻¹⁰⁶ of the sum of the magnitudes.
    #[inline]
    pub fn plus(self, other: Double) -> Double {
        let (s, e) = two_sum(self.0, other.0);
        Double::renormalised(s, e + (self.1 + other.1))
    }

    #[inline]
    pub fn minus(self, other: Double) -> Double {
        self.plus(Double(-other.0, -other.1))
    }
}

/// [`super::orient3d`] from exact differences and pairs of `f64`; zero where even that cannot tell.
///
/// The differences are exact. Each of the determinant's six products takes two multiplications,
/// the difference in a cofactor and two sums: 8 + 4 + 8 + 4 + 4 units of 2⁻¹⁰⁶ of its magnitude;
/// 2⁻⁹⁹ is more than four times that, which covers the rounding of the bound.
pub(super) fn orient3d_doubled(a: &Point3<f64>, b: &Point3<f64>, c: &Point3<f64>, d: &Point3<f64>) -> f64 {
    let from_d = |p: &Point3<f64>| {
        [Double::difference(p.x, d.x), Double::difference(p.y, d.y), Double::difference(p.z, d.z)]
    };
    let (p, q, r) = (from_d(a), from_d(b), from_d(c));
    let (mut det, mut size) = (Double(0.0, 0.0), 0.0);
    for (k, p) in p.into_iter().enumerate() {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let (left, right) = (q[i].times(r[j]), q[j].times(r[i]));
        det = det.plus(p.times(left.minus(right)));
        size += p.0.abs() * (left.0.abs() + right.0.abs());
    }
    let bound = size * (1.0 / (1u128 << 99) as f64) + 1e-270;
    if det.0.abs() > bound { det.0 } else { 0.0 }
}

/// Adds `value` to an expansion of `len` components in order of rising magnitude. Zeros are left out.
fn grow(expansion: &mut [f64], len: &mut usize, value: f64) {
    let (mut carry, mut kept) = (value, 0);
    for k in 0..*len {
        let (sum, error) = two_sum(carry, expansion[k]);
        if error != 0.0 {
            expansion[kept] = error;
            kept += 1;
        }
        carry = sum;
    }
    if carry != 0.0 {
        expansion[kept] = carry;
        kept += 1;
    }
    *len = kept;
}

/// `v` · (x × y), summed up as an expansion: the sign is exact, and it is off by less than 2⁻⁹⁰ of it. Every one of at most six products of seven factors is a component or vanishes: 6 · 2 ·
/// 2 · 2 · 2 · 2 of them at most.
pub(super) fn triple_product(v: [Double; 3], x: [Double; 3], y: [Double; 3]) -> Double {
    let mut terms = [0.0; 192];
    let mut len = 0;
    let mut add = |w: f64, x: Double, y: Double| {
        for (p, q) in [(x.1, y.1), (x.0, y.1), (x.1, y.0), (x.0, y.0)] {
            if w == 0.0 || p == 0.0 || q == 0.0 {
                continue;
            }
            let (area, rest) = two_product(p, q);
            for part in [rest, area] {
                let (product, error) = two_product(w, part);
                grow(&mut terms, &mut len, error);
                grow(&mut terms, &mut len, product);
            }
        }
    };
    for (k, factor) in v.into_iter().enumerate() {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        for w in [factor.1, factor.0] {
            add(w, x[i], y[j]);
            add(-w, x[j], y[i]);
        }
    }
    // Components may hold a bit each: all of them count.
    terms[..len].iter().rev().fold(Double::from(0.0), |sum, &term| sum.plus(Double::from(term)))
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
    // The last component of a nonoverlapping expansion has the sign of the sum.
    match terms[..len].last() {
        Some(&t) if t > 0.0 => 1,
        Some(_) => -1,
        None => 0,
    }
}
