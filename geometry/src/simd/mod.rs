//! Vectors of numbers with the same bits on every level: scalar, SSE2 and AVX2.
//!
//! A [`Kernel`] is written once over [`Simd`] and compiled for each level; [`run`] picks one. Every
//! operation rounds once and none is fused, so all levels give the same results.
//!
//! Vectors of a level are only made inside [`run`], after the processor was asked for its instructions:
//! a level's types cannot be named elsewhere. [`Base`] is the level that every processor of the target
//! has; its vectors can be made anywhere.
//!
//! Everything that a kernel calls on vectors has to be `#[inline(always)]` and free of closures. What is
//! not inlined is compiled without the level's instructions: still right, but slow.

mod level;
mod scalar;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod halves;
#[cfg(target_arch = "x86_64")]
mod sse2;
#[cfg(test)]
mod tests;

use std::ops::Index;

pub use level::SimdLevel;

/// The level that every processor of the target has.
#[cfg(target_arch = "x86_64")]
pub type Base = sse2::Sse2;
/// The level that every processor of the target has.
#[cfg(not(target_arch = "x86_64"))]
pub type Base = scalar::Scalar;

/// The vectors of a level.
pub trait Simd: Copy {
    /// As many `f32` as a register holds: four or eight.
    type F32: F32Lanes;
    /// Four `f32`.
    type F32x4: F32x4;
    /// Eight `f32`.
    type F32x8: F32x8;
    /// Two `f64`.
    type F64x2: F64x2;
    /// As many `i16` as a register holds: eight or sixteen.
    type I16: I16Lanes;
}

/// `f32` lanes.
///
/// A mask is a vector whose lanes have all bits set or none.
pub trait F32Lanes: Copy {
    /// How many there are: four or eight.
    const LANES: usize;
    /// One bit for each lane.
    const ALL: u32 = (1 << Self::LANES) - 1;
    /// The same lanes as whole numbers: u32x4 or u32x8.
    type Bits: U32Lanes;

    /// The same number in every lane.
    fn splat(x: f32) -> Self;
    /// The first lanes of a slice, which has to be long enough.
    fn load(from: &[f32]) -> Self;
    /// Four numbers, repeated.
    fn repeat(four: &[f32; 4]) -> Self;
    /// Number `at` (below 4) in the first four lanes, the next one in the next four.
    fn spread(four: &[f32; 4], at: usize) -> Self;
    /// Rows of eight to eight columns; there has to be a row for each lane.
    fn transpose(rows: &[&[f32; 8]]) -> [Self; 8];
    /// Writes the lanes to the start of a slice, which has to be long enough.
    fn store(self, to: &mut [f32]);
    /// Writes the first four lanes.
    fn store_four(self, to: &mut [f32; 4]);

    /// Sum.
    fn add(self, other: Self) -> Self;
    /// Difference.
    fn sub(self, other: Self) -> Self;
    /// Product.
    fn mul(self, other: Self) -> Self;
    /// Quotient.
    fn div(self, other: Self) -> Self;
    /// The lesser; `other` where a lane is not a number, or both are zero.
    fn min(self, other: Self) -> Self;
    /// The greater; `other` where a lane is not a number, or both are zero.
    fn max(self, other: Self) -> Self;
    /// Without its sign.
    fn abs(self) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;

    /// A mask of the lanes that are less than those of `other`.
    fn less(self, other: Self) -> Self;
    /// A mask of the lanes that are at most those of `other`.
    fn at_most(self, other: Self) -> Self;
    /// A mask of the lanes that are not a number.
    fn is_nan(self) -> Self;
    /// Bit by bit.
    fn and(self, other: Self) -> Self;
    /// Bit by bit.
    fn or(self, other: Self) -> Self;
    /// Bit by bit: of signs, that of the product.
    fn xor(self, other: Self) -> Self;
    /// Of a mask: `yes` where its bits are set, `no` where not.
    fn select(self, yes: Self, no: Self) -> Self;
    /// `negative` where the sign bit is set, `positive` where not.
    fn select_by_sign(self, negative: Self, positive: Self) -> Self;
    /// Of a mask: one bit for each lane. (Of any vector: the sign bits.)
    fn bits(self) -> u32;

    /// The lanes as whole numbers, bit for bit.
    fn to_bits(self) -> Self::Bits;
    /// Whole numbers as lanes, bit for bit.
    fn from_bits(bits: Self::Bits) -> Self;
}

