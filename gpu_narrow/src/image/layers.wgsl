// Layers: for every pixel of a tile, where surfaces cross the line through its centre.
//
// Twin: narrow/src/layers/. A workgroup looks at one tile of 16 x 16 pixels of a view, and 256 triangles at a time. A
// thread takes a triangle whose box has few pixels; of a larger one sixteen threads take a row of pixels each, from its
// first to its last in that row. A pixel's crossings stand in the order in which they were found. The triangles are in
// whole numbers (snap.wgsl), as the CPU has them: edge functions with the top-left rule, and depths on the view's
// lattice. So what a line meets is what it meets on the CPU, to the last bit, on every device.

@group(0) @binding(0) var<uniform> params: TileParams;
@group(0) @binding(1) var<storage, read> tiles: array<TileUnit>;
@group(0) @binding(2) var<storage, read> rows: array<TileRow>;
@group(0) @binding(3) var<storage, read_write> counts: array<u32>;
@group(0) @binding(4) var<storage, read_write> crossings: array<vec2<u32>>;

// Pixels of a box that one thread looks at.
const FEW: u32 = 8u;

// Flag of a tile: the device has counted its triangles.
const COUNTED: u32 = 16u;

const FRONT: u32 = 0x80000000u;
const SIDE_B: u32 = 0x40000000u;

// Crossings of each pixel.
var<workgroup> found: array<atomic<u32>, TILE_PIXELS>;
// Of the triangles at hand those with larger boxes.
var<workgroup> larger: array<u32, TILE_PIXELS>;
var<workgroup> many: atomic<u32>;

// v times m, where m is below 2^16.
fn times(v: vec2<u32>, m: u32) -> vec2<u32> {
    let low = (v.x & 0xffffu) * m;
    let high = (v.x >> 16u) * m + (low >> 16u);
    return vec2<u32>((high << 16u) | (low & 0xffffu), v.y * m + (high >> 16u));
}

fn plus(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}

// The depth of a triangle at a pixel (steps).
fn depth(row: TileRow, pixel: vec2<u32>) -> i32 {
    let v = plus(plus(row.at, times(row.along_i, pixel.x)), times(row.along_j, pixel.y));
    let whole = (v.x >> FRACTION) | (v.y << (32u - FRACTION));
    let above = bitcast<i32>(v.y) >> FRACTION;
    // Where 32 bits do not hold it, it is beyond every depth that the triangle has.
    let fits = above == (bitcast<i32>(whole) >> 31u);
    let far = select(0x7fffffff, -0x7fffffff - 1, above < 0);
    return clamp(select(far, bitcast<i32>(whole), fits), row.least, row.most);
}

// The first and the last pixel of a tile whose centre a triangle may cover: right, up; right, up.
fn box_in(area: u32, origin: vec2<u32>) -> vec4<u32> {
    let first = max(vec2<u32>((area >> 4u) & 127u, (area >> 18u) & 127u), origin);
    let last = min(vec2<u32>((area >> 11u) & 127u, area >> 25u), origin + TILE_SIDE - 1u);
    return vec4<u32>(first, last);
}

// Of what the edge functions change by, to the right and up.
fn to_right(across: vec4<i32>) -> vec3<i32> {
    return vec3<i32>(across.x, across.z, -(across.x + across.z));
}

fn to_up(across: vec4<i32>) -> vec3<i32> {
    return vec3<i32>(across.y, across.w, -(across.y + across.w));
}

// Writes the crossing of a pixel by a triangle, which is the `number`th of the view.
fn put(index: u32, tile: TileUnit, row: TileRow, number: u32, pixel: vec2<u32>) {
    let lane = (pixel.y - tile.origin.y) * TILE_SIDE + pixel.x - tile.origin.x;
    let place = atomicAdd(&found[lane], select(1u, UNSEEN, (row.area & NO_ROOM) != 0u));
    if (place < DEEPEST_PIXEL) {
        // Order of depth, and then back faces before front faces, A before B, triangle.
        let z = bitcast<u32>(depth(row, pixel)) ^ 0x80000000u;
        let side = select(0u, SIDE_B, number >= tile.of_a);
        let key = vec2<u32>(z, select(0u, FRONT, (row.area & FACES_FRONT) != 0u) | side | number);
        crossings[(index * DEEPEST_PIXEL + place) * TILE_PIXELS + lane] = key;
    }
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
    let right = to_right(row.across);
    let next = to_up(row.across) - right * i32(size.x - 1u);
    var pixel = bounds.xy;
    var e = row.edge + right * i32(pixel.x) + to_up(row.across) * i32(pixel.y);
    for (var left = size.x * size.y; left > 0u; left--) {
        if ((e.x | e.y | e.z) >= 0) {
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
    let right = to_right(row.across);
    var e = row.edge + right * i32(bounds.x) + to_up(row.across) * i32(j);
    for (var i = bounds.x; i <= bounds.z; i++) {
        if ((e.x | e.y | e.z) >= 0) {
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
        // How many they are stands before them.
        let head = rows[tile.first - params.base].edge;
        tile.first += 1u;
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
