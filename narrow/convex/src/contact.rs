//! The deepest (or nearest) points of two convex solids, and what their sizes are measured by.

use impinge_geometry::Primitive;
use nalgebra::{Point3, Vector3};

use crate::support::{ConvexShape, Placed};

/// How two convex solids stand to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Contact {
    /// Unit vector from A to B.
    pub normal: Vector3<f64>,
    /// How far B has to move along the normal to be free (m); negative: how far they are apart.
    pub depth: f64,
    /// The deepest (or nearest) point of A (m).
    pub on_a: Point3<f64>,
    /// The deepest (or nearest) point of B (m).
    pub on_b: Point3<f64>,
}

impl Contact {
    /// The same contact with A and B exchanged.
    pub fn turned(self) -> Contact {
        Contact { normal: -self.normal, depth: self.depth, on_a: self.on_b, on_b: self.on_a }
    }
}

/// Depths below this part of the solids' size are lost in rounding.
pub(crate) const ROUNDING: f64 = 1e-9;

/// A length of the order of both solids' extent (m).
pub(crate) fn size(a: &Placed, b: &Placed) -> f64 {
    extent(a).max(extent(b))
}

/// Half the greatest extent of a solid, roughly (m).
pub(crate) fn extent(solid: &Placed) -> f64 {
    match &solid.shape {
        ConvexShape::Primitive(Primitive::HalfSpace) => 0.0,
        ConvexShape::Primitive(Primitive::Sphere { radius }) => f64::from(*radius),
        ConvexShape::Primitive(Primitive::Cuboid { half }) => {
            f64::from(half.iter().copied().fold(0.0, f32::max))
        }
        ConvexShape::Primitive(Primitive::Capsule { half_height, radius }) => {
            f64::from(*half_height) + f64::from(*radius)
        }
        ConvexShape::Primitive(Primitive::Cylinder { half_height, radius }) => {
            f64::from(half_height.max(*radius))
        }
        ConvexShape::Hull(mesh) => f64::from(mesh.aabb().extents().into_iter().fold(0.0, f32::max)) * 0.5,
        ConvexShape::Triangle(t) => (t[1] - t[0]).norm().max((t[2] - t[0]).norm()),
    }
}

/// A vector at right angles to `v`; +z for zero.
pub(crate) fn perpendicular(v: Vector3<f64>) -> Vector3<f64> {
    let largest = v.amax();
    if largest <= 0.0 {
        return Vector3::z();
    }
    let least = (1..3).fold(0, |k, i| if v[i].abs() < v[k].abs() { i } else { k });
    let mut axis = Vector3::zeros();
    axis[least] = 1.0;
    (v / largest).cross(&axis)
}
