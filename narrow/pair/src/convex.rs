//! Two primitives or hulls: the contact of convex solids as a pair's answer.

use impinge_convex::{ConvexContact, ConvexPoint, ConvexRegion, convex_contact};
use impinge_geometry::{Containment, Primitive};
use impinge_midphase::{PairJob, Solid};

use crate::overlap::{self, overlaps, patch_of};
use crate::patch::{PairResult, Patch, PatchOrigin, PatchPoint};
use crate::patches::Join;
use crate::sampler::Samplers;
use crate::scene::Scene;
use crate::settings::NarrowSettings;

/// Answers a pair of convex solids; with a `margin` (m) also where they are apart by no more.
pub(crate) fn run(job: &PairJob<'_>, margin: f64, out: &mut PairResult) {
    let ConvexContact { touching, containment, volume, region } =
        convex_contact(job.parts, &job.frame, margin);
    (out.touching, out.containment, out.volume) = (touching, containment, volume);
    out.triangle_pairs = None;
    out.patches.clear();
    out.patches.extend(region.map(Patch::from));
}

/// No more than this is the volume off that two convex solids are said to share (m³): places are right to 1e-9 of their
/// size, over an area of no more than a sphere's round the smaller.
pub(crate) fn volume_error(job: &PairJob<'_>) -> f64 {
    let [a, b] = job.parts.map(|part| f64::from(part.sphere.radius));
    let radius = a.min(b);
    16.0 * 1e-9 * radius * radius * radius
}

/// Two primitives or hulls through columns; `out` holds their contact as convex solids.
pub(crate) fn run_through_columns(
    job: &PairJob<'_>,
    settings: &NarrowSettings,
    (samplers, join): (&mut Samplers, &mut Join),
    out: &mut PairResult,
) {
    // What two half-spaces share has no end, and no region to look at.
    if job.parts.iter().all(|part| part.solid == Solid::Primitive(Primitive::HalfSpace)) {
        return;
    }
    if !out.touching {
        out.volume = Some(0.0);
        return;
    }
    let Some(scene) = Scene::new(job, [true; 2], settings) else { return };
    let region = scene.whole;
    let mut patches = Vec::new();
    for found in overlaps(&scene, &region, samplers, join) {
        if out.containment == Containment::None {
            patch_of(&scene, &region.axes, &found, samplers, &mut patches);
        } else {
            patches.extend(overlap::way_out(&scene, &region, &found, samplers));
        }
    }
    // Solids that only touch have no columns: there the convex contact stays.
    if !patches.is_empty() {
        out.patches = patches;
        out.volume = Some(out.patches.iter().map(|p| p.volume).sum());
    }
}

impl From<ConvexRegion> for Patch {
    fn from(region: ConvexRegion) -> Patch {
        let point = |p: ConvexPoint| PatchPoint {
            on_a: p.on_a,
            on_b: p.on_b,
            depth: p.depth,
            weight: p.weight,
            key: p.key,
        };
        Patch {
            normal: region.normal,
            depth: region.depth,
            volume: region.volume,
            gradient: region.gradient,
            torque: region.torque,
            centroid: region.centroid,
            pressure_center: region.pressure_center,
            radius: region.radius,
            points: region.points.into_iter().map(point).collect(),
            corners: Vec::new(),
            sectors: Vec::new(),
            origin: PatchOrigin::Convex,
            region: None,
        }
    }
}
