// Spans: where the triangles of each tile begin among those of all tiles, so that one draw is about all of them, and how much
// is to be drawn. One workgroup, a thread for each stretch of tiles.

@group(0) @binding(0) var<uniform> params: TileParams;
@group(0) @binding(1) var<storage, read> tiles: array<TileUnit>;
@group(0) @binding(2) var<storage, read> rows: array<TileRow>;
@group(0) @binding(3) var<storage, read_write> spans: array<TileSpan>;
@group(0) @binding(4) var<storage, read_write> arguments: array<DrawArguments>;

// Flag of a tile: the device has counted its triangles.
const COUNTED: u32 = 16u;
// Flag of a tile: crossings have the triangles' own numbers.
const NAMED: u32 = 32u;
// Vertices of the two halves of a box.
const BOX_VERTICES: u32 = 6u;

var<workgroup> sums: array<u32, TILE_PIXELS>;

@compute @workgroup_size(256)
fn capture_spans(@builtin(local_invocation_index) lane: u32) {
    let each = (params.tiles + TILE_PIXELS - 1u) / TILE_PIXELS;
    let begin = min(lane * each, params.tiles);
    let end = min(begin + each, params.tiles);
    var sum = 0u;
    for (var index = begin; index < end; index++) {
        let unit = tiles[params.first + index];
        var span = TileSpan(sum, unit.first - params.base, unit.of_a, unit.origin.x | (unit.origin.y << 8u));
        var count = unit.count;
        if ((unit.flags & COUNTED) != 0u) {
            // How many they are, and how far on, stands before them.
            let head = rows[span.row].edge;
            span.row += 1u + u32(head.z);
            span.of_a = u32(head.y);
            count = u32(head.x);
        }
        span.about |= select(0u, SPAN_NAMED, (unit.flags & NAMED) != 0u);
        spans[index] = span;
        sum += count;
    }
    sums[lane] = sum;
    workgroupBarrier();
    var before = 0u;
    var all = 0u;
    for (var k = 0u; k < TILE_PIXELS; k++) {
        before += select(0u, sums[k], k < lane);
        all += sums[k];
    }
    for (var index = begin; index < end; index++) {
        spans[index].first += before;
    }
    if (lane < PEELED_LAYERS) {
        arguments[lane].vertices = BOX_VERTICES * all;
        atomicStore(&arguments[lane].instances, select(0u, 1u, lane == 0u));
        arguments[lane].first_vertex = 0u;
        arguments[lane].first_instance = 0u;
    }
}
