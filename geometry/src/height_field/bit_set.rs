//! Bits of samples, cells and blocks.

/// One bit for each of many things.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct BitSet(Vec<u64>);

impl BitSet {
    pub fn new(count: usize) -> BitSet {
        BitSet(vec![0; count.div_ceil(64)])
    }

    pub fn of(values: &[bool]) -> BitSet {
        let mut bits = BitSet::new(values.len());
        values.iter().enumerate().for_each(|(index, &on)| bits.set(index, on));
        bits
    }

    #[inline]
    pub fn get(&self, index: usize) -> bool {
        self.0[index / 64] >> (index % 64) & 1 == 1
    }

    pub fn set(&mut self, index: usize, on: bool) {
        let bit = 1 << (index % 64);
        if on {
            self.0[index / 64] |= bit;
        } else {
            self.0[index / 64] &= !bit;
        }
    }

    pub fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<u64>()
    }
}
