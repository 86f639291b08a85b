//! Four `f32` or two `f64` side by side, for work on one box: inside of a long function the compiler
//! does not find them by itself. Nothing is fused, and every target gives the same bits.

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Quad, Two};

#[cfg(not(target_arch = "x86_64"))]
pub(super) use plain::{Quad, Two};

/// SSE2, which every x86-64 has.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    #[derive(Clone, Copy)]
    pub struct Quad(__m128);

    #[derive(Clone, Copy)]
    pub struct Two(__m128d);

    impl Quad {
        #[inline(always)]
        pub fn new(x: [f32; 4]) -> Quad {
            // SAFETY: every x86-64 has SSE2; the same below.
            Quad(unsafe { _mm_setr_ps(x[0], x[1], x[2], x[3]) })
        }
        #[inline(always)]
        pub fn plus(self, other: Quad) -> Quad {
            // SAFETY: as above.
            Quad(unsafe { _mm_add_ps(self.0, other.0) })
        }
        #[inline(always)]
        pub fn times(self, by: f32) -> Quad {
            // SAFETY: as above.
            Quad(unsafe { _mm_mul_ps(self.0, _mm_set1_ps(by)) })
        }
        /// The less of two; `other` where neither is.
        #[inline(always)]
        pub fn least(self, other: Quad) -> Quad {
            // SAFETY: as above.
            Quad(unsafe { _mm_min_ps(self.0, other.0) })
        }
        /// The greater of two; `other` where neither is.
        #[inline(always)]
        pub fn greatest(self, other: Quad) -> Quad {
            // SAFETY: as above.
            Quad(unsafe { _mm_max_ps(self.0, other.0) })
        }
        #[inline(always)]
        pub fn get(self) -> [f32; 4] {
            // SAFETY: both are four floats, and any bits are floats.
            unsafe { std::mem::transmute(self.0) }
        }
    }

    impl Two {
        #[inline(always)]
        pub fn new(x: [f64; 2]) -> Two {
            // SAFETY: as above.
            Two(unsafe { _mm_setr_pd(x[0], x[1]) })
        }
        #[inline(always)]
        pub fn plus(self, other: Two) -> Two {
            // SAFETY: as above.
            Two(unsafe { _mm_add_pd(self.0, other.0) })
        }
        #[inline(always)]
        pub fn times(self, by: f64) -> Two {
            // SAFETY: as above.
            Two(unsafe { _mm_mul_pd(self.0, _mm_set1_pd(by)) })
        }
        /// Two `f32`s each, the second what rounding to the first left over.
        #[inline(always)]
        pub fn parts(self) -> [[f32; 2]; 2] {
            // SAFETY: as above.
            let (high, low) = unsafe {
                let high = _mm_cvtpd_ps(self.0);
                (high, _mm_cvtpd_ps(_mm_sub_pd(self.0, _mm_cvtps_pd(high))))
            };
            let ([a, b, ..], [c, d, ..]) = (Quad(high).get(), Quad(low).get());
            [[a, b], [c, d]]
        }
    }
}

#[cfg(any(test, not(target_arch = "x86_64")))]
mod plain {
    #[derive(Clone, Copy)]
    pub struct Quad([f32; 4]);

    #[derive(Clone, Copy)]
    pub struct Two([f64; 2]);

    impl Quad {
        pub fn new(x: [f32; 4]) -> Quad {
            Quad(x)
        }
        pub fn plus(self, other: Quad) -> Quad {
            Quad(std::array::from_fn(|k| self.0[k] + other.0[k]))
        }
        pub fn times(self, by: f32) -> Quad {
            Quad(self.0.map(|x| x * by))
        }
        pub fn least(self, other: Quad) -> Quad {
            Quad(std::array::from_fn(|k| if self.0[k] < other.0[k] { self.0[k] } else { other.0[k] }))
        }
        pub fn greatest(self, other: Quad) -> Quad {
            Quad(std::array::from_fn(|k| if self.0[k] > other.0[k] { self.0[k] } else { other.0[k] }))
        }
        pub fn get(self) -> [f32; 4] {
            self.0
        }
    }

    impl Two {
        pub fn new(x: [f64; 2]) -> Two {
            Two(x)
        }
        pub fn plus(self, other: Two) -> Two {
            Two(std::array::from_fn(|k| self.0[k] + other.0[k]))
        }
        pub fn times(self, by: f64) -> Two {
            Two(self.0.map(|x| x * by))
        }
        pub fn parts(self) -> [[f32; 2]; 2] {
            let high = self.0.map(|x| x as f32);
            [high, std::array::from_fn(|k| (self.0[k] - f64::from(high[k])) as f32)]
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    #[test]
    fn both_kinds_give_the_same_bits() {
        for k in 0..1000 {
            let x = (f64::from(k) * 0.37 - 150.0) * 10f64.powi(k % 70 - 35);
            let (a, b) = ([x, 1.0 / (x + 3.1)], [x * 1.7, -x]);
            let by = 0.1 + x;
            let two = super::x86::Two::new(a).times(by).plus(super::x86::Two::new(b)).parts();
            let same = super::plain::Two::new(a).times(by).plus(super::plain::Two::new(b)).parts();
            assert_eq!(two.map(|p| p.map(f32::to_bits)), same.map(|p| p.map(f32::to_bits)), "case {k}");
            let (c, d) = ([a[0], a[1], b[0], b[1]].map(|x| x as f32), [0.3, x as f32, 7.0, -0.0]);
            let by = by as f32;
            macro_rules! mixed {
                ($quad:ty) => {{
                    let (c, d) = (<$quad>::new(c), <$quad>::new(d));
                    let sum = c.times(by).plus(d);
                    [sum, sum.least(c), d.greatest(sum)].map(|q| q.get())
                }};
            }
            let (quad, same) = (mixed!(super::x86::Quad), mixed!(super::plain::Quad));
            let bits = |x: [f32; 4]| x.map(|x| if x.is_nan() { 0 } else { x.to_bits() });
            assert_eq!(quad.map(bits), same.map(bits), "case {k}");
        }
    }
}
