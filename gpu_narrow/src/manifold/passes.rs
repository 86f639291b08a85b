//! The rows of the passes that make contacts: contours and their clusters, views of them, and patches.

use impinge_image_space::crossing::ANALYTIC;
use impinge_image_space::view::SUB_BITS;
use impinge_midphase::obb_tree;

use super::layout::*;
use crate::device::pass::{Constant, Pass, SharedStruct, Slot, SlotKind, Stage, shared_struct, shared_u32};
use crate::image::layout::{
    DEEPEST_PIXEL, FACES_FRONT, LatticeMap, NO_ROOM, OPEN_A, OPEN_B, TILE_PIXELS, TILE_SIDE, TileParams,
    TileRow, TileUnit, UNSEEN, WIDE,
};
use crate::intersect::layout::{IntersectUnit, MASK_WORDS, RECORD_WORDS, UNIT_LEAF_PAIRS, WORKGROUP};
use crate::mesh_boxes::{BOX_CORNERS, BOX_TRIANGLES, BOX_WORDS, STRETCH};

const LEAF_TRIANGLES: u32 = obb_tree::LEAF_TRIANGLES as u32;
const LEAF_TESTS: u32 = LEAF_TRIANGLES * LEAF_TRIANGLES;

/// Contours of pairs, and their clusters.
pub const GROUP: &str = "group";
/// Views of clusters.
pub const CONTACT_VIEW: &str = "contact_view";
/// Lines through solids without triangles.
pub const SOLIDS: &str = "solids";
/// Patches of clusters.
pub const PATCHES: &str = "patches";
/// Where the intervals of views begin.
pub const INTERVAL_PLACES: &str = "interval_places";
/// All intervals of views.
pub const VIEW_INTERVALS: &str = "view_intervals";

const PARAMS: SharedStruct = shared_struct!(TileParams: tiles, row, first, sequence, base);
const LATTICE: SharedStruct = shared_struct!(LatticeMap: origin, far, quanta, spare, right, shift_right, up, shift_up, depth, shift_depth, start_right, start_up, start_depth, spare_2);
const HEAD: SharedStruct = shared_struct!(ContactPairHead: to_a, axes, origin, scale, vertices_a, starts_a, corners_a,
    slots_a, vertices_b, starts_b, corners_b, slots_b, count_a, count_b, first_leaf_pair, leaf_pairs, answer, first_row,
    room, side, delta, kept, kept_count, listed, quanta_a, first_view, quanta_b, views);
const PAIR: SharedStruct =
    shared_struct!(ContactPair: head, status, segments, contours, clusters, cluster, view, segment);
const CLUSTER: SharedStruct =
    shared_struct!(ContourCluster: area, contours, torque, spare, low, spare_low, high, spare_high);
const VIEW: SharedStruct = shared_struct!(ContactView: rows, kept, shown, status, spare, maps);
const SEGMENT: SharedStruct =
    shared_struct!(ContourSegment: start, contour, end, next, begins_at, of_a, ends_at, of_b);

const CANDIDATE: SharedStruct = shared_struct!(Candidate: pixel, depths, triangles);
const RECORD: SharedStruct = shared_struct!(PatchRecord: sequence, status, contours, clusters, area, kept, torque, shown, rows,
    overlaps, longest, length, moment_i, moment_j, moment_z, gradient, apart_along, apart_against, candidates, crossings,
    intervals, place, pair, view, spare, candidate);

