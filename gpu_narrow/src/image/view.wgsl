// View: of a pair, the view along its contours' area vector, made from what the stream has found of them; and the
// triangles that it may show, in whole numbers.
//
// Twins: narrow/src/view.rs and narrow/src/snap.rs. A workgroup takes one pair: it adds up the records of the pair's
// units, lays the view over the box of the contours, and goes through all triangles of both bodies. This is not
// exact as the views are that the CPU lays: contours are in single precision, and so are the places of vertices. What is
// covered on the view's lattice is then counted in whole numbers.

struct ViewPair {
    // What is sent. From B's frame to A's: a row of the rotation and a part of the translation each (scaled).
    to_a: array<vec4<f32>, 3>,
    // Where segments were measured from (A's frame, scaled).
    origin: vec3<f32>,
    // The power of two that lengths are multiplied by.
    scale: f32,
    // Words of `meshes`: vertices, and corners of the triangles; and how many triangles there are.
    vertices_a: u32,
    corners_a: u32,
    count_a: u32,
    vertices_b: u32,
    corners_b: u32,
    count_b: u32,
    // Word of the stream's answers at which its first unit's record begins, and its leaf pairs.
    answer: u32,
    leaf_pairs: u32,
    // The first of its rows, which says how many follow, and how many there is room for.
    first: u32,
    room: u32,
    // Pixels per side.
    side: u32,
    // Greatest error of a coordinate (scaled).
    delta: f32,
    // What comes back. Why there is no view; zero where there is.
    status: u32,
    // Triangles that may be seen.
    shown: u32,
    sequence: u32,
    hits: u32,
    // From A's frame (scaled) to sub-pixels from the first pixel's centre and depth steps: a row each, and what is added.
    right: vec4<f32>,
    up: vec4<f32>,
    depth: vec4<f32>,
    // The area vector of the contours (scaled twice).
    area: vec3<f32>,
    // Depth beyond which nothing is seen (steps).
    far: f32,
}

@group(0) @binding(0) var<uniform> params: TileParams;
@group(0) @binding(1) var<storage, read> meshes: array<u32>;
@group(0) @binding(2) var<storage, read> answers: array<u32>;
@group(0) @binding(3) var<storage, read_write> pairs: array<ViewPair>;
@group(0) @binding(4) var<storage, read_write> rows: array<TileRow>;

const WORKGROUP: u32 = 64u;
const UNIT_LEAF_PAIRS: u32 = 256u;
const RECORD_WORDS: u32 = 24u;
const MASK_WORDS: u32 = 128u;

const NO_CONTOUR: u32 = 1u;
const NO_NORMAL: u32 = 2u;
const OVER_ROWS: u32 = 4u;

// Depth steps over a view's depths, and sub-pixels of a pixel.
const DEPTH_STEPS: f32 = 4194304.0;
const SUB_PIXELS: f32 = 256.0;
// Contours whose ends are apart by more than this part of their size do not close.
const GAP: f32 = 0.01;
// An area vector shorter than this part of a square over the contours says nothing.
const NO_AREA: f32 = 0.001;
// A pixel is no smaller than this many times the error of a coordinate.
const CERTAIN: f32 = 16.0;

const NEAREST: f32 = -1.0e9;
const FARTHEST: f32 = 1.0e9;
// Sub-pixels beyond which single precision does not tell one from the next.
const WIDEST: f32 = 8388608.0;
// Slopes (steps to the pixel) and depths beyond which a triangle is seen from its side.
const STEEPEST: f32 = 2.748779e11;
const DEEPEST: f32 = 2.814749e14;

// The pair's view, as all threads of the workgroup have it.
struct Laid {
    status: u32,
    right: vec4<f32>,
    up: vec4<f32>,
    depth: vec4<f32>,
    far: f32,
}
var<workgroup> laid: Laid;
// Which of the triangles at hand are shown, a bit each; and how many triangles either body has.
var<workgroup> shown: array<atomic<u32>, 2>;
var<workgroup> totals: vec2<u32>;

fn float3(at: u32) -> vec3<f32> {
    return vec3<f32>(bitcast<f32>(answers[at]), bitcast<f32>(answers[at + 1u]), bitcast<f32>(answers[at + 2u]));
}

// A row of the map to the lattice: an axis, what a metre is worth along it, and where it begins.
fn row_along(axis: vec3<f32>, origin: vec3<f32>, worth: f32, start: f32) -> vec4<f32> {
    return vec4<f32>(axis * worth, -(dot(axis, origin) + start) * worth);
}

