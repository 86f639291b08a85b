//! Two primitives or hulls: the contact of convex solids as a pair's answer.

use impinge_convex::{ConvexContact, ConvexPoint, ConvexRegion, convex_contact};
use impinge_midphase::PairJob;

use crate::patch::{PairResult, Patch, PatchOrigin, PatchPoint};

/// Answers a pair of convex solids; with a `margin` (m) also where they are apart by no more.
pub(super) fn run(job: &PairJob<'_>, margin: f64, out: &mut PairResult) {
    let ConvexContact { touching, containment, volume, region } =
        convex_contact(job.parts, &job.frame, margin);
    (out.touching, out.containment, out.volume) = (touching, containment, volume);
    out.triangle_pairs = None;
    out.patches.clear();
    out.patches.extend(region.map(Patch::from));
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
            origin: PatchOrigin::ClosedForm,
        }
    }
}
