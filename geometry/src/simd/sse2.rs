//! 128 bits wide. Calling these instructions is safe because SSE2 is part of x86-64.

use std::arch::x86_64::*;

use super::halves::Halves;
use super::{F32Lanes, F32x4, F64x2, I16Lanes, Simd, U32Lanes};

/// SSE2, which every x86-64 has.
#[derive(Clone, Copy)]
pub struct Sse2;

impl Simd for Sse2 {
    type F32 = Floats4;
    type F32x4 = Floats4;
    type F32x8 = Halves<Floats4>;
    type F64x2 = Doubles2;
    type I16 = Words8;
}

#[derive(Clone, Copy)]
pub struct Floats4(pub(super) __m128);

#[derive(Clone, Copy)]
pub struct Bits4(__m128i);

#[derive(Clone, Copy)]
pub struct Doubles2(__m128d);

#[derive(Clone, Copy)]
pub struct Words8(__m128i);

/// Methods of two operands that are one instruction each.
macro_rules! binary {
    ($($name:ident = $op:ident,)*) => {$(
        #[inline(always)]
        fn $name(self, other: Self) -> Self {
            // SAFETY: SSE2 is part of x86-64.
            Self(unsafe { $op(self.0, other.0) })
        }
    )*};
}

impl Floats4 {
    /// Eight lanes in all, rounded and clamped to 16 bits.
    #[inline(always)]
    pub(super) fn store_i16_with(self, next: Floats4, to: &mut [i16; 8]) {
        // SAFETY: eight words are written to eight; the store needs no alignment.
        unsafe {
            let words = _mm_packs_epi32(_mm_cvtps_epi32(self.0), _mm_cvtps_epi32(next.0));
            _mm_storeu_si128(to.as_mut_ptr().cast(), words);
        }
    }
}

impl F32Lanes for Floats4 {
    const LANES: usize = 4;
    type Bits = Bits4;

    // `min` and `max` give their second operand where either is not a number.
    binary!(
        add = _mm_add_ps,
        sub = _mm_sub_ps,
        mul = _mm_mul_ps,
        div = _mm_div_ps,
        min = _mm_min_ps,
        max = _mm_max_ps,
        less = _mm_cmplt_ps,
        at_most = _mm_cmple_ps,
        and = _mm_and_ps,
        or = _mm_or_ps,
        xor = _mm_xor_ps,
    );

    #[inline(always)]
    fn splat(x: f32) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        Floats4(unsafe { _mm_set1_ps(x) })
    }
    #[inline(always)]
    fn load(from: &[f32]) -> Self {
        let from = &from[..4];
        // SAFETY: four floats are read from four; the load needs no alignment.
        Floats4(unsafe { _mm_loadu_ps(from.as_ptr()) })
    }
    #[inline(always)]
    fn repeat(four: &[f32; 4]) -> Self {
        Self::load(four)
    }
    #[inline(always)]
    fn spread(four: &[f32; 4], at: usize) -> Self {
        Self::splat(four[at % 4])
    }
    #[inline(always)]
    fn transpose(rows: &[&[f32; 8]]) -> [Self; 8] {
        let rows = &rows[..4];
        let (mut low, mut high) = ([Self::load(rows[0]); 4], [Self::load(&rows[0][4..]); 4]);
        for k in 1..4 {
            low[k] = Self::load(rows[k]);
            high[k] = Self::load(&rows[k][4..]);
        }
        let ([a, b, c, d], [e, f, g, h]) = (transpose4(low), transpose4(high));
        [a, b, c, d, e, f, g, h]
    }
    #[inline(always)]
    fn store(self, to: &mut [f32]) {
        let to = &mut to[..4];
        // SAFETY: four floats are written to four; the store needs no alignment.
        unsafe { _mm_storeu_ps(to.as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn store_four(self, to: &mut [f32; 4]) {
        self.store(to);
    }
    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        Floats4(unsafe { _mm_andnot_ps(_mm_set1_ps(-0.0), self.0) })
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        Floats4(unsafe { _mm_sqrt_ps(self.0) })
    }
    #[inline(always)]
    fn is_nan(self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        Floats4(unsafe { _mm_cmpunord_ps(self.0, self.0) })
    }
    #[inline(always)]
    fn select(self, yes: Self, no: Self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        Floats4(unsafe { _mm_or_ps(_mm_and_ps(self.0, yes.0), _mm_andnot_ps(self.0, no.0)) })
    }
    #[inline(always)]
    fn select_by_sign(self, negative: Self, positive: Self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        let mask = unsafe { _mm_castsi128_ps(_mm_srai_epi32::<31>(_mm_castps_si128(self.0))) };
        Floats4(mask).select(negative, positive)
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { _mm_movemask_ps(self.0) as u32 }
    }
    #[inline(always)]
    fn to_bits(self) -> Bits4 {
        // SAFETY: SSE2 is part of x86-64.
        Bits4(unsafe { _mm_castps_si128(self.0) })
    }
    #[inline(always)]
    fn from_bits(bits: Bits4) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        Floats4(unsafe { _mm_castsi128_ps(bits.0) })
    }
}

