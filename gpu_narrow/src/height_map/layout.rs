//! What the shaders of height maps and clouds read and write, as Rust sees it.

use bytemuck::{Pod, Zeroable};

/// Words before the records of an answer.
pub const HEADER_WORDS: u32 = 4;

/// Words of a [`OverlapRecord`].
pub const RECORD_WORDS: u32 = (size_of::<OverlapRecord>() / 4) as u32;

/// Words of a [`CloudRecord`].
pub const CLOUD_RECORD_WORDS: u32 = (size_of::<CloudRecord>() / 4) as u32;

/// Threads along a side of a workgroup that compares maps.
pub const COMPARE_SIDE: u32 = 8;

/// Threads of a workgroup that looks at points.
pub const CLOUD_THREADS: u32 = 64;

/// One draw of a piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct DrawParams {
    /// From the piece's frame to clip x, clip y and depth, of a cube's face in metres.
    pub to_image: [[f32; 4]; 3],
    /// Its rotation.
    pub rotation: [[f32; 4]; 3],
    /// Word of the first vertex.
    pub start: u32,
    /// Words from one vertex to the next.
    pub stride: u32,
    /// 1 where indices name the corners.
    pub indexed: u32,
    /// What its pixels are to say.
    pub body: u32,
    /// Corners of a primitive.
    pub corners: u32,
    /// What counts: 0 all, 1 from `least` on, 2 behind the object's near surface as well.
    pub gate: u32,
    /// Nothing before this depth counts.
    pub least: f32,
    /// The least depth that a cube's face sees (m); 0 of a plane.
    pub near: f32,
    /// What the caller knows: 0 nothing, 1 `all` everywhere, 2 four words for each vertex.
    pub known: u32,
    /// Word of what is known of the first vertex.
    pub known_start: u32,
    /// Words from one vertex's to the next's.
    pub known_stride: u32,
    /// To a multiple of sixteen bytes.
    pub spare: u32,
    /// What is known everywhere.
    pub all: [f32; 4],
}

/// One comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct CompareParams {
    /// Columns and rows.
    pub size: [u32; 2],
    /// Records that there is room for.
    pub capacity: u32,
    /// The number of the question.
    pub sequence: u32,
    /// 1 where the caller knows something of what may be seen.
    pub known: u32,
    /// To a multiple of eight bytes.
    pub spare: u32,
}

/// A pixel in which the object and its environment overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct OverlapRecord {
    /// Row times columns plus column.
    pub pixel: u32,
    /// The object's farthest depth, 0 to 1.
    pub far: f32,
    /// The environment's nearest depth, 0 to 1.
    pub depth: f32,
    /// Body.
    pub body: u32,
    /// Triangle, line or point.
    pub primitive: u32,
    /// Packed normal; the lowest bit of its second half says that there is one, that of its first that the
    /// caller knows something.
    pub normal: u32,
}

/// One question of a cloud.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct CloudParams {
    /// From the world to column, row and depth.
    pub to_image: [[f32; 4]; 3],
    /// The direction of view, and the length of the view (m).
    pub direction: [f32; 4],
    /// The middle of a cube (world) and the depth nearer than which nothing is seen (m); 0 of one plane.
    pub cube: [f32; 4],
    /// Columns and rows of one picture.
    pub size: [u32; 2],
    /// Words from one point to the next.
    pub stride: u32,
    /// Points.
    pub count: u32,
    /// The part of the speed that comes back.
    pub restitution: f32,
    /// The part of the speed along the surface that is lost.
    pub friction: f32,
    /// How far before the surface points are put (m).
    pub gap: f32,
    /// Workgroups of one row of the dispatch.
    pub row: u32,
    /// Radius of the points (m).
    pub radius: f32,
    /// Records of points that there is room for.
    pub records: u32,
    /// 1 where the caller knows something of what may be seen.
    pub known: u32,
    /// Nothing.
    pub spare: u32,
}

/// A point that was turned back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct CloudRecord {
    /// Which point.
    pub point: u32,
    /// Body.
    pub body: u32,
    /// Triangle, line or point.
    pub primitive: u32,
    /// 1 where there is a normal, 2 where the caller knows something.
    pub bits: u32,
    /// Where its line of sight meets the surface (m), and how far behind it came (m).
    pub place: [f32; 4],
    /// The normal, toward the cloud.
    pub normal: [f32; 4],
    /// What the caller knows.
    pub channels: [f32; 4],
}
