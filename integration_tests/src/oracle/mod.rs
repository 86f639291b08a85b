//! Slow answers that are right: every triangle pair by exact predicates, inside and outside by solid
//! angles, and the least translation that frees two bodies.

mod body;
mod separation;
mod triangle;

pub use body::{Body, containment};
pub use separation::{Movable, Search, Separation, least_translation};
pub use triangle::triangles_touch;
