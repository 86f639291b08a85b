//! Exact triangle intersection, by edges and triangles: do two surfaces touch, how many of their triangles do, and along
//! which oriented segments do they cross?
//!
//! Everything is judged on the canonical geometry ([`PairFrame::place`](impinge_geometry::PairFrame::place)). *Touching* is a statement
//! about closed triangles as they stand; *segments* are those of the geometry after an infinitesimal
//! shift of B that breaks every tie the same way everywhere, so that the contours of
//! closed meshes always close; their points are computed on the geometry as it stands. Pairs that
//! touch without a segment, and coplanar pairs, are reported beside them.

mod all_pairs;
mod crossing;
mod degenerate;
mod filter;
mod intersections;
mod own;
mod own_filter;
mod placed;
mod query;
mod scratch;
mod shift;
mod signs;
mod surfaces;

#[cfg(test)]
mod attack;
#[cfg(test)]
mod tests;

pub use all_pairs::{INTERSECT, intersect_surfaces};
pub use degenerate::{Coplanar, DegeneratePair, TouchKind};
pub use intersections::{HitKey, IntersectCounts, Intersections, Segment};
pub use own::intersect_itself;
pub use query::{
    LastHit, count_triangle_pairs, first_touch, own_triangle_pairs, surfaces_touch, triangle_pairs,
};
pub use scratch::IntersectScratch;
pub use shift::{Shift, sign};
pub use surfaces::Surfaces;
