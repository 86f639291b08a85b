//! Distance of two convex solids by GJK, and their penetration by an expanding polytope (EPA).

mod descent;
mod distance;
pub(crate) mod penetration;

pub(crate) use distance::Vertex;
pub use distance::{Gap, distance};
