// Contact view: of each cluster of a pair's contours, last step's view where it still shows them well, else one laid
// along their area vector; and the triangles that it may show, in whole numbers.
//
// Twins: narrow/pair/src/memory.rs, narrow/image_space/src/view.rs and fixed_map.rs. A workgroup takes one pair. Where a
// new view stands is not exact, as contours are in single precision; what follows is the CPU's to the last bit where it
// is given the maps.

// A view of the last step, as it stands now.
struct KeptContactView {
    rows: array<vec4<f32>, 3>,
    maps: array<LatticeMap, 2>,
}

@group(0) @binding(0) var<uniform> params: TileParams;
@group(0) @binding(1) var<storage, read> meshes: array<u32>;
@group(0) @binding(2) var<storage, read> kept_views: array<KeptContactView>;
@group(0) @binding(3) var<storage, read_write> pairs: array<ContactPair>;
@group(0) @binding(4) var<storage, read_write> rows: array<TileRow>;

const WORKGROUP: u32 = 64u;

// There is no cluster, or no view.
const NO_CLUSTER: u32 = 0x80u;

// Pixels of a new view that its contours leave free.
const VIEW_ROOM: f32 = 2.0;
// Contours longer than wide by this factor (of the squares) lie along the pixels' rows.
const LONG_CONTOUR: f32 = 3.0;
// A view is kept up to 3 degrees (cosine) from the area vector, and while contours span this part of it.
const KEPT_VIEW_ANGLE: f32 = 0.99862953;
const KEPT_VIEW_FILL: f32 = 0.4;
// The depth of a kept view reaches beyond the contours by this part of half their width, and is no greater than this
// many times a new view's.
const KEPT_DEPTH_MARGIN: f32 = 0.5;
const KEPT_DEPTH_GROWTH: f32 = 1.5;
// Components of a direction that differ by less are as large.
const EVEN: f32 = 1e-4;

// The views of the pair, as all threads of the workgroup have them.
struct LaidView {
    status: u32,
    view: ContactView,
}
var<workgroup> laid: LaidView;
// Which of the triangles at hand are shown, a bit each; and how many triangles either body has.
var<workgroup> shown: array<atomic<u32>, 2>;
// Whether one of them is too large for a row, and how many rows each of them is.
var<workgroup> large: atomic<u32>;
var<workgroup> any_large: u32;
var<workgroup> many: array<u32, WORKGROUP>;
var<workgroup> totals: vec2<u32>;

// The box of a cluster's segments along three rows.
struct Reach {
    low: vec3<f32>,
    high: vec3<f32>,
}

fn along_rows(r: array<vec4<f32>, 3>, x: vec3<f32>) -> vec3<f32> {
    return vec3<f32>(dot(r[0].xyz, x) + r[0].w, dot(r[1].xyz, x) + r[1].w, dot(r[2].xyz, x) + r[2].w);
}

fn reach_of(p: u32, contours: u32, r: array<vec4<f32>, 3>) -> Reach {
    var out = Reach(vec3<f32>(3.0e38), vec3<f32>(-3.0e38));
    for (var k = 0u; k < pairs[p].segments; k++) {
        let contour = pairs[p].segment[k].contour;
        if (contour < MOST_CONTOURS && ((contours >> contour) & 1u) == 1u) {
            let at = along_rows(r, pairs[p].segment[k].start);
            out.low = min(out.low, at);
            out.high = max(out.high, at);
        }
    }
    return out;
}

// Whether a view of the last step shows a cluster well.
fn still_fits(p: u32, c: u32, r: array<vec4<f32>, 3>) -> bool {
    let side = f32(pairs[p].head.side);
    if (abs(dot(normalize(r[2].xyz), normalize(pairs[p].cluster[c].area))) < KEPT_VIEW_ANGLE) {
        return false;
    }
    let reach = reach_of(p, pairs[p].cluster[c].contours, r);
    let low = reach.low.xy / SUB_PIXELS + 0.5;
    let high = reach.high.xy / SUB_PIXELS + 0.5;
    if (any(low < vec2<f32>(0.0)) || any(high >= vec2<f32>(side)) || any((high - low) < vec2<f32>(KEPT_VIEW_FILL * side))) {
        return false;
    }
    // Widths in steps of depth.
    let width = (reach.high.xy - reach.low.xy) * length(r[2].xyz) / vec2<f32>(length(r[0].xyz), length(r[1].xyz));
    let margin = 0.5 * max(width.x, width.y);
    let room = KEPT_DEPTH_MARGIN * margin;
    let fresh = reach.high.z - reach.low.z + 2.0 * margin;
    return reach.low.z >= room && reach.high.z + room <= DEPTH_STEPS && DEPTH_STEPS <= KEPT_DEPTH_GROWTH * fresh;
}

