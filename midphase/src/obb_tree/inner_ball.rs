//! A ball inside a closed surface.

use std::sync::{Arc, OnceLock};

use nalgebra::Point3;

/// A ball that lies inside a closed surface as a whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InnerBall {
    /// (m, the mesh's frame)
    pub center: Point3<f64>,
    /// (m)
    pub radius: f64,
}

/// Where the balls of a tree are kept once they were asked for.
pub(super) type KeptBalls = OnceLock<Arc<[InnerBall]>>;
