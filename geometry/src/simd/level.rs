//! Which vector instructions are used.

/// Vector instructions. Every result is the same bits on each level; only the time differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SimdLevel {
    /// None: one lane after another.
    Scalar,
    /// 128 bits wide, which every x86-64 has; as `Scalar` on other processors.
    Sse2,
    /// 256 bits wide, where the processor has AVX2; as `Sse2` elsewhere.
    Avx2,
}

impl SimdLevel {
    /// The widest that this processor has. Cheap: the processor is asked once.
    #[inline]
    pub fn detect() -> SimdLevel {
        #[cfg(target_arch = "x86_64")]
        {
            if std::arch::is_x86_feature_detected!("avx2") { SimdLevel::Avx2 } else { SimdLevel::Sse2 }
        }
        #[cfg(not(target_arch = "x86_64"))]
        SimdLevel::Scalar
    }

    /// All that this processor has, from the narrowest on.
    pub fn available() -> impl Iterator<Item = SimdLevel> {
        let best = SimdLevel::detect();
        [SimdLevel::Scalar, SimdLevel::Sse2, SimdLevel::Avx2].into_iter().filter(move |&level| level <= best)
    }
}

impl Default for SimdLevel {
    /// As [`SimdLevel::detect`].
    fn default() -> SimdLevel {
        SimdLevel::detect()
    }
}
