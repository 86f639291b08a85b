//! One body, or a part of it, wholly inside the other: no contour gives a normal.

use nalgebra::{Point3, Vector3};

use crate::patch::{Patch, PatchOrigin, PatchPoint};
use crate::scene::Scene;

/// The patch of what no view and no feature shows (a body inside another whose box is smaller than `f64`
/// can tell apart): apart along the line between the bodies' origins.
pub(crate) fn last_resort(scene: &Scene<'_>) -> Patch {
    let apart = scene.frame.offset[1] - scene.frame.offset[0];
    let normal = apart.try_normalize(1e-150).unwrap_or_else(Vector3::z);
    let at = Point3::from(scene.interest.center());
    Patch {
        normal,
        depth: 0.0,
        volume: 0.0,
        gradient: Vector3::zeros(),
        torque: Vector3::zeros(),
        centroid: at,
        pressure_center: at,
        radius: 0.0,
        points: vec![PatchPoint { on_a: at, on_b: at, depth: 0.0, weight: 0.0, key: 0 }],
        corners: Vec::new(),
        sectors: Vec::new(),
        origin: PatchOrigin::Touch,
        region: None,
    }
}
