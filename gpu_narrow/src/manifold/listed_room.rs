//! Room for the intervals of views, which differ a hundredfold in number.

use super::layout::INTERVAL_WORDS;

/// Intervals of a view that there is room for before any step has told how many there are.
const FIRST_GUESS: u32 = 96;

/// More room than the mean needs, and how many standard deviations of the sum.
const MORE: f32 = 1.25;
const DEVIATIONS: f32 = 3.0;

/// Intervals that there always is room for, in a part that has any.
const LEAST: f32 = 256.0;

/// What steps before have given up, where later ones need less.
const GIVEN_UP: f32 = 1.0 / 16.0;

/// What the intervals of a part of a step may need, going by the steps before.
#[derive(Debug, Default)]
pub(crate) struct ListedRoom {
    /// Intervals of a view: their mean, and the most of one; each a sixteenth less with each step that needed less.
    mean: f32,
    most: f32,
    known: bool,
    /// Of the step so far: all intervals, and the most of a view.
    now: [u32; 2],
}

impl ListedRoom {
    /// Begins a step.
    pub fn begin(&mut self) {
        self.now = [0; 2];
    }

    /// Intervals that there is room for, of so many views whose intervals come back, after those that stand `before` them.
    pub fn of(&self, views: u32, before: u32, most_bytes: u64) -> u32 {
        if views == 0 {
            return 0;
        }
        let most = (most_bytes / u64::from(4 * INTERVAL_WORDS)).min(u64::from(u32::MAX / 8)) as u32;
        let n = views as f32;
        // The variance of what lies between 0 and the most of a view is no more than that times the mean.
        let need = match self.known {
            true => MORE * self.mean * n + DEVIATIONS * (n * self.mean * self.most).sqrt(),
            false => (FIRST_GUESS as f32) * n,
        };
        ((need + LEAST) as u32).min(most.saturating_sub(before))
    }

    /// Notes how many a view had.
    pub fn note(&mut self, intervals: u32) {
        let [all, most] = &mut self.now;
        *all = all.saturating_add(intervals);
        *most = intervals.max(*most);
    }

    /// Takes in what was noted of a step with so many views whose intervals came back.
    pub fn learn(&mut self, views: u32) {
        if views == 0 {
            return;
        }
        let [all, most] = self.now;
        self.mean = (all as f32 / views as f32).max(self.mean * (1.0 - GIVEN_UP));
        self.most = (most as f32).max(self.most * (1.0 - GIVEN_UP));
        self.known = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(room: &mut ListedRoom, views: &[u32]) {
        room.begin();
        views.iter().for_each(|intervals| room.note(*intervals));
        room.learn(views.len() as u32);
    }

    #[test]
    fn room_follows_what_steps_need_and_is_given_up_slowly() {
        let mut room = ListedRoom::default();
        assert_eq!((room.of(0, 0, u64::MAX), room.of(10, 0, u64::MAX)), (0, 960 + 256));
        step(&mut room, &[400; 10]);
        // 1.25 · 4,000, and three times the root of 10 · 400 · 400.
        assert_eq!(room.of(10, 0, u64::MAX), 5000 + 3794 + 256);
        step(&mut room, &[10; 10]);
        assert!((8100..8600).contains(&room.of(10, 0, u64::MAX)), "{}", room.of(10, 0, u64::MAX));
        (0..200).for_each(|_| step(&mut room, &[10; 10]));
        assert!((125 + 94 + 256..500).contains(&room.of(10, 0, u64::MAX)), "{}", room.of(10, 0, u64::MAX));
        // A step that asks for none teaches nothing; no more than a buffer may hold, with what stands before.
        step(&mut room, &[]);
        assert_eq!((room.of(10, 0, 280), room.of(10, 4, 280), room.of(10, 20, 280)), (10, 6, 0));
        step(&mut room, &[u32::MAX / 8; 3]);
        assert!(
            u64::from(room.of(10, 0, u64::MAX)) * u64::from(4 * INTERVAL_WORDS) <= u64::from(u32::MAX) * 4
        );
    }

    #[test]
    fn one_view_of_many_small_ones_has_room_for_the_largest() {
        let mut room = ListedRoom::default();
        let mut views = vec![20; 99];
        views.push(700);
        step(&mut room, &views);
        assert!(room.of(1, 0, u64::MAX) >= 700, "{}", room.of(1, 0, u64::MAX));
        assert!(room.of(32, 0, u64::MAX) >= 32 * 27 + 700);
    }
}