// Lays the view of a pair.
fn lay(p: u32) -> Laid {
    var out: Laid;
    var area = vec3<f32>(0.0);
    var drift = vec3<f32>(0.0);
    var low = vec3<f32>(3.0e38);
    var high = vec3<f32>(-3.0e38);
    var hits = 0u;
    var certain = 0u;
    var at = pairs[p].answer;
    for (var left = pairs[p].leaf_pairs; left > 0u; left -= min(left, UNIT_LEAF_PAIRS)) {
        area += float3(at) + float3(at + 16u);
        drift += float3(at + 4u) + float3(at + 20u);
        low = min(low, float3(at + 8u));
        high = max(high, float3(at + 12u));
        certain += answers[at + 3u];
        hits += answers[at + 3u] + answers[at + 19u];
        at += RECORD_WORDS + MASK_WORDS;
    }
    pairs[p].hits = hits;
    pairs[p].area = area;
    if (certain == 0u) {
        out.status = select(NO_NORMAL, NO_CONTOUR, hits == 0u);
        return out;
    }
    let size = length(high - low);
    let strength = length(area);
    if (length(drift) > GAP * size || strength < NO_AREA * size * size) {
        out.status = NO_NORMAL;
        return out;
    }
    let depth = area / strength;
    // Of the axes the one that it has least of is up.
    let part = abs(depth);
    var across = vec3<f32>(1.0, 0.0, 0.0);
    if (part.y < part.x && part.y <= part.z) {
        across = vec3<f32>(0.0, 1.0, 0.0);
    } else if (part.z < part.x && part.z < part.y) {
        across = vec3<f32>(0.0, 0.0, 1.0);
    }
    let up = normalize(across - depth * dot(across, depth));
    let right = cross(up, depth);
    // What the box of the contours spans along the axes.
    let middle = 0.5 * (low + high);
    let half = 0.5 * (high - low);
    let centre = vec3<f32>(dot(right, middle), dot(up, middle), dot(depth, middle));
    let reach = vec3<f32>(dot(abs(right), half), dot(abs(up), half), dot(abs(depth), half));
    let side = f32(pairs[p].side);
    let pixel = max(2.0 * reach.xy / (side - 2.0), vec2<f32>(0.001 * size / side));
    if (min(pixel.x, pixel.y) < CERTAIN * pairs[p].delta) {
        out.status = NO_NORMAL;
        return out;
    }
    let deep = reach.z + max(reach.x, reach.y);
    let per = DEPTH_STEPS / (2.0 * deep);
    let first = centre.xy - 0.5 * (side - 1.0) * pixel;
    let origin = pairs[p].origin;
    out.right = row_along(right, origin, SUB_PIXELS / pixel.x, first.x);
    out.up = row_along(up, origin, SUB_PIXELS / pixel.y, first.y);
    out.depth = row_along(depth, origin, per, centre.z - deep);
    out.far = DEPTH_STEPS;
    return out;
}

// A corner of the triangle at hand on the lattice.
fn corner(p: u32, of_b: bool, triangle: u32, c: u32) -> vec3<f32> {
    let vertices = select(pairs[p].vertices_a, pairs[p].vertices_b, of_b);
    let corners = select(pairs[p].corners_a, pairs[p].corners_b, of_b);
    let word = vertices + 3u * meshes[corners + 3u * triangle + c];
    let v = vec3<f32>(bitcast<f32>(meshes[word]), bitcast<f32>(meshes[word + 1u]), bitcast<f32>(meshes[word + 2u]));
    var at = v * pairs[p].scale;
    if (of_b) {
        let x = dot(pairs[p].to_a[0].xyz, v) + pairs[p].to_a[0].w;
        let y = dot(pairs[p].to_a[1].xyz, v) + pairs[p].to_a[1].w;
        let z = dot(pairs[p].to_a[2].xyz, v) + pairs[p].to_a[2].w;
        at = vec3<f32>(x, y, z);
    }
    return vec3<f32>(
        dot(laid.right.xyz, at) + laid.right.w,
        dot(laid.up.xyz, at) + laid.up.w,
        dot(laid.depth.xyz, at) + laid.depth.w,
    );
}

// A depth or slope in parts of a step.
fn fixed(x: f32) -> vec2<u32> {
    return whole64(scaled(from_f32(bitcast<u32>(x)), FRACTION));
}

