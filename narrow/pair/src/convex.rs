//! Two primitives or hulls: the contact of convex solids as a pair's answer.

use impinge_convex::{ConvexContact, ConvexPoint, ConvexRegion, convex_contact};
use impinge_midphase::PairJob;

use crate::patch::{PairResult, Patch, PatchOrigin, PatchPoint};

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