/// Four rows of four to four columns.
#[inline(always)]
fn transpose4([p, q, r, s]: [Floats4; 4]) -> [Floats4; 4] {
    // SAFETY: SSE2 is part of x86-64.
    unsafe {
        let (a, b) = (_mm_unpacklo_ps(p.0, q.0), _mm_unpacklo_ps(r.0, s.0));
        let (c, d) = (_mm_unpackhi_ps(p.0, q.0), _mm_unpackhi_ps(r.0, s.0));
        [
            Floats4(_mm_movelh_ps(a, b)),
            Floats4(_mm_movehl_ps(b, a)),
            Floats4(_mm_movelh_ps(c, d)),
            Floats4(_mm_movehl_ps(d, c)),
        ]
    }
}

impl F32x4 for Floats4 {
    #[inline(always)]
    fn new([a, b, c, d]: [f32; 4]) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        Floats4(unsafe { _mm_setr_ps(a, b, c, d) })
    }
    #[inline(always)]
    fn to_array(self) -> [f32; 4] {
        // SAFETY: both are four floats, and any bits are floats.
        unsafe { std::mem::transmute(self.0) }
    }
    #[inline(always)]
    fn least(self) -> f32 {
        // SAFETY: SSE2 is part of x86-64.
        unsafe {
            let x = _mm_min_ps(self.0, _mm_movehl_ps(self.0, self.0));
            _mm_cvtss_f32(_mm_min_ss(x, _mm_shuffle_ps::<1>(x, x)))
        }
    }
    #[inline(always)]
    fn greatest(self) -> f32 {
        // SAFETY: SSE2 is part of x86-64.
        unsafe {
            let x = _mm_max_ps(self.0, _mm_movehl_ps(self.0, self.0));
            _mm_cvtss_f32(_mm_max_ss(x, _mm_shuffle_ps::<1>(x, x)))
        }
    }
    #[inline(always)]
    fn low_halves(self) -> [u16; 4] {
        // SAFETY: SSE2 is part of x86-64.
        let packed = unsafe {
            let low = _mm_and_si128(_mm_castps_si128(self.0), _mm_set1_epi32(0xffff));
            _mm_cvtsi128_si64(_mm_packs_epi32(low, low)) as u64
        };
        [packed as u16, (packed >> 16) as u16, (packed >> 32) as u16, (packed >> 48) as u16]
    }
}

impl F64x2 for Doubles2 {
    binary!(add = _mm_add_pd,);

    #[inline(always)]
    fn new([a, b]: [f64; 2]) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        Doubles2(unsafe { _mm_setr_pd(a, b) })
    }
    #[inline(always)]
    fn scale(self, by: f64) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        Doubles2(unsafe { _mm_mul_pd(self.0, _mm_set1_pd(by)) })
    }
    #[inline(always)]
    fn split(self) -> [[f32; 2]; 2] {
        // SAFETY: SSE2 is part of x86-64.
        let (high, low) = unsafe {
            let high = _mm_cvtpd_ps(self.0);
            (high, _mm_cvtpd_ps(_mm_sub_pd(self.0, _mm_cvtps_pd(high))))
        };
        let ([a, b, ..], [c, d, ..]) = (Floats4(high).to_array(), Floats4(low).to_array());
        [[a, b], [c, d]]
    }
}

impl U32Lanes for Bits4 {
    binary!(or = _mm_or_si128, equal = _mm_cmpeq_epi32, halves_saturating_sub = _mm_subs_epu16,);

    #[inline(always)]
    fn splat(x: u32) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        Bits4(unsafe { _mm_set1_epi32(x as i32) })
    }
    #[inline(always)]
    fn shift_right<const BITS: i32>(self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        Bits4(unsafe { _mm_srli_epi32::<BITS>(self.0) })
    }
}

impl I16Lanes for Words8 {
    type Spread = [Words8; 8];
    const VECTORS: usize = 8;

    binary!(saturating_add = _mm_adds_epi16, saturating_sub = _mm_subs_epi16, min = _mm_min_epi16,);

    #[inline(always)]
    fn repeat(eight: &[i16; 8]) -> Self {
        // SAFETY: eight words are read from eight; the load needs no alignment.
        Words8(unsafe { _mm_loadu_si128(eight.as_ptr().cast()) })
    }
    #[inline(always)]
    fn spread(eight: &[i16; 8]) -> [Words8; 8] {
        let Words8(x) = Self::repeat(eight);
        // SAFETY: SSE2 is part of x86-64.
        unsafe {
            let (low, high) = (_mm_unpacklo_epi16(x, x), _mm_unpackhi_epi16(x, x));
            [
                Words8(_mm_shuffle_epi32::<0x00>(low)),
                Words8(_mm_shuffle_epi32::<0x55>(low)),
                Words8(_mm_shuffle_epi32::<0xaa>(low)),
                Words8(_mm_shuffle_epi32::<0xff>(low)),
                Words8(_mm_shuffle_epi32::<0x00>(high)),
                Words8(_mm_shuffle_epi32::<0x55>(high)),
                Words8(_mm_shuffle_epi32::<0xaa>(high)),
                Words8(_mm_shuffle_epi32::<0xff>(high)),
            ]
        }
    }
    #[inline(always)]
    fn within(self, most: Self) -> Self {
        // Without its sign, a negative number is a great one.
        // SAFETY: SSE2 is part of x86-64.
        Words8(unsafe { _mm_cmpeq_epi16(_mm_subs_epu16(self.0, most.0), _mm_setzero_si128()) })
    }
    #[inline(always)]
    fn bits(self, next: Self) -> u64 {
        // SAFETY: SSE2 is part of x86-64.
        u64::from(unsafe { _mm_movemask_epi8(_mm_packs_epi16(self.0, next.0)) as u32 })
    }
}
