// Intervals: where both bodies are along the line through a pixel's centre, and sums over all of a tile.
//
// Twin: narrow/image_space/src/intervals/. A workgroup reads the layers of one tile, a thread those of one pixel, in any
// order, and sorts them. Each body has a signed counter; where both are positive the bodies overlap. All numbers are whole,
// so sums do not depend on their order, and equal the CPU's. An interval is given back as the triangles at its four ends
// alone: the CPU computes their depths there by itself.

// What is known of a tile. The intervals follow, bit by bit.
struct TileRecord {
    sequence: u32,
    // Why there are no intervals; zero where there are.
    status: u32,
    crossings: u32,
    intervals: u32,
    // Lines on which a counter did not return to zero, and overlaps whose end is not seen.
    odd: u32,
    cut: u32,
    // Sum of the lengths (steps); low words first.
    length: vec2<u32>,
    // Pixels that have a interval, a bit each.
    pixels: array<u32, 8>,
    // Intervals with an overlap, and intervals that only touch.
    overlaps: u32,
    touches: u32,
    // Sum of the lengths times twice the place of the interval's middle: right, up; depth is below.
    moment_i: vec2<u32>,
    moment_j: vec2<u32>,
    // Sum of the gradients, and the same times twice the interval's place.
    gradient: i32,
    gradient_i: i32,
    gradient_j: i32,
    // The longest interval (steps), and its number.
    longest: u32,
    deepest: u32,
    moment_z: array<u32, 3>,
    // How far B has to move along the view, and against it, until all overlaps are free (steps).
    apart_along: i32,
    apart_against: i32,
}

@group(0) @binding(0) var<uniform> params: TileParams;
@group(0) @binding(1) var<storage, read> tiles: array<TileUnit>;
@group(0) @binding(2) var<storage, read> counts: array<u32>;
@group(0) @binding(3) var<storage, read> crossings: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> answers: array<u32>;

const TILE_RECORD_WORDS: u32 = 32u;
// Words of the intervals, at most.
const PACKED: u32 = 2048u;

// Flag of a tile: the view sees everything.
const WHOLE: u32 = 4u;

// Status of a record.
const OVER_LAYERS: u32 = 1u;
const OVER_INTERVALS: u32 = 2u;
const OVER_RANGE: u32 = 4u;

var<workgroup> pixels: array<atomic<u32>, 8>;
var<workgroup> deepest: atomic<u32>;
var<workgroup> before: array<u32, TILE_PIXELS>;
var<workgroup> of_rows: array<u32, TILE_SIDE>;
var<workgroup> packed: array<atomic<u32>, PACKED>;

// Writes the number of a interval's end: the triangle's among those of its side, all ones for none.
fn pack(at: u32, place: u32, of_a: u32, bits: u32) {
    let none = (1u << bits) - 1u;
    var value = none;
    if (place != NOWHERE) {
        value = (face[place] & 0x3fffffffu) - select(0u, of_a, (face[place] & 0x40000000u) != 0u);
    }
    let shift = at % 32u;
    // What is no triangle has no number.
    value &= none;
    atomicOr(&packed[at / 32u], value << shift);
    if (shift + bits > 32u) {
        atomicOr(&packed[at / 32u + 1u], value >> (32u - shift));
    }
}

