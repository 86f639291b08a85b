// Rows of a pair's views: of both bodies the triangles that the view may show, in whole numbers.
//
// Boxes of sixteen triangles (mesh_boxes.rs) are ruled out in single precision, of large meshes a thousand at a time by a wide one; of
// what is left four boxes at a time have their vertices placed, each once, and a thread for each triangle.

// Which of the triangles at hand are shown, a bit each.
var<workgroup> shown: array<atomic<u32>, 2>;
// Whether one of them is too large for a row, and how many rows each of them is.
var<workgroup> large: atomic<u32>;
var<workgroup> any_large: u32;
var<workgroup> many: array<u32, WORKGROUP>;

// Triangles of a box, and vertices of their corners at most.
const BOX_TRIANGLES: u32 = 16u;
const BOX_CORNERS: u32 = 48u;
const BOX_WORDS: u32 = 6u;
// Boxes whose triangles are made rows of at a time.
const AT_HAND: u32 = WORKGROUP / BOX_TRIANGLES;

// Where a body's triangles stand among the words of `meshes`: for each triangle of a box its name and which of the box's vertices
// its corners are, eight bits each; for each box where its vertices begin among those of all boxes.
struct BodyWords {
    vertices: u32,
    wide: u32,
    boxes: u32,
    names: u32,
    corners: u32,
    starts: u32,
    lists: u32,
    triangles: u32,
}

fn words_of(p: u32, body: u32) -> BodyWords {
    var out: BodyWords;
    out.vertices = select(pairs[p].head.vertices_a, pairs[p].head.vertices_b, body == 1u);
    out.triangles = select(pairs[p].head.count_a, pairs[p].head.count_b, body == 1u);
    let count = (out.triangles + BOX_TRIANGLES - 1u) / BOX_TRIANGLES;
    out.boxes = out.vertices - BOX_WORDS * count;
    out.wide = out.boxes - BOX_WORDS * ((count + STRETCH - 1u) / STRETCH);
    out.names = select(pairs[p].head.slots_a, pairs[p].head.slots_b, body == 1u) + out.triangles;
    out.corners = out.names + out.triangles;
    out.starts = out.corners + out.triangles;
    out.lists = out.starts + count + 1u;
    return out;
}

// Quanta's powers of two within this have inverses that floats can be multiplied by, which is exact.
const PLAIN_POWER: i32 = 96;

// A vertex, in quanta.
fn quanta_of(words: BodyWords, vertex: u32, quanta: vec3<i32>) -> vec3<i32> {
    let word = words.vertices + 3u * meshes[words.lists + vertex];
    let at = vec3<u32>(meshes[word], meshes[word + 1u], meshes[word + 2u]);
    if (all(abs(quanta) <= vec3<i32>(PLAIN_POWER))) {
        return vec3<i32>(round(bitcast<vec3<f32>>(at) * vec3<f32>(power(-quanta.x), power(-quanta.y), power(-quanta.z))));
    }
    return vec3<i32>(quantized(at.x, quanta.x), quantized(at.y, quanta.y), quantized(at.z, quanta.z));
}

// Rows that take a place in floats to about where its map takes it, how far along them a box reaches for its half sizes, and how
// far off a place may be.
struct RoughMap {
    rows: array<vec4<f32>, 3>,
    spans: array<vec3<f32>, 3>,
    error: vec3<f32>,
}
var<workgroup> rough: RoughMap;
var<workgroup> map_halves: RowHalves;

// Quanta of a body are within this, and of a body and a map's origin apart by no more than twice as much.
const WIDEST: f32 = 1073741824.0;
// Rounding of a row, a start, and products and sums, those of half sizes among them: below 32 units of 2^-23.
const ROUGH: f32 = 0.0000038146973;

fn rough_row(row: vec3<i32>, origin: vec3<i32>, start: vec2<u32>, shift: u32) -> vec4<f32> {
    let worth = vec3<f32>(row) * power(-i32(shift));
    let begin = (f32(bitcast<i32>(start.y)) * 4294967296.0 + f32(start.x)) * power(-i32(shift));
    return vec4<f32>(worth, begin - dot(worth, vec3<f32>(origin)));
}

// What a row is wrong by at most: parts of its products and of its start, quanta that a vertex is rounded by, and a step.
fn rough_error(row: vec3<i32>, start: vec2<u32>, shift: u32) -> f32 {
    let worth = dot(abs(vec3<f32>(row)), vec3<f32>(1.0)) * power(-i32(shift));
    let begin = (abs(f32(bitcast<i32>(start.y))) + 1.0) * 4294967296.0 * power(-i32(shift));
    return ROUGH * (2.0 * WIDEST * worth + begin) + 4.0 * worth + 4.0;
}

