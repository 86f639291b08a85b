//! Rows of `f32` on which every operation acts lane by lane: plain, SSE2 and AVX2.
//!
//! Every operation rounds once and none is fused, so all of them give the same bits. This is the
//! only module of the narrow phase with `unsafe` in it: it makes vectors of arrays and calls
//! functions that need a processor feature, after asking for it.

use impinge_midphase::SimdLevel;

use super::filter::{Bounds, Corners, FilterLeaf, Verdicts, judge, prepare};

/// Lanes that stand for pairs of triangles: four triangles of B, and one or two of A.
pub(super) trait Lanes: Copy {
    /// Four lanes with the same instructions.
    type Quad: Lanes;
    /// Signs of all lanes, ready to select by.
    type Signs: Copy;
    /// How many triangles of A there are at once.
    const TRIANGLES: usize;
    /// The bits of all lanes.
    const ALL: u32;
    fn splat(x: f32) -> Self;
    /// Four of B, for each triangle of A.
    fn row(row: &[f32; 4]) -> Self;
    /// The first four lanes.
    fn store(self, row: &mut [f32; 4]);
    /// Triangle `at` of A in four lanes, the next one in the next four.
    fn pick(row: &[f32; 4], at: usize) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn abs(self) -> Self;
    fn min(self, other: Self) -> Self;
    fn max(self, other: Self) -> Self;
    /// Bit by bit: of signs, that of the product.
    fn xor(self, other: Self) -> Self;
    fn signs(self) -> Self::Signs;
    /// `negative` where the sign is, else `positive`.
    fn select(signs: Self::Signs, negative: Self, positive: Self) -> Self;
    /// One bit for each lane that is greater than the other's.
    fn above(self, other: Self) -> u32;
}

/// How the triangles of two leaves meet, as far as the filter can tell. `valid` has a bit for each pair
/// to be looked at.
#[inline]
pub(super) fn verdicts(
    level: SimdLevel,
    a: &FilterLeaf,
    b: &FilterLeaf,
    bounds: &Bounds,
    valid: u32,
) -> Verdicts {
    match level {
        // SAFETY: AVX2 is the level only where the processor was asked for it.
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Avx2 => unsafe { x86::eight(a, b, bounds, valid) },
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Sse2 => x86::four(a, b, bounds, valid),
        _ => plain(a, b, bounds, valid),
    }
}

/// [`verdicts`], lane after lane.
#[cold]
#[inline(never)]
fn plain(a: &FilterLeaf, b: &FilterLeaf, bounds: &Bounds, valid: u32) -> Verdicts {
    judge::<Plain>(a, b, bounds, valid)
}

/// Fills a leaf from its corners, turned by `turn` (rows of the matrix) where there is one.
#[inline]
pub(super) fn make_ready(
    level: SimdLevel,
    corners: &Corners<'_>,
    turn: Option<&[[f32; 3]; 3]>,
    out: &mut FilterLeaf,
) {
    match level {
        // SAFETY: AVX2 is the level only where the processor was asked for it.
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Avx2 => unsafe { x86::prepare_eight(corners, turn, out) },
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Sse2 => x86::prepare_four(corners, turn, out),
        _ => prepare::<Plain>(corners, turn, out),
    }
}

/// Four lanes one after the other, as bits.
#[derive(Clone, Copy)]
pub(super) struct Plain([u32; 4]);

impl Plain {
    #[inline(always)]
    fn each(self, other: Plain, f: impl Fn(f32, f32) -> f32) -> Plain {
        let lane = |k: usize| f(f32::from_bits(self.0[k]), f32::from_bits(other.0[k])).to_bits();
        Plain([lane(0), lane(1), lane(2), lane(3)])
    }
}

