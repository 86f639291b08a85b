//! Where does a sheet of some thickness come near itself, or something else? Points for a cloth solver.
//!
//! A sheet is a mesh taken for the middle of something thin; both of its sides count alike. Places are compared as the field does: a
//! vertex with a face, an edge with an edge.
//!
//! - A vertex and a triangle that are nearer than asked for make a point, which is named after the feature of the triangle that
//!   its nearest place lies on: its inside, an edge or a corner. Several triangles around that feature make one point.
//! - Two edges make a point where their nearest places lie inside both; else a vertex has it.
//! - Features of one triangle are never compared; and of one surface, features that were nearer in its rest than asked for only need
//!   to be as far apart as they were.
//!
//! Distances are `f64`, of the vertices as they stand. On which side of a surface something is, a sheet cannot say: whoever moves it
//! asks with a margin before it moves, and keeps what was found on its side. A closed surface has an inside: a vertex of
//! the sheet in it, whose nearest place is inside a face, has a negative distance.
//!
//! Sources: Bridson, Fedkiw, Anderson, "Robust Treatment of Collisions, Contact and Friction for Cloth Animation", 2002 (thickness,
//! vertices with faces and edges with edges); Curtis, Tamstorf, Manocha, "Fast Collision Detection for Deformable Models using
//! Representative-Triangles", 2008 (every feature belongs to one triangle). Naming points after features, so that each
//! place has one, and the limit by the rest are ours.

mod features;
mod gap;
mod order;
mod own;
mod point;
mod rows;
mod scratch;
mod solids;
mod surfaces;

pub use own::sheet_and_itself;
pub use point::{SheetCounts, SheetPoint, SheetReach};
pub use scratch::SheetScratch;
pub use solids::sheet_and_primitive;
pub use surfaces::{SheetSurface, sheet_and_surface};
