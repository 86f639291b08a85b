//! The classic image-space tests on the raster pipeline: the programs of draws that the software raster runs, with the
//! device's depth and stencil buffer and its occlusion queries.
//!
//! Bodies are snapped to their view's lattice on the CPU; coverage and depth are whole numbers in the shader as in the software
//! raster, and the buffer's depths are exact, so stencil values and queries are the software's to the last bit.

pub mod layout;
pub mod passes;

mod engine;
mod field;
mod pipelines;
mod refusal;
mod upload;

pub use engine::{ClassicCounts, ClassicEngine};
pub use refusal::ClassicRefusal;
