// Patches: of a view of one cluster of contours, the intervals that hang together with them, their sums, and the few
// that stand for the patch.
//
// Twins: narrow/image_space/src/intervals/ and narrow/pair/src/patches/join.rs. A workgroup takes the one tile of a view,
// a thread one pixel of it. Intervals join where they are neighbours and meet, and a contour joins those that it passes.
// All numbers but the contours' places are whole, so nothing depends on the order of threads.

@group(0) @binding(0) var<uniform> params: TileParams;
@group(0) @binding(1) var<storage, read> pairs: array<ContactPair>;
@group(0) @binding(2) var<storage, read> counts: array<u32>;
@group(0) @binding(3) var<storage, read> crossings: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> records: array<PatchRecord>;

// Intervals of a pixel, at most.
const PIXEL_INTERVALS: u32 = 3u;
const SLOTS: u32 = 768u;
// Neighbours join though they miss each other by so much (steps).
const JOIN_SLACK: i32 = 2;
// Places of a segment that are looked at, at most.
const SEGMENT_PARTS: f32 = 32.0;

const OVER_LAYERS: u32 = 0x100u;
const OVER_INTERVALS: u32 = 0x200u;
const CUT_OFF: u32 = 0x400u;
const NO_INTERVAL: u32 = 0x800u;
const SEVERAL_SETS: u32 = 0x1000u;

// Of every slot (three to a pixel) the interval, the least slot of its set, and the contours that pass it, a bit each.
var<workgroup> begins: array<i32, SLOTS>;
var<workgroup> ends: array<i32, SLOTS>;
var<workgroup> labels: array<atomic<u32>, SLOTS>;
var<workgroup> passed: array<atomic<u32>, SLOTS>;
// The least slot of the set of every contour.
var<workgroup> of_contours: array<atomic<u32>, MOST_CONTOURS>;
var<workgroup> changed: atomic<u32>;
var<workgroup> again: u32;
var<workgroup> problems: atomic<u32>;
var<workgroup> own_set: u32;
var<workgroup> chosen: array<atomic<u32>, CANDIDATES>;
var<workgroup> picked: array<u32, CANDIDATES>;
var<workgroup> picks: u32;
// Crossings, and intervals, of all pixels.
var<workgroup> seen: atomic<u32>;
var<workgroup> listed: atomic<u32>;

// Twelve directions, 30 degrees from each other.
fn direction(k: u32) -> vec2<i32> {
    var quarter = array<vec2<i32>, 3>(vec2<i32>(7, 0), vec2<i32>(6, 4), vec2<i32>(4, 6));
    let d = quarter[k % 3u];
    var turned = array<vec2<i32>, 4>(d, vec2<i32>(-d.y, d.x), -d, vec2<i32>(d.y, -d.x));
    return turned[k / 3u];
}

fn meets(one: u32, other: u32) -> bool {
    return min(ends[one], ends[other]) - max(begins[one], begins[other]) >= -JOIN_SLACK;
}

// The least label of the neighbours of a slot that it meets, in one pixel.
fn least_of(slot: u32, pixel: u32) -> u32 {
    var least = NONE;
    for (var m = 0u; m < PIXEL_INTERVALS; m++) {
        let other = PIXEL_INTERVALS * pixel + m;
        let label = atomicLoad(&labels[other]);
        if (label != NONE && meets(slot, other)) {
            least = min(least, label);
        }
    }
    return least;
}

fn least_beside(slot: u32, lane: u32) -> u32 {
    let at = vec2<u32>(lane % TILE_SIDE, lane / TILE_SIDE);
    var least = NONE;
    if (at.x > 0u) {
        least = min(least, least_of(slot, lane - 1u));
    }
    if (at.x + 1u < TILE_SIDE) {
        least = min(least, least_of(slot, lane + 1u));
    }
    if (at.y > 0u) {
        least = min(least, least_of(slot, lane - TILE_SIDE));
    }
    if (at.y + 1u < TILE_SIDE) {
        least = min(least, least_of(slot, lane + TILE_SIDE));
    }
    return least;
}

