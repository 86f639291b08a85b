//! One pair of parts: its kind is matched here, once per question.

use impinge_convex::convex_contact;
use impinge_exact::MeshSolid;
use impinge_exact::intersect::{LastHit, Surfaces};
use impinge_exact::touch::{self, LeafPairs, surfaces_touch};
use impinge_geometry::PairFrame;
use impinge_image_space::view::View;
use impinge_midphase::{CandidateBatch, PairJob, PairKind, Part};
use nalgebra::Vector3;

use crate::intersection_volume::{self, IntersectionVolume};
use crate::memory::NarrowMemory;
use crate::patch::PairResult;
use crate::penetration::Swept;
use crate::sampled_views::ViewIntervals;
use crate::scratch::NarrowScratch;
use crate::settings::NarrowSettings;
use crate::{contact_region, convex, mesh_mesh, mesh_solid};

/// Answers one job: does the pair touch, and if so where, how deep and along which normal?
pub fn run(
    job: &PairJob<'_>,
    batch: &CandidateBatch<'_>,
    settings: &NarrowSettings,
    memory: &mut NarrowMemory,
    scratch: &mut NarrowScratch,
    out: &mut PairResult,
) {
    let span = tracing::debug_span!(
        "pair",
        pair = job.pair,
        patches = tracing::field::Empty,
        views = tracing::field::Empty,
        fragments = tracing::field::Empty,
        columns = tracing::field::Empty,
    );
    let _entered = span.enter();
    scratch.spare_points.recycle(out);
    (out.pair, out.part_indices) = (job.pair, job.part_indices);
    scratch.samplers.begin_counts(settings.search_budget);
    memory.begin(&job.frame, &mut scratch.samplers);
    let NarrowScratch { touch, mesh_mesh, mesh_solid, samplers, join, spare_points, .. } = scratch;
    match job.kind {
        PairKind::Convex => convex::run(job, settings.margin, out),
        PairKind::Surfaces(both) => {
            let input = (&Surfaces::new(both, &job.frame), batch.leaf_pairs_of(job));
            let scratch = (touch, mesh_mesh);
            mesh_mesh::run(job, input, settings, memory, scratch, samplers, out);
        }
        PairKind::MeshSolid { mesh, surface, primitive } => {
            let pair = MeshSolid { mesh, surface, primitive, frame: &job.frame };
            let buffers = (mesh_solid, spare_points);
            mesh_solid::run(job, pair, batch.leaves_of(job), settings, buffers, (samplers, join), out);
        }
    }
    if !matches!(job.kind, PairKind::Surfaces(_)) {
        out.sum_patches();
    }
    if settings.patch_samples > 0 {
        contact_region::sample(job, settings, out);
    }
    memory.end(&job.frame, &scratch.samplers);
    memory.note_sampled(false);
    out.counts += scratch.samplers.counts();
    span.record("patches", out.patches.len());
    span.record("views", out.counts.views);
    span.record("fragments", out.counts.fragments);
    span.record("columns", out.counts.columns);
}

/// As [`run`], with views that were sampled elsewhere where these show what is asked. What is told of the overlaps between
/// their lines is asked of the surfaces; where that does not do, and of what they do not show, views are taken here
/// ([`NarrowCounts::views`](crate::NarrowCounts::views)).
pub fn run_in_views(
    job: &PairJob<'_>,
    batch: &CandidateBatch<'_>,
    settings: &NarrowSettings,
    memory: &mut NarrowMemory,
    scratch: &mut NarrowScratch,
    views: Vec<ViewIntervals>,
    out: &mut PairResult,
) {
    scratch.samplers.sampled.give(views);
    run(job, batch, settings, memory, scratch, out);
    scratch.samplers.sampled.clear();
}

