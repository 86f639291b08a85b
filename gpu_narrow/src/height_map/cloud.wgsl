// The points of a cloud that go through the nearest surface in this step are put before it, and bounce.

const CLOUD_THREADS: u32 = 64u;
const CLOUD_RECORD_WORDS: u32 = 16u;
const HEADER_WORDS: u32 = 4u;

struct CloudParams {
    // From the world to the image: column, row and depth (0 to 1), a row each.
    to_image: array<vec4<f32>, 3>,
    // The direction of view (unit, world), and the length of the view (m).
    direction: vec4<f32>,
    // The middle of a cube (world) and the depth nearer than which nothing is seen (m); 0 of one plane.
    cube: vec4<f32>,
    // Columns and rows of one picture.
    size: vec2<u32>,
    // Words from one point to the next, in places and in velocities.
    stride: u32,
    count: u32,
    restitution: f32,
    friction: f32,
    gap: f32,
    row: u32,
    // Of the points (m).
    radius: f32,
    // Records of points that there is room for.
    records: u32,
    // 1 where the caller knows something of what may be seen.
    known: u32,
    spare: u32,
}

@group(0) @binding(0) var<uniform> params: CloudParams;
@group(0) @binding(1) var map: texture_depth_2d;
@group(0) @binding(2) var seen: texture_2d<u32>;
@group(0) @binding(3) var<storage, read> before: array<f32>;
@group(0) @binding(4) var<storage, read_write> places: array<f32>;
@group(0) @binding(5) var<storage, read_write> velocities: array<f32>;
// How many points were turned back, how many are no numbers, two spare; then the records.
@group(0) @binding(6) var<storage, read_write> answers: array<atomic<u32>>;
@group(0) @binding(7) var known: texture_2d<f32>;

fn unpacked(word: u32) -> vec3<f32> {
    let flat = unpack2x16snorm(word);
    let z = 1.0 - abs(flat.x) - abs(flat.y);
    let turned = (1.0 - abs(flat.yx)) * select(vec2(-1.0), vec2(1.0), flat >= vec2(0.0));
    return normalize(vec3(select(turned, flat, z >= 0.0), z));
}

fn image(p: vec3<f32>) -> vec3<f32> {
    let q = vec4(p, 1.0);
    return vec3(dot(params.to_image[0], q), dot(params.to_image[1], q), dot(params.to_image[2], q));
}

// A number that is neither infinite nor not a number.
fn finite(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7f800000u) != 0x7f800000u;
}

// Where a place is seen, and how deep: of one plane 0 to 1, of a cube along the face's axis (m).
struct Seen {
    inside: bool,
    pixel: vec2<i32>,
    depth: f32,
}

fn see(p: vec3<f32>) -> Seen {
    var found: Seen;
    if params.cube.w == 0.0 {
        let q = image(p);
        let within = q.x >= 0.0 && q.y >= 0.0 && q.x < f32(params.size.x) && q.y < f32(params.size.y);
        found.inside = within && finite(q.z);
        found.pixel = select(vec2(0), vec2<i32>(q.xy), found.inside);
        found.depth = q.z;
        return found;
    }
    // Faces lie in three rows, +x and -x, +y and -y, +z and -z; what is right and down changes places with
    // the sign.
    let v = p - params.cube.xyz;
    let a = abs(v);
    var axis = 4;
    found.depth = a.z;
    var along = v.z;
    var across = v.xy;
    if a.x >= a.y && a.x >= a.z {
        axis = 0;
        found.depth = a.x;
        along = v.x;
        across = v.yz;
    } else if a.y >= a.z {
        axis = 2;
        found.depth = a.y;
        along = v.y;
        across = v.zx;
    }
    let back = along < 0.0;
    across = select(across, across.yx, back);
    let side = vec2<i32>(params.size);
    found.inside = finite(found.depth);
    if found.inside && found.depth > 0.0 {
        found.pixel = vec2<i32>((across / found.depth + 1.0) * 0.5 * vec2<f32>(params.size));
    }
    found.pixel = clamp(found.pixel, vec2(0), side - 1) + vec2(select(0, side.x, back), axis / 2 * side.y);
    return found;
}

