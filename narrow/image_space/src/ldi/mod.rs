//! Layered depth images: all surfaces of a body along the lines of a view, and what they answer.
//!
//! The classic way of collision detection in image space: volumes of intersection, vertex in volume,
//! self-collision, and bodies combined. An image is captured by a software scan here, or on a GPU by
//! depth peeling or unordered with a sort; all ways give the same crossings to the last bit.

mod boolean;
mod cube;
mod error;
mod faces;
mod image;
mod limits;
mod points;
mod self_collision;
mod snap;
mod surface;
mod view;
mod volume;

#[cfg(test)]
mod tests;

pub use boolean::Boolean;
pub use error::LdiError;
pub use faces::{FLAT_ACROSS, FLAT_DEEP, Faces};
pub use image::{LayeredDepthImage, LdiJob, LdiScratch};
pub use limits::{MOST_CELLS, MOST_CROSSINGS, MOST_PIXELS};
pub use self_collision::{SelfCollision, SelfOverlap};
pub use snap::snap;
pub use surface::{BooleanMesh, boolean_mesh};
pub(crate) use view::world_box;

pub use crate::crossing::{Crossing, LAST_DEPTH};
pub use crate::view::View as LdiView;
