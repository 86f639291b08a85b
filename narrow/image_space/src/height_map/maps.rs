//! Rows of an object's two maps, as they are drawn.

use impinge_geometry::simd::F32x8 as Wide;

use crate::coverage::eight::{self, PixelSink};

/// Rows of the maps.
pub(super) struct Maps<'m> {
    pub near: &'m mut [f32],
    pub far: &'m mut [f32],
    pub seen: &'m mut [u32],
    /// The part's first number.
    pub first: u32,
}

impl Maps<'_> {
    #[inline(always)]
    pub fn offer(&mut self, at: usize, depth: f32, number: u32) {
        self.near[at] = self.near[at].min(depth);
        if depth > self.far[at] || (depth == self.far[at] && number < self.seen[at]) {
            (self.far[at], self.seen[at]) = (depth, number);
        }
    }
}

impl PixelSink for Maps<'_> {
    #[inline(always)]
    fn eight<W: Wide>(&mut self, at: usize, mask: W, value: W, number: u32) {
        let (Some(near), Some(far), Some(seen)) = (
            self.near[at..].first_chunk_mut::<8>(),
            self.far[at..].first_chunk_mut::<8>(),
            self.seen[at..].first_chunk_mut::<8>(),
        ) else {
            return;
        };
        let held = W::load(near);
        mask.select(value, W::splat(f32::INFINITY)).min(held).store(near);
        let held = W::load(far);
        let farther = mask.and(held.less(value));
        let level = mask.and(held.at_most(value)).bits() & !farther.bits();
        mask.select(value, W::splat(f32::NEG_INFINITY)).max(held).store(far);
        let number = self.first + number;
        let own = W::splat(f32::from_bits(number));
        if farther.bits() != 0 {
            eight::put(farther, own, seen);
        }
        if level != 0 {
            for (lane, seen) in seen.iter_mut().enumerate() {
                if level >> lane & 1 == 1 {
                    *seen = number.min(*seen);
                }
            }
        }
    }
}
