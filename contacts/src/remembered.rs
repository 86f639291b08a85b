//! A point of the last step.

use nalgebra::{Point3, Vector3};

use crate::tunables::MATCH_COSINE;
use crate::{ContactPoint, Impulse, Manifold};

/// A point of the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Remembered {
    pub subshapes: [u32; 2],
    /// Which of the pair's manifolds it was of.
    pub manifold: u32,
    pub key: u64,
    pub feature: u64,
    pub local_a: Point3<f32>,
    pub local_b: Point3<f32>,
    /// The manifold's.
    pub normal: Vector3<f64>,
    /// The point's own.
    pub point_normal: Vector3<f64>,
    pub impulse: Impulse,
}

impl Remembered {
    /// Whether it may be one of a manifold.
    pub fn may_be_of(&self, manifold: &Manifold) -> bool {
        self.subshapes == manifold.subshapes && self.normal.dot(&manifold.normal) >= MATCH_COSINE
    }

    /// How far a point is from this one (m), on the collider on which it is nearer.
    pub fn distance(&self, point: &ContactPoint) -> f32 {
        (self.local_a - point.local_a).norm().min((self.local_b - point.local_b).norm())
    }
}
