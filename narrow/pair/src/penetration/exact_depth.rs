//! The exact depth of one patch: that of the first free shift along its own normal, which its points are corrected by.

use impinge_exact::translation::{Clearance, clearance_of_triangles};
use nalgebra::Vector3;

use crate::patch::{Patch, PatchPoint};
use crate::patches::halfway;
use crate::sampler::Samplers;
use crate::scene::Scene;
use crate::tunables;

/// Gives the deepest point of a patch that a few lines have sampled the exact depth of its place, as a closer look along the
/// normal would. `false` where another overlap is in the way, so that it is not known.
pub(crate) fn sharpen(scene: &Scene<'_>, patch: &mut Patch, samplers: &mut Samplers) -> bool {
    let Some(both) = scene.swept.filter(|_| patch.depth > 0.0) else { return false };
    let limit = tunables::OWN_LENGTH * patch.depth;
    let own = both.shift(&patch.normal, patch.depth, limit, &mut samplers.clearance);
    let Some(own) = own.filter(|own| own.length < limit) else { return false };
    samplers.free_shifts.push((patch.normal, own));
    note_leaning(patch, &own, samplers);
    correct(patch, &own) || !is_deeper(patch, &own)
}

/// As [`sharpen`], of a shallow patch that is all that the bodies overlap in, where the first free shift is found by what holds B and ends
/// square to the normal. A patch that is hardly deeper than its points say stays as it is, so that they are the same ones from step to step.
/// `likely`: triangles, of A and of B, that may be what B passes last.
pub(crate) fn sharpen_alone(
    scene: &Scene<'_>,
    patch: &mut Patch,
    likely: [u32; 2],
    samplers: &mut Samplers,
) -> bool {
    let Some(both) = scene.swept.filter(|_| is_shallow(scene, patch.depth)) else { return false };
    let range = [patch.depth, tunables::SHALLOW_LENGTH * patch.depth];
    let likely = [likely, samplers.last_ends.unwrap_or(likely)];
    let own = both.shift_by_hits(&patch.normal, range, &likely, &mut samplers.offset_test);
    let Some(own) = own.filter(|own| own.length < range[1]) else { return false };
    samplers.free_shifts.push((patch.normal, own));
    note_leaning(patch, &own, samplers);
    let deeper = is_deeper(patch, &own);
    let beyond = own.length > tunables::OWN_LENGTH * patch.depth || !is_square(&own, &patch.normal);
    let near = tunables::RAISED_REACH * spacing(patch);
    !deeper || !beyond && (correct(patch, &own) || correct_nearest(patch, &own, near))
}

/// Where along a patch's normal the triangles of B that bound its overlap are past those of A; others are not asked.
pub(crate) fn passed(
    scene: &Scene<'_>,
    patch: &Patch,
    triangles: [&[u32]; 2],
    samplers: &mut Samplers,
) -> Option<Clearance> {
    let both = scene.surfaces.filter(|_| patch.depth > 0.0)?;
    Some(clearance_of_triangles(&both, &patch.normal, patch.depth, triangles, &mut samplers.triangles))
}

/// Whether a shift is clearly longer than a patch is deep.
fn is_deeper(patch: &Patch, own: &Clearance) -> bool {
    own.length > (1.0 + tunables::LEAST_DEPTH_GAIN) * patch.depth
}

/// Notes the normal of a patch along which another direction may be shorter than its own shift.
fn note_leaning(patch: &Patch, own: &Clearance, samplers: &mut Samplers) {
    if is_deeper(patch, own) && !is_square(own, &patch.normal) {
        samplers.leaning.push(patch.normal);
    }
}

/// Gives a patch the depth that its own triangles have; one that is hardly deeper than its points say stays as it is. `false` where they
/// part beside it.
pub(crate) fn sharpen_by(patch: &mut Patch, own: &Clearance, samplers: &mut Samplers) -> bool {
    note_leaning(patch, own, samplers);
    let near = tunables::RAISED_REACH * spacing(patch);
    if !is_deeper(patch, own) || correct_nearest(patch, own, near) {
        return true;
    }
    let is_beside = is_inside(patch, own);
    if is_beside {
        take(patch, own);
    }
    is_beside
}

/// Puts the deepest point of a patch where B leaves A last, if that is beside it.
fn correct(patch: &mut Patch, own: &Clearance) -> bool {
    let found = last_point(&patch.normal, own);
    let normal = patch.normal;
    let reach = tunables::SHARPENED_REACH * spacing(patch);
    let deepest = patch.points.iter_mut().reduce(|p, q| if q.depth > p.depth { q } else { p });
    let Some(point) = deepest.filter(|p| aside(&normal, p, &found) < reach) else { return false };
    *point = PatchPoint { weight: point.weight, key: point.key, ..found };
    patch.depth = own.length;
    true
}