/// A constant of the pairs' own file, or of the tiles'.
macro_rules! shared {
    ($($name:ident),+ $(,)?) => {
        &[
            ("TILE_SIDE", Constant::U32(TILE_SIDE)),
            ("TILE_PIXELS", Constant::U32(TILE_PIXELS)),
            ("DEEPEST_PIXEL", Constant::U32(DEEPEST_PIXEL)),
            ("FACES_FRONT", Constant::U32(FACES_FRONT)),
            ("NO_ROOM", Constant::U32(NO_ROOM)),
            ("UNSEEN", Constant::U32(UNSEEN)),
            ("WIDE", Constant::U32(WIDE)),
            ("SUB_BITS", Constant::U32(SUB_BITS)),
            ("MOST_SEGMENTS", Constant::U32(MOST_SEGMENTS)),
            ("MOST_CONTOURS", Constant::U32(MOST_CONTOURS)),
            ("MOST_CLUSTERS", Constant::U32(MOST_CLUSTERS)),
            ("NO_SEGMENT", Constant::U32(NO_SEGMENT)),
            ("OPEN_CONTOUR", Constant::U32(OPEN_CONTOUR)),
            ("COPLANAR", Constant::U32(COPLANAR)),
            ("CREASED", Constant::U32(CREASED)),
            ("OVER_CONTOURS", Constant::U32(OVER_CONTOURS)),
            ("NO_AREA_VECTOR", Constant::U32(NO_AREA_VECTOR)),
            ("OVER_ROWS", Constant::U32(OVER_ROWS)),
            $((stringify!($name), Constant::U32($name))),+
        ]
    };
}

/// All of them, in the order in which they run; layers are those of views.
pub const CONTACT_PASSES: [Pass; 7] = [
    PLACE_PAIRS,
    GROUP_PASS,
    CONTACT_VIEW_PASS,
    SOLIDS_PASS,
    PATCHES_PASS,
    INTERVAL_PLACES_PASS,
    VIEW_INTERVALS_PASS,
];

/// What is sent of each pair, to where the passes keep it.
pub const PLACE_PAIRS: Pass = Pass {
    name: "place_pairs",
    source: concat!(
        include_str!("../image/tile.wgsl"),
        include_str!("../image/lattice_map.wgsl"),
        include_str!("contact_pair.wgsl"),
        include_str!("patch_record.wgsl"),
        include_str!("place_pairs.wgsl")
    ),
    entries: &[("place_pairs", Stage::Compute([WORKGROUP, 1, 1]))],
    groups: &[&[
        Slot::compute("params", SlotKind::Uniform),
        Slot::compute("heads", SlotKind::Read),
        Slot::compute("pairs", SlotKind::Write),
        Slot::compute("records", SlotKind::Write),
    ]],
    constants: shared![WORKGROUP, CANDIDATES, NO_CLUSTER],
    own_constants: &["NONE"],
    structs: &[PARAMS, HEAD, PAIR, CANDIDATE, RECORD],
};

/// The contours of pairs, and their clusters.
pub const GROUP_PASS: Pass = Pass {
    name: GROUP,
    source: concat!(
        include_str!("../image/tile.wgsl"),
        include_str!("../image/lattice_map.wgsl"),
        include_str!("../intersect/triangles.wgsl"),
        include_str!("contact_pair.wgsl"),
        include_str!("group.wgsl")
    ),
    entries: &[("group", Stage::Compute([WORKGROUP, 1, 1]))],
    groups: &[&[
        Slot::compute("params", SlotKind::Uniform),
        Slot::compute("meshes", SlotKind::Read),
        Slot::compute("leaf_pairs", SlotKind::Read),
        Slot::compute("answers", SlotKind::Read),
        Slot::compute("pairs", SlotKind::Write),
    ]],
    constants: shared![WORKGROUP, UNIT_LEAF_PAIRS, LEAF_TRIANGLES, LEAF_TESTS, RECORD_WORDS, MASK_WORDS],
    own_constants: &[
        "NONE",
        "MISS",
        "UNCERTAIN",
        "HIT",
        "SHORTEST",
        "UNIT_ERROR",
        "GAPS",
        "PLAIN",
        "ACROSS_GAP",
        "PARALLEL",
        "CREASE",
        "LEAST_CONCAVITY",
        "OWN",
        "EIGHTHS",
    ],
    structs: &[
        PARAMS,
        LATTICE,
        shared_struct!(IntersectUnit: to_a, origin, scale, delta, vertices_a, starts_a, corners_a, vertices_b,
            starts_b, corners_b, first, count, answer, spare),
        HEAD,
        CLUSTER,
        VIEW,
        SEGMENT,
        PAIR,
    ],
};