fn rough_of(map: LatticeMap) -> RoughMap {
    var out: RoughMap;
    // Powers beyond those of floats rule nothing out.
    let range = all(map.quanta >= vec3<i32>(-126)) && all(map.quanta <= vec3<i32>(126));
    let exponents = -clamp(map.quanta, vec3<i32>(-126), vec3<i32>(126));
    let quanta = vec3<f32>(power(exponents.x), power(exponents.y), power(exponents.z));
    let rows = array<vec4<f32>, 3>(
        rough_row(map.right, map.origin, map.start_right, map.shift_right),
        rough_row(map.up, map.origin, map.start_up, map.shift_up),
        rough_row(map.depth, map.origin, map.start_depth, map.shift_depth),
    );
    for (var k = 0u; k < 3u; k++) {
        out.rows[k] = vec4<f32>(rows[k].xyz * quanta, rows[k].w);
        out.spans[k] = abs(out.rows[k].xyz);
    }
    let error = vec3<f32>(
        rough_error(map.right, map.start_right, map.shift_right),
        rough_error(map.up, map.start_up, map.shift_up),
        rough_error(map.depth, map.start_depth, map.shift_depth),
    );
    // A product beyond floats rules nothing out, either.
    let rules = range && all(abs(out.rows[0].xyz) + abs(out.rows[1].xyz) + abs(out.rows[2].xyz) < vec3<f32>(1.0e30));
    out.error = select(vec3<f32>(3.0e38), error, rules);
    return out;
}

// Whether the triangles in a box are certainly beside a view of `side` pixels, or behind it.
fn is_beside(box: u32, side: u32, far: i32) -> bool {
    let middle = vec3<f32>(bitcast<f32>(meshes[box]), bitcast<f32>(meshes[box + 1u]), bitcast<f32>(meshes[box + 2u]));
    let half = vec3<f32>(bitcast<f32>(meshes[box + 3u]), bitcast<f32>(meshes[box + 4u]), bitcast<f32>(meshes[box + 5u]));
    let at = along_rows(rough.rows, middle);
    let span = vec3<f32>(dot(rough.spans[0], half), dot(rough.spans[1], half), dot(rough.spans[2], half)) + rough.error;
    let low = at - span;
    let high = at + span;
    let last = vec2<f32>(f32(side - 1u) * SUB_PIXELS);
    return any(high.xy < vec2<f32>(0.0)) || any(low.xy > last) || low.z > f32(far) + 1.0;
}

// Boxes that are looked at before rows are made, and how many of them there are; none of a wide box that is beside the view.
const STRETCH: u32 = 1024u;
var<workgroup> stretch_length: u32;
// Which of them may be shown, a bit each; these in their order; and how many they are.
var<workgroup> maybe: array<atomic<u32>, 32>;
var<workgroup> listed_boxes: array<u32, STRETCH>;
var<workgroup> list_length: u32;
// Where the vertices of the boxes at hand are.
var<workgroup> places: array<vec3<i32>, AT_HAND * BOX_CORNERS>;

// Lists the boxes of a stretch that are not certainly beside the view. Called by all threads.
fn list_stretch(words: BodyWords, base: u32, count: u32, lane: u32, side: u32, far: i32) {
    if (lane < 32u) {
        atomicStore(&maybe[lane], 0u);
    }
    if (lane == 0u) {
        let beside = count > STRETCH && is_beside(words.wide + BOX_WORDS * (base / STRETCH), side, far);
        stretch_length = select(min(STRETCH, count - base), 0u, beside);
    }
    let length = workgroupUniformLoad(&stretch_length);
    for (var k = lane; k < length; k += WORKGROUP) {
        if (!is_beside(words.boxes + BOX_WORDS * (base + k), side, far)) {
            atomicOr(&maybe[k >> 5u], 1u << (k & 31u));
        }
    }
    workgroupBarrier();
    // A thread's boxes are in every second word.
    let used = (length + 31u) / 32u;
    var before_word = 0u;
    for (var word = 0u; word < used; word++) {
        let bits = atomicLoad(&maybe[word]);
        let bit = 1u << (lane & 31u);
        if ((word & 1u) == (lane >> 5u) && (bits & bit) != 0u) {
            listed_boxes[before_word + countOneBits(bits & (bit - 1u))] = base + 32u * word + (lane & 31u);
        }
        before_word += countOneBits(bits);
    }
    if (lane == 0u) {
        list_length = before_word;
    }
    workgroupBarrier();
}

