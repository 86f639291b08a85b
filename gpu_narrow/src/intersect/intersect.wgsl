// The filter of triangle intersection: which triangle pairs of the candidate leaves certainly miss each other,
// which certainly cross, and along which oriented segments these do.
//
// Twin: narrow/exact/src/intersect/. A workgroup answers one unit: up to UNIT_LEAF_PAIRS leaf pairs of one pair
// of surfaces. Sixteen neighbouring threads look at the sixteen triangle pairs of one leaf pair.
//
// Everything stands in A's frame, lengths scaled by a power of two to about unit size. A's vertices
// are as they are; each coordinate of B's is within `delta` of the truth. A sign counts only where it
// is larger than all that rounding can have done (see orient), so "miss" and "hit" are facts; the
// rest is left to the CPU.

struct IntersectParams {
    // Units of this dispatch, workgroups per row of it, and its first unit.
    units: u32,
    row: u32,
    first: u32,
    // The number of the step, given back in every record: a stale answer is known by it.
    sequence: u32,
}

struct IntersectUnit {
    // From B's frame to A's: a row of the rotation and a part of the translation each (scaled).
    to_a: array<vec4<f32>, 3>,
    // Where segments are measured from (A's frame, scaled).
    origin: vec3<f32>,
    // The power of two that lengths are multiplied by.
    scale: f32,
    // Greatest error of a coordinate (scaled).
    delta: f32,
    // Words of `meshes`: of A and B, the vertices, the starts of the leaves, and the corners of the
    // triangles in the order of the leaves.
    vertices_a: u32,
    starts_a: u32,
    corners_a: u32,
    vertices_b: u32,
    starts_b: u32,
    corners_b: u32,
    // First leaf pair, and how many.
    first: u32,
    count: u32,
    // Word of `answers` at which the record begins; the masks of its leaf pairs follow.
    answer: u32,
    // To a multiple of sixteen bytes.
    spare: vec2<u32>,
}

struct IntersectRecord {
    // Over the certain hits: sum of half r x dr, and of dr (A's frame, scaled).
    area: vec3<f32>,
    hits: u32,
    drift: vec3<f32>,
    uncertain: u32,
    // Box of the segments' ends (A's frame, scaled, from the origin).
    low: vec3<f32>,
    sequence: u32,
    high: vec3<f32>,
    // Triangle pairs looked at.
    tests: u32,
    // Over the uncertain pairs that cross as far as rounding lets one tell: the same sums as of the certain.
    likely_area: vec3<f32>,
    likely: u32,
    likely_drift: vec3<f32>,
    spare: u32,
}

@group(0) @binding(0) var<uniform> params: IntersectParams;
@group(0) @binding(1) var<storage, read> meshes: array<u32>;
@group(0) @binding(2) var<storage, read> units: array<IntersectUnit>;
@group(0) @binding(3) var<storage, read> leaf_pairs: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> answers: array<u32>;

const WORKGROUP: u32 = 64u;
const UNIT_LEAF_PAIRS: u32 = 256u;
const LEAF_TRIANGLES: u32 = 4u;
const RECORD_WORDS: u32 = 24u;
const MASK_WORDS: u32 = 128u;
// Triangle pairs of a leaf pair, and leaf pairs looked at together.
const LEAF_TESTS: u32 = 16u;
const TOGETHER: u32 = 4u;

const MISS: u32 = 0u;
const UNCERTAIN: u32 = 1u;
const HIT: u32 = 2u;

// Greatest relative error of one operation: WGSL lets an implementation round either way.
const UNIT_ERROR: f32 = 1.1920929e-7;
// Least difference vector that the bound of orient holds for.
const SHORTEST: f32 = 9.536743e-7;

