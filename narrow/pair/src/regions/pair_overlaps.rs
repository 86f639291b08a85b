//! Everything that is known of two surfaces that cross.

use impinge_exact::contour::Contours;
use impinge_exact::intersect::{Intersections, Surfaces};

use crate::patches::ExactOverlaps;

/// Everything that is known of a pair that touches.
#[derive(Clone, Copy)]
pub(crate) struct PairOverlaps<'a> {
    pub surfaces: &'a Surfaces<'a>,
    pub found: &'a Intersections,
    pub contours: &'a Contours,
    pub exact: ExactOverlaps<'a>,
}
