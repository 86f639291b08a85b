//! The rows of the passes that draw tiles.

use impinge_image_space::view::SUB_BITS;
use wgpu::ShaderStages;

use super::layout::*;
use crate::device::pass::{Pass, SharedStruct, Slot, SlotKind, Stage, shared_struct, shared_u32};
use crate::image::layout::{
    COUNTED, DEEPEST_PIXEL, FACES_FRONT, NAMED, NO_ROOM, TILE_PIXELS, TILE_SIDE, TileParams, TileRow,
    TileUnit, UNSEEN, WIDE,
};

const PARAMS: SharedStruct = shared_struct!(TileParams: tiles, row, first, sequence, base);
const UNIT: SharedStruct =
    shared_struct!(TileUnit: first, count, of_a, side, origin, flags, capacity, answer, deepest, bits);
const ROW: SharedStruct = shared_struct!(TileRow: edge, area, x, name, y, spare_y, z, spare_z);
const SPAN: SharedStruct = shared_struct!(TileSpan: first, row, of_a, about);
const ARGUMENTS: SharedStruct =
    shared_struct!(DrawArguments: vertices, instances, first_vertex, first_instance);

/// Where the triangles of tiles begin, and how many there are.
pub const SPANS: Pass = Pass {
    name: "capture_spans",
    source: concat!(
        include_str!("../tile.wgsl"),
        include_str!("tile_span.wgsl"),
        include_str!("draw_arguments.wgsl"),
        include_str!("capture_spans.wgsl")
    ),
    entries: &[("capture_spans", Stage::Compute([TILE_PIXELS, 1, 1]))],
    groups: &[&[
        Slot::compute("params", SlotKind::Uniform),
        Slot::compute("tiles", SlotKind::Read),
        Slot::compute("rows", SlotKind::Read),
        Slot::compute("spans", SlotKind::Write),
        Slot::compute("arguments", SlotKind::Write),
    ]],
    constants: shared_u32![
        TILE_SIDE,
        TILE_PIXELS,
        DEEPEST_PIXEL,
        FACES_FRONT,
        NO_ROOM,
        UNSEEN,
        WIDE,
        SUB_BITS,
        COUNTED,
        NAMED,
        SPAN_NAMED,
        BOX_VERTICES,
        PEELED_LAYERS
    ],
    own_constants: &[],
    structs: &[PARAMS, UNIT, ROW, SPAN, ARGUMENTS],
};

/// The slots of a draw, but for the last.
const PARAMS_SLOT: Slot = Slot::new("params", SlotKind::Uniform, ShaderStages::VERTEX);
const SPANS_SLOT: Slot = Slot::new("spans", SlotKind::Read, ShaderStages::VERTEX);
const ROWS_SLOT: Slot = Slot::new("rows", SlotKind::Read, ShaderStages::VERTEX_FRAGMENT);
const COUNTS_SLOT: Slot = Slot::new("counts", SlotKind::Write, ShaderStages::FRAGMENT);

/// All crossings in one draw.
pub const UNORDERED: Pass = Pass {
    name: "capture_unordered",
    source: concat!(
        include_str!("../../wgsl/int64.wgsl"),
        include_str!("../../wgsl/coverage.wgsl"),
        include_str!("../tile.wgsl"),
        include_str!("../edge.wgsl"),
        include_str!("../crossing.wgsl"),
        include_str!("tile_span.wgsl"),
        include_str!("capture_boxes.wgsl"),
        include_str!("capture_unordered.wgsl")
    ),
    entries: &[("boxes", Stage::Vertex), ("capture_unordered", Stage::Fragment)],
    groups: &[&[
        PARAMS_SLOT,
        SPANS_SLOT,
        ROWS_SLOT,
        COUNTS_SLOT,
        Slot::new("crossings", SlotKind::Write, ShaderStages::FRAGMENT),
    ]],
    constants: shared_u32![
        TILE_SIDE,
        TILE_PIXELS,
        DEEPEST_PIXEL,
        FACES_FRONT,
        NO_ROOM,
        UNSEEN,
        WIDE,
        SUB_BITS,
        COUNTED,
        NAMED,
        SPAN_NAMED,
        BOX_VERTICES,
        ATLAS_TILES
    ],
    own_constants: &["EDGE", "FRONT", "SIDE_B"],
    structs: &[PARAMS, UNIT, ROW, SPAN],
};

/// The layer behind the last one.
pub const PEELING: Pass = Pass {
    name: "capture_peeling",
    source: concat!(
        include_str!("../../wgsl/int64.wgsl"),
        include_str!("../../wgsl/coverage.wgsl"),
        include_str!("../tile.wgsl"),
        include_str!("../edge.wgsl"),
        include_str!("../crossing.wgsl"),
        include_str!("tile_span.wgsl"),
        include_str!("capture_boxes.wgsl"),
        include_str!("capture_peeling.wgsl")
    ),
    entries: &[("boxes", Stage::Vertex), ("peel_next", Stage::Fragment)],
    groups: &[&[
        PARAMS_SLOT,
        SPANS_SLOT,
        ROWS_SLOT,
        COUNTS_SLOT,
        Slot::new("last", SlotKind::Whole, ShaderStages::FRAGMENT),
    ]],
    constants: shared_u32![
        TILE_SIDE,
        TILE_PIXELS,
        DEEPEST_PIXEL,
        FACES_FRONT,
        NO_ROOM,
        UNSEEN,
        WIDE,
        SUB_BITS,
        COUNTED,
        NAMED,
        SPAN_NAMED,
        BOX_VERTICES,
        ATLAS_TILES,
        NOTHING
    ],
    own_constants: &["EDGE", "FRONT", "SIDE_B", "UPPER_DEPTHS", "DEPTH_RANGE"],
    structs: &[PARAMS, UNIT, ROW, SPAN],
};

/// The first layer.
pub const FIRST_LAYER: Pass = Pass {
    name: "capture_first_layer",
    entries: &[("boxes", Stage::Vertex), ("peel_first", Stage::Fragment)],
    ..PEELING
};

/// A layer taken over, and the next asked for.
pub const COLLECT: Pass = Pass {
    name: "capture_collect",
    source: concat!(
        include_str!("../tile.wgsl"),
        include_str!("draw_arguments.wgsl"),
        include_str!("capture_collect.wgsl")
    ),
    entries: &[("capture_collect", Stage::Compute([TILE_PIXELS, 1, 1]))],
    groups: &[&[
        Slot::compute("params", SlotKind::Uniform),
        Slot::compute("layer", SlotKind::Whole),
        Slot::compute("crossings", SlotKind::Write),
        Slot::compute("arguments", SlotKind::Write),
    ]],
    constants: shared_u32![
        TILE_SIDE,
        TILE_PIXELS,
        DEEPEST_PIXEL,
        FACES_FRONT,
        NO_ROOM,
        UNSEEN,
        WIDE,
        SUB_BITS,
        ATLAS_TILES,
        PEELED_LAYERS,
        NOTHING
    ],
    own_constants: &[],
    structs: &[PARAMS, UNIT, ROW, ARGUMENTS],
};
