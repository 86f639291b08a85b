//! Penetration depth: the minimum translation vector (MTV) that separates what overlaps.

mod constraints;
mod measure;
mod pair_mtv;
mod refine;
mod search;
mod translation;

pub(crate) use constraints::{
    Demand, Push, asks_for, clusters, common_normal, demand, gather, longest, way_of,
};
#[cfg(test)]
pub(crate) use measure::length;
pub(crate) use pair_mtv::judge;
pub(crate) use search::{Own, least_way_out};
