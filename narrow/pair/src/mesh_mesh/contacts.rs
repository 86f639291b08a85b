//! Two surfaces of triangles.

use impinge_midphase::PairJob;

use super::contour_view::ContourViews;
use super::height_map::HeightMaps;
use super::intersection::{SurfaceIntersection, Total};
use crate::memory::NarrowMemory;
use crate::overlap;
use crate::patch::{PairResult, Patch};
use crate::patches::{ExactVolume, Features, InteriorVertices, OverlapBuffers, share_out};
use crate::penetration::{self, DeepMtv};
use crate::regions::{self, PairOverlaps, RegionScratch, is_exact};
use crate::sampler::Samplers;
use crate::scene::Scene;
use crate::settings::{NarrowMethod, NarrowSettings};
use crate::speculative::{self, MarginScratch};
use crate::tunables;
use impinge_exact::Refilled;
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
    pub contours: Refilled<Contours>,
    pub features: Refilled<Features>,
    pub interior: Refilled<InteriorVertices>,
    pub overlaps: OverlapBuffers,
    regions: RegionScratch,
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
    let MeshMeshScratch { contour, contours, features, interior, overlaps, regions, views, maps, margin } =
        scratch;
    let TouchScratch { intersect, intersections, containment: inside, .. } = touch;
    let intersections =
        intersections.fill(|out| intersect::intersect_surfaces(input, leaf_pairs, intersect, out));
    out.counts.triangle_tests = intersections.counts.triangle_tests;
    out.counts.degenerate = intersections.counts.degenerate;
    out.triangle_pairs = settings.count_triangle_pairs.then_some(intersections.triangle_pairs);
    out.containment = containment(input, intersections, inside);
    out.touching = intersections.touching || out.containment != Containment::None;
    let contours = out.touching.then(|| contours.fill(|out| contour::assemble(intersections, contour, out)));
    if let Some(contours) = contours
        && settings.method == NarrowMethod::HeightMap
    {
        let found = (intersections, contours);
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
    let exact =
        contours.and_then(|contours| overlaps.find(input, (intersections, contours), out.containment, false));
    let crossing = contours.filter(|_| intersections.touching);
    let asks_regions = settings.exact_regions && out.containment == Containment::None;
    let by_regions = crossing.zip(exact).filter(|_| asks_regions).is_some_and(|(contours, exact)| {
        let crossing = PairOverlaps { surfaces: input, found: intersections, contours, exact };
        is_exact(&scene, &crossing)
            && regions::contacts(&scene, &crossing, regions, samplers, &mut out.patches)
    });
    let crossing = crossing.filter(|_| !by_regions);
    // Bodies deep in each other get one patch, whatever views would show.
    let deep =
        crossing.zip(exact).filter(|_| out.containment == Containment::None).and_then(|(contours, exact)| {
            let own = contours.loops.iter().filter(|contour| !contour.is_virtual());
            let gradients: Vec<Vector3<f64>> = own.map(|contour| contour.gradient).collect();
            penetration::deep_mtv(&scene, &exact, &gradients, samplers)
        });
    let (patch, least) = match deep {
        Some(DeepMtv::Patch(patch)) => (Some(patch), None),
        Some(DeepMtv::Least(least)) => (None, Some(least)),
        None => (None, None),
    };
    let shallow = patch.is_none() && !by_regions;
    out.patches.extend(patch);
    let intersection = crossing.filter(|_| shallow).map(|contours| {
        let interior = interior.fill(|out| out.run(input, intersections, contours));
        let features = features.fill(|out| out.gather(intersections, contours, interior, scene.least));
        SurfaceIntersection { found: intersections, contours, features, interior, exact }
    });
    let is_cut = intersection.is_some_and(|intersection| {
        let mut views = views.begin(&scene, intersection.features);
        for cluster in 0..intersection.features.clusters() {
            views.cluster(&scene, &intersection, cluster, memory, samplers, &mut out.patches);
        }
        views.is_cut()
    });
    // Contacts in a corner are each separated by themselves: a body is held by floor and wall.
    let held = is_cut && out.patches.iter().all(|patch| is_shallow(&scene, patch));
    if scene.both_closed() {
        if let Some(exact) = exact.as_ref().filter(|_| !by_regions) {
            share_out(exact, false, &mut out.patches);
        }
        let all = intersection.iter().flat_map(|intersection| &intersection.features.list);
        let gradients: Vec<Vector3<f64>> =
            all.map(|feature| feature.gradient).filter(|g| *g != Vector3::zeros()).collect();
        if out.containment != Containment::None {
            if let Some(found) = penetration::contained_mtv(&scene, &gradients, &out.patches, samplers) {
                out.patches.clear();
                out.patches.push(found);
            }
        } else if shallow && !penetration::unclamp(&scene, &gradients, &mut out.patches, samplers) && !held {
            penetration::pair_mtv(&scene, (&gradients, least), &mut out.patches, samplers);
        }
    }
    if out.touching && out.patches.is_empty() {
        out.patches.push(overlap::last_resort(&scene));
    }
    let exact = exact.filter(|_| scene.both_closed());
    if let Some(exact) = exact.as_ref().filter(|_| !by_regions) {
        share_out(exact, out.containment != Containment::None, &mut out.patches);
    }
    if settings.margin > 0.0 && out.containment == Containment::None {
        speculative::surfaces(input, settings.margin, out.touching, margin, &mut out.patches);
    }
    // Of faces in one plane features count what the sum over the surfaces leaves to ties.
    let total = intersection
        .filter(|_| scene.both_closed())
        .map(|own| Total::of(own.features, 0..own.features.list.len() as u32));
    match (total, exact) {
        (Some(total), _) => (out.gradient, out.torque) = (total.gradient, total.torque),
        (None, Some(exact)) => {
            let all = ExactVolume::of(exact.list());
            (out.gradient, out.torque) = (all.gradient, all.torque);
        }
        (None, None) => out.sum_patches(),
    }
    out.volume = scene.both_closed().then(|| match exact {
        Some(exact) => ExactVolume::of(exact.list()).volume,
        None => out.patches.iter().map(|p: &Patch| p.volume).sum(),
    });
}

/// Whether a patch is thin, and shallow for the bodies.
fn is_shallow(scene: &Scene<'_>, patch: &Patch) -> bool {
    let thin = patch.depth <= tunables::PAIR_THICKNESS * patch.gradient.norm().sqrt();
    thin && patch.depth <= tunables::CORNER_DEPTH * scene.radius
}
