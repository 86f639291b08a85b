//! Questions that cannot be answered.

use impinge_geometry::PoseError;

/// A question that cannot be answered.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// A pose cannot be used.
    #[error("pose of {side}: {source}")]
    Pose {
        /// `A` or `B`.
        side: char,
        /// The reason.
        source: PoseError,
    },
    /// The pose of an obstacle of the environment cannot be used.
    #[error("pose of obstacle {index}: {source}")]
    Obstacle {
        /// Its place in the environment.
        index: usize,
        /// The reason.
        source: PoseError,
    },
    /// An articulated object is given by another number of poses than it has subshapes.
    #[error(
        "{given} poses for an object of {subshapes} subshapes with projections of their own: give one for each"
    )]
    SubshapePoses {
        /// How many were given.
        given: usize,
        /// How many subshapes there are.
        subshapes: usize,
    },
    /// A bound is no distance.
    #[error("bound is {bound} m; it must be a number and not negative (infinity is no bound)")]
    Bound {
        /// The bound given (m).
        bound: f64,
    },
    /// Triangles are asked about, and a side has none.
    #[error(
        "subshape {subshape} of {side} has no triangles to list: half-spaces, spheres, capsules and cylinders are \
         smooth; ask about a mesh, a hull or a cuboid"
    )]
    NoTriangles {
        /// `A` or `B`.
        side: char,
        /// The child of a composite; 0 of a simple shape.
        subshape: usize,
    },
}
