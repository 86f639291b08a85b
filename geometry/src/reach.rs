//! How far from the origin anything may be.

/// Greatest magnitude of a coordinate of a shape or a position of a pose (m). A shape at such a pose still
/// has an `f32` box and sphere, with a hundred million times to spare.
pub const FARTHEST: f64 = 1e30;

/// Whether a coordinate or size (m) is a number of a magnitude up to [`FARTHEST`].
pub(crate) fn within_reach(x: f32) -> bool {
    // f32's 1e30 is a little less than f64's or a little more; it is the bound as a caller writes it.
    x.abs() <= FARTHEST as f32
}
