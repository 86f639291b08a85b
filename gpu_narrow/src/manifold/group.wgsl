// Group: of a pair, the segments along which its triangles cross, joined to closed contours, and the contours near each
// other to clusters with their area vectors.
//
// Twins: narrow/exact/src/contour and narrow/pair/src/patches/features.rs, in exact arithmetic. A workgroup takes one
// pair. A contour goes on where a segment begins at the same edge and triangle; where single precision has lost a segment,
// where the nearest one begins that shares a triangle. Every order is fixed, so the same input gives the same bits.

@group(0) @binding(0) var<uniform> params: TileParams;
@group(0) @binding(1) var<storage, read> meshes: array<u32>;
@group(0) @binding(2) var<storage, read> leaf_pairs: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> answers: array<u32>;
@group(0) @binding(4) var<storage, read_write> pairs: array<ContactPair>;

const WORKGROUP: u32 = 64u;
const UNIT_LEAF_PAIRS: u32 = 256u;
const LEAF_TRIANGLES: u32 = 4u;
const LEAF_TESTS: u32 = 16u;
const RECORD_WORDS: u32 = 24u;
const MASK_WORDS: u32 = 128u;

// Gaps of a contour are no longer than this part of its box in all.
const GAPS: f32 = 0.25;
// Counts of segments that follow plainly, and of those that follow across a gap.
const PLAIN: u32 = 0xffffu;
const ACROSS_GAP: u32 = 0x10000u;
// Triangles that cross uncertainly and whose normals are as near to parallel (cosine) lie in one plane.
const PARALLEL: f32 = 0.9999;
// Faces that turn by more than 30 degrees (cosine) along a contour, towards each other, are two contacts.
const CREASE: f32 = 0.8660254;
const LEAST_CONCAVITY: f32 = 0.05;

// Segments that a thread has, at most.
const OWN: u32 = 20u;

// Threads are counted in eight parts of eight.
const EIGHTHS: u32 = 8u;
var<workgroup> counts: array<u32, WORKGROUP>;
var<workgroup> of_eighths: array<u32, EIGHTHS>;
// The segment that follows, and NONE or the least segment of the contour. At first `follows` has the triangle pairs that
// may cross: sixteen times the leaf pair, and which of its triangle pairs.
var<workgroup> follows: array<u32, MOST_SEGMENTS>;
var<workgroup> least: array<u32, MOST_SEGMENTS>;
var<workgroup> preceded: array<atomic<u32>, MOST_SEGMENTS>;
var<workgroup> problems: atomic<u32>;
var<workgroup> found: u32;

fn unit_of(p: u32) -> IntersectUnit {
    var unit: IntersectUnit;
    unit.to_a = pairs[p].head.to_a;
    unit.scale = pairs[p].head.scale;
    unit.vertices_a = pairs[p].head.vertices_a;
    unit.corners_a = pairs[p].head.corners_a;
    unit.vertices_b = pairs[p].head.vertices_b;
    unit.corners_b = pairs[p].head.corners_b;
    return unit;
}

// The sixteen bits of a leaf pair, counted from the pair's first.
fn mask_of(p: u32, index: u32) -> u32 {
    let unit = index / UNIT_LEAF_PAIRS;
    let at = index % UNIT_LEAF_PAIRS;
    let word = answers[pairs[p].head.answer + unit * (RECORD_WORDS + MASK_WORDS) + RECORD_WORDS + at / 2u];
    return (word >> (16u * (at % 2u))) & 0xffffu;
}

// How many the threads before this one have, and all of them. Called by all threads.
fn places_among(own: u32, lane: u32) -> vec2<u32> {
    counts[lane] = own;
    workgroupBarrier();
    if (lane < EIGHTHS) {
        var sum = 0u;
        for (var k = EIGHTHS * lane; k < EIGHTHS * (lane + 1u); k++) {
            let next = counts[k];
            counts[k] = sum;
            sum += next;
        }
        of_eighths[lane] = sum;
    }
    workgroupBarrier();
    var out = vec2<u32>(counts[lane], 0u);
    for (var k = 0u; k < EIGHTHS; k++) {
        out += vec2<u32>(select(0u, of_eighths[k], k < lane / EIGHTHS), of_eighths[k]);
    }
    return out;
}

