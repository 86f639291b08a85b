//! The narrow phase's passes on wgpu, for any vendor's GPU.
//!
//! The CPU's pass is the specification, and where a shader disagrees, the shader is wrong. What cannot be decided in
//! `f32` without doubt is left to the CPU, and so is all that a capacity or a fault keeps from the device.

pub mod classic;
pub mod device;
pub mod height_map;
pub mod image;
pub mod intersect;
pub mod ldi;
pub mod manifold;
pub mod operations;
pub mod passes;
pub mod surfaces;
pub mod testing;

mod answers;
mod counts;
mod engine;
mod mesh_boxes;
mod meshes;
mod part;
mod received;
mod settings;
mod step;
mod submit;
mod surface_patch;

pub use counts::GpuCounts;
pub use device::adapter::{AdapterChoice, AdapterKind, AdapterSummary, adapters, choose};
pub use device::clock::PassSpan;
pub use device::error::{EngineError, GpuFault};
#[cfg(feature = "fault-injection")]
pub use device::fault_injection::InjectedFault;
pub use device::limits::limits;
pub use engine::{Engine, MOST_SUBMISSIONS};
pub use height_map::environment::{EnvironmentError, GpuChannels, GpuEnvironment, GpuPiece, Topology};
pub use image::capture::{CaptureReport, StepCapture, UnknownCapture};
pub use image::reference::{DeviceInterval, ViewTicket, ViewTotals};
pub use image::volume::{LaidView, VolumeAnswer, VolumeTicket};
pub use intersect::{IntersectAnswer, IntersectTicket, Overflow};
pub use manifold::{ManifoldTicket, ViewWish};
pub use received::Received;
pub use settings::{Capacities, EngineSettings};
#[doc(no_inline)]
pub use wgpu;