// Unit axes along a direction, either way: right, up, depth.
fn axes_along(p: u32, normal: vec3<f32>) -> mat3x3<f32> {
    let own = mat3x3<f32>(pairs[p].head.axes[0].xyz, pairs[p].head.axes[1].xyz, pairs[p].head.axes[2].xyz);
    let n = normal * own;
    let part = abs(n);
    var most = 0u;
    var least = 0u;
    for (var k = 1u; k < 3u; k++) {
        most = select(most, k, part[k] > part[most] + EVEN);
        least = select(least, k, part[least] > part[k] + EVEN);
    }
    let depth = select(n, -n, n[most] < 0.0);
    var across = vec3<f32>(0.0);
    across[least] = 1.0;
    let up = normalize(across - depth * depth[least]);
    return mat3x3<f32>(own * cross(up, depth), own * up, own * depth);
}

// The same turned about their depth so that right runs along what is long, where anything is.
fn lengthwise(p: u32, contours: u32, axes: mat3x3<f32>) -> mat3x3<f32> {
    var count = 0.0;
    var sum = vec2<f32>(0.0);
    var square = vec3<f32>(0.0);
    let middle = 0.5 * (pairs[p].segment[0].start + pairs[p].segment[0].end) * axes;
    for (var k = 0u; k < pairs[p].segments; k++) {
        let contour = pairs[p].segment[k].contour;
        if (contour < MOST_CONTOURS && ((contours >> contour) & 1u) == 1u) {
            let at = (pairs[p].segment[k].start * axes - middle).xy;
            count += 1.0;
            sum += at;
            square += vec3<f32>(at.x * at.x, at.x * at.y, at.y * at.y);
        }
    }
    let mean = sum / count;
    let xx = square.x - count * mean.x * mean.x;
    let xy = square.y - count * mean.x * mean.y;
    let yy = square.z - count * mean.y * mean.y;
    let half = 0.5 * (xx - yy);
    let root = sqrt(half * half + xy * xy);
    let most = 0.5 * (xx + yy) + root;
    if (most <= LONG_CONTOUR * (0.5 * (xx + yy) - root)) {
        return axes;
    }
    let a = vec2<f32>(xy, most - xx);
    let b = vec2<f32>(most - yy, xy);
    var long = select(b, a, dot(a, a) > dot(b, b));
    let size = length(long);
    if (!(size > 0.0)) {
        return axes;
    }
    long /= size;
    // A direction and its opposite are the same.
    let sign = select(long.y, long.x, abs(long.x) >= abs(long.y));
    long = select(long, -long, sign < 0.0);
    let right = axes[0] * long.x + axes[1] * long.y;
    return mat3x3<f32>(right, cross(axes[2], right), axes[2]);
}

