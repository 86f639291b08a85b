//! Places where fast bodies have met in a step: until they part there, neither approaches the other.

use impinge::ColliderImpact;
use nalgebra::{Point3, Vector3};

use super::impulse::{push, response, velocity};
use crate::body_set::BodySet;

/// Passes over all places, at most.
const PASSES: u32 = 64;

/// A place counts while the two are no farther apart there than this many gaps of the sweep.
const NEAR: f64 = 4.0;

/// Bodies nearer than this part of the sweep's gap are led apart until they are as far: the next sweep is to begin free.
const KEPT_GAP: f64 = 0.5;

/// What is left of an approach (m/s) is none.
const LEAST_APPROACH: f64 = 1e-9;

/// A place where two bodies have met.
struct MetPlace {
    slots: [Option<usize>; 2],
    /// The points that met, in the bodies' frames (m); of colliders without a body in the world.
    points: [Point3<f64>; 2],
    /// Unit, from A to B.
    normal: Vector3<f64>,
    /// The gap that the sweep leaves (m).
    gap: f64,
}

/// Where bodies have met since the step began.
#[derive(Default)]
pub(super) struct MetPlaces {
    places: Vec<MetPlace>,
}

impl MetPlaces {
    /// Notes an impact that both bodies have come to.
    pub fn add(&mut self, found: &ColliderImpact, body_set: &BodySet) {
        let slots = found.colliders.map(|id| body_set.of_collider(id));
        let world = [found.impact.on_a, found.impact.on_b];
        let points = [0, 1].map(|k| {
            let body = slots[k].and_then(|slot| body_set.at(slot));
            body.map_or(world[k], |body| body.pose.inverse_transform_point(&world[k]))
        });
        self.places.push(MetPlace { slots, points, normal: found.impact.normal, gap: found.tolerance });
    }

    /// Takes from all bodies the velocities by which they approach each other where they have met: plastic impulses, one place
    /// after the other and again. None adds energy but what leads bodies apart that are too near.
    pub fn keep_apart(&self, body_set: &mut BodySet, dt: f64) {
        for _ in 0..PASSES {
            let mut most: f64 = 0.0;
            for place in &self.places {
                most = most.max(place.push(body_set, dt));
            }
            if most <= LEAST_APPROACH {
                break;
            }
        }
    }
}

impl MetPlace {
    /// Ends the approach at this place, and gives what it was (m/s).
    fn push(&self, body_set: &mut BodySet, dt: f64) -> f64 {
        let bodies = self.slots.map(|slot| slot.and_then(|slot| body_set.at(slot)));
        let [a, b] = [0, 1].map(|k| bodies[k].map_or(self.points[k], |body| body.pose * self.points[k]));
        let apart = self.normal.dot(&(b - a));
        if apart > NEAR * self.gap {
            return 0.0;
        }
        let at = nalgebra::center(&a, &b);
        let parting = self.normal.dot(&(velocity(bodies[1], &at) - velocity(bodies[0], &at)));
        let asked = (KEPT_GAP * self.gap - apart).clamp(0.0, self.gap) / dt;
        let missing = asked - parting;
        if missing <= LEAST_APPROACH {
            return 0.0;
        }
        let yielding: f64 =
            bodies.iter().flatten().map(|body| self.normal.dot(&(response(body, &at) * self.normal))).sum();
        if yielding > 0.0 {
            push(body_set, self.slots, &at, &(self.normal * (missing / yielding)));
        }
        missing
    }
}
