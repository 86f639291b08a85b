//! Fast bodies: nothing that the solver takes through something else stays there.
//!
//! Ways are swept ([`World::step_motion`]) from where bodies stood to where the solver has moved them. [A few](few) bodies that are
//! stopped go from impact to impact. In a [crowd] that would take as many rounds as there are impacts: there each impact becomes
//! a [point ahead](ahead), a contact whose gap bodies may close in the step, and no more; and the step is solved again from its
//! begin. So what meets slides, rolls and is stacked as other contacts have it. What still meets something after some rounds, as
//! what turns fast does, stops there, each as far on its way as all can go together, and exchanges an impulse.

mod ahead;
mod crowd;
mod few;
mod impulse;
mod leeway;
mod met;

use impinge::{ColliderId, ColliderImpact, ImpactState, Motion, World};
use nalgebra::{Isometry3, Point3};

use crate::SimulatorError;
use crate::body::Body;
use crate::body_set::BodySet;
use crate::settings::SimulatorSettings;
use crate::sleep;

pub(crate) use ahead::points_ahead;
use met::MetPlaces;

/// How often a step is solved again with points ahead, at most.
pub(crate) const ROUNDS: u32 = 3;

/// Where no more bodies than this are stopped, they go from impact to impact.
const FEW: usize = 16;

/// A turn of more than this (rad) is not told from its poses.
const FARTHEST_TURN: f64 = 2.5;

/// A body on its way.
#[derive(Clone)]
pub(crate) struct Traveller {
    slot: usize,
    motion: Motion,
}

/// What has moved from `starts` (by slot) in `dt` (s).
pub(crate) fn travellers(body_set: &BodySet, starts: &[Option<Isometry3<f64>>], dt: f64) -> Vec<Traveller> {
    let moved = |(slot, body): (usize, Option<&Body>)| {
        let (body, start) = (body?, starts.get(slot).copied().flatten()?);
        (body.pose != start).then(|| Traveller { slot, motion: path(body, &start, &body.pose, dt) })
    };
    body_set.slots().enumerate().filter_map(moved).collect()
}

/// Wakes sleepers that something comes to faster than it may lie on them.
pub(crate) fn wake(body_set: &mut BodySet, found: &[ColliderImpact], settings: &SimulatorSettings, dt: f64) {
    for impact in found.iter().filter(|impact| impact.speed > sleep::WAKE * settings.sleep_speed * dt) {
        let slots = impact.colliders.map(|id| body_set.of_collider(id));
        slots.into_iter().flatten().for_each(|slot| sleep::wake(body_set, slot));
    }
}

/// Whether so few bodies are stopped, by the last sweep, that they go from impact to impact.
pub(crate) fn are_few(world: &World, body_set: &BodySet, travellers: &[Traveller]) -> bool {
    let stops = |traveller: &&Traveller| {
        body_set.at(traveller.slot).is_some_and(|body| world.reached(body.collider) < 1.0)
    };
    travellers.iter().filter(stops).count() <= FEW
}

/// Has a few bodies go from impact to impact, each at its time; gives how many impacts there were.
pub(crate) fn go_on(
    world: &mut World,
    body_set: &mut BodySet,
    travellers: Vec<Traveller>,
    found: Vec<ColliderImpact>,
    step: (&SimulatorSettings, f64),
) -> Result<u64, SimulatorError> {
    few::go_on(world, body_set, travellers, found, step)
}

/// Has bodies that still meet something stop there, each as far on its way as all can go together; they exchange an impulse.
pub(crate) fn stop(
    world: &mut World,
    body_set: &mut BodySet,
    travellers: &[Traveller],
    found: Vec<ColliderImpact>,
    (settings, dt): (&SimulatorSettings, f64),
) -> Result<u64, SimulatorError> {
    let met_there = crowd::settle(world, body_set, travellers, found)?;
    let mut met = MetPlaces::default();
    for impact in &met_there {
        impulse::meet(world, body_set, impact, settings, &mut met)?;
    }
    met.keep_apart(body_set, dt);
    Ok(met_there.len() as u64)
}

