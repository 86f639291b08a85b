//! What the shaders read and write, as Rust sees it: the one home of these layouts and constants. A
//! test parses every shader and compares sizes, offsets, constants, workgroups and bindings with these.

use bytemuck::{Pod, Zeroable};

/// Threads of a workgroup of the stream.
pub const WORKGROUP: u32 = 64;

/// Most leaf pairs that one unit of the stream's work holds.
pub const UNIT_LEAF_PAIRS: u32 = 256;

/// Words of a [`StreamRecord`].
pub const RECORD_WORDS: u32 = (size_of::<StreamRecord>() / 4) as u32;

/// Words of the masks of a full unit: sixteen bits for each leaf pair.
pub const MASK_WORDS: u32 = UNIT_LEAF_PAIRS / 2;

/// What one dispatch of the stream is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct StreamParams {
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
pub struct StreamUnit {
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

/// Pixels per side of a tile, and in all: one for each thread.
pub const TILE_SIDE: u32 = 16;
/// See [`TILE_SIDE`].
pub const TILE_PIXELS: u32 = TILE_SIDE * TILE_SIDE;

/// Fragments of a pixel, at most: beyond that the tile is discarded.
pub const DEEPEST_PIXEL: u32 = 16;

/// Pixels of a triangle's box that one thread looks at.
pub const FEW: u32 = 8;

/// Words of a [`TileRecord`].
pub const TILE_RECORD_WORDS: u32 = (size_of::<TileRecord>() / 4) as u32;

/// Words of the columns of a tile, at most.
pub const PACKED: u32 = 2048;

/// Bits of a triangle's number in a column, at most.
pub const MOST_BITS: u32 = 14;

/// Flags of a [`TileUnit`]: A is a surface without an inside.
pub const OPEN_A: u32 = 1;
/// B is a surface without an inside.
pub const OPEN_B: u32 = 2;
/// The view sees everything.
pub const WHOLE: u32 = 4;
/// How many triangles the tile has, and how many of them are A's, stands in its first row.
pub const COUNTED: u32 = 16;

/// Status of a [`TileRecord`]: a pixel had more fragments than [`DEEPEST_PIXEL`].
pub const OVER_LAYERS: u32 = 1;
/// There were more columns than the answer has room for.
pub const OVER_COLUMNS: u32 = 2;
/// A triangle was too large for 32 bits.
pub const OVER_RANGE: u32 = 4;

/// Threads that snap the triangles of a view.
pub const SNAP_THREADS: u32 = 64;
/// Of a row: the outward normal points against the view.
pub const FACES_FRONT: u32 = 1;
/// Of a row: 32 bits have no room for the triangle.
pub const NO_ROOM: u32 = 2;
/// Added to the count of a pixel's fragments for every such triangle.
pub const UNSEEN: u32 = 1 << 16;

/// What one dispatch of the snapping, the layers or the columns is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct TileParams {
    /// Tiles of this dispatch, or views.
    pub tiles: u32,
    /// Workgroups of one row of the dispatch.
    pub row: u32,
    /// The first of them.
    pub first: u32,
    /// The number of the step.
    pub sequence: u32,
    /// The triangle that has the first row.
    pub base: u32,
}

/// A view whose triangles are to be snapped; doubles as words, the low one first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct SnapView {
    /// The first triangle, and its row.
    pub first: u32,
    /// Triangles, A's before B's.
    pub count: u32,
    /// How many of them are A's.
    pub of_a: u32,
    /// Pixels per side.
    pub side: u32,
    /// Word of the vertices of A's mesh.
    pub vertices_a: u32,
    /// Word of the corners of its triangles, in the order of the leaves.
    pub corners_a: u32,
    /// Word of the triangles' places in that order.
    pub slots_a: u32,
    /// As `vertices_a`, of B.
    pub vertices_b: u32,
    /// As `corners_a`.
    pub corners_b: u32,
    /// As `slots_a`.
    pub slots_b: u32,
    /// Depth beyond which nothing is seen (steps).
    pub far: [u32; 2],
    /// Side of the view (sub-pixels).
    pub limit: [u32; 2],
    /// From A's frame and from B's to the lattice: three rows, and what is added to each.
    pub lattice: [[u32; 2]; 24],
}

/// Sixteen by sixteen pixels of one view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct TileUnit {
    /// The first triangle.
    pub first: u32,
    /// Triangles, A's before B's.
    pub count: u32,
    /// How many of them are A's.
    pub of_a: u32,
    /// Pixels per side of the view.
    pub side: u32,
    /// The tile's first pixel in it.
    pub origin: [u32; 2],
    /// [`OPEN_A`] and the like.
    pub flags: u32,
    /// Columns that the answer has room for.
    pub capacity: u32,
    /// Word of the answers at which the record begins; the columns follow.
    pub answer: u32,
    /// Fragments of a pixel, at most.
    pub deepest: u32,
    /// Bits of the number of a triangle of A in a column, and of one of B; all ones for none.
    pub bits: [u32; 2],
}

