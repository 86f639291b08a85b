//! Elements of a slice that several threads change at once, each its own.

use std::marker::PhantomData;

use impinge_geometry::simd;

/// A slice whose elements are borrowed one by one, in any order and from several threads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scattered<'a, T> {
    first: *mut T,
    count: usize,
    borrowed: PhantomData<&'a mut [T]>,
}

// SAFETY: it is a borrowed slice, whose elements may be changed from other threads as `T` may; that no element is borrowed twice is for
// the callers of `at` to see to.
unsafe impl<T: Send> Sync for Scattered<'_, T> {}

impl<'a, T> Scattered<'a, T> {
    pub fn new(slice: &'a mut [T]) -> Scattered<'a, T> {
        Scattered { first: slice.as_mut_ptr(), count: slice.len(), borrowed: PhantomData }
    }

    /// The element `index`.
    ///
    /// # Safety
    /// Nothing else borrows this element for as long as what is returned lives.
    #[inline(always)]
    #[expect(clippy::mut_from_ref, reason = "elements are borrowed one by one")]
    pub unsafe fn at(&self, index: usize) -> &mut T {
        assert!(index < self.count);
        // SAFETY: it is an element of the slice that `self` has borrowed, and the caller sees to it that it is borrowed once.
        unsafe { &mut *self.first.add(index) }
    }

    /// Has the element fetched from memory, if there is one with this index.
    #[inline(always)]
    pub fn prefetch(&self, index: usize) {
        if index < self.count {
            simd::prefetch_at(self.first.wrapping_add(index));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_change_elements_that_lie_among_each_other() {
        let mut numbers = [0; 60];
        let scattered = Scattered::new(&mut numbers);
        std::thread::scope(|scope| {
            for thread in 0..3 {
                let scattered = &scattered;
                scope.spawn(move || {
                    for index in (thread..60).step_by(3) {
                        // SAFETY: another thread has other indices, and each is met once.
                        *unsafe { scattered.at(index) } = index;
                    }
                });
            }
        });
        assert!(numbers.iter().enumerate().all(|(index, number)| index == *number));
    }
}
