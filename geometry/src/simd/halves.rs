//! Eight lanes as twice four, where a register holds four.

use super::sse2::{Bits4, Floats4};
use super::{F32Lanes, F32x8, U32Lanes};

/// The first four lanes and the last four.
#[derive(Clone, Copy)]
pub struct Halves<T>(T, T);

/// Methods of no or one more operand, on both halves.
macro_rules! on_halves {
    ($($name:ident $(($other:ident))?,)*) => {$(
        #[inline(always)]
        fn $name(self $(, $other: Self)?) -> Self {
            Halves(self.0.$name($($other.0)?), self.1.$name($($other.1)?))
        }
    )*};
}

impl F32Lanes for Halves<Floats4> {
    const LANES: usize = 8;
    type Bits = Halves<Bits4>;

    on_halves!(
        add(other),
        sub(other),
        mul(other),
        div(other),
        min(other),
        max(other),
        abs,
        sqrt,
        less(other),
        at_most(other),
        is_nan,
        and(other),
        or(other),
        xor(other),
    );

    #[inline(always)]
    fn splat(x: f32) -> Self {
        Halves(Floats4::splat(x), Floats4::splat(x))
    }
    #[inline(always)]
    fn load(from: &[f32]) -> Self {
        let from = &from[..8];
        Halves(Floats4::load(from), Floats4::load(&from[4..]))
    }
    #[inline(always)]
    fn repeat(four: &[f32; 4]) -> Self {
        Halves(Floats4::load(four), Floats4::load(four))
    }
    #[inline(always)]
    fn spread(four: &[f32; 4], at: usize) -> Self {
        Halves(Floats4::splat(four[at % 4]), Floats4::splat(four[(at + 1) % 4]))
    }
    #[inline(always)]
    fn transpose(rows: &[&[f32; 8]]) -> [Self; 8] {
        let rows = &rows[..8];
        let (low, high) = (Floats4::transpose(rows), Floats4::transpose(&rows[4..]));
        let mut columns = [Halves(low[0], high[0]); 8];
        for k in 1..8 {
            columns[k] = Halves(low[k], high[k]);
        }
        columns
    }
    #[inline(always)]
    fn store(self, to: &mut [f32]) {
        let to = &mut to[..8];
        self.0.store(to);
        self.1.store(&mut to[4..]);
    }
    #[inline(always)]
    fn store_four(self, to: &mut [f32; 4]) {
        self.0.store(to);
    }
    #[inline(always)]
    fn select(self, yes: Self, no: Self) -> Self {
        Halves(self.0.select(yes.0, no.0), self.1.select(yes.1, no.1))
    }
    #[inline(always)]
    fn select_by_sign(self, negative: Self, positive: Self) -> Self {
        let first = self.0.select_by_sign(negative.0, positive.0);
        Halves(first, self.1.select_by_sign(negative.1, positive.1))
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        self.0.bits() | self.1.bits() << 4
    }
    #[inline(always)]
    fn to_bits(self) -> Self::Bits {
        Halves(self.0.to_bits(), self.1.to_bits())
    }
    #[inline(always)]
    fn from_bits(bits: Self::Bits) -> Self {
        Halves(Floats4::from_bits(bits.0), Floats4::from_bits(bits.1))
    }
}

impl F32x8 for Halves<Floats4> {
    #[inline(always)]
    fn pair(first: &[f32; 4], second: &[f32; 4]) -> Self {
        Halves(Floats4::load(first), Floats4::load(second))
    }
    #[inline(always)]
    fn halves(first: f32, second: f32) -> Self {
        Halves(Floats4::splat(first), Floats4::splat(second))
    }
    #[inline(always)]
    fn store_i16(self, to: &mut [i16; 8]) {
        self.0.store_i16_with(self.1, to);
    }
}

impl U32Lanes for Halves<Bits4> {
    on_halves!(or(other), equal(other), halves_saturating_sub(other),);

    #[inline(always)]
    fn splat(x: u32) -> Self {
        Halves(Bits4::splat(x), Bits4::splat(x))
    }
    #[inline(always)]
    fn shift_right<const BITS: i32>(self) -> Self {
        Halves(self.0.shift_right::<BITS>(), self.1.shift_right::<BITS>())
    }
}
