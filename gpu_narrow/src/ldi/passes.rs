//! The rows of the passes that capture layered depth images.

use impinge_image_space::ldi::LAST_DEPTH;
use wgpu::ShaderStages;

use super::layout::*;
use crate::device::pass::{Constant, Pass, SharedStruct, Slot, SlotKind, Stage, shared_struct, shared_u32};

const PARAMS: SharedStruct =
    shared_struct!(LdiParams: views, width, height, layer, pixels, room, blocks, spare);
const VIEW: SharedStruct = shared_struct!(LdiBody: first, vertices, corners, tile_x, tile_y, wide, high,
    sub_bits, faces, pixel, spare_0, spare_1);

const DRAW: ShaderStages = ShaderStages::VERTEX_FRAGMENT;
const VERTEX: ShaderStages = ShaderStages::VERTEX;
const FRAGMENT: ShaderStages = ShaderStages::FRAGMENT;
const COMPUTE: ShaderStages = ShaderStages::COMPUTE;

const SCAN: &[(&str, Constant)] = shared_u32![SCAN_THREADS, SCAN_EACH];

/// One layer of depth peeling.
pub const PEEL: Pass = Pass {
    name: "peel",
    source: concat!(
        include_str!("../wgsl/int64.wgsl"),
        include_str!("../wgsl/coverage.wgsl"),
        include_str!("ldi.wgsl"),
        include_str!("peel.wgsl")
    ),
    entries: &[("boxes", Stage::Vertex), ("peel", Stage::Fragment)],
    groups: &[&[
        Slot::new("params", SlotKind::Uniform, DRAW),
        Slot::new("views", SlotKind::Read, VERTEX),
        Slot::new("bodies", SlotKind::Read, VERTEX),
        Slot::new("last", SlotKind::Whole, FRAGMENT),
    ]],
    constants: shared_u32![BOX_VERTICES, NOTHING, LAST_DEPTH, WORDS_OF_DEPTH],
    own_constants: &[],
    structs: &[PARAMS, VIEW],
};

/// Ends peeling where a layer was empty.
pub const STOP: Pass = Pass {
    name: "stop",
    source: include_str!("stop.wgsl"),
    entries: &[("stop", Stage::Compute([1, 1, 1]))],
    groups: &[&[
        Slot::new("drawn", SlotKind::Read, COMPUTE),
        Slot::new("arguments", SlotKind::Write, COMPUTE),
    ]],
    constants: &[],
    own_constants: &[],
    structs: &[shared_struct!(DrawArguments: vertices, instances, first_vertex, first_instance)],
};

const UNORDERED: &str = concat!(
    include_str!("../wgsl/int64.wgsl"),
    include_str!("../wgsl/coverage.wgsl"),
    include_str!("ldi.wgsl"),
    include_str!("unordered.wgsl")
);

const UNORDERED_SLOTS: &[Slot] = &[
    Slot::new("params", SlotKind::Uniform, DRAW),
    Slot::new("views", SlotKind::Read, VERTEX),
    Slot::new("bodies", SlotKind::Read, VERTEX),
    Slot::new("counts", SlotKind::Write, FRAGMENT),
    Slot::new("starts", SlotKind::Read, FRAGMENT),
    Slot::new("crossings", SlotKind::Write, FRAGMENT),
];

/// Crossings of every pixel, counted.
pub const COUNT: Pass = Pass {
    name: "count",
    source: UNORDERED,
    entries: &[("boxes", Stage::Vertex), ("count", Stage::Fragment)],
    groups: &[UNORDERED_SLOTS],
    constants: shared_u32![BOX_VERTICES, NOTHING, LAST_DEPTH],
    own_constants: &[],
    structs: &[PARAMS, VIEW],
};

/// Crossings placed.
pub const SCATTER: Pass =
    Pass { name: "scatter", entries: &[("boxes", Stage::Vertex), ("scatter", Stage::Fragment)], ..COUNT };

/// Sums within blocks of the counts.
pub const SCAN_BLOCKS: Pass = Pass {
    name: "scan_blocks",
    source: include_str!("scan.wgsl"),
    entries: &[("scan_blocks", Stage::Compute([SCAN_THREADS, 1, 1]))],
    groups: &[&[
        Slot::new("params", SlotKind::Uniform, COMPUTE),
        Slot::new("counts", SlotKind::Read, COMPUTE),
        Slot::new("starts", SlotKind::Write, COMPUTE),
        Slot::new("blocks", SlotKind::Write, COMPUTE),
    ]],
    constants: SCAN,
    own_constants: &[],
    structs: &[PARAMS],
};

/// Sums of the blocks.
pub const SCAN_SUMS: Pass = Pass {
    name: "scan_sums",
    entries: &[("scan_sums", Stage::Compute([SCAN_THREADS, 1, 1]))],
    ..SCAN_BLOCKS
};

/// Both together.
pub const SCAN_ADD: Pass =
    Pass { name: "scan_add", entries: &[("scan_add", Stage::Compute([SCAN_THREADS, 1, 1]))], ..SCAN_BLOCKS };

/// The crossings of every pixel put in order.
pub const SORT: Pass = Pass {
    name: "sort",
    source: include_str!("sort.wgsl"),
    entries: &[("sort", Stage::Compute([SCAN_THREADS, 1, 1]))],
    groups: &[&[
        Slot::new("params", SlotKind::Uniform, COMPUTE),
        Slot::new("starts", SlotKind::Read, COMPUTE),
        Slot::new("crossings", SlotKind::Write, COMPUTE),
    ]],
    constants: &[],
    own_constants: &[],
    structs: &[PARAMS],
};
