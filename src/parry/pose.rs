//! Points, poses and rays. What comes from parry is exact but for the length of quaternions; what goes there is rounded to
//! `f32`.

use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};
use parry3d::math::{Pose, Rotation, Vector};
use parry3d::query::Ray;

use crate::ShapeRay;

/// A vector of parry's.
pub fn from_vector(v: Vector) -> Vector3<f64> {
    Vector3::new(v.x, v.y, v.z).cast()
}

/// A point (m) of parry's.
pub fn from_point(p: Vector) -> Point3<f64> {
    Point3::from(from_vector(p))
}

/// A pose (m) of parry's; its quaternion is normalised.
pub fn from_pose(pose: &Pose) -> Isometry3<f64> {
    let q = pose.rotation;
    let rotation = Quaternion::new(q.w, q.x, q.y, q.z).cast();
    Isometry3::from_parts(
        Translation3::from(from_vector(pose.translation)),
        UnitQuaternion::new_normalize(rotation),
    )
}

/// A ray of parry's up to `length`, in units of its direction, as parry's `max_time_of_impact`.
pub fn from_ray(ray: &Ray, length: f32) -> ShapeRay {
    ShapeRay::new(from_point(ray.origin), from_vector(ray.dir)).length(f64::from(length))
}

/// A vector for parry.
pub fn to_vector(v: &Vector3<f64>) -> Vector {
    Vector::new(v.x as f32, v.y as f32, v.z as f32)
}

/// A point (m) for parry.
pub fn to_point(p: &Point3<f64>) -> Vector {
    to_vector(&p.coords)
}

/// A pose (m) for parry.
pub fn to_pose(pose: &Isometry3<f64>) -> Pose {
    let q = pose.rotation.coords.cast::<f32>();
    Pose::from_parts(to_vector(&pose.translation.vector), Rotation::from_xyzw(q.x, q.y, q.z, q.w))
}

/// A ray for parry, and its length in units of its direction. parry's rays have no sides to choose.
pub fn to_ray(ray: &ShapeRay) -> (Ray, f32) {
    (Ray::new(to_point(&ray.origin), to_vector(&ray.direction)), ray.length as f32)
}
