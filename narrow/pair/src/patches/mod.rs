//! From columns and contours to patches.

mod build;
mod features;
mod interior_vertices;
mod join;

pub(crate) use build::{PatchSeed, halfway, mean, patch, pressure_center};
pub(crate) use features::{FeatureKind, Features};
pub(crate) use interior_vertices::{InteriorVertex, InteriorVertices};
pub(crate) use join::Join;