/// Four `f32`.
pub trait F32x4: F32Lanes {
    /// The lanes of an array.
    fn new(lanes: [f32; 4]) -> Self;
    /// The lanes as an array.
    fn to_array(self) -> [f32; 4];
    /// The least lane; there must be no NaN.
    fn least(self) -> f32;
    /// The greatest lane; there must be no NaN.
    fn greatest(self) -> f32;
    /// The low half of each lane's bits, which have to be below 2¹⁵ there.
    fn low_halves(self) -> [u16; 4];
}

/// Eight `f32`.
pub trait F32x8: F32Lanes {
    /// Four lanes of one array and four of another.
    fn pair(first: &[f32; 4], second: &[f32; 4]) -> Self;
    /// A number in the first four lanes and another in the last four.
    fn halves(first: f32, second: f32) -> Self;
    /// Rounds to whole numbers, ties to even, and clamps below. No lane may be NaN or above 32,767.
    fn store_i16(self, to: &mut [i16; 8]);
}

/// Two `f64`.
pub trait F64x2: Copy {
    /// The lanes of an array.
    fn new(lanes: [f64; 2]) -> Self;
    /// Sum.
    fn add(self, other: Self) -> Self;
    /// Product with a number.
    fn scale(self, by: f64) -> Self;
    /// Two `f32` for each lane; the second is what rounding to the first left over.
    fn split(self) -> [[f32; 2]; 2];
}

/// `u32` lanes.
pub trait U32Lanes: Copy {
    /// The same number in every lane.
    fn splat(x: u32) -> Self;
    /// Bit by bit.
    fn or(self, other: Self) -> Self;
    /// A mask of the lanes that are equal.
    fn equal(self, other: Self) -> Self;
    /// Shifts right by `BITS`.
    fn shift_right<const BITS: i32>(self) -> Self;
    /// The difference of each 16-bit half, or 0 where it would be negative.
    fn halves_saturating_sub(self, other: Self) -> Self;
}

/// `i16` lanes, for tests of each of eight numbers against eight others.
pub trait I16Lanes: Copy {
    /// Eight numbers one by one, as many to a vector as it holds eights, each in eight lanes. The order
    /// is that of [`I16Lanes::bits`].
    type Spread: Copy + Index<usize, Output = Self>;
    /// Vectors in a [`I16Lanes::Spread`]: four or eight.
    const VECTORS: usize;
    /// Eight numbers, repeated.
    fn repeat(eight: &[i16; 8]) -> Self;
    /// See [`I16Lanes::Spread`].
    fn spread(eight: &[i16; 8]) -> Self::Spread;
    /// Sum, clamped to the range.
    fn saturating_add(self, other: Self) -> Self;
    /// Difference, clamped to the range.
    fn saturating_sub(self, other: Self) -> Self;
    /// The lesser.
    fn min(self, other: Self) -> Self;
    /// A mask of the lanes that are from 0 to `most`, which must not be negative.
    fn within(self, most: Self) -> Self;
    /// One bit for each lane of two masks, `2k` and `2k + 1` of a spread: `128 / VECTORS` bits, eight for
    /// each number of the spread in its order.
    fn bits(self, next: Self) -> u64;
}

/// A computation on vectors.
pub trait Kernel {
    /// Its result.
    type Output;
    /// Computes it. Has to be `#[inline(always)]`, as everything in it that works on vectors.
    fn run<S: Simd>(self) -> Self::Output;
}

/// Runs a kernel with the instructions of `level`, or the best below it that the processor has.
#[inline]
pub fn run<K: Kernel>(level: SimdLevel, kernel: K) -> K::Output {
    match level {
        // SAFETY: the processor was just asked for AVX2.
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Avx2 if SimdLevel::detect() == SimdLevel::Avx2 => unsafe { avx2::run(kernel) },
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Sse2 | SimdLevel::Avx2 => run_on::<sse2::Sse2, K>(kernel),
        _ => run_on::<scalar::Scalar, K>(kernel),
    }
}

/// Not inlined, so that callers do not hold the code of every level.
#[inline(never)]
fn run_on<S: Simd, K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<S>()
}

/// Brings what a reference points to into the cache. Has no other effect.
#[inline]
pub fn prefetch<T>(what: &T) {
    prefetch_at(std::ptr::from_ref(what));
}

/// The same of an address, which may be borrowed elsewhere, or be nobody's.
#[inline(always)]
pub fn prefetch_at<T>(what: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 has SSE, and a prefetch has no effect that could be observed.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(what.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = what;
}
