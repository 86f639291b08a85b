//! What is too much for a layered depth image.

/// The most pixels per side.
pub const MOST_PIXELS: u32 = 1024;

/// The most cells along a side of a grid.
pub const MOST_CELLS: u32 = 254;

/// Crossings of an image, at most.
pub const MOST_CROSSINGS: u64 = 1 << 31;
