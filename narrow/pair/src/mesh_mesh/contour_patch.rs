//! Patches without columns: corners, edges and crossings that are smaller than any lattice, and
//! crossings of surfaces that have no inside.

use crate::tunables;
use impinge_geometry::Side;
use nalgebra::{Point3, Vector3};

use super::intersection::{SurfaceIntersection, Total, each_segment};
use super::open_bounds;
use crate::patch::{Patch, PatchOrigin, PatchPoint};
use crate::patches::{FeatureKind, InteriorVertex, mean, pressure_center};
use crate::scene::Scene;
use impinge_image_space::view::Extent;

/// Two triangles that meet (m, pair frame), and what their intersection says about the normal.
struct TrianglePair {
    triangles: [u32; 2],
    corners: [[Point3<f64>; 3]; 2],
    normal: Option<Vector3<f64>>,
}

/// The patch of some features; `None` where they have no point. Of surfaces without an inside, none of its points is
/// beyond `bounds`.
pub(crate) fn patch(
    scene: &Scene<'_>,
    intersection: &SurfaceIntersection<'_>,
    members: &[u32],
    bounds: Option<&Extent>,
) -> Option<Patch> {
    let total = Total::of(intersection.features, members.iter().copied());
    let pairs = pairs(scene, intersection, members);
    let (normal, local) = match total.normal().filter(|_| total.has_area(scene.least)) {
        Some(normal) => (normal, None),
        None => {
            let (normal, depth) = feature_normal(&pairs)?;
            (normal, Some(depth))
        }
    };
    // Two surfaces without an inside have no depth but that of their triangles where they cross.
    let depth = match local {
        Some(depth) if !scene.both_closed() => depth.clamp(0.0, total.extent.longest()),
        _ => 0.0,
    };
    let area = total.gradient.norm();
    let mut points = inside_points(scene, intersection, members, &normal);
    if let Some(extent) = bounds {
        points.retain(|p| open_bounds::holds(extent, &p.on_a) && open_bounds::holds(extent, &p.on_b));
    }
    if points.is_empty() {
        for (at, key) in places(intersection, members) {
            let depth = bounds.map_or(depth, |extent| depth.min(2.0 * room(extent, &at, &normal)));
            let half = normal * (0.5 * depth);
            points.push(PatchPoint { on_a: at + half, on_b: at - half, depth, weight: 0.0, key });
        }
    }
    let depth = points.iter().map(|p| p.depth).fold(0.0, f64::max);
    let weight = area / points.len() as f64;
    points.iter_mut().for_each(|p| p.weight = weight);
    let centroid = mean(&points)?;
    let loops =
        members.iter().any(|&m| matches!(intersection.features.list[m as usize].kind, FeatureKind::Loop(_)));
    let mut found = Patch {
        normal,
        depth,
        // Of a wedge or a cone it would be a half or a third of the prism over its area.
        volume: if scene.both_closed() { 0.5 * depth * area } else { 0.0 },
        gradient: total.gradient,
        torque: total.torque,
        centroid,
        pressure_center: pressure_center(&total.gradient, &total.torque, &centroid),
        radius: points.iter().map(|p| (p.on_a - centroid).norm()).fold(0.0, f64::max),
        points,
        corners: Vec::new(),
        sectors: Vec::new(),
        origin: if loops { PatchOrigin::Contour } else { PatchOrigin::Touch },
        region: None,
    };
    if bounds.is_some_and(|extent| !open_bounds::holds(extent, &found.pressure_center)) {
        found.pressure_center = centroid;
    }
    Some(found)
}

/// How far a box reaches from a point in it, along a direction and against it (m).
fn room(extent: &Extent, at: &Point3<f64>, direction: &Vector3<f64>) -> f64 {
    let along = |k: usize| (at[k] - extent.min[k]).min(extent.max[k] - at[k]).max(0.0) / direction[k].abs();
    (0..3).filter(|&k| direction[k] != 0.0).map(along).fold(f64::INFINITY, f64::min)
}