// Marks the intervals around a place, in pixels and steps, as passed by a contour.
fn pass_place(at: vec3<f32>, slack: f32, contour: u32) {
    let corner = vec2<i32>(floor(at.xy));
    for (var k = 0; k < 9; k++) {
        let pixel = corner + vec2<i32>(k % 3 - 1, k / 3 - 1);
        if (any(pixel < vec2<i32>(0)) || any(pixel >= vec2<i32>(i32(TILE_SIDE)))) {
            continue;
        }
        for (var m = 0u; m < PIXEL_INTERVALS; m++) {
            let slot = PIXEL_INTERVALS * (u32(pixel.y) * TILE_SIDE + u32(pixel.x)) + m;
            let near = f32(begins[slot]) - slack <= at.z && at.z <= f32(ends[slot]) + slack;
            if (near && atomicLoad(&labels[slot]) != NONE) {
                atomicOr(&passed[slot], 1u << contour);
            }
        }
    }
}

fn pass_segment(p: u32, k: u32, r: array<vec4<f32>, 3>, slack: f32) {
    let contour = pairs[p].segment[k].contour;
    if (contour >= MOST_CONTOURS) {
        return;
    }
    let start = pairs[p].segment[k].start;
    let end = pairs[p].segment[k].end;
    let begin = vec3<f32>(
        (dot(r[0].xyz, start) + r[0].w) / 65536.0 + 0.5,
        (dot(r[1].xyz, start) + r[1].w) / 65536.0 + 0.5,
        dot(r[2].xyz, start) + r[2].w,
    );
    let finish = vec3<f32>(
        (dot(r[0].xyz, end) + r[0].w) / 65536.0 + 0.5,
        (dot(r[1].xyz, end) + r[1].w) / 65536.0 + 0.5,
        dot(r[2].xyz, end) + r[2].w,
    );
    let along = abs(finish.xy - begin.xy);
    let parts = clamp(ceil(max(along.x, along.y)), 1.0, SEGMENT_PARTS);
    for (var part = 0.5; part < parts; part += 1.0) {
        pass_place(begin + (finish - begin) * (part / parts), slack, contour);
    }
}

// Which set the cluster's contours are in; NONE where they are in none, in several, or in one with another contour.
fn set_of(p: u32, cluster: u32) -> u32 {
    let own = pairs[p].cluster[cluster].contours;
    let label = atomicLoad(&of_contours[firstTrailingBit(own)]);
    for (var c = 0u; c < pairs[p].contours; c++) {
        let other = atomicLoad(&of_contours[c]);
        if (((own >> c) & 1u) == 1u && other == NONE) {
            atomicOr(&problems, NO_INTERVAL);
        } else if ((((own >> c) & 1u) == 1u) != (other == label)) {
            atomicOr(&problems, SEVERAL_SETS);
        }
    }
    return select(NONE, label, atomicLoad(&problems) == 0u);
}

// Offers an interval of the set for the places of candidates.
fn offer(slot: u32, lane: u32, side: u32) {
    let at = 2 * vec2<i32>(i32(lane % TILE_SIDE), i32(lane / TILE_SIDE)) + 1 - i32(side);
    let last = 1023u - slot;
    atomicMax(&chosen[1], (u32(2048 - dot(at, at)) << 10u) | last);
    for (var k = 0u; k < 12u; k++) {
        let d = direction(k);
        atomicMax(&chosen[k + 2u], (u32(dot(at, d) + 2048) << 10u) | last);
    }
}

fn candidate_of(c: Overlap, lane: u32) -> Candidate {
    var out: Candidate;
    out.pixel = (lane % TILE_SIDE) | ((lane / TILE_SIDE) << 16u);
    // What ends behind what the view sees has no triangle there.
    out.depths = array<i32, 4>(open_of(c.ends.xy), close_of(c.ends.xy), open_of(c.ends.zw), close_of(c.ends.zw));
    for (var k = 0u; k < 4u; k++) {
        let place = c.ends[k];
        out.triangles[k] = select(face[min(place, DEEPEST_PIXEL - 1u)] & 0x3fffffffu, 0u, place == NOWHERE);
    }
    return out;
}

