//! Rows of `f32` on which every operation acts lane by lane: plain, SSE2 and AVX2.
//!
//! Every operation rounds once and none is fused, so all of them give the same bits. Here and in
//! `quad` alone is `unsafe`: it makes vectors of arrays and calls functions that need a
//! processor feature, after asking for it.

use std::sync::atomic::{AtomicU8, Ordering};

use super::node::WIDTH;

/// Which instructions the box tests use. The answers are the same bits on each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum SimdLevel {
    /// Plain Rust.
    Portable = 1,
    /// Four boxes at once (every x86-64 has it).
    Sse2 = 2,
    /// Eight boxes at once.
    Avx2 = 3,
}

/// The level that was forced; 0 for none.
static FORCED: AtomicU8 = AtomicU8::new(0);

impl SimdLevel {
    /// The best that this processor has.
    pub fn best() -> SimdLevel {
        #[cfg(target_arch = "x86_64")]
        {
            if std::is_x86_feature_detected!("avx2") { SimdLevel::Avx2 } else { SimdLevel::Sse2 }
        }
        #[cfg(not(target_arch = "x86_64"))]
        SimdLevel::Portable
    }

    /// Limits all later queries of this process to `level`, or to the best there is (`None`). For
    /// measurements and tests: no answer depends on it.
    pub fn force(level: Option<SimdLevel>) {
        FORCED.store(level.map_or(0, |l| l as u8), Ordering::Relaxed);
    }

    /// The level that queries use: the best, unless a lesser one was forced.
    #[inline]
    pub fn current() -> SimdLevel {
        let best = SimdLevel::best();
        match FORCED.load(Ordering::Relaxed) {
            1 => SimdLevel::Portable,
            2 => best.min(SimdLevel::Sse2),
            _ => best,
        }
    }
}

/// A row of `f32`s.
pub(super) trait Lanes: Copy {
    /// How many there are: a divisor of [`WIDTH`].
    const COUNT: usize;
    /// The bits of all lanes.
    const ALL: u32 = (1 << Self::COUNT) - 1;
    /// The floats of `row` from `at` on, of which there are as many as lanes.
    fn load(row: &[f32; WIDTH], at: usize) -> Self;
    fn splat(x: f32) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn abs(self) -> Self;
    /// The greater; `other` where a lane is not a number.
    fn max(self, other: Self) -> Self;
    /// One bit for each lane that is greater than 0.
    fn positive(self) -> u32;
}

impl Lanes for f32 {
    const COUNT: usize = 1;
    #[inline(always)]
    fn load(row: &[f32; WIDTH], at: usize) -> f32 {
        row[at]
    }
    #[inline(always)]
    fn splat(x: f32) -> f32 {
        x
    }
    #[inline(always)]
    fn add(self, other: f32) -> f32 {
        self + other
    }
    #[inline(always)]
    fn sub(self, other: f32) -> f32 {
        self - other
    }
    #[inline(always)]
    fn mul(self, other: f32) -> f32 {
        self * other
    }
    #[inline(always)]
    fn abs(self) -> f32 {
        f32::abs(self)
    }
    #[inline(always)]
    fn max(self, other: f32) -> f32 {
        if self > other { self } else { other }
    }
    #[inline(always)]
    fn positive(self) -> u32 {
        u32::from(self > 0.0)
    }
}

/// Work that is compiled once for every [`SimdLevel`].
pub(super) trait Kernel {
    type Output;
    /// Has to be `#[inline(always)]`, with everything in it that calls [`Lanes`], and without
    /// closures there: what is not inlined lacks the level's instructions.
    fn run<V: Lanes>(self) -> Self::Output;
}

