
// One layer: of the crossings behind the last layer's, the first. Crossings at one depth are ordered by
// face and triangle, and triangles are drawn in order, so coincident faces come one after the other.

const WORDS_OF_DEPTH: u32 = 8388608u;

@group(0) @binding(3) var last: texture_2d<u32>;

struct Texel {
    @location(0) words: vec4<u32>,
    @builtin(frag_depth) depth: f32,
}

@fragment
fn peel(in: Boxed) -> Texel {
    let found = crossing(in);
    if (!found.covered) {
        discard;
    }
    if (params.layer > 0u) {
        let before = textureLoad(last, vec2<i32>(in.position.xy), 0).xy;
        let behind = found.words.x > before.x || (found.words.x == before.x && found.words.y > before.y);
        if (!behind) {
            discard;
        }
    }
    var out: Texel;
    out.words = vec4(found.words, 0u, 0u);
    // Below 2²³ over 2²³: exact.
    out.depth = f32(found.words.x) / f32(WORDS_OF_DEPTH);
    return out;
}
