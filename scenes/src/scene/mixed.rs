//! A heap of bodies of every sort: organic and machined, coarse and fine.

use nalgebra::Point3;

use super::{Scene, SceneError, SceneParams, camera, count, empty};
use crate::mesh::{Trial, TrialKind};

/// What is in it, and how many triangles each has.
const KINDS: [(TrialKind, u32); 6] = [
    (TrialKind::Animal, 20_000),
    (TrialKind::Bracket, 2_700),
    (TrialKind::Animal, 6_000),
    (TrialKind::Housing, 8_000),
    (TrialKind::Spike, 4_000),
    (TrialKind::Bar, 2_700),
];

/// Bounding radius of every body (m).
const RADIUS: f64 = 0.42;

pub(super) fn scene(params: &SceneParams) -> Result<Scene, SceneError> {
    let bodies = count("mixed", params, 60, 10_000)?;
    let mut scene = empty("mixed", camera(Point3::origin(), 1.0, 50.0));
    let mut kinds = Vec::with_capacity(KINDS.len());
    for (k, (kind, triangles)) in (0u64..).zip(KINDS) {
        // Another seed has other bodies, too.
        let trial = Trial { kind, radius: RADIUS, triangles, seed: params.seed.wrapping_add(k) };
        kinds.push(scene.add_shape(kind.name(), trial.mesh()?));
    }
    scene.drop_into_bin(&kinds, bodies, params.seed)?;
    Ok(scene)
}
