//! One lane after another: the meaning of every operation.

use super::{F32Lanes, F32x4, F32x8, F64x2, I16Lanes, Simd, U32Lanes};

/// No vector instructions.
#[derive(Clone, Copy)]
pub struct Scalar;

impl Simd for Scalar {
    type F32 = Floats<4>;
    type F32x4 = Floats<4>;
    type F32x8 = Floats<8>;
    type F64x2 = Doubles;
    type I16 = Words;
}

#[derive(Clone, Copy)]
pub struct Floats<const N: usize>([f32; N]);

#[derive(Clone, Copy)]
pub struct Bits<const N: usize>([u32; N]);

#[derive(Clone, Copy)]
pub struct Doubles([f64; 2]);

#[derive(Clone, Copy)]
pub struct Words([i16; 8]);

fn mask(set: bool) -> u32 {
    if set { u32::MAX } else { 0 }
}

impl<const N: usize> Floats<N> {
    #[inline(always)]
    fn each(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        Floats(std::array::from_fn(|k| f(self.0[k], other.0[k])))
    }

    #[inline(always)]
    fn each_bits(self, other: Self, f: impl Fn(u32, u32) -> u32) -> Self {
        self.each(other, |x, y| f32::from_bits(f(x.to_bits(), y.to_bits())))
    }

    #[inline(always)]
    fn compare(self, other: Self, f: impl Fn(f32, f32) -> bool) -> Self {
        self.each(other, |x, y| f32::from_bits(mask(f(x, y))))
    }
}

impl<const N: usize> F32Lanes for Floats<N> {
    const LANES: usize = N;
    type Bits = Bits<N>;

    #[inline(always)]
    fn splat(x: f32) -> Self {
        Floats([x; N])
    }
    #[inline(always)]
    fn load(from: &[f32]) -> Self {
        let from = &from[..N];
        Floats(std::array::from_fn(|k| from[k]))
    }
    #[inline(always)]
    fn repeat(four: &[f32; 4]) -> Self {
        Floats(std::array::from_fn(|k| four[k % 4]))
    }
    #[inline(always)]
    fn spread(four: &[f32; 4], at: usize) -> Self {
        Floats(std::array::from_fn(|k| four[(at + k / 4) % 4]))
    }
    #[inline(always)]
    fn transpose(rows: &[&[f32; 8]]) -> [Self; 8] {
        let rows = &rows[..N];
        std::array::from_fn(|column| Floats(std::array::from_fn(|row| rows[row][column])))
    }
    #[inline(always)]
    fn store(self, to: &mut [f32]) {
        to[..N].copy_from_slice(&self.0);
    }
    #[inline(always)]
    fn store_four(self, to: &mut [f32; 4]) {
        to.copy_from_slice(&self.0[..4]);
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.each(other, |x, y| x + y)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.each(other, |x, y| x - y)
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.each(other, |x, y| x * y)
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.each(other, |x, y| x / y)
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.each(other, |x, y| if x < y { x } else { y })
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.each(other, |x, y| if x > y { x } else { y })
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Floats(self.0.map(f32::abs))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Floats(self.0.map(f32::sqrt))
    }
    #[inline(always)]
    fn less(self, other: Self) -> Self {
        self.compare(other, |x, y| x < y)
    }
    #[inline(always)]
    fn at_most(self, other: Self) -> Self {
        self.compare(other, |x, y| x <= y)
    }
    #[inline(always)]
    fn is_nan(self) -> Self {
        self.compare(self, |x, _| x.is_nan())
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.each_bits(other, |x, y| x & y)
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self.each_bits(other, |x, y| x | y)
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self.each_bits(other, |x, y| x ^ y)
    }
    #[inline(always)]
    fn select(self, yes: Self, no: Self) -> Self {
        self.select_by_sign(yes, no)
    }
    #[inline(always)]
    fn select_by_sign(self, negative: Self, positive: Self) -> Self {
        let lane = |k: usize| if self.0[k].is_sign_negative() { negative.0[k] } else { positive.0[k] };
        Floats(std::array::from_fn(lane))
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        (0..N).fold(0, |bits, k| bits | (self.0[k].to_bits() >> 31) << k)
    }
    #[inline(always)]
    fn to_bits(self) -> Bits<N> {
        Bits(self.0.map(f32::to_bits))
    }
    #[inline(always)]
    fn from_bits(bits: Bits<N>) -> Self {
        Floats(bits.0.map(f32::from_bits))
    }
}

