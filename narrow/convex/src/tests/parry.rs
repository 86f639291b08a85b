//! The one place where `nalgebra` types become `parry3d`'s (which speaks `glam`).

use nalgebra::{Isometry3, Vector3};
use parry3d::math::{Pose, Rotation, Vector};

/// A point or vector for parry.
pub(super) fn to_parry(p: &Vector3<f32>) -> Vector {
    Vector::new(p.x, p.y, p.z)
}

/// A pose for parry.
pub(super) fn to_parry_pose(pose: &Isometry3<f32>) -> Pose {
    let q = pose.rotation.quaternion().coords;
    Pose::from_parts(to_parry(&pose.translation.vector), Rotation::from_xyzw(q.x, q.y, q.z, q.w))
}
