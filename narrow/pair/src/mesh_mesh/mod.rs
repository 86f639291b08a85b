//! Two surfaces of triangles.

mod contacts;
mod contour_patch;
mod contour_view;
mod corners;
mod height_map;
mod intersection;
mod open_bounds;
mod overlap_owners;
mod overlap_triangles;
mod own;
mod own_lines;
mod own_scratch;
mod piece_view;
mod sampled;
mod sectors;
mod vertex_points;

pub(crate) use contacts::{MeshMeshScratch, run};
pub use intersection::mended;
pub(crate) use intersection::{SurfaceIntersection, Total, each_segment};
pub use own::own_patches;
pub(crate) use own_scratch::OwnScratch;
pub use sampled::{SampledPatch, run_sampled, view_axes};
