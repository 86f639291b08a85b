//! Fast bodies: after the solver has moved everything, nothing that it took through something else stays there.
//!
//! Bodies that may meet on their ways go to the first impact among them ([`World::step_motion`]). There the two that meet
//! exchange an impulse; wherever bodies have met in this step and still are, they are kept from approaching each other; and
//! all of them go on for the rest of the step with the velocities that they have then.
//!
//! Source of the impulse: Mirtich, Canny, "Impulse-based Simulation of Rigid Bodies", 1995 (friction clamped to its cone).

mod met;

use impinge::{ColliderId, ColliderImpact, ImpactState, Motion, PairMaterial, World};
use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

use crate::SimulatorError;
use crate::body::Body;
use crate::body_set::BodySet;
use crate::settings::SimulatorSettings;
use crate::spin;

use met::MetPlaces;

/// Impacts one after the other in a step, at most.
const ROUNDS: u32 = 2;

/// Rounds after these, at most, in which what meets something waits there for the next step.
const LAST_ROUNDS: u32 = 6;

/// A turn of more than this (rad) is not told from its poses.
const FARTHEST_TURN: f64 = 2.5;

/// Impacts whose times differ by less than this are at the same time.
const SAME_TIME: f64 = 1e-9;

/// What the sweeps of a step did.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FastCounts {
    pub impacts: u64,
}

/// A body on its way.
struct Traveller {
    slot: usize,
    motion: Motion,
    /// The part of the step that is left for it.
    left: f64,
}

/// Brings bodies that moved from `starts` (by slot) in `dt` (s) back to where they met something, and on from there.
pub(crate) fn sweep(
    world: &mut World,
    body_set: &mut BodySet,
    starts: &[Option<Isometry3<f64>>],
    settings: &SimulatorSettings,
    dt: f64,
) -> Result<FastCounts, SimulatorError> {
    let mut counts = FastCounts::default();
    if !body_set.slots().flatten().any(|body| body.fast) {
        return Ok(counts);
    }
    let mut travellers: Vec<Traveller> = body_set
        .slots()
        .enumerate()
        .filter_map(|(slot, body)| {
            let (body, start) = (body?, starts.get(slot).copied().flatten()?);
            (body.pose != start).then(|| Traveller {
                slot,
                motion: path(body, &start, &body.pose, dt),
                left: 1.0,
            })
        })
        .collect();
    let mut met = MetPlaces::default();
    for round in 0..ROUNDS + LAST_ROUNDS {
        if travellers.is_empty() {
            break;
        }
        for traveller in &travellers {
            if let Some(body) = body_set.at(traveller.slot) {
                world.set_path(body.collider, traveller.motion)?;
            }
        }
        world.step_motion();
        let impacts: Vec<ColliderImpact> =
            world.impacts().iter().filter(|impact| may_stop(impact)).copied().collect();
        // All that may meet stop together. In the last rounds each stops at its own impact, lest a crowd stands still, and the
        // others are swept again past those that have stopped.
        let last = round >= ROUNDS;
        let mut times = vec![1.0f64; starts.len()];
        for traveller in &travellers {
            if let Some(body) = body_set.at(traveller.slot) {
                times[traveller.slot] =
                    if last { own_time(body.collider, &impacts) } else { world.reached(body.collider) };
            }
        }
        let time_of = |id: ColliderId| body_set.of_collider(id).map_or(1.0, |slot| times[slot]);
        let is_reached = |impact: &&ColliderImpact| {
            let [a, b] = impact.colliders.map(time_of);
            impact.impact.time <= a.min(b) + SAME_TIME
        };
        let reached: Vec<ColliderImpact> = impacts.iter().filter(is_reached).copied().collect();
        let wait = last && round + 1 < ROUNDS + LAST_ROUNDS && travellers.iter().any(|t| times[t.slot] < 1.0);
        let (mut stopped, mut waiting) = (Vec::new(), Vec::new());
        for mut traveller in travellers {
            let time = times[traveller.slot];
            let Some(body) = body_set.at_mut(traveller.slot) else { continue };
            if wait && time >= 1.0 {
                waiting.push(traveller);
                continue;
            }
            // What turned by radians ends where its path does, not as its poses in between say.
            body.pose = traveller.motion.pose(time);
            world.set_pose(body.collider, body.pose)?;
            if time < 1.0 {
                traveller.left *= if last { 0.0 } else { 1.0 - time };
                stopped.push(traveller);
            }
        }
        for impact in &reached {
            counts.impacts += 1;
            let materials = [0, 1].map(|k| world.collider(impact.colliders[k]).map(|view| view.material));
            let [a, b] = materials;
            let material = world.materials().combine(&a?, &b?);
            exchange(body_set, impact, &material, settings);
            met.add(impact, body_set);
            // Bodies that have come to their ends already do not give way in this step.
            let slots = impact.colliders.map(|id| body_set.of_collider(id));
            let waits = |slot: usize| {
                body_set.at(slot).is_some_and(|body| !body.is_fixed())
                    && !stopped.iter().any(|traveller| traveller.slot == slot)
            };
            if slots.into_iter().flatten().any(waits) {
                let ends = |traveller: &&mut Traveller| slots.contains(&Some(traveller.slot));
                stopped.iter_mut().filter(ends).for_each(|traveller| traveller.left = 0.0);
            }
        }
        met.keep_apart(body_set, dt);
        travellers = stopped;
        for traveller in &mut travellers {
            let Some(body) = body_set.at_mut(traveller.slot) else { continue };
            let (start, rest) = (body.pose, traveller.left * dt);
            let end = moved_on(body, rest);
            traveller.motion = path(body, &start, &end, rest);
            body.pose = end;
        }
        travellers.retain(|traveller| traveller.left > 0.0);
        travellers.append(&mut waiting);
    }
    // What is still on its way stays where it was stopped last.
    for traveller in &travellers {
        if let Some(body) = body_set.at_mut(traveller.slot) {
            body.pose = *traveller.motion.start();
            world.set_pose(body.collider, body.pose)?;
        }
    }
    Ok(counts)
}

