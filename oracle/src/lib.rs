//! Slow answers that are right, and solids with known shapes, for tests, benchmarks and checks.
//!
//! Nothing here shares a predicate with what it judges: of the crates of this workspace it knows `geometry`
//! alone, and of that crate the types that say what the input is ([`impinge_geometry::TriMesh`] and
//! [`impinge_geometry::PairFrame`], which fixes where a body's vertices stand). Signs are exact: floating
//! point decides where its rounding cannot matter, integers of any length elsewhere.

mod common_volume;
mod exact;
pub mod features;
pub mod moving;
mod pair;
mod ray;
mod separation;
pub mod solids;
mod tree;
mod triangle;
mod winding;

pub use common_volume::{common_volume, volume};
pub use pair::{Body, Movable, Pair};
pub use ray::{RayCrossing, ray_crossings};
pub use separation::{Search, Separation, least_translation};
pub use triangle::triangles_touch;
