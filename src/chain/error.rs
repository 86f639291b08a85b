//! Chains that cannot be used.

use impinge_geometry::{LinkageError, PoseError};

/// A chain, or a question about one, that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ChainError {
    /// The joints make no linkage, or the values are none of theirs.
    #[error(transparent)]
    Linkage(#[from] LinkageError),
    /// Another number of shapes than of joints.
    #[error("{shapes} shapes for {joints} joints: give each joint the shape of its link, or `None`")]
    Shapes {
        /// How many shapes were given.
        shapes: usize,
        /// How many joints.
        joints: usize,
    },
    /// A link without end.
    #[error("link {link} has a half-space: links must be bounded")]
    Unbounded {
        /// The link.
        link: usize,
    },
    /// A link that is not there.
    #[error("link {link} is not there; there are {links} links, counted from 0")]
    UnknownLink {
        /// The link named.
        link: usize,
        /// How many links there are.
        links: usize,
    },
    /// The pose of an obstacle cannot be used.
    #[error("pose of obstacle {index}: {source}")]
    Obstacle {
        /// Its place in the list.
        index: usize,
        /// The reason.
        source: PoseError,
    },
    /// A gap is no distance.
    #[error("gap is {gap} m; it must be greater than 0")]
    Gap {
        /// The gap given (m).
        gap: f64,
    },
}
