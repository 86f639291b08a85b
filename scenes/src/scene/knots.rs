//! A knot falls onto a knot.

use impinge_geometry::{Shape, TriMesh};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion};

use super::{Scene, SceneError, SceneParams, body, camera, empty};
use crate::mesh::Knot;

pub(super) fn scene(_: &SceneParams) -> Result<Scene, SceneError> {
    let mut scene = empty("two-knots", camera(Point3::new(0.0, 0.0, 0.4), 1.2, 25.0));
    let knot: TriMesh = Knot::default().mesh()?;
    let knot = scene.add_shape("knot", knot);
    let ground = scene.add_shape("ground", Shape::half_space());
    scene.add_fixed(ground, Isometry3::identity());
    let turned = UnitQuaternion::from_euler_angles(0.4, 0.3, 0.0);
    scene.bodies.push(body(knot, Isometry3::translation(0.0, 0.0, 0.24)));
    let above = Isometry3::from_parts(Translation3::new(0.1, 0.05, 1.1), turned);
    scene.bodies.push(super::SceneBody { color: [67, 147, 195], ..body(knot, above) });
    Ok(scene)
}
