//! Candidates that are chosen, at most four.

use std::ops::{Deref, DerefMut};

/// Indices of at most four candidates, held in place.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Indices {
    all: [u32; 4],
    count: usize,
}

impl Indices {
    /// These, of which there are at most four; what is beyond is left out.
    pub fn of(indices: &[u32]) -> Indices {
        let mut all = Indices::default();
        indices.iter().for_each(|&index| all.push(index));
        all
    }

    /// Adds one where there is room.
    pub fn push(&mut self, index: u32) {
        if let Some(next) = self.all.get_mut(self.count) {
            *next = index;
            self.count += 1;
        }
    }
}

impl Deref for Indices {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        &self.all[..self.count]
    }
}

impl DerefMut for Indices {
    fn deref_mut(&mut self) -> &mut [u32] {
        &mut self.all[..self.count]
    }
}
