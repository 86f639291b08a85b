//! Image space on the CPU: where surfaces cross the lines of a view, and what follows from it. Layers and overlap
//! intervals for contacts, layered depth images, height maps, rays of a cloud of points, and the classic tests.

pub mod classic;
pub mod cloud;
pub mod crossing;
pub mod fixed_map;
pub mod height_map;
pub mod intervals;
pub mod layers;
pub mod ldi;
pub mod passes;
pub mod reference_view;
mod snap;
pub mod view;

mod coverage;

pub use view::{Axes, View};
