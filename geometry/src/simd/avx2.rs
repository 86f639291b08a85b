//! 256 bits wide. Calling these instructions is safe because the types here are only named below
//! [`run`], which is only called where the processor was found to have AVX2.

use std::arch::x86_64::*;

use super::sse2::{Doubles2, Floats4};
use super::{F32Lanes, F32x8, I16Lanes, Kernel, Simd, U32Lanes};

/// Runs a kernel with AVX2.
#[target_feature(enable = "avx2")]
pub(super) fn run<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Avx2>()
}

/// AVX2; only named in [`run`].
#[derive(Clone, Copy)]
struct Avx2;

impl Simd for Avx2 {
    type F32 = Floats8;
    type F32x4 = Floats4;
    type F32x8 = Floats8;
    type F64x2 = Doubles2;
    type I16 = Words16;
}

#[derive(Clone, Copy)]
struct Floats8(__m256);

#[derive(Clone, Copy)]
struct Bits8(__m256i);

#[derive(Clone, Copy)]
struct Words16(__m256i);

/// Methods of two operands that are one instruction each.
macro_rules! binary {
    ($($name:ident = $op:path,)*) => {$(
        #[inline(always)]
        fn $name(self, other: Self) -> Self {
            // SAFETY: only called below `run`.
            Self(unsafe { $op(self.0, other.0) })
        }
    )*};
}

impl F32Lanes for Floats8 {
    const LANES: usize = 8;
    type Bits = Bits8;

    // `min` and `max` give their second operand where either is not a number.
    binary!(
        add = _mm256_add_ps,
        sub = _mm256_sub_ps,
        mul = _mm256_mul_ps,
        div = _mm256_div_ps,
        min = _mm256_min_ps,
        max = _mm256_max_ps,
        less = _mm256_cmp_ps::<_CMP_LT_OQ>,
        at_most = _mm256_cmp_ps::<_CMP_LE_OQ>,
        and = _mm256_and_ps,
        or = _mm256_or_ps,
        xor = _mm256_xor_ps,
    );

    #[inline(always)]
    fn splat(x: f32) -> Self {
        // SAFETY: only called below `run`.
        Floats8(unsafe { _mm256_set1_ps(x) })
    }
    #[inline(always)]
    fn load(from: &[f32]) -> Self {
        let from = &from[..8];
        // SAFETY: as above; eight floats are read from eight, and the load needs no alignment.
        Floats8(unsafe { _mm256_loadu_ps(from.as_ptr()) })
    }
    #[inline(always)]
    fn repeat(four: &[f32; 4]) -> Self {
        // SAFETY: only called below `run`; four floats are read from four, without alignment.
        Floats8(unsafe {
            let four = _mm_loadu_ps(four.as_ptr());
            _mm256_set_m128(four, four)
        })
    }
    #[inline(always)]
    fn spread(four: &[f32; 4], at: usize) -> Self {
        let at = at as i32;
        // SAFETY: only called below `run`.
        Floats8(unsafe {
            let lanes = _mm256_set_m128i(_mm_set1_epi32(at + 1), _mm_set1_epi32(at));
            _mm256_permutevar_ps(Self::repeat(four).0, lanes)
        })
    }
    #[inline(always)]
    fn transpose(rows: &[&[f32; 8]]) -> [Self; 8] {
        let rows = &rows[..8];
        let mut r = [Self::load(rows[0]); 8];
        for k in 1..8 {
            r[k] = Self::load(rows[k]);
        }
        transpose8(r)
    }
    #[inline(always)]
    fn store(self, to: &mut [f32]) {
        let to = &mut to[..8];
        // SAFETY: as above; eight floats are written to eight, and the store needs no alignment.
        unsafe { _mm256_storeu_ps(to.as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn store_four(self, to: &mut [f32; 4]) {
        // SAFETY: as above; four floats are written to four, and the store needs no alignment.
        unsafe { _mm_storeu_ps(to.as_mut_ptr(), _mm256_castps256_ps128(self.0)) }
    }
    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: only called below `run`.
        Floats8(unsafe { _mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0) })
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: only called below `run`.
        Floats8(unsafe { _mm256_sqrt_ps(self.0) })
    }
    #[inline(always)]
    fn is_nan(self) -> Self {
        // SAFETY: only called below `run`.
        Floats8(unsafe { _mm256_cmp_ps::<_CMP_UNORD_Q>(self.0, self.0) })
    }
    #[inline(always)]
    fn select(self, yes: Self, no: Self) -> Self {
        self.select_by_sign(yes, no)
    }
    #[inline(always)]
    fn select_by_sign(self, negative: Self, positive: Self) -> Self {
        // SAFETY: only called below `run`.
        Floats8(unsafe { _mm256_blendv_ps(positive.0, negative.0, self.0) })
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        // SAFETY: only called below `run`.
        unsafe { _mm256_movemask_ps(self.0) as u32 }
    }
    #[inline(always)]
    fn to_bits(self) -> Bits8 {
        // SAFETY: only called below `run`.
        Bits8(unsafe { _mm256_castps_si256(self.0) })
    }
    #[inline(always)]
    fn from_bits(bits: Bits8) -> Self {
        // SAFETY: only called below `run`.
        Floats8(unsafe { _mm256_castsi256_ps(bits.0) })
    }
}

/// Eight rows of eight to eight columns.
#[inline(always)]
fn transpose8(r: [Floats8; 8]) -> [Floats8; 8] {
    let [r0, r1, r2, r3, r4, r5, r6, r7] = r;
    // SAFETY: only called below `run`.
    unsafe {
        let (t0, t1) = (_mm256_unpacklo_ps(r0.0, r1.0), _mm256_unpackhi_ps(r0.0, r1.0));
        let (t2, t3) = (_mm256_unpacklo_ps(r2.0, r3.0), _mm256_unpackhi_ps(r2.0, r3.0));
        let (t4, t5) = (_mm256_unpacklo_ps(r4.0, r5.0), _mm256_unpackhi_ps(r4.0, r5.0));
        let (t6, t7) = (_mm256_unpacklo_ps(r6.0, r7.0), _mm256_unpackhi_ps(r6.0, r7.0));
        let (s0, s1) = (_mm256_shuffle_ps::<0x44>(t0, t2), _mm256_shuffle_ps::<0xee>(t0, t2));
        let (s2, s3) = (_mm256_shuffle_ps::<0x44>(t1, t3), _mm256_shuffle_ps::<0xee>(t1, t3));
        let (s4, s5) = (_mm256_shuffle_ps::<0x44>(t4, t6), _mm256_shuffle_ps::<0xee>(t4, t6));
        let (s6, s7) = (_mm256_shuffle_ps::<0x44>(t5, t7), _mm256_shuffle_ps::<0xee>(t5, t7));
        [
            Floats8(_mm256_permute2f128_ps::<0x20>(s0, s4)),
            Floats8(_mm256_permute2f128_ps::<0x20>(s1, s5)),
            Floats8(_mm256_permute2f128_ps::<0x20>(s2, s6)),
            Floats8(_mm256_permute2f128_ps::<0x20>(s3, s7)),
            Floats8(_mm256_permute2f128_ps::<0x31>(s0, s4)),
            Floats8(_mm256_permute2f128_ps::<0x31>(s1, s5)),
            Floats8(_mm256_permute2f128_ps::<0x31>(s2, s6)),
            Floats8(_mm256_permute2f128_ps::<0x31>(s3, s7)),
        ]
    }
}

impl F32x8 for Floats8 {
    #[inline(always)]
    fn pair(first: &[f32; 4], second: &[f32; 4]) -> Self {
        // SAFETY: only called below `run`; four floats are read from four, twice, without alignment.
        Floats8(unsafe { _mm256_loadu2_m128(second.as_ptr(), first.as_ptr()) })
    }
    #[inline(always)]
    fn halves(first: f32, second: f32) -> Self {
        // SAFETY: only called below `run`.
        Floats8(unsafe { _mm256_set_m128(_mm_set1_ps(second), _mm_set1_ps(first)) })
    }
    #[inline(always)]
    fn store_i16(self, to: &mut [i16; 8]) {
        // SAFETY: only called below `run`; eight words are written to eight, without alignment.
        unsafe {
            let x = _mm256_cvtps_epi32(self.0);
            let words = _mm_packs_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256::<1>(x));
            _mm_storeu_si128(to.as_mut_ptr().cast(), words);
        }
    }
}

