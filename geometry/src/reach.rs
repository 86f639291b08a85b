//! How far from the origin anything may be.

/// Greatest magnitude of a coordinate of a shape, a size, or a position of a pose (m); what is beyond is refused
/// with a typed error. A shape at such a pose still has an `f32` box and sphere, with a hundred million times to
/// spare; squares, and products of three coordinates, stay far within `f64`. There is no least size: coordinates
/// may be any `f32`, and what is too small to bound a volume is refused as such.
pub const FARTHEST: f64 = 1e30;

/// Whether a coordinate or size (m) is a number of a magnitude up to [`FARTHEST`].
pub(crate) fn within_reach(x: f32) -> bool {
    // f32's 1e30 is a little less than f64's or a little more; it is the bound as a caller writes it.
    x.abs() <= FARTHEST as f32
}
