//! One pair of parts from candidate to patches: do they touch, where, how deep, and along which normal?

mod common;
mod contour_view;
mod convex;
mod depth;
mod dispatch;
mod escape;
mod finish;
mod inside;
mod memory;
mod patch;
mod patches;
mod probe;
mod push;
mod region;
mod scene;
mod settings;
mod settle;
mod solids;
mod speculative;
mod surfaces;
mod three_views;
mod touch;
mod whole;
mod witness;

#[cfg(test)]
mod tests;

pub use common::CommonVolume;
pub use contour_view::mended;
pub use dispatch::{NarrowScratch, common_volume, parts_touch, run, touches};
pub use memory::NarrowMemory;
pub use patch::{NarrowCounts, PairResult, Patch, PatchOrigin, PatchPoint};
pub use settings::NarrowSettings;
