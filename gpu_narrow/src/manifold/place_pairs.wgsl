// Place pairs: what is sent of each pair goes to where the passes keep what they make of it.

@group(0) @binding(0) var<uniform> params: TileParams;
@group(0) @binding(1) var<storage, read> heads: array<ContactPairHead>;
@group(0) @binding(2) var<storage, read_write> pairs: array<ContactPair>;

const WORKGROUP: u32 = 64u;

@compute @workgroup_size(64)
fn place_pairs(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = (params.first + group.y * params.row + group.x) * WORKGROUP + lane;
    // The base is how many there are.
    if (index < params.base) {
        pairs[index].head = heads[index];
    }
}
