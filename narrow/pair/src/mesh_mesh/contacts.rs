//! Two surfaces of triangles.

use impinge_midphase::PairJob;

use super::contour_view::ContourViews;
use super::intersection::SurfaceIntersection;
use super::volumes;
use crate::memory::NarrowMemory;
use crate::overlap;
use crate::patch::{PairResult, Patch};
use crate::patches::{ExactVolume, FeatureKind, Features, InteriorVertices, Join};
use crate::penetration;
use crate::sampler::Samplers;
use crate::scene::Scene;
use crate::settings::NarrowSettings;
use crate::speculative::{self, MarginScratch};
use crate::touch::TouchScratch;
use impinge_exact::containment::containment;
use impinge_exact::contour::{self, ContourScratch, Contours};
use impinge_exact::intersect::{self, Surfaces};
use impinge_geometry::Containment;

/// Buffers of this room: nothing is allocated for views once they are warm.
#[derive(Debug, Default)]
pub(crate) struct MeshMeshScratch {
    pub contour: ContourScratch,
    pub contours: Contours,
    pub features: Features,
    pub interior: InteriorVertices,
    views: ContourViews,
    margin: MarginScratch,
}

/// Patches of two surfaces: by their contours, and by the minimum translation where one is in the other.
pub(crate) fn run(
    job: &PairJob<'_>,
    (input, leaf_pairs): (&Surfaces<'_>, &[[u32; 2]]),
    settings: &NarrowSettings,
    memory: &mut NarrowMemory,
    (touch, scratch): (&mut TouchScratch, &mut MeshMeshScratch),
    (samplers, join): (&mut Samplers, &mut Join),
    out: &mut PairResult,
) {
    let Some(scene) = Scene::new(job, [false; 2], settings) else { return };
    let MeshMeshScratch { contour, contours, features, interior, views, margin } = scratch;
    let TouchScratch { intersect, intersections, containment: inside, .. } = touch;
    intersect::intersect_surfaces(input, leaf_pairs, intersect, intersections);
    out.counts.triangle_tests = intersections.counts.triangle_tests;
    out.counts.degenerate = intersections.counts.degenerate;
    out.triangle_pairs = settings.count_triangle_pairs.then_some(intersections.triangle_pairs);
    out.containment = containment(input, intersections, inside);
    out.touching = intersections.touching || out.containment != Containment::None;
    contour::assemble(intersections, contour, contours);
    if out.touching {
        interior.run(input, (intersections, contours), out.containment, false);
    }
    if intersections.touching {
        features.gather(intersections, contours, interior, scene.least);
        views.begin(features);
        let intersection = SurfaceIntersection { found: intersections, contours, features, interior };
        for cluster in 0..features.clusters() {
            if !touches_from_inside(&intersection, cluster, scene.least) {
                views.cluster(&scene, &intersection, cluster, memory, samplers, &mut out.patches);
            }
        }
    }
    if out.containment != Containment::None && scene.both_closed() {
        let known = intersections.touching.then_some(&*features);
        let before = out.patches.len();
        overlap::patches(&scene, known, samplers, join, &mut out.patches);
        if interior.has_volumes() {
            volumes::of_contained(interior, before, &mut out.patches);
        }
    }
    let known = (scene.both_closed() && interior.has_volumes()).then_some(&*interior);
    if let Some(interior) = known.filter(|_| intersections.touching) {
        volumes::of_unclaimed(interior, views, &mut out.patches);
    }
    if scene.both_closed() && scene.allow_shorter {
        penetration::pair_mtv(&scene, &mut out.patches, samplers);
    }
    if out.touching && out.patches.is_empty() {
        out.patches.push(overlap::last_resort(&scene));
    }
    if settings.margin > 0.0 && out.containment == Containment::None {
        speculative::surfaces(input, settings.margin, out.touching, margin, &mut out.patches);
    }
    out.volume = scene.both_closed().then(|| match known {
        Some(interior) if out.touching => ExactVolume::of(interior.overlaps()).volume,
        _ => out.patches.iter().map(|p: &Patch| p.volume).sum(),
    });
}

/// Whether a cluster is no more than a wall that a body inside the other touches: what is inside leaves by another way.
fn touches_from_inside(intersection: &SurfaceIntersection<'_>, cluster: usize, slack: f64) -> bool {
    let SurfaceIntersection { features, interior, .. } = *intersection;
    let members = &features.members[features.cluster_members(cluster)];
    interior.contained().any(|overlap| {
        let [low, high] = overlap.aabb;
        members.iter().all(|&m| {
            let feature = &features.list[m as usize];
            let inside = |k: usize| {
                low[k] - slack <= feature.extent.min[k] && feature.extent.max[k] <= high[k] + slack
            };
            !matches!(feature.kind, FeatureKind::Loop(_)) && (0..3).all(inside)
        })
    })
}
