//! Eight `f32` side by side: plain, SSE2 and AVX2.
//!
//! Every operation rounds once and none is fused, so all levels give the same bits. A [`Kernel`] is
//! written once over [`Wide`] and compiled for each level; [`run`] picks one. The vectors are made
//! nowhere else, so that none is ever made on a processor without its instructions.

use crate::SimdLevel;

/// Eight lanes.
pub trait Wide: Copy {
    /// The same number in every lane.
    fn splat(x: f32) -> Self;
    /// The lanes of an array.
    fn load(from: &[f32; 8]) -> Self;
    /// Four lanes of one array and four of another.
    fn pair(first: &[f32; 4], second: &[f32; 4]) -> Self;
    /// A number in the first four lanes and another in the last four.
    fn halves(first: f32, second: f32) -> Self;
    /// Writes the lanes to an array.
    fn store(self, to: &mut [f32; 8]);
    /// Sum.
    fn add(self, other: Self) -> Self;
    /// Difference.
    fn sub(self, other: Self) -> Self;
    /// Product.
    fn mul(self, other: Self) -> Self;
    /// Quotient.
    fn div(self, other: Self) -> Self;
    /// The lesser; `other` where a lane is not a number.
    fn min(self, other: Self) -> Self;
    /// The greater; `other` where a lane is not a number.
    fn max(self, other: Self) -> Self;
    /// Without its sign.
    fn abs(self) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// All bits set in lanes that are less than those of `other`; none elsewhere.
    fn less(self, other: Self) -> Self;
    /// All bits set in lanes that are not greater than those of `other`; none elsewhere.
    fn at_most(self, other: Self) -> Self;
    /// Bit by bit.
    fn and(self, other: Self) -> Self;
    /// Bit by bit.
    fn or(self, other: Self) -> Self;
    /// Of a mask: `yes` where its bits are set, `no` where not.
    fn select(self, yes: Self, no: Self) -> Self;
    /// Of a mask: one bit for each lane.
    fn bits(self) -> u32;
}

/// A computation on [`Wide`] lanes. `run` has to be `#[inline(always)]` and free of closures, or it is
/// compiled without the level's instructions.
pub trait Kernel {
    /// What it gives.
    type Output;
    /// Computes it.
    fn run<W: Wide>(self) -> Self::Output;
}

/// Runs a kernel with the instructions of `level`. The answer is the same bits on each.
#[inline]
pub fn run<K: Kernel>(kernel: K, level: SimdLevel) -> K::Output {
    match level {
        // SAFETY: AVX2 is the level only where the processor was asked for it, in `SimdLevel::best`.
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Avx2 if SimdLevel::best() == SimdLevel::Avx2 => unsafe { x86::with_avx2(kernel) },
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Sse2 | SimdLevel::Avx2 => kernel.run::<x86::Fours>(),
        _ => kernel.run::<Plain>(),
    }
}

/// Eight plain numbers.
#[derive(Clone, Copy)]
struct Plain([f32; 8]);

const ALL: f32 = f32::from_bits(u32::MAX);

impl Plain {
    #[inline(always)]
    fn with(self, other: Plain, f: impl Fn(f32, f32) -> f32) -> Plain {
        Plain(std::array::from_fn(|lane| f(self.0[lane], other.0[lane])))
    }
}

