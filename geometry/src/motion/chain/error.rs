//! Linkages and joint values that cannot be used.

use crate::PoseError;

/// Greatest value of a revolute joint (rad), and greatest turn of one motion.
pub const MOST_JOINT_TURN: f64 = 6_283.2;

/// Joints that make no linkage, or values that none of its joints can have.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LinkageError {
    /// There is no joint.
    #[error("a linkage has at least one link")]
    Empty,
    /// A joint hangs on a link that is not there.
    #[error("link {link} hangs on link {parent}; there are {links} links, counted from 0")]
    UnknownParent {
        /// The link.
        link: usize,
        /// What it is said to hang on.
        parent: usize,
        /// How many links there are.
        links: usize,
    },
    /// A link hangs on itself, if only by others.
    #[error("link {link} hangs on itself: its parents form a circle")]
    Cycle {
        /// One of the links of the circle.
        link: usize,
    },
    /// Where a joint stands cannot be used.
    #[error("origin of the joint of link {link}: {source}")]
    Origin {
        /// The link.
        link: usize,
        /// The reason.
        source: PoseError,
    },
    /// Where the linkage stands cannot be used.
    #[error("base: {0}")]
    Base(PoseError),
    /// The axis of a joint is none.
    #[error("axis of the joint of link {link} is {axis:?}; it must be finite and not zero")]
    Axis {
        /// The link.
        link: usize,
        /// The axis given.
        axis: [f64; 3],
    },
    /// Another number of values than the linkage has joints that move.
    #[error("{given} values for {degrees} joints that move: give one for each, in the order of the links")]
    Values {
        /// How many were given.
        given: usize,
        /// How many joints are revolute or prismatic.
        degrees: usize,
    },
    /// A joint's value cannot be used.
    #[error("value {joint} is {value}; it must be finite, at most {MOST_JOINT_TURN} rad or 1e30 m")]
    Value {
        /// Its place among the values.
        joint: usize,
        /// The value given (rad or m).
        value: f64,
    },
}
