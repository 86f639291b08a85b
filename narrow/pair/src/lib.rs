//! One pair of parts from candidate to patches: do they touch, where, how deep, and along which normal?

mod contact_patch;
mod contact_region;
mod convex;
mod dispatch;
mod intersection_volume;
mod kept_view;
mod memory;
mod mesh_mesh;
mod mesh_solid;
mod overlap;
pub mod particles;
mod patch;
mod patches;
mod penetration;
mod redo;
mod region;
mod regions;
mod sampled_views;
mod sampler;
mod scene;
mod scratch;
mod settings;
mod spare_points;
mod speculative;
mod tunables;

#[cfg(test)]
mod tests;

pub use contact_patch::{ContactPatch, PatchSample};
pub use dispatch::{intersection_volume, is_as_deep, parts_touch, run, run_in_views, solid_views, touches};
pub use intersection_volume::IntersectionVolume;
pub use memory::NarrowMemory;
pub use mesh_mesh::{SampledPatch, mended, own_patches, run_sampled, view_axes};
pub use patch::{NarrowCounts, PairResult, Patch, PatchOrigin, PatchPoint, Sector};
pub use redo::{Redo, RedoCounts};
pub use sampled_views::{SampledView, ViewIntervals};
pub use scratch::NarrowScratch;
pub use settings::{NarrowMethod, NarrowSettings, SEARCH_BUDGET, UnknownNarrowMethod};