// Places the vertices of a box, of which sixteen threads take every sixteenth.
fn place_vertices(body: u32, words: BodyWords, box: u32, lane: u32) {
    let begin = meshes[words.starts + box];
    let count = meshes[words.starts + box + 1u] - begin;
    for (var k = lane % BOX_TRIANGLES; k < count; k += BOX_TRIANGLES) {
        let quanta = quanta_of(words, begin + k, laid.view.maps[body].quanta);
        places[(lane / BOX_TRIANGLES) * BOX_CORNERS + k] = placed_by(laid.view.maps[body], map_halves, quanta);
    }
}

// The corners of a triangle, by their numbers in the box.
fn unpacked(corners: u32) -> vec3<u32> {
    return vec3<u32>(corners & 255u, (corners >> 8u) & 255u, corners >> 16u);
}

// The whole triangle, in quanta.
fn piece_of(body: u32, words: BodyWords, box: u32, slot: u32) -> Piece {
    let at = vec3<u32>(meshes[words.starts + box]) + unpacked(meshes[words.corners + slot]);
    let quanta = laid.view.maps[body].quanta;
    return Piece(quanta_of(words, at.x, quanta), quanta_of(words, at.y, quanta), quanta_of(words, at.z, quanta));
}

// Of the bits of both words, those before bit `lane`, and all.
fn before(lane: u32) -> vec2<u32> {
    let words = vec2<u32>(atomicLoad(&shown[0]), atomicLoad(&shown[1]));
    let bits = countOneBits(words);
    let own = select(words.x, words.y, lane >= 32u) & ((1u << (lane & 31u)) - 1u);
    return vec2<u32>(countOneBits(own) + select(0u, bits.x, lane >= 32u), bits.x + bits.y);
}

// Makes the rows of the triangles of up to four boxes of the list, from row `begin` on of the pair. Gives the row after them.
// Called by all threads.
fn add_rows(p: u32, body: u32, words: BodyWords, begin: u32, place_in_list: u32, lane: u32) -> u32 {
    let side = pairs[p].head.side;
    let first = pairs[p].head.first_row - params.base;
    let room = pairs[p].head.room;
    let far = laid.view.maps[body].far;
    if (lane == 0u) {
        atomicStore(&large, 0u);
        atomicStore(&shown[0], 0u);
        atomicStore(&shown[1], 0u);
    }
    var box = 0u;
    var slot = NONE;
    if (place_in_list < list_length) {
        box = listed_boxes[place_in_list];
        slot = BOX_TRIANGLES * box + lane % BOX_TRIANGLES;
        place_vertices(body, words, box, lane);
    }
    workgroupBarrier();
    var own = nothing();
    var there = false;
    if (slot < words.triangles) {
        let at = vec3<u32>((lane / BOX_TRIANGLES) * BOX_CORNERS) + unpacked(meshes[words.corners + slot]);
        own = row_of(places[at.x], places[at.y], places[at.z], side, far);
        there = is_shown(own);
        if (there) {
            own.name = meshes[words.names + slot];
            atomicOr(&shown[lane >> 5u], 1u << (lane & 31u));
            atomicOr(&large, own.area & NO_ROOM);
        }
    }
    workgroupBarrier();
    if (lane == 0u) {
        any_large = atomicLoad(&large);
    }
    if (workgroupUniformLoad(&any_large) == 0u) {
        let place = before(lane);
        if (there && begin + place.x < room) {
            rows[first + begin + place.x] = own;
        }
        return begin + place.y;
    }
    // Of a large triangle those parts are rows of their own that the view may show.
    var pieces = Pieces();
    if (there) {
        pieces = pieces_of(body, piece_of(body, words, box, slot), own, side);
    }
    many[lane] = pieces.count;
    workgroupBarrier();
    var place = begin;
    var next = begin;
    for (var k = 0u; k < WORKGROUP; k++) {
        place += select(0u, many[k], k < lane);
        next += many[k];
    }
    for (var k = 0u; k < pieces.count; k++) {
        if (place + k < room) {
            rows[first + place + k] = piece_row(body, pieces.list[k], side);
            rows[first + place + k].name = own.name;
        }
    }
    return next;
}
