// Place pairs: what is sent of each pair of a batch goes to where the passes keep what they make of it.

@group(0) @binding(0) var<uniform> params: TileParams;
@group(0) @binding(1) var<storage, read> heads: array<ContactPairHead>;
@group(0) @binding(2) var<storage, read_write> pairs: array<ContactPair>;
@group(0) @binding(3) var<storage, read_write> records: array<PatchRecord>;

const WORKGROUP: u32 = 64u;

@compute @workgroup_size(64)
fn place_pairs(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = (group.y * params.row + group.x) * WORKGROUP + lane;
    if (index < params.tiles) {
        let head = heads[params.first + index];
        pairs[index].head = head;
        for (var k = 0u; k < head.views; k++) {
            records[head.first_view + k].pair = index;
            records[head.first_view + k].view = k;
        }
    }
}