// Lays the view of a cluster. `taken`: kept views that others have.
fn lay(p: u32, c: u32, taken: ptr<function, u32>) -> LaidView {
    var out: LaidView;
    out.view.kept = NONE;
    let cluster = pairs[p].cluster[c];
    let size = length(cluster.high - cluster.low);
    let strength = length(cluster.area);
    if (!(strength > NO_AREA * size * size)) {
        out.status = NO_AREA_VECTOR;
        return out;
    }
    for (var k = 0u; k < pairs[p].head.kept_count; k++) {
        if (((*taken >> k) & 1u) == 0u && still_fits(p, c, kept_views[pairs[p].head.kept + k].rows)) {
            *taken |= 1u << k;
            out.view.rows = kept_views[pairs[p].head.kept + k].rows;
            out.view.maps = kept_views[pairs[p].head.kept + k].maps;
            out.view.kept = k;
            return out;
        }
    }
    let side = f32(pairs[p].head.side);
    var view: Along;
    view.axes = lengthwise(p, cluster.contours, axes_along(p, cluster.area / strength));
    view.origin = pairs[p].head.origin;
    view.middle = 0.5 * (cluster.low + cluster.high);
    let plain = array<vec4<f32>, 3>(vec4<f32>(view.axes[0], 0.0), vec4<f32>(view.axes[1], 0.0), vec4<f32>(view.axes[2], 0.0));
    let reach = reach_of(p, cluster.contours, plain);
    let centre = 0.5 * (reach.low + reach.high);
    let pixel = max((reach.high.xy - reach.low.xy) / (side - VIEW_ROOM), vec2<f32>(0.001 * size / side));
    if (min(pixel.x, pixel.y) < CERTAIN * pairs[p].head.delta) {
        out.status = NO_AREA_VECTOR;
        return out;
    }
    let half = max(reach.high.x - reach.low.x, reach.high.y - reach.low.y);
    let deep = reach.high.z - reach.low.z + half;
    view.worth = vec3<f32>(SUB_PIXELS / pixel.x, SUB_PIXELS / pixel.y, DEPTH_STEPS / deep);
    view.start = vec3<f32>(centre.xy - 0.5 * (side - 1.0) * pixel, centre.z - 0.5 * deep);
    view.units = vec3<f32>(side * SUB_PIXELS, side * SUB_PIXELS, DEPTH_STEPS);
    for (var k = 0u; k < 3u; k++) {
        out.view.rows[k] = vec4<f32>(view.axes[k] * view.worth[k], -view.start[k] * view.worth[k]);
    }
    let scale = pairs[p].head.scale;
    let own = mat3x3<f32>(scale, 0.0, 0.0, 0.0, scale, 0.0, 0.0, 0.0, scale);
    let to_a = pairs[p].head.to_a;
    let other = transpose(mat3x3<f32>(to_a[0].xyz, to_a[1].xyz, to_a[2].xyz));
    out.view.maps[0].quanta = pairs[p].head.quanta_a;
    out.view.maps[1].quanta = pairs[p].head.quanta_b;
    let a = map_of(view, own, vec3<f32>(0.0), scale, out.view.maps[0]);
    let b = map_of(view, other, vec3<f32>(to_a[0].w, to_a[1].w, to_a[2].w), scale, out.view.maps[1]);
    out.view.maps[0] = a.map;
    out.view.maps[1] = b.map;
    out.status = select(NO_AREA_VECTOR, 0u, a.fits && b.fits);
    return out;
}

// The next kept view that shows no cluster of the device's: it may show one of the CPU's, whose contours are exact.
fn left_over(p: u32, taken: ptr<function, u32>) -> LaidView {
    var out: LaidView;
    out.view.kept = NONE;
    out.status = NO_CLUSTER;
    for (var k = 0u; k < pairs[p].head.kept_count; k++) {
        if (((*taken >> k) & 1u) == 0u) {
            *taken |= 1u << k;
            out.view.rows = kept_views[pairs[p].head.kept + k].rows;
            out.view.maps = kept_views[pairs[p].head.kept + k].maps;
            out.view.kept = k;
            out.status = 0u;
            break;
        }
    }
    return out;
}

// Where a body's triangles stand among the words of `meshes`.
struct BodyWords {
    vertices: u32,
    corners: u32,
    slots: u32,
}

fn words_of(p: u32, body: u32) -> BodyWords {
    if (body == 0u) {
        return BodyWords(pairs[p].head.vertices_a, pairs[p].head.corners_a, pairs[p].head.slots_a);
    }
    return BodyWords(pairs[p].head.vertices_b, pairs[p].head.corners_b, pairs[p].head.slots_b);
}

// The words of a triangle's corners.
fn corners_of(words: BodyWords, triangle: u32) -> vec3<u32> {
    let at = words.corners + 3u * meshes[words.slots + triangle];
    return vec3<u32>(words.vertices) + 3u * vec3<u32>(meshes[at], meshes[at + 1u], meshes[at + 2u]);
}

// A corner, in quanta.
fn corner(word: u32, quanta: vec3<i32>) -> vec3<i32> {
    return vec3<i32>(
        quantized(meshes[word], quanta.x),
        quantized(meshes[word + 1u], quanta.y),
        quantized(meshes[word + 2u], quanta.z),
    );
}

fn float_corner(word: u32) -> vec3<f32> {
    return vec3<f32>(bitcast<f32>(meshes[word]), bitcast<f32>(meshes[word + 1u]), bitcast<f32>(meshes[word + 2u]));
}

