//! The list of all pairs, updated from changes, and only when it is asked for.

use super::events;
use crate::pairs::pair::Pair;

/// Changes kept beyond an eighth of the length of the list before they are dropped.
const SLACK: usize = 1024;

/// The pairs as of some update, and what changed since.
#[derive(Debug, Default)]
pub(crate) struct PairList {
    pairs: Vec<Pair>,
    spare: Vec<Pair>,
    /// Pairs that began and that ended since, in any order, more than once where they came and went.
    begun: Vec<Pair>,
    ended: Vec<Pair>,
    /// Whether the changes of the last update are in the list.
    has_last: bool,
    /// Whether changes were dropped, so that the list has to be rebuilt.
    lost: bool,
    count: usize,
}

impl PairList {
    /// The pairs when the list was last updated.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// The number of pairs as of the last update.
    pub fn count(&self) -> usize {
        self.count
    }

    pub fn is_up_to_date(&self) -> bool {
        self.has_last
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        let lists = [&self.pairs, &self.spare, &self.begun, &self.ended];
        lists.iter().map(|list| list.capacity() * size_of::<Pair>()).sum()
    }

    /// Notes how the last update changed the number of pairs.
    pub fn count_changes(&mut self, begun: &[Pair], ended: &[Pair]) {
        self.count = self.count + begun.len() - ended.len();
        let kept = [begun, ended, &self.begun, &self.ended];
        self.has_last = !self.lost && kept.iter().all(|list| list.is_empty());
    }

    /// Keeps the changes of the last update, which are about to be overwritten, for later.
    pub fn take(&mut self, begun: &[Pair], ended: &[Pair]) {
        if self.has_last || self.lost {
            return;
        }
        let kept = self.begun.len() + self.ended.len() + begun.len() + ended.len();
        if kept > self.pairs.len() / 8 + SLACK {
            self.lost = true;
            self.begun.clear();
            self.ended.clear();
            return;
        }
        self.begun.extend_from_slice(begun);
        self.ended.extend_from_slice(ended);
    }

    /// Whether the list has to be rebuilt.
    pub fn is_lost(&self) -> bool {
        self.lost
    }

    /// Replaces the list by a rebuilt one.
    pub fn replace(&mut self, pairs: Vec<Pair>) {
        *self = PairList { count: self.count, pairs, has_last: true, ..PairList::default() };
    }

    /// Updates the list; `begun` and `ended` are the changes of the last update.
    pub fn bring_up_to_date(&mut self, begun: &[Pair], ended: &[Pair]) {
        if self.has_last {
            return;
        }
        if self.begun.is_empty() && self.ended.is_empty() {
            events::apply(&self.pairs, begun, ended, &mut self.spare);
            std::mem::swap(&mut self.pairs, &mut self.spare);
        } else {
            self.begun.extend_from_slice(begun);
            self.ended.extend_from_slice(ended);
            self.fold();
        }
        self.has_last = true;
    }

    /// Merges the kept changes into the list. A pair begins and ends in turn, so one that began as often
    /// as it ended is where it was, and any other changed once in the end.
    fn fold(&mut self) {
        let PairList { pairs, spare, begun, ended, .. } = self;
        begun.sort_unstable();
        ended.sort_unstable();
        events::cancel(begun, ended, |_| false);
        events::apply(pairs, begun, ended, spare);
        std::mem::swap(pairs, spare);
        begun.clear();
        ended.clear();
    }

    /// Frees memory that is not needed.
    pub fn shrink(&mut self) {
        self.spare = Vec::new();
        for list in [&mut self.pairs, &mut self.begun, &mut self.ended] {
            list.shrink_to_fit();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Some pairs begin and end at random; the list is asked for now and then.
    #[test]
    fn the_list_is_right_whenever_it_is_asked_for() {
        let mut state = 1u32;
        let mut random = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        let (mut list, mut truth) = (PairList::default(), BTreeSet::new());
        let (mut begun, mut ended) = (Vec::new(), Vec::new());
        for step in 0..300 {
            list.take(&begun, &ended);
            begun.clear();
            ended.clear();
            let changes: BTreeSet<Pair> = (0..random(if step % 50 == 0 { 4000 } else { 80 }))
                .map(|_| Pair { a: random(40), b: 40 + random(40) })
                .collect();
            for pair in changes {
                if truth.remove(&pair) {
                    ended.push(pair);
                    // Away and back in one step stands in both lists.
                    if random(4) == 0 {
                        begun.push(pair);
                        truth.insert(pair);
                    }
                } else {
                    begun.push(pair);
                    truth.insert(pair);
                }
            }
            list.count_changes(&begun, &ended);
            assert_eq!(list.count(), truth.len());
            if step % 7 == 0 || random(3) == 0 {
                if list.is_lost() {
                    list.replace(truth.iter().copied().collect());
                }
                list.bring_up_to_date(&begun, &ended);
                assert!(list.pairs().iter().eq(&truth));
            }
        }
    }
}
