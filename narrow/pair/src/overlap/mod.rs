//! Where two bodies overlap, as views show it, and the patches of what they show.

mod contained;
mod depth;
mod resolve;
mod three_views;

pub(crate) use contained::{last_resort, patches, way_out};
pub(crate) use depth::{Tip, Tips};
pub(crate) use resolve::{Set, patch_of, settle};
pub(crate) use three_views::overlaps;
