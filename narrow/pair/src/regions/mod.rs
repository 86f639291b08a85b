//! Contact regions of two closed surfaces, and what separates the bodies.
//!
//! Takes the exact overlaps of a pair. Gives a patch for each contact region, or one patch along a single separating
//! translation. Normals and depths are exact; no answer depends on a resolution.

mod candidates;
mod exact;
mod lines;
mod patch;
mod separate;

pub(crate) use exact::{Crossing, RegionScratch, is_exact};
pub(crate) use separate::contacts;
