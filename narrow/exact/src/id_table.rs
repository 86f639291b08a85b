//! What a search has met, by the numbers of triangles, edges, vertices or leaves: forgotten all at once, without being looked at.

/// Up to so many numbers have a slot each; of more, those that are met are hashed.
const DENSE: u32 = 1 << 22;

/// A value for each number that was met since the table was begun. Nothing is allocated once it is warm.
#[derive(Clone, Debug, Default)]
pub struct IdTable {
    /// Of each number: when it was met, and its value.
    dense: Vec<(u32, u32)>,
    /// Number, when it was met, value; a power of two of them.
    hashed: Vec<(u32, u32, u32)>,
    /// How many of these are in use.
    count: usize,
    is_hashed: bool,
    stamp: u32,
}

impl IdTable {
    /// Forgets everything; numbers will be less than `bound`.
    pub fn begin(&mut self, bound: u32) {
        self.is_hashed = bound > DENSE;
        self.count = 0;
        if !self.is_hashed && self.dense.len() < bound as usize {
            self.dense.resize(bound as usize, (0, 0));
        }
        if self.is_hashed && self.hashed.is_empty() {
            self.hashed.resize(1 << 10, (0, 0, 0));
        }
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.dense.fill((0, 0));
            self.hashed.fill((0, 0, 0));
            self.stamp = 1;
        }
    }

    /// The value of a number; `None` where it was not met.
    #[inline]
    pub fn get(&self, id: u32) -> Option<u32> {
        if self.is_hashed {
            return self.find(id);
        }
        let &(stamp, value) = self.dense.get(id as usize)?;
        (stamp == self.stamp).then_some(value)
    }

    /// Gives a number a value.
    #[inline]
    pub fn set(&mut self, id: u32, value: u32) {
        if self.is_hashed {
            self.insert(id, value);
        } else if let Some(slot) = self.dense.get_mut(id as usize) {
            *slot = (self.stamp, value);
        }
    }

    /// Where the search for a number begins.
    fn place(&self, id: u32) -> usize {
        let bits = self.hashed.len().trailing_zeros();
        (id.wrapping_mul(0x9e37_79b1) >> (32 - bits)) as usize
    }

    #[cold]
    fn find(&self, id: u32) -> Option<u32> {
        let last = self.hashed.len().wrapping_sub(1);
        let mut at = self.place(id);
        loop {
            let (own, stamp, value) = self.hashed[at];
            if stamp != self.stamp {
                return None;
            }
            if own == id {
                return Some(value);
            }
            at = (at + 1) & last;
        }
    }

    #[cold]
    fn insert(&mut self, id: u32, value: u32) {
        if 2 * (self.count + 1) > self.hashed.len() {
            let room = vec![(0, 0, 0); 2 * self.hashed.len()];
            let old = std::mem::replace(&mut self.hashed, room);
            self.count = 0;
            let stamp = self.stamp;
            let met = old.into_iter().filter(|slot| slot.1 == stamp);
            met.for_each(|(id, _, value)| self.put(id, value));
        }
        self.put(id, value);
    }

    fn put(&mut self, id: u32, value: u32) {
        let last = self.hashed.len() - 1;
        let mut at = self.place(id);
        while self.hashed[at].1 == self.stamp && self.hashed[at].0 != id {
            at = (at + 1) & last;
        }
        self.count += usize::from(self.hashed[at].1 != self.stamp);
        self.hashed[at] = (id, self.stamp, value);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Against a map: few numbers and more than there are slots for, begun again and again.
        #[test]
        fn it_holds_what_a_map_holds(
            rounds in prop::collection::vec(
                (any::<bool>(), prop::collection::vec((0u32..4_000, any::<u32>()), 0..2_000)), 1..6),
        ) {
            let mut table = IdTable::default();
            for (far, entries) in rounds {
                let spread = if far { 1_000_003 } else { 1 };
                table.begin(4_000 * spread);
                let mut map = BTreeMap::new();
                for (id, value) in entries {
                    prop_assert_eq!(table.get(id * spread), map.get(&id).copied());
                    table.set(id * spread, value);
                    map.insert(id, value);
                }
                for id in 0..4_000 {
                    prop_assert_eq!(table.get(id * spread), map.get(&id).copied());
                }
            }
        }
    }
}
