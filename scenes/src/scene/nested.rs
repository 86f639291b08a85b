//! Bowls in bowls.

use impinge_geometry::Shape;
use nalgebra::{Isometry3, Point3};

use super::{Scene, SceneBody, SceneError, SceneParams, body, camera, count, empty};
use crate::mesh::Bowl;

/// Bowls in a stack.
const STACK: usize = 4;

pub(super) fn scene(params: &SceneParams) -> Result<Scene, SceneError> {
    let bodies = count("nested", params, 12, 400)?;
    let stacks = bodies.div_ceil(STACK).max(1);
    let mut scene = empty("nested", camera(Point3::origin(), 1.0, 25.0));
    let bowl = Bowl { radius: 0.4, wall: 0.1, ..Bowl::default() };
    let shape = scene.add_shape("bowl", bowl.mesh()?);
    let ground = scene.add_shape("ground", Shape::half_space());
    scene.add_fixed(ground, Isometry3::identity());
    for index in 0..bodies {
        let (stack, level) = (index / STACK, index % STACK);
        // A ball of the bowl's radius rests on a rim of half the wall's thickness, a gap above it.
        let pitch = (2.0 * bowl.radius * bowl.wall).sqrt() + 0.02;
        let z = bowl.radius + 0.01 + pitch * level as f64;
        let x = 1.1 * (stack as f64 - 0.5 * (stacks - 1) as f64);
        let pose = Isometry3::translation(x, 0.0, z);
        let color = if level.is_multiple_of(2) { [67, 147, 195] } else { [244, 165, 60] };
        scene.bodies.push(SceneBody { color, ..body(shape, pose) });
    }
    scene.camera = camera(Point3::new(0.0, 0.0, 0.5), (0.62 * stacks as f64).max(1.2), 25.0);
    scene.comes_to_rest = false;
    Ok(scene)
}
