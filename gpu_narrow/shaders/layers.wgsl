// Layers: for every pixel of a tile, where surfaces cross the line through its centre, in order.
//
// Twin: narrow/src/layers/. A workgroup looks at one tile of 16 x 16 pixels of a view, a thread at one
// pixel. The triangles are in whole numbers (snap.wgsl), as the CPU has them: edge functions with the
// top-left rule, and depths on the view's lattice. So what a line meets is what it meets on the CPU, to
// the last bit, on every device.

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

fn before(a: vec2<u32>, b: vec2<u32>) -> bool {
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}

@compute @workgroup_size(256)
fn layers(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = group.y * params.row + group.x;
    if (index >= params.tiles) {
        return;
    }
    let tile = tiles[params.first + index];
    let pixel = tile.origin + vec2<u32>(lane % TILE_SIDE, lane / TILE_SIDE);
    let at = vec2<i32>(pixel);
    let seen = pixel.x < tile.side && pixel.y < tile.side;

    // Order of depth, and then back faces before front faces, A before B, triangle.
    var keys: array<vec2<u32>, DEEPEST_PIXEL>;
    var count = 0u;
    for (var base = 0u; base < tile.count; base += STAGED) {
        let some = min(STAGED, tile.count - base);
        workgroupBarrier();
        if (lane < some) {
            staged[lane] = rows[tile.first + base + lane];
        }
        workgroupBarrier();
        for (var k = 0u; k < some; k++) {
            let across = staged[k].across;
            let edge = staged[k].edge;
            let e0 = edge.x + across.x * at.x + across.y * at.y;
            let e1 = edge.y + across.z * at.x + across.w * at.y;
            let e2 = edge.z - (across.x + across.z) * at.x - (across.y + across.w) * at.y;
            if (!seen || (e0 | e1 | e2) < 0) {
                continue;
            }
            if (staged[k].front == NO_ROOM) {
                count += UNSEEN;
                continue;
            }
            if (count < DEEPEST_PIXEL) {
                let row = staged[k];
                let number = base + k;
                let side = select(0u, SIDE_B, number >= tile.of_a);
                let z = bitcast<u32>(depth(row, pixel)) ^ 0x80000000u;
                let key = vec2<u32>(z, select(0u, FRONT, row.front != 0u) | side | number);
                var place = count;
                while (place > 0u && before(key, keys[place - 1u])) {
                    keys[place] = keys[place - 1u];
                    place -= 1u;
                }
                keys[place] = key;
            }
            count += 1u;
        }
    }

    counts[index * TILE_PIXELS + lane] = count;
    for (var k = 0u; k < min(count, DEEPEST_PIXEL); k++) {
        fragments[(index * DEEPEST_PIXEL + k) * TILE_PIXELS + lane] = keys[k];
    }
}
