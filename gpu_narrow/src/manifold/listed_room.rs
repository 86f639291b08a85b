//! Room for the intervals of views, which differ a hundredfold in number.

use super::layout::INTERVAL_WORDS;

/// Intervals of a view that there is room for before any step has told how many there are.
const FIRST_GUESS: u32 = 96;

/// What the intervals of a step may need, going by the steps before.
#[derive(Debug, Default)]
pub(crate) struct ListedRoom {
    /// What was needed, a sixteenth less with each step that needed less.
    expected: u32,
    known: bool,
}

impl ListedRoom {
    /// Intervals that there is room for, of so many views.
    pub fn of(&self, views: usize, most_bytes: u64) -> u32 {
        let most = (most_bytes / u64::from(4 * INTERVAL_WORDS)).min(u64::from(u32::MAX / 8)) as u32;
        let guess = if self.known { 0 } else { FIRST_GUESS.saturating_mul(views as u32) };
        // A quarter more, so that a step that needs a little more is not the CPU's.
        guess.max(self.expected + self.expected / 4 + 256).min(most)
    }

    /// Notes how many there were.
    pub fn learn(&mut self, needed: u32) {
        self.expected = needed.max(self.expected - self.expected / 16);
        self.known = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_follows_what_steps_need_and_is_given_up_slowly() {
        let mut room = ListedRoom::default();
        assert_eq!(room.of(10, u64::MAX), 960);
        room.learn(4000);
        assert_eq!(room.of(10, u64::MAX), 4000 + 1000 + 256);
        room.learn(100);
        assert_eq!(room.of(10, u64::MAX), 3750 + 937 + 256);
        (0..200).for_each(|_| room.learn(100));
        assert!((100 + 256..=160 + 256).contains(&room.of(10, u64::MAX)), "{}", room.of(10, u64::MAX));
        // No more than a buffer may hold.
        assert_eq!(room.of(10, 280), 10);
        room.learn(u32::MAX / 8);
        assert!(u64::from(room.of(10, u64::MAX)) * u64::from(4 * INTERVAL_WORDS) <= u64::from(u32::MAX) * 4);
    }
}
