//! Random numbers that are the same everywhere.

use std::f64::consts::TAU;

use nalgebra::{Quaternion, UnitQuaternion, Vector3};

/// A stream of random numbers from a seed.
///
/// Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators" (SplitMix64), 2014.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 up to but not 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A number from -1 to 1.
    pub fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// 1 or -1.
    pub fn sign(&mut self) -> f64 {
        if self.bits() >> 63 == 0 { 1.0 } else { -1.0 }
    }

    /// An index below `count`; 0 where `count` is 0.
    pub fn index(&mut self, count: usize) -> usize {
        ((u128::from(self.bits()) * count as u128) >> 64) as usize
    }

    /// A direction, every one as likely.
    pub fn direction(&mut self) -> Vector3<f64> {
        let z = self.signed();
        let (sin, cos) = libm::sincos(TAU * self.unit());
        let r = (1.0 - z * z).max(0.0).sqrt();
        Vector3::new(r * cos, r * sin, z)
    }

    /// A rotation, every one as likely.
    ///
    /// Source: Shoemake, "Uniform Random Rotations", Graphics Gems III, 1992.
    pub fn rotation(&mut self) -> UnitQuaternion<f64> {
        let share = self.unit();
        let (sin_a, cos_a) = libm::sincos(TAU * self.unit());
        let (sin_b, cos_b) = libm::sincos(TAU * self.unit());
        let (a, b) = ((1.0 - share).sqrt(), share.sqrt());
        UnitQuaternion::new_normalize(Quaternion::new(cos_b * b, sin_a * a, cos_a * a, sin_b * b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_that_of_the_published_generator() {
        let mut random = Random::new(1_234_567);
        assert_eq!(random.bits(), 6_457_827_717_110_365_317);
        assert_eq!(random.bits(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn directions_and_rotations_favour_no_side() {
        let mut random = Random::new(5);
        let (mut sum, mut turned) = (Vector3::zeros(), Vector3::zeros());
        for _ in 0..4000 {
            sum += random.direction();
            turned += random.rotation() * Vector3::x();
        }
        assert!(sum.norm() / 4000.0 < 0.05, "{sum}");
        assert!(turned.norm() / 4000.0 < 0.05, "{turned}");
    }
}
