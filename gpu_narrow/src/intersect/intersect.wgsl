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

@group(0) @binding(0) var<uniform> params: IntersectParams;
@group(0) @binding(1) var<storage, read> meshes: array<u32>;
@group(0) @binding(2) var<storage, read> units: array<IntersectUnit>;
@group(0) @binding(3) var<storage, read> leaf_pairs: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> answers: array<u32>;

const WORKGROUP: u32 = 64u;
const UNIT_LEAF_PAIRS: u32 = 256u;
const LEAF_TRIANGLES: u32 = 4u;
const MASK_WORDS: u32 = 128u;
// Triangle pairs of a leaf pair, and leaf pairs looked at together.
const LEAF_TESTS: u32 = 16u;
const TOGETHER: u32 = 4u;

var<workgroup> masks: array<atomic<u32>, MASK_WORDS>;

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
    let i = (lane % LEAF_TESTS) / LEAF_TRIANGLES;
    let j = lane % LEAF_TRIANGLES;
    for (var at = lane / LEAF_TESTS; at < unit.count; at += TOGETHER) {
        let leaves = leaf_pairs[unit.first + at];
        let a = meshes[unit.starts_a + leaves.x] + i;
        let b = meshes[unit.starts_b + leaves.y] + j;
        if (a >= meshes[unit.starts_a + leaves.x + 1u] || b >= meshes[unit.starts_b + leaves.y + 1u]) {
            continue;
        }
        if (may_meet(unit, unit.origin, unit.delta, vec2<u32>(a, b), &found)) {
            atomicOr(&masks[at / 2u], 1u << (16u * (at % 2u) + lane % LEAF_TESTS));
        }
    }

    write_record(found, lane, unit.answer, params.sequence);
    for (var k = lane; k < (unit.count + 1u) / 2u; k += WORKGROUP) {
        answers[unit.answer + RECORD_WORDS + k] = atomicLoad(&masks[k]);
    }
}
