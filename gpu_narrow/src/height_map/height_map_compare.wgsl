// Where the object's farthest surface lies behind the environment's nearest: pixels to records.

const RECORD_WORDS: u32 = 6u;
const HEADER_WORDS: u32 = 4u;

struct CompareParams {
    // Columns and rows.
    size: vec2<u32>,
    // Records that there is room for.
    capacity: u32,
    // The number of the question.
    sequence: u32,
    // 1 where the caller knows something of what may be seen.
    known: u32,
    spare: u32,
}

@group(0) @binding(0) var<uniform> params: CompareParams;
@group(0) @binding(1) var far_map: texture_depth_2d;
@group(0) @binding(2) var environment: texture_depth_2d;
@group(0) @binding(3) var seen: texture_2d<u32>;
@group(0) @binding(4) var known: texture_2d<f32>;
// Records found, the question's number, two spare; then the records; then what is known, four words each.
@group(0) @binding(5) var<storage, read_write> answers: array<atomic<u32>>;

@compute @workgroup_size(8, 8, 1)
fn height_map_compare(@builtin(global_invocation_id) id: vec3<u32>) {
    if all(id.xy == vec2(0u)) {
        atomicStore(&answers[1], params.sequence);
    }
    if any(id.xy >= params.size) {
        return;
    }
    let pixel = vec2<i32>(id.xy);
    let far = textureLoad(far_map, pixel, 0);
    let depth = textureLoad(environment, pixel, 0);
    // The environment's map began as the object's: what is not nearer is not there.
    if depth >= far {
        return;
    }
    let record = atomicAdd(&answers[0], 1u);
    if record >= params.capacity {
        return;
    }
    let what = textureLoad(seen, pixel, 0);
    let at = HEADER_WORDS + record * RECORD_WORDS;
    atomicStore(&answers[at], id.y * params.size.x + id.x);
    atomicStore(&answers[at + 1u], bitcast<u32>(far));
    atomicStore(&answers[at + 2u], bitcast<u32>(depth));
    atomicStore(&answers[at + 3u], what.x);
    atomicStore(&answers[at + 4u], what.y);
    // The lowest bit of the second half of a packed normal says that there is one, that of the first that
    // something is known.
    let normal = select(0u, (what.z & 0xfffffffeu) | 0x10000u, (what.w & 1u) == 1u);
    atomicStore(&answers[at + 5u], normal | (what.w >> 1u));
    if params.known == 1u {
        let values = textureLoad(known, pixel, 0);
        let to = HEADER_WORDS + params.capacity * RECORD_WORDS + record * 4u;
        for (var k = 0u; k < 4u; k++) {
            atomicStore(&answers[to + k], bitcast<u32>(values[k]));
        }
    }
}
