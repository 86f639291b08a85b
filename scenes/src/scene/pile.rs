//! Primitives and hulls between half-spaces.

use impinge_geometry::Shape;
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use super::lattice::Lattice;
use super::{Container, Scene, SceneError, SceneParams, camera, count, empty};
use crate::random::Random;

pub(super) fn scene(params: &SceneParams) -> Result<Scene, SceneError> {
    let bodies = count("pile", params, 60, 100_000)?;
    let mut scene = empty("pile", camera(Point3::origin(), 1.0, 35.0));
    let mut random = Random::new(11);
    let stone: Vec<Point3<f32>> =
        (0..24).map(|_| Point3::from(random.direction() * 0.3).cast::<f32>()).collect();
    let kinds = [
        scene.add_shape("ball", Shape::sphere(0.25)?),
        scene.add_shape("box", Shape::cuboid([0.22, 0.18, 0.15])?),
        scene.add_shape("capsule", Shape::capsule(0.15, 0.14)?),
        scene.add_shape("cylinder", Shape::cylinder(0.18, 0.2)?),
        scene.add_shape("stone", Shape::hull(&stone)?),
    ];
    let ground = scene.add_shape("ground", Shape::half_space());
    scene.add_fixed(ground, Isometry3::identity());
    let radius = scene.greatest_radius(&kinds);
    let side = libm::cbrt(1.4 * bodies as f64).round().max(2.0) as usize;
    let lattice = Lattice::new(side, 2.0 * radius);
    let lift = radius + 2.0 * lattice.jitter;
    let half = lattice.half_width() + radius + 2.0 * lattice.jitter;
    // Without walls the balls would roll away, farther the more there are.
    for inward in [Vector3::x(), -Vector3::x(), Vector3::y(), -Vector3::y()] {
        let rotation = UnitQuaternion::rotation_between(&Vector3::z(), &inward).unwrap_or_default();
        scene.add_fixed(ground, Isometry3::from_parts(Translation3::from(-half * inward), rotation));
    }
    scene.fill(&kinds, bodies, &lattice, lift, params.seed);
    let height = lattice.height(bodies) + lift + radius;
    scene.container =
        Some(Container { min: Point3::new(-half, -half, 0.0), max: Point3::new(half, half, height) });
    scene.camera = camera(Point3::new(0.0, 0.0, 0.3 * half), 1.8 * half, 35.0);
    Ok(scene)
}
