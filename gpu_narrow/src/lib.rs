//! The narrow phase's passes on wgpu, for any vendor's GPU.
//!
//! The CPU's pass is the specification: a shader has the stem of its twin in `narrow/src`, and where
//! the two disagree, the shader is wrong. What cannot be decided in `f32` without doubt is left to the
//! CPU, and so is all that a capacity or a fault keeps from the device.

pub mod height_map;
pub mod layout;
pub mod passes;
pub mod raster;
pub mod testing;

mod adapter;
mod answers;
mod buffer;
mod clock;
mod common;
mod counts;
mod engine;
mod environment;
mod error;
mod meshes;
mod needs;
mod pipelines;
mod readback;
mod settings;
mod step;
mod stream;
mod submit;
mod tiles;
mod watch;

pub use adapter::{AdapterChoice, AdapterKind, AdapterSummary, adapters, choose};
pub use common::{CommonAnswer, CommonTicket};
pub use counts::GpuCounts;
pub use engine::{Drill, Engine, MOST_SUBMISSIONS};
pub use environment::{EnvironmentError, GpuChannels, GpuEnvironment, GpuPiece, Topology};
pub use error::{EngineError, GpuFault};
pub use needs::limits;
pub use settings::{Capacities, EngineSettings};
pub use stream::{Overflow, StreamAnswer, StreamTicket};
pub use tiles::{DeviceInterval, ViewTicket, ViewTotals};
#[doc(no_inline)]
pub use wgpu;
