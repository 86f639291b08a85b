//! The impulse that two bodies exchange where they meet.
//!
//! Source: Mirtich, Canny, "Impulse-based Simulation of Rigid Bodies", 1995 (friction clamped to its cone).

use impinge::{ColliderImpact, PairMaterial, World};
use nalgebra::{Matrix3, Point3, Vector3};

use super::met::MetPlaces;
use crate::SimulatorError;
use crate::body::Body;
use crate::body_set::BodySet;
use crate::settings::SimulatorSettings;

/// Two bodies have come to where they meet.
pub(super) fn meet(
    world: &World,
    body_set: &mut BodySet,
    impact: &ColliderImpact,
    settings: &SimulatorSettings,
    met: &mut MetPlaces,
) -> Result<(), SimulatorError> {
    let [a, b] = [0, 1].map(|k| world.collider(impact.colliders[k]).map(|view| view.material));
    let material = world.materials().combine(&a?, &b?);
    exchange(body_set, impact, &material, settings);
    met.add(impact, body_set);
    Ok(())
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
pub(super) fn push(
    body_set: &mut BodySet,
    slots: [Option<usize>; 2],
    at: &Point3<f64>,
    impulse: &Vector3<f64>,
) {
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
pub(super) fn velocity(body: Option<&Body>, at: &Point3<f64>) -> Vector3<f64> {
    body.map_or_else(Vector3::zeros, |body| {
        let center = if body.is_fixed() { body.pose * Point3::origin() } else { body.center() };
        body.linear_velocity + body.angular_velocity.cross(&(at - center))
    })
}

/// How an impulse at a point changes a body's velocity there (1/kg); zero where nothing moves it.
pub(super) fn response(body: &Body, at: &Point3<f64>) -> Matrix3<f64> {
    body.dynamics.filter(|d| !d.asleep).map_or_else(Matrix3::zeros, |dynamics| {
        let arm = (at - body.center()).cross_matrix();
        let inverse = dynamics.inertia.world_inverse(&body.pose.rotation);
        Matrix3::identity() / dynamics.mass - arm * inverse * arm
    })
}