var<workgroup> masks: array<atomic<u32>, MASK_WORDS>;
var<workgroup> areas: array<vec3<f32>, WORKGROUP>;
var<workgroup> drifts: array<vec3<f32>, WORKGROUP>;
var<workgroup> lows: array<vec3<f32>, WORKGROUP>;
var<workgroup> highs: array<vec3<f32>, WORKGROUP>;
var<workgroup> counts: array<vec4<u32>, WORKGROUP>;
var<workgroup> likely_areas: array<vec3<f32>, WORKGROUP>;
var<workgroup> likely_drifts: array<vec3<f32>, WORKGROUP>;

// Whether every sign counts, however small what it is of.
var<private> guess: bool;

struct Triangle {
    corner: array<vec3<f32>, 3>,
}

// The segment of a hit.
struct Meeting {
    kind: u32,
    start: vec3<f32>,
    end: vec3<f32>,
}

fn largest(v: vec3<f32>) -> f32 {
    let a = abs(v);
    return max(a.x, max(a.y, a.z));
}

// Sign of the volume of the tetrahedron a b c d, zero where rounding may have made it: positive when d
// lies against the normal of a b c. With u the error of one operation and L the largest coordinate of
// the differences, 36 delta L^2 is what errors of the coordinates can do and 48 u L^3 what rounding
// can (geometry's predicate filter has the derivation), an eighth more for the higher orders.
fn orient(a: vec3<f32>, b: vec3<f32>, c: vec3<f32>, d: vec3<f32>, delta: f32) -> i32 {
    let p = a - d;
    let q = b - d;
    let r = c - d;
    let l = max(largest(p), max(largest(q), largest(r)));
    if (!guess && (l < SHORTEST || delta > l * 0.015625)) {
        return 0;
    }
    let det = p.x * (q.y * r.z - q.z * r.y) + p.y * (q.z * r.x - q.x * r.z) + p.z * (q.x * r.y - q.y * r.x);
    let bound = (36.0 * delta + 48.0 * UNIT_ERROR * l) * (l * l) * 1.125;
    if (guess) {
        return select(-1, 1, det >= 0.0);
    }
    return select(0, 1, det > bound) - select(0, 1, det < -bound);
}

// About six times the volume of the tetrahedron: positive when d lies along the normal of a b c.
fn height(t: Triangle, d: vec3<f32>) -> f32 {
    let u = t.corner[1] - t.corner[0];
    let v = t.corner[2] - t.corner[0];
    return dot(cross(u, v), d - t.corner[0]);
}

// Sides of the corners of `face` to the plane of `plane`: positive above.
fn sides(plane: Triangle, face: Triangle, delta: f32) -> vec3<i32> {
    let t = plane.corner;
    return -vec3<i32>(
        orient(t[0], t[1], t[2], face.corner[0], delta),
        orient(t[0], t[1], t[2], face.corner[1], delta),
        orient(t[0], t[1], t[2], face.corner[2], delta),
    );
}

fn one_sided(s: vec3<i32>) -> bool {
    return abs(s.x + s.y + s.z) == 3;
}

// The edge that goes from sign -`end` to sign `end`. All signs are certain and not all alike.
fn crossing_edge(s: vec3<i32>, end: i32) -> u32 {
    if (s.x == -end && s.y == end) {
        return 0u;
    }
    return select(2u, 1u, s.y == -end && s.z == end);
}

fn boxes_apart(a: Triangle, b: Triangle, delta: f32) -> bool {
    let low_a = min(a.corner[0], min(a.corner[1], a.corner[2]));
    let high_a = max(a.corner[0], max(a.corner[1], a.corner[2]));
    let low_b = min(b.corner[0], min(b.corner[1], b.corner[2]));
    let high_b = max(b.corner[0], max(b.corner[1], b.corner[2]));
    let gap = max(low_a - high_b, low_b - high_a);
    let size = max(largest(low_a), max(largest(high_a), max(largest(low_b), largest(high_b))));
    let slack = 2.0 * delta + 4.0 * UNIT_ERROR * size;
    return gap.x > slack || gap.y > slack || gap.z > slack;
}

