//! Passes on the raster pipeline: layered depth images by depth peeling, and unordered.
//!
//! A row of the table names a vertex and a fragment shader, what they see, and what they draw into;
//! there are no vertex buffers. Many views share one draw, each on its tile of an atlas. Bodies are
//! snapped to their views' lattices on the CPU, on the way to the device; coverage and depth are then
//! whole numbers in the shaders as in the software scan, so the crossings are its crossings to the last
//! bit, whatever a driver does with positions.

pub mod layout;

mod atlas;
mod engine;
mod pass;
mod passes;
mod peel;
mod pipeline;
mod sheet;
mod targets;
mod unordered;

pub use atlas::Atlas;
pub use engine::{LayerWay, RasterCounts, RasterEngine, RasterSettings};
pub use pass::{Entry, RasterPass, Slot, SlotKind};
pub use passes::RASTER_PASSES;
pub use sheet::LdiLeft;
