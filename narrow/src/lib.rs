//! The narrow phase on the CPU: the exact edge–triangle stream, layers and columns in image space,
//! closed forms. It is the specification of every pass, and the embedded default.

pub mod closed_form;
pub mod cloud;
pub mod containment;
pub mod contour;
pub mod distance;
pub mod fixed_map;
pub mod height_map;
pub mod ldi;
pub mod pair;
pub mod passes;
pub mod reference_view;
pub mod snap;
pub mod solid;
pub mod stream;

mod columns;
mod coverage;
mod crossing;
mod layers;
mod margin;
mod patch;
mod patches;
mod settings;
mod view;

#[cfg(test)]
mod testing;

pub use pair::{CommonVolume, NarrowMemory, NarrowScratch, common_volume, mended};
pub use patch::{Containment, NarrowCounts, PairResult, Patch, PatchOrigin, PatchPoint};
pub use settings::NarrowSettings;
pub use view::{Axes, View};
