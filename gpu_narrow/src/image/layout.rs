//! What the shaders of views read and write, as Rust sees it.

use bytemuck::{Pod, Zeroable};
use impinge_image_space::fixed_map::{FixedMap, Quanta};

/// Pixels per side of a tile, and in all: one for each thread.
pub const TILE_SIDE: u32 = 16;
/// See [`TILE_SIDE`].
pub const TILE_PIXELS: u32 = TILE_SIDE * TILE_SIDE;

/// Crossings of a pixel, at most: beyond that the tile is discarded.
pub const DEEPEST_PIXEL: u32 = 32;

/// Words of a [`TileRecord`].
pub const TILE_RECORD_WORDS: u32 = (size_of::<TileRecord>() / 4) as u32;

/// Words of the intervals of a tile, at most.
pub const PACKED: u32 = 2048;

/// Bits of a triangle's number in an interval, at most.
pub const MOST_BITS: u32 = 14;

/// Flags of a [`TileUnit`]: A is a surface without an inside.
pub const OPEN_A: u32 = 1;
/// B is a surface without an inside.
pub const OPEN_B: u32 = 2;
/// The view sees everything.
pub const WHOLE: u32 = 4;
/// How many triangles the tile has, and how many of them are A's, stands in its first row.
pub const COUNTED: u32 = 16;
/// Crossings have the triangles' own numbers.
pub const NAMED: u32 = 32;

/// Status of a [`TileRecord`]: a pixel had more crossings than [`DEEPEST_PIXEL`].
pub const OVER_LAYERS: u32 = 1;
/// There were more intervals than the answer has room for.
pub const OVER_INTERVALS: u32 = 2;
/// A triangle was too large for 32 bits.
pub const OVER_RANGE: u32 = 4;

/// Threads that snap the triangles of a view.
pub const SNAP_THREADS: u32 = 64;
/// Of a row: the outward normal points against the view.
pub const FACES_FRONT: u32 = 1;
/// Of a row: its corners are beyond `ACROSS` or `DEEP` (row.wgsl).
pub const NO_ROOM: u32 = 2;
/// Of a row: 32 bits have no room for its edge functions over all of the view.
pub const WIDE: u32 = 4;
/// Added to the count of a pixel's crossings for every such triangle.
pub const UNSEEN: u32 = 1 << 16;

/// What one dispatch of the snapping, the layers or the intervals is about.
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

/// From one side's quanta to a view's lattice: a [`FixedMap`] as the shaders have it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct LatticeMap {
    /// See [`FixedMap::origin`].
    pub origin: [i32; 3],
    /// Triangles that lie wholly behind this depth are not seen (steps).
    pub far: i32,
    /// The quanta's powers of two.
    pub quanta: [i32; 3],
    /// To a multiple of sixteen bytes.
    pub spare: u32,
    /// A row, and its shift.
    pub right: [i32; 3],
    /// See `right`.
    pub shift_right: u32,
    /// See `right`.
    pub up: [i32; 3],
    /// See `right`.
    pub shift_up: u32,
    /// See `right`.
    pub depth: [i32; 3],
    /// See `right`.
    pub shift_depth: u32,
    /// Where the origin is; low word, high word.
    pub start_right: [u32; 2],
    /// See `start_right`.
    pub start_up: [u32; 2],
    /// See `start_right`.
    pub start_depth: [u32; 2],
    /// To a multiple of sixteen bytes.
    pub spare_2: [u32; 2],
}

impl LatticeMap {
    /// A map of the CPU's for the device; a depth of `None` is beyond all that the device sees.
    pub fn new(map: &FixedMap, quanta: &Quanta, far: Option<i64>) -> LatticeMap {
        let words = |x: i64| [x as u32, (x >> 32) as u32];
        let limit = |far: i64| far.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
        LatticeMap {
            origin: map.origin,
            far: far.map_or(i32::MAX, limit),
            quanta: quanta.exponents(),
            right: map.rows[0],
            up: map.rows[1],
            depth: map.rows[2],
            shift_right: map.shift[0],
            shift_up: map.shift[1],
            shift_depth: map.shift[2],
            start_right: words(map.start[0]),
            start_up: words(map.start[1]),
            start_depth: words(map.start[2]),
            ..LatticeMap::default()
        }
    }

    /// The map as the CPU has it.
    pub fn fixed(&self) -> FixedMap {
        let long = |[low, high]: [u32; 2]| i64::from(low) | i64::from(high as i32) << 32;
        FixedMap {
            origin: self.origin,
            rows: [self.right, self.up, self.depth],
            start: [long(self.start_right), long(self.start_up), long(self.start_depth)],
            shift: [self.shift_right, self.shift_up, self.shift_depth],
        }
    }
}