/// The views in which a mesh and a primitive without triangles are to be sampled for [`run_in_views`], which knows them by their
/// numbers in this list ([`SampledView::Kept`](crate::SampledView::Kept)). `None` of other jobs, and where nothing of the mesh
/// touches; no views where lines say nothing, of an open mesh or of what is inside the other, and of a resolution above 32.
pub fn solid_views(
    job: &PairJob<'_>,
    batch: &CandidateBatch<'_>,
    settings: &NarrowSettings,
    scratch: &mut NarrowScratch,
) -> Option<Vec<View>> {
    let PairKind::MeshSolid { mesh, surface, primitive } = job.kind else { return None };
    let pair = MeshSolid { mesh, surface, primitive, frame: &job.frame };
    mesh_solid::views(job, pair, batch.leaves_of(job), settings, &mut scratch.mesh_solid)
}

/// Whether the parts of a job touch: the same answer as [`PairResult::touching`] of [`run`], without views,
/// patches or contours, and only up to the first pair of triangles that meets.
pub fn touches(job: &PairJob<'_>, batch: &CandidateBatch<'_>, scratch: &mut NarrowScratch) -> bool {
    match job.kind {
        PairKind::Convex => convex_contact(job.parts, &job.frame, 0.0).touching,
        PairKind::Surfaces(both) => {
            let leaf_pairs = LeafPairs::Listed(batch.leaf_pairs_of(job));
            surfaces_touch(&Surfaces::new(both, &job.frame), leaf_pairs, &mut scratch.touch)
        }
        PairKind::MeshSolid { mesh, surface, primitive } => {
            MeshSolid { mesh, surface, primitive, frame: &job.frame }.touches_in(batch.leaves_of(job))
        }
    }
}

/// Whether two parts touch, as [`touches`] says it, without a job: their trees are searched, and no more of them than
/// up to the first place that is found. Surfaces are first looked at where they met `last`.
pub fn parts_touch(
    parts: [&Part; 2],
    frame: &PairFrame,
    last: &mut LastHit,
    scratch: &mut NarrowScratch,
) -> bool {
    touch::parts_touch(parts, frame, last, &mut scratch.touch)
}

/// Whether the first free shift of the second part along a direction (unit, pair frame) is longer than `least` and shorter than `most` (m): how deep
/// two parts are that are about as deep in each other as that. `false` of convex solids, and where a part bounds no volume.
pub fn is_as_deep(
    parts: [&Part; 2],
    frame: &PairFrame,
    direction: &Vector3<f64>,
    [least, most]: [f64; 2],
    scratch: &mut NarrowScratch,
) -> bool {
    let shift = |both: Swept<'_>| both.shift(direction, least, most, &mut scratch.samplers.clearance);
    Swept::of(parts, frame).and_then(shift).is_some_and(|found| least < found.length && found.length < most)
}

/// The intersection volume of the bodies of a job; `None` where one of them bounds no volume, or a volume is of convex
/// solids for which none is known.
pub fn intersection_volume(
    job: &PairJob<'_>,
    batch: &CandidateBatch<'_>,
    settings: &NarrowSettings,
    scratch: &mut NarrowScratch,
) -> Option<IntersectionVolume> {
    match job.kind {
        PairKind::Surfaces(both) => {
            let input = Surfaces::new(both, &job.frame);
            let NarrowScratch { touch, mesh_mesh, samplers, join, .. } = scratch;
            let leaf_pairs = batch.leaf_pairs_of(job);
            intersection_volume::of_surfaces(
                job,
                &input,
                leaf_pairs,
                settings,
                (touch, mesh_mesh),
                (samplers, join),
            )
        }
        PairKind::Convex | PairKind::MeshSolid { .. } => {
            let mut found = PairResult::default();
            let settings = &NarrowSettings { patch_samples: 0, ..*settings };
            run(job, batch, settings, &mut NarrowMemory::default(), scratch, &mut found);
            let error = match job.kind {
                PairKind::Convex => convex::volume_error(job),
                _ if !found.touching => 0.0,
                _ => f64::INFINITY,
            };
            IntersectionVolume::of_patches(&found, error)
        }
    }
}
