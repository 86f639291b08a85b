//! Hulls in whole numbers, one probe against eight others at once.

use std::arch::x86_64::*;

use super::load;
use crate::lanes::coarse::{MOST, MOST_SHELL, SLACK, Words};
use crate::lanes::{Block, Coarse, Frame, LANES, Lanes, Reach, Square, Squares};

/// Eight bounds in steps; what is missing comes out as the greatest.
#[inline]
#[target_feature(enable = "sse2")]
fn steps(lanes: &Lanes, origin: f32, scale: f32) -> __m128i {
    let half = |half: usize| {
        let x = _mm_mul_ps(_mm_sub_ps(load(lanes, half), _mm_set1_ps(origin)), _mm_set1_ps(scale));
        _mm_cvtps_epi32(_mm_min_ps(x, _mm_set1_ps(MOST)))
    };
    _mm_packs_epi32(half(0), half(1))
}

#[inline]
#[target_feature(enable = "sse2")]
fn store(words: &mut Words, x: __m128i) {
    // SAFETY: the reference is to eight words of 16 bits; the store asks for no alignment.
    unsafe { _mm_storeu_si128(std::ptr::from_mut(words).cast(), x) }
}

#[target_feature(enable = "sse2")]
pub(in crate::lanes) fn coarsen(block: &Block, frame: &Frame, coarse: &mut Coarse) {
    for k in 0..3 {
        store(&mut coarse.bounds[k][0], steps(&block.min[k], frame.origin[k], frame.scale));
        store(&mut coarse.bounds[k][1], steps(&block.max[k], frame.origin[k], frame.scale));
    }
    let shell = |half: usize| {
        let shell = _mm_mul_ps(load(&block.shell, half), _mm_set1_ps(frame.scale));
        _mm_cvtps_epi32(_mm_min_ps(_mm_add_ps(shell, _mm_set1_ps(SLACK)), _mm_set1_ps(MOST_SHELL)))
    };
    store(&mut coarse.shell, _mm_packs_epi32(shell(0), shell(1)));
}

#[inline]
#[target_feature(enable = "sse2")]
fn words(words: &Words) -> __m128i {
    // SAFETY: the reference is to eight words of 16 bits; the load asks for no alignment.
    unsafe { _mm_loadu_si128(std::ptr::from_ref(words).cast()) }
}

/// The word of each lane, eight times.
#[inline]
#[target_feature(enable = "sse2")]
fn spread(x: &Words) -> [__m128i; LANES] {
    let x = words(x);
    let (low, high) = (_mm_unpacklo_epi16(x, x), _mm_unpackhi_epi16(x, x));
    let four = |x: __m128i| {
        [
            _mm_shuffle_epi32::<0x00>(x),
            _mm_shuffle_epi32::<0x55>(x),
            _mm_shuffle_epi32::<0xaa>(x),
            _mm_shuffle_epi32::<0xff>(x),
        ]
    };
    let ([a, b, c, d], [e, f, g, h]) = (four(low), four(high));
    [a, b, c, d, e, f, g, h]
}

/// Eight hulls, one by one.
struct Probes {
    min: [[__m128i; LANES]; 3],
    max: [[__m128i; LANES]; 3],
    shell: [__m128i; LANES],
}

/// Eight hulls, side by side.
struct Others {
    min: [__m128i; 3],
    max: [__m128i; 3],
    shell: __m128i,
}

impl Others {
    #[inline]
    #[target_feature(enable = "sse2")]
    fn new(x: &Coarse) -> Others {
        let [a, b, c] = &x.bounds;
        Others {
            min: [words(&a[0]), words(&b[0]), words(&c[0])],
            max: [words(&a[1]), words(&b[1]), words(&c[1])],
            shell: words(&x.shell),
        }
    }
}

impl Probes {
    #[inline]
    #[target_feature(enable = "sse2")]
    fn new(x: &Coarse) -> Probes {
        let [a, b, c] = &x.bounds;
        Probes {
            min: [spread(&a[0]), spread(&b[0]), spread(&c[0])],
            max: [spread(&a[1]), spread(&b[1]), spread(&c[1])],
            shell: spread(&x.shell),
        }
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn hit(&self, lane: usize, others: &Others) -> __m128i {
        let right = |k: usize| _mm_subs_epi16(self.max[k][lane], others.min[k]);
        let left = |k: usize| _mm_subs_epi16(others.max[k], self.min[k][lane]);
        let depth = _mm_min_epi16(
            _mm_min_epi16(_mm_min_epi16(right(0), left(0)), _mm_min_epi16(right(1), left(1))),
            _mm_min_epi16(right(2), left(2)),
        );
        let shells = _mm_adds_epi16(self.shell[lane], others.shell);
        // A negative depth is a great one without its sign.
        _mm_cmpeq_epi16(_mm_subs_epu16(depth, shells), _mm_setzero_si128())
    }

    /// The bits of four probes, at the lower end.
    #[inline]
    #[target_feature(enable = "sse2")]
    fn half(&self, half: usize, others: &Others) -> u64 {
        let two = |lane: usize| {
            let hits = _mm_packs_epi16(self.hit(lane, others), self.hit(lane + 1, others));
            u64::from(_mm_movemask_epi8(hits) as u32)
        };
        two(LANES / 2 * half) | two(LANES / 2 * half + 2) << 16
    }
}

#[target_feature(enable = "sse2")]
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
