//! From columns and contours to patches.

mod box_clusters;
mod build;
mod exact_overlaps;
mod farthest;
mod feature;
mod features;
mod flush;
mod interior_vertices;
mod join;
mod pieces;
mod sets;
mod stokes;
mod volumes;

pub(crate) use build::{
    PatchSeed, add_points, halfway, mean, patch, pixel_of, pressure_center, without_twist,
};
pub(crate) use exact_overlaps::{ExactOverlaps, ExactVolume, OverlapBuffers};
pub(crate) use farthest::FarthestPlaces;
pub(crate) use feature::FeatureKind;
pub(crate) use features::Features;
pub(crate) use flush::face_to_face;
pub(crate) use interior_vertices::{InteriorVertex, InteriorVertices, vertex_key};
pub(crate) use join::Join;
pub(crate) use pieces::{ContourOf, Piece, Pieces, pieces};
pub(crate) use sets::{root, unite};
pub(crate) use stokes::torque_about;
pub(crate) use volumes::share_out;
