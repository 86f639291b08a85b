// Where every pixel's crossings begin: the counts summed up, block by block.

const SCAN_THREADS: u32 = 256u;
const SCAN_EACH: u32 = 8u;

struct LdiParams {
    views: u32,
    width: u32,
    height: u32,
    layer: u32,
    pixels: u32,
    room: u32,
    blocks: u32,
    spare: u32,
}

@group(0) @binding(0) var<uniform> params: LdiParams;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
// Before each pixel of its block; one more at the end holds all crossings.
@group(0) @binding(2) var<storage, read_write> starts: array<u32>;
// Of each block; then before it.
@group(0) @binding(3) var<storage, read_write> blocks: array<u32>;

var<workgroup> sums: array<u32, 256>;

// The sum of what the threads before this one give.
fn before(own: u32, thread: u32) -> u32 {
    sums[thread] = own;
    workgroupBarrier();
    for (var reach = 1u; reach < SCAN_THREADS; reach *= 2u) {
        var more = 0u;
        if (thread >= reach) {
            more = sums[thread - reach];
        }
        workgroupBarrier();
        sums[thread] += more;
        workgroupBarrier();
    }
    return sums[thread] - own;
}

@compute @workgroup_size(256)
fn scan_blocks(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let first = (group.x * SCAN_THREADS + thread) * SCAN_EACH;
    var own = 0u;
    for (var k = 0u; k < SCAN_EACH; k++) {
        if (first + k < params.pixels) {
            own += counts[first + k];
        }
    }
    var at = before(own, thread);
    if (thread == SCAN_THREADS - 1u) {
        blocks[group.x] = at + own;
    }
    for (var k = 0u; k < SCAN_EACH; k++) {
        if (first + k < params.pixels) {
            starts[first + k] = at;
            at += counts[first + k];
        }
    }
}

@compute @workgroup_size(256)
fn scan_sums(@builtin(local_invocation_index) thread: u32) {
    let each = (params.blocks + SCAN_THREADS - 1u) / SCAN_THREADS;
    let first = min(thread * each, params.blocks);
    let end = min(first + each, params.blocks);
    var own = 0u;
    for (var k = first; k < end; k++) {
        own += blocks[k];
    }
    var at = before(own, thread);
    if (thread == SCAN_THREADS - 1u) {
        starts[params.pixels] = at + own;
    }
    for (var k = first; k < end; k++) {
        let sum = blocks[k];
        blocks[k] = at;
        at += sum;
    }
}

@compute @workgroup_size(256)
fn scan_add(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let first = (group.x * SCAN_THREADS + thread) * SCAN_EACH;
    for (var k = 0u; k < SCAN_EACH; k++) {
        if (first + k < params.pixels) {
            starts[first + k] += blocks[group.x];
        }
    }
}
