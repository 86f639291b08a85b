//! Fractions of integers of any length.

use num_bigint::{BigInt, Sign};

/// `above / below`, `below` positive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rational {
    /// The numerator.
    pub above: BigInt,
    /// The denominator, positive.
    pub below: BigInt,
}

impl Rational {
    /// The value of a number that is finite.
    pub fn exactly(x: f64) -> Rational {
        let (mantissa, exponent) = crate::exact::mantissa_and_exponent(x);
        let (above, one) = (BigInt::from(mantissa), BigInt::from(1));
        if exponent >= 0 {
            Rational { above: above << exponent as usize, below: one }
        } else {
            Rational { above, below: one << -exponent as usize }
        }
    }

    /// The nearest `f64`.
    pub fn nearest(&self) -> f64 {
        let (above, negative) = (self.above.magnitude(), self.above.sign() == Sign::Minus);
        let below = self.below.magnitude();
        if above.bits() == 0 {
            return 0.0;
        }
        // A quotient of 66 or 67 bits, the last of which says whether there is more.
        let shift = 66 - (above.bits() as i64 - below.bits() as i64);
        let (above, below) = if shift >= 0 {
            (above << shift as usize, below.clone())
        } else {
            (above.clone(), below << -shift as usize)
        };
        let quotient = &above / &below;
        let more = u128::from(&quotient * &below != above);
        let digits = quotient.iter_u64_digits().rev().fold(0u128, |sum, digit| sum << 64 | u128::from(digit));
        // In two steps, as a power of two alone may be no number.
        let (half, size) = ((-shift / 2) as i32, (digits | more) as f64);
        let value = size * 2f64.powi(half) * 2f64.powi((-shift) as i32 - half);
        if negative { -value } else { value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for x in [1.0, -0.1, 3e-200, 1e300, 123_456_789.125, -f64::EPSILON] {
            let Rational { above, below } = Rational::exactly(x);
            let third = Rational { above: above.clone(), below: &below * 3 };
            assert_eq!(Rational { above: above * 7, below: below * 7 }.nearest(), x);
            assert!((third.nearest() - x / 3.0).abs() <= f64::EPSILON * x.abs());
        }
        assert_eq!(Rational::exactly(0.0).nearest(), 0.0);
    }
}
