//! What can be wrong with a height field or an edit of one.

/// The most samples along an axis.
pub const MOST_SAMPLES: u32 = 16_384;

/// A height field that cannot be made, or an edit that it cannot take. Samples are named by their place in a row and their row.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HeightFieldError {
    /// Too few samples along an axis, or too many.
    #[error(
        "height field: {size:?} samples along x and y; there must be from 2 to {MOST_SAMPLES} along each"
    )]
    Size {
        /// Samples along x and y.
        size: [u32; 2],
    },
    /// An array has another length.
    #[error("height field: {given} {what} were given; {size:?} samples need {expected}")]
    Count {
        /// Of what.
        what: &'static str,
        /// How many there are.
        given: usize,
        /// How many there should be.
        expected: usize,
        /// Samples along x and y.
        size: [u32; 2],
    },
    /// Samples stand at no distance from each other, or too far.
    #[error(
        "height field: spacing along {axis} is {value:?} m; it must be greater than 0, and the whole field at most {:e} m long",
        crate::FARTHEST
    )]
    Spacing {
        /// `x` or `y`.
        axis: &'static str,
        /// Its value (m).
        value: f32,
    },
    /// A height is infinite or too large.
    #[error(
        "height field: sample {sample:?} is {value:?} m; it must be at most {:e} m in magnitude, or NaN where there is no terrain",
        crate::FARTHEST
    )]
    Height {
        /// Its place in a row, and its row.
        sample: [u32; 2],
        /// Its value (m).
        value: f32,
    },
    /// What samples are multiplied with says nothing.
    #[error(
        "height field: {what} of the samples is {value:?} m; it must be finite and at most {:e} m in magnitude",
        crate::FARTHEST
    )]
    Scale {
        /// `base` or `step`.
        what: &'static str,
        /// Its value (m).
        value: f32,
    },
    /// The bottom is not below the terrain.
    #[error(
        "height field: the bottom is {bottom:?} m, the lowest sample {lowest:?} m at {sample:?}; the bottom must be finite and below all samples"
    )]
    Bottom {
        /// The bottom (m).
        bottom: f32,
        /// The lowest sample (m).
        lowest: f32,
        /// Its place in a row, and its row.
        sample: [u32; 2],
    },
    /// Nothing is left of the terrain.
    #[error(
        "height field: no triangle is left between NaN samples and cells taken out; at least one is needed"
    )]
    Empty,
    /// An edit goes beyond the field.
    #[error("height field: {count:?} samples from {first:?} on go beyond the field's {size:?}")]
    OutOfRange {
        /// The first sample of the edit: its place in a row, and its row.
        first: [u32; 2],
        /// Samples along x and y.
        count: [u32; 2],
        /// Those of the field.
        size: [u32; 2],
    },
    /// The samples are stored in another form.
    #[error("height field: its samples are {stored}; the edit gives {given}")]
    Form {
        /// How they are stored.
        stored: &'static str,
        /// What was given.
        given: &'static str,
    },
}
