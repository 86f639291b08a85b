//! Sorts lists by numbers of few bits, as triangles and edges have: in a few passes over them and without comparisons.

/// Bits of a pass, at most.
const DIGIT: u32 = 10;

/// Up to so many are put in place one by one.
const FEW: usize = 24;

/// Sorts a list by a number of each; what has the same number stays in order. `room` is for its use: nothing is allocated once it is warm.
pub fn sort_by_number<T: Copy>(list: &mut Vec<T>, room: &mut Vec<T>, number: impl Fn(&T) -> u64) {
    if list.len() <= FEW {
        return insert_each(list, number);
    }
    let mut highest = 0;
    let mut before = 0;
    let mut is_sorted = true;
    for item in &*list {
        let own = number(item);
        highest = highest.max(own);
        is_sorted &= before <= own;
        before = own;
    }
    if is_sorted {
        return;
    }
    let bits = u64::BITS - highest.leading_zeros();
    let passes = bits.div_ceil(DIGIT);
    let digit = bits.div_ceil(passes);
    for pass in 0..passes {
        let place = |item: &T| (number(item) >> (pass * digit)) as usize & ((1 << digit) - 1);
        let mut starts = [0u32; 1 << DIGIT];
        for item in &*list {
            starts[place(item)] += 1;
        }
        let mut before = 0;
        for start in &mut starts[..1 << digit] {
            before += std::mem::replace(start, before);
        }
        room.clear();
        room.extend_from_slice(list);
        for item in &*list {
            let start = &mut starts[place(item)];
            room[*start as usize] = *item;
            *start += 1;
        }
        std::mem::swap(list, room);
    }
}

fn insert_each<T: Copy>(list: &mut [T], number: impl Fn(&T) -> u64) {
    for next in 1..list.len() {
        let item = list[next];
        let own = number(&item);
        let mut at = next;
        while at > 0 && number(&list[at - 1]) > own {
            list[at] = list[at - 1];
            at -= 1;
        }
        list[at] = item;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Against the standard library's stable sort: few and many, of numbers with one bit to 64.
        #[test]
        fn it_sorts_as_the_standard_library_does(
            bits in 1u32..=64,
            numbers in prop::collection::vec(any::<u64>(), 0..3000),
            kept in prop_oneof![Just(0usize), Just(FEW), Just(FEW + 1), Just(3000)],
        ) {
            let mut list: Vec<(u64, usize)> =
                numbers.iter().take(kept).map(|n| n >> (64 - bits)).zip(0usize..).collect();
            let mut expected = list.clone();
            expected.sort_by_key(|item| item.0);
            let mut room = vec![(7, 7); 3];
            sort_by_number(&mut list, &mut room, |item| item.0);
            prop_assert_eq!(&list, &expected);
            sort_by_number(&mut list, &mut room, |item| item.0);
            prop_assert_eq!(list, expected);
        }
    }
}
