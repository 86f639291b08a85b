//! Patches of contact regions.

use impinge_exact::translation::Clearance;
use impinge_geometry::Side;
use nalgebra::{Point3, Vector3};

use super::candidates::{Across, PointCandidate};
use super::exact::{ContactRegion, RegionScratch};
use super::lines::Length;
use super::pair_overlaps::PairOverlaps;
use crate::patch::{Patch, PatchOrigin, PatchPoint};
use crate::patches::{halfway, pressure_center};
use crate::penetration::SeparatingTranslation;

/// Points within this part of a patch's depth are as deep as the patch.
const SAME_DEPTH: f64 = 0.003;

/// Finds the contact points of some triangles along a normal: their places, and which of them are corners. `overlaps`: the names
/// of the overlaps that the candidates come from, in rising order. The deepest point is at least as deep as any line says.
pub(super) fn find_points(
    crossing: &PairOverlaps<'_>,
    overlaps: &[u32],
    (normal, middle): (&Vector3<f64>, Point3<f64>),
    triangles: [&[u32]; 2],
    (candidates, lines): (&mut super::candidates::Candidates, &mut super::lines::Lines),
    (points, corners): (&mut Vec<PatchPoint>, &mut Vec<u32>),
) {
    let across = Across::new(normal, &crossing.surfaces.frame.rotation[Side::A.index()], middle);
    candidates.gather(crossing, overlaps, &across);
    lines.find(crossing, &across, &candidates.list, triangles);
    points.clear();
    corners.clear();
    for (candidate, length) in candidates.list.iter().zip(&lines.lengths) {
        // No overlap beside a place of the rim: it is known for itself.
        let touch = Length { enters_b: candidate.height, leaves_a: candidate.height };
        let Some(length) = length.or(candidate.vertex_of.is_none().then_some(touch)) else { continue };
        if candidate.is_corner {
            corners.push(points.len() as u32);
        }
        points.push(point(candidate, &length, &across));
    }
}

/// Returns the point of a candidate with the overlap on its line.
fn point(candidate: &PointCandidate, length: &Length, across: &Across) -> PatchPoint {
    let [on_a, on_b] = [length.leaves_a, length.enters_b].map(|z| across.place(&candidate.at, z));
    let depth = length.leaves_a - length.enters_b;
    PatchPoint { on_a, on_b, depth, weight: 0.0, key: candidate.key }
}

/// Returns the point where B leaves A last when it moves along a normal.
fn last_point(normal: &Vector3<f64>, own: &Clearance) -> PatchPoint {
    let [on_a, on_b] = own.points;
    let half = normal * (0.5 * (own.length - (on_a - on_b).dot(normal)));
    let key = own.triangles.map_or(0, |[a, b]| u64::from(a) << 24 ^ u64::from(b));
    PatchPoint {
        on_a: on_a + half,
        on_b: on_b - half,
        depth: own.length,
        weight: 0.0,
        key: 0xfffb << 48 | key & 0xffff_ffff_ffff,
    }
}

/// Makes the points of a patch say no more than its depth, and at least one of them all of it.
fn agree(normal: &Vector3<f64>, depth: f64, last: Option<PatchPoint>, points: &mut Vec<PatchPoint>) {
    let set_depth = |point: &mut PatchPoint| {
        let half = normal * (0.5 * (point.depth - depth));
        (point.on_a, point.on_b, point.depth) = (point.on_a - half, point.on_b + half, depth);
    };
    points.iter_mut().filter(|point| point.depth > depth).for_each(set_depth);
    let mut deepest: Option<&mut PatchPoint> = None;
    for point in points.iter_mut() {
        if deepest.as_ref().is_none_or(|best| point.depth > best.depth) {
            deepest = Some(point);
        }
    }
    match deepest.filter(|point| point.depth >= (1.0 - SAME_DEPTH) * depth) {
        Some(point) => set_depth(point),
        None => points.extend(last),
    }
}

/// Returns the patch of a region along its own normal.
pub(super) fn of_region(region: &ContactRegion) -> Option<Patch> {
    let (normal, shift) = (region.normal?, region.shift?);
    let mut points = region.points.clone();
    agree(
        &normal,
        shift.length,
        Some(last_point(&normal, &shift)).filter(|_| shift.normal.is_some()),
        &mut points,
    );
    let sums = (region.volume, region.centroid, region.gradient, region.torque);
    Some(finish(normal, shift.length, sums, points, region.corners.clone()))
}

/// Returns the patch of all regions along one translation.
pub(super) fn of_translation(
    crossing: &PairOverlaps<'_>,
    scratch: &mut RegionScratch,
    found: &SeparatingTranslation,
) -> Option<Patch> {
    let volume: f64 = scratch.list.iter().map(|region| region.volume).sum();
    let moment: Vector3<f64> = scratch.list.iter().map(|region| region.centroid.coords * region.volume).sum();
    let first = scratch.list.first()?.centroid;
    let centroid = if volume > 0.0 { Point3::from(moment / volume) } else { first };
    let (mut points, mut corners) = (Vec::new(), Vec::new());
    let mut overlaps: Vec<u32> = scratch.list.iter().map(|region| region.overlap).collect();
    overlaps.sort_unstable();
    overlaps.dedup();
    let RegionScratch { candidates, lines, triangles, .. } = scratch;
    find_points(
        crossing,
        &overlaps,
        (&found.normal, centroid),
        [&triangles[0], &triangles[1]],
        (candidates, lines),
        (&mut points, &mut corners),
    );
    let last = found.ends.map(|points| {
        let own = Clearance { length: found.length, normal: None, triangles: None, points };
        last_point(&found.normal, &own)
    });
    agree(&found.normal, found.length, last, &mut points);
    if points.is_empty() {
        let half = found.normal * (0.5 * found.length);
        let (on_a, on_b) = (centroid + half, centroid - half);
        points.push(PatchPoint { on_a, on_b, depth: found.length, weight: 0.0, key: 0xfffb << 48 });
    }
    let gradient = found.normal * if found.length > 0.0 { volume / found.length } else { 0.0 };
    let sums = (volume, centroid, gradient, centroid.coords.cross(&gradient));
    let mut patch = finish(found.normal, found.length, sums, points, corners);
    patch.pressure_center = centroid;
    Some(patch)
}

/// A patch with shares of its area for its points.
fn finish(
    normal: Vector3<f64>,
    depth: f64,
    (volume, centroid, gradient, torque): (f64, Point3<f64>, Vector3<f64>, Vector3<f64>),
    mut points: Vec<PatchPoint>,
    corners: Vec<u32>,
) -> Patch {
    let weight = gradient.norm() / points.len().max(1) as f64;
    points.iter_mut().for_each(|point| point.weight = weight);
    Patch {
        normal,
        depth,
        volume,
        gradient,
        torque,
        centroid,
        pressure_center: pressure_center(&gradient, &torque, &centroid),
        radius: points.iter().map(|p| (halfway(p) - centroid).norm_squared()).fold(0.0, f64::max).sqrt(),
        points,
        corners,
        sectors: Vec::new(),
        origin: PatchOrigin::OverlapIntervals,
        region: None,
    }
}
