//! The row of the pass that draws figures of the classic tests.

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
