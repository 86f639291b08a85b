//! From columns and contours to patches.

mod build;
mod features;
mod interior_vertices;
mod join;
mod volumes;

pub(crate) use build::{PatchSeed, halfway, mean, patch, pressure_center};
pub(crate) use features::{Feature, FeatureKind, Features};
pub(crate) use interior_vertices::{ExactVolume, InteriorVertex, InteriorVertices};
pub(crate) use join::Join;
pub(crate) use volumes::{share, share_translations};
