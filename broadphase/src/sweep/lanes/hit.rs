//! Results of the tests.

use super::LANES;

/// Boxes of a block, one per bit, whose overlap with the probe may have begun or ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    /// The probe: a place among the members of the column, or whatever the caller numbers.
    pub probe: u32,
    /// The block.
    pub block: u32,
    /// A bit per lane.
    pub bits: u32,
}

impl Hit {
    /// The places in the column of the boxes hit.
    pub fn places(self) -> impl Iterator<Item = usize> {
        let mut bits = self.bits;
        std::iter::from_fn(move || {
            let lane = bits.trailing_zeros();
            bits &= bits.wrapping_sub(1);
            (lane < 32).then(|| self.block as usize * LANES + lane as usize)
        })
    }
}

/// Which of the eight members of one block may have changed with which of another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Square {
    pub probes: u32,
    pub others: u32,
    /// Bit `8 i + j`: probe `i` and other `j`.
    pub bits: u64,
}

/// The bits above the diagonal: of a block against itself, each pair once.
const ABOVE: u64 = {
    let (mut bits, mut i) = (0, 0);
    while i < LANES {
        bits |= (0xfe << i & 0xff) << (LANES * i);
        i += 1;
    }
    bits
};

impl Square {
    /// The places in the column of the pairs hit.
    #[inline]
    pub fn places(self) -> impl Iterator<Item = (usize, usize)> {
        let mut bits = self.bits;
        std::iter::from_fn(move || {
            let at = bits.trailing_zeros() as usize;
            bits &= bits.wrapping_sub(1);
            let (i, j) = (at / LANES, at % LANES);
            (at < 64).then(|| (self.probes as usize * LANES + i, self.others as usize * LANES + j))
        })
    }
}

/// Squares that hold a hit. They are written without a branch, because whether one holds a hit cannot be
/// predicted: each is written behind the last, and kept if it does.
#[derive(Debug, Default)]
pub(crate) struct Squares {
    list: Vec<Square>,
    len: usize,
}

impl Squares {
    /// Reserves room for so many more.
    #[inline]
    pub fn reserve(&mut self, more: usize) {
        if self.list.len() <= self.len + more {
            self.list.resize((self.len + more + 1).next_power_of_two(), Square::default());
        }
    }

    /// Notes a square; there must be room for it.
    #[inline]
    pub fn note(&mut self, mut square: Square) {
        if square.probes == square.others {
            square.bits &= ABOVE;
        }
        if let Some(place) = self.list.get_mut(self.len) {
            *place = square;
        }
        self.len += usize::from(square.bits != 0);
    }

    pub fn found(&self) -> &[Square] {
        &self.list[..self.len]
    }

    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.list.capacity() * size_of::<Square>()
    }
}
