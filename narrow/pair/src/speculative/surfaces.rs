//! The margin of two surfaces of triangles.

use crate::tunables;
use impinge_geometry::FacesRef;
use nalgebra::Vector3;

use super::gather::{MarginScratch, NearPair};
use super::outline::witness_key;
use super::region::{GapRegion, is_covered, surround};
use crate::patch::Patch;
use impinge_exact::distance::{Separation, separation, triangle_gap};
use impinge_exact::intersect::Surfaces;

/// Adds what two surfaces give within `margin` (m). Where they are apart: patches of gaps. Where they
/// touch, and `patches` are those of their overlaps: to these the points around that are nearly in
/// contact, and patches for places that face each other another way.
pub(crate) fn surfaces(
    input: &Surfaces<'_>,
    margin: f64,
    touching: bool,
    scratch: &mut MarginScratch,
    patches: &mut Vec<Patch>,
) {
    scratch.find(input, margin);
    let before = patches.len();
    if touching {
        surround(patches, |region| scratch.gather(input, 0.0, margin, region));
    } else if let Some(found) = nearest(input, margin, scratch) {
        let normal = clear_normal(input, &found, margin, scratch);
        patches.extend(patch(input, normal, &found, margin, scratch));
    } else {
        return;
    }
    let seeds = seeds(input, margin, scratch, patches);
    for found in &seeds {
        if patches.len() < before + tunables::GAP_PATCHES && !is_covered(&found.normal, patches) {
            patches.extend(patch(input, found.normal, found, margin, scratch));
        }
    }
}

/// The nearest points of triangles that face each other in a way that no patch has, the nearest first.
fn seeds(input: &Surfaces<'_>, margin: f64, scratch: &MarginScratch, patches: &[Patch]) -> Vec<Separation> {
    let closed = input.meshes.map(FacesRef::is_closed);
    let mut seeds = Vec::new();
    for near in &scratch.near {
        // The axis is rough: what it throws out is clearly out.
        let rough = |least: f64| least - 0.05;
        if is_covered(&(near.axis * (1.0 - 0.05)), patches)
            || !near.faces(&near.axis, closed, rough(tunables::OTHER_DIRECTION))
        {
            continue;
        }
        let found = separation(input.meshes, input.frame, near.triangles);
        seeds.extend(found.filter(|found| {
            found.distance <= margin
                && near.faces(&found.normal, closed, tunables::OTHER_DIRECTION)
                && !is_covered(&found.normal, patches)
        }));
    }
    // Ties by place, which does not depend on which body is A.
    let place = |s: &Separation| nalgebra::center(&s.points[0], &s.points[1]);
    seeds.sort_by(|s, t| {
        let (p, q) = (place(s), place(t));
        let by_place = p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)).then(p.z.total_cmp(&q.z));
        s.distance.total_cmp(&t.distance).then(by_place)
    });
    seeds
}

/// The nearest points of the near pairs, if not farther apart than the margin.
fn nearest(input: &Surfaces<'_>, margin: f64, scratch: &MarginScratch) -> Option<Separation> {
    let mut order: Vec<&NearPair> = scratch.near.iter().collect();
    order.sort_unstable_by(|p, q| p.least.total_cmp(&q.least).then(p.triangles.cmp(&q.triangles)));
    let mut best: Option<(f64, [u32; 2])> = None;
    for near in order {
        if best.is_some_and(|(d, _)| f64::from(near.least) > d) {
            break;
        }
        let [a, b] = scratch.corners(near);
        let distance = triangle_gap(&a, &b).squared.sqrt();
        if distance <= margin && best.is_none_or(|(d, _)| distance < d) {
            best = Some((distance, near.triangles));
        }
    }
    separation(input.meshes, input.frame, best?.1)
}

/// The normal of the patch around the nearest points: their line, unless that stands aslant between
/// faces that look at each other (a box stacked on one of its own size, a little turned): then theirs, if
/// they are as near along it.
fn clear_normal(
    input: &Surfaces<'_>,
    found: &Separation,
    margin: f64,
    scratch: &mut MarginScratch,
) -> Vector3<f64> {
    let closed = input.meshes.map(FacesRef::is_closed);
    let opposed = |near: &&NearPair| near.normals[0].dot(&near.normals[1]).abs() > tunables::GAP_FACE_ANGLE;
    if scratch
        .near
        .iter()
        .filter(opposed)
        .any(|near| near.faces(&found.normal, closed, tunables::GAP_FACE_ANGLE))
    {
        return found.normal;
    }
    let mut best = (0.0, found.normal);
    let mut tried: Vec<Vector3<f64>> = Vec::new();
    for at in 0..scratch.near.len() {
        let near = &scratch.near[at];
        if !opposed(&near) {
            continue;
        }
        let along = |n: Vector3<f64>| if n.dot(&found.normal) < 0.0 { -n } else { n };
        let normal = (along(near.normals[0]) + along(near.normals[1])).normalize();
        let known = tried.iter().any(|n| n.dot(&normal) > tunables::GAP_FACE_ANGLE);
        if known
            || normal.dot(&found.normal) < tunables::GAP_FACE_REACH
            || !near.faces(&normal, closed, tunables::GAP_FACE_ANGLE)
        {
            continue;
        }
        tried.push(normal);
        let mut region = GapRegion::new(normal, found.points[0]);
        scratch.gather(input, 0.0, margin, &mut region);
        let gap = -region.points.iter().map(|p| p.depth).fold(f64::NEG_INFINITY, f64::max);
        if region.area > best.0 && gap <= tunables::GAP_FACE_LENGTH * found.distance {
            best = (region.area, normal);
        }
        if tried.len() >= tunables::GAP_PATCHES {
            break;
        }
    }
    best.1
}

/// The patch of gaps along a normal around the nearest points.
fn patch(
    input: &Surfaces<'_>,
    normal: Vector3<f64>,
    found: &Separation,
    margin: f64,
    scratch: &mut MarginScratch,
) -> Option<Patch> {
    let mut region = GapRegion::new(normal, found.points[0]);
    scratch.gather(input, 0.0, margin, &mut region);
    let nearest = region.points.iter().map(|p| p.depth).fold(f64::NEG_INFINITY, f64::max);
    let along = normal.dot(&found.normal);
    // The nearest points themselves, where they are opposite each other along the normal and no corner of
    // the region is as near.
    if nearest < -found.distance * (1.0 + 1e-6) && along > 1.0 - 1e-6 {
        let [(at, from), (_, to)] = [0, 1].map(|k| region.locate(&found.points[k]));
        let [a, b] = found.triangles.map(Option::unwrap_or_default);
        region.add(at, [from, to], 0.0, witness_key(a, b));
    }
    region.patch(least_area(margin))
}

/// The area of what has none, an edge or a corner (m²).
pub(super) fn least_area(margin: f64) -> f64 {
    (1e-3 * margin) * (1e-3 * margin)
}
