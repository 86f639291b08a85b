//! Directions that a search for the least translation begins with.

use impinge_geometry::Side;
use nalgebra::Vector3;

use crate::patch::{Patch, deepest};
use crate::sampler::Samplers;
use crate::scene::Scene;
use crate::tunables;

/// Directions that the least translation may lie near: the contours', the patches', the line between the bodies, their own axes
/// and, `between` asked for, what lies between these. Not last step's: these are tried by themselves, and must not take the
/// place of others.
pub(crate) fn seeds(
    scene: &Scene<'_>,
    gradients: &[Vector3<f64>],
    patches: &[Patch],
    (between, samplers): (bool, &Samplers),
) -> Vec<Vector3<f64>> {
    let mut seeds: Vec<Vector3<f64>> = Vec::new();
    let first = scene.swept.map_or(Side::A, |both| both.first());
    for side in [first, first.other()] {
        let rotation = &scene.frame.rotation[side.index()];
        let away = if first == Side::A { 1.0 } else { -1.0 };
        // Along the axes, and between two of them and three.
        for code in (0..27).filter(|code| *code != 13) {
            let part = |k: u32| f64::from(code / 3u32.pow(k) % 3) - 1.0;
            let along = Vector3::new(part(0), part(1), part(2));
            if between || along.norm_squared() == 1.0 {
                seeds.extend((rotation * along * away).try_normalize(0.0));
            }
        }
    }
    let mut by_area: Vec<Vector3<f64>> = gradients.to_vec();
    by_area.sort_by(|p, q| q.norm_squared().total_cmp(&p.norm_squared()));
    seeds.extend(patches.iter().take(tunables::PAIR_PATCHES).map(|patch| patch.normal));
    seeds.extend(gradients.iter().sum::<Vector3<f64>>().try_normalize(0.0));
    seeds.extend(by_area.iter().take(tunables::PAIR_PATCHES).filter_map(|g| g.try_normalize(0.0)));
    seeds.extend((scene.frame.offset[1] - scene.frame.offset[0]).try_normalize(0.0));
    seeds.extend(samplers.asked.iter().filter_map(|asked| asked.try_normalize(0.0)));
    // Of those that are nearly the same a body's own axis is taken.
    let mut kept: Vec<Vector3<f64>> = Vec::with_capacity(seeds.len());
    for seed in seeds {
        if kept.iter().all(|other| other.dot(&seed) <= tunables::SAME_SEED) {
            kept.push(seed);
        }
    }
    let mut seeds = kept;
    // First what leads B away from A: mostly the shortest, and the same whichever of the bodies is A.
    let apart = (scene.frame.offset[1] - scene.frame.offset[0]).try_normalize(0.0).unwrap_or_default();
    let away = apart + deepest(patches).map_or(Vector3::zeros(), |k| patches[k].normal);
    seeds.sort_by(|p, q| q.dot(&away).total_cmp(&p.dot(&away)));
    seeds
}

/// Returns the quarters of the way between an axis of one body and the nearest of the other, where
/// these are close: a peg that is askew in its hole comes free along neither.
pub(crate) fn between_axes(scene: &Scene<'_>, first: Side) -> impl Iterator<Item = Vector3<f64>> {
    let away = if first == Side::A { 1.0 } else { -1.0 };
    let rotations = scene.frame.rotation;
    let axes = move |side: Side| {
        let rotation = rotations[side.index()];
        (0..6).map(move |k: usize| rotation.column(k / 2) * if k.is_multiple_of(2) { away } else { -away })
    };
    let close = move |cosine: f64| (tunables::CLOSE_AXES..=tunables::SAME_SEED).contains(&cosine);
    axes(first)
        .flat_map(move |a| axes(first.other()).filter(move |b| close(a.dot(b))).map(move |b| [a, b]))
        .flat_map(|[a, b]| [1.0, 2.0, 3.0].map(|part| (a * (4.0 - part) + b * part).normalize()))
}

/// Directions all round and their opposites, evenly (half a spiral of the golden angle), in the frame of one of the bodies.
pub(crate) fn all_round(scene: &Scene<'_>, first: Side) -> impl Iterator<Item = Vector3<f64>> {
    let rotation = scene.frame.rotation[first.index()];
    let away = if first == Side::A { 1.0 } else { -1.0 };
    let half = tunables::DIRECTIONS_ALL_ROUND / 2;
    (0..half).flat_map(move |k| {
        let z = f64::from(2 * k + 1) / f64::from(2 * half);
        let (sin, cos) = (f64::from(k) * GOLDEN_ANGLE).sin_cos();
        let across = (1.0 - z * z).sqrt();
        let direction = rotation * Vector3::new(across * cos, across * sin, z) * away;
        [direction, -direction]
    })
}

/// (rad)
const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
