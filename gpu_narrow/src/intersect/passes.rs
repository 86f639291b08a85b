//! The row of the triangle intersection's filter.

use impinge_midphase::obb_tree;

use super::UNIT_ERROR;
use super::layout::{
    IntersectParams, IntersectRecord, IntersectUnit, MASK_WORDS, RECORD_WORDS, UNIT_LEAF_PAIRS, WORKGROUP,
};
use crate::device::pass::{Constant, Pass, Slot, SlotKind, Stage, shared_struct};

const LEAF_TRIANGLES: u32 = obb_tree::LEAF_TRIANGLES as u32;

/// Which triangle pairs of candidate leaves certainly cross, certainly miss, or are uncertain.
pub const INTERSECT: Pass = Pass {
    name: impinge_exact::intersect::INTERSECT,
    source: concat!(
        include_str!("triangles.wgsl"),
        include_str!("intersect_record.wgsl"),
        include_str!("intersect.wgsl")
    ),
    entries: &[("intersect", Stage::Compute([WORKGROUP, 1, 1]))],
    groups: &[&[
        Slot::compute("params", SlotKind::Uniform),
        Slot::compute("meshes", SlotKind::Read),
        Slot::compute("units", SlotKind::Read),
        Slot::compute("leaf_pairs", SlotKind::Read),
        Slot::compute("answers", SlotKind::Write),
    ]],
    constants: &[
        ("WORKGROUP", Constant::U32(WORKGROUP)),
        ("UNIT_LEAF_PAIRS", Constant::U32(UNIT_LEAF_PAIRS)),
        ("LEAF_TRIANGLES", Constant::U32(LEAF_TRIANGLES)),
        ("LEAF_TESTS", Constant::U32(LEAF_TRIANGLES * LEAF_TRIANGLES)),
        ("RECORD_WORDS", Constant::U32(RECORD_WORDS)),
        ("RECORD_GROUP", Constant::U32(WORKGROUP)),
        ("MASK_WORDS", Constant::U32(MASK_WORDS)),
        ("UNIT_ERROR", Constant::F32(UNIT_ERROR as f32)),
    ],
    own_constants: &["TOGETHER", "OWN_WORDS", "MISS", "UNCERTAIN", "HIT", "SHORTEST"],
    structs: &[
        shared_struct!(IntersectParams: units, row, first, sequence),
        shared_struct!(IntersectUnit: to_a, origin, scale, delta, vertices_a, starts_a, corners_a, vertices_b,
            starts_b, corners_b, first, count, answer, spare),
        shared_struct!(IntersectRecord: area, hits, drift, uncertain, low, sequence, high, tests, likely_area,
            likely, likely_drift, spare),
    ],
};
