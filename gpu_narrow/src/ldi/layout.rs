//! What the raster shaders read and write, as Rust sees it.

use bytemuck::{Pod, Zeroable};
use impinge_image_space::ldi::{Crossing, Faces, LAST_DEPTH};

/// Vertices of the two triangles that cover a triangle's box of pixels.
pub const BOX_VERTICES: u32 = 6;

/// A texel of a layer that holds no crossing, in both its words.
pub const NOTHING: u32 = u32::MAX;

/// Threads of a workgroup of the scan and of the sort.
pub const SCAN_THREADS: u32 = 256;

/// Pixels that a thread of the scan takes.
pub const SCAN_EACH: u32 = 8;

/// One more than the greatest first word of a crossing.
pub const WORDS_OF_DEPTH: u32 = 2 * (LAST_DEPTH + 1);

/// What a draw is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct LdiParams {
    /// Views.
    pub views: u32,
    /// Width of the atlas (texels).
    pub width: u32,
    /// Height of the atlas (texels).
    pub height: u32,
    /// The layer that is peeled; 0 is the first.
    pub layer: u32,
    /// Pixels of all views.
    pub pixels: u32,
    /// Crossings for which there is room.
    pub room: u32,
    /// Blocks of the scan.
    pub blocks: u32,
    /// To a multiple of sixteen bytes.
    pub spare: u32,
}

/// A body in a view. Words are those of the buffer of bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct LdiBody {
    /// Its first triangle, counted over all views.
    pub first: u32,
    /// Word of its snapped vertices, three each.
    pub vertices: u32,
    /// Word of its triangles, three vertices each.
    pub corners: u32,
    /// Where its tile lies in the atlas (texels).
    pub tile_x: u32,
    /// As `tile_x`.
    pub tile_y: u32,
    /// Pixels per row.
    pub wide: u32,
    /// Rows.
    pub high: u32,
    /// Binary digits of the sub-pixels to a pixel.
    pub sub_bits: u32,
    /// The faces seen: 0 all, 1 front, 2 back.
    pub faces: u32,
    /// Its first pixel, counted over all views.
    pub pixel: u32,
    /// To a multiple of sixteen bytes.
    pub spare_0: u32,
    /// As `spare_0`.
    pub spare_1: u32,
}

/// The arguments of an indirect draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct DrawArguments {
    /// Vertices.
    pub vertices: u32,
    /// Instances: 1, and 0 once there is nothing left.
    pub instances: u32,
    /// 0.
    pub first_vertex: u32,
    /// 0.
    pub first_instance: u32,
}

/// A choice of faces as the shader has it.
pub fn faces(faces: Faces) -> u32 {
    match faces {
        Faces::Both => 0,
        Faces::Front => 1,
        Faces::Back => 2,
    }
}

/// The crossing that two words stand for; `None` for an empty texel.
pub fn crossing(words: [u32; 2]) -> Option<Crossing> {
    (words[0] != NOTHING).then(|| Crossing::from_words(words))
}