// Rows that take a vertex in floats to about where its map takes it, and how far off that may be. Floats rule most triangles
// out: exact places cost ten times as much.
struct RoughMap {
    quanta: vec3<f32>,
    rows: array<vec4<f32>, 3>,
    error: vec3<f32>,
}

// Quanta of a body are within this, and of a body and a map's origin apart by no more than twice as much.
const WIDEST: f32 = 1073741824.0;
// Rounding of a row, a start, and three products and sums: below sixteen units of 2^-23.
const ROUGH: f32 = 0.0000019073486;

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
    out.quanta = vec3<f32>(power(exponents.x), power(exponents.y), power(exponents.z));
    out.rows[0] = rough_row(map.right, map.origin, map.start_right, map.shift_right);
    out.rows[1] = rough_row(map.up, map.origin, map.start_up, map.shift_up);
    out.rows[2] = rough_row(map.depth, map.origin, map.start_depth, map.shift_depth);
    out.error = select(vec3<f32>(3.0e38), vec3<f32>(
        rough_error(map.right, map.start_right, map.shift_right),
        rough_error(map.up, map.start_up, map.shift_up),
        rough_error(map.depth, map.start_depth, map.shift_depth),
    ), range);
    return out;
}

// Whether a triangle is certainly beside a view of `side` pixels, or behind it.
fn is_beside(map: RoughMap, words: vec3<u32>, side: u32, far: i32) -> bool {
    let u = along_rows(map.rows, float_corner(words.x) * map.quanta);
    let v = along_rows(map.rows, float_corner(words.y) * map.quanta);
    let w = along_rows(map.rows, float_corner(words.z) * map.quanta);
    let low = min(u, min(v, w)) - map.error;
    let high = max(u, max(v, w)) + map.error;
    let last = vec2<f32>(f32(side - 1u) * SUB_PIXELS);
    return any(high.xy < vec2<f32>(0.0)) || any(low.xy > last) || low.z > f32(far) + 1.0;
}

// The row of a triangle by its corners, in quanta.
fn row_from(body: u32, t: Piece, side: u32) -> TileRow {
    let map = laid.view.maps[body];
    return row_of(placed_quanta(map, t.a), placed_quanta(map, t.b), placed_quanta(map, t.c), side, map.far);
}

// Of the bits of both words, those before bit `lane`.
fn before(lane: u32) -> u32 {
    let words = vec2<u32>(atomicLoad(&shown[0]), atomicLoad(&shown[1]));
    if (lane < 32u) {
        return countOneBits(words.x & ((1u << lane) - 1u));
    }
    return countOneBits(words.x) + countOneBits(words.y & ((1u << (lane - 32u)) - 1u));
}

// Triangles that are looked at before their rows are made.
const STRETCH: u32 = 1024u;
// Which of them may be shown, a bit each; these in their order; and how many they are.
var<workgroup> maybe: array<atomic<u32>, 32>;
var<workgroup> listed_triangles: array<u32, STRETCH>;
var<workgroup> list_length: u32;

// Lists the triangles of a stretch that are not certainly beside the view. Called by all threads.
fn list_stretch(words: BodyWords, rough: RoughMap, base: u32, count: u32, lane: u32, side: u32, far: i32) {
    if (lane < 32u) {
        atomicStore(&maybe[lane], 0u);
    }
    workgroupBarrier();
    for (var k = lane; k < min(STRETCH, count - base); k += WORKGROUP) {
        if (!is_beside(rough, corners_of(words, base + k), side, far)) {
            atomicOr(&maybe[k >> 5u], 1u << (k & 31u));
        }
    }
    workgroupBarrier();
    // A thread's triangles are in every second word.
    var before_word = 0u;
    for (var word = 0u; word < 32u; word++) {
        let bits = atomicLoad(&maybe[word]);
        let bit = 1u << (lane & 31u);
        if ((word & 1u) == (lane >> 5u) && (bits & bit) != 0u) {
            listed_triangles[before_word + countOneBits(bits & (bit - 1u))] = base + 32u * word + (lane & 31u);
        }
        before_word += countOneBits(bits);
    }
    if (lane == 0u) {
        list_length = before_word;
    }
    workgroupBarrier();
}

