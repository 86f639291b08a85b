//! Bowls, each in the one below.

use impinge_geometry::Shape;
use nalgebra::{Isometry3, Point3};

use super::{Demand, Scene, SceneBody, SceneError, SceneParams, body, camera, count, empty};
use crate::mesh::Dish;

/// How far above its place each bowl begins (m).
const GAP: f64 = 0.01;
/// How far beside it (m).
const OFF: f64 = 0.006;

pub(super) fn scene(params: &SceneParams) -> Result<Scene, SceneError> {
    let bodies = count("bowls", params, 6, 60)?;
    let dish = Dish::default();
    let height = dish.height + (dish.pitch() + GAP) * bodies.saturating_sub(1) as f64;
    let view = (0.7 * height).max(0.45);
    let mut scene = empty("bowls", camera(Point3::new(0.0, 0.0, 0.48 * height), view, 25.0));
    let bowl = scene.add_shape("bowl", dish.mesh()?);
    let ground = scene.add_shape("ground", Shape::half_space());
    for level in 0..bodies {
        // None stands quite in the middle of the one below.
        let (sin, cos) = libm::sincos(2.4 * level as f64);
        let z = GAP + (dish.pitch() + GAP) * level as f64;
        let color = [[67, 147, 195], [244, 165, 60], [214, 96, 77]][level % 3];
        scene.bodies.push(SceneBody { color, ..body(bowl, Isometry3::translation(OFF * cos, OFF * sin, z)) });
    }
    scene.add_fixed(ground, Isometry3::identity());
    scene.demands.push(Demand::Still { drift: 1e-3, energy: 1e-6 });
    Ok(scene)
}
