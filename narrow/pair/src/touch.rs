//! Whether a pair touches, and nothing else: what a sensor asks.

use impinge_midphase::{CandidateBatch, PairJob, Work};

use crate::settings::NarrowSettings;
use crate::{NarrowScratch, solids};
use impinge_convex::convex_contact;
use impinge_exact::containment::containment;
use impinge_exact::intersect::{self as stream, Surfaces};
use impinge_geometry::Containment;

/// Whether the bodies of a job touch: their surfaces meet (exact), or one is inside the other. The same
/// answer as [`PairResult::touching`] of [`run`](crate::run), without views, patches or contours, and for
/// surfaces only up to the first pair of triangles that meets.
pub fn touches(
    job: &PairJob<'_>,
    batch: &CandidateBatch<'_>,
    settings: &NarrowSettings,
    scratch: &mut NarrowScratch,
) -> bool {
    let settings = NarrowSettings { margin: 0.0, columns_only: false, ..*settings };
    match &job.work {
        Work::Surfaces { leaf_pairs } => {
            let range = leaf_pairs.start as usize..leaf_pairs.end as usize;
            surfaces_touch(job, &batch.leaf_pairs[range], scratch)
        }
        Work::ClosedForm => convex_contact(job.parts, &job.frame, settings.margin).touching,
        Work::Solid { mesh, leaves } => {
            let range = leaves.start as usize..leaves.end as usize;
            solids::touches(job, *mesh, &batch.leaves[range], &settings, scratch)
        }
    }
}

fn surfaces_touch(job: &PairJob<'_>, leaf_pairs: &[[u32; 2]], scratch: &mut NarrowScratch) -> bool {
    let Some(input) = Surfaces::of_job(job) else { return false };
    let NarrowScratch { stream, stream_out, .. } = scratch;
    if stream::first_touch(&input, leaf_pairs, stream).is_some() {
        return true;
    }
    // What crosses a made-up face is not wholly inside although it does not touch.
    // (Such faces are a mesh's last.)
    if input.meshes.iter().any(|mesh| mesh.is_made_up(mesh.triangles().len().saturating_sub(1) as u32)) {
        stream::run_surfaces(&input, leaf_pairs, stream, stream_out);
    } else {
        stream_out.clear();
    }
    containment(&input, stream_out, &mut scratch.containment) != Containment::None
}
