//! Primitives and convex hulls among themselves, without images, and what convex solids answer by themselves:
//! support points, where a line passes through them, whether they touch a triangle.

mod ball;
mod boxes;
mod closest;
mod contact;
mod containment;
mod convex_contact;
mod exact;
mod feature;
mod gjk_epa;
mod half_space;
mod line_interval;
mod manifold;
mod measure;
mod nearest;
mod order;
mod overlap;
mod passage;
mod region;
mod round_section;
mod solid_pair;
mod support;
mod triangle;

#[cfg(test)]
mod tests;

pub use closest::{Closest, closest_on_triangle};
pub use convex_contact::{CONVEX, convex_contact, nearest_points, separating_axis};
pub use feature::feature_towards;
pub use gjk_epa::{Gap, distance};
pub use line_interval::{LineInterval, SolidLines, inside, primitive_interval};
pub use nearest::{nearest_of_segments, nearest_on_segment, nearest_on_triangle, over_triangle, unit_normal};
pub use passage::{latest_shift, touching_shifts};
pub use region::{ConvexContact, ConvexPoint, ConvexRegion};
pub use round_section::RoundSection;
pub use support::{ConvexShape, Placed};
pub use triangle::touches_triangle;
