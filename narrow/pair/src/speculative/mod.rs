//! Speculative contacts: points of negative depth where bodies are apart by less than the margin, so that
//! a solver can stop what approaches before it overlaps.
//!
//! The nearest features give the normal. Along it, the faces of A that look towards B and those of B that
//! look towards A are laid over each other: wherever a line leaves A and enters B within the margin there
//! is a gap, and since heights are linear over every common part of two triangles, the corners of these
//! parts (a vertex of one side over a face of the other, or two edges that cross) hold the least gaps and
//! span the region. They are exact: there is no lattice, and a corner's name is that of its features, so
//! a point keeps its key while it stays on them. Further places that face each other another way (the
//! walls around a peg) give patches of their own. Nothing here says that bodies touch.

mod gather;
mod outline;
mod region;
mod round;
mod surfaces;

use nalgebra::Vector3;

pub(crate) use gather::MarginScratch;
pub(crate) use round::solid;
pub(crate) use surfaces::surfaces;

use crate::Patch;

/// Faces count where they look along the normal by at least this (cosine): over steeper ones a gap along
/// the normal says little.
const FACING: f64 = 0.2;

/// Features are apart in another way where their direction is farther than this from every normal there
/// is (cosine of 45°), and their faces look at each other along it no less.
const ANOTHER_WAY: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Most patches that are added to a pair.
const MOST: usize = 4;

/// Whether a direction is covered by the patches' normals.
fn is_covered(axis: &Vector3<f64>, patches: &[Patch]) -> bool {
    // What is not a number is no direction, and needs no patch.
    axis.norm_squared().is_nan() || patches.iter().any(|patch| patch.normal.dot(axis) > ANOTHER_WAY)
}