// Lists the triangle pairs that may cross, in their order; gives how many there are.
fn list_candidates(p: u32, lane: u32) -> u32 {
    let all = pairs[p].head.leaf_pairs;
    var next = 0u;
    for (var base = 0u; base < all; base += WORKGROUP) {
        var bits = 0u;
        if (base + lane < all) {
            bits = mask_of(p, base + lane);
        }
        let places = places_among(countOneBits(bits), lane);
        var place = next + places.x;
        while (bits != 0u) {
            let bit = firstTrailingBit(bits);
            if (place < MOST_SEGMENTS) {
                follows[place] = LEAF_TESTS * (base + lane) + bit;
            }
            place += 1u;
            bits &= bits - 1u;
        }
        next += places.y;
        workgroupBarrier();
    }
    return next;
}

fn normal_of(t: Triangle) -> vec3<f32> {
    let n = cross(t.corner[1] - t.corner[0], t.corner[2] - t.corner[0]);
    let size = length(n);
    return select(vec3<f32>(0.0), n / size, size > 0.0);
}

fn middle_of(t: Triangle) -> vec3<f32> {
    return (t.corner[0] + t.corner[1] + t.corner[2]) / 3.0;
}

// The edge at which a segment ends, by its vertices, and the triangle that it crosses.
fn place_of(p: u32, triangles: vec2<u32>, edge: u32) -> vec3<u32> {
    let of_b = edge >= 3u;
    let corners = select(pairs[p].head.corners_a + 3u * triangles.x, pairs[p].head.corners_b + 3u * triangles.y, of_b);
    let v = meshes[corners + edge % 3u];
    let w = meshes[corners + (edge + 1u) % 3u];
    let other = select(triangles.y, triangles.x, of_b);
    return vec3<u32>(min(v, w), max(v, w), (other << 1u) | select(0u, 1u, of_b));
}

// The segment of a candidate; a certain one counts in `certain`.
fn segment(p: u32, k: u32, certain: ptr<function, u32>) {
    let leaves = leaf_pairs[pairs[p].head.first_leaf_pair + follows[k] / LEAF_TESTS];
    let bit = follows[k] % LEAF_TESTS;
    let a = meshes[pairs[p].head.starts_a + leaves.x] + bit / LEAF_TRIANGLES;
    let b = meshes[pairs[p].head.starts_b + leaves.y] + bit % LEAF_TRIANGLES;
    let unit = unit_of(p);
    let face_a = face_of_a(unit, a);
    let face_b = face_of_b(unit, b);
    guess = false;
    var meeting = meet(face_a, face_b, pairs[p].head.delta);
    *certain += select(0u, 1u, meeting.kind == HIT);
    if (meeting.kind == UNCERTAIN) {
        if (abs(dot(normal_of(face_a), normal_of(face_b))) > PARALLEL) {
            atomicOr(&problems, COPLANAR);
        }
        guess = true;
        meeting = meet(face_a, face_b, pairs[p].head.delta);
    }
    pairs[p].segment[k].of_a = a;
    pairs[p].segment[k].of_b = b;
    pairs[p].segment[k].start = meeting.start - pairs[p].head.origin;
    pairs[p].segment[k].end = meeting.end - pairs[p].head.origin;
    pairs[p].segment[k].begins_at = place_of(p, vec2<u32>(a, b), meeting.edges.x);
    pairs[p].segment[k].ends_at = place_of(p, vec2<u32>(a, b), meeting.edges.y);
    least[k] = select(NONE, k, meeting.kind == HIT);
}

// The segment that begins at the edge and triangle at which segment `k` ends.
fn follower(p: u32, k: u32, count: u32) -> u32 {
    let end = pairs[p].segment[k].ends_at;
    for (var j = 0u; j < count; j++) {
        if (j != k && least[j] != NONE && all(pairs[p].segment[j].begins_at == end)) {
            return j;
        }
    }
    return NONE;
}

