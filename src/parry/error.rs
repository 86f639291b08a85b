//! What has no counterpart in the other library.

use impinge_geometry::{MeshError, ShapeError};
use parry3d::shape::{ShapeType, TriMeshBuilderError};

use crate::QueryError;

/// A shape of parry that cannot be one of ours, or the other way round.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParryError {
    /// There is no such shape here.
    #[error(
        "parry's shape {shape:?} has no counterpart; there are some for balls, cuboids, capsules, cylinders, half-spaces, \
         convex polyhedra, triangle meshes, height fields, and compounds of them"
    )]
    NoCounterpart {
        /// What parry calls it.
        shape: ShapeType,
    },
    /// A child of a compound cannot be used.
    #[error("child {child} of the compound: {source}")]
    Child {
        /// Index of the child.
        child: usize,
        /// What is wrong.
        source: Box<ParryError>,
    },
    /// Sizes or points that no shape can have.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A mesh cannot be used.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// parry does not take the mesh.
    #[error("parry does not take the mesh: {reason}")]
    Refused {
        /// What parry says.
        reason: String,
    },
    /// parry has no compounds with meshes in them.
    #[error(
        "child {child} of the composite is a mesh, which parry's compounds cannot hold; hand it over as a shape of its own"
    )]
    MeshInCompound {
        /// Index of the child.
        child: usize,
    },
    /// A pose or a margin cannot be used.
    #[error(transparent)]
    Query(#[from] QueryError),
}

impl From<TriMeshBuilderError> for ParryError {
    fn from(refusal: TriMeshBuilderError) -> ParryError {
        ParryError::Refused { reason: refusal.to_string() }
    }
}