impl U32Lanes for Bits8 {
    binary!(or = _mm256_or_si256, equal = _mm256_cmpeq_epi32, halves_saturating_sub = _mm256_subs_epu16,);

    #[inline(always)]
    fn splat(x: u32) -> Self {
        // SAFETY: only called below `run`.
        Bits8(unsafe { _mm256_set1_epi32(x as i32) })
    }
    #[inline(always)]
    fn shift_right<const BITS: i32>(self) -> Self {
        // SAFETY: only called below `run`.
        Bits8(unsafe { _mm256_srli_epi32::<BITS>(self.0) })
    }
}

/// Word `x` in the lower half and word `y` in the upper, of eight words that are in both halves.
#[inline(always)]
fn word_pair(words: Words16, x: i16, y: i16) -> Words16 {
    // The places of a word's two bytes.
    let (x, y) = ((2 * x) | ((2 * x + 1) << 8), (2 * y) | ((2 * y + 1) << 8));
    // SAFETY: only called below `run`.
    unsafe {
        let choice = _mm256_set_m128i(_mm_set1_epi16(y), _mm_set1_epi16(x));
        Words16(_mm256_shuffle_epi8(words.0, choice))
    }
}

impl I16Lanes for Words16 {
    type Spread = [Words16; 4];
    const VECTORS: usize = 4;

    binary!(saturating_add = _mm256_adds_epi16, saturating_sub = _mm256_subs_epi16, min = _mm256_min_epi16,);

    #[inline(always)]
    fn repeat(eight: &[i16; 8]) -> Self {
        // SAFETY: only called below `run`; eight words are read from eight, without alignment.
        Words16(unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(eight.as_ptr().cast())) })
    }
    #[inline(always)]
    fn spread(eight: &[i16; 8]) -> [Words16; 4] {
        let x = Self::repeat(eight);
        // Two masks narrowed to bytes are interleaved by halves.
        [word_pair(x, 0, 2), word_pair(x, 1, 3), word_pair(x, 4, 6), word_pair(x, 5, 7)]
    }
    #[inline(always)]
    fn within(self, most: Self) -> Self {
        // Without its sign, a negative number is a great one.
        // SAFETY: only called below `run`.
        Words16(unsafe { _mm256_cmpeq_epi16(_mm256_subs_epu16(self.0, most.0), _mm256_setzero_si256()) })
    }
    #[inline(always)]
    fn bits(self, next: Self) -> u64 {
        // SAFETY: only called below `run`.
        u64::from(unsafe { _mm256_movemask_epi8(_mm256_packs_epi16(self.0, next.0)) as u32 })
    }
}
