// View: of a pair, the view along its contours' area vector, laid from what the triangle intersection has found of
// them; and the triangles that it may show, in whole numbers.
//
// Twins: narrow/image_space/src/view.rs and fixed_map.rs. A workgroup takes one pair: it adds up the records of the
// pair's units, lays the view over the box of the contours, and goes through all triangles of both bodies. Where the
// view stands is not exact as the views are that the CPU lays: contours are in single precision. What comes of it are
// whole numbers that map either body's quanta to the view's lattice, and all that follows is the CPU's to the last bit
// where it is given these.

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
    // Word of the answers at which its first unit's record begins, and its leaf pairs.
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
    // The area vector of the contours (scaled twice).
    area: vec3<f32>,
    spare: u32,
    // The view: from either body's quanta, which are sent, to its lattice.
    maps: array<LatticeMap, 2>,
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

// Contours whose ends are apart by more than this part of their size do not close.
const GAP: f32 = 0.01;

// The pair's view, as all threads of the workgroup have it.
struct Laid {
    status: u32,
    maps: array<LatticeMap, 2>,
}
var<workgroup> laid: Laid;
// Which of the triangles at hand are shown, a bit each; and how many triangles either body has.
var<workgroup> shown: array<atomic<u32>, 2>;
var<workgroup> totals: vec2<u32>;

fn float3(at: u32) -> vec3<f32> {
    return vec3<f32>(bitcast<f32>(answers[at]), bitcast<f32>(answers[at + 1u]), bitcast<f32>(answers[at + 2u]));
}

// Lays the view of a pair.
fn lay(p: u32) -> Laid {
    var out: Laid;
    out.maps = pairs[p].maps;
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
    var view: Along;
    view.axes = mat3x3<f32>(right, up, depth);
    view.origin = pairs[p].origin;
    view.middle = 0.5 * (low + high);
    let half = 0.5 * (high - low);
    let centre = view.middle * view.axes;
    let reach = vec3<f32>(dot(abs(right), half), dot(abs(up), half), dot(abs(depth), half));
    let side = f32(pairs[p].side);
    let pixel = max(2.0 * reach.xy / (side - 2.0), vec2<f32>(0.001 * size / side));
    if (min(pixel.x, pixel.y) < CERTAIN * pairs[p].delta) {
        out.status = NO_NORMAL;
        return out;
    }
    let deep = reach.z + max(reach.x, reach.y);
    view.worth = vec3<f32>(SUB_PIXELS / pixel.x, SUB_PIXELS / pixel.y, DEPTH_STEPS / (2.0 * deep));
    view.start = vec3<f32>(centre.xy - 0.5 * (side - 1.0) * pixel, centre.z - deep);
    view.units = vec3<f32>(side * SUB_PIXELS, side * SUB_PIXELS, DEPTH_STEPS);
    let scale = pairs[p].scale;
    let own = mat3x3<f32>(scale, 0.0, 0.0, 0.0, scale, 0.0, 0.0, 0.0, scale);
    let rows = pairs[p].to_a;
    let other = transpose(mat3x3<f32>(rows[0].xyz, rows[1].xyz, rows[2].xyz));
    let a = map_of(view, own, vec3<f32>(0.0), scale, out.maps[0]);
    let b = map_of(view, other, vec3<f32>(rows[0].w, rows[1].w, rows[2].w), scale, out.maps[1]);
    out.maps[0] = a.map;
    out.maps[1] = b.map;
    out.status = select(NO_NORMAL, 0u, a.fits && b.fits);
    return out;
}

// A corner of the triangle at hand on the lattice.
fn corner(p: u32, body: u32, triangle: u32, c: u32) -> vec3<i32> {
    let vertices = select(pairs[p].vertices_a, pairs[p].vertices_b, body == 1u);
    let corners = select(pairs[p].corners_a, pairs[p].corners_b, body == 1u);
    let word = vertices + 3u * meshes[corners + 3u * triangle + c];
    return placed(laid.maps[body], meshes[word], meshes[word + 1u], meshes[word + 2u]);
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
                own = row_of(
                    corner(p, body, triangle, 0u),
                    corner(p, body, triangle, 1u),
                    corner(p, body, triangle, 2u),
                    side,
                    laid.maps[body].far,
                );
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
        pairs[p].maps = laid.maps;
        pairs[p].shown = next;
        pairs[p].sequence = params.sequence;
    }
}
