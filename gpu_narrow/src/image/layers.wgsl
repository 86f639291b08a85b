// Layers: for every pixel of a tile, where surfaces cross the line through its centre.
//
// Twin: narrow/image_space/src/layers/. A workgroup takes one tile of 16 x 16 pixels of a view, and 256 triangles at a
// time. Their boxes are cut into strips, one for each row of pixels; threads take strips and list the pixels that these
// cover; threads take listed pixels and find the depth there: so all threads have work whatever the triangles' sizes. A
// pixel's crossings stand in the order in which they were found. The triangles are in whole numbers (row.wgsl), as the CPU
// has them, and so are coverage and depth (coverage.wgsl). So a line's crossings are those on the CPU, to the last bit, on
// every device.

@group(0) @binding(0) var<uniform> params: TileParams;
@group(0) @binding(1) var<storage, read> tiles: array<TileUnit>;
@group(0) @binding(2) var<storage, read> rows: array<TileRow>;
@group(0) @binding(3) var<storage, read_write> counts: array<u32>;
@group(0) @binding(4) var<storage, read_write> crossings: array<vec2<u32>>;

// Strips, and covered pixels, of the triangles at hand that there is room for; what is beyond is done by the thread that found it.
const STRIPS: u32 = 1536u;
const COVERED: u32 = 1536u;

// Crossings of each pixel.
var<workgroup> found: array<atomic<u32>, TILE_PIXELS>;
// Of the triangles at hand the number in the low eight bits; of a strip then its row of pixels, of a covered pixel its place in
// the tile.
var<workgroup> strips: array<u32, STRIPS>;
var<workgroup> covered: array<u32, COVERED>;
var<workgroup> strip_count: atomic<u32>;
var<workgroup> covered_count: atomic<u32>;

// Of the tile at hand: the place of the first row of the triangles at hand, and their first number in the view.
struct Stretch {
    tile: u32,
    origin: vec2<u32>,
    row: u32,
    first: u32,
    of_a: u32,
    named: bool,
}

// Writes the crossing of a pixel, at a place in the tile, by one of the triangles at hand, if it covers the pixel's centre.
fn put(own: Stretch, number: u32, lane: u32) {
    let row = rows[own.row + number];
    let pixel = own.origin + vec2<u32>(lane % TILE_SIDE, lane / TILE_SIDE);
    var depth = 0;
    if (is_asked(row)) {
        let at = centre(row, pixel);
        if (!at.covered) {
            return;
        }
        depth = at.depth;
    } else {
        depth = covered_depth(row, pixel);
    }
    let place = atomicAdd(&found[lane], 1u);
    if (place < DEEPEST_PIXEL) {
        let name = select(own.first + number, row.name, own.named);
        let key = key_of(row, depth, name, own.first + number >= own.of_a);
        crossings[(own.tile * DEEPEST_PIXEL + place) * TILE_PIXELS + lane] = key;
    }
}

// Lists the pixels of a strip that the triangle covers; of a wide triangle all pixels of its box, to be asked about.
fn follow(own: Stretch, number: u32, j: u32) {
    let row = own.row + number;
    let area = rows[row].area;
    let bounds = box_in(area, own.origin);
    let begin = (j - own.origin.y) * TILE_SIDE - own.origin.x;
    if ((area & NO_ROOM) != 0u) {
        for (var i = bounds.x; i <= bounds.z; i++) {
            atomicAdd(&found[begin + i], UNSEEN);
        }
        return;
    }
    let x = rows[row].x;
    let y = rows[row].y;
    // Edge functions change by this from one pixel to the next, to the right.
    let right = y - y.yzx;
    var e = rows[row].edge + right * i32(bounds.x) + (x.yzx - x) * i32(j);
    for (var i = bounds.x; i <= bounds.z; i++) {
        if ((e.x | e.y | e.z) >= 0 || (area & WIDE) != 0u) {
            let place = atomicAdd(&covered_count, 1u);
            if (place < COVERED) {
                covered[place] = number | ((begin + i) << 8u);
            } else {
                put(own, number, begin + i);
            }
        }
        e += right;
    }
}

// Cuts the box of one of the triangles at hand into strips.
fn cut(own: Stretch, number: u32) {
    let bounds = box_in(rows[own.row + number].area, own.origin);
    if (bounds.x > bounds.z || bounds.y > bounds.w) {
        return;
    }
    var place = atomicAdd(&strip_count, bounds.w + 1u - bounds.y);
    for (var j = bounds.y; j <= bounds.w; j++) {
        if (place < STRIPS) {
            strips[place] = number | (j << 8u);
        } else {
            follow(own, number, j);
        }
        place += 1u;
    }
}

@compute @workgroup_size(256)
fn layers(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = group.y * params.row + group.x;
    if (index >= params.tiles) {
        return;
    }
    let tile = params.first + index;
    var own = Stretch(index, tiles[tile].origin, tiles[tile].first - params.base, 0u, tiles[tile].of_a, false);
    let flags = tiles[tile].flags;
    var count = tiles[tile].count;
    own.named = (flags & NAMED) != 0u;
    if ((flags & COUNTED) != 0u) {
        // How many they are, and how far on, stands before them.
        let head = rows[own.row].edge;
        own.row += 1u + u32(head.z);
        own.of_a = u32(head.y);
        count = u32(head.x);
    }
    if (count == 0u) {
        counts[index * TILE_PIXELS + lane] = 0u;
        return;
    }
    atomicStore(&found[lane], 0u);
    for (var base = 0u; base < count; base += TILE_PIXELS) {
        if (lane == 0u) {
            atomicStore(&strip_count, 0u);
            atomicStore(&covered_count, 0u);
        }
        workgroupBarrier();
        if (base + lane < count) {
            cut(own, lane);
        }
        workgroupBarrier();
        let all_strips = min(atomicLoad(&strip_count), STRIPS);
        for (var k = lane; k < all_strips; k += TILE_PIXELS) {
            follow(own, strips[k] & 255u, strips[k] >> 8u);
        }
        workgroupBarrier();
        let all_covered = min(atomicLoad(&covered_count), COVERED);
        for (var k = lane; k < all_covered; k += TILE_PIXELS) {
            put(own, covered[k] & 255u, covered[k] >> 8u);
        }
        own.row += TILE_PIXELS;
        own.first += TILE_PIXELS;
        workgroupBarrier();
    }
    counts[index * TILE_PIXELS + lane] = atomicLoad(&found[lane]);
}
