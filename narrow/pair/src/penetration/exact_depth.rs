//! The exact depth of one patch: that of the first free shift along its own normal, which its points are corrected by.

use impinge_exact::translation::Clearance;
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
    let found = last_point(&patch.normal, &own);
    let normal = patch.normal;
    let reach = tunables::SHARPENED_REACH * spacing(patch);
    let deepest = patch.points.iter_mut().reduce(|p, q| if q.depth > p.depth { q } else { p });
    if let Some(point) = deepest.filter(|p| aside(&normal, p, &found) < reach) {
        *point = PatchPoint { weight: point.weight, key: point.key, ..found };
        patch.depth = own.length;
        return true;
    }
    own.length <= (1.0 + tunables::LEAST_DEPTH_GAIN) * patch.depth
}

/// The first free shift along a normal that [`sharpen`] has found, where it is as long as a depth (m), or by so little more that
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
    if own.length <= (1.0 + tunables::LEAST_DEPTH_GAIN) * patch.depth {
        return;
    }
    let found = last_point(&patch.normal, own);
    let (normal, beside) = (patch.normal, tunables::BESIDE_POINTS * own.length);
    let near = beside.max(tunables::RAISED_REACH * spacing(patch));
    let across = halfway(&found) - patch.centroid;
    let is_inside = (across - normal * across.dot(&normal)).norm() <= patch.radius + beside;
    let nearest =
        patch.points.iter_mut().map(|p| (aside(&normal, p, &found), p)).min_by(|p, q| p.0.total_cmp(&q.0));
    if let Some((distance, point)) = nearest
        && distance < near
    {
        *point = PatchPoint { weight: point.weight, key: point.key, ..found };
        patch.depth = own.length;
    } else if own.length > tunables::LEANING_TIP * patch.depth && is_inside {
        take(patch, own);
    }
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
