// Bodies on the lattices of their views: coverage and depth in whole numbers (coverage.wgsl), as on the CPU.

const BOX_VERTICES: u32 = 6u;
const NOTHING: u32 = 0xffffffffu;
const LAST_DEPTH: u32 = 4194303u;

struct LdiParams {
    views: u32,
    width: u32,
    height: u32,
    layer: u32,
    pixels: u32,
    room: u32,
    blocks: u32,
    spare: u32,
}

struct LdiBody {
    first: u32,
    vertices: u32,
    corners: u32,
    tile_x: u32,
    tile_y: u32,
    wide: u32,
    high: u32,
    sub_bits: u32,
    faces: u32,
    pixel: u32,
    spare_0: u32,
    spare_1: u32,
}

@group(0) @binding(0) var<uniform> params: LdiParams;
@group(0) @binding(1) var<storage, read> views: array<LdiBody>;
@group(0) @binding(2) var<storage, read> bodies: array<u32>;

// A triangle over its box of pixels. Its corners are in positive order; where they lie is counted from
// the first.
struct Boxed {
    @builtin(position) position: vec4<f32>,
    // The first corner, from the centre of the tile's first pixel (sub-pixels), and its depth (steps).
    @location(0) @interpolate(flat) at: vec3<i32>,
    // Second and third corner from there: across.
    @location(1) @interpolate(flat) across: vec4<i32>,
    // And in depth.
    @location(2) @interpolate(flat) deep: vec2<i32>,
    // Triangle; 1 for a front face; digits of a sub-pixel; pixel 0 of the view.
    @location(3) @interpolate(flat) about: vec4<u32>,
    // Tile's corner, pixels per row.
    @location(4) @interpolate(flat) tile: vec3<u32>,
}

fn corner(view: u32, triangle: u32, k: u32) -> vec3<i32> {
    let vertex = bodies[views[view].corners + 3u * triangle + k];
    let word = views[view].vertices + 3u * vertex;
    return vec3(bitcast<i32>(bodies[word]), bitcast<i32>(bodies[word + 1u]), bitcast<i32>(bodies[word + 2u]));
}

// Two triangles that cover the pixels whose centres lie in a triangle's box, and none where it has no
// such pixel, no area, or the wrong face. What is covered is decided pixel by pixel, so nothing hangs on
// how a driver rounds positions.
@vertex
fn boxes(@builtin(vertex_index) index: u32) -> Boxed {
    let slot = index / BOX_VERTICES;
    // The last view that begins at or before the slot.
    var low = 0u;
    var high = params.views;
    while (high - low > 1u) {
        let middle = (low + high) / 2u;
        if (views[middle].first <= slot) {
            low = middle;
        } else {
            high = middle;
        }
    }
    let view = views[low];
    let triangle = slot - view.first;
    let a = corner(low, triangle, 0u);
    var b = corner(low, triangle, 1u);
    var c = corner(low, triangle, 2u);

    let i = centres(vec3(a.x, b.x, c.x), view.sub_bits, view.wide);
    let j = centres(vec3(a.y, b.y, c.y), view.sub_bits, view.high);

    var out: Boxed;
    // Beyond the far plane: clipped.
    out.position = vec4(0.0, 0.0, 2.0, 1.0);
    if (i.x > i.y || j.x > j.y) {
        return out;
    }
    let turn = cross32(b.xy - a.xy, c.xy - a.xy);
    let front = turn < 0;
    if (turn == 0 || (view.faces == 1u && !front) || (view.faces == 2u && front)) {
        return out;
    }
    if (front) {
        let swapped = b;
        b = c;
        c = swapped;
    }
    let k = index % BOX_VERTICES;
    let right = k == 1u || k == 2u || k == 4u;
    let up = k == 2u || k == 4u || k == 5u;
    let tile = vec2(view.tile_x, view.tile_y);
    let texel = vec2<i32>(tile) + vec2(
        select(i.x, i.y + 1, right),
        select(j.x, j.y + 1, up),
    );
    let size = vec2(f32(params.width), f32(params.height));
    let place = vec2<f32>(texel) / size * 2.0 - 1.0;
    out.position = vec4(place.x, -place.y, 0.5, 1.0);
    out.at = a;
    out.across = vec4(b.xy - a.xy, c.xy - a.xy);
    out.deep = vec2(b.z - a.z, c.z - a.z);
    out.about = vec4(triangle, u32(front), view.sub_bits, view.pixel);
    out.tile = vec3(tile, view.wide);
    return out;
}

struct Crossing {
    covered: bool,
    // Pixel of the view.
    pixel: u32,
    // Depth and face, triangle.
    words: vec2<u32>,
}

fn crossing(in: Boxed) -> Crossing {
    var out: Crossing;
    let pixel = vec2<i32>(vec2<u32>(in.position.xy) - in.tile.xy);
    out.pixel = in.about.w + u32(pixel.y) * in.tile.z + u32(pixel.x);
    let p = (pixel << vec2(in.about.z)) - in.at.xy;
    let b = in.across.xy;
    let c = in.across.zw;
    let of_c = cross32(b, p);
    let of_a = cross32(c - b, p - b);
    let of_b = cross32(-c, p - c);
    out.covered = inside32(of_c, b) && inside32(of_a, c - b) && inside32(of_b, -c);
    var depth = in.at.z;
    if (out.covered) {
        depth += quotient32(of_b, of_c, of_a + of_b + of_c, in.deep);
    }
    depth = clamp(depth, 0, i32(LAST_DEPTH));
    out.words = vec2((u32(depth) << 1u) | in.about.y, in.about.x);
    return out;
}
