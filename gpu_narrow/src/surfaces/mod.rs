//! Surfaces whose vertices live on the device, made by whatever shader: skins that follow bones, cloths, terrains that are tessellated. Boxes are
//! fitted to them there and their triangles compared there with those of others; what comes back of a pair is one record, and no vertex.
//!
//! Only what `f32` can tell for certain is told: triangles that cross, and that nothing does. The CPU, which does not know the places, cannot settle
//! what is in between.

pub mod layout;
pub mod passes;

mod dispatch;
mod engine;
mod skin;
mod store;

pub use engine::{MeetingState, SurfaceEngine, SurfaceError, SurfaceMeeting, SurfacePair};
pub use skin::GpuSkin;
pub use store::{SurfaceId, SurfaceSource};
