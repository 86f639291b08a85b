//! A nut that hangs on a bolt by its thread alone.

use nalgebra::{Isometry3, Point3};

use super::{Demand, Scene, SceneBody, SceneError, SceneParams, body, camera, empty, only};
use crate::mesh::LeadScrew;

/// Friction of dry steel; a fourth of it would hold the nut.
const FRICTION: f64 = 0.3;
/// How far the nut may sink until its flanks lie on the bolt's (m).
const SINKS: f64 = 0.02;

pub(super) fn scene(params: &SceneParams) -> Result<Scene, SceneError> {
    only("hanging-nut", params, 1)?;
    let screw = LeadScrew::default();
    let length = screw.pitch * f64::from(screw.turns + 1);
    let middle = Point3::new(0.0, 0.0, 0.5 * length);
    let mut scene = empty("hanging-nut", camera(middle, 0.62 * length, 20.0));
    let nut = scene.add_shape("nut", screw.nut()?);
    let bolt = scene.add_shape("bolt", screw.rod()?);
    let place = Point3::new(0.0, 0.0, screw.nut_place() + 2.0 * screw.pitch);
    let dry = |shape, pose| SceneBody { friction: FRICTION, ..body(shape, pose) };
    scene
        .bodies
        .push(SceneBody { color: [214, 150, 60], ..dry(nut, Isometry3::translation(0.0, 0.0, place.z)) });
    scene.bodies.push(SceneBody { fixed: true, color: [150, 160, 172], ..dry(bolt, Isometry3::identity()) });
    scene.demands.push(Demand::Seated { body: 0, place, within: SINKS });
    scene.demands.push(Demand::Still { drift: 1e-3, energy: 1e-4 });
    // A minute.
    scene.steps = 3600;
    Ok(scene)
}