/// Puts the point of a patch that is nearest to where B leaves A last there, if that is nearer than `reach` (m).
fn correct_nearest(patch: &mut Patch, own: &Clearance, reach: f64) -> bool {
    let found = last_point(&patch.normal, own);
    let normal = patch.normal;
    let nearest =
        patch.points.iter_mut().map(|p| (aside(&normal, p, &found), p)).min_by(|p, q| p.0.total_cmp(&q.0));
    let Some((_, point)) = nearest.filter(|(distance, _)| *distance < reach) else { return false };
    *point = PatchPoint { weight: point.weight, key: point.key, ..found };
    patch.depth = own.length;
    true
}

/// Whether contacts this deep (m) keep the normal that their area says, which neighbours across a seam count on.
pub(super) fn is_shallow(scene: &Scene<'_>, depth: f64) -> bool {
    depth > 0.0 && depth < tunables::PAIR_PATCHES_DEPTH * scene.radius
}

/// Whether a translation ends about square to what it passes last: then none beside it is clearly shorter.
pub(super) fn is_square(own: &Clearance, normal: &Vector3<f64>) -> bool {
    own.normal.is_none_or(|end| end.dot(normal) > tunables::SQUARE_END)
}

/// The first free shift along a normal that is known from a patch's depth, where it is at least as long as a depth (m).
pub(super) fn longer_shift(normal: &Vector3<f64>, depth: f64, samplers: &Samplers) -> Option<Clearance> {
    let of_it = |(along, own): &&(Vector3<f64>, Clearance)| along == normal && own.length >= depth;
    samplers.free_shifts.iter().find(of_it).map(|(_, own)| *own)
}

/// The first free shift along a normal that is known from a patch's depth, where it is as long as a depth (m), or by so little more that
/// [`raise`] would leave the depth as it is.
pub(super) fn known_shift(normal: &Vector3<f64>, depth: f64, samplers: &Samplers) -> Option<Clearance> {
    let as_deep = depth..=(1.0 + tunables::LEAST_DEPTH_GAIN) * depth;
    let of_it = |(along, own): &&(Vector3<f64>, Clearance)| along == normal && as_deep.contains(&own.length);
    samplers.free_shifts.iter().find(of_it).map(|(_, own)| *own)
}

/// Gives a patch the depth that it proves to have, at the place where B leaves A last.
pub(super) fn take(patch: &mut Patch, own: &Clearance) {
    let found = last_point(&patch.normal, own);
    // No point of it is deeper than that.
    for point in patch.points.iter_mut().filter(|point| point.depth > own.length) {
        let half = patch.normal * (0.5 * (point.depth - own.length));
        (point.on_a, point.on_b, point.depth) = (point.on_a - half, point.on_b + half, own.length);
    }
    patch.depth = own.length;
    if patch.points.iter().any(|point| point.depth >= own.length * (1.0 - tunables::LEAST_DEPTH_GAIN)) {
        return;
    }
    let (normal, reach) = (patch.normal, spacing(patch));
    let nearest =
        patch.points.iter_mut().map(|p| (aside(&normal, p, &found), p)).min_by(|p, q| p.0.total_cmp(&q.0));
    match nearest {
        Some((distance, near)) if distance < reach => {
            *near = PatchPoint { weight: near.weight, key: near.key, ..found };
        }
        _ => {
            let key = patch.points.iter().map(|p| p.key).max().map_or(0, |key| key.wrapping_add(1));
            patch.points.push(PatchPoint { key, ..found });
        }
    }
}

/// Gives a shallow patch the depth that it proves to have where that is clearly more than what its points say: edges cross
/// between the columns of a view, and a leaning tip is left after no column is. Otherwise it stays as it is, and its
/// points are the same ones from step to step.
pub(super) fn raise(patch: &mut Patch, own: &Clearance) {
    if !is_deeper(patch, own) {
        return;
    }
    let near = (tunables::BESIDE_POINTS * own.length).max(tunables::RAISED_REACH * spacing(patch));
    let is_tip = own.length > tunables::LEANING_TIP * patch.depth && is_inside(patch, own);
    if !correct_nearest(patch, own, near) && is_tip {
        take(patch, own);
    }
}

/// Whether B leaves A last within a patch's points, or right beside them.
fn is_inside(patch: &Patch, own: &Clearance) -> bool {
    let across = halfway(&last_point(&patch.normal, own)) - patch.centroid;
    let across = across - patch.normal * across.dot(&patch.normal);
    across.norm() <= patch.radius + tunables::BESIDE_POINTS * own.length
}

/// Where B leaves A last, as a point of the patch.
fn last_point(normal: &Vector3<f64>, own: &Clearance) -> PatchPoint {
    let [on_a, on_b] = own.points;
    let half = normal * (0.5 * (own.length - (on_a - on_b).dot(normal)));
    PatchPoint { on_a: on_a + half, on_b: on_b - half, depth: own.length, weight: 0.0, key: u64::MAX }
}

/// How far two points are apart across a normal (m).
fn aside(normal: &Vector3<f64>, p: &PatchPoint, q: &PatchPoint) -> f64 {
    let across = halfway(p) - halfway(q);
    (across - normal * across.dot(normal)).norm()
}

/// About how far the points of a patch are apart (m).
fn spacing(patch: &Patch) -> f64 {
    patch.radius / (patch.points.len() as f64).sqrt()
}
