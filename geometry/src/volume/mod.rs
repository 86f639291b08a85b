//! Bounding volumes: axis-aligned box, sphere and oriented box.

mod aabb;
mod obb;
mod sphere;

pub use aabb::Aabb;
pub use obb::Obb;
pub use sphere::BoundingSphere;
pub(crate) use sphere::SphereTrace;

pub use aabb::{round_down, round_up};
