// Layer by layer, the nearest first. A crossing's depth has 31 bits, of which a depth buffer's floats keep 24: so layers go by its
// upper bits, and where these are equal by the triangle's number. Triangles are drawn in this order, and of two at the same depth the
// buffer keeps the first.

@group(0) @binding(4) var last: texture_2d<u32>;

// One more than the greatest number that upper bits of a depth make.
const UPPER_DEPTHS: u32 = 8388608u;
// Added to a depth, so that none is negative.
const DEPTH_RANGE: i32 = 1073741824;

// A texel without a crossing, in all its words.
const NOTHING: u32 = 0xffffffffu;

struct Peeled {
    // The crossing, the triangle's number in the view, and the layer's.
    @location(0) words: vec4<u32>,
    @builtin(frag_depth) depth: f32,
}

// The upper bits of a depth. Corners lie within the range, and so does what is between them.
fn upper(depth: i32) -> u32 {
    return min(u32(max(depth + DEPTH_RANGE, 0)) >> 8u, UPPER_DEPTHS - 1u);
}

fn peeled(found: Crossed, number: u32, layer: u32) -> Peeled {
    // Below 2^23 over 2^23: exact.
    return Peeled(vec4<u32>(found.key, number, layer), f32(upper(found.depth)) / f32(UPPER_DEPTHS));
}

// The first layer, which also counts all crossings.
@fragment
fn peel_first(in: RowBox) -> Peeled {
    let found = crossed(in);
    let count = in.about.x * TILE_PIXELS + found.lane;
    if (found.unseen) {
        atomicAdd(&counts[count], UNSEEN);
    } else if (found.covered) {
        atomicAdd(&counts[count], 1u);
    }
    if (found.unseen || !found.covered) {
        discard;
    }
    return peeled(found, in.about.z, 0u);
}

// What lies behind the last layer, or in it and later in order.
@fragment
fn peel_next(in: RowBox) -> Peeled {
    let before = textureLoad(last, vec2<i32>(in.position.xy), 0);
    let found = crossed(in);
    let own = upper(found.depth);
    let known = upper(bitcast<i32>(before.x ^ 0x80000000u));
    let behind = own > known || (own == known && in.about.z > before.z);
    if (found.unseen || !found.covered || before.z == NOTHING || !behind) {
        discard;
    }
    return peeled(found, in.about.z, before.w + 1u);
}