// The place where edge k of `t` meets the plane of `other`.
fn place(t: Triangle, k: u32, other: Triangle) -> vec3<f32> {
    let p = t.corner[k];
    let q = t.corner[(k + 1u) % 3u];
    let start = height(other, p);
    let end = height(other, q);
    let share = select(clamp(start / (start - end), 0.0, 1.0), 0.5, start == end);
    return p + (q - p) * share;
}

// How two triangles meet: Guigue and Devillers' test, as the twin has it, on certain signs alone.
fn meet(a: Triangle, b: Triangle, delta: f32) -> Meeting {
    var out = Meeting(MISS, vec3<f32>(0.0), vec3<f32>(0.0));
    if (boxes_apart(a, b, delta)) {
        return out;
    }
    let of_b = sides(a, b, delta);
    if (one_sided(of_b)) {
        return out;
    }
    let of_a = sides(b, a, delta);
    if (one_sided(of_a)) {
        return out;
    }
    out.kind = UNCERTAIN;
    if (any(of_a == vec3<i32>(0)) || any(of_b == vec3<i32>(0))) {
        return out;
    }
    let a_in = crossing_edge(of_a, 1);
    let a_out = crossing_edge(of_a, -1);
    let b_in = crossing_edge(of_b, -1);
    let b_out = crossing_edge(of_b, 1);
    let first = between(a, a_in, b, b_out, delta);
    let last = between(a, a_out, b, b_in, delta);
    if (first > 0 || last < 0) {
        out.kind = MISS;
        return out;
    }
    if (first == 0 || last == 0) {
        return out;
    }
    out.kind = HIT;
    // Where the order of two ends is not certain they are as good as one.
    if (between(a, a_in, b, b_in, delta) > 0) {
        out.start = place(b, b_in, a);
    } else {
        out.start = place(a, a_in, b);
    }
    if (between(a, a_out, b, b_out, delta) > 0) {
        out.end = place(a, a_out, b);
    } else {
        out.end = place(b, b_out, a);
    }
    return out;
}

// The order of two edges' crossings along the line common to both planes, as the twin has it.
fn between(a: Triangle, i: u32, b: Triangle, j: u32, delta: f32) -> i32 {
    return orient(a.corner[i], a.corner[(i + 1u) % 3u], b.corner[j], b.corner[(j + 1u) % 3u], delta);
}

fn vertex(at: u32) -> vec3<f32> {
    return vec3<f32>(bitcast<f32>(meshes[at]), bitcast<f32>(meshes[at + 1u]), bitcast<f32>(meshes[at + 2u]));
}

fn face_of_a(unit: IntersectUnit, triangle: u32) -> Triangle {
    var t: Triangle;
    for (var k = 0u; k < 3u; k++) {
        t.corner[k] = vertex(unit.vertices_a + 3u * meshes[unit.corners_a + 3u * triangle + k]) * unit.scale;
    }
    return t;
}

fn face_of_b(unit: IntersectUnit, triangle: u32) -> Triangle {
    var t: Triangle;
    for (var k = 0u; k < 3u; k++) {
        let p = vertex(unit.vertices_b + 3u * meshes[unit.corners_b + 3u * triangle + k]);
        let x = dot(unit.to_a[0].xyz, p) + unit.to_a[0].w;
        let y = dot(unit.to_a[1].xyz, p) + unit.to_a[1].w;
        let z = dot(unit.to_a[2].xyz, p) + unit.to_a[2].w;
        t.corner[k] = vec3<f32>(x, y, z);
    }
    return t;
}

