//! Two surfaces of triangles.

use impinge_midphase::PairJob;

use super::contour_view::ContourViews;
use super::intersection::Evidence;
use crate::memory::NarrowMemory;
use crate::overlap;
use crate::patch::{PairResult, Patch};
use crate::patches::{Flood, Join, Pieces};
use crate::penetration;
use crate::sampler::Eyes;
use crate::scene::Scene;
use crate::settings::NarrowSettings;
use crate::speculative::{self, MarginScratch};
use crate::touch::TouchScratch;
use impinge_exact::containment::containment;
use impinge_exact::contour::{self, ContourScratch, Contours};
use impinge_exact::intersect::{self as stream, Surfaces};
use impinge_geometry::Containment;

/// Buffers of this room: nothing is allocated for views once they are warm.
#[derive(Debug, Default)]
pub(crate) struct MeshMeshScratch {
    pub contour: ContourScratch,
    pub contours: Contours,
    pub pieces: Pieces,
    pub flood: Flood,
    views: ContourViews,
    margin: MarginScratch,
}

/// Patches of two surfaces: by their contours, and by the least way out where one is in the other.
pub(crate) fn run(
    job: &PairJob<'_>,
    input: &Surfaces<'_>,
    leaf_pairs: &[[u32; 2]],
    settings: &NarrowSettings,
    memory: &mut NarrowMemory,
    (touch, scratch): (&mut TouchScratch, &mut MeshMeshScratch),
    (eyes, join): (&mut Eyes, &mut Join),
    out: &mut PairResult,
) {
    let Some(scene) = Scene::new(job, [false; 2], settings) else { return };
    let MeshMeshScratch { contour, contours, pieces, flood, views, margin } = scratch;
    let TouchScratch { stream, stream_out, containment: inside, .. } = touch;
    stream::run_surfaces(input, leaf_pairs, stream, stream_out);
    out.counts.triangle_tests = stream_out.counts.triangle_tests;
    out.counts.degenerate = stream_out.counts.degenerate;
    out.triangle_pairs = settings.count_triangle_pairs.then_some(stream_out.triangle_pairs);
    out.containment = containment(input, stream_out, inside);
    out.touching = stream_out.touching || out.containment != Containment::None;
    if stream_out.touching {
        contour::assemble(stream_out, contour, contours);
        flood.run(input, stream_out, contours);
        pieces.gather(stream_out, contours, flood, scene.least);
        views.begin(pieces);
        let evidence = Evidence { stream: stream_out, contours, pieces, flood };
        for cluster in 0..pieces.clusters() {
            views.cluster(&scene, &evidence, cluster, memory, eyes, &mut out.patches);
        }
    }
    if out.containment != Containment::None && scene.both_closed() {
        let known = stream_out.touching.then_some(&*pieces);
        overlap::patches(&scene, known, eyes, join, &mut out.patches);
    }
    if scene.both_closed() && scene.shorter_ways {
        penetration::judge(&scene, &mut out.patches, eyes);
    }
    if out.touching && out.patches.is_empty() {
        out.patches.push(overlap::last_resort(&scene));
    }
    if settings.margin > 0.0 && out.containment == Containment::None {
        speculative::surfaces(input, settings.margin, out.touching, margin, &mut out.patches);
    }
    out.volume = scene.both_closed().then(|| out.patches.iter().map(|p: &Patch| p.volume).sum());
}