/// A view whose triangles are to be snapped.
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
    /// To a multiple of sixteen bytes.
    pub spare: [u32; 2],
    /// From A's frame and from B's to the lattice.
    pub maps: [LatticeMap; 2],
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
    /// Intervals that the answer has room for.
    pub capacity: u32,
    /// Word of the answers at which the record begins; the intervals follow.
    pub answer: u32,
    /// Crossings of a pixel, at most.
    pub deepest: u32,
    /// Bits of the number of a triangle of A in an interval, and of one of B; all ones for none.
    pub bits: [u32; 2],
}

/// A triangle of a view: a
/// [`SnappedTriangle`](impinge_image_space::reference_view::SnappedTriangle) as the shaders write and read it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct TileRow {
    /// The edge functions at the view's first pixel, in pixels; held within ±2³⁰.
    pub edge: [i32; 3],
    /// [`FACES_FRONT`], [`NO_ROOM`], [`WIDE`]; from bit 4 on, in seven bits each, the first and the last pixel to the
    /// right, and up, whose centre it may cover.
    pub area: u32,
    /// Its corners, counter-clockwise: sub-pixels to the right.
    pub x: [i32; 3],
    /// The triangle's number in its mesh, in a view of contacts.
    pub name: u32,
    /// Sub-pixels upwards.
    pub y: [i32; 3],
    /// To a multiple of sixteen bytes.
    pub spare_y: u32,
    /// Depth (steps).
    pub z: [i32; 3],
    /// See `spare_y`.
    pub spare_z: u32,
}

/// What was found in a tile; whole numbers of pixels and depth steps, low words first. The intervals follow, bit
/// by bit: whether the next is of the same pixel, then the numbers of the triangles at which A's interval begins and
/// ends, and B's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct TileRecord {
    /// The number of the step.
    pub sequence: u32,
    /// [`OVER_LAYERS`] and the like: then there are no intervals.
    pub status: u32,
    /// Crossings.
    pub crossings: u32,
    /// Intervals.
    pub intervals: u32,
    /// Lines on which a counter did not return to zero.
    pub odd: u32,
    /// Overlaps whose end is not seen.
    pub cut: u32,
    /// Σ length.
    pub length: [u32; 2],
    /// Pixels that have an interval, a bit each.
    pub pixels: [u32; 8],
    /// Intervals with an overlap.
    pub overlaps: u32,
    /// Intervals in which the bodies only touch.
    pub touches: u32,
    /// Σ length · twice the place of the interval's middle to the right.
    pub moment_i: [u32; 2],
    /// The same upwards.
    pub moment_j: [u32; 2],
    /// Σ of the intervals' gradients.
    pub gradient: i32,
    /// Σ gradient · twice the interval's place to the right.
    pub gradient_i: i32,
    /// The same upwards.
    pub gradient_j: i32,
    /// The longest interval.
    pub longest: u32,
    /// Its number; all ones where none overlaps.
    pub deepest: u32,
    /// Σ length · twice the depth of the interval's middle.
    pub moment_z: [u32; 3],
    /// How far B has to move along the view until every overlap is free.
    pub apart_along: i32,
    /// The same against the view.
    pub apart_against: i32,
}

/// Triangles that a view of [`ViewPair`] has room for, at most.
pub const VIEW_ROWS: u32 = 1 << 13;

/// Status of a [`ViewPair`]: nothing crosses.
pub const NO_CONTOUR: u32 = 1;
/// The contours do not close, oppose each other, or are too small for `f32`.
pub const NO_NORMAL: u32 = 2;
/// More triangles in the view than there is room for.
pub const OVER_ROWS: u32 = 4;

/// A pair whose view is made on the device, from what the triangle intersection has found: what is sent, and from
/// `status` on what comes back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ViewPair {
    /// As in [`IntersectUnit`](crate::intersect::layout::IntersectUnit).
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
    /// Word of the intersection's answers at which the first unit's record begins.
    pub answer: u32,
    /// Leaf pairs of the intersection, in units of [`UNIT_LEAF_PAIRS`](crate::intersect::layout::UNIT_LEAF_PAIRS).
    pub leaf_pairs: u32,
    /// The first of its rows, which says how many follow and how many of these are A's.
    pub first: u32,
    /// Rows that there is room for after it.
    pub room: u32,
    /// Pixels per side.
    pub side: u32,
    /// [`IntersectUnit::delta`](crate::intersect::layout::IntersectUnit::delta).
    pub delta: f32,
    /// [`NO_CONTOUR`] and the like.
    pub status: u32,
    /// Triangles that the view may show.
    pub shown: u32,
    /// The number of the step.
    pub sequence: u32,
    /// Triangle pairs that cross, the likely ones among them.
    pub hits: u32,
    /// The contours' area vector (scaled twice).
    pub area: [f32; 3],
    /// To a multiple of sixteen bytes.
    pub spare: u32,
    /// The view: from A's frame and from B's to its lattice. What is sent are the quanta alone.
    pub maps: [LatticeMap; 2],
}
