//! Clamped pairs: patches on opposite sides ask for what neither a shift nor a turn gives, step after step.

use nalgebra::Vector3;

use super::constraints::{self, MinimumNorm, MotionConstraint};
use super::pair_mtv::{demand, places, replace, shortest};
use super::seeds::{all_round, seeds};
use crate::patch::{Patch, PatchPoint};
use crate::patches::halfway;
use crate::sampler::Samplers;
use crate::scene::Scene;
use crate::tunables;

/// Parts bodies that patches on opposite sides have clamped for some steps, if a short translation does; gives whether it
/// has. No solver can meet what such patches ask for. `gradients`: those of the pair's contours.
pub(crate) fn unclamp(
    scene: &Scene<'_>,
    gradients: &[Vector3<f64>],
    patches: &mut Vec<Patch>,
    samplers: &mut Samplers,
) -> bool {
    let Some(both) = scene.swept else { return false };
    let depth = patches.iter().map(|patch| patch.depth).fold(0.0, f64::max);
    samplers.clamped =
        patches.len() > 1 && depth > tunables::CLAMPED_DEPTH * scene.radius && is_clamped(scene, patches);
    if !samplers.clamped || samplers.clamped_steps < tunables::CLAMPED_STEPS {
        return false;
    }
    let most = tunables::CLAMPED_LENGTH * scene.radius;
    let mut seeds = seeds(scene, gradients, patches, (true, samplers));
    seeds.extend(all_round(scene, both.first()));
    let found = shortest(&both, &seeds, (&places(patches), most, most), samplers);
    // Where no short translation parts them they are interlocked. Searched again after as many steps.
    samplers.clamped = found.is_some();
    if let Some(found) = found {
        replace(scene, patches, found, samplers);
    }
    samplers.clamped
}

/// Whether neither a shift of B nor a small motion with a turn gives patches what they ask for. (Linked rings rest as levers
/// on each other: one side pushes up, the other down, and a turn serves both.)
fn is_clamped(scene: &Scene<'_>, patches: &[Patch]) -> bool {
    if !matches!(demand(patches), MinimumNorm::Infeasible) {
        return false;
    }
    let count = patches.len() as f64;
    let middle = patches.iter().map(|p| p.centroid.coords).sum::<Vector3<f64>>() / count;
    let mut constraints: Vec<MotionConstraint> = patches
        .iter()
        .flat_map(|patch| {
            let deep = |p: &&PatchPoint| p.depth > tunables::CLAMPED_POINTS * patch.depth;
            let lever = |p: &PatchPoint| (halfway(p).coords - middle) / scene.radius;
            patch.points.iter().filter(deep).map(move |p| MotionConstraint {
                normal: patch.normal,
                moment: lever(p).cross(&patch.normal),
                depth: p.depth,
            })
        })
        .collect();
    // The solver's rounds go through them in order: the deepest first.
    constraints.sort_by(|p, q| q.depth.total_cmp(&p.depth));
    !constraints::motion_satisfies(&constraints)
}
