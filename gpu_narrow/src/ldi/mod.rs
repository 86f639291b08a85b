//! Layered depth images on the raster pipeline: by depth peeling, and unordered.
//!
//! Many views share one draw, each on its tile of an atlas. Bodies are snapped to their views' lattices on the CPU, on
//! the way to the device; coverage and depth are then whole numbers in the shaders as in the software scan, so the
//! crossings are its crossings to the last bit, whatever a driver does with positions.

pub mod layout;
pub mod passes;

pub(crate) mod pipeline;

mod atlas;
mod engine;
mod peel;
mod sheet;
mod targets;
mod unordered;

pub use atlas::Atlas;
pub use engine::{CaptureMethod, LdiCounts, LdiEngine, LdiSettings};
pub use sheet::LdiRefusal;
