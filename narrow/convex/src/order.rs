//! An order of two solids that does not ask which of them is A.

use std::cmp::Ordering;

use impinge_geometry::Primitive;

use crate::support::{ConvexShape, Placed};

/// Whether A goes first. Computed in this order, an answer does not depend on which solid is A, down
/// to the last bit.
pub(crate) fn in_order(a: &Placed, b: &Placed) -> bool {
    rank(a)
        .partial_cmp(&rank(b))
        .unwrap_or(Ordering::Equal)
        .then_with(|| pose(a).partial_cmp(&pose(b)).unwrap_or(Ordering::Equal))
        .then_with(|| corners(a).partial_cmp(corners(b)).unwrap_or(Ordering::Equal))
        != Ordering::Greater
}

/// Kind and sizes (m).
fn rank(solid: &Placed) -> [f64; 4] {
    let [x, y, z, kind] = match &solid.shape {
        ConvexShape::Primitive(Primitive::HalfSpace) => [0.0; 4],
        ConvexShape::Primitive(Primitive::Sphere { radius }) => [*radius, 0.0, 0.0, 1.0],
        ConvexShape::Primitive(Primitive::Capsule { half_height, radius }) => {
            [*radius, *half_height, 0.0, 2.0]
        }
        ConvexShape::Primitive(Primitive::Cylinder { half_height, radius }) => {
            [*radius, *half_height, 0.0, 3.0]
        }
        ConvexShape::Primitive(Primitive::Cuboid { half: [x, y, z] }) => [*x, *y, *z, 4.0],
        ConvexShape::Hull(mesh) => {
            let extents = mesh.aabb().extents();
            [extents[0], extents[1], extents[2], 5.0]
        }
        ConvexShape::Triangle(_) => [0.0, 0.0, 0.0, 6.0],
    };
    [kind, x, y, z].map(f64::from)
}

/// Where it stands: offset (m), then rotation.
fn pose(solid: &Placed) -> ([f64; 3], [[f64; 3]; 3]) {
    (solid.offset.into(), solid.rotation.into())
}

/// Coordinates of a hull's corners (m).
fn corners(solid: &Placed) -> impl Iterator<Item = f32> {
    let vertices = match &solid.shape {
        ConvexShape::Hull(mesh) => mesh.vertices(),
        _ => &[],
    };
    vertices.iter().flat_map(|p| [p.x, p.y, p.z])
}
