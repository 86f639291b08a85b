// Which triangles of two surfaces certainly cross, and which may: each thread takes a lowest box of A down the boxes of B. The triangles
// that are left are the filter's of triangle intersection, and so is the record (intersect_record.wgsl).

struct MeetParams {
    to_a: array<vec4<f32>, 3>,
    origin: vec3<f32>,
    scale: f32,
    delta: f32,
    vertices_a: u32,
    corners_a: u32,
    triangles_a: u32,
    vertices_b: u32,
    corners_b: u32,
    triangles_b: u32,
    levels_b: u32,
    boxes_a: u32,
    leaves_a: u32,
    groups: u32,
    row: u32,
    answer: u32,
    sequence: u32,
    spare: vec2<u32>,
    starts_b: array<vec4<u32>, 3>,
    counts_b: array<vec4<u32>, 3>,
}

@group(0) @binding(0) var<uniform> params: MeetParams;
@group(0) @binding(1) var<storage, read> meshes: array<u32>;
@group(0) @binding(2) var<storage, read_write> answers: array<u32>;

const SURFACE_GROUP: u32 = 64u;
const FANOUT: u32 = 4u;
const SURFACE_BOX_WORDS: u32 = 6u;
const STACK: u32 = 40u;
// Where a node's level is in its word.
const LEVEL_BIT: u32 = 26u;

// Whether a box of B stands apart from one of A (A's frame, scaled).
fn stands_apart(low: vec3<f32>, high: vec3<f32>, at: u32) -> bool {
    let least = vertex(at);
    let most = vertex(at + 3u);
    let middle = 0.5 * least + 0.5 * most;
    let half = 0.5 * most - 0.5 * least;
    let rows = params.to_a;
    let place = vec3<f32>(dot(rows[0].xyz, middle), dot(rows[1].xyz, middle), dot(rows[2].xyz, middle))
        + vec3<f32>(rows[0].w, rows[1].w, rows[2].w);
    let reach = vec3<f32>(dot(abs(rows[0].xyz), half), dot(abs(rows[1].xyz), half), dot(abs(rows[2].xyz), half));
    let size = largest(place) + largest(reach) + largest(low) + largest(high);
    let slack = 2.0 * params.delta + 32.0 * UNIT_ERROR * size;
    return any(place - reach > high + slack) || any(place + reach < low - slack);
}

@compute @workgroup_size(64)
fn meet_surfaces(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = group.y * params.row + group.x;
    if (index >= params.groups) {
        return;
    }
    var unit: IntersectUnit;
    unit.to_a = params.to_a;
    unit.scale = params.scale;
    unit.vertices_a = params.vertices_a;
    unit.corners_a = params.corners_a;
    unit.vertices_b = params.vertices_b;
    unit.corners_b = params.corners_b;

    var found = nothing_found();
    let leaf = index * SURFACE_GROUP + lane;
    var nodes: array<u32, STACK>;
    var waiting = 0u;
    var low = vec3<f32>(0.0);
    var high = vec3<f32>(0.0);
    if (leaf < params.leaves_a) {
        low = vertex(params.boxes_a + SURFACE_BOX_WORDS * leaf) * params.scale;
        high = vertex(params.boxes_a + SURFACE_BOX_WORDS * leaf + 3u) * params.scale;
        nodes[0] = (params.levels_b - 1u) << LEVEL_BIT;
        waiting = 1u;
    }
    while (waiting > 0u) {
        waiting -= 1u;
        let node = nodes[waiting];
        let level = node >> LEVEL_BIT;
        let own = node & ((1u << LEVEL_BIT) - 1u);
        if (stands_apart(low, high, params.starts_b[level / 4u][level % 4u] + SURFACE_BOX_WORDS * own)) {
            continue;
        }
        if (level > 0u) {
            let below = level - 1u;
            let end = min(FANOUT * (own + 1u), params.counts_b[below / 4u][below % 4u]);
            for (var k = FANOUT * own; k < end && waiting < STACK; k++) {
                nodes[waiting] = (below << LEVEL_BIT) | k;
                waiting += 1u;
            }
            continue;
        }
        for (var test = 0u; test < FANOUT * FANOUT; test++) {
            let a = FANOUT * leaf + test / FANOUT;
            let b = FANOUT * own + test % FANOUT;
            if (a >= params.triangles_a || b >= params.triangles_b) {
                continue;
            }
            found.count.z += 1u;
            let face_a = face_of_a(unit, a);
            let face_b = face_of_b(unit, b);
            if (!boxes_apart(box_of(face_a), box_of(face_b), params.delta)) {
                _ = may_meet(face_a, face_b, params.origin, params.delta, &found);
            }
        }
    }
    write_record(found, lane, params.answer + RECORD_WORDS * index, params.sequence);
}
