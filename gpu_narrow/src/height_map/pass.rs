//! The table of these passes: pipelines and the layout test go by it.

use impinge_image_space::passes;
use wgpu::ShaderStages;

use super::layout;
use crate::passes::SharedStruct;

/// How a shader uses what is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotKind {
    /// A uniform, bound at an offset.
    Uniform,
    /// Storage that is read.
    Read,
    /// Storage that is written.
    Write,
    /// A depth texture.
    Depth,
    /// A texture of whole numbers.
    Whole,
    /// A texture of numbers, read texel by texel.
    Numbers,
}

/// What is bound: the shader's name for it, and how it is used.
pub type Slot = (&'static str, SlotKind);

/// A shader with its entry points.
#[derive(Clone, Copy, Debug)]
pub struct MapPass {
    /// The name of the shader's file, which begins with that of the CPU's pass.
    pub name: &'static str,
    /// The shader.
    pub source: &'static str,
    /// Its entry points: vertex and fragment shaders, or one compute shader with its workgroup.
    pub entries: &'static [(&'static str, ShaderStages)],
    /// Threads of a workgroup; zeros of a pass that draws.
    pub workgroup: [u32; 3],
    /// What is bound, group by group.
    pub groups: &'static [&'static [Slot]],
    /// Constants that Rust and the shader share.
    pub constants: &'static [(&'static str, u32)],
    /// Structs that Rust and the shader share.
    pub structs: &'static [SharedStruct],
}

/// Members and their offsets in a Rust struct.
macro_rules! offsets {
    ($name:ident: $($member:ident),+) => {
        (stringify!($name), size_of::<layout::$name>(), &[
            $((stringify!($member), std::mem::offset_of!(layout::$name, $member))),+
        ])
    };
}

/// Surfaces to maps.
pub const DRAW: MapPass = MapPass {
    name: passes::HEIGHT_MAP,
    source: include_str!("../../shaders/height_map.wgsl"),
    entries: &[
        ("height_map_vertex", ShaderStages::VERTEX),
        ("height_map_object", ShaderStages::FRAGMENT),
        ("height_map_environment", ShaderStages::FRAGMENT),
        ("height_map_known", ShaderStages::FRAGMENT),
    ],
    workgroup: [0; 3],
    groups: &[
        &[
            ("params", SlotKind::Uniform),
            ("vertices", SlotKind::Read),
            ("indices", SlotKind::Read),
            ("channels", SlotKind::Read),
        ],
        &[("near_map", SlotKind::Depth)],
    ],
    constants: &[],
    structs: &[
        offsets!(DrawParams: to_image, rotation, start, stride, indexed, body, corners, gate, least, near, known, known_start, known_stride, spare, all),
    ],
};

/// Maps to records.
pub const COMPARE: MapPass = MapPass {
    name: "height_map_compare",
    source: include_str!("../../shaders/height_map_compare.wgsl"),
    entries: &[("height_map_compare", ShaderStages::COMPUTE)],
    workgroup: [layout::COMPARE_SIDE, layout::COMPARE_SIDE, 1],
    groups: &[&[
        ("params", SlotKind::Uniform),
        ("far_map", SlotKind::Depth),
        ("environment", SlotKind::Depth),
        ("seen", SlotKind::Whole),
        ("known", SlotKind::Numbers),
        ("answers", SlotKind::Write),
    ]],
    constants: &[("HEADER_WORDS", layout::HEADER_WORDS), ("RECORD_WORDS", layout::RECORD_WORDS)],
    structs: &[offsets!(CompareParams: size, capacity, sequence, known, spare)],
};

/// Points against a map.
pub const CLOUD: MapPass = MapPass {
    name: passes::CLOUD,
    source: include_str!("../../shaders/cloud.wgsl"),
    entries: &[("cloud", ShaderStages::COMPUTE)],
    workgroup: [layout::CLOUD_THREADS, 1, 1],
    groups: &[&[
        ("params", SlotKind::Uniform),
        ("map", SlotKind::Depth),
        ("seen", SlotKind::Whole),
        ("before", SlotKind::Read),
        ("places", SlotKind::Write),
        ("velocities", SlotKind::Write),
        ("counts", SlotKind::Write),
    ]],
    constants: &[("WORKGROUP", layout::CLOUD_THREADS)],
    structs: &[
        offsets!(CloudParams: to_image, direction, cube, size, stride, count, restitution, friction, gap, row),
    ],
};

/// All of them.
pub const MAP_PASSES: &[MapPass] = &[DRAW, COMPARE, CLOUD];
