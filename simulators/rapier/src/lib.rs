//! impinge's contacts inside the physics engine rapier: closed triangle meshes as solids, convex or not, that move.
//!
//! ```
//! use rapier3d::prelude::*;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut world = PhysicsWorld::new();
//! impinge_rapier::install(&mut world)?;
//!
//! let (vertices, triangles) = parry3d::shape::Cuboid::new(Vector::splat(0.5)).to_trimesh();
//! let mesh = SharedShape::trimesh(vertices, triangles)?;
//! world.insert(RigidBodyBuilder::fixed(), ColliderBuilder::new(mesh.clone()));
//! let above = RigidBodyBuilder::dynamic().translation(Vector::new(0.0, 1.05, 0.0));
//! let (body, _) = world.insert(above, ColliderBuilder::new(mesh));
//! for _ in 0..120 {
//!     world.step();
//! }
//! assert!((world.bodies[body].translation().y - 1.0).abs() < 0.01);
//! # Ok(())
//! # }
//! # use rapier3d::parry as parry3d;
//! ```
//!
//! [`install`] puts a [`MeshDispatcher`] before rapier's own and sets what suits it ([`tune`]). It answers pairs of closed
//! `TriMesh`es, and of one with a ball, cuboid, capsule, cylinder, convex polyhedron or half-space: contacts, touching,
//! distances and casts. All else is answered as before: pairs without a mesh; open meshes; meshes that are inside out, as
//! rooms are; soft bodies; compounds; height fields; and what [`MeshDispatcher::leave`] names.
//!
//! **A closed mesh is a solid here.** To rapier it is a surface with nothing inside, unless it is `ORIENTED`.
//!
//! With rapier's features `parallel` and `enhanced-determinism` (forwarded here) all stays as it is: a pair's answer depends on
//! that pair's past alone, so it does not depend on the number of threads.
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]

mod casts;
mod dispatcher;
mod installation;
mod manifolds;
mod pair;
mod scratch;
mod shapes;

pub use dispatcher::MeshDispatcher;
pub use installation::{InstallError, install, tune};
