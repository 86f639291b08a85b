//! Manifolds as Avian keeps them.

use avian3d::collision::contact_types::PackedFeatureId;
use avian3d::math::RVec3;
use avian3d::prelude::{ContactManifold, ContactPoint};
use bevy::math::Vec3;
use impinge::Manifold;
use impinge::nalgebra::{Isometry3, Point3, Vector3};

/// Writes manifolds of two colliders at their poses: points relative to the colliders' origins along the world's axes, from where Avian
/// makes them relative to the bodies' centres.
pub(crate) fn write(found: &[Manifold], poses: &[Isometry3<f64>; 2], out: &mut Vec<ContactManifold>) {
    out.extend(found.iter().map(|manifold| {
        let points = manifold.points.iter().map(|point| {
            let anchor = |k: usize, p: &Point3<f32>| vector(&(poses[k].rotation * p.cast::<f64>().coords));
            let at = point.position.coords;
            let [low, high] = [point.key as u32, (point.key >> 32) as u32].map(feature);
            ContactPoint::new(
                anchor(0, &point.local_a),
                anchor(1, &point.local_b),
                RVec3::new(at.x as _, at.y as _, at.z as _),
                point.depth as f32,
            )
            .with_feature_ids(low, high)
        });
        ContactManifold::new(points, vector(&manifold.normal))
    }));
}

/// Half of a point's key: Avian takes 0 for unknown, and then looks for points by place alone.
fn feature(half: u32) -> PackedFeatureId {
    PackedFeatureId(half | 1 << 31)
}

fn vector(v: &Vector3<f64>) -> Vec3 {
    Vec3::new(v.x as f32, v.y as f32, v.z as f32)
}