/// The vertices inside the other body in the overlaps of the features, at most [`tunables::CONTOUR_PATCH_POINTS`], evenly picked
/// and the deepest among them: where each one's line along the normal meets the other surface is told
/// by the contour's face that is nearest to it.
fn inside_points(
    scene: &Scene<'_>,
    intersection: &SurfaceIntersection<'_>,
    members: &[u32],
    normal: &Vector3<f64>,
) -> Vec<PatchPoint> {
    let mut rims: Vec<(Point3<f64>, [u32; 2])> = Vec::new();
    let mut components: Vec<u32> = Vec::new();
    for &m in members {
        let feature = &intersection.features.list[m as usize];
        let (FeatureKind::Loop(index), Some(component)) = (feature.kind, feature.component) else { continue };
        components.push(component);
        let contour = &intersection.contours.loops[index as usize];
        let segments = intersection.contours.segments(contour, intersection.found);
        rims.extend(segments.map(|s| (nalgebra::center(&s.points[0], &s.points[1]), s.triangles)));
    }
    let step = rims.len().div_ceil(tunables::CONTOUR_PATCH_RIM).max(1);
    let rims: Vec<_> = rims.into_iter().step_by(step).collect();
    let own: Vec<&InteriorVertex> = intersection
        .interior
        .inside
        .iter()
        .filter(|i| components.contains(&intersection.interior.of(i.contour)))
        .collect();
    let step = own.len().div_ceil(8 * tunables::CONTOUR_PATCH_POINTS).max(1);
    let mut points: Vec<PatchPoint> =
        own.iter().step_by(step).filter_map(|i| inside_point(scene, i, &rims, normal)).collect();
    if points.len() > tunables::CONTOUR_PATCH_POINTS {
        points.sort_by(|a, b| b.depth.total_cmp(&a.depth).then(a.key.cmp(&b.key)));
        let step = points.len().div_ceil(tunables::CONTOUR_PATCH_POINTS);
        points = points.into_iter().step_by(step).collect();
    }
    points
}

fn inside_point(
    scene: &Scene<'_>,
    inside: &InteriorVertex,
    rims: &[(Point3<f64>, [u32; 2])],
    normal: &Vector3<f64>,
) -> Option<PatchPoint> {
    let at = scene.vertex(inside.side, inside.vertex)?;
    let aside = |p: &Point3<f64>| {
        let d = p - at;
        d.norm_squared() - d.dot(normal) * d.dot(normal)
    };
    let (rim, triangles) = rims.iter().min_by(|a, b| aside(&a.0).total_cmp(&aside(&b.0)))?;
    let other = inside.side.other();
    let face = scene.facet_normal(other, triangles[other.index()])?;
    let slope = face.dot(normal);
    // Along a face that stands steeply to the normal, its height says nothing.
    let height = if slope.abs() > 0.3 { (rim - at).dot(&face) / slope } else { (rim - at).dot(normal) };
    let beyond = at + normal * height;
    let (on_a, on_b) = if inside.side == Side::A { (at, beyond) } else { (beyond, at) };
    let depth = (on_a - on_b).dot(normal);
    (depth >= 0.0).then_some(PatchPoint { on_a, on_b, depth, weight: 0.0, key: inside.key() })
}

/// Places where the features are, evenly picked, each once, with a key made of the triangles.
fn places(intersection: &SurfaceIntersection<'_>, members: &[u32]) -> Vec<(Point3<f64>, u64)> {
    let mut all: Vec<(Point3<f64>, u64)> = Vec::new();
    for &m in members {
        each_segment(intersection, m, |p, q| {
            for at in [p, q] {
                all.push((*at, 0));
            }
        });
    }
    all.sort_by(|a, b| a.0.x.total_cmp(&b.0.x).then(a.0.y.total_cmp(&b.0.y)).then(a.0.z.total_cmp(&b.0.z)));
    all.dedup_by(|a, b| a.0 == b.0);
    let step = all.len().div_ceil(tunables::CONTOUR_PATCH_POINTS).max(1);
    let mut picked: Vec<_> = all.into_iter().step_by(step).collect();
    for (k, place) in picked.iter_mut().enumerate() {
        place.1 = 0xffff << 48 | k as u64;
    }
    picked
}

