//! Where a pair of subshapes stands.

use impinge_geometry::{ColliderId, PairFrame, Side};
use nalgebra::{Isometry3, Point3};

/// Where a pair of subshapes stands and whose they are.
#[derive(Clone, Copy, Debug)]
pub struct PairPlacement<'f> {
    /// The colliders A and B.
    pub colliders: [ColliderId; 2],
    /// The frame of the pair of subshapes, as the midphase gave it.
    pub frame: &'f PairFrame,
    /// The pose of each subshape in its collider's frame. (Points are carried to the colliders' frames
    /// through these, not through the world, so that they do not depend on the world's origin.)
    pub subshape_poses: [Isometry3<f64>; 2],
    /// Sum of both colliders' contact tolerances (m). Overlaps not deeper are dropped; 0 drops none.
    pub tolerance: f64,
}

impl PairPlacement<'_> {
    /// Where a point of the pair frame (m) is in the frame of a collider (m).
    pub(crate) fn local(&self, side: Side, p: &Point3<f64>) -> Point3<f32> {
        (self.subshape_poses[side.index()] * self.frame.to_local(side, p)).cast()
    }

    /// Where a point of a collider (m, its frame) is in the pair frame (m).
    pub(crate) fn place(&self, side: Side, local: &Point3<f32>) -> Point3<f64> {
        let of_subshape = self.subshape_poses[side.index()].inverse_transform_point(&local.cast());
        self.frame.place_f64(side, &of_subshape)
    }
}