// The nearest segment that shares a triangle with segment `k` and that none follows: what is between them was not certain
// enough to be found, and a triangle is flat.
fn nearest_follower(p: u32, k: u32, count: u32) -> u32 {
    var best = NONE;
    var nearest = 3.0e38;
    for (var j = 0u; j < count; j++) {
        if (j == k || least[j] == NONE || (atomicLoad(&preceded[j]) & PLAIN) != 0u) {
            continue;
        }
        let own = pairs[p].segment[j].of_a == pairs[p].segment[k].of_a;
        if (!own && pairs[p].segment[j].of_b != pairs[p].segment[k].of_b) {
            continue;
        }
        let apart = largest(pairs[p].segment[j].start - pairs[p].segment[k].end);
        if (apart < nearest) {
            nearest = apart;
            best = j;
        }
    }
    return best;
}

// Whether a body's surface turns into the contour between two triangles.
fn is_creased(one: Triangle, other: Triangle) -> bool {
    let n = normal_of(one);
    let between = middle_of(other) - middle_of(one);
    return dot(n, normal_of(other)) < CREASE && dot(between, n) > LEAST_CONCAVITY * length(between);
}

fn find_creases(p: u32, k: u32) {
    let next = follows[k];
    let unit = unit_of(p);
    let one = vec2<u32>(pairs[p].segment[k].of_a, pairs[p].segment[k].of_b);
    let other = vec2<u32>(pairs[p].segment[next].of_a, pairs[p].segment[next].of_b);
    var creased = false;
    if (one.x != other.x) {
        creased = is_creased(face_of_a(unit, one.x), face_of_a(unit, other.x));
    }
    if (one.y != other.y) {
        creased = creased || is_creased(face_of_b(unit, one.y), face_of_b(unit, other.y));
    }
    if (creased) {
        atomicOr(&problems, CREASED);
    }
}

// -1/2 the integral of |x|^2 dx along a line.
fn torque_of(start: vec3<f32>, end: vec3<f32>) -> vec3<f32> {
    let along = end - start;
    return along * (-0.5 * (dot(start, start) + dot(start, along) + dot(along, along) / 3.0));
}

// Numbers the contours, and joins those whose boxes meet to clusters.
fn gather(p: u32, count: u32) {
    var of_contours: array<ContourCluster, MOST_CONTOURS>;
    var names: array<u32, MOST_CONTOURS>;
    var gaps: array<f32, MOST_CONTOURS>;
    var contours = 0u;
    for (var k = 0u; k < count; k++) {
        var own = NONE;
        if (least[k] == k) {
            own = contours;
            contours += 1u;
            if (own < MOST_CONTOURS) {
                names[own] = k;
                of_contours[own].low = vec3<f32>(3.0e38);
                of_contours[own].high = vec3<f32>(-3.0e38);
            }
        } else if (least[k] != NONE) {
            for (var c = 0u; c < min(contours, MOST_CONTOURS); c++) {
                own = select(own, c, names[c] == least[k]);
            }
        }
        pairs[p].segment[k].contour = own;
        if (own >= MOST_CONTOURS) {
            continue;
        }
        let start = pairs[p].segment[k].start;
        let end = pairs[p].segment[k].end;
        // The gap behind it is closed by a straight line.
        let after = pairs[p].segment[min(pairs[p].segment[k].next, MOST_SEGMENTS - 1u)].start;
        of_contours[own].area += 0.5 * (cross(start, end) + cross(end, after));
        of_contours[own].torque += torque_of(start, end) + torque_of(end, after);
        gaps[own] += length(after - end);
        of_contours[own].low = min(of_contours[own].low, min(start, end));
        of_contours[own].high = max(of_contours[own].high, max(start, end));
    }
    pairs[p].contours = contours;
    if (contours > MOST_CONTOURS) {
        atomicOr(&problems, OVER_CONTOURS);
        return;
    }
    for (var c = 0u; c < contours; c++) {
        if (gaps[c] > GAPS * length(of_contours[c].high - of_contours[c].low)) {
            atomicOr(&problems, OPEN_CONTOUR);
        }
    }
    // Boxes that meet, directly or through others.
    var clusters: array<u32, MOST_CONTOURS>;
    for (var c = 0u; c < contours; c++) {
        clusters[c] = 1u << c;
    }
    for (var round = 0u; round < contours; round++) {
        for (var c = 0u; c < contours; c++) {
            for (var d = 0u; d < c; d++) {
                let meet = all(of_contours[c].low <= of_contours[d].high) && all(of_contours[d].low <= of_contours[c].high);
                if (meet || (clusters[c] & clusters[d]) != 0u) {
                    clusters[c] |= clusters[d];
                    clusters[d] = clusters[c];
                }
            }
        }
    }
    var next = 0u;
    for (var c = 0u; c < contours; c++) {
        if (firstTrailingBit(clusters[c]) != c) {
            continue;
        }
        if (next == pairs[p].head.views) {
            atomicOr(&problems, OVER_CONTOURS);
            return;
        }
        var sum = of_contours[c];
        sum.contours = clusters[c];
        for (var d = c + 1u; d < contours; d++) {
            if (((clusters[c] >> d) & 1u) == 1u) {
                sum.area += of_contours[d].area;
                sum.torque += of_contours[d].torque;
                sum.low = min(sum.low, of_contours[d].low);
                sum.high = max(sum.high, of_contours[d].high);
            }
        }
        pairs[p].cluster[next] = sum;
        next += 1u;
    }
    pairs[p].clusters = next;
}