impl Wide for Plain {
    #[inline(always)]
    fn splat(x: f32) -> Plain {
        Plain([x; 8])
    }
    #[inline(always)]
    fn load(from: &[f32; 8]) -> Plain {
        Plain(*from)
    }
    #[inline(always)]
    fn pair(first: &[f32; 4], second: &[f32; 4]) -> Plain {
        Plain(std::array::from_fn(|lane| if lane < 4 { first[lane] } else { second[lane - 4] }))
    }
    #[inline(always)]
    fn halves(first: f32, second: f32) -> Plain {
        Plain(std::array::from_fn(|lane| if lane < 4 { first } else { second }))
    }
    #[inline(always)]
    fn store(self, to: &mut [f32; 8]) {
        *to = self.0;
    }
    #[inline(always)]
    fn add(self, other: Plain) -> Plain {
        self.with(other, |x, y| x + y)
    }
    #[inline(always)]
    fn sub(self, other: Plain) -> Plain {
        self.with(other, |x, y| x - y)
    }
    #[inline(always)]
    fn mul(self, other: Plain) -> Plain {
        self.with(other, |x, y| x * y)
    }
    #[inline(always)]
    fn div(self, other: Plain) -> Plain {
        self.with(other, |x, y| x / y)
    }
    #[inline(always)]
    fn min(self, other: Plain) -> Plain {
        self.with(other, |x, y| if x < y { x } else { y })
    }
    #[inline(always)]
    fn max(self, other: Plain) -> Plain {
        self.with(other, |x, y| if x > y { x } else { y })
    }
    #[inline(always)]
    fn abs(self) -> Plain {
        Plain(self.0.map(f32::abs))
    }
    #[inline(always)]
    fn sqrt(self) -> Plain {
        Plain(self.0.map(f32::sqrt))
    }
    #[inline(always)]
    fn less(self, other: Plain) -> Plain {
        self.with(other, |x, y| if x < y { ALL } else { 0.0 })
    }
    #[inline(always)]
    fn at_most(self, other: Plain) -> Plain {
        self.with(other, |x, y| if x <= y { ALL } else { 0.0 })
    }
    #[inline(always)]
    fn and(self, other: Plain) -> Plain {
        self.with(other, |x, y| f32::from_bits(x.to_bits() & y.to_bits()))
    }
    #[inline(always)]
    fn or(self, other: Plain) -> Plain {
        self.with(other, |x, y| f32::from_bits(x.to_bits() | y.to_bits()))
    }
    #[inline(always)]
    fn select(self, yes: Plain, no: Plain) -> Plain {
        let mut out = no.0;
        for lane in 0..8 {
            if self.0[lane].to_bits() != 0 {
                out[lane] = yes.0[lane];
            }
        }
        Plain(out)
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        let mut bits = 0;
        for lane in 0..8 {
            bits |= u32::from(self.0[lane].to_bits() != 0) << lane;
        }
        bits
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{Kernel, Wide};

    /// # Safety
    /// The processor must have AVX2.
    #[target_feature(enable = "avx2")]
    pub unsafe fn with_avx2<K: Kernel>(kernel: K) -> K::Output {
        kernel.run::<Eight>()
    }

    /// Twice four lanes.
    #[derive(Clone, Copy)]
    pub struct Fours(__m128, __m128);

    /// Eight lanes; only made below [`with_avx2`].
    #[derive(Clone, Copy)]
    struct Eight(__m256);

    /// A method of two operands on both halves.
    macro_rules! on_halves {
        ($name:ident, $op:ident) => {
            #[inline(always)]
            fn $name(self, other: Fours) -> Fours {
                // SAFETY: SSE2 is part of x86-64.
                unsafe { Fours($op(self.0, other.0), $op(self.1, other.1)) }
            }
        };
    }

    impl Wide for Fours {
        on_halves!(add, _mm_add_ps);
        on_halves!(sub, _mm_sub_ps);
        on_halves!(mul, _mm_mul_ps);
        on_halves!(div, _mm_div_ps);
        // These give their second operand where either is not a number.
        on_halves!(min, _mm_min_ps);
        on_halves!(max, _mm_max_ps);
        on_halves!(less, _mm_cmplt_ps);
        on_halves!(at_most, _mm_cmple_ps);
        on_halves!(and, _mm_and_ps);
        on_halves!(or, _mm_or_ps);
        #[inline(always)]
        fn splat(x: f32) -> Fours {
            // SAFETY: SSE2 is part of x86-64.
            unsafe { Fours(_mm_set1_ps(x), _mm_set1_ps(x)) }
        }
        #[inline(always)]
        fn load(from: &[f32; 8]) -> Fours {
            // SAFETY: eight floats are read from eight; the loads need no alignment.
            unsafe { Fours(_mm_loadu_ps(from.as_ptr()), _mm_loadu_ps(from.as_ptr().add(4))) }
        }
        #[inline(always)]
        fn pair(first: &[f32; 4], second: &[f32; 4]) -> Fours {
            // SAFETY: four floats are read from four, twice; the loads need no alignment.
            unsafe { Fours(_mm_loadu_ps(first.as_ptr()), _mm_loadu_ps(second.as_ptr())) }
        }
        #[inline(always)]
        fn halves(first: f32, second: f32) -> Fours {
            // SAFETY: SSE2 is part of x86-64.
            unsafe { Fours(_mm_set1_ps(first), _mm_set1_ps(second)) }
        }
        #[inline(always)]
        fn store(self, to: &mut [f32; 8]) {
            // SAFETY: eight floats are written to eight; the stores need no alignment.
            unsafe {
                _mm_storeu_ps(to.as_mut_ptr(), self.0);
                _mm_storeu_ps(to.as_mut_ptr().add(4), self.1);
            }
        }
        #[inline(always)]
        fn abs(self) -> Fours {
            // SAFETY: SSE2 is part of x86-64.
            unsafe {
                let sign = _mm_set1_ps(-0.0);
                Fours(_mm_andnot_ps(sign, self.0), _mm_andnot_ps(sign, self.1))
            }
        }
        #[inline(always)]
        fn sqrt(self) -> Fours {
            // SAFETY: SSE2 is part of x86-64.
            unsafe { Fours(_mm_sqrt_ps(self.0), _mm_sqrt_ps(self.1)) }
        }
        #[inline(always)]
        fn select(self, yes: Fours, no: Fours) -> Fours {
            // SAFETY: SSE2 is part of x86-64.
            unsafe {
                Fours(
                    _mm_or_ps(_mm_and_ps(self.0, yes.0), _mm_andnot_ps(self.0, no.0)),
                    _mm_or_ps(_mm_and_ps(self.1, yes.1), _mm_andnot_ps(self.1, no.1)),
                )
            }
        }
        #[inline(always)]
        fn bits(self) -> u32 {
            // SAFETY: SSE2 is part of x86-64.
            unsafe { (_mm_movemask_ps(self.0) | _mm_movemask_ps(self.1) << 4) as u32 }
        }
    }

    /// A method of two operands.
    macro_rules! on_eight {
        ($name:ident, |$x:ident, $y:ident| $value:expr) => {
            #[inline(always)]
            fn $name(self, other: Eight) -> Eight {
                let ($x, $y) = (self.0, other.0);
                // SAFETY: `Eight` is only made where the processor has AVX2.
                unsafe { Eight($value) }
            }
        };
    }

    impl Wide for Eight {
        on_eight!(add, |x, y| _mm256_add_ps(x, y));
        on_eight!(sub, |x, y| _mm256_sub_ps(x, y));
        on_eight!(mul, |x, y| _mm256_mul_ps(x, y));
        on_eight!(div, |x, y| _mm256_div_ps(x, y));
        // These give their second operand where either is not a number.
        on_eight!(min, |x, y| _mm256_min_ps(x, y));
        on_eight!(max, |x, y| _mm256_max_ps(x, y));
        on_eight!(less, |x, y| _mm256_cmp_ps::<_CMP_LT_OQ>(x, y));
        on_eight!(at_most, |x, y| _mm256_cmp_ps::<_CMP_LE_OQ>(x, y));
        on_eight!(and, |x, y| _mm256_and_ps(x, y));
        on_eight!(or, |x, y| _mm256_or_ps(x, y));
        #[inline(always)]
        fn splat(x: f32) -> Eight {
            // SAFETY: reached only below `with_avx2`.
            unsafe { Eight(_mm256_set1_ps(x)) }
        }
        #[inline(always)]
        fn load(from: &[f32; 8]) -> Eight {
            // SAFETY: as above; eight floats are read from eight, and the load needs no alignment.
            unsafe { Eight(_mm256_loadu_ps(from.as_ptr())) }
        }
        #[inline(always)]
        fn pair(first: &[f32; 4], second: &[f32; 4]) -> Eight {
            // SAFETY: as above; four floats are read from four, twice.
            unsafe { Eight(_mm256_loadu2_m128(second.as_ptr(), first.as_ptr())) }
        }
        #[inline(always)]
        fn halves(first: f32, second: f32) -> Eight {
            // SAFETY: as above.
            unsafe { Eight(_mm256_set_m128(_mm_set1_ps(second), _mm_set1_ps(first))) }
        }
        #[inline(always)]
        fn store(self, to: &mut [f32; 8]) {
            // SAFETY: as above; eight floats are written to eight, and the store needs no alignment.
            unsafe { _mm256_storeu_ps(to.as_mut_ptr(), self.0) }
        }
        #[inline(always)]
        fn abs(self) -> Eight {
            // SAFETY: as above.
            unsafe { Eight(_mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0)) }
        }
        #[inline(always)]
        fn sqrt(self) -> Eight {
            // SAFETY: as above.
            unsafe { Eight(_mm256_sqrt_ps(self.0)) }
        }
        #[inline(always)]
        fn select(self, yes: Eight, no: Eight) -> Eight {
            // SAFETY: as above.
            unsafe { Eight(_mm256_blendv_ps(no.0, yes.0, self.0)) }
        }
        #[inline(always)]
        fn bits(self) -> u32 {
            // SAFETY: as above.
            unsafe { _mm256_movemask_ps(self.0) as u32 }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Everything<'a>(&'a [f32; 8], &'a [f32; 8]);

    impl Kernel for Everything<'_> {
        type Output = ([[u32; 8]; 16], [u32; 2]);

        #[inline(always)]
        fn run<W: Wide>(self) -> Self::Output {
            let (x, y) = (W::load(self.0), W::load(self.1));
            let rows = [
                x.add(y),
                x.sub(y),
                x.mul(y),
                x.div(y),
                x.min(y),
                x.max(y),
                x.abs(),
                x.abs().sqrt(),
                x.less(y),
                x.at_most(y),
                x.less(y).and(x.at_most(W::splat(0.5))),
                x.less(y).select(x, y),
                x.at_most(y).select(y, x),
                x.less(y).or(y.less(x)),
                W::pair(self.0.first_chunk().unwrap(), self.1.last_chunk().unwrap()),
                W::halves(self.0[3], self.1[6]),
            ];
            let mut out = [[0; 8]; 16];
            for (to, row) in out.iter_mut().zip(rows) {
                let mut lanes = [0.0; 8];
                row.store(&mut lanes);
                for (bits, lane) in to.iter_mut().zip(lanes) {
                    // What a NaN looks like inside is nobody's promise.
                    *bits = if lane.is_nan() && lane.to_bits() != u32::MAX { 1 } else { lane.to_bits() };
                }
            }
            (out, [x.less(y).bits(), x.at_most(y).bits()])
        }
    }

    #[test]
    fn every_level_gives_the_same_bits() {
        let odd = [0.0, -0.0, 1.0, -1.5, f32::INFINITY, f32::NAN, 1e-40, f32::MAX, 0.1, 7.25e-9, 3.3e20];
        for shift in 0..odd.len() {
            for turn in 0..odd.len() {
                let x = std::array::from_fn(|k| odd[(k + shift) % odd.len()]);
                let y = std::array::from_fn(|k| odd[(3 * k + turn) % odd.len()]);
                let plain = run(Everything(&x, &y), SimdLevel::Portable);
                for level in [SimdLevel::Sse2, SimdLevel::Avx2] {
                    assert_eq!(run(Everything(&x, &y), level.min(SimdLevel::best())), plain, "{x:?} {y:?}");
                }
            }
        }
    }
}
