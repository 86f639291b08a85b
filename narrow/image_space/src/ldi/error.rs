//! Why a layered depth image, or a question to one, is refused.

use impinge_geometry::PoseError;
use thiserror::Error;

use super::limits::{MOST_CELLS, MOST_PIXELS};

/// Why a layered depth image, or a question to one, is refused.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum LdiError {
    /// No pixels, or more than [`MOST_PIXELS`] per side.
    #[error("a layered depth image of {width} × {height} pixels: each side must be from 1 to {MOST_PIXELS}")]
    Pixels {
        /// Pixels per row asked for.
        width: u32,
        /// Rows asked for.
        height: u32,
    },
    /// A length that is not finite, or not positive.
    #[error("{what} of a view is {value} m: it must be finite and positive")]
    Length {
        /// Which length.
        what: &'static str,
        /// What it was (m).
        value: f64,
    },
    /// A coordinate that is not finite.
    #[error("{what} is {value:?}: it must be finite")]
    NotFinite {
        /// What it belongs to.
        what: &'static str,
        /// What it was (m).
        value: [f64; 3],
    },
    /// A direction that is zero or not finite.
    #[error("a view that looks along {direction:?}: a direction must be finite and not zero")]
    Direction {
        /// Where it was to look.
        direction: [f64; 3],
    },
    /// The body's pose.
    #[error(transparent)]
    Pose(#[from] PoseError),
    /// A vertex too far from the view for its lattice.
    #[error(
        "vertex {vertex} lies {views:.0} times the view's size away from it: at most {} are possible; choose larger bounds",
        super::view::REACH
    )]
    TooFar {
        /// Which vertex.
        vertex: usize,
        /// How far (sizes of the view).
        views: f64,
    },
    /// The surface does not bound a volume.
    #[error(
        "{what} needs the inside of a body, and the surface seen is open: close it, or give it a thickness"
    )]
    NotClosed {
        /// What was asked.
        what: &'static str,
    },
    /// Two images that do not share their view.
    #[error(
        "two layered depth images can be combined only where they share their view: capture both in the same one"
    )]
    ViewsDiffer,
    /// An image that holds front faces or back faces alone.
    #[error("{what} needs front and back faces, and the image holds one of them alone: capture both")]
    OneKindOfFaces {
        /// What was asked.
        what: &'static str,
    },
    /// More crossings than an image can hold.
    #[error("more than {most} crossings: choose fewer pixels")]
    Crossings {
        /// How many are possible.
        most: u64,
    },
    /// No cells, or more than [`MOST_CELLS`] along a side.
    #[error("a grid of {cells} cells: from 1 to {MOST_CELLS} are possible along its longest side")]
    Cells {
        /// Cells asked for.
        cells: u32,
    },
    /// Nothing is left of which a mesh could be made.
    #[error("the result is empty, or thinner than a pixel everywhere: there is no surface to make a mesh of")]
    Empty,
}
