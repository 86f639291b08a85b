// Where the triangles of a tile stand among those of all tiles that are drawn together.

struct TileSpan {
    // The first, counted over all tiles, and its row.
    first: u32,
    row: u32,
    // How many of the view's triangles are A's.
    of_a: u32,
    // The tile's first pixel: right, and up from bit 8 on; NAMED where crossings have the triangles' own numbers.
    about: u32,
}

// Flag of a span, above the pixel.
const SPAN_NAMED: u32 = 0x10000u;
