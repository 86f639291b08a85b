//! Pairs, and the filters that exclude pairs.

/// Two colliders whose boxes overlap; `a < b`. Pairs are ordered by `a`, then `b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pair {
    /// The collider with the lower id.
    pub a: u32,
    /// The collider with the higher id.
    pub b: u32,
}

impl Pair {
    /// The pair of two colliders, in order.
    #[inline]
    pub fn new(x: u32, y: u32) -> Pair {
        Pair { a: x.min(y), b: x.max(y) }
    }
}

/// Which pairs a collider may be part of. Two colliders are paired only if each one's `groups`
/// meet the other's `mask`, they do not have the same part, and at least one of them is not static.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// The groups the collider is in, a bit each.
    pub groups: u32,
    /// The groups it may be paired with, a bit each.
    pub mask: u32,
    /// Colliders with the same part are never paired; `None` for a collider on its own.
    pub part: Option<u64>,
    /// Static colliders are never paired with each other.
    pub is_static: bool,
}

impl Default for Filter {
    /// In group 0, paired with every group, no part, not static.
    fn default() -> Filter {
        Filter { groups: 1, mask: u32::MAX, part: None, is_static: false }
    }
}

impl Filter {
    /// Whether two colliders may be paired.
    #[inline]
    pub fn allows(&self, other: &Filter) -> bool {
        self.groups & other.mask != 0
            && other.groups & self.mask != 0
            && !(self.is_static && other.is_static)
            && (self.part.is_none() || self.part != other.part)
    }
}
