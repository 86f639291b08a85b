//! What a change of a shape in place has done, or why it cannot be.

use impinge_geometry::{HeightFieldError, LevelSetError, MeshError, ParticlesError};

/// What new places have done to a shape ([`PreparedShape::set_vertices`](crate::PreparedShape::set_vertices)).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Deformation {
    /// No vertex has moved farther (m).
    pub moved: f64,
    /// Whether the tree was built again.
    pub rebuilt: bool,
}

/// Vertices that a shape cannot take.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DeformError {
    /// The shape is none that has vertices of its own.
    #[error(
        "the shape is no mesh; only a shape made of one `TriMesh` can deform, no primitive, hull or composite"
    )]
    NotAMesh,
    /// The shape is none that has a size.
    #[error(
        "the shape is no primitive; only a shape made of one `Primitive` is resized, others are replaced"
    )]
    NotAPrimitive,
    /// The mesh cannot take them.
    #[error(transparent)]
    Vertices(#[from] MeshError),
    /// The shape is none that has heights.
    #[error("the shape is no height field; only a shape made of one `HeightField` has heights")]
    NotAField,
    /// The height field cannot take them.
    #[error(transparent)]
    Heights(#[from] HeightFieldError),
    /// The shape is none that has levels.
    #[error("the shape is no level set; only a shape made of one `LevelSet` has values")]
    NotLevels,
    /// The level set cannot take them.
    #[error(transparent)]
    Levels(#[from] LevelSetError),
    /// The shape is none that has particles.
    #[error("the shape is none of particles; only a shape made of `Particles` has centres")]
    NotParticles,
    /// The particles cannot be put there.
    #[error(transparent)]
    Centers(#[from] ParticlesError),
}
