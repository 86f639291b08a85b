//! What can be wrong with a level set or an edit of one.

/// The most samples along an axis.
pub const MOST_LEVELS: u32 = 1024;
/// The most samples in all, those that round rows up to powers of two included.
pub(super) const MOST_STRIDE: u64 = 1 << 27;
/// No coordinate of a grid may be more than so many times its spacing: beyond, crossings of one cell would round to one place.
pub(super) const MOST_STEPS: f32 = 4096.0;

/// A level set that cannot be made, or an edit that it cannot take. Samples are named by their places along x, y and z.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LevelSetError {
    /// Too few samples along an axis, or too many.
    #[error(
        "level set: {size:?} samples along x, y and z; there must be from 3 to {MOST_LEVELS} along each, and at most {MOST_STRIDE} in all when those along x and y are rounded up to powers of two"
    )]
    Size {
        /// Samples along x, y and z.
        size: [u64; 3],
    },
    /// An array has another length.
    #[error("level set: {given} samples were given; {size:?} need {expected}")]
    Count {
        /// How many there are.
        given: usize,
        /// How many there should be.
        expected: usize,
        /// Samples along x, y and z.
        size: [u32; 3],
    },
    /// Samples stand at no distance from each other, or too far.
    #[error(
        "level set: spacing along {axis} is {value:?} m; it must be at least 1e-30 m, and the whole grid at most {:e} m long",
        crate::FARTHEST
    )]
    Spacing {
        /// `x`, `y` or `z`.
        axis: &'static str,
        /// Its value (m).
        value: f32,
    },
    /// The grid stands too far from its frame's origin.
    #[error(
        "level set: along {axis} the grid begins at {value:?} m, with a spacing of {spacing:?} m; no coordinate of it may be more than {MOST_STEPS} times the spacing"
    )]
    Origin {
        /// `x`, `y` or `z`.
        axis: &'static str,
        /// Its value (m).
        value: f32,
        /// The spacing (m).
        spacing: f32,
    },
    /// A sample is NaN, infinite or too large.
    #[error(
        "level set: sample {sample:?} is {value:?}; it must be at most {:e} in magnitude",
        crate::FARTHEST
    )]
    Value {
        /// Its places along x, y and z.
        sample: [u32; 3],
        /// Its value.
        value: f32,
    },
    /// The step of whole numbers is none.
    #[error(
        "level set: the step of the samples is {value:?}; it must be greater than 0 and at most {:e}",
        crate::FARTHEST
    )]
    Step {
        /// Its value.
        value: f32,
    },
    /// The body reaches the border of the grid.
    #[error(
        "level set: sample {sample:?} at the border is {value:?}, which is inside; the surface must close within the grid, so samples at its border must not be negative"
    )]
    Border {
        /// Its places along x, y and z.
        sample: [u32; 3],
        /// Its value.
        value: f32,
    },
    /// Nothing is inside.
    #[error(
        "level set: no sample is negative, so nothing is inside; at least one is needed (of a mesh, the spacing may be too wide for it)"
    )]
    Empty,
    /// An edit goes beyond the grid.
    #[error("level set: {count:?} samples from {first:?} on go beyond the grid's {size:?}")]
    OutOfRange {
        /// The first sample of the edit.
        first: [u32; 3],
        /// Samples along x, y and z.
        count: [u32; 3],
        /// Those of the grid.
        size: [u32; 3],
    },
    /// The samples are stored in another form.
    #[error("level set: its samples are {stored}; the edit gives {given}")]
    Form {
        /// How they are stored.
        stored: &'static str,
        /// What was given.
        given: &'static str,
    },
    /// A mesh bounds nothing.
    #[error(
        "level set: the mesh is a soup with {defects} defects and has no inside; close it (`TriMesh::repaired`), so that distances have signs"
    )]
    Soup {
        /// How many defects its report holds.
        defects: usize,
    },
}
