//! Sorts the changes that the sweeps found, and merges them into the list of all pairs.

use crate::pairs::pair::Pair;

/// From this many on, pairs are sorted by the digits of their slots.
const BY_DIGITS: usize = 192;
/// From this many on, digits have eleven bits and not eight.
const LONG_DIGITS: usize = 8192;

/// Scratch space for sorting.
#[derive(Debug, Default)]
pub(crate) struct SortRoom {
    pairs: Vec<Pair>,
    starts: Vec<u32>,
    others: Vec<u32>,
}

impl SortRoom {
    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.pairs.capacity() * size_of::<Pair>() + 4 * (self.starts.capacity() + self.others.capacity())
    }
}

/// Sorts the pairs and drops repetitions.
pub(crate) fn sort_unique(pairs: &mut Vec<Pair>, room: &mut SortRoom) {
    let greatest = pairs.iter().fold(0, |all, pair| all.max(pair.a));
    if pairs.len() >= LONG_DIGITS && (greatest as usize) < pairs.len() {
        sort_by_slots(pairs, greatest, room);
        return;
    } else if pairs.len() >= LONG_DIGITS {
        sort_by_digits::<11, 2048>(pairs, &mut room.pairs);
    } else if pairs.len() >= BY_DIGITS {
        sort_by_digits::<8, 256>(pairs, &mut room.pairs);
    } else {
        pairs.sort_unstable();
    }
    pairs.dedup();
}

/// Sorts many pairs by counting those of each slot `a`, up to the greatest, and drops repetitions; the few of one slot are
/// sorted by how many of them are less.
fn sort_by_slots(pairs: &mut Vec<Pair>, greatest: u32, room: &mut SortRoom) {
    let SortRoom { starts, others, .. } = room;
    others.clear();
    others.resize(pairs.len(), 0);
    starts.clear();
    starts.resize(greatest as usize + 1, 0);
    pairs.iter().for_each(|pair| starts[pair.a as usize] += 1);
    let mut sum = 0;
    for start in starts.iter_mut() {
        sum += std::mem::replace(start, sum);
    }
    for pair in pairs.iter() {
        let start = &mut starts[pair.a as usize];
        others[*start as usize] = pair.b;
        *start += 1;
    }
    // Each start has moved up to the end of its own slot.
    let (mut from, mut to) = (0, 0);
    for (a, &end) in (0u32..).zip(starts.iter()) {
        let of_slot = &mut others[from..end as usize];
        from = end as usize;
        let count = sort_few(of_slot);
        for (pair, &b) in pairs[to..].iter_mut().zip(&of_slot[..count]) {
            *pair = Pair { a, b };
        }
        to += count;
    }
    pairs.truncate(to);
}

/// Sorts what are mostly a few slots: the different ones stand at the front then, in order. Returns how many there are.
#[inline]
fn sort_few(slots: &mut [u32]) -> usize {
    const FEW: usize = 16;
    let count = slots.len();
    if count <= 1 {
        return count;
    }
    if count <= FEW {
        let mut own = [u32::MAX; FEW];
        own[..count].copy_from_slice(slots);
        let mut sum = 0;
        for &slot in &own[..count] {
            // Without branches: which is less cannot be predicted.
            let less = own.iter().map(|&other| u32::from(other < slot)).sum::<u32>() as usize;
            slots[less] = slot;
            sum += less;
        }
        if sum == count * (count - 1) / 2 {
            return count;
        }
        // Some are there several times.
        slots.copy_from_slice(&own[..count]);
    }
    slots.sort_unstable();
    let mut to = 1;
    for at in 1..count {
        slots[to] = slots[at];
        to += usize::from(slots[to] != slots[to - 1]);
    }
    to
}

/// Sorts by the digits of `b`, then of `a`, from the lowest (Knuth, "The Art of Computer Programming",
/// 5.2.5), as many as the greatest slot has. A digit of `BITS` bits has `VALUES` values.
fn sort_by_digits<const BITS: u32, const VALUES: usize>(pairs: &mut Vec<Pair>, other: &mut Vec<Pair>) {
    let greatest = pairs.iter().fold(0, |all, pair| all | pair.a | pair.b);
    other.clear();
    other.resize(pairs.len(), Pair { a: 0, b: 0 });
    for key in [(|pair: &Pair| pair.b) as fn(&Pair) -> u32, |pair: &Pair| pair.a] {
        let mut shift = 0;
        while shift < u32::BITS && greatest >> shift != 0 {
            let digit = |pair: &Pair| (key(pair) >> shift) as usize % VALUES;
            let mut starts = [0u32; VALUES];
            pairs.iter().for_each(|pair| starts[digit(pair)] += 1);
            let mut sum = 0;
            for start in &mut starts {
                sum += std::mem::replace(start, sum);
            }
            for pair in pairs.iter() {
                let start = &mut starts[digit(pair)];
                other[*start as usize] = *pair;
                *start += 1;
            }
            std::mem::swap(pairs, other);
            shift += BITS;
        }
    }
}

/// Removes pairs that are in both of two sorted lists, one for one, except those that `keep` names.
pub(crate) fn cancel(begun: &mut Vec<Pair>, ended: &mut Vec<Pair>, keep: impl Fn(&Pair) -> bool) {
    if begun.is_empty() || ended.is_empty() {
        return;
    }
    let (mut b, mut e) = (0, 0);
    let (mut to_b, mut to_e) = (0, 0);
    while b < begun.len() || e < ended.len() {
        let (x, y) = (begun.get(b).copied(), ended.get(e).copied());
        if x == y && x.is_some_and(|x| !keep(&x)) {
            (b, e) = (b + 1, e + 1);
        } else if y.is_none_or(|y| x.is_some_and(|x| x <= y)) {
            begun[to_b] = begun[b];
            (b, to_b) = (b + 1, to_b + 1);
        } else {
            ended[to_e] = ended[e];
            (e, to_e) = (e + 1, to_e + 1);
        }
    }
    begun.truncate(to_b);
    ended.truncate(to_e);
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
    fn digits_sort_as_comparisons_do() {
        let mut state = 1u64;
        let mut room = SortRoom::default();
        for bits in [1, 8, 11, 12, 26, 32] {
            let mut random = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 32) as u32 >> (32 - bits)
            };
            for len in [BY_DIGITS - 1, BY_DIGITS, LONG_DIGITS, 2 * LONG_DIGITS] {
                let mut pairs: Vec<Pair> = (0..len).map(|_| Pair::new(random(), random())).collect();
                let mut expected = pairs.clone();
                expected.sort();
                expected.dedup();
                sort_unique(&mut pairs, &mut room);
                assert_eq!(pairs, expected);
            }
        }
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
