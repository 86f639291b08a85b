// Figures of the classic tests over a depth and a stencil buffer. Coverage and depth in whole numbers (coverage.wgsl), as
// on the CPU: narrow/image_space/src/classic/frame_buffer.rs and narrow/image_space/src/coverage/dilated.rs.

const FIGURE_VERTICES: u32 = 6u;
const BUFFER_DEPTHS: u32 = 8388608u;
const LAST_DEPTH: u32 = 4194303u;
const FIGURE_FACES: u32 = 0u;
const FIGURE_SHRUNK: u32 = 1u;
const FIGURE_NEAR: u32 = 2u;
const FIGURE_FAR: u32 = 3u;
const FIGURE_POINTS: u32 = 4u;

// Binary digits behind the point of a slope, and by how many steps bounds are wider.
const SLOPE_BITS: u32 = 8u;
const ROUNDING: i32 = 2;

struct FigureParams {
    vertices: u32,
    corners: u32,
    slopes: u32,
    points: u32,
    wide: u32,
    high: u32,
    sub_bits: u32,
    figure: u32,
    faces: u32,
    steps: u32,
    spare_0: u32,
    spare_1: u32,
}

@group(0) @binding(0) var<uniform> params: FigureParams;
@group(0) @binding(1) var<storage, read> bodies: array<u32>;

// A triangle over its box of pixels, its corners in positive order, or a point over its pixel.
struct Covering {
    @builtin(position) position: vec4<f32>,
    // The first corner, from the centre of the first pixel (sub-pixels), and its depth (steps); of a point its depth.
    @location(0) @interpolate(flat) at: vec3<i32>,
    // Second and third corner from there: across.
    @location(1) @interpolate(flat) across: vec4<i32>,
    // And in depth; least and greatest depth.
    @location(2) @interpolate(flat) deep: vec4<i32>,
    // Rise to the right and up, slack; 1 for a front face.
    @location(3) @interpolate(flat) slope: vec4<i32>,
}

fn word(at: u32) -> i32 {
    return bitcast<i32>(bodies[at]);
}

fn corner(triangle: u32, k: u32) -> vec3<i32> {
    let at = params.vertices + 3u * bodies[params.corners + 3u * triangle + k];
    return vec3(word(at), word(at + 1u), word(at + 2u));
}

// Half the side of a grown pixel (sub-pixels).
fn reach() -> i32 {
    return ((1i << params.sub_bits) >> 1u) + 1;
}

fn is_dilated() -> bool {
    return params.figure == FIGURE_NEAR || params.figure == FIGURE_FAR;
}

// The corner of number `k` of the box of pixels from `low` to `high`, both of them in it.
fn placed(k: u32, low: vec2<i32>, high: vec2<i32>) -> vec4<f32> {
    let right = k == 1u || k == 2u || k == 4u;
    let up = k == 2u || k == 4u || k == 5u;
    let texel = vec2(select(low.x, high.x + 1, right), select(low.y, high.y + 1, up));
    let place = vec2<f32>(texel) / vec2(f32(params.wide), f32(params.high)) * 2.0 - 1.0;
    return vec4(place.x, -place.y, 0.5, 1.0);
}

