//! Exact questions about surfaces of triangles: which triangles intersect and along which contours, what volume two bodies
//! share, whether one is inside another, how far apart two are. Everything is judged on the canonical geometry
//! ([`PairFrame::place`](impinge_geometry::PairFrame::place)).

pub mod containment;
pub mod contour;
pub mod distance;
mod ground;
pub mod id_table;
mod inner_balls;
pub mod intersect;
mod mesh_solid;
pub mod motion;
pub mod nearest_point;
mod offset_test;
pub mod overlap;
pub mod radix;
pub mod ray;
mod refilled;
pub mod sheet;
pub mod touch;
pub mod translation;

pub use mesh_solid::MeshSolid;
pub use offset_test::OffsetTest;
pub use refilled::Refilled;
