//! Oriented boxes.

use nalgebra::{Matrix3, Point3};

/// A box with axes of its own (m), in the frame of what it bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Obb {
    /// Centre (m).
    pub center: Point3<f32>,
    /// Columns are the box's unit axes, right-handed.
    pub axes: Matrix3<f32>,
    /// Half the edge lengths along the axes (m), none negative.
    pub half: [f32; 3],
}
