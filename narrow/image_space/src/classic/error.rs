//! Why a classic test is refused.

use thiserror::Error;

use crate::ldi::LdiError;

/// Why a classic image-space test is refused.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ClassicError {
    /// The view, a pose or a vertex.
    #[error(transparent)]
    View(#[from] LdiError),
    /// A body does not bound a volume.
    #[error("{what} needs closed bodies, and body {body} is open: close it, or give it a thickness")]
    NotClosed {
        /// Which test.
        what: &'static str,
        /// Which body.
        body: usize,
    },
    /// Lists whose lengths have to agree.
    #[error("{given} {what}: give {wanted}")]
    Count {
        /// Of what.
        what: &'static str,
        /// How many were given.
        given: usize,
        /// How many there have to be.
        wanted: usize,
    },
    /// A number that is not finite, or out of its range.
    #[error("{what} is {value}: it must be {wanted}")]
    Value {
        /// What it is.
        what: &'static str,
        /// What it was.
        value: f64,
        /// What would be right.
        wanted: &'static str,
    },
    /// A polygon without an inside.
    #[error("polygon {polygon} has {vertices} vertices: at least 3 are needed")]
    Polygon {
        /// Which one.
        polygon: usize,
        /// How many it has.
        vertices: usize,
    },
    /// The tool has no convex hull with a volume.
    #[error("the tool has no volume: {reason}")]
    Tool {
        /// Why.
        reason: String,
    },
    /// More surfaces along a line than the test has bits for.
    #[error("body {body} has more than {most} surfaces along pixel {pixel:?}: take another direction")]
    Layers {
        /// Which body has the most.
        body: usize,
        /// The pixel of its row, and the row.
        pixel: [u32; 2],
        /// How many there is room for.
        most: usize,
    },
    /// A draw, a triangle or a point that names what is not there.
    #[error("{what} {index} of body {body} does not exist: there are {count}")]
    Missing {
        /// What is named.
        what: &'static str,
        /// Which one.
        index: usize,
        /// Of which body of the scene.
        body: usize,
        /// How many there are.
        count: usize,
    },
    /// A device that cannot do it; the software raster can.
    #[error("the device left the test: {reason}")]
    Device {
        /// Why.
        reason: String,
    },
}
