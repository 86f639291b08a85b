//! The sides of a triangle: functions that are positive inside.

use super::integer::Integer;

/// Whether a centre that lies on an edge from which the inside is to the left (right, up) is covered: it is on left and
/// on top edges, as rasterisers of devices have it.
#[inline(always)]
pub(super) fn owns(dx: i64, dy: i64) -> bool {
    dy < 0 || (dy == 0 && dx < 0)
}

/// One side of a triangle, at the centre of a pixel and from pixel to pixel. It is positive to the left of the way from
/// corner to corner.
#[derive(Clone, Copy)]
pub(super) struct Edge<T> {
    /// At the pixel.
    pub at: T,
    /// From one pixel to the next, to the right and up.
    pub right: T,
    pub up: T,
    /// What it must at least be for a pixel to be covered.
    pub least: T,
}

impl<T: Integer> Edge<T> {
    /// Of the side between two corners, at a pixel's centre (sub-pixels).
    #[inline(always)]
    pub fn new(from: [i64; 2], to: [i64; 2], centre: [i64; 2], sub: i64) -> Edge<T> {
        let d = [to[0] - from[0], to[1] - from[1]];
        Edge {
            at: T::cross(d, [centre[0] - from[0], centre[1] - from[1]]),
            right: T::cross(d, [sub, 0]),
            up: T::cross(d, [0, sub]),
            least: T::from(i64::from(!owns(d[0], d[1]))),
        }
    }
}
