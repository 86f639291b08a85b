//! What the shader of the triangle intersection reads and writes, as Rust sees it.

use bytemuck::{Pod, Zeroable};

/// Threads of a workgroup.
pub const WORKGROUP: u32 = 64;

/// Most leaf pairs of one unit of work.
pub const UNIT_LEAF_PAIRS: u32 = 256;

/// Words of a [`IntersectRecord`].
pub const RECORD_WORDS: u32 = (size_of::<IntersectRecord>() / 4) as u32;

/// Words of the masks of a full unit: sixteen bits for each leaf pair.
pub const MASK_WORDS: u32 = UNIT_LEAF_PAIRS / 2;

/// What one dispatch is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct IntersectParams {
    /// Units of this dispatch.
    pub units: u32,
    /// Workgroups of one row of the dispatch.
    pub row: u32,
    /// The first unit.
    pub first: u32,
    /// The number of the step.
    pub sequence: u32,
}

/// Up to [`UNIT_LEAF_PAIRS`] leaf pairs of one pair of surfaces, and where these stand. Lengths are
/// scaled by a power of two to about unit size; words are those of the mesh buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct IntersectUnit {
    /// From B's frame to A's: a row of the rotation and a part of the translation each.
    pub to_a: [[f32; 4]; 3],
    /// Where segments are measured from (A's frame).
    pub origin: [f32; 3],
    /// The power of two that lengths are multiplied by.
    pub scale: f32,
    /// Greatest error of a coordinate.
    pub delta: f32,
    /// Word of A's vertices.
    pub vertices_a: u32,
    /// Word of the starts of A's leaves.
    pub starts_a: u32,
    /// Word of the corners of A's triangles, leaf after leaf.
    pub corners_a: u32,
    /// Word of B's vertices.
    pub vertices_b: u32,
    /// Word of the starts of B's leaves.
    pub starts_b: u32,
    /// Word of the corners of B's triangles, leaf after leaf.
    pub corners_b: u32,
    /// First leaf pair.
    pub first: u32,
    /// Leaf pairs.
    pub count: u32,
    /// Word of the answers at which the record begins.
    pub answer: u32,
    /// To a multiple of sixteen bytes.
    pub spare: [u32; 2],
}

/// What was found in one unit: sums over the certain hits, in A's frame, scaled. The masks
/// follow, sixteen bits for each leaf pair: bit `4 i + j` is set unless triangle `i` of A's leaf and
/// triangle `j` of B's certainly miss each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct IntersectRecord {
    /// Σ ½ r × dr.
    pub area: [f32; 3],
    /// Triangle pairs that certainly cross.
    pub hits: u32,
    /// Σ dr: zero where the contours close.
    pub drift: [f32; 3],
    /// Triangle pairs of which nothing is certain.
    pub uncertain: u32,
    /// Least corner of the box of the segments, from the origin.
    pub low: [f32; 3],
    /// The number of the step.
    pub sequence: u32,
    /// Greatest corner.
    pub high: [f32; 3],
    /// Triangle pairs looked at.
    pub tests: u32,
    /// Over the uncertain pairs that cross as far as rounding lets one tell: Σ ½ r × dr.
    pub likely_area: [f32; 3],
    /// How many these are.
    pub likely: u32,
    /// Σ dr over them.
    pub likely_drift: [f32; 3],
    /// To a multiple of sixteen bytes.
    pub spare: u32,
}
