//! The part of a computed surface that is near the other body of a pair, as triangles: a device holds no samples of height fields and level sets.
//!
//! It is what there is in a box of cells, closed by triangles where the box cuts through the inside: a body that overlaps with the other one as
//! the whole does, because all that the two may share lies in the box. Made for each pair and step, so it is always of the samples given last.

mod field;
mod levels;
mod patch;

use impinge_geometry::{Faces, Side};
use impinge_midphase::{PairJob, Surface};

pub(crate) use patch::SurfacePatch;

/// The patch of the surface on a side of a job, with the leaves of these pairs of leaves. `None` where it would be too large, and of meshes,
/// which a device holds.
pub(crate) fn patch_of(
    job: &PairJob<'_>,
    side: Side,
    surface: &Surface,
    leaf_pairs: &[[u32; 2]],
) -> Option<SurfacePatch> {
    match &surface.faces {
        Faces::Mesh(_) => None,
        Faces::Field(field) => field::patch(job, side, field, &surface.tree, leaf_pairs),
        Faces::Levels(levels) => levels::patch(job, side, levels, &surface.tree, leaf_pairs),
    }
}
