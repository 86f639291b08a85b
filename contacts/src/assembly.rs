//! Patches of a pair become manifolds.

use std::sync::Arc;

use impinge_geometry::Side;
use impinge_pair::{ContactPatch, PairResult, Patch, PatchPoint};
use nalgebra::Vector3;

use crate::reduction::reduce_after;
use crate::sectors::SectorManifold;
use crate::{
    ContactCounts, ContactMemory, ContactPoint, ContactScratch, ContactSettings, Impulse, Manifold,
    PairPlacement, ReducedPoint,
};

/// Appends the manifolds of a pair of subshapes to `out`, deepest first (ties in the order of the patches),
/// and returns what was counted. Where there are more patches than manifolds may be, those whose
/// normals agree (within 5°) are merged first. With a tolerance of 0 a pair that has patches has a manifold.
pub fn manifolds(
    result: &PairResult,
    placement: &PairPlacement<'_>,
    settings: &ContactSettings,
    out: &mut Vec<Manifold>,
) -> ContactCounts {
    let mut scratch = ContactScratch::default();
    manifolds_after(&ContactMemory::default(), result, placement, settings, &mut scratch, out)
}

/// As [`manifolds`]; where the points that the last step chose are still good, they are chosen again, so
/// that a body at rest keeps its points. Buffers are used again, and so are the points' lists of manifolds that `scratch` has cleared.
pub fn manifolds_after(
    memory: &ContactMemory,
    result: &PairResult,
    placement: &PairPlacement<'_>,
    settings: &ContactSettings,
    scratch: &mut ContactScratch,
    out: &mut Vec<Manifold>,
) -> ContactCounts {
    let ContactScratch { kept, reduction, reduced, persistence, held, sectors, spare, .. } = scratch;
    let patches = &result.patches[..];
    let mut counts = ContactCounts { patches: patches.len() as u64, ..ContactCounts::default() };
    counts.candidates = patches.iter().map(|patch| patch.points.len() as u64).sum();
    // A gap smaller than the margin is no overlap to be dropped.
    let tolerated =
        |patch: &Patch| placement.tolerance > 0.0 && (0.0..=placement.tolerance).contains(&patch.depth);
    kept.sort(patches, |patch| !tolerated(patch));
    counts.below_tolerance = counts.patches - kept.len() as u64;
    let most = settings.max_manifolds.max(1);
    if kept.len() > most {
        kept.merge(patches, most);
    }
    counts.merged = counts.patches - counts.below_tolerance - kept.len() as u64;
    counts.over_limit = kept.len().saturating_sub(most) as u64;
    kept.truncate(most);
    persistence.begin(memory.manifolds(result.part_indices), placement);
    let first = out.len();
    let winds = settings.max_points >= 4 && settings.max_manifolds >= 3;
    for (patch, merged) in kept.iter(patches) {
        sectors.find(patch, winds);
        let before = out.len();
        if sectors.manifolds.is_empty() {
            persistence.find(patch, held);
            reduce_after(patch, settings.max_points, merged, held, reduction, reduced);
            let mut points = spare.take();
            points.extend(reduced.iter().map(|r| placement.point(patch, r)));
            out.push(placement.manifold(patch, points, result.part_indices));
        } else {
            out.extend(sectors.manifolds.iter().enumerate().map(|(nth, own)| {
                let mut points = spare.take();
                points
                    .extend(sectors.points(own).iter().map(|p| placement.at(&p.candidate, p.weight, p.tilt)));
                placement.sector(patch, own, points, nth == 0, result.part_indices)
            }));
        }
        for at in before..out.len() {
            let (known, own) = out.split_at_mut(at);
            dedup_keys(&mut own[0].points, &known[first..]);
            counts.manifolds += 1;
            counts.points += own[0].points.len() as u64;
        }
    }
    // Sectors are less deep than their patch, but for one. (The sort may ask for memory.)
    let own = &mut out[first..];
    if !own.is_sorted_by(|p, q| q.depth.total_cmp(&p.depth).is_le()) {
        own.sort_by(|p, q| q.depth.total_cmp(&p.depth));
    }
    counts
}

/// Moves each key that another point of the pair already has to the next free one: views that are not kept
/// number their pixels alike.
fn dedup_keys(points: &mut [ContactPoint], others: &[Manifold]) {
    for k in 0..points.len() {
        let (known, rest) = points.split_at_mut(k);
        let taken = |key: u64| {
            let mut all = known.iter().chain(others.iter().flat_map(|m| &m.points));
            all.any(|p| p.key == key)
        };
        let point = &mut rest[0];
        while taken(point.key) {
            point.key = point.key.wrapping_add(1);
        }
    }
}

impl PairPlacement<'_> {
    fn point(&self, patch: &Patch, reduced: &ReducedPoint) -> ContactPoint {
        self.at(&patch.points[reduced.index as usize], reduced.weight, reduced.tilt)
    }

    fn manifold(&self, patch: &Patch, points: Vec<ContactPoint>, subshapes: [u32; 2]) -> Manifold {
        Manifold {
            colliders: self.colliders,
            subshapes,
            normal: patch.normal,
            depth: patch.depth,
            volume: patch.volume,
            area: patch.gradient.norm(),
            force: patch.gradient,
            moment: patch.torque - patch.centroid.coords.cross(&patch.gradient),
            centroid: self.frame.to_world(&patch.centroid),
            points,
            origin: patch.origin,
            material: None,
            patch: patch.region.as_deref().map(|region| self.in_world(region)),
        }
    }

    /// One of the manifolds of a patch with sectors; the first of them has the patch's region.
    fn sector(
        &self,
        patch: &Patch,
        own: &SectorManifold,
        points: Vec<ContactPoint>,
        first: bool,
        subshapes: [u32; 2],
    ) -> Manifold {
        Manifold {
            colliders: self.colliders,
            subshapes,
            normal: own.normal,
            depth: own.depth,
            volume: patch.volume * own.share,
            area: own.force.norm(),
            force: own.force,
            moment: own.torque - own.centroid.coords.cross(&own.force),
            centroid: self.frame.to_world(&own.centroid),
            points,
            origin: patch.origin,
            material: None,
            patch: patch.region.as_deref().filter(|_| first).map(|region| self.in_world(region)),
        }
    }

    fn at(&self, candidate: &PatchPoint, weight: f64, tilt: Vector3<f64>) -> ContactPoint {
        let middle = nalgebra::center(&candidate.on_a, &candidate.on_b);
        ContactPoint {
            position: self.frame.to_world(&middle),
            local_a: self.local(Side::A, &candidate.on_a),
            local_b: self.local(Side::B, &candidate.on_b),
            depth: candidate.depth,
            weight,
            tilt,
            key: candidate.key,
            feature: candidate.key,
            impulse: Impulse::default(),
        }
    }

    fn in_world(&self, region: &ContactPatch) -> Arc<ContactPatch> {
        Arc::new(region.moved(&self.frame.origin.coords))
    }
}