@compute @workgroup_size(256)
fn patches(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = group.y * params.row + group.x;
    if (index >= params.tiles) {
        return;
    }
    let record = params.first + index;
    let p = records[record].pair;
    let cluster = records[record].view;
    if (lane == 0u) {
        atomicStore(&problems, 0u);
        atomicStore(&seen, 0u);
        atomicStore(&listed, 0u);
        again = pairs[p].view[cluster].status;
        if (again != 0u) {
            records[record].sequence = params.sequence;
            records[record].status = again | pairs[p].status;
            records[record].contours = pairs[p].contours;
            records[record].clusters = pairs[p].clusters;
            records[record].intervals = 0u;
        }
    }
    // Without a view there is nothing to see.
    if (workgroupUniformLoad(&again) != 0u) {
        return;
    }
    let all = counts[index * TILE_PIXELS + lane];
    if (all > DEEPEST_PIXEL) {
        atomicOr(&problems, OVER_LAYERS);
    }
    atomicAdd(&seen, all % UNSEEN);
    _ = trace(sort_crossings(index, lane, all), 0u);
    var every = 0u;
    for (var m = meet(vec2<u32>(0u)); m.found || m.cut; m = meet(m.at)) {
        if (m.cut) {
            atomicOr(&problems, CUT_OFF);
        } else {
            every += 1u;
        }
    }
    atomicAdd(&listed, every);
    workgroupBarrier();
    if (lane == 0u) {
        let whole = atomicLoad(&problems) == 0u;
        let status = atomicLoad(&problems) | pairs[p].status | select(0u, NO_CLUSTER, cluster >= pairs[p].clusters);
        records[record].sequence = params.sequence;
        records[record].status = status;
        records[record].contours = pairs[p].contours;
        records[record].clusters = pairs[p].clusters;
        records[record].kept = pairs[p].view[cluster].kept;
        records[record].shown = pairs[p].view[cluster].shown;
        records[record].rows = pairs[p].view[cluster].rows;
        records[record].crossings = atomicLoad(&seen);
        records[record].intervals = select(0u, atomicLoad(&listed), whole && pairs[p].head.listed != 0u);
        records[record].place = NONE;
        again = status;
    }
    if (workgroupUniformLoad(&again) != 0u) {
        return;
    }
    if (lane < SUMS) {
        atomicStore(&sums[lane], 0u);
    }
    if (lane < MOST_CONTOURS) {
        atomicStore(&of_contours[lane], NONE);
    }
    if (lane < CANDIDATES) {
        atomicStore(&chosen[lane], 0u);
    }
    if (lane == 0u) {
        atomicStore(&longest, 0u);
        atomicStore(&apart[0], -0x7fffffff - 1);
        atomicStore(&apart[1], -0x7fffffff - 1);
    }
    for (var m = 0u; m < PIXEL_INTERVALS; m++) {
        atomicStore(&labels[PIXEL_INTERVALS * lane + m], NONE);
        atomicStore(&passed[PIXEL_INTERVALS * lane + m], 0u);
    }
    workgroupBarrier();

    var own = 0u;
    for (var m = meet(vec2<u32>(0u)); m.found; m = meet(m.at)) {
        let slot = PIXEL_INTERVALS * lane + own;
        if (own < PIXEL_INTERVALS) {
            begins[slot] = m.overlap.begin;
            ends[slot] = m.overlap.end;
            atomicStore(&labels[slot], slot);
        } else {
            atomicOr(&problems, OVER_INTERVALS);
        }
        own += 1u;
    }
    own = min(own, PIXEL_INTERVALS);
    workgroupBarrier();

    let r = pairs[p].view[cluster].rows;
    let pixel = 65536.0 / min(length(r[0].xyz), length(r[1].xyz));
    for (var k = lane; k < pairs[p].segments; k += TILE_PIXELS) {
        pass_segment(p, k, r, pixel * length(r[2].xyz));
    }
    // Until no label becomes less.
    for (var round = 0u; round < SLOTS; round++) {
        workgroupBarrier();
        if (lane == 0u) {
            atomicStore(&changed, 0u);
        }
        workgroupBarrier();
        for (var m = 0u; m < own; m++) {
            let slot = PIXEL_INTERVALS * lane + m;
            let was = atomicLoad(&labels[slot]);
            let contours = atomicLoad(&passed[slot]);
            var least = min(was, least_beside(slot, lane));
            for (var left = contours; left != 0u; left &= left - 1u) {
                least = min(least, atomicLoad(&of_contours[firstTrailingBit(left)]));
            }
            for (var left = contours; left != 0u; left &= left - 1u) {
                if (atomicMin(&of_contours[firstTrailingBit(left)], least) > least) {
                    atomicStore(&changed, 1u);
                }
            }
            if (least < was) {
                atomicStore(&labels[slot], least);
                atomicStore(&changed, 1u);
            }
        }
        workgroupBarrier();
        if (lane == 0u) {
            again = atomicLoad(&changed);
        }
        if (workgroupUniformLoad(&again) == 0u) {
            break;
        }
    }
    if (lane == 0u) {
        own_set = set_of(p, cluster);
    }
    let label = workgroupUniformLoad(&own_set);
    let at = vec2<u32>(lane % TILE_SIDE, lane / TILE_SIDE);
    if (label != NONE) {
        var slot = PIXEL_INTERVALS * lane;
        for (var m = meet(vec2<u32>(0u)); m.found; m = meet(m.at)) {
            if (atomicLoad(&labels[slot]) == label && m.overlap.end > m.overlap.begin + 1) {
                count_overlap(m.overlap, at);
                offer(slot, lane, pairs[p].head.side);
            }
            slot += 1u;
        }
    }
    workgroupBarrier();
    if (label != NONE) {
        for (var m = 0u; m < own; m++) {
            let slot = PIXEL_INTERVALS * lane + m;
            let is_longest = bitcast<u32>(ends[slot] - begins[slot]) == atomicLoad(&longest);
            if (is_longest && atomicLoad(&labels[slot]) == label) {
                // Of those as long as each other, the first.
                atomicMax(&chosen[0], 1023u - slot);
            }
        }
    }
    workgroupBarrier();
    if (lane == 0u) {
        if (atomicLoad(&sums[0]) == 0u) {
            atomicOr(&problems, NO_INTERVAL);
        }
        var many = 0u;
        for (var k = 0u; k < CANDIDATES; k++) {
            let slot = 1023u - (atomicLoad(&chosen[k]) & 1023u);
            var known = false;
            for (var m = 0u; m < many; m++) {
                known = known || picked[m] == slot;
            }
            if (!known) {
                picked[many] = slot;
                many += 1u;
            }
        }
        picks = select(0u, many, atomicLoad(&problems) == 0u);
    }
    let many = workgroupUniformLoad(&picks);
    for (var k = 0u; k < many; k++) {
        if (picked[k] / PIXEL_INTERVALS != lane) {
            continue;
        }
        var slot = PIXEL_INTERVALS * lane;
        for (var m = meet(vec2<u32>(0u)); m.found; m = meet(m.at)) {
            if (slot == picked[k]) {
                records[record].candidate[k] = candidate_of(m.overlap, lane);
            }
            slot += 1u;
        }
    }
    if (lane == 0u) {
        records[record].status = atomicLoad(&problems);
        records[record].area = pairs[p].cluster[cluster].area;
        records[record].torque = pairs[p].cluster[cluster].torque;
        records[record].overlaps = atomicLoad(&sums[0]);
        records[record].longest = atomicLoad(&longest);
        records[record].length = carried(6u);
        records[record].moment_i = carried_product(9u);
        records[record].moment_j = carried_product(12u);
        records[record].moment_z = carried_depth(15u);
        records[record].gradient = bitcast<i32>(atomicLoad(&sums[20]));
        records[record].apart_along = atomicLoad(&apart[0]);
        records[record].apart_against = atomicLoad(&apart[1]);
        records[record].candidates = many;
    }
}
