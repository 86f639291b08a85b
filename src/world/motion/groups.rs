//! Movers that may meet go as far as the first of them.

use crate::collider::Membership;

/// Disjoint sets of movers, each with a time.
pub(super) struct Groups {
    parents: Vec<usize>,
    times: Vec<f64>,
}

impl Groups {
    /// Each on its own, up to time 1.
    pub fn new(movers: usize) -> Groups {
        Groups { parents: (0..movers).collect(), times: vec![1.0; movers] }
    }

    fn root(&self, mut mover: usize) -> usize {
        while self.parents[mover] != mover {
            mover = self.parents[mover];
        }
        mover
    }

    /// Two movers may meet.
    pub fn join(&mut self, a: usize, b: usize) {
        let [a, b] = [self.root(a), self.root(b)];
        let [low, high] = [a.min(b), a.max(b)];
        self.parents[high] = low;
        self.times[low] = self.times[low].min(self.times[high]);
        // Short paths.
        for mover in [a, b] {
            self.parents[mover] = low;
        }
    }

    /// Members of a part move as one. `members`: of each mover its part.
    pub fn join_parts(&mut self, members: impl Iterator<Item = Option<Membership>>) {
        let of_parts = members.enumerate().filter_map(|(mover, of)| Some((of?.part, mover)));
        let mut in_order: Vec<_> = of_parts.collect();
        in_order.sort_unstable();
        for two in in_order.windows(2).filter(|two| two[0].0 == two[1].0) {
            self.join(two[0].1, two[1].1);
        }
    }

    /// A mover is stopped at a time.
    pub fn stop(&mut self, mover: usize, time: f64) {
        let root = self.root(mover);
        self.times[root] = self.times[root].min(time);
    }

    /// How far a mover may go.
    pub fn time(&self, mover: usize) -> f64 {
        self.times[self.root(mover)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_meet_stops_together() {
        let mut groups = Groups::new(6);
        groups.join(0, 3);
        groups.join(5, 3);
        groups.join(1, 2);
        groups.stop(5, 0.25);
        groups.stop(0, 0.5);
        groups.stop(4, 0.75);
        assert_eq!([0, 1, 2, 3, 4, 5].map(|k| groups.time(k)), [0.25, 1.0, 1.0, 0.25, 0.75, 0.25]);
    }
}