@compute @workgroup_size(256)
fn intervals(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = group.y * params.row + group.x;
    if (index >= params.tiles) {
        return;
    }
    let tile = tiles[params.first + index];
    if (lane < SUMS) {
        atomicStore(&sums[lane], 0u);
    }
    if (lane < 8u) {
        atomicStore(&pixels[lane], 0u);
    }
    // Whether the next interval is of the same pixel, and four numbers.
    let stride = 1u + 2u * (tile.bits.x + tile.bits.y);
    for (var k = lane; k < min(PACKED, (tile.capacity * stride + 31u) / 32u); k += TILE_PIXELS) {
        atomicStore(&packed[k], 0u);
    }
    if (lane == 0u) {
        atomicStore(&longest, 0u);
        atomicStore(&deepest, 0xffffffffu);
        atomicStore(&apart[0], -0x7fffffff - 1);
        atomicStore(&apart[1], -0x7fffffff - 1);
    }
    workgroupBarrier();

    let pixel = tile.origin + vec2<u32>(lane % TILE_SIDE, lane / TILE_SIDE);
    let found = counts[index * TILE_PIXELS + lane];
    let all = found % UNSEEN;
    if (found >= UNSEEN) {
        atomicAdd(&sums[8], 1u);
    } else if (all > tile.deepest) {
        atomicAdd(&sums[5], 1u);
    }
    let count = min(all, DEEPEST_PIXEL);
    for (var k = 0u; k < count; k++) {
        let key = crossings[(index * DEEPEST_PIXEL + k) * TILE_PIXELS + lane];
        let depth = bitcast<i32>(key.x ^ 0x80000000u);
        var place = k;
        while (place > 0u && (depth < z[place - 1u] || (depth == z[place - 1u] && key.y < face[place - 1u]))) {
            z[place] = z[place - 1u];
            face[place] = face[place - 1u];
            place -= 1u;
        }
        z[place] = depth;
        face[place] = key.y;
    }
    atomicAdd(&sums[2], all);
    let even = trace(count, tile.flags);
    if (!even && (tile.flags & (WHOLE | OPEN_A | OPEN_B)) == WHOLE) {
        atomicAdd(&sums[3], 1u);
    }
    var own = 0u;
    for (var m = meet(vec2<u32>(0u)); m.found || m.cut; m = meet(m.at)) {
        if (m.cut) {
            atomicAdd(&sums[4], 1u);
        } else {
            own += 1u;
            count_overlap(m.overlap, pixel);
        }
    }
    if (own > 0u) {
        atomicOr(&pixels[lane / 32u], 1u << (lane % 32u));
    }

    // How many intervals the pixels up to this one have.
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
    var start = 0u;
    var total = 0u;
    for (var k = 0u; k < TILE_SIDE; k++) {
        start += select(0u, of_rows[k], k < lane / TILE_SIDE);
        total += of_rows[k];
    }
    for (var k = lane - lane % TILE_SIDE; k < lane; k++) {
        start += before[k];
    }
    let over = atomicLoad(&sums[5]) > 0u;
    var status = select(0u, OVER_LAYERS, over) | select(0u, OVER_RANGE, atomicLoad(&sums[8]) > 0u);
    if (total > tile.capacity || total * stride > 32u * PACKED) {
        status |= OVER_INTERVALS;
    }

    if (status == 0u && own > 0u) {
        var next = start;
        var left = own;
        for (var m = meet(vec2<u32>(0u)); m.found || m.cut; m = meet(m.at)) {
            if (m.cut) {
                continue;
            }
            let c = m.overlap;
            left -= 1u;
            // Of those as long as each other, the first.
            let is_longest = bitcast<u32>(c.end) - bitcast<u32>(c.begin) == atomicLoad(&longest);
            if (is_longest && c.end > c.begin + 1) {
                atomicMin(&deepest, next);
            }
            var bit = next * stride;
            atomicOr(&packed[bit / 32u], select(0u, 1u, left > 0u) << (bit % 32u));
            bit += 1u;
            pack(bit, c.ends.x, tile.of_a, tile.bits.x);
            pack(bit + tile.bits.x, c.ends.y, tile.of_a, tile.bits.x);
            bit += 2u * tile.bits.x;
            pack(bit, c.ends.z, tile.of_a, tile.bits.y);
            pack(bit + tile.bits.y, c.ends.w, tile.of_a, tile.bits.y);
            next += 1u;
        }
    }
    workgroupBarrier();

    let at = tile.answer;
    let rest = at + TILE_RECORD_WORDS;
    if (status == 0u) {
        for (var k = lane; 32u * k < total * stride; k += TILE_PIXELS) {
            answers[rest + k] = atomicLoad(&packed[k]);
        }
    }
    if (lane < 8u) {
        answers[at + 8u + lane] = atomicLoad(&pixels[lane]);
    }
    if (lane == 0u) {
        answers[at] = params.sequence;
        answers[at + 1u] = status;
        answers[at + 2u] = atomicLoad(&sums[2]);
        answers[at + 3u] = total;
        answers[at + 4u] = atomicLoad(&sums[3]);
        answers[at + 5u] = atomicLoad(&sums[4]);
        let length = carried(6u);
        answers[at + 6u] = length.x;
        answers[at + 7u] = length.y;
        let more = at + 16u;
        answers[more] = atomicLoad(&sums[0]);
        answers[more + 1u] = atomicLoad(&sums[1]);
        for (var k = 0u; k < 2u; k++) {
            let moment = carried_product(9u + 3u * k);
            answers[more + 2u + 2u * k] = moment.x;
            answers[more + 3u + 2u * k] = moment.y;
        }
        answers[more + 6u] = atomicLoad(&sums[20]);
        answers[more + 7u] = atomicLoad(&sums[21]);
        answers[more + 8u] = atomicLoad(&sums[22]);
        answers[more + 9u] = atomicLoad(&longest);
        answers[more + 10u] = atomicLoad(&deepest);
        let depth = carried_depth(15u);
        answers[more + 11u] = depth[0];
        answers[more + 12u] = depth[1];
        answers[more + 13u] = depth[2];
        answers[more + 14u] = bitcast<u32>(atomicLoad(&apart[0]));
        answers[more + 15u] = bitcast<u32>(atomicLoad(&apart[1]));
    }
}
