//! From a good separating translation to the best one near it.
//!
//! Around a rim or a barrel the expanding polytope would need thousands of faces to tell separating translations
//! apart that are nearly as short. What it leaves is found by turning the direction: about the
//! solids' own axes, along which a cylinder's or box's separating translations lie in valleys, and about two axes
//! across the direction.

use nalgebra::Vector3;

use super::distance::Vertex;
use crate::contact::perpendicular;
use crate::support::Placed;

/// The first and the last angle (rad) by which directions are turned; depth is found to about the square
/// of the last, as a part of the solids' size.
const ANGLES: [f64; 2] = [0.125, 3e-5];
/// Directions tried at most.
const MAX_TRIED: usize = 600;

/// The direction (unit) near `start` along which the cores are parted by the least movement. Never a
/// worse one; ends after [`MAX_TRIED`] directions.
pub(crate) fn descend(a: &Placed, b: &Placed, start: Vector3<f64>) -> Vector3<f64> {
    let own: [Vector3<f64>; 6] = std::array::from_fn(|k| {
        let solid = if k < 3 { a } else { b };
        solid.rotation.column(k % 3).into_owned()
    });
    let depth = |n: &Vector3<f64>| Vertex::farthest(a, b, n).w.dot(n);
    let mut best = (depth(&start), start);
    let mut tried = 0;
    // Into the valleys first: nearly across an axis becomes across it.
    for axis in &own {
        let along = axis.dot(&best.1);
        if along.abs() < ANGLES[0] {
            let n = (best.1 - axis * along).normalize();
            let d = depth(&n);
            if d < best.0 {
                best = (d, n);
            }
        }
    }
    let mut angle = ANGLES[0];
    while angle > ANGLES[1] && tried < MAX_TRIED {
        let n = best.1;
        let u = perpendicular(n).normalize();
        let across = [u, n.cross(&u)];
        let before = best.0;
        for axis in own.iter().chain(&across) {
            let Some(aside) = axis.cross(&n).try_normalize(1e-6) else { continue };
            for turn in [angle, -angle] {
                // About the axis, not merely towards its side: `n`'s part along it stays.
                let flat = n - axis * axis.dot(&n);
                let radius = flat.norm();
                let turned = axis * axis.dot(&n) + flat + aside * (radius * turn);
                let turned = rescale(axis, turned, radius);
                let d = depth(&turned);
                tried += 1;
                if d < best.0 {
                    best = (d, turned);
                }
            }
        }
        if best.0 >= before {
            angle *= 0.5;
        }
    }
    best.1
}

/// `v` with its part across `axis` (unit) brought to `radius`: a unit vector again.
fn rescale(axis: &Vector3<f64>, v: Vector3<f64>, radius: f64) -> Vector3<f64> {
    let along = axis.dot(&v);
    let flat = v - axis * along;
    let length = flat.norm();
    if length > 0.0 { (axis * along + flat * (radius / length)).normalize() } else { v.normalize() }
}
