//! Layered depth images: all surfaces of a body along the lines of a view, and what they answer.
//!
//! The classic way of collision detection in image space: volumes of intersection, vertex in volume,
//! self-collision, and bodies combined. An image is captured by a software scan here, or on a GPU by
//! depth peeling or unordered with a sort; all ways give the same crossings to the last bit.

mod boolean;
mod crossing;
mod cube;
mod error;
mod image;
mod points;
mod raster;
mod self_collision;
mod snap;
mod surface;
mod view;
mod volume;

#[cfg(test)]
mod tests;

pub use boolean::Boolean;
pub use crossing::{Crossing, LAST_DEPTH};
pub use cube::MOST_CELLS;
pub use error::LdiError;
pub use image::{LayeredDepthImage, LdiJob, LdiScratch, MOST_CROSSINGS};
pub use raster::{FLAT_ACROSS, FLAT_DEEP, Faces};
pub use self_collision::{SelfCollision, SelfOverlap};
pub use snap::snap;
pub use surface::{BooleanMesh, boolean_mesh};
pub use view::{LdiView, MOST_PIXELS};
