//! How far apart are two parts, and where are they nearest?
//!
//! - Two surfaces of triangles: the trees are searched for the nearest pair of triangles. Eight pairs of
//!   triangles at once are judged in `f32` by a proof that they are *not* nearer than what is known (see
//!   `filter`); what cannot be ruled out is measured in `f64`. Boxes and hulls are surfaces here, so
//!   that every answer names its features.
//! - A surface and a round solid or a half-space: the tree is searched for the nearest triangle.
//! - Round solids and half-spaces among themselves: as convex solids.
//!
//! Whether they touch is what [`crate::touch`] says, and nothing else: triangles are asked the same question here,
//! convex solids are asked first. A body inside another touches it: the distance of solids is asked for, not of
//! their skins. Virtual faces (which only bound volume) count as inside, never as surface.

mod answer;
mod convex;
mod dispatch;
mod filter;
mod mesh_solid;
mod proof;
mod surfaces;
mod triangle;

#[cfg(test)]
mod tests;

pub use answer::{DistanceCounts, DistanceMemory, DistanceScratch, Feature, Proximity, Separation};
pub use dispatch::{distance, distance_apart};
pub use filter::{Judged, Leaf, judge};
pub(crate) use surfaces::feature as triangle_feature;
pub use surfaces::separation;
pub use triangle::{Spot, TriangleGap, triangle_gap};
