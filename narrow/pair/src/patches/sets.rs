//! Disjoint sets of numbers, each named by its least member.

/// The least member of a set; afterwards `v` points straight at it.
pub(crate) fn root(parent: &mut [u32], v: u32) -> u32 {
    let mut top = v;
    while parent[top as usize] != top {
        top = parent[top as usize];
    }
    let mut at = v;
    while parent[at as usize] != top {
        let next = parent[at as usize];
        parent[at as usize] = top;
        at = next;
    }
    top
}

/// Makes the sets of two members one.
pub(crate) fn unite(parent: &mut [u32], p: u32, q: u32) {
    let (p, q) = (root(parent, p), root(parent, q));
    parent[p.max(q) as usize] = p.min(q);
}
