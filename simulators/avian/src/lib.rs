//! Contacts between closed non-convex meshes in the physics engine [Avian](avian3d), found by [`impinge`]: a ring stays on its
//! peg and a ball in its bowl, with some four points for each region of contact.
//!
//! ```
//! use avian3d::prelude::*;
//! use bevy::prelude::*;
//! use impinge::{Shape, TriMesh};
//! use impinge_avian::{MeshCollider, MeshCollisionPlugins};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
//! let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
//! let wedge = MeshCollider::trimesh(&corners, &faces)?;
//! let ground = MeshCollider::new(&Shape::half_space())?;
//!
//! let mut app = App::new();
//! app.add_plugins((MinimalPlugins, TransformPlugin, PhysicsPlugins::default()));
//! // This line is all that a program adds, beside colliders that are `MeshCollider`s.
//! app.add_plugins(MeshCollisionPlugins::<()>::default());
//! // The half-space is below its frame's plane z = 0; Bevy's y is up.
//! let up = Transform::from_rotation(Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2));
//! app.world_mut().spawn((RigidBody::Static, ground, up));
//! app.world_mut().spawn((RigidBody::Dynamic, wedge, Transform::from_xyz(0.0, 2.0, 0.0)));
//! # app.finish();
//! # app.update();
//! # Ok(())
//! # }
//! ```
//!
//! Everything that has a [`MeshCollider`] meets everything else that has one: spheres, boxes, capsules, cylinders, half-spaces, hulls,
//! closed meshes and composites of these ([`impinge::Shape`]). Avian asks contacts of colliders of one type only, so what has its own
//! `Collider` passes through them. [`ColliderDensity`](avian3d::prelude::ColliderDensity),
//! [`CollisionLayers`](avian3d::prelude::CollisionLayers), [`Sensor`](avian3d::prelude::Sensor), friction, restitution, collision hooks,
//! collision events, sleeping and scale work as with Avian's own; spatial queries (rays, shape casts) do not yet: Avian has them for its own
//! collider alone.
//!
//! A contact depends on its own pair's past alone, whichever thread asks: the feature `parallel` is not to change a bit.
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]

mod collider;
#[cfg(feature = "device")]
mod device;
#[cfg(feature = "gizmos")]
mod gizmos;
mod manifolds;
mod mass;
mod pairs;
mod plugins;
mod scale;

pub use collider::{ColliderError, MeshCollider};
#[cfg(feature = "device")]
pub use device::on_device_of;
#[cfg(feature = "gizmos")]
pub use gizmos::{ManifoldGizmos, ManifoldGizmosPlugin};
pub use impinge;
pub use pairs::FollowedPairs;
pub use plugins::{MeshCollisionPlugins, RECYCLE_DISTANCE};