/// Views of clusters, and the triangles that they may show in whole numbers.
pub const CONTACT_VIEW_PASS: Pass = Pass {
    name: CONTACT_VIEW,
    source: concat!(
        include_str!("../wgsl/int64.wgsl"),
        include_str!("../wgsl/coverage.wgsl"),
        include_str!("../image/tile.wgsl"),
        include_str!("../image/lattice_map.wgsl"),
        include_str!("../image/edge.wgsl"),
        include_str!("../image/row.wgsl"),
        include_str!("../image/map.wgsl"),
        include_str!("contact_pair.wgsl"),
        include_str!("contact_view.wgsl"),
        include_str!("contact_rows.wgsl"),
        include_str!("pieces.wgsl")
    ),
    entries: &[("contact_view", Stage::Compute([WORKGROUP, 1, 1]))],
    groups: &[&[
        Slot::compute("params", SlotKind::Uniform),
        Slot::compute("meshes", SlotKind::Read),
        Slot::compute("kept_views", SlotKind::Read),
        Slot::compute("pairs", SlotKind::Write),
        Slot::compute("rows", SlotKind::Write),
    ]],
    constants: shared![WORKGROUP, NO_CLUSTER, BOX_TRIANGLES, BOX_CORNERS, BOX_WORDS, STRETCH],
    own_constants: &[
        "NONE",
        "AT_HAND",
        "PLAIN_POWER",
        "DEPTH_STEPS",
        "SUB_PIXELS",
        "NO_AREA",
        "CERTAIN",
        "THINNEST",
        "LEAST_POWER",
        "ACROSS",
        "DEEP",
        "EDGE",
        "VIEW_ROOM",
        "LONG_CONTOUR",
        "KEPT_VIEW_ANGLE",
        "KEPT_VIEW_FILL",
        "KEPT_DEPTH_MARGIN",
        "KEPT_DEPTH_GROWTH",
        "EVEN",
        "MOST_PIECES",
        "PILE",
        "LONG_ACROSS",
        "LONG_DEEP",
        "WIDEST",
        "ROUGH",
    ],
    structs: &[
        PARAMS,
        LATTICE,
        shared_struct!(TileRow: edge, area, x, name, y, spare_y, z, spare_z),
        shared_struct!(KeptContactView: rows, maps),
        HEAD,
        CLUSTER,
        VIEW,
        SEGMENT,
        PAIR,
    ],
};