/// The triangle pairs of the features, at most [`tunables::CONTOUR_PATCH_PAIRS`].
fn pairs(scene: &Scene<'_>, intersection: &SurfaceIntersection<'_>, members: &[u32]) -> Vec<TrianglePair> {
    let mut list = Vec::new();
    let mut add = |triangles: [u32; 2], normal: Option<Vector3<f64>>| {
        if list.len() < tunables::CONTOUR_PATCH_PAIRS
            && let [Some(a), Some(b)] = Side::BOTH.map(|s| scene.corners(s, triangles[s.index()]))
        {
            list.push(TrianglePair { triangles, corners: [a, b], normal });
        }
    };
    for &m in members {
        match intersection.features.list[m as usize].kind {
            FeatureKind::Loop(index) => {
                let contour = &intersection.contours.loops[index as usize];
                intersection
                    .contours
                    .segments(contour, intersection.found)
                    .for_each(|s| add(s.triangles, None));
            }
            FeatureKind::Face(index) | FeatureKind::Touch(index) => {
                let pair = &intersection.found.degenerate[index as usize];
                add(pair.triangles, Some(pair.normal));
            }
        }
    }
    list.sort_by_key(|m| m.triangles);
    list
}

/// The direction along which the triangles that meet are apart, or nearly so, and by how much they
/// are not (m): the mean of the best among the facets' normals, those of their intersection, and the common
/// perpendiculars of edges.
fn feature_normal(pairs: &[TrianglePair]) -> Option<(Vector3<f64>, f64)> {
    let size = pairs.iter().flat_map(|m| &m.corners).map(|c| (c[1] - c[0]).norm().max((c[2] - c[0]).norm()));
    let tolerance = 1e-9 * size.fold(0.0, f64::max);
    let mut candidates: Vec<Vector3<f64>> = Vec::new();
    for m in pairs {
        let [a, b] = m.corners.map(|c| (c[1] - c[0]).cross(&(c[2] - c[0])).try_normalize(0.0));
        [a, b.map(|n| -n)].into_iter().flatten().for_each(|n| add(&mut candidates, n));
    }
    let of_facets = best(pairs, &candidates, tolerance)?;
    if of_facets.1 <= tolerance {
        return Some(of_facets);
    }
    pairs.iter().filter_map(|m| m.normal).for_each(|n| add(&mut candidates, n));
    for m in pairs.iter().take(4) {
        for i in 0..3 {
            for j in 0..3 {
                let edge = |s: usize, k: usize| m.corners[s][(k + 1) % 3] - m.corners[s][k];
                if let Some(n) = edge(0, i).cross(&edge(1, j)).try_normalize(0.0) {
                    add(&mut candidates, n);
                    add(&mut candidates, -n);
                }
            }
        }
    }
    best(pairs, &candidates, tolerance)
}

/// Adds a direction that is not among them.
fn add(candidates: &mut Vec<Vector3<f64>>, n: Vector3<f64>) {
    if candidates.iter().all(|c| c.dot(&n) < 1.0 - 1e-9) {
        candidates.push(n);
    }
}

/// The mean of the candidates with the least overlap, and that overlap.
fn best(pairs: &[TrianglePair], candidates: &[Vector3<f64>], tolerance: f64) -> Option<(Vector3<f64>, f64)> {
    let judged: Vec<f64> = candidates.iter().map(|n| overlap(pairs, n)).collect();
    let least = judged.iter().copied().fold(f64::INFINITY, f64::min);
    let sum: Vector3<f64> = candidates
        .iter()
        .zip(&judged)
        .filter(|(_, depth)| **depth <= least + tolerance)
        .map(|(n, _)| n)
        .sum();
    let mean = sum.try_normalize(1e-6).filter(|n| overlap(pairs, n) <= least + tolerance);
    let first = candidates.iter().zip(&judged).find(|(_, depth)| **depth <= least).map(|(n, _)| *n);
    mean.or(first).map(|n| (n, least))
}

/// How far B's triangles have to move along `n` until no pair that meets does (m).
fn overlap(pairs: &[TrianglePair], n: &Vector3<f64>) -> f64 {
    let one = |m: &TrianglePair| {
        let along = |c: &[Point3<f64>; 3]| c.map(|p| n.dot(&p.coords));
        let (a, b) = (along(&m.corners[0]), along(&m.corners[1]));
        a[0].max(a[1]).max(a[2]) - b[0].min(b[1]).min(b[2])
    };
    pairs.iter().map(one).fold(f64::NEG_INFINITY, f64::max)
}
