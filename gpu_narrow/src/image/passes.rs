//! The rows of the passes that look at pairs: views laid on the device, triangles in whole numbers, layers, intervals.

use impinge_image_space::passes;

use super::layout::*;
use crate::device::pass::{Pass, SharedStruct, Slot, SlotKind, Stage, shared_struct, shared_u32};
use crate::intersect::layout::{MASK_WORDS, RECORD_WORDS, UNIT_LEAF_PAIRS, WORKGROUP};
use impinge_image_space::view::SUB_BITS;

const PARAMS: SharedStruct = shared_struct!(TileParams: tiles, row, first, sequence, base);
const UNIT: SharedStruct =
    shared_struct!(TileUnit: first, count, of_a, side, origin, flags, capacity, answer, deepest, bits);
const ROW: SharedStruct = shared_struct!(TileRow: edge, area, x, name, y, spare_y, z, spare_z);
const MAP: SharedStruct = shared_struct!(LatticeMap: origin, far, quanta, spare, right, shift_right, up, shift_up, depth, shift_depth, start_right, start_up, start_depth, spare_2);

/// Views of pairs, laid along their contours, and the triangles that they may show in whole numbers.
pub const VIEW: Pass = Pass {
    name: passes::VIEW,
    source: concat!(
        include_str!("../wgsl/int64.wgsl"),
        include_str!("../wgsl/coverage.wgsl"),
        include_str!("tile.wgsl"),
        include_str!("lattice_map.wgsl"),
        include_str!("edge.wgsl"),
        include_str!("row.wgsl"),
        include_str!("map.wgsl"),
        include_str!("view.wgsl")
    ),
    entries: &[("view", Stage::Compute([WORKGROUP, 1, 1]))],
    groups: &[&[
        Slot::compute("params", SlotKind::Uniform),
        Slot::compute("meshes", SlotKind::Read),
        Slot::compute("answers", SlotKind::Read),
        Slot::compute("pairs", SlotKind::Write),
        Slot::compute("rows", SlotKind::Write),
    ]],
    constants: shared_u32![
        WORKGROUP,
        UNIT_LEAF_PAIRS,
        RECORD_WORDS,
        MASK_WORDS,
        NO_CONTOUR,
        NO_NORMAL,
        OVER_ROWS,
        TILE_SIDE,
        TILE_PIXELS,
        DEEPEST_PIXEL,
        FACES_FRONT,
        NO_ROOM,
        UNSEEN,
        WIDE,
        SUB_BITS
    ],
    own_constants: &[
        "DEPTH_STEPS",
        "SUB_PIXELS",
        "GAP",
        "NO_AREA",
        "CERTAIN",
        "THINNEST",
        "LEAST_POWER",
        "ACROSS",
        "DEEP",
        "EDGE",
    ],
    structs: &[
        PARAMS,
        shared_struct!(ViewPair: to_a, origin, scale, vertices_a, corners_a, count_a, vertices_b, corners_b, count_b,
            answer, leaf_pairs, first, room, side, delta, status, shown, sequence, hits, area, spare, maps),
        ROW,
        MAP,
    ],
};

/// The triangles of views in whole numbers.
pub const SNAP: Pass = Pass {
    name: passes::SNAP,
    source: concat!(
        include_str!("../wgsl/int64.wgsl"),
        include_str!("../wgsl/coverage.wgsl"),
        include_str!("tile.wgsl"),
        include_str!("lattice_map.wgsl"),
        include_str!("edge.wgsl"),
        include_str!("row.wgsl"),
        include_str!("snap.wgsl")
    ),
    entries: &[("snap", Stage::Compute([SNAP_THREADS, 1, 1]))],
    groups: &[&[
        Slot::compute("params", SlotKind::Uniform),
        Slot::compute("meshes", SlotKind::Read),
        Slot::compute("views", SlotKind::Read),
        Slot::compute("triangles", SlotKind::Read),
        Slot::compute("rows", SlotKind::Write),
    ]],
    constants: shared_u32![
        SNAP_THREADS,
        TILE_SIDE,
        TILE_PIXELS,
        DEEPEST_PIXEL,
        FACES_FRONT,
        NO_ROOM,
        UNSEEN,
        WIDE,
        SUB_BITS
    ],
    own_constants: &["ACROSS", "DEEP", "EDGE"],
    structs: &[
        PARAMS,
        shared_struct!(SnapView: first, count, of_a, side, vertices_a, corners_a, slots_a, vertices_b, corners_b,
            slots_b, spare, maps),
        ROW,
        MAP,
    ],
};

/// Layers of tiles.
pub const LAYERS: Pass = Pass {
    name: passes::LAYERS,
    source: concat!(
        include_str!("../wgsl/int64.wgsl"),
        include_str!("../wgsl/coverage.wgsl"),
        include_str!("tile.wgsl"),
        include_str!("edge.wgsl"),
        include_str!("crossing.wgsl"),
        include_str!("layers.wgsl")
    ),
    entries: &[("layers", Stage::Compute([TILE_PIXELS, 1, 1]))],
    groups: &[&[
        Slot::compute("params", SlotKind::Uniform),
        Slot::compute("tiles", SlotKind::Read),
        Slot::compute("rows", SlotKind::Read),
        Slot::compute("counts", SlotKind::Write),
        Slot::compute("crossings", SlotKind::Write),
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
        NAMED
    ],
    own_constants: &["FRONT", "SIDE_B", "EDGE", "STRIPS", "COVERED"],
    structs: &[PARAMS, UNIT, ROW],
};

/// Intervals of tiles, and their sums.
pub const INTERVALS: Pass = Pass {
    name: passes::INTERVALS,
    source: concat!(
        include_str!("tile.wgsl"),
        include_str!("body_intervals.wgsl"),
        include_str!("interval_sums.wgsl"),
        include_str!("intervals.wgsl")
    ),
    entries: &[("intervals", Stage::Compute([TILE_PIXELS, 1, 1]))],
    groups: &[&[
        Slot::compute("params", SlotKind::Uniform),
        Slot::compute("tiles", SlotKind::Read),
        Slot::compute("counts", SlotKind::Read),
        Slot::compute("crossings", SlotKind::Read),
        Slot::compute("answers", SlotKind::Write),
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
        TILE_RECORD_WORDS,
        OPEN_A,
        OPEN_B,
        WHOLE,
        OVER_LAYERS,
        OVER_INTERVALS,
        OVER_RANGE,
        PACKED
    ],
    own_constants: &["NEAREST", "FARTHEST", "BEYOND", "NOWHERE", "SUMS"],
    structs: &[
        PARAMS,
        UNIT,
        shared_struct!(TileRecord: sequence, status, crossings, intervals, odd, cut, length, pixels, overlaps, touches,
            moment_i, moment_j, gradient, gradient_i, gradient_j, longest, deepest, moment_z, apart_along,
            apart_against),
    ],
};
