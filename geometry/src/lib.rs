//! Shapes, meshes, bounding volumes, exact predicates and mesh files.
//!
//! This is the ground floor of `impinge`: every other crate reads these types and none of them
//! writes back. Shapes are `f32`, poses are `f64`; all lengths are metres.

pub mod canonical;
#[cfg(feature = "off")]
pub mod files;
pub mod height_field;
pub mod level_set;
pub mod mass;
pub mod mesh;
pub mod motion;
pub mod particles;
pub mod predicate;
pub mod shape;
pub mod simd;
pub mod volume;

mod containment;
mod cutout;
mod error;
mod faces;
#[cfg(test)]
mod fixtures;
mod handle;
mod reach;
mod skin;

pub use canonical::{PairFrame, Side};
pub use containment::Containment;
pub use cutout::Cutout;
pub use error::{MeshError, PoseError, ShapeError};
pub use faces::{EdgeFaces, Faces, FacesRef};
pub use handle::{ColliderId, PartId, ShapeId};
pub use height_field::{
    Diagonals, FieldEdit, FieldMesh, HeightField, HeightFieldError, HeightFieldSettings, MOST_SAMPLES,
};
pub use level_set::{LevelEdit, LevelMesh, LevelSet, LevelSetError, LevelSetSettings, MOST_LEVELS};
pub use mass::{MassError, MassProperties};
pub use mesh::{Defect, Edge, Hole, MeshReport, Repair, RepairSettings, Repairs, Topology, TriMesh};
pub use motion::{
    BodyPath, Joint, JointKind, LinkPath, Linkage, LinkageError, Motion, MotionError, PairPath, Twist,
};
pub use particles::{MOST_PARTICLES, Particles, ParticlesError, Radii};
pub use reach::FARTHEST;
pub use shape::{Composite, ConvexHull, Primitive, Shape};
pub use simd::SimdLevel;
pub use skin::{INFLUENCES, Skin, SkinError};
pub use volume::{Aabb, BoundingSphere, Obb};
