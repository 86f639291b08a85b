//! What the shaders of surfaces read and write, as Rust sees it.

use bytemuck::{Pod, Zeroable};

/// Threads of a workgroup.
pub const SURFACE_GROUP: u32 = 64;
/// Triangles of a box of the lowest level, and boxes of a box of any other.
pub const FANOUT: u32 = 4;
/// Levels of boxes, at most: enough for 4¹² triangles.
pub const MOST_LEVELS: u32 = 12;
/// Words of a box: its least corner and its greatest.
pub const SURFACE_BOX_WORDS: u32 = 6;
/// Boxes that a search has yet to look at, at most.
pub const STACK: u32 = 40;
/// Words of a vertex of a skin: where it stood, four bones, four weights.
pub const SKIN_WORDS: u32 = 11;

/// Vertices that follow bones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct SkinParams {
    /// Vertices.
    pub count: u32,
    /// Word of the first place.
    pub start: u32,
    /// Words from one to the next.
    pub stride: u32,
    /// Workgroups of a row of the dispatch.
    pub row: u32,
}

/// Vertices that are taken over from a caller's buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct GatherParams {
    /// Vertices.
    pub count: u32,
    /// Word of the first place in the caller's buffer.
    pub start: u32,
    /// Words from one to the next.
    pub stride: u32,
    /// Word of `meshes` that the first goes to.
    pub to: u32,
    /// Least corner of the box that the caller says they are in (m).
    pub low: [f32; 3],
    /// Which flag is set where one is not.
    pub flag: u32,
    /// Greatest corner (m).
    pub high: [f32; 3],
    /// Workgroups of a row of the dispatch.
    pub row: u32,
}

/// A level of boxes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct FitParams {
    /// Word of its first box.
    pub to: u32,
    /// Its boxes.
    pub count: u32,
    /// Word of the first box of the level below.
    pub lower: u32,
    /// Boxes of that level, or triangles.
    pub below: u32,
    /// Word of the vertices.
    pub vertices: u32,
    /// Word of the corners of the triangles.
    pub corners: u32,
    /// 1 where the boxes are those of triangles.
    pub lowest: u32,
    /// Workgroups of a row of the dispatch.
    pub row: u32,
}

/// Two surfaces that may meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct MeetParams {
    /// From B's frame to A's: a row of the rotation and a part of the translation each (scaled).
    pub to_a: [[f32; 4]; 3],
    /// Where segments are measured from (A's frame, scaled).
    pub origin: [f32; 3],
    /// The power of two that lengths are multiplied by.
    pub scale: f32,
    /// Greatest error of a coordinate (scaled).
    pub delta: f32,
    /// Of A: word of its vertices, of its corners, and its triangles.
    pub vertices_a: u32,
    /// See `vertices_a`.
    pub corners_a: u32,
    /// See `vertices_a`.
    pub triangles_a: u32,
    /// The same of B, and its levels.
    pub vertices_b: u32,
    /// See `vertices_b`.
    pub corners_b: u32,
    /// See `vertices_b`.
    pub triangles_b: u32,
    /// See `vertices_b`.
    pub levels_b: u32,
    /// Word of A's lowest boxes, and how many there are.
    pub boxes_a: u32,
    /// See `boxes_a`.
    pub leaves_a: u32,
    /// Workgroups, and those of a row of the dispatch.
    pub groups: u32,
    /// See `groups`.
    pub row: u32,
    /// Word of the answers at which the first workgroup's record begins.
    pub answer: u32,
    /// The number of the question.
    pub sequence: u32,
    /// To a multiple of sixteen bytes.
    pub spare: [u32; 2],
    /// Words of B's levels of boxes, the lowest first.
    pub starts_b: [[u32; 4]; 3],
    /// How many boxes each has.
    pub counts_b: [[u32; 4]; 3],
}

/// The records of a pair's workgroups that are added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct SumParams {
    /// Word of the first record.
    pub first: u32,
    /// Records.
    pub count: u32,
    /// Word of the sum.
    pub to: u32,
    /// The number of the question.
    pub sequence: u32,
}
