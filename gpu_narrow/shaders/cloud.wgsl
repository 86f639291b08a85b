// The points of a cloud that go through the nearest surface in this step are put before it, and bounce.

const WORKGROUP: u32 = 64u;

struct CloudParams {
    // From the world to the image: column, row and depth (0 to 1), a row each.
    to_image: array<vec4<f32>, 3>,
    // The direction of view (unit, world), and the length of the view (m).
    direction: vec4<f32>,
    size: vec2<u32>,
    // Words from one point to the next, in places and in velocities.
    stride: u32,
    count: u32,
    restitution: f32,
    friction: f32,
    gap: f32,
    row: u32,
}

@group(0) @binding(0) var<uniform> params: CloudParams;
@group(0) @binding(1) var map: texture_depth_2d;
@group(0) @binding(2) var seen: texture_2d<u32>;
@group(0) @binding(3) var<storage, read> before: array<f32>;
@group(0) @binding(4) var<storage, read_write> places: array<f32>;
@group(0) @binding(5) var<storage, read_write> velocities: array<f32>;
// How many points were turned back, and how many are no numbers.
@group(0) @binding(6) var<storage, read_write> counts: array<atomic<u32>>;

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

fn inside(q: vec3<f32>) -> bool {
    return q.x >= 0.0 && q.y >= 0.0 && q.x < f32(params.size.x) && q.y < f32(params.size.y);
}

// A number that is neither infinite nor not a number.
fn finite(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7f800000u) != 0x7f800000u;
}

@compute @workgroup_size(64, 1, 1)
fn cloud(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = (group.y * params.row + group.x) * WORKGROUP + lane;
    if index >= params.count {
        return;
    }
    let at = index * params.stride;
    let came = vec3(before[at], before[at + 1u], before[at + 2u]);
    let to = vec3(places[at], places[at + 1u], places[at + 2u]);
    for (var k = 0u; k < 3u; k++) {
        if !finite(came[k]) || !finite(to[k]) {
            atomicAdd(&counts[1], 1u);
            return;
        }
    }
    let now = image(to);
    let was = image(came);
    if !inside(now) || !inside(was) {
        return;
    }
    let pixel = vec2<i32>(now.xy);
    let surface = textureLoad(map, pixel, 0);
    let own = textureLoad(map, vec2<i32>(was.xy), 0);
    // 1 is what the map was cleared to: nothing was seen.
    if surface >= 1.0 || now.z < surface || !(was.z < surface || (was.z < own && own < 1.0)) {
        return;
    }
    let what = textureLoad(seen, pixel, 0);
    var normal = -params.direction.xyz;
    if what.w == 1u {
        normal = unpacked(what.z);
        normal = select(normal, -normal, dot(normal, params.direction.xyz) > 0.0);
    }
    let place = to - params.direction.xyz * ((now.z - surface) * params.direction.w) + normal * params.gap;
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
    atomicAdd(&counts[0], 1u);
}
