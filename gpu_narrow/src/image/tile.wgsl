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

// A triangle on the view's lattice, its corners counter-clockwise (right, up).
struct TileRow {
    // The edge functions at the view's first pixel, in units of a pixel: inside where none is negative.
    edge: vec3<i32>,
    // FACES_FRONT, NO_ROOM, WIDE; from bit 4 on, in seven bits each, the first and the last pixel to the right, and up,
    // whose centre it may cover.
    area: u32,
    // Its corners: sub-pixels from the first pixel's centre to the right and up, and steps of depth.
    x: vec3<i32>,
    // Its number in its mesh, in a view of contacts.
    name: u32,
    y: vec3<i32>,
    spare_y: u32,
    z: vec3<i32>,
    spare_z: u32,
}

const TILE_SIDE: u32 = 16u;
const TILE_PIXELS: u32 = 256u;
// Crossings of a pixel that there is room for: beyond that the tile is discarded.
const DEEPEST_PIXEL: u32 = 32u;
// Binary digits of the sub-pixels of a pixel.
const SUB_BITS: u32 = 16u;
// The outward normal points against the view.
const FACES_FRONT: u32 = 1u;
// 32 bits have no room for the triangle.
const NO_ROOM: u32 = 2u;
// 32 bits have no room for its edge functions over all of the view.
const WIDE: u32 = 4u;
// Added to the count of a pixel's crossings where one of them is of a triangle without room.
const UNSEEN: u32 = 0x10000u;
