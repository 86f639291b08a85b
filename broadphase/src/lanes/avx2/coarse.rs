//! Hulls in whole numbers, two probes against eight others at once.

use std::arch::x86_64::*;

use super::load;
use crate::lanes::coarse::{MOST, MOST_SHELL, SLACK, Words};
use crate::lanes::{Block, Coarse, Frame, Lanes, Reach, Square, Squares};

/// Eight bounds in steps, as 32-bit numbers; what is missing comes out as the greatest.
#[inline]
#[target_feature(enable = "avx2")]
fn steps(lanes: &Lanes, origin: f32, scale: f32) -> __m256i {
    let x = _mm256_mul_ps(_mm256_sub_ps(load(lanes), _mm256_set1_ps(origin)), _mm256_set1_ps(scale));
    _mm256_cvtps_epi32(_mm256_min_ps(x, _mm256_set1_ps(MOST)))
}

/// Two times eight numbers, narrowed.
#[inline]
#[target_feature(enable = "avx2")]
fn narrow(low: __m256i, high: __m256i) -> __m256i {
    _mm256_permute4x64_epi64::<0xd8>(_mm256_packs_epi32(low, high))
}

#[target_feature(enable = "avx2")]
pub(in crate::lanes) fn coarsen(block: &Block, frame: &Frame, coarse: &mut Coarse) {
    for k in 0..3 {
        let min = steps(&block.min[k], frame.origin[k], frame.scale);
        let max = steps(&block.max[k], frame.origin[k], frame.scale);
        let to: *mut [Words; 2] = &mut coarse.bounds[k];
        // SAFETY: two times eight words of 16 bits; the store asks for no alignment.
        unsafe { _mm256_storeu_si256(to.cast(), narrow(min, max)) }
    }
    let shell = _mm256_mul_ps(load(&block.shell), _mm256_set1_ps(frame.scale));
    let shell = _mm256_min_ps(_mm256_add_ps(shell, _mm256_set1_ps(SLACK)), _mm256_set1_ps(MOST_SHELL));
    let shell = _mm256_cvtps_epi32(shell);
    let to: *mut Words = &mut coarse.shell;
    // SAFETY: eight words of 16 bits; the store asks for no alignment.
    unsafe { _mm_storeu_si128(to.cast(), _mm256_castsi256_si128(narrow(shell, shell))) }
}

/// Eight words, twice.
#[inline]
#[target_feature(enable = "avx2")]
fn twice(words: &Words) -> __m256i {
    // SAFETY: the reference is to eight words of 16 bits; the load asks for no alignment.
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(std::ptr::from_ref(words).cast()) })
}

/// For each pair of lanes: the first one's word in the lower half, the other's in the upper.
#[inline]
#[target_feature(enable = "avx2")]
fn pairs(words: &Words) -> [__m256i; 4] {
    let words = twice(words);
    // The order in which two masks narrowed to bytes come out in the order of the lanes.
    [[0, 2], [1, 3], [4, 6], [5, 7]].map(|[x, y]: [i16; 2]| {
        let bytes = |lane: i16| (2 * lane) | ((2 * lane + 1) << 8);
        let choice = _mm256_set_m128i(_mm_set1_epi16(bytes(y)), _mm_set1_epi16(bytes(x)));
        _mm256_shuffle_epi8(words, choice)
    })
}

/// Eight hulls, two by two.
struct Probes {
    min: [[__m256i; 4]; 3],
    max: [[__m256i; 4]; 3],
    shell: [__m256i; 4],
}

/// Eight hulls, side by side and twice.
struct Others {
    min: [__m256i; 3],
    max: [__m256i; 3],
    shell: __m256i,
}

impl Others {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn new(x: &Coarse) -> Others {
        let [a, b, c] = &x.bounds;
        Others {
            min: [twice(&a[0]), twice(&b[0]), twice(&c[0])],
            max: [twice(&a[1]), twice(&b[1]), twice(&c[1])],
            shell: twice(&x.shell),
        }
    }
}

impl Probes {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn new(x: &Coarse) -> Probes {
        let [a, b, c] = &x.bounds;
        Probes {
            min: [pairs(&a[0]), pairs(&b[0]), pairs(&c[0])],
            max: [pairs(&a[1]), pairs(&b[1]), pairs(&c[1])],
            shell: pairs(&x.shell),
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn hit(&self, pair: usize, others: &Others) -> __m256i {
        let right = |k: usize| _mm256_subs_epi16(self.max[k][pair], others.min[k]);
        let left = |k: usize| _mm256_subs_epi16(others.max[k], self.min[k][pair]);
        let depth = _mm256_min_epi16(
            _mm256_min_epi16(_mm256_min_epi16(right(0), left(0)), _mm256_min_epi16(right(1), left(1))),
            _mm256_min_epi16(right(2), left(2)),
        );
        let shells = _mm256_adds_epi16(self.shell[pair], others.shell);
        // A negative depth is a great one without its sign.
        _mm256_cmpeq_epi16(_mm256_subs_epu16(depth, shells), _mm256_setzero_si256())
    }

    /// The bits of four probes, at the lower end.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn half(&self, half: usize, others: &Others) -> u64 {
        let hits = _mm256_packs_epi16(self.hit(2 * half, others), self.hit(2 * half + 1, others));
        u64::from(_mm256_movemask_epi8(hits) as u32)
    }
}

#[target_feature(enable = "avx2")]
pub(in crate::lanes) fn sweep(blocks: &[Coarse], reach: Reach, squares: &mut Squares) {
    let Reach { b, all, one, half } = reach;
    let probes = Probes::new(&blocks[b as usize]);
    for (others, c) in blocks[b as usize..all as usize].iter().zip(b..) {
        let others = Others::new(others);
        let bits = probes.half(0, &others) | probes.half(1, &others) << 32;
        squares.note(Square { probes: b, others: c, bits });
    }
    for (others, c) in blocks[all as usize..one as usize].iter().zip(all..) {
        let others = Others::new(others);
        let bits = if half == 0 { probes.half(0, &others) } else { probes.half(1, &others) << 32 };
        squares.note(Square { probes: b, others: c, bits });
    }
}
