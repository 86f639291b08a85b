//! What the shaders that draw tiles read and write, as Rust sees it.

use bytemuck::{Pod, Zeroable};

use crate::image::layout::DEEPEST_PIXEL;
pub use crate::ldi::layout::{BOX_VERTICES, DrawArguments, NOTHING};

/// Tiles side by side in the atlas.
pub const ATLAS_TILES: u32 = 64;

/// Layers that are peeled: as many crossings as a pixel has room for.
pub const PEELED_LAYERS: u32 = DEEPEST_PIXEL;

/// Flag of a [`TileSpan`], above the pixel: crossings have the triangles' own numbers.
pub const SPAN_NAMED: u32 = 1 << 16;

/// Where the triangles of a tile stand among those of all tiles that are drawn together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct TileSpan {
    /// The first, counted over all tiles.
    pub first: u32,
    /// Its row.
    pub row: u32,
    /// How many of the view's triangles are A's.
    pub of_a: u32,
    /// The tile's first pixel: right, and up from bit 8 on; [`SPAN_NAMED`].
    pub about: u32,
}
