// The filter of triangle intersection: which triangle pairs of the candidate leaves certainly miss each other,
// which certainly cross, and along which oriented segments these do.
//
// Twin: narrow/exact/src/intersect/. A workgroup answers one unit: up to UNIT_LEAF_PAIRS leaf pairs of one pair
// of surfaces. Most triangle pairs are ruled out by their boxes, and most of the others by their planes; before
// each of the two dearer tests the pairs that are left are dealt out again, one to a thread, in their order, so
// that all threads have work and the sums come out the same in every run.
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

@group(0) @binding(0) var<uniform> params: IntersectParams;
@group(0) @binding(1) var<storage, read> meshes: array<u32>;
@group(0) @binding(2) var<storage, read> units: array<IntersectUnit>;
@group(0) @binding(3) var<storage, read> leaf_pairs: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> answers: array<u32>;

const WORKGROUP: u32 = 64u;
const UNIT_LEAF_PAIRS: u32 = 256u;
const LEAF_TRIANGLES: u32 = 4u;
const MASK_WORDS: u32 = 128u;
// Triangle pairs of a leaf pair, leaf pairs looked at together, and words of the masks for a thread.
const LEAF_TESTS: u32 = 16u;
const TOGETHER: u32 = 16u;
const OWN_WORDS: u32 = 2u;

// A bit for each triangle pair that is not known to miss: sixteen for each leaf pair.
var<workgroup> masks: array<atomic<u32>, MASK_WORDS>;
// The masks when pairs were dealt out last, and how many bits are set up to each thread's own words and in them.
var<workgroup> dealt: array<u32, MASK_WORDS>;
var<workgroup> up_to: array<u32, WORKGROUP>;

// Makes the pairs that are left ready to be dealt out; how many there are. Called by all threads.
fn deal(lane: u32) -> u32 {
    workgroupBarrier();
    var own = 0u;
    for (var k = OWN_WORDS * lane; k < OWN_WORDS * (lane + 1u); k++) {
        dealt[k] = atomicLoad(&masks[k]);
        own += countOneBits(dealt[k]);
    }
    up_to[lane] = own;
    for (var step = 1u; step < WORKGROUP; step *= 2u) {
        workgroupBarrier();
        let before = select(0u, up_to[max(lane, step) - step], lane >= step);
        workgroupBarrier();
        up_to[lane] += before;
    }
    workgroupBarrier();
    return up_to[WORKGROUP - 1u];
}

// The bit (of all masks) of the pair of this number among those dealt out.
fn dealt_bit(number: u32) -> u32 {
    // Whose words it is in: the first thread's up to which there are more.
    var first = 0u;
    for (var half = WORKGROUP / 2u; half > 0u; half /= 2u) {
        first += select(0u, half, up_to[first + half - 1u] <= number);
    }
    var word = OWN_WORDS * first;
    var rest = number - select(0u, up_to[max(first, 1u) - 1u], first > 0u);
    let in_word = countOneBits(dealt[word]);
    if (rest >= in_word) {
        rest -= in_word;
        word += 1u;
    }
    var bits = dealt[word];
    var bit = 0u;
    for (var half = 16u; half > 0u; half /= 2u) {
        let low = countOneBits(bits & ((1u << half) - 1u));
        if (rest >= low) {
            rest -= low;
            bits >>= half;
            bit += half;
        }
    }
    return 32u * word + bit;
}

// The triangles of a bit of the masks, by their numbers in A and in B.
fn faces_of(unit: IntersectUnit, bit: u32) -> vec2<u32> {
    let leaves = leaf_pairs[unit.first + (bit >> 4u)];
    let of_a = meshes[unit.starts_a + leaves.x] + ((bit >> 2u) & 3u);
    let of_b = meshes[unit.starts_b + leaves.y] + (bit & 3u);
    return vec2<u32>(of_a, of_b);
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

    var found = nothing_found();
    // Of each leaf pair four threads take a triangle of either leaf, and then the box of B's against those of A's.
    let own = lane % LEAF_TRIANGLES;
    for (var base = 0u; base < unit.count; base += TOGETHER) {
        let at = base + lane / LEAF_TRIANGLES;
        var box_b: TriangleBox;
        var of_a = 0u;
        var of_b = 0u;
        if (at < unit.count) {
            let leaves = leaf_pairs[unit.first + at];
            let from_a = meshes[unit.starts_a + leaves.x];
            let from_b = meshes[unit.starts_b + leaves.y];
            of_a = meshes[unit.starts_a + leaves.x + 1u] - from_a;
            of_b = meshes[unit.starts_b + leaves.y + 1u] - from_b;
            if (own < of_a) {
                let box_a = box_of(face_of_a(unit, from_a + own));
                lows[lane] = box_a.low;
                highs[lane] = box_a.high;
            }
            if (own < of_b) {
                box_b = box_of(face_of_b(unit, from_b + own));
            }
        }
        workgroupBarrier();
        if (own < of_b) {
            found.count.z += of_a;
            var near = 0u;
            for (var i = 0u; i < of_a; i++) {
                let box_a = TriangleBox(lows[lane - own + i], highs[lane - own + i]);
                near |= select(1u << (LEAF_TRIANGLES * i + own), 0u, boxes_apart(box_a, box_b, unit.delta));
            }
            if (near != 0u) {
                atomicOr(&masks[at >> 1u], near << (LEAF_TESTS * (at & 1u)));
            }
        }
        workgroupBarrier();
    }

    let near = deal(lane);
    for (var k = lane; k < near; k += WORKGROUP) {
        let bit = dealt_bit(k);
        let faces = faces_of(unit, bit);
        let face_a = face_of_a(unit, faces.x);
        let face_b = face_of_b(unit, faces.y);
        if (is_aside(face_a, face_b, unit.delta) || is_aside(face_b, face_a, unit.delta)) {
            atomicAnd(&masks[bit >> 5u], ~(1u << (bit & 31u)));
        }
    }

    let left = deal(lane);
    for (var k = lane; k < left; k += WORKGROUP) {
        let bit = dealt_bit(k);
        let faces = faces_of(unit, bit);
        let face_a = face_of_a(unit, faces.x);
        let face_b = face_of_b(unit, faces.y);
        if (!may_meet(face_a, face_b, unit.origin, unit.delta, &found)) {
            atomicAnd(&masks[bit >> 5u], ~(1u << (bit & 31u)));
        }
    }

    write_record(found, lane, unit.answer, params.sequence);
    for (var k = lane; k < (unit.count + 1u) / 2u; k += WORKGROUP) {
        answers[unit.answer + RECORD_WORDS + k] = atomicLoad(&masks[k]);
    }
}
