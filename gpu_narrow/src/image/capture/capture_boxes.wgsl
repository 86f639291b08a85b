// Triangles of tiles drawn: the pixels of a triangle's box in its tile, of which each decides by itself whether its centre is covered,
// so nothing hangs on how a driver rounds positions. Tiles lie side by side in an atlas.

@group(0) @binding(0) var<uniform> params: TileParams;
@group(0) @binding(1) var<storage, read> spans: array<TileSpan>;
@group(0) @binding(2) var<storage, read> rows: array<TileRow>;
@group(0) @binding(3) var<storage, read_write> counts: array<atomic<u32>>;

// Vertices of the two halves of a box.
const BOX_VERTICES: u32 = 6u;
// Tiles side by side.
const ATLAS_TILES: u32 = 64u;

struct RowBox {
    @builtin(position) position: vec4<f32>,
    // The tile's number, the row, the triangle's number in the view, and 1 where it is B's.
    @location(0) @interpolate(flat) about: vec4<u32>,
    // The tile's first pixel, and 1 where crossings have the triangles' own numbers.
    @location(1) @interpolate(flat) tile: vec3<u32>,
}

fn atlas_place(tile: u32) -> vec2<u32> {
    return TILE_SIDE * vec2<u32>(tile % ATLAS_TILES, tile / ATLAS_TILES);
}

@vertex
fn boxes(@builtin(vertex_index) index: u32) -> RowBox {
    let slot = index / BOX_VERTICES;
    // The last tile that begins at or before the slot: those without triangles begin where the next does.
    var low = 0u;
    var high = params.tiles;
    while (high - low > 1u) {
        let middle = (low + high) / 2u;
        if (spans[middle].first <= slot) {
            low = middle;
        } else {
            high = middle;
        }
    }
    let span = spans[low];
    let number = slot - span.first;
    let row = span.row + number;
    let origin = vec2<u32>(span.about & 255u, (span.about >> 8u) & 255u);
    let bounds = box_in(rows[row].area, origin);
    var out: RowBox;
    // Beyond the far plane: clipped.
    out.position = vec4<f32>(0.0, 0.0, 2.0, 1.0);
    if (bounds.x > bounds.z || bounds.y > bounds.w) {
        return out;
    }
    let k = index % BOX_VERTICES;
    let right = k == 1u || k == 2u || k == 4u;
    let up = k == 2u || k == 4u || k == 5u;
    let corner = select(bounds.xy, bounds.zw + 1u, vec2<bool>(right, up)) - origin;
    let height = TILE_SIDE * ((params.tiles + ATLAS_TILES - 1u) / ATLAS_TILES);
    let size = vec2<f32>(f32(TILE_SIDE * ATLAS_TILES), f32(height));
    let place = vec2<f32>(atlas_place(low) + corner) / size * 2.0 - 1.0;
    out.position = vec4<f32>(place.x, -place.y, 0.5, 1.0);
    out.about = vec4<u32>(low, row, number, select(0u, 1u, number >= span.of_a));
    out.tile = vec3<u32>(origin, select(0u, 1u, (span.about & SPAN_NAMED) != 0u));
    return out;
}

struct Crossed {
    // Whether the triangle has no room in 32 bits, or covers the pixel's centre.
    unseen: bool,
    covered: bool,
    // The pixel's number in the tile.
    lane: u32,
    depth: i32,
    // The crossing.
    key: vec2<u32>,
}

fn crossed(in: RowBox) -> Crossed {
    let at = vec2<u32>(in.position.xy) - atlas_place(in.about.x);
    let row = rows[in.about.y];
    let pixel = in.tile.xy + at;
    var out: Crossed;
    out.lane = at.y * TILE_SIDE + at.x;
    out.unseen = (row.area & NO_ROOM) != 0u;
    if (out.unseen) {
        return out;
    }
    if (is_asked(row)) {
        let asked = centre(row, pixel);
        out.covered = asked.covered;
        out.depth = asked.depth;
    } else {
        let e = row.edge + (row.y - row.y.yzx) * i32(pixel.x) + (row.x.yzx - row.x) * i32(pixel.y);
        out.covered = (e.x | e.y | e.z) >= 0;
        if (out.covered) {
            out.depth = covered_depth(row, pixel);
        }
    }
    let name = select(in.about.z, row.name, in.tile.z == 1u);
    out.key = key_of(row, out.depth, name, in.about.w == 1u);
    return out;
}
