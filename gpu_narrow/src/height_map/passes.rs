//! The rows of the passes of height maps and clouds.

use impinge_image_space::passes;
use wgpu::ShaderStages;

use super::layout::*;
use crate::device::pass::{Pass, Slot, SlotKind, Stage, shared_struct, shared_u32};

/// Geometry is pulled by vertex shaders alone; limits count stage by stage.
const VERTEX: ShaderStages = ShaderStages::VERTEX;
const DRAW_STAGES: ShaderStages = ShaderStages::VERTEX_FRAGMENT;

/// Surfaces to maps.
pub const DRAW: Pass = Pass {
    name: passes::HEIGHT_MAP,
    source: include_str!("height_map.wgsl"),
    entries: &[
        ("height_map_vertex", Stage::Vertex),
        ("height_map_object", Stage::Fragment),
        ("height_map_environment", Stage::Fragment),
        ("height_map_known", Stage::Fragment),
    ],
    groups: &[
        &[
            Slot::new("params", SlotKind::Uniform, DRAW_STAGES),
            Slot::new("vertices", SlotKind::Read, VERTEX),
            Slot::new("indices", SlotKind::Read, VERTEX),
            Slot::new("channels", SlotKind::Read, VERTEX),
        ],
        &[Slot::new("near_map", SlotKind::Depth, DRAW_STAGES)],
    ],
    constants: &[],
    own_constants: &[],
    structs: &[
        shared_struct!(DrawParams: to_image, rotation, start, stride, indexed, body, corners, gate, least, near, known, known_start, known_stride, spare, all),
    ],
};

/// Maps to records.
pub const COMPARE: Pass = Pass {
    name: "height_map_compare",
    source: include_str!("height_map_compare.wgsl"),
    entries: &[("height_map_compare", Stage::Compute([COMPARE_SIDE, COMPARE_SIDE, 1]))],
    groups: &[&[
        Slot::compute("params", SlotKind::Uniform),
        Slot::compute("far_map", SlotKind::Depth),
        Slot::compute("environment", SlotKind::Depth),
        Slot::compute("seen", SlotKind::Whole),
        Slot::compute("known", SlotKind::Floats),
        Slot::compute("answers", SlotKind::Write),
    ]],
    constants: shared_u32![HEADER_WORDS, RECORD_WORDS],
    own_constants: &[],
    structs: &[shared_struct!(CompareParams: size, capacity, sequence, known, spare)],
};

/// Points against a map.
pub const CLOUD: Pass = Pass {
    name: passes::CLOUD,
    source: include_str!("cloud.wgsl"),
    entries: &[("cloud", Stage::Compute([CLOUD_THREADS, 1, 1]))],
    groups: &[&[
        Slot::compute("params", SlotKind::Uniform),
        Slot::compute("map", SlotKind::Depth),
        Slot::compute("seen", SlotKind::Whole),
        Slot::compute("before", SlotKind::Read),
        Slot::compute("places", SlotKind::Write),
        Slot::compute("velocities", SlotKind::Write),
        Slot::compute("answers", SlotKind::Write),
        Slot::compute("known", SlotKind::Floats),
    ]],
    constants: shared_u32![CLOUD_THREADS, CLOUD_RECORD_WORDS, HEADER_WORDS],
    own_constants: &["NOTHING"],
    structs: &[
        shared_struct!(CloudParams: to_image, direction, cube, size, stride, count, restitution, friction, gap, row, radius, records, known, spare),
    ],
};
