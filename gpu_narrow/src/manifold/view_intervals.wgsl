// View intervals: all overlap intervals of the views of contacts, for the pairs that the few of a patch do not do for.
//
// Twin: narrow/image_space/src/intervals/. A workgroup takes the one tile of a view, a thread one pixel of it.

@group(0) @binding(0) var<uniform> params: TileParams;
@group(0) @binding(1) var<storage, read> records: array<PatchRecord>;
@group(0) @binding(2) var<storage, read> counts: array<u32>;
@group(0) @binding(3) var<storage, read> crossings: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> listed: array<u32>;

// Words of an interval: its pixel and the upper bits of its triangles, where A's own interval begins and ends and where B's does, and
// the lower halves of their triangles, two in a word.
const INTERVAL_WORDS: u32 = 7u;
// Bits of a triangle's number, and those of them that stand beside the pixel, after its own eight.
const TRIANGLE_BITS: u32 = 22u;
const UPPER_BITS: u32 = 6u;
const PIXEL_BITS: u32 = 8u;

var<workgroup> before: array<u32, TILE_PIXELS>;
var<workgroup> of_rows: array<u32, TILE_SIDE>;

fn triangle_at(place: u32) -> u32 {
    return select(face[min(place, DEEPEST_PIXEL - 1u)] & ((1u << TRIANGLE_BITS) - 1u), 0u, place == NOWHERE);
}

// Two lower halves in a word.
fn lower(a: u32, b: u32) -> u32 {
    return (a & 0xffffu) | (b << 16u);
}

// The upper bits of two, the first's first.
fn upper(a: u32, b: u32) -> u32 {
    return (a >> 16u) | ((b >> 16u) << UPPER_BITS);
}

fn write(at: u32, c: Overlap, lane: u32) {
    let word = INTERVAL_WORDS * at;
    let t = vec4<u32>(triangle_at(c.ends.x), triangle_at(c.ends.y), triangle_at(c.ends.z), triangle_at(c.ends.w));
    // The lane is the pixel's row and column, four bits each.
    listed[word] = lane | (upper(t.x, t.y) << PIXEL_BITS) | (upper(t.z, t.w) << (PIXEL_BITS + 2u * UPPER_BITS));
    listed[word + 1u] = bitcast<u32>(open_of(c.ends.xy));
    listed[word + 2u] = bitcast<u32>(close_of(c.ends.xy));
    listed[word + 3u] = bitcast<u32>(open_of(c.ends.zw));
    listed[word + 4u] = bitcast<u32>(close_of(c.ends.zw));
    listed[word + 5u] = lower(t.x, t.y);
    listed[word + 6u] = lower(t.z, t.w);
}

@compute @workgroup_size(256)
fn view_intervals(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = group.y * params.row + group.x;
    if (index >= params.tiles) {
        return;
    }
    let record = params.first + index;
    let is_listed = records[record].intervals > 0u && records[record].place != NONE;
    var own = 0u;
    if (is_listed) {
        _ = trace(sort_crossings(index, lane, counts[index * TILE_PIXELS + lane]), 0u);
        for (var m = meet(vec2<u32>(0u)); m.found; m = meet(m.at)) {
            own += 1u;
        }
    }
    before[lane] = own;
    workgroupBarrier();
    if (lane % TILE_SIDE == 0u) {
        var row = 0u;
        for (var k = lane; k < lane + TILE_SIDE; k++) {
            row += before[k];
        }
        of_rows[lane / TILE_SIDE] = row;
    }
    workgroupBarrier();
    if (own == 0u) {
        return;
    }
    var next = records[record].place;
    for (var k = 0u; k < lane / TILE_SIDE; k++) {
        next += of_rows[k];
    }
    for (var k = lane - lane % TILE_SIDE; k < lane; k++) {
        next += before[k];
    }
    for (var m = meet(vec2<u32>(0u)); m.found; m = meet(m.at)) {
        write(next, m.overlap, lane);
        next += 1u;
    }
}
