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

/// A quotient, and what it leaves over: at least minus half of what was divided by, and less than half of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Quotient<T> {
    pub whole: i64,
    pub rest: T,
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
    fn quotient(weights: [Self; 2], rise: [i64; 2], area: Self) -> i64 {
        Self::divided(weights, rise, area).whole
    }
    /// The same with its rest.
    fn divided(weights: [Self; 2], rise: [i64; 2], area: Self) -> Quotient<Self>;
    /// How far quotients change from one to another, and their rests.
    fn step(from: Quotient<Self>, to: Quotient<Self>) -> Quotient<Self>;
    /// The quotient one step on: cheaper than a division.
    fn led(from: Quotient<Self>, step: Quotient<Self>, area: Self) -> Quotient<Self>;
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
    fn divided([b, c]: [i64; 2], [u, v]: [i64; 2], area: i64) -> Quotient<i64> {
        let guess = whole((b as f64 * u as f64 + c as f64 * v as f64) / area as f64);
        let sum = b.wrapping_mul(u).wrapping_add(c.wrapping_mul(v));
        let rest = sum.wrapping_sub(guess.wrapping_mul(area));
        let more = i64::from(2 * rest >= area) - i64::from(2 * rest < -area);
        Quotient { whole: guess + more, rest: rest - more * area }
    }

    #[inline(always)]
    fn step(from: Quotient<i64>, to: Quotient<i64>) -> Quotient<i64> {
        Quotient { whole: to.whole - from.whole, rest: to.rest - from.rest }
    }

    #[inline(always)]
    fn led(from: Quotient<i64>, step: Quotient<i64>, area: i64) -> Quotient<i64> {
        let rest = from.rest + step.rest;
        let more = i64::from(2 * rest >= area) - i64::from(2 * rest < -area);
        Quotient { whole: from.whole + step.whole + more, rest: rest - more * area }
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
    fn divided([b, c]: [i128; 2], [u, v]: [i64; 2], area: i128) -> Quotient<i128> {
        let guess = (b as f64 * u as f64 + c as f64 * v as f64) / area as f64;
        let guess = i128::from(nearest(guess) as i64);
        let sum = b.wrapping_mul(u.into()).wrapping_add(c.wrapping_mul(v.into()));
        let rest = sum.wrapping_sub(guess.wrapping_mul(area));
        let second = i128::from(nearest(rest as f64 / area as f64) as i64);
        let rest = rest - second * area;
        let more = i128::from(2 * rest >= area) - i128::from(2 * rest < -area);
        Quotient { whole: (guess + second + more) as i64, rest: rest - more * area }
    }

    #[inline]
    fn step(from: Quotient<i128>, to: Quotient<i128>) -> Quotient<i128> {
        Quotient { whole: to.whole - from.whole, rest: to.rest - from.rest }
    }

    #[inline]
    fn led(from: Quotient<i128>, step: Quotient<i128>, area: i128) -> Quotient<i128> {
        let rest = from.rest + step.rest;
        let more = i64::from(2 * rest >= area) - i64::from(2 * rest < -area);
        Quotient { whole: from.whole + step.whole + more, rest: rest - i128::from(more) * area }
    }

    #[inline]
    fn steps_up_to(most: i128, at: i128, by: i64) -> i64 {
        (most - at).div_euclid(by.into()).clamp(-(1 << 62), 1 << 62) as i64
    }
}
