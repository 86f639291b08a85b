//! Sorting of many small numbers, stable.

/// Bits of a pass.
const DIGIT: u32 = 11;

/// Buffers, reused.
#[derive(Clone, Debug, Default)]
pub(super) struct RadixScratch {
    keys: Vec<u64>,
    values: Vec<u32>,
    starts: Vec<u32>,
}

/// Sorts keys of so many bits, and values with them; what is equal stays in order.
pub(super) fn sort(keys: &mut Vec<u64>, values: &mut Vec<u32>, bits: u32, room: &mut RadixScratch) {
    let RadixScratch { keys: other_keys, values: other_values, starts } = room;
    other_keys.resize(keys.len(), 0);
    other_values.resize(values.len(), 0);
    let mut shift = 0;
    while shift < bits {
        starts.clear();
        starts.resize(1 << DIGIT, 0);
        let digit = |key: u64| (key >> shift) as usize & ((1 << DIGIT) - 1);
        for &key in &*keys {
            starts[digit(key)] += 1;
        }
        let mut before = 0;
        for start in starts.iter_mut() {
            before += std::mem::replace(start, before);
        }
        for (&key, &value) in keys.iter().zip(&*values) {
            let place = &mut starts[digit(key)];
            other_keys[*place as usize] = key;
            other_values[*place as usize] = value;
            *place += 1;
        }
        std::mem::swap(keys, other_keys);
        std::mem::swap(values, other_values);
        shift += DIGIT;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_sorted_and_equal_ones_stay_in_order() {
        for bits in [1, 11, 12, 30, 63] {
            let mut state = 1u64;
            let mut next = || {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                state >> (64 - bits)
            };
            let mut keys: Vec<u64> = (0..3000).map(|_| next()).collect();
            let mut expected: Vec<(u64, u32)> = keys.iter().copied().zip(0..).collect();
            expected.sort();
            let mut values: Vec<u32> = (0..3000).collect();
            sort(&mut keys, &mut values, bits, &mut RadixScratch::default());
            assert_eq!(keys.into_iter().zip(values).collect::<Vec<_>>(), expected);
        }
    }
}
