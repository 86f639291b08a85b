//! A few fast bodies: they go from impact to impact, each at its time, and exchange impulses there.
//!
//! All that may meet stop together at the first impact among them; what has met in this step and still is where it met is kept from
//! approaching there; and all go on for the rest of the step with the velocities that they have then.

use impinge::{ColliderImpact, World};
use nalgebra::Isometry3;

use super::impulse::meet;
use super::met::MetPlaces;
use super::{Traveller, crowd, impacts, path, place};
use crate::SimulatorError;
use crate::body::Body;
use crate::body_set::BodySet;
use crate::settings::SimulatorSettings;
use crate::spin;

/// Impacts one after the other in a step, at most.
const ROUNDS: u32 = 2;

/// Impacts whose times differ by less than this are at the same time.
const SAME_TIME: f64 = 1e-9;

/// A body on its way, and the part of the step that is left for it.
struct Going {
    traveller: Traveller,
    left: f64,
}

/// Brings bodies to their impacts and on from there; `found`: those on their whole ways, as the last sweep found them. Gives how
/// many there were.
pub(super) fn go_on(
    world: &mut World,
    body_set: &mut BodySet,
    travellers: Vec<Traveller>,
    found: Vec<ColliderImpact>,
    (settings, dt): (&SimulatorSettings, f64),
) -> Result<u64, SimulatorError> {
    let mut met = MetPlaces::default();
    let mut count = 0;
    let mut going: Vec<Going> =
        travellers.into_iter().map(|traveller| Going { traveller, left: 1.0 }).collect();
    let mut found = found;
    for round in 0..ROUNDS {
        if round > 0 {
            found = sweep(world, body_set, &going)?;
        }
        let mut stopped = Vec::new();
        for mut body in going {
            let time = reached(world, body_set, body.traveller.slot);
            place(world, body_set, &body.traveller, time)?;
            if time < 1.0 {
                body.left *= 1.0 - time;
                stopped.push(body);
            }
        }
        // All that may meet have stopped together: what has come that far has met.
        let is_reached = |impact: &&ColliderImpact| {
            let [a, b] = impact.colliders.map(|id| world.reached(id));
            impact.impact.time <= a.min(b) + SAME_TIME
        };
        let here: Vec<ColliderImpact> = found.iter().filter(is_reached).copied().collect();
        for impact in &here {
            meet(world, body_set, impact, settings, &mut met)?;
            count += 1;
            // Bodies that have come to their ends already do not give way in this step.
            let slots = impact.colliders.map(|id| body_set.of_collider(id));
            let waits = |slot: usize| {
                body_set.at(slot).is_some_and(|body| !body.is_fixed())
                    && !stopped.iter().any(|body| body.traveller.slot == slot)
            };
            if slots.into_iter().flatten().any(waits) {
                let ends = stopped.iter_mut().filter(|body| slots.contains(&Some(body.traveller.slot)));
                ends.for_each(|body| body.left = 0.0);
            }
        }
        met.keep_apart(body_set, dt);
        going = stopped;
        for Going { traveller, left } in &mut going {
            let Some(body) = body_set.at_mut(traveller.slot) else { continue };
            let (start, rest) = (body.pose, *left * dt);
            let end = moved_on(body, rest);
            traveller.motion = path(body, &start, &end, rest);
            body.pose = end;
        }
        going.retain(|body| body.left > 0.0);
        if going.is_empty() {
            return Ok(count);
        }
    }
    let found = sweep(world, body_set, &going)?;
    let travellers: Vec<Traveller> = going.into_iter().map(|body| body.traveller).collect();
    let here = crowd::settle(world, body_set, &travellers, found)?;
    for impact in &here {
        meet(world, body_set, impact, settings, &mut met)?;
        count += 1;
    }
    met.keep_apart(body_set, dt);
    Ok(count)
}

fn sweep(
    world: &mut World,
    body_set: &BodySet,
    going: &[Going],
) -> Result<Vec<ColliderImpact>, SimulatorError> {
    let travellers: Vec<Traveller> = going.iter().map(|body| body.traveller.clone()).collect();
    impacts(world, body_set, &travellers, None)
}

/// How far a body may go on its way by the last sweep.
fn reached(world: &World, body_set: &BodySet, slot: usize) -> f64 {
    body_set.at(slot).map_or(1.0, |body| world.reached(body.collider))
}

/// Where a body is after `dt` (s) with the velocities that it has.
fn moved_on(body: &Body, dt: f64) -> Isometry3<f64> {
    let center = body.dynamics.map_or_else(nalgebra::Point3::origin, |d| d.local_center);
    let turn = spin::turn(&(body.angular_velocity * dt));
    let rotation = turn * body.pose.rotation;
    let at = body.pose * center + body.linear_velocity * dt;
    Isometry3::from_parts((at - rotation * center).into(), rotation)
}
