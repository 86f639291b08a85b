//! Directions beside another.

use std::f64::consts::TAU;

use impinge_geometry::Side;
use nalgebra::{Matrix3, Vector3};

use super::swept::Swept;
use crate::tunables;

/// The directions (unit) on a cone about `axis` (unit) of half an angle (rad), evenly; every other `ring` is turned by half of what is
/// between two of them. The same whichever of the bodies is called A, and however both are turned together.
pub(super) fn beside(
    axis: &Vector3<f64>,
    (angle, ring): (f64, usize),
    swept: &Swept<'_>,
) -> impl Iterator<Item = Vector3<f64>> + use<> {
    let first = swept.first();
    on_cone(axis, (angle, ring), if first == Side::A { 1.0 } else { -1.0 }, swept.axes(first))
}

/// … where directions as they are named count `away` times, and one of the columns of `axes` is what they begin at.
fn on_cone(
    axis: &Vector3<f64>,
    (angle, ring): (f64, usize),
    away: f64,
    axes: &Matrix3<f64>,
) -> impl Iterator<Item = Vector3<f64>> + use<> {
    let axis = axis * away;
    let across = axis.cross(&axes.column(axes.tr_mul(&axis).iamin())).normalize();
    let up = axis.cross(&across);
    let (sin, cos) = angle.sin_cos();
    let turned = 0.5 * (ring % 2) as f64;
    (0..tunables::BESIDE_COUNT).map(move |k| {
        let turn = TAU * (f64::from(k) + turned) / f64::from(tunables::BESIDE_COUNT);
        (axis * cos + (across * turn.cos() + up * turn.sin()) * sin).normalize() * away
    })
}

#[cfg(test)]
mod tests {
    use impinge_scenes::random::Random;
    use nalgebra::Rotation3;

    use super::*;

    /// They are as far from the axis as asked, all round it, and turn with the bodies; where both change places they are the opposites.
    #[test]
    fn directions_lie_evenly_on_a_cone() {
        let mut numbers = Random::new(5);
        let mut vector = || Vector3::from_fn(|_, _| numbers.signed());
        for case in 0..100 {
            let axes = Rotation3::new(vector() * 3.0);
            let axis = vector().normalize();
            let cone = (0.4 / f64::from(case + 1), case as usize);
            let own: Vec<Vector3<f64>> = on_cone(&axis, cone, 1.0, axes.matrix()).collect();
            assert_eq!(own.len(), tunables::BESIDE_COUNT as usize);
            for direction in &own {
                assert!((direction.norm() - 1.0).abs() < 1e-14);
                assert!((direction.angle(&axis) - cone.0).abs() < 1e-7, "case {case}");
            }
            let middle = own.iter().sum::<Vector3<f64>>() / own.len() as f64;
            assert!((middle - axis * cone.0.cos()).norm() < 1e-12, "case {case}");
            let against: Vec<Vector3<f64>> = on_cone(&-axis, cone, -1.0, axes.matrix()).collect();
            let turn = Rotation3::new(vector() * 3.0);
            let turned: Vec<Vector3<f64>> =
                on_cone(&(turn * axis), cone, 1.0, (turn * axes).matrix()).collect();
            for ((own, against), turned) in own.iter().zip(&against).zip(&turned) {
                assert_eq!(*own, -against);
                assert!((turn * own - turned).norm() < 1e-12, "case {case}");
            }
        }
    }
}
