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

var<workgroup> masks: array<atomic<u32>, MASK_WORDS>;
var<workgroup> areas: array<vec3<f32>, WORKGROUP>;
var<workgroup> drifts: array<vec3<f32>, WORKGROUP>;
var<workgroup> lows: array<vec3<f32>, WORKGROUP>;
var<workgroup> highs: array<vec3<f32>, WORKGROUP>;
var<workgroup> counts: array<vec4<u32>, WORKGROUP>;
var<workgroup> likely_areas: array<vec3<f32>, WORKGROUP>;
var<workgroup> likely_drifts: array<vec3<f32>, WORKGROUP>;

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
