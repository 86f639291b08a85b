//! What a ray hits of a part, and what it may hit.

use nalgebra::Vector3;

/// Which sides of a surface are hit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Faces {
    /// Front and back: where the ray goes in, and where it comes out.
    #[default]
    Both,
    /// The front alone: where the ray goes in.
    Front,
}

/// Where a ray meets a part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartHit {
    /// When: t of the ray, from 0.
    pub time: f64,
    /// The triangle, of meshes and hulls.
    pub triangle: Option<u32>,
    /// Whether the ray goes in there: whether it meets the front of the surface.
    pub entering: bool,
    /// Outward unit normal of the surface (axes of the world), of its back, too.
    pub normal: Vector3<f64>,
}
