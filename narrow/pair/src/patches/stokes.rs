//! Integrals over a surface, by Stokes' theorem from the closed line round it.

use nalgebra::{Point3, Vector3};

/// The area vector ½ ∮ r × dr of a closed line (m²), taken about a place near it for the sake of digits.
pub(crate) fn area_about(center: &Point3<f64>, line: impl Iterator<Item = [Point3<f64>; 2]>) -> Vector3<f64> {
    line.map(|[p, q]| (p - center).cross(&(q - center))).sum::<Vector3<f64>>() * 0.5
}

/// ∫ x × dA = −½ ∮ |x|² dx (m³), with x from `center`.
pub(crate) fn torque_about(
    center: &Point3<f64>,
    line: impl Iterator<Item = [Point3<f64>; 2]>,
) -> Vector3<f64> {
    let part = |[p, q]: [Point3<f64>; 2]| {
        let (p, along) = (p - center, q - p);
        let mean = p.norm_squared() + p.dot(&along) + along.norm_squared() / 3.0;
        along * (-0.5 * mean)
    };
    line.map(part).sum()
}
