//! How far B has to move along a direction until it is free, as views show it.

use nalgebra::Vector3;

use crate::region::Region;
use crate::sampler::Sampler;
use crate::scene::Scene;
use impinge_image_space::layers::Ask;
use impinge_image_space::view::{Axes, Extent, View};

/// How far B has to move along a direction (m; infinite where nothing ends) until nothing in the region
/// or within `reach` (m) of it hinders it; the view and its obstacle, of all translations, stay in `sampler`.
pub(crate) fn measure(
    scene: &Scene<'_>,
    region: &Region,
    direction: &Vector3<f64>,
    reach: f64,
    count: u32,
    sampler: &mut Sampler,
) -> (View, f64) {
    let view = view_along(scene, region, direction, reach, count);
    let steps = sampler.sample_obstacle(scene, &view, Ask::All).separation(
        [0, 0],
        sign(&view, direction),
        0,
        i64::MAX,
    );
    (view, steps.map_or(f64::INFINITY, |steps| steps as f64 * view.step))
}

/// As [`measure`], of translations along the direction only, and infinite where the answer is longer than
/// `bound` (m): what some lines say is often enough to know.
pub(crate) fn within(
    scene: &Scene<'_>,
    region: &Region,
    direction: &Vector3<f64>,
    reach: f64,
    count: u32,
    bound: f64,
    sampler: &mut Sampler,
) -> (View, f64) {
    let view = view_along(scene, region, direction, reach, count);
    let sign = sign(&view, direction);
    // So many steps are longer than the bound, however they are rounded.
    let limit = if bound.is_finite() { (bound / view.step).floor() as i64 + 2 } else { i64::MAX };
    let few = match bound.is_finite() {
        true => sampler.sample_obstacle(scene, &view, Ask::Few).separation([0, 0], sign, 0, limit),
        false => Some(0),
    };
    let Some(from) = few else { return (view, f64::INFINITY) };
    let steps = sampler.sample_obstacle(scene, &view, Ask::Both).separation([0, 0], sign, from, limit);
    (view, steps.map_or(f64::INFINITY, |steps| steps as f64 * view.step))
}

/// A view along a direction of a region and what is within `reach` (m) beside it.
fn view_along(scene: &Scene<'_>, region: &Region, direction: &Vector3<f64>, reach: f64, count: u32) -> View {
    let axes = scene.along(direction);
    let mut seen = region.seen_along(&axes);
    for k in 0..2 {
        seen.min[k] -= reach;
        seen.max[k] += reach;
    }
    deep_view(scene, &axes, &seen, count)
}

/// 1 where the view looks along the direction, −1 where against it.
pub(crate) fn sign(view: &View, direction: &Vector3<f64>) -> i64 {
    view.axes.sign(direction) as i64
}

/// How far B has to move along a direction until nothing in a region hinders it (m); infinite where that
/// is farther than `bound` (m).
#[cfg(test)]
pub(crate) fn length(
    scene: &Scene<'_>,
    region: &Region,
    direction: &Vector3<f64>,
    bound: f64,
    sampler: &mut Sampler,
) -> f64 {
    within(scene, region, direction, 0.0, scene.coarse(), bound, sampler).1
}

/// A view of an extent with room for translations as long as the bodies are wide.
pub(crate) fn deep_view(scene: &Scene<'_>, axes: &Axes, seen: &Extent, count: u32) -> View {
    let depth = scene.least * 2f64.powi(24);
    View::of_extent(axes, seen, count, scene.least).with_depth(seen.min[2], seen.max[2], depth)
}
