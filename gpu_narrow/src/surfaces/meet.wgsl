// Which triangles of two surfaces certainly cross, and which may: each thread takes a lowest box of A down the boxes of B. The triangles
// that are left are the filter's of triangle intersection, and so is the record.

struct MeetParams {
    to_a: array<vec4<f32>, 3>,
    origin: vec3<f32>,
    scale: f32,
    delta: f32,
    vertices_a: u32,
    corners_a: u32,
    triangles_a: u32,
    vertices_b: u32,
    corners_b: u32,
    triangles_b: u32,
    levels_b: u32,
    boxes_a: u32,
    leaves_a: u32,
    groups: u32,
    row: u32,
    answer: u32,
    sequence: u32,
    spare: vec2<u32>,
    starts_b: array<vec4<u32>, 3>,
    counts_b: array<vec4<u32>, 3>,
}

@group(0) @binding(0) var<uniform> params: MeetParams;
@group(0) @binding(1) var<storage, read> meshes: array<u32>;
@group(0) @binding(2) var<storage, read_write> answers: array<u32>;

const SURFACE_GROUP: u32 = 64u;
const FANOUT: u32 = 4u;
const SURFACE_BOX_WORDS: u32 = 6u;
const STACK: u32 = 40u;
const RECORD_WORDS: u32 = 24u;
// Where a node's level is in its word.
const LEVEL_BIT: u32 = 26u;

var<workgroup> areas: array<vec3<f32>, SURFACE_GROUP>;
var<workgroup> drifts: array<vec3<f32>, SURFACE_GROUP>;
var<workgroup> lows: array<vec3<f32>, SURFACE_GROUP>;
var<workgroup> highs: array<vec3<f32>, SURFACE_GROUP>;
var<workgroup> counts: array<vec4<u32>, SURFACE_GROUP>;
var<workgroup> likely_areas: array<vec3<f32>, SURFACE_GROUP>;
var<workgroup> likely_drifts: array<vec3<f32>, SURFACE_GROUP>;

// Whether a box of B stands apart from one of A (A's frame, scaled).
fn stands_apart(low: vec3<f32>, high: vec3<f32>, at: u32) -> bool {
    let least = vertex(at);
    let most = vertex(at + 3u);
    let middle = 0.5 * least + 0.5 * most;
    let half = 0.5 * most - 0.5 * least;
    let rows = params.to_a;
    let place = vec3<f32>(dot(rows[0].xyz, middle), dot(rows[1].xyz, middle), dot(rows[2].xyz, middle))
        + vec3<f32>(rows[0].w, rows[1].w, rows[2].w);
    let reach = vec3<f32>(dot(abs(rows[0].xyz), half), dot(abs(rows[1].xyz), half), dot(abs(rows[2].xyz), half));
    let size = largest(place) + largest(reach) + largest(low) + largest(high);
    let slack = 2.0 * params.delta + 32.0 * UNIT_ERROR * size;
    return any(place - reach > high + slack) || any(place + reach < low - slack);
}

@compute @workgroup_size(64)
fn meet_surfaces(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = group.y * params.row + group.x;
    if (index >= params.groups) {
        return;
    }
    var unit: IntersectUnit;
    unit.to_a = params.to_a;
    unit.scale = params.scale;
    unit.vertices_a = params.vertices_a;
    unit.corners_a = params.corners_a;
    unit.vertices_b = params.vertices_b;
    unit.corners_b = params.corners_b;

    var area = vec3<f32>(0.0);
    var drift = vec3<f32>(0.0);
    var least = vec3<f32>(3.0e38);
    var most = vec3<f32>(-3.0e38);
    var likely_area = vec3<f32>(0.0);
    var likely_drift = vec3<f32>(0.0);
    // Hits, uncertain, looked at, likely.
    var count = vec4<u32>(0u);
    let leaf = index * SURFACE_GROUP + lane;
    var nodes: array<u32, STACK>;
    var waiting = 0u;
    var low = vec3<f32>(0.0);
    var high = vec3<f32>(0.0);
    if (leaf < params.leaves_a) {
        low = vertex(params.boxes_a + SURFACE_BOX_WORDS * leaf) * params.scale;
        high = vertex(params.boxes_a + SURFACE_BOX_WORDS * leaf + 3u) * params.scale;
        nodes[0] = (params.levels_b - 1u) << LEVEL_BIT;
        waiting = 1u;
    }
    while (waiting > 0u) {
        waiting -= 1u;
        let node = nodes[waiting];
        let level = node >> LEVEL_BIT;
        let own = node & ((1u << LEVEL_BIT) - 1u);
        if (stands_apart(low, high, params.starts_b[level / 4u][level % 4u] + SURFACE_BOX_WORDS * own)) {
            continue;
        }
        if (level > 0u) {
            let below = level - 1u;
            let end = min(FANOUT * (own + 1u), params.counts_b[below / 4u][below % 4u]);
            for (var k = FANOUT * own; k < end && waiting < STACK; k++) {
                nodes[waiting] = (below << LEVEL_BIT) | k;
                waiting += 1u;
            }
            continue;
        }
        for (var test = 0u; test < FANOUT * FANOUT; test++) {
            let a = FANOUT * leaf + test / FANOUT;
            let b = FANOUT * own + test % FANOUT;
            if (a >= params.triangles_a || b >= params.triangles_b) {
                continue;
            }
            count.z += 1u;
            let face_a = face_of_a(unit, a);
            let face_b = face_of_b(unit, b);
            guess = false;
            var meeting = meet(face_a, face_b, params.delta);
            if (meeting.kind == MISS) {
                continue;
            }
            let certain = meeting.kind == HIT;
            if (!certain) {
                count.y += 1u;
                guess = true;
                meeting = meet(face_a, face_b, params.delta);
                if (meeting.kind != HIT) {
                    continue;
                }
            }
            let start = meeting.start - params.origin;
            let end = meeting.end - params.origin;
            if (!certain) {
                count.w += 1u;
                likely_area += 0.5 * cross(start, end);
                likely_drift += end - start;
                continue;
            }
            count.x += 1u;
            area += 0.5 * cross(start, end);
            drift += end - start;
            least = min(least, min(start, end));
            most = max(most, max(start, end));
        }
    }

    areas[lane] = area;
    drifts[lane] = drift;
    lows[lane] = least;
    highs[lane] = most;
    counts[lane] = count;
    likely_areas[lane] = likely_area;
    likely_drifts[lane] = likely_drift;
    // A fixed tree, so that the same input gives the same bits.
    for (var half = SURFACE_GROUP / 2u; half > 0u; half /= 2u) {
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
        let to = params.answer + RECORD_WORDS * index;
        for (var k = 0u; k < 3u; k++) {
            answers[to + k] = bitcast<u32>(areas[0][k]);
            answers[to + 4u + k] = bitcast<u32>(drifts[0][k]);
            answers[to + 8u + k] = bitcast<u32>(lows[0][k]);
            answers[to + 12u + k] = bitcast<u32>(highs[0][k]);
            answers[to + 16u + k] = bitcast<u32>(likely_areas[0][k]);
            answers[to + 20u + k] = bitcast<u32>(likely_drifts[0][k]);
        }
        answers[to + 3u] = counts[0].x;
        answers[to + 7u] = counts[0].y;
        answers[to + 11u] = params.sequence;
        answers[to + 15u] = counts[0].z;
        answers[to + 19u] = counts[0].w;
        answers[to + 23u] = 0u;
    }
}
