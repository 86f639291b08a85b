//! The integers that triangles are covered in. A depth is a quotient of two of them, rounded to the nearest without
//! integer division.

/// 1.5 · 2⁵²: added to a number below 2⁵¹ in size it leaves the nearest whole number in the last bits.
pub(super) const MAGIC: f64 = 6_755_399_441_055_744.0;

/// Depths up to this size (steps) leave room for the quotient in 64 bits; see [`Integer::quotient`].
pub(super) const DEEPEST: i64 = 1 << 46;

/// The nearest whole number (ties to even) of a number below 2⁵¹ in size.
#[inline(always)]
pub(super) fn whole(x: f64) -> i64 {
    (x + MAGIC).to_bits() as i64 - MAGIC.to_bits() as i64
}

/// The nearest whole number (ties to even); beyond 2⁵¹ one of the nearest.
#[inline(always)]
pub(crate) fn nearest(x: f64) -> f64 {
    (x + MAGIC) - MAGIC
}

/// The nearest whole number of steps; what is too large for `i64` is held at its ends.
#[inline]
pub(crate) fn steps(depth: f64) -> i64 {
    nearest(depth) as i64
}

/// The integers that edge functions are computed in.
pub(super) trait Integer: Copy + PartialOrd + From<i64> {
    /// So many steps on.
    fn plus(self, times: i64, step: Self) -> Self;
    /// As a number that may be rounded.
    fn real(self) -> f64;
    /// The cross product of two vectors.
    fn cross(u: [i64; 2], v: [i64; 2]) -> Self;
    /// `(b · u + c · v) / area`, rounded to the nearest, halves up, where `b`, `c` and `area − b − c` are not
    /// negative and `area` is positive.
    fn quotient(weights: [Self; 2], rise: [i64; 2], area: Self) -> i64;
    /// `(most − at) / by`, rounded down, of a positive `by`; held within 2⁶².
    fn steps_up_to(most: Self, at: Self, by: i64) -> i64;
}

impl Integer for i64 {
    #[inline(always)]
    fn plus(self, times: i64, step: i64) -> i64 {
        self + times * step
    }

    #[inline(always)]
    fn real(self) -> f64 {
        self as f64
    }

    #[inline(always)]
    fn cross(u: [i64; 2], v: [i64; 2]) -> i64 {
        u[0] * v[1] - u[1] * v[0]
    }

    /// For areas below 2⁶¹ and rises up to 2⁴⁷. In `f64` the quotient, of at most 2⁴⁷, is off by less than
    /// 10 · 2⁻⁵³ · 2⁴⁷ < 0.16, and by half more once it is rounded. The products may overflow, but what they
    /// leave over after the guess is below 0.66 · 2⁶¹, and wrapping arithmetic has that right.
    #[inline(always)]
    fn quotient([b, c]: [i64; 2], [u, v]: [i64; 2], area: i64) -> i64 {
        let guess = whole((b as f64 * u as f64 + c as f64 * v as f64) / area as f64);
        let sum = b.wrapping_mul(u).wrapping_add(c.wrapping_mul(v));
        let twice = 2 * sum.wrapping_sub(guess.wrapping_mul(area));
        guess + i64::from(twice >= area) - i64::from(twice < -area)
    }

    #[inline(always)]
    fn steps_up_to(most: i64, at: i64, by: i64) -> i64 {
        (most - at).div_euclid(by)
    }
}

impl Integer for i128 {
    #[inline]
    fn plus(self, times: i64, step: i128) -> i128 {
        self + i128::from(times) * step
    }

    #[inline]
    fn real(self) -> f64 {
        self as f64
    }

    #[inline]
    fn cross(u: [i64; 2], v: [i64; 2]) -> i128 {
        i128::from(u[0]) * i128::from(v[1]) - i128::from(u[1]) * i128::from(v[0])
    }

    /// For areas up to 2¹¹³ and rises up to 2⁵⁶: as in 64 bits, but the first guess may be off by 81, and a
    /// second one is made of what is left over.
    fn quotient([b, c]: [i128; 2], [u, v]: [i64; 2], area: i128) -> i64 {
        let guess = (b as f64 * u as f64 + c as f64 * v as f64) / area as f64;
        let guess = i128::from(nearest(guess) as i64);
        let sum = b.wrapping_mul(u.into()).wrapping_add(c.wrapping_mul(v.into()));
        let rest = sum.wrapping_sub(guess.wrapping_mul(area));
        let second = i128::from(nearest(rest as f64 / area as f64) as i64);
        let twice = 2 * (rest - second * area);
        (guess + second) as i64 + i64::from(twice >= area) - i64::from(twice < -area)
    }
    #[inline]
    fn steps_up_to(most: i128, at: i128, by: i64) -> i64 {
        (most - at).div_euclid(by.into()).clamp(-(1 << 62), 1 << 62) as i64
    }
}
