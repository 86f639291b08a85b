//! Particles that cannot be made.

use crate::FARTHEST;

/// The most particles of a shape.
pub const MOST_PARTICLES: usize = 1 << 28;

/// Particles that cannot be made or put somewhere.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParticlesError {
    /// There are none.
    #[error("particles: there are none; at least one is needed")]
    Empty,
    /// There are too many.
    #[error("particles: {given} were given; there may be {MOST_PARTICLES}")]
    TooMany {
        /// How many were given.
        given: usize,
    },
    /// A centre is NaN, infinite or too far away.
    #[error(
        "particles: centre {index} is {value:?}; every coordinate must be finite and at most {FARTHEST:e} m in magnitude"
    )]
    Center {
        /// Which particle.
        index: usize,
        /// Its centre (m).
        value: [f32; 3],
    },
    /// A radius is none.
    #[error("particles: radius {index} is {value:?} m; it must be greater than 0 and at most {FARTHEST:e} m")]
    Radius {
        /// Which particle; 0 where all have one radius.
        index: usize,
        /// Its radius (m).
        value: f32,
    },
    /// There is not one radius for each centre.
    #[error(
        "particles: {radii} radii were given for {centers} centres; there must be one for each, or one for all"
    )]
    RadiusCount {
        /// How many radii.
        radii: usize,
        /// How many centres.
        centers: usize,
    },
    /// There are no such particles.
    #[error(
        "particles: {given} centres were given from particle {first} on, but there are {count} particles"
    )]
    Range {
        /// The first that was to be put elsewhere.
        first: usize,
        /// How many were.
        given: usize,
        /// How many particles there are.
        count: usize,
    },
}
