//! The rows of the passes of surfaces that live on the device.

use super::layout::*;
use crate::device::pass::{Constant, Pass, Slot, SlotKind, Stage, shared_struct, shared_u32};
use crate::intersect::UNIT_ERROR;
use crate::intersect::layout::RECORD_WORDS;

/// Vertices follow bones.
pub const SKIN: Pass = Pass {
    name: "skin",
    source: include_str!("skin.wgsl"),
    entries: &[("follow_bones", Stage::Compute([SURFACE_GROUP, 1, 1]))],
    groups: &[&[
        Slot::compute("params", SlotKind::Uniform),
        Slot::compute("skin", SlotKind::Read),
        Slot::compute("bones", SlotKind::Read),
        Slot::compute("places", SlotKind::Write),
    ]],
    constants: shared_u32![SURFACE_GROUP, SKIN_WORDS],
    own_constants: &[],
    structs: &[shared_struct!(SkinParams: count, start, stride, row)],
};

/// Vertices are taken over from a caller's buffer.
pub const GATHER: Pass = Pass {
    name: "gather_vertices",
    source: include_str!("gather.wgsl"),
    entries: &[("gather", Stage::Compute([SURFACE_GROUP, 1, 1]))],
    groups: &[&[
        Slot::compute("params", SlotKind::Uniform),
        Slot::compute("places", SlotKind::Read),
        Slot::compute("meshes", SlotKind::Write),
        Slot::compute("flags", SlotKind::Write),
    ]],
    constants: shared_u32![SURFACE_GROUP],
    own_constants: &[],
    structs: &[shared_struct!(GatherParams: count, start, stride, to, low, flag, high, row)],
};

/// Boxes are fitted, level by level.
pub const FIT: Pass = Pass {
    name: "fit_boxes",
    source: include_str!("fit.wgsl"),
    entries: &[("fit_boxes", Stage::Compute([SURFACE_GROUP, 1, 1]))],
    groups: &[&[Slot::compute("params", SlotKind::Uniform), Slot::compute("meshes", SlotKind::Write)]],
    constants: shared_u32![SURFACE_GROUP, FANOUT, SURFACE_BOX_WORDS],
    own_constants: &[],
    structs: &[shared_struct!(FitParams: to, count, lower, below, vertices, corners, lowest, row)],
};

/// Triangles of two surfaces are compared.
pub const MEET: Pass = Pass {
    name: "meet_surfaces",
    source: concat!(
        include_str!("../intersect/triangles.wgsl"),
        include_str!("../intersect/intersect_record.wgsl"),
        include_str!("meet.wgsl")
    ),
    entries: &[("meet_surfaces", Stage::Compute([SURFACE_GROUP, 1, 1]))],
    groups: &[&[
        Slot::compute("params", SlotKind::Uniform),
        Slot::compute("meshes", SlotKind::Read),
        Slot::compute("answers", SlotKind::Write),
    ]],
    constants: &[
        ("SURFACE_GROUP", Constant::U32(SURFACE_GROUP)),
        ("FANOUT", Constant::U32(FANOUT)),
        ("SURFACE_BOX_WORDS", Constant::U32(SURFACE_BOX_WORDS)),
        ("STACK", Constant::U32(STACK)),
        ("RECORD_WORDS", Constant::U32(RECORD_WORDS)),
        ("RECORD_GROUP", Constant::U32(SURFACE_GROUP)),
        ("UNIT_ERROR", Constant::F32(UNIT_ERROR as f32)),
    ],
    own_constants: &["MISS", "UNCERTAIN", "HIT", "SHORTEST", "LEVEL_BIT"],
    structs: &[
        shared_struct!(MeetParams: to_a, origin, scale, delta, vertices_a, corners_a, triangles_a, vertices_b, corners_b, triangles_b,
        levels_b, boxes_a, leaves_a, groups, row, answer, sequence, spare, starts_b, counts_b),
    ],
};

/// What was found is added up.
pub const SUM: Pass = Pass {
    name: "sum_meetings",
    source: include_str!("sum.wgsl"),
    entries: &[("sum_meetings", Stage::Compute([RECORD_WORDS, 1, 1]))],
    groups: &[&[Slot::compute("params", SlotKind::Uniform), Slot::compute("answers", SlotKind::Write)]],
    constants: shared_u32![RECORD_WORDS],
    own_constants: &[],
    structs: &[shared_struct!(SumParams: first, count, to, sequence)],
};
