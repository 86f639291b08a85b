//! Translations of one body against another: how far must it move along a direction until it is free?
//!
//! Two triangles of which one moves share a point during one interval of shifts (`triangles.rs`); the trees find the
//! end of the union of all such intervals that holds the start ([`impinge_midphase::obb_tree::first_free`]); and where
//! the surfaces no longer meet but one body is inside the other, the line through a vertex that is inside says
//! how much farther it is. The answer is the first shift at which the bodies share no point, to [`TOLERANCE`].
//!
//! **Virtual faces.** The faces that close a sheet or a terrain bound its volume but never count as touching. A way
//! out may not lead through them: here they are in the way as all others are. So what stands in the ground leaves it
//! upward and not through its underside, and where a translation ends the bodies do not touch either way.

mod balls;
mod by_hits;
pub(crate) mod filter;
mod first_free;
mod line;
mod of_triangles;
mod ray;
mod solid;
mod solid_intervals;
mod triangles;

#[cfg(test)]
mod ball_tests;
#[cfg(test)]
mod hit_tests;
#[cfg(test)]
mod of_triangles_tests;
#[cfg(test)]
mod tests;

pub use by_hits::clearance_by_hits;
pub use first_free::{Clearance, ClearanceScratch, NUDGE, TOLERANCE, clearance, is_reversed};
pub use line::{is_common, line_bound_from, line_bounds};
pub use of_triangles::{TrianglesScratch, clearance_of_triangles};
pub use solid::solid_clearance;
