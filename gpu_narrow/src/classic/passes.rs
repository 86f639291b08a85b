//! The rows of the passes of the classic tests: one draws figures, one works distance fields out.

use impinge_image_space::ldi::LAST_DEPTH;
use wgpu::ShaderStages;

use super::layout::*;
use crate::device::pass::{Pass, Slot, SlotKind, Stage, shared_struct, shared_u32};

/// A figure over a depth and a stencil buffer.
pub const FIGURE: Pass = Pass {
    name: "figure",
    source: concat!(
        include_str!("../wgsl/int64.wgsl"),
        include_str!("../wgsl/coverage.wgsl"),
        include_str!("figure.wgsl")
    ),
    entries: &[("boxes", Stage::Vertex), ("figure", Stage::Fragment)],
    groups: &[&[
        Slot::new("params", SlotKind::Uniform, ShaderStages::VERTEX_FRAGMENT),
        Slot::new("bodies", SlotKind::Read, ShaderStages::VERTEX),
    ]],
    constants: shared_u32![
        FIGURE_VERTICES,
        BUFFER_DEPTHS,
        LAST_DEPTH,
        FIGURE_FACES,
        FIGURE_SHRUNK,
        FIGURE_NEAR,
        FIGURE_FAR,
        FIGURE_POINTS
    ],
    own_constants: &["SLOPE_BITS", "ROUNDING"],
    structs: &[shared_struct!(FigureParams: vertices, corners, slopes, points, wide, high, sub_bits, figure,
        faces, steps, spare_0, spare_1)],
};

/// The distances of all pixels to the outline of a polygon.
pub const FIELD: Pass = Pass {
    name: "field",
    source: include_str!("field.wgsl"),
    entries: &[("field", Stage::Compute([FIELD_GROUP, 1, 1]))],
    groups: &[&[
        Slot::compute("params", SlotKind::Uniform),
        Slot::compute("outline", SlotKind::Read),
        Slot::compute("distances", SlotKind::Write),
    ]],
    constants: shared_u32![FIELD_GROUP],
    own_constants: &[],
    structs: &[shared_struct!(FieldParams: wide, pixels, corners, spare_0, right_x, right_y, up_x, up_y)],
};
