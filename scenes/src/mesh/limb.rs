//! Bodies that are grown together of limbs.

use nalgebra::{Point3, Vector3};

/// A limb: what is within a radius of a segment that changes along it evenly.
pub(super) struct Limb {
    /// The ends of the segment (m).
    pub ends: [Point3<f64>; 2],
    /// The radius at each of them (m).
    pub radii: [f64; 2],
}

/// The box of some limbs and what is rounded between them, by its least and greatest corner (m).
pub(super) fn boxed(limbs: &[Limb], rounding: f64) -> [Point3<f64>; 2] {
    let (mut low, mut high) = (Point3::from([f64::MAX; 3]), Point3::from([f64::MIN; 3]));
    for limb in limbs {
        for (p, r) in limb.ends.iter().zip(limb.radii) {
            low = low.inf(&(p - Vector3::repeat(r + rounding)));
            high = high.sup(&(p + Vector3::repeat(r + rounding)));
        }
    }
    [low, high]
}

/// Distance from the surface, roughly (m), negative inside: the least over the limbs, none of which is thinner than
/// `least_radius`, rounded by `rounding` where two are alike.
pub(super) fn depth(limbs: &[Limb], rounding: f64, least_radius: f64, p: &Point3<f64>) -> f64 {
    limbs.iter().fold(f64::MAX, |least, limb| {
        let [a, b] = &limb.ends;
        let along = b - a;
        let t = ((p - a).dot(&along) / along.norm_squared().max(1e-12)).clamp(0.0, 1.0);
        let radius = limb.radii[0] + (limb.radii[1] - limb.radii[0]) * t;
        let d = (p - (a + along * t)).norm() - radius.max(least_radius);
        let near = ((rounding - (least - d).abs()) / rounding).max(0.0);
        least.min(d) - 0.25 * rounding * near * near
    })
}
