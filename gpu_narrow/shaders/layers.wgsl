// Layers: for every pixel of a tile, where surfaces cross the line through its centre.
//
// Twin: narrow/src/layers/. A workgroup looks at one tile of 16 x 16 pixels of a view. Sixteen neighbouring threads
// take a triangle, each a row of pixels of it, from its first to its last in that row; a pixel's crossings stand in
// the order in which they were found. The triangles are in whole numbers (snap.wgsl), as the CPU has them: edge
// functions with the top-left rule, and depths on the view's lattice. So what a line meets is what it meets on the
// CPU, to the last bit, on every device.

@group(0) @binding(0) var<uniform> params: TileParams;
@group(0) @binding(1) var<storage, read> tiles: array<TileUnit>;
@group(0) @binding(2) var<storage, read> rows: array<TileRow>;
@group(0) @binding(3) var<storage, read_write> counts: array<u32>;
@group(0) @binding(4) var<storage, read_write> fragments: array<vec2<u32>>;

// Triangles that stand in workgroup memory at a time.
const STAGED: u32 = 64u;

const FRONT: u32 = 0x80000000u;
const SIDE_B: u32 = 0x40000000u;

var<workgroup> staged: array<TileRow, STAGED>;
// Crossings of each pixel.
var<workgroup> found: array<atomic<u32>, TILE_PIXELS>;

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

// The depth of a staged triangle at a pixel (steps).
fn depth(k: u32, pixel: vec2<u32>) -> i32 {
    let v = plus(plus(staged[k].at, times(staged[k].along_i, pixel.x)), times(staged[k].along_j, pixel.y));
    let whole = (v.x >> FRACTION) | (v.y << (32u - FRACTION));
    let above = bitcast<i32>(v.y) >> FRACTION;
    // Where 32 bits do not hold it, it is beyond every depth that the triangle has.
    let fits = above == (bitcast<i32>(whole) >> 31u);
    let far = select(0x7fffffff, -0x7fffffff - 1, above < 0);
    return clamp(select(far, bitcast<i32>(whole), fits), staged[k].least, staged[k].most);
}

// One row of pixels of a staged triangle, which is the `number`th of the view.
fn cover(index: u32, tile: TileUnit, k: u32, number: u32, j: u32) {
    let area = staged[k].area;
    let first = max((area >> 4u) & 127u, tile.origin.x);
    let last = min((area >> 11u) & 127u, tile.origin.x + TILE_SIDE - 1u);
    if (j < ((area >> 18u) & 127u) || j > (area >> 25u)) {
        return;
    }
    let across = staged[k].across;
    let right = vec3<i32>(across.x, across.z, -(across.x + across.z));
    let up = vec3<i32>(across.y, across.w, -(across.y + across.w));
    var e = staged[k].edge + right * i32(first) + up * i32(j);
    for (var i = first; i <= last; i++) {
        if ((e.x | e.y | e.z) >= 0) {
            let lane = (j - tile.origin.y) * TILE_SIDE + i - tile.origin.x;
            let place = atomicAdd(&found[lane], select(1u, UNSEEN, (area & NO_ROOM) != 0u));
            if (place < DEEPEST_PIXEL) {
                // Order of depth, and then back faces before front faces, A before B, triangle.
                let z = bitcast<u32>(depth(k, vec2<u32>(i, j))) ^ 0x80000000u;
                let side = select(0u, SIDE_B, number >= tile.of_a);
                let key = vec2<u32>(z, select(0u, FRONT, (area & FACES_FRONT) != 0u) | side | number);
                fragments[(index * DEEPEST_PIXEL + place) * TILE_PIXELS + lane] = key;
            }
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
    let tile = tiles[params.first + index];
    atomicStore(&found[lane], 0u);
    for (var base = 0u; base < tile.count; base += STAGED) {
        let some = min(STAGED, tile.count - base);
        workgroupBarrier();
        if (lane < some) {
            staged[lane] = rows[tile.first - params.base + base + lane];
        }
        workgroupBarrier();
        for (var k = lane / TILE_SIDE; k < some; k += TILE_PIXELS / TILE_SIDE) {
            cover(index, tile, k, base + k, tile.origin.y + lane % TILE_SIDE);
        }
    }
    workgroupBarrier();
    counts[index * TILE_PIXELS + lane] = atomicLoad(&found[lane]);
}
