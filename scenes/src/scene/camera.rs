//! From where a scene is looked at.

use nalgebra::{Point3, Vector3};

/// From where pictures of a scene are taken: an orthographic view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Direction of view, unit.
    pub direction: Vector3<f64>,
    /// The point in the middle of the picture (m).
    pub target: Point3<f64>,
    /// Half the height of what is seen (m).
    pub half_height: f64,
}

/// A view from in front and above, `degrees` below the horizon.
pub(crate) fn camera(target: Point3<f64>, half_height: f64, degrees: f64) -> Camera {
    let (sin, cos) = libm::sincos(degrees.to_radians());
    let (side, front) = libm::sincos(0.35);
    Camera { direction: Vector3::new(-side * cos, front * cos, -sin), target, half_height }
}

/// As [`camera`], just large enough for a box (m) in a picture of 4:3.
pub(super) fn camera_around(min: Point3<f64>, max: Point3<f64>, degrees: f64) -> Camera {
    let middle = nalgebra::center(&min, &max);
    let direction = camera(middle, 1.0, degrees).direction;
    let right = direction.cross(&Vector3::z()).normalize();
    let up = right.cross(&direction);
    let half = (max - min) * 0.5;
    let reach = |axis: &Vector3<f64>| half.dot(&axis.abs());
    camera(middle, 1.03 * reach(&up).max(0.75 * reach(&right)), degrees)
}
