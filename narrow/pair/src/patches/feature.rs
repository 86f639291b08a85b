//! A feature of an intersection: a contour loop, faces that meet in one plane, corners and edges that only touch.

use impinge_image_space::view::Extent;
use nalgebra::Vector3;

/// A feature of the intersection of two surfaces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Feature {
    pub kind: FeatureKind,
    /// Contours of one overlap share this, see [`InteriorVertices`]; others have none.
    pub component: Option<u32>,
    /// Features that lie together share this, also where faces that only meet are a cluster of their own.
    pub family: u32,
    /// Its share of G (m²) and of the torque part (m³, about the pair frame's origin).
    pub gradient: Vector3<f64>,
    pub torque: Vector3<f64>,
    /// Its box (m, pair frame).
    pub extent: Extent,
}

/// Where a feature comes from: an index into the loops, or into the degenerate pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FeatureKind {
    /// A contour.
    Loop(u32),
    /// Two faces that overlap in one plane.
    Face(u32),
    /// Corners and edges that touch.
    Touch(u32),
}