@compute @workgroup_size(64)
fn intersect(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = group.y * params.row + group.x;
    if (index >= params.units) {
        return;
    }
    let unit = units[params.first + index];
    for (var k = lane; k < MASK_WORDS; k += WORKGROUP) {
        atomicStore(&masks[k], 0u);
    }
    workgroupBarrier();

    var area = vec3<f32>(0.0);
    var drift = vec3<f32>(0.0);
    var low = vec3<f32>(3.0e38);
    var high = vec3<f32>(-3.0e38);
    var likely_area = vec3<f32>(0.0);
    var likely_drift = vec3<f32>(0.0);
    // Hits, uncertain, looked at, likely.
    var count = vec4<u32>(0u);
    let i = (lane % LEAF_TESTS) / LEAF_TRIANGLES;
    let j = lane % LEAF_TRIANGLES;
    for (var at = lane / LEAF_TESTS; at < unit.count; at += TOGETHER) {
        let leaves = leaf_pairs[unit.first + at];
        let a = meshes[unit.starts_a + leaves.x] + i;
        let b = meshes[unit.starts_b + leaves.y] + j;
        if (a >= meshes[unit.starts_a + leaves.x + 1u] || b >= meshes[unit.starts_b + leaves.y + 1u]) {
            continue;
        }
        count.z += 1u;
        let face_a = face_of_a(unit, a);
        let face_b = face_of_b(unit, b);
        guess = false;
        var meeting = meet(face_a, face_b, unit.delta);
        if (meeting.kind == MISS) {
            continue;
        }
        atomicOr(&masks[at / 2u], 1u << (16u * (at % 2u) + lane % LEAF_TESTS));
        let certain = meeting.kind == HIT;
        if (!certain) {
            count.y += 1u;
            guess = true;
            meeting = meet(face_a, face_b, unit.delta);
            if (meeting.kind != HIT) {
                continue;
            }
        }
        let start = meeting.start - unit.origin;
        let end = meeting.end - unit.origin;
        if (!certain) {
            count.w += 1u;
            likely_area += 0.5 * cross(start, end);
            likely_drift += end - start;
            continue;
        }
        count.x += 1u;
        area += 0.5 * cross(start, end);
        drift += end - start;
        low = min(low, min(start, end));
        high = max(high, max(start, end));
    }

    areas[lane] = area;
    drifts[lane] = drift;
    lows[lane] = low;
    highs[lane] = high;
    counts[lane] = count;
    likely_areas[lane] = likely_area;
    likely_drifts[lane] = likely_drift;
    // A fixed tree, so that the same input gives the same bits.
    for (var half = WORKGROUP / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (lane < half) {
            areas[lane] += areas[lane + half];
            drifts[lane] += drifts[lane + half];
            lows[lane] = min(lows[lane], lows[lane + half]);
            highs[lane] = max(highs[lane], highs[lane + half]);
            counts[lane] += counts[lane + half];
            likely_areas[lane] += likely_areas[lane + half];
            likely_drifts[lane] += likely_drifts[lane + half];
        }
    }
    workgroupBarrier();
    if (lane == 0u) {
        let end = unit.answer;
        for (var k = 0u; k < 3u; k++) {
            answers[end + k] = bitcast<u32>(areas[0][k]);
            answers[end + 4u + k] = bitcast<u32>(drifts[0][k]);
            answers[end + 8u + k] = bitcast<u32>(lows[0][k]);
            answers[end + 12u + k] = bitcast<u32>(highs[0][k]);
            answers[end + 16u + k] = bitcast<u32>(likely_areas[0][k]);
            answers[end + 20u + k] = bitcast<u32>(likely_drifts[0][k]);
        }
        answers[end + 3u] = counts[0].x;
        answers[end + 7u] = counts[0].y;
        answers[end + 11u] = params.sequence;
        answers[end + 15u] = counts[0].z;
        answers[end + 19u] = counts[0].w;
        answers[end + 23u] = 0u;
    }
    for (var k = lane; k < (unit.count + 1u) / 2u; k += WORKGROUP) {
        answers[unit.answer + RECORD_WORDS + k] = atomicLoad(&masks[k]);
    }
}