// The row of a triangle.
fn row_of(u: vec3<f32>, v: vec3<f32>, w: vec3<f32>, side: u32, far: f32) -> TileRow {
    let low = min(u, min(v, w));
    let high = max(u, max(v, w));
    let limit = f32(side) * SUB_PIXELS;
    if (high.x < -1.0 || high.y < -1.0 || low.x > limit || low.y > limit || low.z > far) {
        return nothing();
    }
    if (!(low.x > -WIDEST && low.y > -WIDEST && high.x < WIDEST && high.y < WIDEST)) {
        return no_room(side);
    }
    let x = vec3<i32>(round(vec3<f32>(u.x, v.x, w.x)));
    let y = vec3<i32>(round(vec3<f32>(u.y, v.y, w.y)));
    var row = edges(x, y, side);
    if (!has_plane(row)) {
        return row;
    }
    let p = v - u;
    let q = w - u;
    let flat = p.x * q.y - q.x * p.y;
    var at = u.z;
    var slope = vec2<f32>(0.0);
    if (flat != 0.0) {
        let by = vec2<f32>(p.z * q.y - q.z * p.y, p.x * q.z - q.x * p.z) / flat;
        let start = u.z - by.x * u.x - by.y * u.y;
        if (abs(by.x) * SUB_PIXELS < STEEPEST && abs(by.y) * SUB_PIXELS < STEEPEST && abs(start) < DEEPEST) {
            at = start;
            slope = by * SUB_PIXELS;
        }
    }
    row.at = plus64(fixed(clamp(at, -DEEPEST, DEEPEST)), vec2<u32>(1u << (FRACTION - 1u), 0u));
    row.along_i = fixed(slope.x);
    row.along_j = fixed(slope.y);
    row.least = i32(clamp(round(low.z), NEAREST, FARTHEST));
    row.most = i32(clamp(round(high.z), NEAREST, FARTHEST));
    return row;
}

// Of the bits of both words, those before bit `lane`.
fn before(lane: u32) -> u32 {
    let words = vec2<u32>(atomicLoad(&shown[0]), atomicLoad(&shown[1]));
    if (lane < 32u) {
        return countOneBits(words.x & ((1u << lane) - 1u));
    }
    return countOneBits(words.x) + countOneBits(words.y & ((1u << (lane - 32u)) - 1u));
}

@compute @workgroup_size(64)
fn view(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = group.y * params.row + group.x;
    if (index >= params.tiles) {
        return;
    }
    let p = params.first + index;
    if (lane == 0u) {
        laid = lay(p);
        totals = select(vec2<u32>(0u), vec2<u32>(pairs[p].count_a, pairs[p].count_b), laid.status == 0u);
    }
    let counts = workgroupUniformLoad(&totals);
    let side = pairs[p].side;
    let first = pairs[p].first - params.base;
    let room = pairs[p].room;
    var next = 0u;
    var of_a = 0u;
    for (var body = 0u; body < 2u; body++) {
        of_a = next;
        for (var base = 0u; base < counts[body]; base += WORKGROUP) {
            if (lane < 2u) {
                atomicStore(&shown[lane], 0u);
            }
            workgroupBarrier();
            let triangle = base + lane;
            var own = nothing();
            if (triangle < counts[body]) {
                let u = corner(p, body == 1u, triangle, 0u);
                let v = corner(p, body == 1u, triangle, 1u);
                let w = corner(p, body == 1u, triangle, 2u);
                own = row_of(u, v, w, side, laid.far);
                if (is_shown(own)) {
                    atomicOr(&shown[lane / 32u], 1u << (lane % 32u));
                }
            }
            workgroupBarrier();
            let place = next + before(lane);
            if (is_shown(own) && place < room) {
                rows[first + 1u + place] = own;
            }
            next += countOneBits(atomicLoad(&shown[0])) + countOneBits(atomicLoad(&shown[1]));
            workgroupBarrier();
        }
    }
    if (lane == 0u) {
        let over = next > room;
        rows[first].edge = select(vec3<i32>(i32(next), i32(of_a), 0), vec3<i32>(0), over);
        pairs[p].status = laid.status | select(0u, OVER_ROWS, over);
        pairs[p].right = laid.right;
        pairs[p].up = laid.up;
        pairs[p].depth = laid.depth;
        pairs[p].far = laid.far;
        pairs[p].shown = next;
        pairs[p].sequence = params.sequence;
    }
}
