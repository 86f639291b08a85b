// Layers: for every pixel of a tile, where surfaces cross the line through its centre.
//
// Twin: narrow/image_space/src/layers/. A workgroup takes one tile of 16 x 16 pixels of a view, and 256 triangles at a
// time. A thread takes a triangle whose box has few pixels; of a larger one sixteen threads take a row of pixels each, from
// its first to its last in that row. A pixel's crossings stand in the order in which they were found. The triangles are in
// whole numbers (row.wgsl), as the CPU has them, and so are coverage and depth (coverage.wgsl). So a line's crossings are
// those on the CPU, to the last bit, on every device.

@group(0) @binding(0) var<uniform> params: TileParams;
@group(0) @binding(1) var<storage, read> tiles: array<TileUnit>;
@group(0) @binding(2) var<storage, read> rows: array<TileRow>;
@group(0) @binding(3) var<storage, read_write> counts: array<u32>;
@group(0) @binding(4) var<storage, read_write> crossings: array<vec2<u32>>;

// Pixels of a box that one thread looks at.
const FEW: u32 = 8u;

// Flag of a tile: the device has counted its triangles.
const COUNTED: u32 = 16u;
// Flag of a tile: crossings have the triangles' own numbers.
const NAMED: u32 = 32u;

const FRONT: u32 = 0x80000000u;
const SIDE_B: u32 = 0x40000000u;

// Crossings of each pixel.
var<workgroup> found: array<atomic<u32>, TILE_PIXELS>;
// Of the triangles at hand those with larger boxes.
var<workgroup> larger: array<u32, TILE_PIXELS>;
var<workgroup> many: atomic<u32>;

// Edge functions change by this from one pixel to the next, to the right and up.
fn to_right(row: TileRow) -> vec3<i32> {
    return row.y - row.y.yzx;
}

fn to_up(row: TileRow) -> vec3<i32> {
    return row.x.yzx - row.x;
}

// The edge functions of a triangle at a pixel's centre, in sub-pixels, and the depth there.
struct Centre {
    covered: bool,
    depth: i32,
}

fn centre(row: TileRow, pixel: vec2<u32>) -> Centre {
    let p = vec2<i32>(pixel << vec2<u32>(SUB_BITS));
    let a = vec2<i32>(row.x.x, row.y.x);
    let b = vec2<i32>(row.x.y, row.y.y);
    let c = vec2<i32>(row.x.z, row.y.z);
    // Each weighs the corner that is not on its edge.
    let of_c = edge64(a, b - a, p);
    let of_a = edge64(b, c - b, p);
    let of_b = edge64(c, a - c, p);
    var out: Centre;
    out.covered = inside64(of_c, b - a) & inside64(of_a, c - b) & inside64(of_b, a - c);
    if (out.covered) {
        let area = plus64(plus64(of_a, of_b), of_c);
        if ((row.area & WIDE) != 0u) {
            out.depth = weighed64(array<vec2<u32>, 3>(of_a, of_b, of_c), area, row.z);
        } else {
            out.depth = row.z.x + quotient64(of_b, of_c, area, row.z.yz - row.z.x);
        }
    }
    return out;
}

// The first and the last pixel of a tile whose centre a triangle may cover: right, up; right, up.
fn box_in(area: u32, origin: vec2<u32>) -> vec4<u32> {
    let first = max(vec2<u32>((area >> 4u) & 127u, (area >> 18u) & 127u), origin);
    let last = min(vec2<u32>((area >> 11u) & 127u, area >> 25u), origin + TILE_SIDE - 1u);
    return vec4<u32>(first, last);
}

