//! How the layers of tiles are captured: by the tile kernel (`layers.wgsl`), or by the rasteriser, which draws the same rows and
//! leaves the same crossings in the same buffers, all at once in no order or peeled layer by layer. All three are equal to the last
//! bit, as the passes after them sort each pixel's crossings, so which one runs is a matter of time alone.

pub mod layout;
pub mod passes;

mod choice;
mod dispatch;
mod raster;
mod setting;
mod targets;

pub use choice::{CaptureReport, LAYER_PASSES};
pub(crate) use choice::{Choice, Method};
pub(crate) use raster::{Raster, open};
pub use setting::{StepCapture, UnknownCapture};
