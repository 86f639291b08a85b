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
        /// What is wrong with it.
        source: PoseError,
    },
    /// A bound is no distance.
    #[error("bound is {bound} m; it must be a number and not negative (infinity is no bound)")]
    Bound {
        /// The bound given (m).
        bound: f64,
    },
    /// Triangles are asked about, and a side has none.
    #[error(
        "part {part} of {side} has no triangles to tell of: half-spaces, spheres, capsules and cylinders are \
         smooth; ask about a mesh, a hull or a cuboid"
    )]
    NoTriangles {
        /// `A` or `B`.
        side: char,
        /// Which of its parts: the child of a composite; 0 of a simple shape.
        part: usize,
    },
}
