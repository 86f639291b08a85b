//! Where two bodies overlap, as views show it, and the patches of what they show.

mod close_lines;
mod contained;
mod depth;
mod resolve;
mod three_views;

pub(crate) use contained::last_resort;
pub(crate) use depth::{ExtremeVertex, ExtremeVertices};
pub(crate) use resolve::{
    OverlapSample, is_small, patch_along_normal, patch_in_view, patch_of, resolve_patch,
};
pub(crate) use three_views::{Overlap, given_overlaps, look_from_three_sides, overlaps};
