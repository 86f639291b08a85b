// A level of boxes is fitted to the triangles, or to the boxes of the level below.

const SURFACE_GROUP: u32 = 64u;
const FANOUT: u32 = 4u;
const SURFACE_BOX_WORDS: u32 = 6u;

struct FitParams {
    to: u32,
    count: u32,
    lower: u32,
    below: u32,
    vertices: u32,
    corners: u32,
    lowest: u32,
    row: u32,
}

@group(0) @binding(0) var<uniform> params: FitParams;
@group(0) @binding(1) var<storage, read_write> meshes: array<u32>;

fn three(at: u32) -> vec3<f32> {
    return vec3<f32>(bitcast<f32>(meshes[at]), bitcast<f32>(meshes[at + 1u]), bitcast<f32>(meshes[at + 2u]));
}

@compute @workgroup_size(64)
fn fit_boxes(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = (group.y * params.row + group.x) * SURFACE_GROUP + lane;
    if (index >= params.count) {
        return;
    }
    var low = vec3<f32>(3.0e38);
    var high = vec3<f32>(-3.0e38);
    for (var k = FANOUT * index; k < min(FANOUT * (index + 1u), params.below); k++) {
        if (params.lowest == 1u) {
            for (var c = 0u; c < 3u; c++) {
                let p = three(params.vertices + 3u * meshes[params.corners + 3u * k + c]);
                low = min(low, p);
                high = max(high, p);
            }
        } else {
            low = min(low, three(params.lower + SURFACE_BOX_WORDS * k));
            high = max(high, three(params.lower + SURFACE_BOX_WORDS * k + 3u));
        }
    }
    let to = params.to + SURFACE_BOX_WORDS * index;
    for (var k = 0u; k < 3u; k++) {
        meshes[to + k] = bitcast<u32>(low[k]);
        meshes[to + 3u + k] = bitcast<u32>(high[k]);
    }
}
