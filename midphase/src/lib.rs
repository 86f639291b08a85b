//! From pairs of colliders to candidates for the narrow phase: bounding spheres, OBB trees, the
//! volume of interest, and the triangles that lines cross.
//!
//! [`find`] takes one pair of placed shapes and appends a [`PairJob`] for every pair of their parts that
//! may touch. Nothing is ever lost: whatever touches, or comes closer than the margin, is in a job,
//! at every scale.

#![allow(clippy::needless_range_loop, reason = "axes of several arrays are walked together")]

pub mod obb_tree;

mod candidate;
mod counts;
mod deformation;
mod extent;
mod find;
mod kind;
mod part;
mod part_pairs;
mod part_ray;
mod part_tree;
mod prepared_shape;
mod tree_cache;

pub use candidate::{CandidateBatch, PairJob};
pub use counts::MidphaseCounts;
pub use deformation::{DeformError, Deformation};
pub use find::{Placed, find};
pub use kind::PairKind;
pub use obb_tree::{BuildSettings, DescentCounts, LeafRows, ObbTree, descend};
pub use part::{Part, Solid, Surface};
pub use part_pairs::part_pairs;
pub use part_ray::parts_on_ray;
pub use prepared_shape::PreparedShape;
pub use tree_cache::TreeCache;