impl F32x4 for Floats<4> {
    #[inline(always)]
    fn new(lanes: [f32; 4]) -> Self {
        Floats(lanes)
    }
    #[inline(always)]
    fn to_array(self) -> [f32; 4] {
        self.0
    }
    #[inline(always)]
    fn least(self) -> f32 {
        self.0.into_iter().fold(f32::INFINITY, f32::min)
    }
    #[inline(always)]
    fn greatest(self) -> f32 {
        self.0.into_iter().fold(f32::NEG_INFINITY, f32::max)
    }
    #[inline(always)]
    fn low_halves(self) -> [u16; 4] {
        self.0.map(|x| x.to_bits() as u16)
    }
}

impl F32x8 for Floats<8> {
    #[inline(always)]
    fn pair(first: &[f32; 4], second: &[f32; 4]) -> Self {
        Floats(std::array::from_fn(|k| if k < 4 { first[k] } else { second[k - 4] }))
    }
    #[inline(always)]
    fn halves(first: f32, second: f32) -> Self {
        Floats(std::array::from_fn(|k| if k < 4 { first } else { second }))
    }
    #[inline(always)]
    fn store_i16(self, to: &mut [i16; 8]) {
        *to = self.0.map(|x| x.round_ties_even() as i16);
    }
}

impl F64x2 for Doubles {
    #[inline(always)]
    fn new(lanes: [f64; 2]) -> Self {
        Doubles(lanes)
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Doubles([self.0[0] + other.0[0], self.0[1] + other.0[1]])
    }
    #[inline(always)]
    fn scale(self, by: f64) -> Self {
        Doubles(self.0.map(|x| x * by))
    }
    #[inline(always)]
    fn split(self) -> [[f32; 2]; 2] {
        let high = self.0.map(|x| x as f32);
        [high, std::array::from_fn(|k| (self.0[k] - f64::from(high[k])) as f32)]
    }
}

impl<const N: usize> U32Lanes for Bits<N> {
    #[inline(always)]
    fn splat(x: u32) -> Self {
        Bits([x; N])
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Bits(std::array::from_fn(|k| self.0[k] | other.0[k]))
    }
    #[inline(always)]
    fn equal(self, other: Self) -> Self {
        Bits(std::array::from_fn(|k| mask(self.0[k] == other.0[k])))
    }
    #[inline(always)]
    fn shift_right<const BITS: i32>(self) -> Self {
        Bits(self.0.map(|x| x >> BITS))
    }
    #[inline(always)]
    fn halves_saturating_sub(self, other: Self) -> Self {
        let half = |x: u32, y: u32| u32::from((x as u16).saturating_sub(y as u16));
        let lane = |x: u32, y: u32| half(x, y) | half(x >> 16, y >> 16) << 16;
        Bits(std::array::from_fn(|k| lane(self.0[k], other.0[k])))
    }
}

impl I16Lanes for Words {
    type Spread = [Words; 8];
    const VECTORS: usize = 8;

    #[inline(always)]
    fn repeat(eight: &[i16; 8]) -> Self {
        Words(*eight)
    }
    #[inline(always)]
    fn spread(eight: &[i16; 8]) -> [Words; 8] {
        eight.map(|x| Words([x; 8]))
    }
    #[inline(always)]
    fn saturating_add(self, other: Self) -> Self {
        Words(std::array::from_fn(|k| self.0[k].saturating_add(other.0[k])))
    }
    #[inline(always)]
    fn saturating_sub(self, other: Self) -> Self {
        Words(std::array::from_fn(|k| self.0[k].saturating_sub(other.0[k])))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Words(std::array::from_fn(|k| self.0[k].min(other.0[k])))
    }
    #[inline(always)]
    fn within(self, most: Self) -> Self {
        Words(std::array::from_fn(|k| -i16::from((0..=most.0[k]).contains(&self.0[k]))))
    }
    #[inline(always)]
    fn bits(self, next: Self) -> u64 {
        let bit = |k: usize| u64::from(self.0[k] != 0) << k | u64::from(next.0[k] != 0) << (8 + k);
        (0..8).fold(0, |bits, k| bits | bit(k))
    }
}
