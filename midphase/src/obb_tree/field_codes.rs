//! The codes of a field's nodes and leaves: which child of which child each is, three bits for every step down.

use impinge_geometry::height_field::BLOCK_BITS;

/// How many nodes come before those of a depth, in a tree where each has eight.
pub(super) const BEFORE: [u32; 11] =
    [0, 1, 9, 73, 585, 4_681, 37_449, 299_593, 2_396_745, 19_173_961, 153_391_689];

/// How many parts a node of a level has along x and y, as powers of two.
pub(super) fn bits(level: i32) -> [u32; 2] {
    if level % 2 == 0 { [1, 2] } else { [2, 1] }
}

/// How many leaves a block of a level has along x and y, as powers of two.
pub(super) fn leaf_bits(level: i32) -> [u32; 2] {
    if level < 0 {
        return [0, 0];
    }
    let [w, h] = BLOCK_BITS[level as usize];
    [w - 1, h]
}

/// The code of a leaf at a place: of every three bits of x and y ([`bits`]) it has in turn one of x, two of y, two of x, and one of y.
pub(super) fn spread([x, y]: [u32; 2]) -> u32 {
    let mut code = 0;
    for group in 0..5 {
        let [x, y] = [x, y].map(|at| at >> (3 * group) & 7);
        code |= (x & 1 | (y & 3) << 1 | (x & 6) << 2 | (y & 4) << 3) << (6 * group);
    }
    code
}

/// Where the leaf of a code is.
pub(super) fn gather(code: u32) -> [u32; 2] {
    let mut at = [0, 0];
    for group in 0..5 {
        let six = code >> (6 * group) & 63;
        at[0] |= (six & 1 | six >> 2 & 6) << (3 * group);
        at[1] |= (six >> 1 & 3 | six >> 3 & 4) << (3 * group);
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A place has one code and a code one place, and of a block's code one of a part begins with it.
    #[test]
    fn codes_and_places_are_each_others() {
        for n in 0..40_000u32 {
            let at = [n.wrapping_mul(2_654_435_761) >> 18, n.wrapping_mul(40_503) & 0x7fff];
            assert_eq!(gather(spread(at)), at);
            for level in 0..9 {
                let [x, y] = bits(level);
                let [w, h] = leaf_bits(level);
                let [of, part] =
                    [[w, h], leaf_bits(level - 1)].map(|bits| [at[0] >> bits[0], at[1] >> bits[1]]);
                let digit = part[0] & ((1 << x) - 1) | (part[1] & ((1 << y) - 1)) << x;
                let code =
                    |place: [u32; 2], bits: [u32; 2]| spread([place[0] << bits[0], place[1] << bits[1]]);
                let (code, own) = (code(of, [w, h]), code(part, leaf_bits(level - 1)));
                assert_eq!(own, code | digit << (3 * level), "{at:?} {level}");
            }
        }
    }
}