/// Whether bodies are stopped by an impact.
fn may_stop(impact: &ColliderImpact) -> bool {
    matches!(impact.state, ImpactState::Meeting | ImpactState::Displaced) && !impact.sensor
}

/// When a collider first meets something.
fn own_time(id: ColliderId, impacts: &[ColliderImpact]) -> f64 {
    let own = impacts.iter().filter(|impact| impact.colliders.contains(&id));
    own.map(|impact| impact.impact.time).fold(1.0, f64::min)
}

/// The motion of a body from one pose to another in `dt` (s), about its centre of mass.
fn path(body: &Body, from: &Isometry3<f64>, to: &Isometry3<f64>, dt: f64) -> Motion {
    let center = body.dynamics.map_or_else(Point3::origin, |d| d.local_center);
    let motion = Motion::between(*from, *to).about(center);
    let turn = body.angular_velocity * dt;
    if turn.norm() > FARTHEST_TURN { motion.turn(turn) } else { motion }
}

/// Where a body is after `dt` (s) with the velocities that it has.
fn moved_on(body: &Body, dt: f64) -> Isometry3<f64> {
    let center = body.dynamics.map_or_else(Point3::origin, |d| d.local_center);
    let turn = spin::turn(&(body.angular_velocity * dt));
    let rotation = turn * body.pose.rotation;
    let at = body.pose * center + body.linear_velocity * dt;
    Isometry3::from_parts((at - rotation * center).into(), rotation)
}

/// Gives two bodies the impulse of their impact.
fn exchange(
    body_set: &mut BodySet,
    found: &ColliderImpact,
    material: &PairMaterial,
    settings: &SimulatorSettings,
) {
    let at = nalgebra::center(&found.impact.on_a, &found.impact.on_b);
    let normal = found.impact.normal;
    let slots = found.colliders.map(|id| body_set.of_collider(id));
    let bodies = slots.map(|slot| slot.and_then(|slot| body_set.at(slot)));
    let relative = velocity(bodies[1], &at) - velocity(bodies[0], &at);
    let approach = -normal.dot(&relative);
    if approach <= 0.0 {
        return;
    }
    let response: Matrix3<f64> = bodies.iter().flatten().map(|body| response(body, &at)).sum();
    let Some(inverse) = response.try_inverse() else { return };
    let bounce = if approach > settings.restitution_threshold { material.restitution } else { 0.0 };
    let slip = relative + normal * approach;
    let turned = (1.0 + bounce) * approach;
    let plain = normal * (turned / normal.dot(&(response * normal)));
    // What stops the slip, and turns the approach round.
    let sticking = inverse * (normal * turned - slip);
    let pressed = sticking.dot(&normal);
    let along = sticking - normal * pressed;
    let rubbing = match slip.try_normalize(1e-9 * approach) {
        Some(direction) if along.norm() > material.friction * pressed => {
            let cone = normal - direction * material.friction;
            cone * (turned / normal.dot(&(response * cone)))
        }
        _ => sticking,
    };
    // Friction may jam, and push without end; what would add energy is left out.
    let gain = rubbing.dot(&relative) + 0.5 * rubbing.dot(&(response * rubbing));
    let impulse = if rubbing.dot(&normal) > 0.0 && gain <= 0.0 { rubbing } else { plain };
    push(body_set, slots, &at, &impulse);
}

/// Gives B an impulse at a point, and A the opposite (kg·m/s).
fn push(body_set: &mut BodySet, slots: [Option<usize>; 2], at: &Point3<f64>, impulse: &Vector3<f64>) {
    for (slot, sign) in slots.into_iter().zip([-1.0, 1.0]) {
        let Some(body) = slot.and_then(|slot| body_set.at_mut(slot)) else { continue };
        let Some(dynamics) = body.dynamics.filter(|d| !d.asleep) else { continue };
        let arm = at - body.center();
        let inverse = dynamics.inertia.world_inverse(&body.pose.rotation);
        body.linear_velocity += impulse * (sign / dynamics.mass);
        body.angular_velocity += inverse * arm.cross(&(impulse * sign));
    }
}

/// The velocity of a body at a point (m/s); of none, 0.
fn velocity(body: Option<&Body>, at: &Point3<f64>) -> Vector3<f64> {
    body.map_or_else(Vector3::zeros, |body| {
        let center = if body.is_fixed() { body.pose * Point3::origin() } else { body.center() };
        body.linear_velocity + body.angular_velocity.cross(&(at - center))
    })
}

/// How an impulse at a point changes a body's velocity there (1/kg); zero where nothing moves it.
fn response(body: &Body, at: &Point3<f64>) -> Matrix3<f64> {
    body.dynamics.filter(|d| !d.asleep).map_or_else(Matrix3::zeros, |dynamics| {
        let arm = (at - body.center()).cross_matrix();
        let inverse = dynamics.inertia.world_inverse(&body.pose.rotation);
        Matrix3::identity() / dynamics.mass - arm * inverse * arm
    })
}
