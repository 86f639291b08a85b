// What the passes over tiles share: 16 x 16 pixels of a view each, with the triangles that it may show in
// whole numbers.

struct TileParams {
    // Tiles of this dispatch (views where they are snapped), workgroups per row of it, and the first of them.
    tiles: u32,
    row: u32,
    first: u32,
    // The number of the step, given back in every record.
    sequence: u32,
    // The triangle that has the first row.
    base: u32,
}

struct TileUnit {
    // The triangles that can be seen: first, how many, and how many of these are A's, which come first.
    first: u32,
    count: u32,
    of_a: u32,
    // Pixels per side of the view, and the tile's first pixel in it.
    side: u32,
    origin: vec2<u32>,
    flags: u32,
    // Intervals that the answer has room for, and the word at which it begins.
    capacity: u32,
    answer: u32,
    // Crossings of a pixel, at most.
    deepest: u32,
    // Bits of the number of a triangle of A in a column, and of one of B.
    bits: vec2<u32>,
}

struct TileRow {
    // The edge functions at the view's first pixel, in units of a pixel: inside where none is negative.
    edge: vec3<i32>,
    // FACES_FRONT, NO_ROOM; from bit 4 on, in seven bits each, the first and the last pixel to the right, and up,
    // whose centre it may cover.
    area: u32,
    // What the first and the second change by from pixel to pixel, to the right and up; the third by the
    // opposite of their sum.
    across: vec4<i32>,
    // Depth at the first pixel, and half a step, in parts of a step of 2^-FRACTION: low word, high word.
    at: vec2<u32>,
    // What it changes by, to the right and up.
    along_i: vec2<u32>,
    along_j: vec2<u32>,
    // Least and greatest depth (steps).
    least: i32,
    most: i32,
}

const TILE_SIDE: u32 = 16u;
const TILE_PIXELS: u32 = 256u;
// Crossings of a pixel that there is room for: beyond that the tile is discarded.
const DEEPEST_PIXEL: u32 = 16u;
// Bits behind the point of a row's depths.
const FRACTION: u32 = 12u;
// The outward normal points against the view.
const FACES_FRONT: u32 = 1u;
// 32 bits have no room for the triangle.
const NO_ROOM: u32 = 2u;
// Added to the count of a pixel's crossings where one of them is of a triangle without room.
const UNSEEN: u32 = 0x10000u;
