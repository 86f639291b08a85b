//! How the chunks of a step that are the GPU's are handed over in parts.

/// Pairs of the first part, so that the device begins early.
const FIRST: usize = 8;

/// A part is so many times as large as all before it …
const GROWTH: usize = 8;

/// … up to so many pairs: enough for most devices to be busy with, few enough for the workers not to wait for long.
const LARGEST: usize = 256;

/// Parts of a step, at most, but for those that are smaller than the largest: in all fewer than an engine's submissions.
const MOST: usize = 24;

/// The parts of `chunks` chunks of `chunk` pairs each, by their numbers of chunks. They go by these numbers alone, so that the same
/// pairs are in a part in every run.
pub(crate) fn parts(chunks: usize, chunk: usize) -> impl Iterator<Item = usize> {
    let of_pairs = move |pairs: usize| pairs.div_ceil(chunk.max(1));
    let largest = of_pairs(LARGEST).max(chunks.div_ceil(MOST));
    let mut given = 0;
    std::iter::from_fn(move || {
        let left = chunks - given;
        let next = if given == 0 { of_pairs(FIRST) } else { (GROWTH * given).min(largest) };
        // A rest that is not worth a submission goes along.
        let own = if left < next + next / 2 { left } else { next };
        given += own;
        (own > 0).then_some(own)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_begin_small_hold_every_chunk_once_and_are_fewer_than_submissions() {
        let of = |chunks, chunk| parts(chunks, chunk).collect::<Vec<_>>();
        assert_eq!(of(0, 8), [0; 0]);
        assert_eq!(of(1, 8), [1]);
        assert_eq!(of(4, 8), [1, 3]);
        assert_eq!(of(125, 8), [1, 8, 32, 32, 32, 20]);
        // Pair by pair.
        assert_eq!(of(20, 1), [8, 12]);
        for chunks in [0, 1, 5, 100, 1250, 4096, 100_000] {
            assert_eq!(parts(chunks, 8).sum::<usize>(), chunks);
            // Five parts at most are smaller than the largest.
            assert!(parts(chunks, 8).count() <= MOST + 5, "{chunks}");
        }
    }
}