// Depth of what is a radius ahead of a place that is seen at `depth`, along its line of sight.
fn front(p: vec3<f32>, depth: f32) -> f32 {
    if params.cube.w > 0.0 {
        return depth + depth * params.radius / max(length(p - params.cube.xyz), 1.0e-30);
    }
    return depth + params.radius / params.direction.w;
}

// Stands for "nothing seen".
const NOTHING: f32 = 3.0e38;

// Depth of the surface in a pixel, as `see` has it.
fn surface_in(pixel: vec2<i32>) -> f32 {
    let held = textureLoad(map, pixel, 0);
    // A cube's faces hold the least depth over the depth, and were cleared to 0; a plane's map to 1.
    if params.cube.w > 0.0 {
        return select(NOTHING, params.cube.w / held, held > 0.0);
    }
    return select(NOTHING, held, held < 1.0);
}

// Notes a record: what was hit, where and how deep, the normal, and what the caller knows of the pixel.
fn note(record: u32, index: u32, what: vec4<u32>, place: vec4<f32>, normal: vec3<f32>, pixel: vec2<i32>) {
    let at = HEADER_WORDS + record * CLOUD_RECORD_WORDS;
    atomicStore(&answers[at], index);
    atomicStore(&answers[at + 1u], what.x);
    atomicStore(&answers[at + 2u], what.y);
    atomicStore(&answers[at + 3u], what.w & 3u);
    var values = vec4(0.0);
    if params.known == 1u {
        values = textureLoad(known, pixel, 0);
    }
    let toward = vec4(normal, 0.0);
    for (var k = 0u; k < 4u; k++) {
        atomicStore(&answers[at + 4u + k], bitcast<u32>(place[k]));
        atomicStore(&answers[at + 8u + k], bitcast<u32>(toward[k]));
        atomicStore(&answers[at + 12u + k], bitcast<u32>(values[k]));
    }
}

@compute @workgroup_size(64, 1, 1)
fn cloud(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = (group.y * params.row + group.x) * CLOUD_THREADS + lane;
    if index >= params.count {
        return;
    }
    let at = index * params.stride;
    let came = vec3(before[at], before[at + 1u], before[at + 2u]);
    let to = vec3(places[at], places[at + 1u], places[at + 2u]);
    for (var k = 0u; k < 3u; k++) {
        if !finite(came[k]) || !finite(to[k]) {
            atomicAdd(&answers[1], 1u);
            return;
        }
    }
    let now = see(to);
    let was = see(came);
    if !now.inside || !was.inside {
        return;
    }
    let surface = surface_in(now.pixel);
    let own = surface_in(was.pixel);
    let before_it = front(came, was.depth);
    if front(to, now.depth) < surface || !(before_it < surface || (before_it < own && own < NOTHING)) {
        return;
    }
    var sight = params.direction.xyz;
    var place = to - sight * ((now.depth - surface) * params.direction.w);
    if params.cube.w > 0.0 {
        sight = normalize((to - params.cube.xyz) / now.depth);
        place = params.cube.xyz + (to - params.cube.xyz) * (surface / now.depth);
    }
    let what = textureLoad(seen, now.pixel, 0);
    var normal = -sight;
    if (what.w & 1u) == 1u {
        normal = unpacked(what.z);
        normal = select(normal, -normal, dot(normal, sight) > 0.0);
    }
    let on_surface = place;
    place += normal * (params.gap + params.radius);
    var velocity = vec3(velocities[at], velocities[at + 1u], velocities[at + 2u]);
    let against = dot(normal, velocity);
    if against < 0.0 {
        let along = velocity - normal * against;
        velocity = along * (1.0 - params.friction) - normal * (against * params.restitution);
    }
    for (var k = 0u; k < 3u; k++) {
        places[at + k] = place[k];
        velocities[at + k] = velocity[k];
    }
    let record = atomicAdd(&answers[0], 1u);
    if record < params.records {
        let behind = (front(to, now.depth) - surface) * select(params.direction.w, 1.0, params.cube.w > 0.0);
        note(record, index, what, vec4(on_surface, behind), normal, now.pixel);
    }
}
