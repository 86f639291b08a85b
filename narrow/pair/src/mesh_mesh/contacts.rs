//! Two surfaces of triangles.

use impinge_midphase::PairJob;

use super::contour_view::ContourViews;
use super::height_map::HeightMaps;
use super::intersection::{SurfaceIntersection, Total};
use crate::memory::NarrowMemory;
use crate::overlap;
use crate::patch::{PairResult, Patch};
use crate::patches::{ExactOverlaps, ExactVolume, Features, InteriorVertices, share_out};
use crate::penetration::{self, DeepMtv};
use crate::sampler::Samplers;
use crate::scene::Scene;
use crate::settings::{NarrowMethod, NarrowSettings};
use crate::speculative::{self, MarginScratch};
use crate::tunables;
use impinge_exact::containment::containment;
use impinge_exact::contour::{self, ContourScratch, Contours};
use impinge_exact::intersect::{self, Surfaces};
use impinge_exact::touch::TouchScratch;
use impinge_geometry::Containment;
use nalgebra::Vector3;

/// Buffers of this room: nothing is allocated for views once they are warm.
#[derive(Debug, Default)]
pub(crate) struct MeshMeshScratch {
    pub contour: ContourScratch,
    pub contours: Contours,
    pub features: Features,
    pub interior: InteriorVertices,
    pub exact: ExactOverlaps,
    views: ContourViews,
    maps: HeightMaps,
    pub(super) margin: MarginScratch,
}

/// Patches of two surfaces: by their contours, and by the minimum translation where one is in the other.
pub(crate) fn run(
    job: &PairJob<'_>,
    (input, leaf_pairs): (&Surfaces<'_>, &[[u32; 2]]),
    settings: &NarrowSettings,
    memory: &mut NarrowMemory,
    (touch, scratch): (&mut TouchScratch, &mut MeshMeshScratch),
    samplers: &mut Samplers,
    out: &mut PairResult,
) {
    let Some(scene) = Scene::new(job, [false; 2], settings) else { return };
    let MeshMeshScratch { contour, contours, features, interior, exact, views, maps, margin } = scratch;
    let TouchScratch { intersect, intersections, containment: inside, .. } = touch;
    intersect::intersect_surfaces(input, leaf_pairs, intersect, intersections);
    out.counts.triangle_tests = intersections.counts.triangle_tests;
    out.counts.degenerate = intersections.counts.degenerate;
    out.triangle_pairs = settings.count_triangle_pairs.then_some(intersections.triangle_pairs);
    out.containment = containment(input, intersections, inside);
    out.touching = intersections.touching || out.containment != Containment::None;
    if out.touching {
        contour::assemble(intersections, contour, contours);
        if settings.method == NarrowMethod::HeightMap {
            let found = (&*intersections, &*contours);
            if maps.run(&scene, found, out.containment, memory, samplers, &mut out.patches) {
                out.counts.height_maps = 1;
                out.sum_patches();
                out.volume = Some(out.patches.iter().map(|patch| patch.volume).sum());
                if settings.margin > 0.0 {
                    speculative::surfaces(input, settings.margin, true, margin, &mut out.patches);
                }
                return;
            }
            out.counts.past_height_maps = 1;
        }
        exact.run(input, (intersections, contours), out.containment, false);
    }
    // Bodies deep in each other get one patch, whatever views would show.
    let deep = (intersections.touching && out.containment == Containment::None && scene.allow_shorter)
        .then(|| {
            let own = contours.loops.iter().filter(|contour| !contour.is_virtual());
            let gradients: Vec<Vector3<f64>> = own.map(|contour| contour.gradient).collect();
            penetration::deep_mtv(&scene, exact, &gradients, samplers)
        })
        .flatten();
    let (patch, least) = match deep {
        Some(DeepMtv::Patch(patch)) => (Some(patch), None),
        Some(DeepMtv::Least(least)) => (None, Some(least)),
        None => (None, None),
    };
    let shallow = patch.is_none();
    out.patches.extend(patch);
    views.cut = false;
    if intersections.touching && shallow {
        interior.run(input, intersections, contours);
        features.gather(intersections, contours, interior, scene.least);
        views.begin(&scene, features);
        let intersection = SurfaceIntersection { found: intersections, contours, features, interior, exact };
        for cluster in 0..features.clusters() {
            views.cluster(&scene, &intersection, cluster, memory, samplers, &mut out.patches);
        }
    }
    // Contacts in a corner are each separated by themselves: a body is held by floor and wall.
    let held =
        intersections.touching && views.cut && out.patches.iter().all(|patch| is_shallow(&scene, patch));
    if scene.both_closed() {
        if out.touching {
            share_out(exact, false, &mut out.patches);
        }
        let gradients: Vec<Vector3<f64>> = if intersections.touching && shallow {
            features.list.iter().map(|feature| feature.gradient).filter(|g| *g != Vector3::zeros()).collect()
        } else {
            Vec::new()
        };
        if out.containment != Containment::None {
            if let Some(found) = penetration::contained_mtv(&scene, &gradients, &out.patches, samplers) {
                out.patches.clear();
                out.patches.push(found);
            }
        } else if scene.allow_shorter
            && shallow
            && !penetration::unclamp(&scene, &gradients, &mut out.patches, samplers)
            && !held
        {
            penetration::pair_mtv(&scene, (&gradients, least), &mut out.patches, samplers);
        }
    }
    if out.touching && out.patches.is_empty() {
        out.patches.push(overlap::last_resort(&scene));
    }
    if out.touching && scene.both_closed() {
        share_out(exact, out.containment != Containment::None, &mut out.patches);
    }
    if settings.margin > 0.0 && out.containment == Containment::None {
        speculative::surfaces(input, settings.margin, out.touching, margin, &mut out.patches);
    }
    // Of faces in one plane features count what the sum over the surfaces leaves to ties.
    let total = (intersections.touching && shallow && scene.both_closed())
        .then(|| Total::of(features, 0..features.list.len() as u32));
    match (total, exact.list().filter(|_| out.touching && scene.both_closed())) {
        (Some(total), _) => (out.gradient, out.torque) = (total.gradient, total.torque),
        (None, Some(overlaps)) => {
            let all = ExactVolume::of(overlaps);
            (out.gradient, out.torque) = (all.gradient, all.torque);
        }
        (None, None) => out.sum_patches(),
    }
    out.volume = scene.both_closed().then(|| match exact.list().filter(|_| out.touching) {
        Some(overlaps) => ExactVolume::of(overlaps).volume,
        None => out.patches.iter().map(|p: &Patch| p.volume).sum(),
    });
}

/// Whether a patch is thin, and shallow for the bodies.
fn is_shallow(scene: &Scene<'_>, patch: &Patch) -> bool {
    let thin = patch.depth <= tunables::PAIR_THICKNESS * patch.gradient.norm().sqrt();
    thin && patch.depth <= tunables::CORNER_DEPTH * scene.radius
}
