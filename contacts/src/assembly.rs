//! Patches of a pair become manifolds.

use std::borrow::Cow;
use std::sync::Arc;

use impinge_geometry::{ColliderId, PairFrame, Side};
use impinge_pair::{ContactPatch, PairResult, Patch, PatchPoint};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::merge::merge;
use crate::persistence::Persistence;
use crate::reduction::reduce_after;
use crate::sectors::{SectorManifold, SectorPoint, sector_manifolds};
use crate::{ContactCounts, ContactMemory, ContactPoint, ContactSettings, Impulse, Manifold, ReducedPoint};

/// Where a pair of subshapes stands and whose they are.
#[derive(Clone, Copy, Debug)]
pub struct PairPlacement<'f> {
    /// The colliders A and B.
    pub colliders: [ColliderId; 2],
    /// The frame of the pair of subshapes, as the midphase gave it.
    pub frame: &'f PairFrame,
    /// The pose of each subshape in its collider's frame. (Points are carried to the colliders' frames
    /// through these, not through the world, so that they do not depend on the world's origin.)
    pub subshape_poses: [Isometry3<f64>; 2],
    /// Sum of both colliders' contact tolerances (m). Overlaps not deeper are dropped; 0 drops none.
    pub tolerance: f64,
}

/// Appends the manifolds of a pair of subshapes to `out`, deepest first (ties in the order of the patches),
/// and returns what was counted. Where there are more patches than manifolds may be, those whose
/// normals agree (within 5°) are merged first. With a tolerance of 0 a pair that has patches has a manifold.
pub fn manifolds(
    result: &PairResult,
    placement: &PairPlacement<'_>,
    settings: &ContactSettings,
    out: &mut Vec<Manifold>,
) -> ContactCounts {
    manifolds_after(&ContactMemory::default(), result, placement, settings, out)
}

/// As [`manifolds`]; where the points that the last step chose are still good, they are chosen again, so
/// that a body at rest keeps its points.
pub fn manifolds_after(
    memory: &ContactMemory,
    result: &PairResult,
    placement: &PairPlacement<'_>,
    settings: &ContactSettings,
    out: &mut Vec<Manifold>,
) -> ContactCounts {
    let mut counts = ContactCounts { patches: result.patches.len() as u64, ..ContactCounts::default() };
    let mut kept: Vec<&Patch> = Vec::with_capacity(result.patches.len());
    for patch in &result.patches {
        counts.candidates += patch.points.len() as u64;
        // A gap smaller than the margin is no overlap to be dropped.
        if placement.tolerance > 0.0 && (0.0..=placement.tolerance).contains(&patch.depth) {
            counts.below_tolerance += 1;
        } else {
            kept.push(patch);
        }
    }
    kept.sort_by(|p, q| q.depth.total_cmp(&p.depth));
    let most = settings.max_manifolds.max(1);
    let few = kept.len() <= most;
    let mut kept = if few { kept.into_iter().map(Cow::Borrowed).collect() } else { merge(&kept) };
    counts.merged = counts.patches - counts.below_tolerance - kept.len() as u64;
    counts.over_limit = kept.len().saturating_sub(most) as u64;
    kept.truncate(most);
    let (mut reduced, mut held) = (Vec::with_capacity(4), Vec::with_capacity(4));
    let mut persistence = Persistence::new(memory, result.part_indices, placement);
    let first = out.len();
    let mut sectors = Vec::new();
    for patch in &kept {
        if settings.max_points >= 4 && settings.max_manifolds >= 3 {
            sector_manifolds(patch, &mut sectors);
        }
        let before = out.len();
        if sectors.is_empty() {
            let merged = matches!(patch, Cow::Owned(_));
            persistence.find(patch, &mut held);
            reduce_after(patch, settings.max_points, merged, &held, &mut reduced);
            let points: Vec<_> = reduced.iter().map(|r| placement.point(patch, r)).collect();
            out.push(placement.manifold(patch, points, result.part_indices));
        } else {
            let whole = sectors.drain(..).enumerate();
            out.extend(whole.map(|(nth, own)| placement.sector(patch, &own, nth == 0, result.part_indices)));
        }
        for at in before..out.len() {
            let (known, own) = out.split_at_mut(at);
            dedup_keys(&mut own[0].points, &known[first..]);
            counts.manifolds += 1;
            counts.points += own[0].points.len() as u64;
        }
    }
    // Sectors are less deep than their patch, but for one.
    out[first..].sort_by(|p, q| q.depth.total_cmp(&p.depth));
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
    fn sector(&self, patch: &Patch, own: &SectorManifold, first: bool, subshapes: [u32; 2]) -> Manifold {
        let point = |p: &SectorPoint| self.at(&p.candidate, p.weight, p.tilt);
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
            points: own.points.iter().map(point).collect(),
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

    fn local(&self, side: Side, p: &Point3<f64>) -> Point3<f32> {
        (self.subshape_poses[side.index()] * self.frame.to_local(side, p)).cast()
    }

    /// Where a point of a collider (m, its frame) is in the pair frame (m).
    pub(crate) fn place(&self, side: Side, local: &Point3<f32>) -> Point3<f64> {
        let of_subshape = self.subshape_poses[side.index()].inverse_transform_point(&local.cast());
        self.frame.place_f64(side, &of_subshape)
    }
}
