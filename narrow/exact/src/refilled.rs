//! A buffer whose memory goes from pair to pair, and whose content does not.
//!
//! The content of one pair goes in. A borrow of it comes out, and only for as long as the buffer is
//! not filled again. No caller can read the content of an earlier pair.

/// A buffer whose content is readable only after it was filled for the pair at hand.
#[derive(Clone, Debug, Default)]
pub struct Refilled<T> {
    content: T,
    is_filled: bool,
}

impl<T> Refilled<T> {
    /// Forgets the content and keeps its memory. Call it when a pair begins.
    pub fn reset(&mut self) {
        self.is_filled = false;
    }

    /// Replaces the content by means of `fill`, which gets the old content for its memory, and
    /// returns the new one.
    pub fn fill(&mut self, fill: impl FnOnce(&mut T)) -> &T {
        fill(&mut self.content);
        self.is_filled = true;
        &self.content
    }

    /// Returns the content, which `fill` replaces at the first call after a
    /// [`reset`](Refilled::reset).
    pub fn get_or_fill(&mut self, fill: impl FnOnce(&mut T)) -> &T {
        if !self.is_filled {
            return self.fill(fill);
        }
        &self.content
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_filled_once_after_each_reset() {
        let mut buffer = Refilled::<Vec<u32>>::default();
        let mut put = |number: u32| {
            buffer.get_or_fill(|list| {
                list.clear();
                list.push(number);
            })[0]
        };
        assert_eq!([put(1), put(2)], [1, 1]);
        buffer.reset();
        assert_eq!(buffer.get_or_fill(|list| list[0] = 3), &[3]);
    }
}