impl Lanes for Plain {
    type Quad = Plain;
    type Signs = Plain;
    const TRIANGLES: usize = 1;
    const ALL: u32 = 0xf;
    fn splat(x: f32) -> Plain {
        Plain([x.to_bits(); 4])
    }
    fn row(row: &[f32; 4]) -> Plain {
        Plain(row.map(f32::to_bits))
    }
    fn store(self, row: &mut [f32; 4]) {
        *row = self.0.map(f32::from_bits);
    }
    fn pick(row: &[f32; 4], at: usize) -> Plain {
        Plain::splat(row[at])
    }
    fn add(self, other: Plain) -> Plain {
        self.each(other, |x, y| x + y)
    }
    fn sub(self, other: Plain) -> Plain {
        self.each(other, |x, y| x - y)
    }
    fn mul(self, other: Plain) -> Plain {
        self.each(other, |x, y| x * y)
    }
    fn abs(self) -> Plain {
        Plain(self.0.map(|x| x & 0x7fff_ffff))
    }
    fn min(self, other: Plain) -> Plain {
        self.each(other, |x, y| if x < y { x } else { y })
    }
    fn max(self, other: Plain) -> Plain {
        self.each(other, |x, y| if x > y { x } else { y })
    }
    fn xor(self, other: Plain) -> Plain {
        Plain([0, 1, 2, 3].map(|k| self.0[k] ^ other.0[k]))
    }
    fn signs(self) -> Plain {
        self
    }
    fn select(signs: Plain, negative: Plain, positive: Plain) -> Plain {
        Plain([0, 1, 2, 3].map(|k| if signs.0[k] >> 31 == 1 { negative.0[k] } else { positive.0[k] }))
    }
    fn above(self, other: Plain) -> u32 {
        let bit = |k: usize| u32::from(f32::from_bits(self.0[k]) > f32::from_bits(other.0[k])) << k;
        bit(0) | bit(1) | bit(2) | bit(3)
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::super::filter::{Bounds, Corners, FilterLeaf, Verdicts, judge, prepare};
    use super::Lanes;

    /// [`super::verdicts`], eight pairs at once.
    #[target_feature(enable = "avx2")]
    pub fn eight(a: &FilterLeaf, b: &FilterLeaf, bounds: &Bounds, valid: u32) -> Verdicts {
        judge::<Eight>(a, b, bounds, valid)
    }

    /// [`super::verdicts`], four pairs at once.
    #[inline(never)]
    pub fn four(a: &FilterLeaf, b: &FilterLeaf, bounds: &Bounds, valid: u32) -> Verdicts {
        judge::<Four>(a, b, bounds, valid)
    }

    /// [`super::make_ready`] with AVX2.
    #[target_feature(enable = "avx2")]
    pub fn prepare_eight(corners: &Corners<'_>, turn: Option<&[[f32; 3]; 3]>, out: &mut FilterLeaf) {
        prepare::<Eight>(corners, turn, out);
    }

    /// [`super::make_ready`] with SSE2.
    #[inline(never)]
    pub fn prepare_four(corners: &Corners<'_>, turn: Option<&[[f32; 3]; 3]>, out: &mut FilterLeaf) {
        prepare::<Four>(corners, turn, out);
    }

    /// Four lanes: one triangle of A.
    #[derive(Clone, Copy)]
    pub struct Four(__m128);

    /// Eight lanes: two triangles of A. Only made inside functions that have AVX2.
    #[derive(Clone, Copy)]
    pub struct Eight(__m256);

    /// Implements the operations that differ in nothing but the intrinsic. Calling them is safe where
    /// the processor has the feature: always for SSE2, and for AVX because `Eight` is only made where
    /// it has.
    macro_rules! arithmetic {
        ($name:ident, $splat:ident, $add:ident, $sub:ident, $mul:ident, $min:ident, $max:ident, $andnot:ident,
         $xor:ident) => {
            #[inline(always)]
            fn splat(x: f32) -> $name {
                // SAFETY: the processor has the feature, see above.
                unsafe { $name($splat(x)) }
            }
            #[inline(always)]
            fn add(self, other: $name) -> $name {
                // SAFETY: as above.
                unsafe { $name($add(self.0, other.0)) }
            }
            #[inline(always)]
            fn sub(self, other: $name) -> $name {
                // SAFETY: as above.
                unsafe { $name($sub(self.0, other.0)) }
            }
            #[inline(always)]
            fn mul(self, other: $name) -> $name {
                // SAFETY: as above.
                unsafe { $name($mul(self.0, other.0)) }
            }
            #[inline(always)]
            fn abs(self) -> $name {
                // SAFETY: as above.
                unsafe { $name($andnot($splat(-0.0), self.0)) }
            }
            #[inline(always)]
            fn min(self, other: $name) -> $name {
                // SAFETY: as above.
                unsafe { $name($min(self.0, other.0)) }
            }
            #[inline(always)]
            fn max(self, other: $name) -> $name {
                // SAFETY: as above.
                unsafe { $name($max(self.0, other.0)) }
            }
            #[inline(always)]
            fn xor(self, other: $name) -> $name {
                // SAFETY: as above.
                unsafe { $name($xor(self.0, other.0)) }
            }
        };
    }

    impl Lanes for Four {
        type Quad = Four;
        type Signs = __m128;
        const TRIANGLES: usize = 1;
        const ALL: u32 = 0xf;
        arithmetic!(
            Four,
            _mm_set1_ps,
            _mm_add_ps,
            _mm_sub_ps,
            _mm_mul_ps,
            _mm_min_ps,
            _mm_max_ps,
            _mm_andnot_ps,
            _mm_xor_ps
        );
        #[inline(always)]
        fn row(row: &[f32; 4]) -> Four {
            // SAFETY: `row` is four floats; the load needs no alignment. SSE2 is part of x86-64.
            unsafe { Four(_mm_loadu_ps(row.as_ptr())) }
        }
        #[inline(always)]
        fn store(self, row: &mut [f32; 4]) {
            // SAFETY: `row` is four floats; the store needs no alignment. SSE2 is part of x86-64.
            unsafe { _mm_storeu_ps(row.as_mut_ptr(), self.0) }
        }
        #[inline(always)]
        fn pick(row: &[f32; 4], at: usize) -> Four {
            Four::splat(row[at])
        }
        #[inline(always)]
        fn signs(self) -> __m128 {
            // SAFETY: SSE2 is part of x86-64.
            unsafe { _mm_castsi128_ps(_mm_srai_epi32::<31>(_mm_castps_si128(self.0))) }
        }
        #[inline(always)]
        fn select(signs: __m128, negative: Four, positive: Four) -> Four {
            // SAFETY: as above.
            unsafe { Four(_mm_or_ps(_mm_and_ps(signs, negative.0), _mm_andnot_ps(signs, positive.0))) }
        }
        #[inline(always)]
        fn above(self, other: Four) -> u32 {
            // SAFETY: as above.
            unsafe { _mm_movemask_ps(_mm_cmpgt_ps(self.0, other.0)) as u32 }
        }
    }

    impl Lanes for Eight {
        type Quad = Four;
        type Signs = __m256;
        const TRIANGLES: usize = 2;
        const ALL: u32 = 0xff;
        arithmetic!(
            Eight,
            _mm256_set1_ps,
            _mm256_add_ps,
            _mm256_sub_ps,
            _mm256_mul_ps,
            _mm256_min_ps,
            _mm256_max_ps,
            _mm256_andnot_ps,
            _mm256_xor_ps
        );
        #[inline(always)]
        fn row(row: &[f32; 4]) -> Eight {
            // SAFETY: `row` is four floats; the load needs no alignment. `Eight` is only made inside
            // functions that have AVX2.
            unsafe {
                let four = _mm_loadu_ps(row.as_ptr());
                Eight(_mm256_set_m128(four, four))
            }
        }
        #[inline(always)]
        fn store(self, row: &mut [f32; 4]) {
            // SAFETY: as above.
            unsafe { _mm_storeu_ps(row.as_mut_ptr(), _mm256_castps256_ps128(self.0)) }
        }
        #[inline(always)]
        fn pick(row: &[f32; 4], at: usize) -> Eight {
            // SAFETY: as above.
            unsafe {
                let at = at as i32;
                let lanes = _mm256_set_m128i(_mm_set1_epi32(at + 1), _mm_set1_epi32(at));
                Eight(_mm256_permutevar_ps(Eight::row(row).0, lanes))
            }
        }
        #[inline(always)]
        fn signs(self) -> __m256 {
            self.0
        }
        #[inline(always)]
        fn select(signs: __m256, negative: Eight, positive: Eight) -> Eight {
            // SAFETY: as above.
            unsafe { Eight(_mm256_blendv_ps(positive.0, negative.0, signs)) }
        }
        #[inline(always)]
        fn above(self, other: Eight) -> u32 {
            // SAFETY: as above.
            unsafe { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_GT_OQ>(self.0, other.0)) as u32 }
        }
    }
}
