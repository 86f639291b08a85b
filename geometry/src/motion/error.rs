//! Motions that cannot be used.

use crate::PoseError;

/// Greatest turn of one motion (rad): 100,000 turns.
pub const MOST_TURN: f64 = 628_318.5;

/// A motion that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MotionError {
    /// The first pose cannot be used.
    #[error("pose at the start: {source}")]
    Start {
        /// The reason.
        source: PoseError,
    },
    /// The last pose cannot be used.
    #[error("pose at the end: {source}")]
    End {
        /// The reason.
        source: PoseError,
    },
    /// The turn is not a number, or too many turns.
    #[error("turn is {turn:?} rad; it must be finite and of at most {MOST_TURN} rad")]
    Turn {
        /// The turn given (rad).
        turn: [f64; 3],
    },
    /// The reference point cannot be used.
    #[error("reference point is {center:?} m; its coordinates must be finite and within 1e30 m")]
    Center {
        /// The point given (m, in the body's frame).
        center: [f64; 3],
    },
    /// The bend is no distance.
    #[error("bend is {bend} m; it must be from 0 to 1e30 m")]
    Bend {
        /// The bend given (m).
        bend: f64,
    },
}