/// Runs the work with the instructions of `level`.
#[inline]
pub(super) fn dispatch<K: Kernel>(level: SimdLevel, kernel: K) -> K::Output {
    match level {
        // SAFETY: AVX2 is the level only where the processor was asked for it, in `best`.
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Avx2 => unsafe { x86::run_eight(kernel) },
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Sse2 => kernel.run::<x86::Four>(),
        _ => kernel.run::<f32>(),
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{Kernel, Lanes, WIDTH};

    /// As [`super::dispatch`], eight lanes at once.
    #[target_feature(enable = "avx2")]
    pub fn run_eight<K: Kernel>(kernel: K) -> K::Output {
        kernel.run::<Eight>()
    }

    /// Four lanes.
    #[derive(Clone, Copy)]
    pub struct Four(__m128);

    /// Eight lanes; only made inside functions that have AVX2.
    #[derive(Clone, Copy)]
    pub struct Eight(__m256);

    /// Implements [`Lanes`] with the given intrinsics. Calling them is safe where the processor has
    /// the feature: always for SSE2, and for AVX2 because `Eight` is only made where it has.
    macro_rules! lanes {
        ($name:ident, $count:expr, $load:ident, $splat:ident, $add:ident, $sub:ident, $mul:ident, $max:ident, $andnot:ident,
         $mask:ident, |$x:ident| $positive:expr) => {
            impl Lanes for $name {
                const COUNT: usize = $count;
                #[inline(always)]
                fn load(row: &[f32; WIDTH], at: usize) -> $name {
                    let floats = &row[at..at + $count];
                    // SAFETY: the slice is as many floats as are loaded, which needs no alignment; the
                    // processor has the feature, see above.
                    unsafe { $name($load(floats.as_ptr())) }
                }
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
                fn max(self, other: $name) -> $name {
                    // The instruction gives its second operand where either is not a number.
                    // SAFETY: as above.
                    unsafe { $name($max(self.0, other.0)) }
                }
                #[inline(always)]
                fn positive(self) -> u32 {
                    let $x = self.0;
                    // SAFETY: as above.
                    unsafe { $mask($positive) as u32 }
                }
            }
        };
    }

    lanes!(
        Four,
        4,
        _mm_loadu_ps,
        _mm_set1_ps,
        _mm_add_ps,
        _mm_sub_ps,
        _mm_mul_ps,
        _mm_max_ps,
        _mm_andnot_ps,
        _mm_movemask_ps,
        |x| _mm_cmpgt_ps(x, _mm_setzero_ps())
    );
    lanes!(
        Eight,
        8,
        _mm256_loadu_ps,
        _mm256_set1_ps,
        _mm256_add_ps,
        _mm256_sub_ps,
        _mm256_mul_ps,
        _mm256_max_ps,
        _mm256_andnot_ps,
        _mm256_movemask_ps,
        |x| _mm256_cmp_ps::<_CMP_GT_OQ>(x, _mm256_setzero_ps())
    );
}

#[cfg(test)]
mod tests {
    use super::super::node::{Child, Node, OrientedBox};
    use super::super::sat::Probe;
    use super::*;

    /// A source of numbers that is the same everywhere.
    struct Numbers(u64);

    impl Numbers {
        fn next(&mut self) -> f32 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 40) as f32 / (1u64 << 24) as f32
        }

        /// A box whose axes are any three vectors of about unit length: the levels must agree on
        /// anything.
        fn oriented_box(&mut self, spread: f32) -> OrientedBox {
            let mut row = |s: f32| [0; 3].map(|_| s * (self.next() - 0.5));
            let center = row(spread);
            OrientedBox { center, half: row(1.0).map(f32::abs), axes: [0; 3].map(|_| row(1.7)) }
        }
    }

    fn all_levels(probe: &Probe, node: &Node) -> Vec<u32> {
        let levels = [SimdLevel::Portable, SimdLevel::Sse2, SimdLevel::Avx2];
        levels.iter().filter(|&&l| l <= SimdLevel::best()).map(|&l| probe.overlaps(node, l)).collect()
    }

    #[test]
    fn every_level_gives_the_same_bits() {
        let mut numbers = Numbers(7);
        let (mut overlapping, mut tested) = (0, 0);
        for case in 0..20_000 {
            let children = 1 + case % WIDTH;
            let mut node = Node::EMPTY;
            for lane in 0..children {
                node.child[lane] = Child::leaf(lane as u32);
                node.set(lane, &numbers.oriented_box(1.6));
            }
            let probe = Probe::new(&numbers.oriented_box(1.0), 1e-12);
            let masks = all_levels(&probe, &node);
            assert!(masks.iter().all(|&m| m == masks[0]), "case {case}: {masks:x?}");
            assert_eq!(masks[0] >> children, 0, "a lane without a child overlaps");
            overlapping += masks[0].count_ones();
            tested += children as u32;
        }
        assert!(tested / 5 < overlapping && overlapping < tested * 4 / 5, "{overlapping} of {tested}");
    }

    #[test]
    fn what_is_no_number_is_never_separated_on_any_level() {
        let mut numbers = Numbers(11);
        for odd in [f32::NAN, f32::INFINITY, f32::MAX] {
            for field in 0..3 {
                let mut node = Node::EMPTY;
                for lane in 0..WIDTH {
                    node.child[lane] = Child::leaf(lane as u32);
                    let mut b = numbers.oriented_box(1.0);
                    match field {
                        0 => b.half = [odd; 3],
                        1 => b.axes[lane % 3][0] = odd,
                        _ => {
                            b.center[lane % 3] = odd;
                            b.half = [odd; 3];
                        }
                    }
                    node.set(lane, &b);
                }
                let masks = all_levels(&Probe::new(&numbers.oriented_box(1.0), 1e-12), &node);
                assert!(masks.iter().all(|&m| m == masks[0]), "{odd}, field {field}: {masks:x?}");
                assert!(field == 1 || masks[0] == 0xff, "{odd}, field {field}: {masks:x?}");
            }
        }
    }
}
