//! Contact regions of two closed surfaces, and what separates the bodies.
//!
//! Takes the exact overlaps of a pair. Gives a patch for each contact region, or one patch along a single separating
//! translation. Normals and depths are exact; no answer depends on a resolution.

mod candidates;
mod exact;
mod lines;
mod pair_overlaps;
mod patch;
mod separate;

pub(crate) use exact::{RegionScratch, is_exact};
pub(crate) use pair_overlaps::PairOverlaps;
pub(crate) use separate::contacts;
