//! Pairs that stand far from each other in one world, and what a step says of each.

use anyhow::ensure;
use impinge::prelude::*;
use impinge::{ColliderId, StepCounts};

use super::scene::Known;
use crate::contacts::claim::Contact;

/// From pair to pair (m): farther than any reaches, and a power of two, so that no place is rounded otherwise.
const APART: f64 = 64.0;

/// What a world says of a pair, in the pair's own place.
#[derive(Clone, Debug, Default)]
pub struct Claim {
    pub touching: bool,
    pub manifolds: usize,
    /// Of all manifolds (m³).
    pub volume: f64,
    /// All points, each with the depth of its manifold.
    pub points: Vec<Contact>,
}

/// Places all pairs in a world and takes one step.
pub fn ask(mut world: World, known: &[Known]) -> anyhow::Result<(Vec<Claim>, StepCounts)> {
    let mut ids: Vec<[ColliderId; 2]> = Vec::new();
    for (k, known) in known.iter().enumerate() {
        let mut add = |side: usize| -> anyhow::Result<ColliderId> {
            let shape = world.add_shape(known.meshes[side].clone())?;
            Ok(world.add_collider(Collider::new(shape).pose(shift(k) * known.poses[side]))?)
        };
        ids.push([add(0)?, add(1)?]);
    }
    let report = world.step();
    ensure!(report.counts.gpu_redone == 0, "{:?}", world.gpu_fault());
    let claims = (ids.iter().zip(known).enumerate())
        .map(|(k, (&[a, b], known))| claim(&world, [a, b], k, known))
        .collect::<anyhow::Result<_>>()?;
    Ok((claims, report.counts))
}

fn shift(k: usize) -> Translation3<f64> {
    Translation3::new(APART * k as f64, 0.0, 0.0)
}

fn claim(world: &World, [a, b]: [ColliderId; 2], k: usize, known: &Known) -> anyhow::Result<Claim> {
    let manifolds = world.manifolds_between(a, b)?;
    let mut claim = Claim { touching: !manifolds.is_empty(), manifolds: manifolds.len(), ..Claim::default() };
    for manifold in manifolds {
        // A is the collider of the lower slot, which was added first.
        ensure!(manifold.colliders == [a, b], "pair {k} is the other way round");
        claim.volume += manifold.volume;
        claim.points.extend(manifold.points.iter().map(|point| Contact {
            places: [
                known.poses[0] * point.local_a.cast::<f64>(),
                known.poses[1] * point.local_b.cast::<f64>(),
            ],
            normal: manifold.normal,
            depth: manifold.depth,
        }));
    }
    Ok(claim)
}
