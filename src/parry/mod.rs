//! Shapes, poses, rays and contacts to and from those of parry (feature `parry3d`).
//!
//! | parry | here |
//! |---|---|
//! | `Ball`, `Cuboid`, `Capsule`, `Cylinder`, `HalfSpace` | primitives, along any axis |
//! | `ConvexPolyhedron` | a hull |
//! | `TriMesh` | a mesh; closed where it is, after equal vertices have become one |
//! | `HeightField` | a mesh that looks up, with an inside below it |
//! | `Compound` | a composite, children in their order |
//! | `Cone`, `Segment`, `Triangle`, `Polyline`, `Voxels`, rounded and custom shapes | none: [`ParryError::NoCounterpart`] |
//!
//! [`contact`] takes the place of `parry3d::query::contact`, [`contact_manifolds`] that of its persistent form:
//!
//! ```
//! use impinge::parry::{self, parry3d};
//! use parry3d::math::{Pose, Vector};
//! use parry3d::shape::{Ball, SharedShape};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let (vertices, triangles) = parry3d::shape::Cuboid::new(Vector::splat(0.5)).to_trimesh();
//! let cube = SharedShape::trimesh(vertices, triangles)?;
//! let above = Pose::translation(0.0, 0.0, 0.75);
//! let found = parry::contact(&Pose::IDENTITY, &*cube, &above, &Ball::new(0.375), 0.0)?.ok_or("they touch")?;
//! assert!((found.dist + 0.125).abs() < 1e-5 && found.normal1.z > 0.999);
//! # Ok(())
//! # }
//! ```

mod contact;
mod error;
mod pose;
mod shape;

pub use contact::{contact, contact_manifold, contact_manifolds};
pub use error::ParryError;
/// The version of parry whose types these are.
#[doc(no_inline)]
pub use parry3d;
pub use pose::{from_point, from_pose, from_ray, from_vector, to_point, to_pose, to_ray, to_vector};
pub use shape::{from_mesh, from_shape, prepared, to_mesh, to_shape};
