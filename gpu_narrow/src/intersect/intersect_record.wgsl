// What a workgroup of 64 threads has found of triangle pairs, and the record of it. Comes after triangles.wgsl, and before a
// shader that has `answers`.

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

const RECORD_GROUP: u32 = 64u;
const RECORD_WORDS: u32 = 24u;

// The same of one thread.
struct Found {
    area: vec3<f32>,
    drift: vec3<f32>,
    low: vec3<f32>,
    high: vec3<f32>,
    likely_area: vec3<f32>,
    likely_drift: vec3<f32>,
    // Hits, uncertain, looked at, likely.
    count: vec4<u32>,
}

var<workgroup> areas: array<vec3<f32>, RECORD_GROUP>;
var<workgroup> drifts: array<vec3<f32>, RECORD_GROUP>;
var<workgroup> lows: array<vec3<f32>, RECORD_GROUP>;
var<workgroup> highs: array<vec3<f32>, RECORD_GROUP>;
var<workgroup> counts: array<vec4<u32>, RECORD_GROUP>;
var<workgroup> likely_areas: array<vec3<f32>, RECORD_GROUP>;
var<workgroup> likely_drifts: array<vec3<f32>, RECORD_GROUP>;

fn nothing_found() -> Found {
    let none = vec3<f32>(0.0);
    return Found(none, none, vec3<f32>(3.0e38), vec3<f32>(-3.0e38), none, none, vec4<u32>(0u));
}

// Compares a triangle of A with one of B, whose boxes are not apart, and adds what they share, seen from `origin`. Whether they do
// not certainly miss.
fn may_meet(
    face_a: Triangle,
    face_b: Triangle,
    origin: vec3<f32>,
    delta: f32,
    found: ptr<function, Found>,
) -> bool {
    guess = false;
    var meeting = meet_near(face_a, face_b, delta);
    if (meeting.kind == MISS) {
        return false;
    }
    let certain = meeting.kind == HIT;
    if (!certain) {
        (*found).count.y += 1u;
        guess = true;
        meeting = meet_near(face_a, face_b, delta);
        if (meeting.kind != HIT) {
            return true;
        }
    }
    let start = meeting.start - origin;
    let end = meeting.end - origin;
    if (!certain) {
        (*found).count.w += 1u;
        (*found).likely_area += 0.5 * cross(start, end);
        (*found).likely_drift += end - start;
        return true;
    }
    (*found).count.x += 1u;
    (*found).area += 0.5 * cross(start, end);
    (*found).drift += end - start;
    (*found).low = min((*found).low, min(start, end));
    (*found).high = max((*found).high, max(start, end));
    return true;
}

// Adds up what the threads have found and writes the record from word `to` on. Called by all threads.
fn write_record(found: Found, lane: u32, to: u32, sequence: u32) {
    areas[lane] = found.area;
    drifts[lane] = found.drift;
    lows[lane] = found.low;
    highs[lane] = found.high;
    counts[lane] = found.count;
    likely_areas[lane] = found.likely_area;
    likely_drifts[lane] = found.likely_drift;
    // A fixed tree, so that the same input gives the same bits.
    for (var half = RECORD_GROUP / 2u; half > 0u; half /= 2u) {
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
        answers[to + 11u] = sequence;
        answers[to + 15u] = counts[0].z;
        answers[to + 19u] = counts[0].w;
        answers[to + 23u] = 0u;
    }
}
