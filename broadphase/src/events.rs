//! From the changes that the sweeps found to sorted lists, and to the list of all pairs.

use rayon::slice::ParallelSliceMut;

use crate::pair::Pair;

/// Above this many, changes are sorted in parallel.
const PARALLEL_SORT: usize = 16_384;

/// Sorts the pairs and drops repetitions.
pub(crate) fn sort_unique(pairs: &mut Vec<Pair>) {
    if pairs.len() >= PARALLEL_SORT {
        pairs.par_sort_unstable();
    } else {
        pairs.sort_unstable();
    }
    pairs.dedup();
}

/// Takes out of both lists the pairs that stand in both, except those that `keep` names.
pub(crate) fn cancel(begun: &mut Vec<Pair>, ended: &mut Vec<Pair>, keep: impl Fn(&Pair) -> bool) {
    let mut both = Vec::new();
    let mut other = ended.iter().peekable();
    for pair in begun.iter() {
        while other.next_if(|&&x| x < *pair).is_some() {}
        if other.peek() == Some(&pair) && !keep(pair) {
            both.push(*pair);
        }
    }
    if both.is_empty() {
        return;
    }
    for list in [begun, ended] {
        let mut out = both.iter().peekable();
        list.retain(|pair| {
            while out.next_if(|&&x| x < *pair).is_some() {}
            out.peek() != Some(&pair)
        });
    }
}

/// `pairs` less `ended`, and `begun`, in order, written to `to`. All are sorted; a pair that stands
/// in both lists stays.
pub(crate) fn apply(pairs: &[Pair], begun: &[Pair], ended: &[Pair], to: &mut Vec<Pair>) {
    to.clear();
    to.reserve(pairs.len() + begun.len());
    let (mut b, mut e, mut from) = (0, 0, 0);
    while b < begun.len() || e < ended.len() {
        let begins = e == ended.len() || (b < begun.len() && begun[b] <= ended[e]);
        let change = if begins { begun[b] } else { ended[e] };
        let until = from + distance_to(&pairs[from..], change);
        to.extend_from_slice(&pairs[from..until]);
        from = until + usize::from(pairs.get(until) == Some(&change));
        if begins {
            to.push(change);
            e += usize::from(ended.get(e) == Some(&change));
            b += 1;
        } else {
            e += 1;
        }
    }
    to.extend_from_slice(&pairs[from..]);
}

/// How many pairs come before `pair`: steps that double, then bisection.
fn distance_to(pairs: &[Pair], pair: Pair) -> usize {
    let mut step = 8;
    while step < pairs.len() && pairs[step] < pair {
        step *= 2;
    }
    let low = step / 2 * usize::from(step > 8);
    low + pairs[low..pairs.len().min(step + 1)].partition_point(|x| *x < pair)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(pairs: &[(u32, u32)]) -> Vec<Pair> {
        pairs.iter().map(|&(a, b)| Pair::new(a, b)).collect()
    }

    #[test]
    fn a_pair_in_both_lists_goes_from_both_unless_kept() {
        let mut begun = list(&[(0, 1), (1, 2), (3, 4), (5, 6)]);
        let mut ended = list(&[(0, 2), (1, 2), (5, 6)]);
        cancel(&mut begun, &mut ended, |pair| pair.a == 5);
        assert_eq!(begun, list(&[(0, 1), (3, 4), (5, 6)]));
        assert_eq!(ended, list(&[(0, 2), (5, 6)]));
    }

    #[test]
    fn the_list_takes_in_what_began_and_lets_go_what_ended() {
        let pairs: Vec<Pair> = (0..1000).map(|i| Pair::new(i, i + 1)).collect();
        let begun = list(&[(3, 9), (500, 501), (5000, 5001)]);
        let ended = list(&[(0, 1), (500, 501), (700, 701), (999, 1000)]);
        let mut to = Vec::new();
        apply(&pairs, &begun, &ended, &mut to);
        let gone = [0, 700, 999];
        let mut expected: Vec<Pair> =
            (0..1000).filter(|i| !gone.contains(i)).map(|i| Pair::new(i, i + 1)).collect();
        expected.extend([Pair::new(3, 9), Pair::new(5000, 5001)]);
        expected.sort();
        assert_eq!(to, expected);
    }
}
