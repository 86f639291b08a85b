//! Penetration depth: the minimum translation vector (MTV) that separates what overlaps.

mod beside;
mod candidate;
mod clamped;
mod constraints;
mod exact_depth;
mod least_translation;
#[cfg(test)]
mod least_translation_tests;
mod pair_mtv;
mod planes;
mod seeds;
mod swept;
mod translation;

pub(crate) use clamped::unclamp;
pub(crate) use constraints::{
    MinimumNorm, SeparationConstraint, clusters, common_normal, gather, leaving_sign, longest,
    minimum_norm_translation, rules_out_shorter,
};
pub(crate) use exact_depth::{passed, sharpen, sharpen_alone, sharpen_by};
pub(crate) use pair_mtv::{
    DeepMtv, DeepTranslation, contained_mtv, deep_mtv, deep_translation, is_deep, is_farther, pair_mtv,
    places, shortest,
};
pub(crate) use planes::{Plane, nearest as nearest_beyond};
pub(crate) use seeds::{all_round, between_axes, seeds};
pub(crate) use swept::{Swept, bounds_volume};
pub(crate) use translation::SeparatingTranslation;
