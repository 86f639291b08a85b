//! Signs of polynomials in coordinates, in integers of any length.
//!
//! Finite `f64`s are integers times powers of two. Brought to one power, a set of points becomes a set of
//! integer points, the same up to a scale that changes no sign.

use std::array::from_fn;

use nalgebra::Point3;
use num_bigint::{BigInt, Sign};

/// An integer vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Integers(pub [BigInt; 3]);

/// Points as integers, all on one scale.
pub(crate) fn integers<const N: usize>(points: [&Point3<f64>; N]) -> [Integers; N] {
    let split = points.map(|p| [p.x, p.y, p.z].map(mantissa_and_exponent));
    let nonzero = split.iter().flatten().filter(|(mantissa, _)| *mantissa != 0);
    let least = nonzero.map(|(_, exponent)| *exponent).min().unwrap_or(0);
    split.map(|p| {
        Integers(p.map(|(mantissa, exponent)| {
            if mantissa == 0 { BigInt::ZERO } else { BigInt::from(mantissa) << (exponent - least) as usize }
        }))
    })
}

/// The number as an integer times a power of two.
pub(crate) fn mantissa_and_exponent(x: f64) -> (i64, i32) {
    assert!(x.is_finite(), "canonical geometry is finite, {x} is not");
    let bits = x.to_bits();
    let (fraction, power) = ((bits & ((1 << 52) - 1)) as i64, (bits >> 52 & 0x7ff) as i32);
    // Subnormal numbers have no hidden bit and the exponent of the smallest normal ones.
    let (magnitude, exponent) =
        if power == 0 { (fraction, -1074) } else { (fraction | 1 << 52, power - 1075) };
    (if x < 0.0 { -magnitude } else { magnitude }, exponent)
}

impl Integers {
    pub fn minus(&self, other: &Integers) -> Integers {
        Integers(from_fn(|k| &self.0[k] - &other.0[k]))
    }

    pub fn cross(&self, other: &Integers) -> Integers {
        let (a, b) = (&self.0, &other.0);
        Integers(from_fn(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            &a[i] * &b[j] - &a[j] * &b[i]
        }))
    }

    pub fn dot(&self, other: &Integers) -> BigInt {
        let [x, y, z] = from_fn(|k| &self.0[k] * &other.0[k]);
        x + y + z
    }

    pub fn is_zero(&self) -> bool {
        self.0.iter().all(|x| x.sign() == Sign::NoSign)
    }
}

/// −1, 0 or 1.
pub(crate) fn sign(x: &BigInt) -> i32 {
    match x.sign() {
        Sign::Minus => -1,
        Sign::NoSign => 0,
        Sign::Plus => 1,
    }
}

/// Sign of a × b · c for the vectors a, b, c from `p`: exact.
pub(crate) fn orientation(p: &Point3<f64>, [a, b, c]: [&Point3<f64>; 3]) -> i32 {
    certain_orientation(p, [a, b, c]).unwrap_or_else(|| {
        let [p, a, b, c] = integers([p, a, b, c]);
        sign(&a.minus(&p).cross(&b.minus(&p)).dot(&c.minus(&p)))
    })
}

/// As [`orientation`], where `f64` is enough to be sure of it.
pub(crate) fn certain_orientation(p: &Point3<f64>, corners: [&Point3<f64>; 3]) -> Option<i32> {
    let [a, b, c] = corners.map(|v| v - p);
    let minors: [[f64; 2]; 3] = from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        [a[i] * b[j], a[j] * b[i]]
    });
    let value: f64 = (0..3).map(|k| (minors[k][0] - minors[k][1]) * c[k]).sum();
    let size: f64 = (0..3).map(|k| (minors[k][0].abs() + minors[k][1].abs()) * c[k].abs()).sum();
    certain(value, size)
}

/// The sign of a value that was added up from products of up to three differences, if it is farther from zero
/// than the rounding of terms of that size in all: ten roundings of each, and what underflow takes.
pub(crate) fn certain(value: f64, size: f64) -> Option<i32> {
    let sure = value.abs() > 32.0 * f64::EPSILON * size + 1e-280 && size.is_finite();
    sure.then_some(if value > 0.0 { 1 } else { -1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_values() {
        for x in [0.0, -0.0, 1.0, -1.5, f64::MAX, -f64::MIN_POSITIVE, f64::from_bits(1), 0.1, -3e-310] {
            let (mantissa, exponent) = mantissa_and_exponent(x);
            // Two steps, as 2^exponent alone may be no number.
            let half = exponent / 2;
            assert_eq!(mantissa as f64 * 2f64.powi(half) * 2f64.powi(exponent - half), x);
        }
    }

    #[test]
    fn the_least_step_out_of_a_plane_is_seen() {
        let origin = Point3::origin();
        let [x, y] = [Point3::new(1.0, 0.0, 0.0), Point3::new(0.0, 1.0, 0.0)];
        for z in [f64::from_bits(1), 1e-300, 1e-17, 1.0, 1e300] {
            let above = Point3::new(0.3, 0.1, z);
            assert_eq!(orientation(&origin, [&x, &y, &above]), 1);
            assert_eq!(orientation(&origin, [&y, &x, &above]), -1);
        }
        assert_eq!(orientation(&origin, [&x, &y, &Point3::new(0.1, 1e200, 0.0)]), 0);
        // Far away, half a unit in the last place decides what floating point rounds off.
        let far = |p: [f64; 3]| Point3::from(p) + nalgebra::Vector3::repeat(1e15);
        let [o, a, b] = [far([0.0; 3]), far([1.0, 2.0, 3.0]), far([2.0, 4.0, 6.5])];
        assert_eq!(orientation(&o, [&a, &b, &far([3.0, 6.0, 9.5])]), 0);
    }
}