@compute @workgroup_size(64)
fn group(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = workgroup.y * params.row + workgroup.x;
    if (index >= params.tiles) {
        return;
    }
    let p = index;
    if (lane == 0u) {
        atomicStore(&problems, 0u);
        pairs[p].contours = 0u;
        pairs[p].clusters = 0u;
    }
    workgroupBarrier();
    let all = list_candidates(p, lane);
    if (lane == 0u) {
        found = select(all, 0u, all > MOST_SEGMENTS);
        if (all > MOST_SEGMENTS) {
            atomicOr(&problems, OVER_CONTOURS);
        }
        counts[0] = 0u;
    }
    let count = workgroupUniformLoad(&found);
    var certain = 0u;
    for (var k = lane; k < count; k += WORKGROUP) {
        atomicStore(&preceded[k], 0u);
        segment(p, k, &certain);
    }
    counts[lane] = certain;
    storageBarrier();
    workgroupBarrier();
    for (var k = lane; k < count; k += WORKGROUP) {
        follows[k] = NONE;
        if (least[k] == NONE) {
            continue;
        }
        follows[k] = follower(p, k, count);
        if (follows[k] != NONE) {
            atomicAdd(&preceded[follows[k]], 1u);
        }
    }
    workgroupBarrier();
    for (var k = lane; k < count; k += WORKGROUP) {
        if (least[k] != NONE && follows[k] == NONE) {
            let next = nearest_follower(p, k, count);
            if (next == NONE) {
                atomicOr(&problems, OPEN_CONTOUR);
            } else {
                atomicAdd(&preceded[next], ACROSS_GAP);
            }
            follows[k] = select(next, k, next == NONE);
        }
    }
    workgroupBarrier();
    for (var k = lane; k < count; k += WORKGROUP) {
        pairs[p].segment[k].next = follows[k];
        // An end without a beginning, or a beginning that two ends claim.
        let claims = atomicLoad(&preceded[k]);
        if (least[k] != NONE && (claims & PLAIN) + claims / ACROSS_GAP != 1u) {
            atomicOr(&problems, OPEN_CONTOUR);
        }
    }
    for (var k = lane; k < count; k += WORKGROUP) {
        if (least[k] != NONE) {
            find_creases(p, k);
        }
    }
    // Twice as far round the contour each time.
    let own = (count + WORKGROUP - 1u) / WORKGROUP;
    for (var round = 1u; round < count; round *= 2u) {
        var next: array<vec2<u32>, OWN>;
        for (var m = 0u; m < own; m++) {
            let k = lane + m * WORKGROUP;
            next[m] = vec2<u32>(NONE);
            if (k < count && least[k] != NONE) {
                next[m] = vec2<u32>(min(least[k], least[follows[k]]), follows[follows[k]]);
            }
        }
        workgroupBarrier();
        for (var m = 0u; m < own; m++) {
            let k = lane + m * WORKGROUP;
            if (k < count) {
                least[k] = next[m].x;
                follows[k] = next[m].y;
            }
        }
        workgroupBarrier();
    }
    if (lane == 0u) {
        var hits = 0u;
        for (var k = 0u; k < WORKGROUP; k++) {
            hits += counts[k];
        }
        if (hits == 0u) {
            atomicOr(&problems, NO_SEGMENT);
        }
        gather(p, count);
        pairs[p].segments = count;
        pairs[p].status = atomicLoad(&problems);
    }
}
