// View intervals: all overlap intervals of the views of contacts, for the pairs that the few of a patch do not do for.
//
// Twin: narrow/image_space/src/intervals/. A workgroup takes the one tile of a view, a thread one pixel of it.

@group(0) @binding(0) var<uniform> params: TileParams;
@group(0) @binding(1) var<storage, read> records: array<PatchRecord>;
@group(0) @binding(2) var<storage, read> counts: array<u32>;
@group(0) @binding(3) var<storage, read> crossings: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> listed: array<u32>;

// Words of an interval: its pixel, where A's own interval begins and ends and where B's does, and their triangles, two
// in a word.
const INTERVAL_WORDS: u32 = 7u;

var<workgroup> before: array<u32, TILE_PIXELS>;
var<workgroup> of_rows: array<u32, TILE_SIDE>;

fn triangle_at(place: u32) -> u32 {
    return select(face[min(place, DEEPEST_PIXEL - 1u)] & 0xffffu, 0u, place == NOWHERE);
}

fn write(at: u32, c: Overlap, lane: u32) {
    let word = INTERVAL_WORDS * at;
    listed[word] = (lane % TILE_SIDE) | ((lane / TILE_SIDE) << 16u);
    listed[word + 1u] = bitcast<u32>(open_of(c.ends.xy));
    listed[word + 2u] = bitcast<u32>(close_of(c.ends.xy));
    listed[word + 3u] = bitcast<u32>(open_of(c.ends.zw));
    listed[word + 4u] = bitcast<u32>(close_of(c.ends.zw));
    listed[word + 5u] = triangle_at(c.ends.x) | (triangle_at(c.ends.y) << 16u);
    listed[word + 6u] = triangle_at(c.ends.z) | (triangle_at(c.ends.w) << 16u);
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
