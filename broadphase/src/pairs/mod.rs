//! Pairs: those that begin and end, and the list of all.

mod all_pairs;
pub(crate) mod events;
pub(crate) mod pair;
pub(crate) mod pair_list;