/// The impacts that stop bodies on their ways, when all were swept before on others, with these impacts: pairs of which neither is
/// on another way than then are not swept again.
pub(crate) fn impacts_since(
    world: &mut World,
    body_set: &BodySet,
    travellers: &[Traveller],
    last: Option<(Vec<Traveller>, Vec<ColliderImpact>)>,
) -> Result<Vec<ColliderImpact>, SimulatorError> {
    let Some((before, known)) = last else { return impacts(world, body_set, travellers, None) };
    let mut ways: Vec<[Option<Motion>; 2]> = Vec::new();
    for (k, travellers) in [before.as_slice(), travellers].into_iter().enumerate() {
        for traveller in travellers {
            if ways.len() <= traveller.slot {
                ways.resize(traveller.slot + 1, [None; 2]);
            }
            ways[traveller.slot][k] = Some(traveller.motion);
        }
    }
    let is_other = |slot: usize| ways.get(slot).is_some_and(|[was, is]| was != is);
    let changed: Vec<ColliderId> = (0..ways.len())
        .filter(|&slot| is_other(slot))
        .filter_map(|slot| Some(body_set.at(slot)?.collider))
        .collect();
    // The oracle: all pairs. The sweep that counts comes last.
    #[cfg(debug_assertions)]
    let of_all = impacts(world, body_set, travellers, None)?;
    let mut found = impacts(world, body_set, travellers, Some(&changed))?;
    let stands = |impact: &ColliderImpact| {
        impact.colliders.iter().all(|&id| !body_set.of_collider(id).is_some_and(is_other))
    };
    found.extend(known.into_iter().filter(stands));
    found.sort_by(|p, q| p.impact.time.total_cmp(&q.impact.time).then_with(|| p.colliders.cmp(&q.colliders)));
    #[cfg(debug_assertions)]
    assert_eq!(found, of_all, "pairs that were not swept again have changed");
    Ok(found)
}

/// The impacts that stop bodies on their ways; only those of `changed` ones, where some are named.
pub(crate) fn impacts(
    world: &mut World,
    body_set: &BodySet,
    travellers: &[Traveller],
    changed: Option<&[ColliderId]>,
) -> Result<Vec<ColliderImpact>, SimulatorError> {
    for traveller in travellers {
        if let Some(body) = body_set.at(traveller.slot) {
            world.set_path(body.collider, traveller.motion)?;
        }
    }
    match changed {
        Some(changed) => world.step_motion_of(changed),
        None => world.step_motion(),
    };
    Ok(world.impacts().iter().filter(|impact| may_stop(impact)).copied().collect())
}

/// Places a body where it comes to at a time on its way.
fn place(
    world: &mut World,
    body_set: &mut BodySet,
    traveller: &Traveller,
    time: f64,
) -> Result<(), SimulatorError> {
    if let Some(body) = body_set.at_mut(traveller.slot) {
        // What turned by radians ends where its path does, not as its poses in between say.
        body.pose = traveller.motion.pose(time);
        world.set_pose(body.collider, body.pose)?;
    }
    Ok(())
}

/// Whether bodies are stopped by an impact.
fn may_stop(impact: &ColliderImpact) -> bool {
    matches!(impact.state, ImpactState::Meeting | ImpactState::Displaced) && !impact.sensor
}

/// The motion of a body from one pose to another in `dt` (s), about its centre of mass.
fn path(body: &Body, from: &Isometry3<f64>, to: &Isometry3<f64>, dt: f64) -> Motion {
    let center = body.dynamics.map_or_else(Point3::origin, |d| d.local_center);
    let motion = Motion::between(*from, *to).about(center);
    let turn = body.angular_velocity * dt;
    if turn.norm() > FARTHEST_TURN { motion.turn(turn) } else { motion }
}
