//! Open chains joined to rings, across the gaps between them.
//!
//! Where a surface has a hole, the contour that would run through it is missing, and what is left are chains
//! that end at the hole's border. From the end of each chain the ring goes on with the nearest start of
//! another, unless its own first start is nearer; it is as if the holes were filled. Σ dr over a ring with its
//! bridges is zero, so its area vector does not depend on an origin.

use nalgebra::Point3;

/// Starts that are looked at on either side of a place, at most: what is farther along the sorted axis than so
/// many others is no neighbour.
const NEIGHBOURS: usize = 128;

const NONE: u32 = u32::MAX;

/// Buffers of this pass.
#[derive(Clone, Debug, Default)]
pub(super) struct Bridges {
    /// Start and end of every chain (m).
    pub chains: Vec<[Point3<f64>; 2]>,
    /// Chains by their starts along the longest axis.
    order: Vec<u32>,
    /// Where each chain is in `order`.
    place: Vec<u32>,
    /// Neighbours in `order` that are in no ring yet.
    before: Vec<u32>,
    after: Vec<u32>,
    free: Vec<bool>,
    /// The chains of one ring.
    members: Vec<u32>,
}

impl Bridges {
    /// Calls `ring` with the chains of each ring in turn, in the order in which it runs through them. Rings
    /// begin with the first chain that is left.
    pub fn rings(&mut self, mut ring: impl FnMut(&[u32])) {
        let count = self.chains.len();
        if count == 0 {
            return;
        }
        let axis = self.sort();
        let mut members = std::mem::take(&mut self.members);
        for first in 0..count as u32 {
            if !self.free[first as usize] {
                continue;
            }
            members.clear();
            let home = self.chains[first as usize][0];
            let mut at = first;
            loop {
                self.take(at);
                members.push(at);
                let end = self.chains[at as usize][1];
                match self.nearest(&end, at, axis, (home - end).norm_squared()) {
                    Some(next) => at = next,
                    None => break,
                }
            }
            ring(&members);
        }
        self.members = members;
    }

    /// Sorts the chains by their starts along the axis in which those are spread most.
    fn sort(&mut self) -> usize {
        let Bridges { chains, order, place, before, after, free, .. } = self;
        let count = chains.len();
        let (mut low, mut high) = (chains[0][0], chains[0][0]);
        for chain in chains.iter() {
            (low, high) = (low.inf(&chain[0]), high.sup(&chain[0]));
        }
        let axis = (high - low).imax();
        let at = |c: u32| chains[c as usize][0][axis];
        order.clear();
        order.extend(0..count as u32);
        order.sort_unstable_by(|&c, &d| at(c).total_cmp(&at(d)).then(c.cmp(&d)));
        place.clear();
        place.resize(count, 0);
        order.iter().enumerate().for_each(|(k, &c)| place[c as usize] = k as u32);
        before.clear();
        before.extend((0..count as u32).map(|k| k.wrapping_sub(1)));
        after.clear();
        after.extend((1..=count as u32).map(|k| if k as usize == count { NONE } else { k }));
        free.clear();
        free.resize(count, true);
        axis
    }

    /// Takes a chain out of those that are left.
    fn take(&mut self, chain: u32) {
        self.free[chain as usize] = false;
        let k = self.place[chain as usize] as usize;
        let (before, after) = (self.before[k], self.after[k]);
        if before != NONE {
            self.after[before as usize] = after;
        }
        if after != NONE {
            self.before[after as usize] = before;
        }
    }

    /// The chain left whose start is nearest to the end of `from`, if nearer than the root of `bound`.
    fn nearest(&self, end: &Point3<f64>, from: u32, axis: usize, bound: f64) -> Option<u32> {
        let (mut best, mut found) = (bound, None);
        let k = self.place[from as usize] as usize;
        // The chain's own start is where the walk begins: its end is not far.
        for (mut at, forward) in [(self.before[k], false), (self.after[k], true)] {
            let mut seen = 0;
            while at != NONE && seen < NEIGHBOURS {
                let chain = self.order[at as usize];
                let start = &self.chains[chain as usize][0];
                let beyond = if forward { start[axis] - end[axis] } else { end[axis] - start[axis] };
                if beyond > 0.0 && beyond * beyond >= best {
                    break;
                }
                let square = (start - end).norm_squared();
                if square < best {
                    (best, found) = (square, Some(chain));
                }
                // What lies between start and end is passed, not counted.
                seen += usize::from(beyond > 0.0);
                at = if forward { self.after[at as usize] } else { self.before[at as usize] };
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rings(chains: &[[[f64; 3]; 2]]) -> Vec<Vec<u32>> {
        let chains = chains.iter().map(|c| c.map(Point3::from)).collect();
        let (mut found, mut bridges) = (Vec::new(), Bridges { chains, ..Bridges::default() });
        bridges.rings(|ring| found.push(ring.to_vec()));
        found
    }

    #[test]
    fn a_circle_in_pieces_is_one_ring_and_another_beside_it_is_its_own() {
        let arc = |x: f64, k: u32| {
            let at = |turn: f64| [x + turn.cos(), turn.sin(), 0.0];
            let turn = f64::from(k) * std::f64::consts::TAU / 5.0;
            [at(turn), at(turn + 1.1)]
        };
        // Pieces of two circles, taken by turns and out of order.
        let chains: Vec<_> = [0, 3, 1, 4, 2].into_iter().flat_map(|k| [arc(0.0, k), arc(10.0, k)]).collect();
        assert_eq!(rings(&chains), [[0, 4, 8, 2, 6], [1, 5, 9, 3, 7]]);
    }

    #[test]
    fn a_chain_far_from_all_others_closes_upon_itself() {
        let far = [[100.0, 0.0, 0.0], [101.0, 0.0, 0.0]];
        assert_eq!(rings(&[[[0.0; 3], [1.0, 0.0, 0.0]], far]), [[0], [1]]);
        assert!(rings(&[]).is_empty());
    }
}
