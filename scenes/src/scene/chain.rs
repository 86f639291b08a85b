//! A hanging chain.

use std::f64::consts::FRAC_PI_2;

use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use super::{Demand, Scene, SceneBody, SceneError, SceneParams, body, camera, count, empty};
use crate::mesh::ChainLink;

pub(super) fn scene(params: &SceneParams) -> Result<Scene, SceneError> {
    let links = count("chain", params, 8, 1000)?;
    let link = ChainLink { half_straight: 0.22, bend: 0.24, ..ChainLink::default() };
    // Neighbours sit inside each other's bends with a gap of 1 cm.
    let pitch = 2.0 * (link.half_straight + link.bend - link.tube) - 0.01;
    let length = pitch * links as f64;
    let mut scene = empty("chain", camera(Point3::new(0.0, 0.0, -0.5 * length), 0.6 * length + 0.5, 10.0));
    let shape = scene.add_shape("link", link.mesh()?);
    let down = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), FRAC_PI_2);
    let across = down * UnitQuaternion::from_axis_angle(&Vector3::x_axis(), FRAC_PI_2);
    scene.add_fixed(shape, Isometry3::from_parts(Translation3::identity(), down));
    for k in 1..=links {
        let rotation = if k.is_multiple_of(2) { down } else { across };
        let at = Translation3::new(0.0, 0.0, -pitch * k as f64);
        let color = if k.is_multiple_of(2) { [67, 147, 195] } else { [244, 165, 60] };
        scene.bodies.push(SceneBody { color, ..body(shape, Isometry3::from_parts(at, rotation)) });
    }
    scene.demands.push(Demand::Still { drift: 1e-3, energy: 1e-6 });
    Ok(scene)
}
