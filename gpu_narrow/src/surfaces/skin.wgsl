// Linear blend skinning: every vertex stands where its bones put it, each by its weight. In `f32`; on the CPU:
// geometry/src/skin.rs.

const SURFACE_GROUP: u32 = 64u;
const SKIN_WORDS: u32 = 11u;

struct SkinParams {
    count: u32,
    start: u32,
    stride: u32,
    row: u32,
}

@group(0) @binding(0) var<uniform> params: SkinParams;
@group(0) @binding(1) var<storage, read> skin: array<u32>;
// Of each bone three rows: a row of its rotation and a part of its translation.
@group(0) @binding(2) var<storage, read> bones: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> places: array<f32>;

@compute @workgroup_size(64)
fn follow_bones(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = (group.y * params.row + group.x) * SURFACE_GROUP + lane;
    if (index >= params.count) {
        return;
    }
    let own = SKIN_WORDS * index;
    let rest = vec4<f32>(bitcast<f32>(skin[own]), bitcast<f32>(skin[own + 1u]), bitcast<f32>(skin[own + 2u]), 1.0);
    var place = vec3<f32>(0.0);
    for (var k = 0u; k < 4u; k++) {
        let bone = 3u * skin[own + 3u + k];
        let weight = bitcast<f32>(skin[own + 7u + k]);
        let put = vec3<f32>(dot(bones[bone], rest), dot(bones[bone + 1u], rest), dot(bones[bone + 2u], rest));
        place += weight * put;
    }
    let to = params.start + params.stride * index;
    places[to] = place.x;
    places[to + 1u] = place.y;
    places[to + 2u] = place.z;
}
