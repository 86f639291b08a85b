// Bodies on the lattices of their views: coverage and depth in whole numbers, as in narrow/src/ldi.

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

    let least = min(a.xy, min(b.xy, c.xy));
    let most = max(a.xy, max(b.xy, c.xy));
    let digits = vec2(view.sub_bits);
    let one = vec2(1i << view.sub_bits);
    let from_pixel = max((least + one - 1) >> digits, vec2(0));
    let to_pixel = min(most >> digits, vec2(i32(view.wide), i32(view.high)) - 1);

    var out: Boxed;
    // Beyond the far plane: clipped.
    out.position = vec4(0.0, 0.0, 2.0, 1.0);
    if (any(from_pixel > to_pixel)) {
        return out;
    }
    let turn = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
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
        select(from_pixel.x, to_pixel.x + 1, right),
        select(from_pixel.y, to_pixel.y + 1, up),
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

// Whether the point (0, 0) lies on the inner side of the edge from p by d, or on it and is the edge's own.
fn within(edge: i32, d: vec2<i32>) -> bool {
    let own = d.y < 0 || (d.y == 0 && d.x < 0);
    return edge > 0 || (edge == 0 && own);
}

fn cross2(p: vec2<i32>, q: vec2<i32>) -> i32 {
    return p.x * q.y - p.y * q.x;
}

fn crossing(in: Boxed) -> Crossing {
    var out: Crossing;
    let pixel = vec2<i32>(vec2<u32>(in.position.xy) - in.tile.xy);
    out.pixel = in.about.w + u32(pixel.y) * in.tile.z + u32(pixel.x);
    let p = (pixel << vec2(in.about.z)) - in.at.xy;
    let b = in.across.xy;
    let c = in.across.zw;
    let e0 = cross2(b, p);
    let e1 = cross2(c - b, p - b);
    let e2 = cross2(-c, p - c);
    out.covered = within(e0, b) && within(e1, c - b) && within(e2, -c);

    // e2 · deep.x + e0 · deep.y over the area, to the nearest, halves up. The quotient is guessed within
    // a few steps; what is left of the dividend is then less than 2³¹ and known, though the dividend is
    // not: numbers wrap.
    let area = e0 + e1 + e2;
    let over = f32(area);
    let guess = i32(round(f32(e2) / over * f32(in.deep.x) + f32(e0) / over * f32(in.deep.y)));
    var rest = bitcast<i32>(bitcast<u32>(e2) * bitcast<u32>(in.deep.x)
        + bitcast<u32>(e0) * bitcast<u32>(in.deep.y)
        - bitcast<u32>(guess) * bitcast<u32>(area));
    var depth = in.at.z + guess;
    if (out.covered) {
        var more = rest / area;
        rest -= more * area;
        if (rest < 0) {
            more -= 1;
            rest += area;
        }
        depth += more + i32(2 * rest >= area);
    }
    depth = clamp(depth, 0, i32(LAST_DEPTH));
    out.words = vec2((u32(depth) << 1u) | in.about.y, in.about.x);
    return out;
}