// Makes the rows of the triangle at a place of the list, if there is one, and of those that the other threads have; from row
// `begin` on of the pair. Gives the row after them. Called by all threads.
fn add_rows(p: u32, body: u32, begin: u32, place_in_list: u32, listed: u32, lane: u32) -> u32 {
    let side = pairs[p].head.side;
    let first = pairs[p].head.first_row - params.base;
    let room = pairs[p].head.room;
    var next = begin;
    if (lane < 2u) {
        atomicStore(&shown[lane], 0u);
    }
    if (lane == 0u) {
        atomicStore(&large, 0u);
    }
    workgroupBarrier();
    var triangle = 0u;
    var own = nothing();
    var whole: Piece;
    if (place_in_list < listed) {
        triangle = listed_triangles[place_in_list];
        let at = corners_of(words_of(p, body), triangle);
        let quanta = laid.view.maps[body].quanta;
        whole = Piece(corner(at.x, quanta), corner(at.y, quanta), corner(at.z, quanta));
        own = row_from(body, whole, side);
        own.name = triangle;
        if (is_shown(own)) {
            atomicOr(&shown[lane >> 5u], 1u << (lane & 31u));
            atomicOr(&large, own.area & NO_ROOM);
        }
    }
    workgroupBarrier();
    if (lane == 0u) {
        any_large = atomicLoad(&large);
    }
    if (workgroupUniformLoad(&any_large) == 0u) {
        let place = next + before(lane);
        if (is_shown(own) && place < room) {
            rows[first + place] = own;
        }
        next += countOneBits(atomicLoad(&shown[0])) + countOneBits(atomicLoad(&shown[1]));
    } else {
        // Of a large triangle those parts are rows of their own that the view may show.
        var pieces = Pieces();
        if (is_shown(own)) {
            pieces = pieces_of(body, whole, own, side);
        }
        many[lane] = pieces.count;
        workgroupBarrier();
        var place = next;
        for (var k = 0u; k < WORKGROUP; k++) {
            place += select(0u, many[k], k < lane);
            next += many[k];
        }
        for (var k = 0u; k < pieces.count; k++) {
            if (place + k < room) {
                rows[first + place + k] = piece_row(body, pieces.list[k], side);
                rows[first + place + k].name = triangle;
            }
        }
    }
    workgroupBarrier();
    return next;
}

@compute @workgroup_size(64)
fn contact_view(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = group.y * params.row + group.x;
    if (index >= params.tiles) {
        return;
    }
    let p = index;
    let side = pairs[p].head.side;
    let first = pairs[p].head.first_row - params.base;
    let room = pairs[p].head.room;
    // The rows that say how many there are of each view come first.
    var next = pairs[p].head.views;
    var taken = 0u;
    for (var c = 0u; c < pairs[p].head.views; c++) {
        if (lane == 0u) {
            if (c < pairs[p].clusters) {
                laid = lay(p, c, &taken);
            } else {
                laid = left_over(p, &taken);
            }
            let there = laid.status == 0u;
            totals = select(vec2<u32>(0u), vec2<u32>(pairs[p].head.count_a, pairs[p].head.count_b), there);
        }
        let counts = workgroupUniformLoad(&totals);
        let begin = next;
        var of_a = 0u;
        for (var body = 0u; body < 2u; body++) {
            of_a = next - begin;
            if (counts[body] == 0u) {
                continue;
            }
            let words = words_of(p, body);
            let far = laid.view.maps[body].far;
            let rough = rough_of(laid.view.maps[body]);
            for (var base = 0u; base < counts[body]; base += STRETCH) {
                list_stretch(words, rough, base, counts[body], lane, side, far);
                let listed = workgroupUniformLoad(&list_length);
                for (var from_place = 0u; from_place < listed; from_place += WORKGROUP) {
                    next = add_rows(p, body, next, from_place + lane, listed, lane);
                }
            }
        }
        let over = next > room;
        let end = next;
        // Another view may have room.
        next = select(next, begin, over);
        if (lane == 0u) {
            let count = select(end - begin, 0u, over);
            // From the row after this one.
            rows[first + c].edge = vec3<i32>(i32(count), i32(of_a), i32(begin - c) - 1);
            laid.view.shown = count;
            laid.view.status = laid.status | select(0u, OVER_ROWS, over);
            pairs[p].view[c] = laid.view;
        }
        workgroupBarrier();
    }
}