/// A triangle of a view: [`impinge_image_space::snap::SnappedTriangle`] as the shaders write and read it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct TileRow {
    /// The edge functions at the view's first pixel.
    pub edge: [i32; 3],
    /// [`FACES_FRONT`], [`NO_ROOM`]; from bit 4 on, in seven bits each, the first and the last pixel to the right,
    /// and up, whose centre it may cover.
    pub area: u32,
    /// What the first two change by: right, up; right, up.
    pub across: [i32; 4],
    /// Depth at the first pixel; low word, high word.
    pub at: [u32; 2],
    /// What it changes by to the right.
    pub along_i: [u32; 2],
    /// What it changes by upwards.
    pub along_j: [u32; 2],
    /// Least depth (steps).
    pub least: i32,
    /// Greatest depth.
    pub most: i32,
}

/// What the columns found in a tile; whole numbers of pixels and depth steps, low words first. The columns follow, bit
/// by bit: whether the next column is of the same pixel, then the numbers of the triangles at which A's stretch begins and
/// ends, and B's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct TileRecord {
    /// The number of the step.
    pub sequence: u32,
    /// [`OVER_LAYERS`] and the like: then there are no columns.
    pub status: u32,
    /// Fragments.
    pub fragments: u32,
    /// Columns.
    pub columns: u32,
    /// Lines on which a counter did not return to zero.
    pub odd: u32,
    /// Overlaps whose end is not seen.
    pub cut: u32,
    /// Σ length.
    pub length: [u32; 2],
    /// Pixels that have a column, a bit each.
    pub pixels: [u32; 8],
    /// Columns with an overlap.
    pub overlaps: u32,
    /// Columns that only touch.
    pub touches: u32,
    /// Σ length · twice the place of the column's middle to the right.
    pub moment_i: [u32; 2],
    /// The same upwards.
    pub moment_j: [u32; 2],
    /// Σ of the columns' gradients.
    pub gradient: i32,
    /// Σ gradient · twice the column's place to the right.
    pub gradient_i: i32,
    /// The same upwards.
    pub gradient_j: i32,
    /// The longest column.
    pub longest: u32,
    /// Its number; all ones where none overlaps.
    pub deepest: u32,
    /// Σ length · twice the depth of the column's middle.
    pub moment_z: [u32; 3],
    /// How far B has to move along the view until every overlap is free.
    pub way_along: i32,
    /// The same against the view.
    pub way_against: i32,
}

/// What the stream found in one unit: sums over the certain hits, in A's frame, scaled. The masks
/// follow, sixteen bits for each leaf pair: bit `4 i + j` is set unless triangle `i` of A's leaf and
/// triangle `j` of B's certainly miss each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct StreamRecord {
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

/// Triangles that a view of [`ViewPair`] has room for, at most.
pub const VIEW_ROWS: u32 = 1 << 13;

/// Status of a [`ViewPair`]: nothing crosses.
pub const NO_CONTOUR: u32 = 1;
/// The contours do not close, oppose each other, or are too small for `f32`.
pub const NO_NORMAL: u32 = 2;
/// More triangles in the view than there is room for.
pub const OVER_ROWS: u32 = 4;

/// A pair whose view is made on the device, from what the stream has found: what is sent, and from `status` on
/// what comes back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ViewPair {
    /// As in [`StreamUnit`].
    pub to_a: [[f32; 4]; 3],
    /// As there.
    pub origin: [f32; 3],
    /// As there.
    pub scale: f32,
    /// Word of A's vertices, and of the corners of its triangles.
    pub vertices_a: u32,
    /// See `vertices_a`.
    pub corners_a: u32,
    /// Triangles of A.
    pub count_a: u32,
    /// As of A.
    pub vertices_b: u32,
    /// As of A.
    pub corners_b: u32,
    /// As of A.
    pub count_b: u32,
    /// Word of the stream's answers at which the first unit's record begins.
    pub answer: u32,
    /// Leaf pairs of the stream, in units of [`UNIT_LEAF_PAIRS`].
    pub leaf_pairs: u32,
    /// The first of its rows, which says how many follow and how many of these are A's.
    pub first: u32,
    /// Rows that there is room for after it.
    pub room: u32,
    /// Pixels per side.
    pub side: u32,
    /// [`StreamUnit::delta`].
    pub delta: f32,
    /// [`NO_CONTOUR`] and the like.
    pub status: u32,
    /// Triangles that the view may show.
    pub shown: u32,
    /// The number of the step.
    pub sequence: u32,
    /// Triangle pairs that cross, the likely ones among them.
    pub hits: u32,
    /// From A's frame (scaled) to sub-pixels from the first pixel's centre to the right: a row, and what is added.
    pub right: [f32; 4],
    /// The same upwards.
    pub up: [f32; 4],
    /// The same to depth steps; along the area vector.
    pub depth: [f32; 4],
    /// The contours' area vector (scaled twice).
    pub area: [f32; 3],
    /// Depth beyond which nothing is seen (steps).
    pub far: f32,
}
