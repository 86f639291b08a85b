//! Distances of a point from a closed surface, by brute force.

use std::f64::consts::TAU;

use impinge_oracle::features::point_to_triangle;
use nalgebra::Point3;

/// Returns the distance of a point from a surface.
pub fn distance(p: &Point3<f64>, surface: &[[Point3<f64>; 3]]) -> f64 {
    surface.iter().map(|t| point_to_triangle(p, t)).fold(f64::INFINITY, f64::min)
}

/// Tests whether a closed surface winds round a point, by the sum of solid angles.
///
/// Source: Van Oosterom and Strackee, "The Solid Angle of a Plane Triangle", 1983.
pub fn is_inside(p: &Point3<f64>, surface: &[[Point3<f64>; 3]]) -> bool {
    let solid_angle = |t: &[Point3<f64>; 3]| {
        let [a, b, c] = t.map(|q| q - p);
        let [x, y, z] = [a.norm(), b.norm(), c.norm()];
        let over = x * y * z + a.dot(&b) * z + b.dot(&c) * x + c.dot(&a) * y;
        2.0 * a.dot(&b.cross(&c)).atan2(over)
    };
    surface.iter().map(solid_angle).sum::<f64>() > TAU
}

/// Returns the length that a ball of `radius` around `center` must move at least to be free of a
/// closed surface. It is not positive if the ball may be free already.
pub fn least_depth(center: &Point3<f64>, radius: f64, surface: &[[Point3<f64>; 3]]) -> f64 {
    let distance = distance(center, surface);
    if is_inside(center, surface) { radius + distance } else { radius - distance }
}