/// Where the lines of views enter and leave solids without triangles; layers have run.
pub const SOLIDS_PASS: Pass = Pass {
    name: SOLIDS,
    source: concat!(include_str!("../image/tile.wgsl"), include_str!("solids.wgsl")),
    entries: &[("solids", Stage::Compute([TILE_PIXELS, 1, 1]))],
    groups: &[&[
        Slot::compute("params", SlotKind::Uniform),
        Slot::compute("tiles", SlotKind::Read),
        Slot::compute("surfaces", SlotKind::Read),
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
        OF_SOLID,
        HALF_SPACE,
        BALL,
        CYLINDER,
        CAPSULE,
        ANALYTIC
    ],
    own_constants: &["FRONT", "SIDE_B", "NEAREST", "FARTHEST", "HALF_STEPS", "ENDLESS", "NO_SPAN", "ALL"],
    structs: &[
        PARAMS,
        shared_struct!(TileUnit: first, count, of_a, side, origin, flags, capacity, answer, deepest, bits),
        shared_struct!(Quadric: line, flat, rest),
        shared_struct!(SolidSurface: quadrics, planes, kind, side, far, spare),
    ],
};

/// Patches of clusters.
pub const PATCHES_PASS: Pass = Pass {
    name: PATCHES,
    source: concat!(
        include_str!("../image/tile.wgsl"),
        include_str!("../image/lattice_map.wgsl"),
        include_str!("../image/body_intervals.wgsl"),
        include_str!("../image/interval_sums.wgsl"),
        include_str!("contact_pair.wgsl"),
        include_str!("patch_record.wgsl"),
        include_str!("sorted_crossings.wgsl"),
        include_str!("patches.wgsl")
    ),
    entries: &[("patches", Stage::Compute([TILE_PIXELS, 1, 1]))],
    groups: &[&[
        Slot::compute("params", SlotKind::Uniform),
        Slot::compute("pairs", SlotKind::Read),
        Slot::compute("counts", SlotKind::Read),
        Slot::compute("crossings", SlotKind::Read),
        Slot::compute("records", SlotKind::Write),
    ]],
    constants: shared![
        OPEN_A,
        OPEN_B,
        PIXEL_INTERVALS,
        CANDIDATES,
        NO_CLUSTER,
        OVER_LAYERS,
        OVER_INTERVALS,
        CUT_OFF,
        NO_INTERVAL,
        SEVERAL_SETS
    ],
    own_constants: &[
        "NONE",
        "NEAREST",
        "FARTHEST",
        "BEYOND",
        "NOWHERE",
        "SUMS",
        "SLOTS",
        "JOIN_SLACK",
        "SEGMENT_PARTS",
    ],
    structs: &[PARAMS, LATTICE, HEAD, CLUSTER, VIEW, SEGMENT, PAIR, CANDIDATE, RECORD],
};

/// Where the intervals of views begin among those of all.
pub const INTERVAL_PLACES_PASS: Pass = Pass {
    name: INTERVAL_PLACES,
    source: concat!(
        include_str!("../image/tile.wgsl"),
        include_str!("../image/lattice_map.wgsl"),
        include_str!("contact_pair.wgsl"),
        include_str!("patch_record.wgsl"),
        include_str!("interval_places.wgsl")
    ),
    entries: &[("interval_places", Stage::Compute([TILE_PIXELS, 1, 1]))],
    groups: &[&[
        Slot::compute("params", SlotKind::Uniform),
        Slot::compute("records", SlotKind::Write),
        Slot::compute("total", SlotKind::Write),
    ]],
    constants: shared![CANDIDATES, NO_CLUSTER],
    own_constants: &["NONE", "PLACES"],
    structs: &[PARAMS, CANDIDATE, RECORD],
};

/// All intervals of views.
pub const VIEW_INTERVALS_PASS: Pass = Pass {
    name: VIEW_INTERVALS,
    source: concat!(
        include_str!("../image/tile.wgsl"),
        include_str!("../image/lattice_map.wgsl"),
        include_str!("../image/body_intervals.wgsl"),
        include_str!("contact_pair.wgsl"),
        include_str!("patch_record.wgsl"),
        include_str!("sorted_crossings.wgsl"),
        include_str!("view_intervals.wgsl")
    ),
    entries: &[("view_intervals", Stage::Compute([TILE_PIXELS, 1, 1]))],
    groups: &[&[
        Slot::compute("params", SlotKind::Uniform),
        Slot::compute("records", SlotKind::Read),
        Slot::compute("counts", SlotKind::Read),
        Slot::compute("crossings", SlotKind::Read),
        Slot::compute("listed", SlotKind::Write),
    ]],
    constants: shared![
        OPEN_A,
        OPEN_B,
        CANDIDATES,
        NO_CLUSTER,
        INTERVAL_WORDS,
        TRIANGLE_BITS,
        UPPER_BITS,
        PIXEL_BITS
    ],
    own_constants: &["NONE", "NEAREST", "FARTHEST", "BEYOND", "NOWHERE"],
    structs: &[PARAMS, CANDIDATE, RECORD],
};
