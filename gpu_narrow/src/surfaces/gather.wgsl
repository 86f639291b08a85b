// Vertices of a caller's buffer are taken over, and looked at whether they are where the caller says.

const SURFACE_GROUP: u32 = 64u;

struct GatherParams {
    count: u32,
    start: u32,
    stride: u32,
    to: u32,
    low: vec3<f32>,
    flag: u32,
    high: vec3<f32>,
    row: u32,
}

@group(0) @binding(0) var<uniform> params: GatherParams;
@group(0) @binding(1) var<storage, read> places: array<u32>;
@group(0) @binding(2) var<storage, read_write> meshes: array<u32>;
@group(0) @binding(3) var<storage, read_write> flags: array<atomic<u32>>;

@compute @workgroup_size(64)
fn gather(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = (group.y * params.row + group.x) * SURFACE_GROUP + lane;
    if (index >= params.count) {
        return;
    }
    let source = params.start + params.stride * index;
    let to = params.to + 3u * index;
    var astray = false;
    for (var k = 0u; k < 3u; k++) {
        let bits = places[source + k];
        meshes[to + k] = bits;
        // What is infinite or no number is known by its exponent.
        let place = bitcast<f32>(bits);
        let finite = (bits & 0x7f800000u) != 0x7f800000u;
        if (!finite || place < params.low[k] || place > params.high[k]) {
            astray = true;
        }
    }
    if (astray) {
        atomicMax(&flags[params.flag], 1u);
    }
}
