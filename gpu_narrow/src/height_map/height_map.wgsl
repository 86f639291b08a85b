// Nearest or farthest surfaces on an image plane: triangles, lines or points, pulled from storage.
//
// Depth on a plane is linear: 0 at the near end of the view, 1 at the far end. On a cube's face it is the
// least depth over the depth: 1 at the near end, 0 endlessly far. Which surface is kept is the depth test's
// business; which pixels count, the gate's.

struct DrawParams {
    // From the piece's frame to the image: clip x, clip y and depth (of a cube's face in m), a row each.
    to_image: array<vec4<f32>, 3>,
    // The piece's rotation, a row each.
    rotation: array<vec4<f32>, 3>,
    // Words of the buffer of vertices: where they begin, and from one to the next.
    start: u32,
    stride: u32,
    // 1 where the indices name the corners.
    indexed: u32,
    body: u32,
    // Corners of a primitive: 3, 2 or 1.
    corners: u32,
    // What counts: 0 all, 1 from `least` on, 2 behind the object's near surface as well. What lies behind its
    // far surface, or beside its image, the depth test turns away: there the map begins with the object's own.
    gate: u32,
    // Nothing before this depth counts.
    least: f32,
    // The least depth that a cube's face sees (m); 0 of a plane.
    near: f32,
    // What the caller knows of the piece: 0 nothing, 1 `all` everywhere, 2 four words for each vertex.
    known: u32,
    // Words of the buffer of what is known: where it begins, and from one vertex to the next.
    known_start: u32,
    known_stride: u32,
    spare: u32,
    all: vec4<f32>,
}

@group(0) @binding(0) var<uniform> params: DrawParams;
@group(0) @binding(1) var<storage, read> vertices: array<f32>;
@group(0) @binding(2) var<storage, read> indices: array<u32>;
@group(0) @binding(3) var<storage, read> channels: array<f32>;
@group(1) @binding(0) var near_map: texture_depth_2d;

struct Surface {
    @builtin(position) position: vec4<f32>,
    @location(0) @interpolate(flat) primitive: u32,
    @location(1) @interpolate(flat) normal: u32,
    @location(2) known: vec4<f32>,
}

fn vertex_of(at: u32) -> u32 {
    if params.indexed == 1u {
        return indices[at];
    }
    return at;
}

fn corner(at: u32) -> vec3<f32> {
    let word = params.start + vertex_of(at) * params.stride;
    return vec3(vertices[word], vertices[word + 1u], vertices[word + 2u]);
}

// A unit vector in two signed numbers of 16 bits (octahedral: Meyer et al., "On Floating-Point Normal
// Vectors", 2010).
fn packed(n: vec3<f32>) -> u32 {
    let flat = n.xy / (abs(n.x) + abs(n.y) + abs(n.z));
    let turned = (1.0 - abs(flat.yx)) * select(vec2(-1.0), vec2(1.0), flat >= vec2(0.0));
    return pack2x16snorm(select(turned, flat, n.z >= 0.0));
}

@vertex
fn height_map_vertex(@builtin(vertex_index) index: u32) -> Surface {
    let own = vec4(corner(index), 1.0);
    var surface: Surface;
    let depth = dot(params.to_image[2], own);
    surface.position = vec4(
        dot(params.to_image[0], own),
        dot(params.to_image[1], own),
        select(depth, params.near, params.near > 0.0),
        select(1.0, depth, params.near > 0.0),
    );
    surface.primitive = index / params.corners;
    surface.known = params.all;
    if params.known == 2u {
        let word = params.known_start + vertex_of(index) * params.known_stride;
        surface.known = vec4(channels[word], channels[word + 1u], channels[word + 2u], channels[word + 3u]);
    }
    surface.normal = 0u;
    if params.corners == 3u {
        let first = surface.primitive * 3u;
        let a = corner(first);
        let n = cross(corner(first + 1u) - a, corner(first + 2u) - a);
        let longest = max(abs(n.x), max(abs(n.y), abs(n.z)));
        if longest > 0.0 {
            let turned = n / longest;
            surface.normal = packed(normalize(vec3(
                dot(params.rotation[0].xyz, turned),
                dot(params.rotation[1].xyz, turned),
                dot(params.rotation[2].xyz, turned),
            )));
        }
    }
    return surface;
}

// What was hit: body, primitive, normal, and bits: 1 for a normal that there is, 2 for what the caller knows.
fn hit(surface: Surface) -> vec4<u32> {
    let bits = select(0u, 1u, params.corners == 3u) | select(0u, 2u, params.known != 0u);
    return vec4(params.body, surface.primitive, surface.normal, bits);
}

// Whether it lies within the object's bounds.
fn counts(position: vec4<f32>) -> bool {
    if params.gate != 0u && position.z < params.least {
        return false;
    }
    return params.gate != 2u || position.z > textureLoad(near_map, vec2<i32>(position.xy), 0);
}

@fragment
fn height_map_object(surface: Surface) -> @location(0) vec4<u32> {
    return hit(surface);
}

// As above for the environment, within the object's image and bounds.
@fragment
fn height_map_environment(surface: Surface) -> @location(0) vec4<u32> {
    if !counts(surface.position) {
        discard;
    }
    return hit(surface);
}

struct Known {
    @location(0) hit: vec4<u32>,
    @location(1) known: vec4<f32>,
}

// The same with what the caller knows.
@fragment
fn height_map_known(surface: Surface) -> Known {
    if !counts(surface.position) {
        discard;
    }
    // What is the same everywhere is not interpolated: in perspective that rounds.
    return Known(hit(surface), select(surface.known, params.all, params.known == 1u));
}
