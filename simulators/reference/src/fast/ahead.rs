//! Impacts as contacts that the solver is to mind before they are there.

use impinge::{ColliderId, ColliderImpact, ContactRow, Impulse, World};
use nalgebra::{Isometry3, Vector3};

use crate::SimulatorError;
use crate::body_set::BodySet;
use crate::settings::SimulatorSettings;
use crate::solver::PointAhead;

/// What has points ahead stays apart by so many of the sweep's gaps, so that the next sweep finds it free.
const KEPT_GAPS: f64 = 2.0;

/// A point ahead for every impact: bodies that stand as they did at the step's begin may come as near there as the sweep's gap.
pub(crate) fn points_ahead(
    world: &World,
    starts: &[Option<Isometry3<f64>>],
    body_set: &BodySet,
    found: &[ColliderImpact],
    settings: &SimulatorSettings,
) -> Result<Vec<PointAhead>, SimulatorError> {
    let mut ahead = Vec::with_capacity(found.len());
    for impact in found {
        let at = &impact.impact;
        let start = |id: ColliderId| match body_set.of_collider(id).and_then(|slot| starts[slot]) {
            Some(start) => Ok(start),
            None => world.pose(id),
        };
        let [a, b] = impact.colliders.map(start);
        let points = [a? * at.local_a, b? * at.local_b];
        let [of_a, of_b] = [0, 1].map(|k| world.collider(impact.colliders[k]));
        let [of_a, of_b] = [of_a?, of_b?];
        let material = world.materials().combine(&of_a.material, &of_b.material);
        let gap = at.normal.dot(&(points[1] - points[0]));
        ahead.push(PointAhead {
            points,
            row: ContactRow {
                colliders: impact.colliders,
                user_data: [of_a.user_data, of_b.user_data],
                manifold: u32::MAX,
                position: nalgebra::center(&points[0], &points[1]),
                local_a: at.local_a.cast(),
                local_b: at.local_b.cast(),
                key: 0,
                normal: at.normal,
                tangents: impinge::tangents(&at.normal),
                // The solver lets bodies sink in by the slop.
                depth: settings.slop + KEPT_GAPS * impact.tolerance - gap,
                weight: 0.0,
                surface_velocity: Vector3::zeros(),
                surface_spin: Vector3::zeros(),
                friction: material.friction,
                restitution: material.restitution,
                stiffness: None,
                damping: None,
                warm: Impulse::default(),
            },
        });
    }
    Ok(ahead)
}