@vertex
fn boxes(@builtin(vertex_index) index: u32) -> Covering {
    let slot = index / FIGURE_VERTICES;
    let k = index % FIGURE_VERTICES;
    var out: Covering;
    // Beyond the far plane: clipped.
    out.position = vec4(0.0, 0.0, 2.0, 1.0);
    if (params.figure == FIGURE_POINTS) {
        let pixel = bodies[params.points + 2u * slot];
        let at = vec2<i32>(vec2(pixel % params.wide, pixel / params.wide));
        out.at = vec3(0, 0, word(params.points + 2u * slot + 1u));
        out.position = placed(k, at, at);
        return out;
    }
    let a = corner(slot, 0u);
    var b = corner(slot, 1u);
    var c = corner(slot, 2u);
    let grown = select(0, reach(), is_dilated());
    let apart = vec3(-grown, 0, grown);
    let x = vec3(min(a.x, min(b.x, c.x)), a.x, max(a.x, max(b.x, c.x))) + apart;
    let y = vec3(min(a.y, min(b.y, c.y)), a.y, max(a.y, max(b.y, c.y))) + apart;
    let i = centres(x, params.sub_bits, params.wide);
    let j = centres(y, params.sub_bits, params.high);
    if (i.x > i.y || j.x > j.y) {
        return out;
    }
    let turn = cross64(b.xy - a.xy, c.xy - a.xy);
    let front = is_negative64(turn);
    let none = all(turn == vec2<u32>(0u));
    let wrong = (params.faces == 1u && !front) || (params.faces == 2u && front);
    if (!is_dilated() && (none || wrong)) {
        return out;
    }
    if (front) {
        let swapped = b;
        b = c;
        c = swapped;
    }
    out.position = placed(k, vec2(i.x, j.x), vec2(i.y, j.y));
    out.at = a;
    out.across = vec4(b.xy - a.xy, c.xy - a.xy);
    out.deep = vec4(b.z - a.z, c.z - a.z, min(a.z, min(b.z, c.z)), max(a.z, max(b.z, c.z)));
    let at = params.slopes + 3u * slot;
    out.slope = vec4(word(at), word(at + 1u), word(at + 2u), i32(front));
    return out;
}

// Whether a triangle may meet a grown pixel, as far as the edge along `d` goes, from whose beginning the centre is at `p`;
// of a triangle without area also as far as the edge the other way round goes.
fn meets(d: vec2<i32>, p: vec2<i32>, flat_triangle: bool) -> bool {
    let half = reach();
    let size = abs(d);
    let more = plus64(signed_product64(size.x, half), signed_product64(size.y, half));
    let inner = !is_negative64(minus64(more, cross64(-d, p)));
    return inner && (!flat_triangle || !is_negative64(minus64(more, cross64(d, p))));
}

struct Depth {
    @builtin(frag_depth) depth: f32,
}

@fragment
fn figure(in: Covering) -> Depth {
    var depth = in.at.z;
    if (params.figure != FIGURE_POINTS) {
        let pixel = vec2<i32>(vec2<u32>(in.position.xy));
        let p = (pixel << vec2(params.sub_bits)) - in.at.xy;
        let b = in.across.xy;
        let c = in.across.zw;
        if (is_dilated()) {
            let none = all(cross64(b, c) == vec2<u32>(0u));
            if (!(meets(b, p, none) && meets(c - b, p - b, none) && meets(-c, p - c, none))) {
                discard;
            }
            let rise = plus64(signed_product64(in.slope.x, p.x), signed_product64(in.slope.y, p.y));
            let at = in.at.z + bitcast<i32>(right64(rise, SLOPE_BITS).x);
            let near = max(in.deep.z, at - in.slope.z) - ROUNDING;
            let far = min(in.deep.w, at + in.slope.z) + ROUNDING;
            depth = select(far, near, params.figure == FIGURE_NEAR);
        } else {
            let of_c = cross64(b, p);
            let of_a = cross64(c - b, p - b);
            let of_b = cross64(-c, p - c);
            if (!(inside64(of_c, b) && inside64(of_a, c - b) && inside64(of_b, -c))) {
                discard;
            }
            depth += quotient64(of_b, of_c, cross64(b, c), in.deep.xy);
            if (params.figure == FIGURE_SHRUNK) {
                let moved = in.slope.z + i32(params.steps);
                depth += select(-moved, moved, in.slope.w == 1);
            }
        }
    }
    var out: Depth;
    // Below 2²³ over 2²³: exact.
    out.depth = f32(clamp(depth, 0, i32(LAST_DEPTH)) + 1) / f32(BUFFER_DEPTHS);
    return out;
}