// Writes the crossing of a pixel by a triangle, which is the `number`th of the view, where it covers the pixel's centre.
fn put(index: u32, tile: TileUnit, row: TileRow, number: u32, pixel: vec2<u32>) {
    let lane = (pixel.y - tile.origin.y) * TILE_SIDE + pixel.x - tile.origin.x;
    if ((row.area & NO_ROOM) != 0u) {
        atomicAdd(&found[lane], UNSEEN);
        return;
    }
    let at = centre(row, pixel);
    if (!at.covered) {
        return;
    }
    let place = atomicAdd(&found[lane], 1u);
    if (place < DEEPEST_PIXEL) {
        // Order of depth, and then back faces before front faces, A before B, triangle.
        let z = bitcast<u32>(at.depth) ^ 0x80000000u;
        let side = select(0u, SIDE_B, number >= tile.of_a);
        let name = select(number, row.name, (tile.flags & NAMED) != 0u);
        let key = vec2<u32>(z, select(0u, FRONT, (row.area & FACES_FRONT) != 0u) | side | name);
        crossings[(index * DEEPEST_PIXEL + place) * TILE_PIXELS + lane] = key;
    }
}

// Whether the edge functions leave a pixel to be asked about: of a wide triangle all pixels of its box.
fn may_cover(row: TileRow, e: vec3<i32>) -> bool {
    return (e.x | e.y | e.z) >= 0 || (row.area & WIDE) != 0u;
}

// All pixels of a small box; a larger one is left for later.
fn cover_small(index: u32, tile: TileUnit, number: u32) {
    let row = rows[tile.first - params.base + number];
    let bounds = box_in(row.area, tile.origin);
    if (bounds.x > bounds.z || bounds.y > bounds.w) {
        return;
    }
    let size = bounds.zw - bounds.xy + 1u;
    if (size.x * size.y > FEW) {
        larger[atomicAdd(&many, 1u)] = number;
        return;
    }
    let right = to_right(row);
    let next = to_up(row) - right * i32(size.x - 1u);
    var pixel = bounds.xy;
    var e = row.edge + right * i32(pixel.x) + to_up(row) * i32(pixel.y);
    for (var left = size.x * size.y; left > 0u; left--) {
        if (may_cover(row, e)) {
            put(index, tile, row, number, pixel);
        }
        let ends = pixel.x == bounds.z;
        pixel = select(pixel + vec2<u32>(1u, 0u), vec2<u32>(bounds.x, pixel.y + 1u), ends);
        e += select(right, next, ends);
    }
}

// One row of pixels of a triangle.
fn cover_row(index: u32, tile: TileUnit, number: u32, j: u32) {
    let row = rows[tile.first - params.base + number];
    let bounds = box_in(row.area, tile.origin);
    if (j < bounds.y || j > bounds.w) {
        return;
    }
    let right = to_right(row);
    var e = row.edge + right * i32(bounds.x) + to_up(row) * i32(j);
    for (var i = bounds.x; i <= bounds.z; i++) {
        if (may_cover(row, e)) {
            put(index, tile, row, number, vec2<u32>(i, j));
        }
        e += right;
    }
}

@compute @workgroup_size(256)
fn layers(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = group.y * params.row + group.x;
    if (index >= params.tiles) {
        return;
    }
    var tile = tiles[params.first + index];
    if ((tile.flags & COUNTED) != 0u) {
        // How many they are, and how far on, stands before them.
        let head = rows[tile.first - params.base].edge;
        tile.first += 1u + u32(head.z);
        tile.count = u32(head.x);
        tile.of_a = u32(head.y);
    }
    atomicStore(&found[lane], 0u);
    for (var base = 0u; base < tile.count; base += TILE_PIXELS) {
        if (lane == 0u) {
            atomicStore(&many, 0u);
        }
        workgroupBarrier();
        if (base + lane < tile.count) {
            cover_small(index, tile, base + lane);
        }
        workgroupBarrier();
        for (var k = lane / TILE_SIDE; k < atomicLoad(&many); k += TILE_PIXELS / TILE_SIDE) {
            cover_row(index, tile, larger[k], tile.origin.y + lane % TILE_SIDE);
        }
        workgroupBarrier();
    }
    workgroupBarrier();
    counts[index * TILE_PIXELS + lane] = atomicLoad(&found[lane]);
}
